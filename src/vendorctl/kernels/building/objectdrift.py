# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`diff-upstream --objects`: what a change of sources does to the objects made from them.

Two states of the patched trees (pristine and patched, or before and after a bump) are compiled with the same recipes
and tools, and every instance is classified: same bytes, other metadata, other registers, other instructions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vendorctl.errors import Location
from vendorctl.kernels.building.build import BuildOptions
from vendorctl.kernels.building.plan import Unit, make_plan
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.building.schedule import Pending, compile_pending
from vendorctl.kernels.caching.cache import ObjectCache
from vendorctl.kernels.compiler.compile import Compiled, Failed, Outcome
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.executor.work import Executor
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.isadiff import Decoder, IsaDifference, Verdict, compare
from vendorctl.kernels.sources.inputs import PatchedTree
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.progress import Progress, Silent

SCHEMA = "vendorctl/object-drift/1"
_LINES_PER_OPERATION = 40


@dataclass(slots=True)
class _State:
    """All objects of one state of the sources, by unit folder and instance."""

    outcomes: dict[tuple[str, Instance], Outcome] = field(default_factory=dict)
    units: dict[str, Unit] = field(default_factory=dict)


def pristine_of(project: Project, folders: Mapping[str, Path]) -> Project:
    """The same project built from pristine trees: upstream name to the folder of its pristine files."""
    trees = {
        name: PatchedTree(name=name, root=folders.get(name, tree.root), pristine=tree.pristine, patches=())
        for name, tree in project.trees.items()
    }
    return replace(project, trees=trees)


def object_drift(
    old: Project,
    new: Project,
    tools: Toolchain,
    cache: ObjectCache,
    executor: Executor,
    options: BuildOptions,
    decode: Decoder,
    *,
    progress: Progress | None = None,
) -> Report:
    """Compile both projects (with the cache) and report per instance what changed. Writes nothing to the workspace."""
    before = _compile(old, tools, cache, executor, options, progress or Silent())
    after = _compile(new, tools, cache, executor, options, progress or Silent())
    totals: Counter[str] = Counter()
    rows: list[Json] = []
    findings: list[Finding] = []
    examples: dict[str, list[str]] = {}
    for key in sorted({*before.outcomes, *after.outcomes}, key=lambda key: (key[0], key[1].name)):
        unit = after.units.get(key[0]) or before.units[key[0]]
        one, two = before.outcomes.get(key), after.outcomes.get(key)
        if isinstance(one, Compiled) and isinstance(two, Compiled):
            difference = compare(one.code, two.code, unit.target.name, decode)
            word = str(difference.verdict)
            if difference.verdict not in (Verdict.SAME, Verdict.METADATA):
                _keep_example(examples, unit, key[1], difference)
        else:
            difference, word = None, _one_sided(one, two)
            if isinstance(two, Failed):
                findings.append(_failed(unit, two))
        totals[word] += 1
        rows.append(_row(unit, key[1], word, difference))
    lines = [line for name in examples for line in examples[name]]
    return Report(
        schema=SCHEMA,
        title="objects",
        lines=tuple(lines),
        findings=tuple(findings),
        counts={"instances": len(rows)} | dict(sorted(totals.items())),
        data={"instances": rows, "differences": {name: list(text) for name, text in examples.items()}},
    )


def _one_sided(one: Outcome | None, two: Outcome | None) -> str:
    if isinstance(two, Compiled):
        return "new" if one is None else "compiles only now"
    if isinstance(one, Compiled):
        return "gone" if two is None else "no longer compiles"
    return "compiles in neither"


def _row(unit: Unit, instance: Instance, word: str, difference: IsaDifference | None) -> Json:
    row: dict[str, Json] = {
        "operation": unit.table.operation,
        "target": unit.target.name,
        "instance": instance.name,
        "verdict": word,
    }
    if difference is not None and difference.lines:
        row |= {"removed": difference.removed, "added": difference.added}
    return row


def _keep_example(examples: dict[str, list[str]], unit: Unit, instance: Instance, difference: IsaDifference) -> None:
    """One readable difference per operation; the others are counted."""
    if unit.table.operation in examples:
        return
    head = (
        f"{unit.table.operation} {instance.name} for {unit.target.name}: {difference.verdict} changed, "
        f"{difference.removed} instructions out, {difference.added} in"
    )
    shown = [f"    {line}" for line in difference.lines[:_LINES_PER_OPERATION]]
    more = len(difference.lines) - len(shown)
    examples[unit.table.operation] = [head, *shown, *([f"    … {more} more lines"] if more > 0 else [])]


def _failed(unit: Unit, outcome: Failed) -> Finding:
    return Finding(
        rule=outcome.rule,
        severity=Severity.WARNING,
        upstream=unit.table.upstream,
        location=Location(unit.sources.recipe),
        message=f"{unit.table.operation} {outcome.instance.name} for {unit.target.name}: {outcome.reason}",
    )


def _compile(
    project: Project,
    tools: Toolchain,
    cache: ObjectCache,
    executor: Executor,
    options: BuildOptions,
    progress: Progress,
) -> _State:
    state = _State()
    pending = []
    keys: dict[tuple[str, Instance], str] = {}
    units = make_plan(project, tools, operations=options.operations, targets=options.targets, jobs=options.jobs)
    for unit in units:
        state.units[unit.folder] = unit
        missing = []
        for planned in unit.rows:
            instance = planned.row.instance
            keys[unit.folder, instance] = planned.input
            found = cache.get(planned.input, instance, unit.target)
            if found is None:
                missing.append(instance)
            else:
                state.outcomes[unit.folder, instance] = found
        pending.append(Pending(unit=unit, rows=tuple(missing)))

    def accept(unit: Unit, outcome: Outcome) -> None:
        state.outcomes[unit.folder, outcome.instance] = outcome
        cache.learn(keys[unit.folder, outcome.instance], outcome)

    compile_pending(pending, tools, executor, accept, limits=options.limits, progress=progress)
    return state
