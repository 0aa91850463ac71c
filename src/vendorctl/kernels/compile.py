# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One unit of compile work: rows of one recipe for one target, in one child, restarted after every failure.

Tasks and results are plain values, so that they can be pickled and sent to another machine; what a child answers is
checked here, on the side that asked.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels import elf, launch, toolchain
from vendorctl.kernels.child import MAX_LOG, Answered, Child, Died, Limits
from vendorctl.kernels.closure import SourceFile
from vendorctl.kernels.instance import Instance
from vendorctl.kernels.launch import LaunchPlan
from vendorctl.kernels.table import Table, parse_table
from vendorctl.kernels.target import Target
from vendorctl.kernels.toolchain import Toolchain

#: A complaint in what the child printed. The back end reports some fatal problems (too much LDS, a missing library
#: function) only as text, and still returns an object.
_ERROR_LINE = re.compile(r"^(?:.*?:\s*)?error:\s*(.+)$", re.MULTILINE)
_LOG_TAIL = 8000
_REASON = 300

#: An attention kernel takes about a second and 0.6 GB on one core; the rest is for slow machines.
COMPILE_LIMITS = Limits()
TABLE_LIMITS = Limits(seconds=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Everything that a compile of one recipe reads: files of the patched tree and of the recipe folder, by content."""

    recipe: str
    recipe_files: tuple[SourceFile, ...]
    tree_files: tuple[SourceFile, ...] = ()
    import_root: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileTask:
    """Rows of one recipe to compile for one target, all inputs by content."""

    operation: str
    target: Target
    sources: Sources
    rows: tuple[Instance, ...]
    tools: Toolchain
    limits: Limits = COMPILE_LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """An object that came out right: its bytes, stamped for the target, and its launch plan."""

    instance: Instance
    code: bytes
    plan: LaunchPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A row that gave no usable object. `rule` is the finding to raise; `log` is the tail of what the compiler said."""

    instance: Instance
    rule: str
    reason: str
    log: str = field(repr=False, default="")


Outcome: TypeAlias = "Compiled | Failed"


def compile_rows(task: CompileTask, notify: Callable[[Outcome], bool] = lambda _: True) -> tuple[Outcome, ...]:
    """Compile the rows of the task, in order. `notify` hears of each outcome; False from it ends the work."""
    outcomes: list[Outcome] = []
    with tempfile.TemporaryDirectory(prefix="vendorctl-build-") as name:
        folder = Path(name)
        while len(outcomes) < len(task.rows):
            for outcome in _until_failure(task, folder, task.rows[len(outcomes) :]):
                outcomes.append(outcome)
                if not notify(outcome):
                    return tuple(outcomes)
    return tuple(outcomes)


def _until_failure(task: CompileTask, folder: Path, rows: Iterable[Instance]) -> Iterable[Outcome]:
    """Compile rows in one fresh child until one fails: a child that failed is in an unknown state."""
    environment = _environment(folder, task.tools, task.target.chip)
    setup = _setup(folder, task.sources) | {"target": task.target.name}
    python = task.tools.python
    with Child(python=python, folder=folder, env=environment, setup=setup, limits=task.limits) as child:
        for row in rows:
            outcome = _compile(child, task, row)
            yield outcome
            if isinstance(outcome, Failed):
                return


def _compile(child: Child, task: CompileTask, row: Instance) -> Outcome:
    start = child.log_size()
    answer = child.ask({"do": "compile", "row": [list(pair) for pair in row.values]})
    log = child.log_since(start)

    def failed(rule: str, reason: str, trace: str = "") -> Failed:
        first = (reason.strip().splitlines() or ["no reason given"])[0][:_REASON]
        return Failed(instance=row, rule=rule, reason=first, log=f"{trace}{log[-_LOG_TAIL:]}")

    if isinstance(answer, Died):
        return failed("VC502", answer.reason)
    if answer.reply.get("writes"):
        return failed("VC506", f"the recipe tried to write outside its folder: {answer.reply['writes']}")
    if "ok" not in answer.reply:
        reason = str(answer.reply.get("error", ""))
        hint = f" (the limit is {task.limits.memory >> 20:,} MiB)" if reason.startswith("MemoryError") else ""
        return failed("VC501", f"{reason}{hint}", f"{reason}\n{answer.reply.get('trace', '')}")
    complaint = _ERROR_LINE.search(log)
    if complaint is not None:
        return failed("VC503", complaint[1])
    if child.log_size() - start > MAX_LOG:
        return failed("VC503", f"more than {MAX_LOG >> 20} MiB of messages, which nobody can check for errors")
    try:
        return _checked(answer.reply["ok"], task.target, row, task.tools.flydsl)
    except VendorError as error:
        return failed("VC504", error.message)


def _checked(reply: Any, target: Target, row: Instance, flydsl: str) -> Compiled:
    """Turn a child's claim into a result. Raises VendorError when it is not a sound object for `target`."""
    try:
        code = base64.b64decode(reply["code"], validate=True)
        plan, version = reply["plan"], reply["flydsl"]
    except (KeyError, TypeError, binascii.Error) as error:
        raise VendorError("the compiler process sent no object") from error
    if version != flydsl:
        # Another copy on the import path than the one whose metadata was read: digests would name the wrong compiler.
        raise VendorError(f"the child compiled with flydsl {version}, where {flydsl} is installed")
    parsed = elf.parse(code)
    faults = elf.stamp_faults(parsed, target)
    if faults:
        raise VendorError("; ".join(faults))
    return Compiled(instance=row, code=code, plan=launch.complete(plan, parsed))


def enumerate_rows(sources: Sources, targets: Iterable[str], *, python: Path, limits: Limits = TABLE_LIMITS) -> Table:
    """Ask a confined child for the recipe's instance table. Needs no flydsl.

    Raises VendorError (exit code 6) when the recipe fails, hangs, or describes no table.
    """
    names = list(targets)
    with tempfile.TemporaryDirectory(prefix="vendorctl-table-") as name:
        folder = Path(name)
        environment = {**toolchain.FIXED_ENVIRONMENT, "PATH": os.defpath}
        setup = _setup(folder, sources) | {"target": ""}
        with Child(python=python, folder=folder, env=environment, setup=setup, limits=limits) as child:
            answer = child.ask({"do": "enumerate", "targets": names})
    if isinstance(answer, Answered) and "ok" in answer.reply:
        return parse_table(answer.reply["ok"], sources.recipe, names)
    reason = answer.reason if isinstance(answer, Died) else str(answer.reply.get("error", "no reason given"))
    raise VendorError(f"{sources.recipe}: {reason}", code=ExitCode.BUILD_FAILED)


def _environment(folder: Path, tools: Toolchain, chip: str) -> dict[str, str]:
    return toolchain.child_environment(chip=chip, rocm=toolchain.rocm_folder(folder, tools.linker))


def _setup(folder: Path, sources: Sources) -> dict[str, Any]:
    """Write the sources below `folder`, and tell the child where they are."""
    trees: Mapping[str, tuple[SourceFile, ...]] = {"tree": sources.tree_files, "recipe": sources.recipe_files}
    for name, files in trees.items():
        (folder / name).mkdir(exist_ok=True)
        for file in files:
            path = folder / name / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
    return {
        "tree": str(folder / "tree" / sources.import_root),
        "helpers": str(folder / "recipe"),
        "recipe": str(folder / "recipe" / PurePosixPath(sources.recipe).name),
    }
