# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""From the changes that were asked for to the steps that are needed, or to the reasons why they must not be taken.

Looks at the disk, changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry
from vendorctl.paths import display
from vendorctl.workspace.folders import Blocked, Folders, Found, Odd, Signature, folders_of
from vendorctl.workspace.journal import Step


class _Unchecked(Enum):
    UNCHECKED = "unchecked"


#: The default of `expect`: whatever stands at the target may be replaced.
UNCHECKED: Final = _Unchecked.UNCHECKED

#: What must stand at a target for a commit to go ahead: a content, a content with a mode, nothing (None), anything.
Expected: TypeAlias = "Oid | Entry | None | Literal[_Unchecked.UNCHECKED]"

#: A file that changed this recently may change again without a new time stamp, which the kernel only moves every few
#: milliseconds. In nanoseconds, with ample margin.
_FRESH = 100_000_000


@dataclass(frozen=True, slots=True)
class Change:
    """What a caller wants at one path: `new` (None: nothing), staged under the name `staged`, if `expect` holds."""

    new: Entry | None
    staged: str
    expect: Expected


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps that are needed, removals first, and a signature of every target as it was compared."""

    steps: tuple[Step, ...]
    seen: Mapping[bytes, Signature]


def make_plan(folders: Folders, changes: Mapping[bytes, Change]) -> Plan:
    """Compare every target with what is wanted and expected. Paths that are as wanted need no step.

    Raises VendorError (exit code 1) that names the first target that is not as expected or not to be had, and how many
    more there are; ValueError when the changes contradict each other.
    """
    written = {path for path, change in changes.items() if change.new is not None}
    for folder in sorted(written & folders_of(written)):
        raise ValueError(f"{display(folder)} would be both a file and a folder")
    steps: list[Step] = []
    seen: dict[bytes, Signature] = {}
    problems: list[tuple[bytes, str]] = []
    survey = _Survey(folders)
    for path, change in sorted(changes.items()):
        found, signature, problem = None, None, None
        try:
            found, signature = survey.examine(path)
            problem = _obstacle(folders, path, found, changes)
        except Blocked as blocked:
            problem = _blockade(blocked.path, change, changes)
        problem = problem or _surprise(change.expect, found)
        if problem:
            problems.append((path, problem))
        elif found != change.new:
            before = found if isinstance(found, Entry) else None
            steps.append(Step(path, before, change.new, change.staged))
            if before is not None and signature is not None and not _is_fresh(signature):
                seen[path] = signature
    if problems:
        raise _refusal(problems)
    return Plan(tuple(sorted(steps, key=lambda step: (step.new is not None, step.path))), seen)


def recheck(folders: Folders, plan: Plan) -> None:
    """Raise VendorError (exit code 1) when a target changed since the plan was made."""
    problems: list[tuple[bytes, str]] = []
    survey = _Survey(folders)
    for step in plan.steps:
        if step.path in plan.seen and folders.signature(step.path) == plan.seen[step.path]:
            continue
        found = survey.look(step.path)
        if found != step.before and found is not Odd.FOLDER:
            problems.append((step.path, "changed while the command was at work"))
    if problems:
        raise _refusal(problems)


class _Survey:
    """Looks at paths in their order. An absent folder is looked for once for all its files.

    What somebody makes in it between the look for the folder and the one that its file would have had is met by the
    swap, which looks at every path right before it puts something there.
    """

    def __init__(self, folders: Folders) -> None:
        self._folders = folders
        self._absent: bytes | None = None

    def examine(self, path: bytes) -> tuple[Found, Signature | None]:
        """`Folders.examine`."""
        folder = path.rpartition(b"/")[0]
        if folder == self._absent:
            return None, None
        self._absent = folder if self._folders.open(folder) is None else None
        return (None, None) if self._absent is not None else self._folders.examine(path)

    def look(self, path: bytes) -> Found:
        """`Folders.look`."""
        try:
            return self.examine(path)[0]
        except Blocked:
            return None


def _obstacle(folders: Folders, path: bytes, found: Found, changes: Mapping[bytes, Change]) -> str | None:
    """Why nothing can be put at, or taken from, a path."""
    new = changes[path].new
    if found is Odd.SPECIAL:
        return f"is {found.value}"
    if found is Odd.FOLDER:
        if new is None:
            return "is a folder, not a file"
        for below, is_folder in folders.walk(path):
            if not is_folder and (below not in changes or changes[below].new is not None):
                return f"is a folder that holds a file vendorctl did not put there: {display(below)}"
    return None


def _blockade(blocked: bytes, change: Change, changes: Mapping[bytes, Change]) -> str | None:
    """Why a path cannot be written below `blocked`, which is no folder; None when the same changes remove that."""
    above = changes.get(blocked)
    if change.new is None or (above is not None and above.new is None):
        return None
    return f"cannot be written: {display(blocked)} is a file or a link, not a folder"


def _surprise(expect: Expected, found: Found) -> str | None:
    """How what stands at a path differs from what was expected there."""
    if expect is UNCHECKED or found is Odd.FOLDER:
        return None
    if found is None:
        return None if expect is None else "was removed meanwhile"
    if expect is None:
        return "exists, and vendorctl did not put it there"
    same = found == expect if isinstance(expect, Entry) else isinstance(found, Entry) and found.oid == expect
    return None if same else "was edited meanwhile"


def _is_fresh(signature: Signature) -> bool:
    return time.time_ns() - max(signature[3], signature[4]) < _FRESH


def _refusal(problems: list[tuple[bytes, str]]) -> VendorError:
    path, problem = problems[0]
    more = f" ({len(problems) - 1} more like it)" if len(problems) > 1 else ""
    return VendorError(
        f"{display(path)} {problem}{more}; nothing was changed",
        hint="keep your edit with `vendorctl patch record`, or move it away, then run the command again",
        location=Location(display(path)),
        code=ExitCode.FINDINGS,
    )
