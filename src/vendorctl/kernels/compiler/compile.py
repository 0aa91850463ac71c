# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Compiling: rows of one recipe for one target, in one child, restarted after every failure.

Tasks and results are plain values, so that they can be pickled and sent to another machine; what a child answers is
checked where the child runs, and what another machine sends is checked again where it arrives.
"""

from __future__ import annotations

import base64
import binascii
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, TypeAlias

from vendorctl import digest
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.compiler import likeness, toolchain
from vendorctl.kernels.compiler.child import MAX_LOG, Answered, Child, Died, Limits
from vendorctl.kernels.compiler.table import Table, parse_table
from vendorctl.kernels.compiler.toolchain import Toolchain, ToolIdentity
from vendorctl.kernels.executor.work import Items, Place, Tell
from vendorctl.kernels.object import elf, launch
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.launch import LaunchPlan
from vendorctl.kernels.object.target import Target
from vendorctl.kernels.sources.closure import Sources
from vendorctl.model import Json

#: A complaint in what the child printed. The back end reports some fatal problems (too much LDS, a missing library
#: function) only as text, and still returns an object.
_ERROR_LINE = re.compile(r"^(?:.*?:\s*)?error:\s*(.+)$", re.MULTILINE)
#: The rule for a row that gave different objects.
NOT_REPRODUCIBLE = "VC505"
_LOG_TAIL = 8000
_REASON = 300
#: Failures that a machine short of memory, disk or processes brings about as well as a kernel: worth a second try.
_TRANSIENT = re.compile(
    r"lld invocation failed|died with SIGKILL|Cannot allocate memory|Resource temporarily unavailable|"
    r"No space left on device|Text file busy",
    re.IGNORECASE,
)

#: An attention kernel takes about a second and 0.6 GB on one core; the rest is for slow machines.
COMPILE_LIMITS = Limits()
TABLE_LIMITS = Limits(seconds=30.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileTask:
    """What compiling any row of one recipe for one target takes, all inputs by content.

    `tools` are the tools themselves, or, for another machine, which ones to look for there. With `install`, a flydsl
    that is not there is installed into an environment of its own below the user's cache.
    """

    operation: str
    target: Target
    sources: Sources
    tools: Toolchain | ToolIdentity
    limits: Limits = COMPILE_LIMITS
    install: bool = False

    def for_another_machine(self) -> CompileTask:
        """The same without any path of this one."""
        return replace(self, tools=self.tools.named()) if isinstance(self.tools, Toolchain) else self


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """An object that came out right: its bytes, stamped for the target, and its launch plan.

    `retried` is why a first try failed, when the machine rather than the kernel seems to have been at fault.
    """

    instance: Instance
    code: bytes
    plan: LaunchPlan
    retried: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A row that gave no usable object. `rule` is the finding to raise; `log` is the tail of what the compiler said."""

    instance: Instance
    rule: str
    reason: str
    log: str = field(repr=False, default="")


Outcome: TypeAlias = "Compiled | Failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A `Compiled` on its way: nothing of it is believed before `unseal` has looked at it."""

    instance: Instance
    code: bytes
    sha256: str
    plan: Json
    retried: str = ""


def seal(outcome: Outcome) -> Sealed | Failed:
    """An outcome as it travels."""
    if isinstance(outcome, Failed):
        return outcome
    return Sealed(
        instance=outcome.instance,
        code=outcome.code,
        sha256=digest.sha256(outcome.code),
        plan=outcome.plan.json(),
        retried=outcome.retried,
    )


def unseal(sent: Sealed | Failed, row: Instance, target: Target) -> Outcome:
    """What arrived for `row`, checked: bytes as announced, stamped for `target`, with a launch plan that fits them.

    What is not sound becomes a failure of that row.
    """
    if isinstance(sent, Failed) and sent.instance == row:
        return sent
    if not isinstance(sent, Sealed) or sent.instance != row:
        reason = "what arrived is no answer for this row"
    elif digest.sha256(sent.code) != sent.sha256:
        reason = "its bytes changed on the way"
    else:
        try:
            parsed, plan = elf.parse(sent.code), launch.parse(sent.plan)
            reason = "; ".join(elf.stamp_faults(parsed, target))
            if not reason and launch.complete(plan.json(), parsed) != plan:
                reason = "its launch plan is another object's"
        except VendorError as error:
            reason = error.message
        if not reason:
            return Compiled(instance=row, code=sent.code, plan=plan, retried=sent.retried)
    return Failed(instance=row, rule="VC504", reason=reason)


def compile_items(place: Place, task: CompileTask, items: Items[Instance], tell: Tell[Sealed | Failed]) -> None:
    """Compile rows at some place; see `work.Job`. Raises VendorError when the place has not the task's tools."""
    tools = task.tools
    if not isinstance(tools, Toolchain):
        tools = likeness.matching(tools, install=task.install)
    for index, outcome in compile_each(task, tools, items, scratch=place.folder):
        tell(index, seal(outcome))


def compile_rows(task: CompileTask, rows: Sequence[Instance]) -> tuple[Outcome, ...]:
    """Compile `rows` here, with the tools of `task`, in order."""
    tools = task.tools
    assert isinstance(tools, Toolchain)
    return tuple(outcome for _, outcome in compile_each(task, tools, iter(enumerate(rows))))


def compile_each(
    task: CompileTask, tools: Toolchain, items: Items[Instance], *, scratch: Path | None = None
) -> Iterator[tuple[int, Outcome]]:
    """Compile rows in order, with scratch files below `scratch`; each outcome as soon as it is there.

    A row whose failure looks like the machine's is tried once more.
    """
    with tempfile.TemporaryDirectory(prefix="vendorctl-build-", dir=scratch) as name:
        folder = Path(name)
        failure: tuple[int, Instance, Failed] | None
        while True:
            failure = None
            for index, row, outcome in _until_failure(task, tools, folder, items):
                if isinstance(outcome, Failed):
                    failure = (index, row, outcome)
                else:
                    yield index, outcome
            if failure is None:
                return
            index, row, failed = failure
            yield index, _second_try(task, tools, folder, row, failed)


def _second_try(task: CompileTask, tools: Toolchain, folder: Path, row: Instance, first: Failed) -> Outcome:
    if not _TRANSIENT.search(f"{first.reason}\n{first.log}"):
        return first
    for _, _, second in _until_failure(task, tools, folder, iter([(0, row)])):
        if isinstance(second, Compiled):
            return replace(second, retried=first.reason)
    return first


def _until_failure(
    task: CompileTask, tools: Toolchain, folder: Path, items: Items[Instance]
) -> Iterator[tuple[int, Instance, Outcome]]:
    """Compile rows in one fresh child until one fails: a child that failed is in an unknown state."""
    first = next(items, None)
    if first is None:  # no child for nothing
        return
    environment = _environment(folder, tools, task.target.chip)
    setup = _setup(folder, task.sources) | {"target": task.target.name}
    with Child(python=tools.python, folder=folder, env=environment, setup=setup, limits=task.limits) as child:
        for index, row in chain([first], items):
            outcome = _compile(child, task, tools, row)
            yield index, row, outcome
            if isinstance(outcome, Failed):
                return


def _compile(child: Child, task: CompileTask, tools: Toolchain, row: Instance) -> Outcome:
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
        return _checked(answer.reply["ok"], task.target, row, tools.flydsl)
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
    for name, files in (("tree", sources.tree_files), ("recipe", sources.recipe_files)):
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
