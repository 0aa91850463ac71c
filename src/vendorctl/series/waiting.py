# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A rework that stopped at a conflict: what it leaves below ``.vendorctl/rework/<name>/``, laid out as of a bump.

    SUMMARY.txt     what happened and what to do, in one paragraph
    files/          each file in conflict, to be edited: no markers may remain; deleting it deletes the path
    base/ ours/ theirs/   the three sides as they are (before the patch, the series as it becomes, with the patch)
    state.json      what going on needs

Nothing else in the workspace changes; see `vendorctl.series.conflict` for why going on needs no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vendorctl.digest import parse_json, pretty_json
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Json
from vendorctl.paths import display_text
from vendorctl.series.author import StuckError, explain_rework_conflict
from vendorctl.series.bump import Stuck
from vendorctl.series.conflict import read_files, series_digests, stage_removal, stage_sides
from vendorctl.series.operation import Operation, OperationKind
from vendorctl.series.resolutions import Resolution, conflict_key, stage_forget
from vendorctl.series.stack import Series
from vendorctl.workspace.root import rework_dir
from vendorctl.workspace.transaction import Transaction

_SCHEMA = "vendorctl/rework/1"
_STATE = "state.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A stopped rework, as its state file has it.

    `series` is each patch file's SHA-256 when it began, `skip` the numbers of patches to leave out, `decided` the keys
    of decisions recorded since, `conflicts` path and key of each open conflict of `patch`.
    """

    upstream: str
    operation: Operation
    patch: str
    number: int
    series: Mapping[str, str]
    skip: frozenset[int] = frozenset()
    decided: tuple[str, ...] = ()
    conflicts: Mapping[bytes, str]

    def check_series(self, series: Series) -> None:
        """Raise VendorError (exit code 5) when patches changed since: the decisions may not fit any more."""
        if series_digests(series) != dict(self.series):
            raise VendorError(
                f"the series of {self.upstream!r} changed since `patch {self.operation.words}` stopped",
                hint=f"run `vendorctl patch resume {self.upstream} --abort`, then begin again",
                code=ExitCode.CONFLICT,
            )


def load_waiting(root: Path, name: str) -> Waiting | None:
    """The stopped rework of an upstream, or None. Raises VendorError when its state cannot be read."""
    try:
        raw = (root / rework_dir(name) / _STATE).read_bytes()
    except FileNotFoundError:
        return None
    try:
        return _parse(name, parse_json(raw))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise VendorError(
            f"{rework_dir(name)}/{_STATE} cannot be read: {error}",
            hint=f"run `vendorctl patch resume {name} --abort`; nothing else in the workspace was changed",
        ) from error


def is_unreadable(root: Path, name: str) -> bool:
    """Whether a rework left a state that cannot be read, so that giving it up is all that is left."""
    try:
        load_waiting(root, name)
    except VendorError:
        return True
    return False


def require_waiting(root: Path, name: str) -> Waiting:
    """The stopped rework of an upstream. Raises VendorError (exit code 2) when there is none."""
    waiting = load_waiting(root, name)
    if waiting is None:
        raise VendorError(f"no rework of {name!r} waits for a decision", code=ExitCode.USAGE)
    return waiting


def refuse_waiting(root: Path, name: str) -> None:
    """Raise VendorError (exit code 5) when a rework of the upstream waits: another would replace what was edited."""
    waiting = load_waiting(root, name)
    if waiting is not None:
        raise VendorError(
            f"`patch {waiting.operation.words}` of {name!r} waits for a decision about {waiting.patch}",
            hint=f"edit {rework_dir(name)}/files, then `vendorctl patch resume {name} --continue`; "
            "or `--skip`, `--abort`",
            code=ExitCode.CONFLICT,
        )


def stage_waiting(tx: Transaction, waiting: Waiting, error: StuckError) -> str:
    """Write the folder of a conflict, in place of an earlier one, and return its summary."""
    folder, stuck = rework_dir(waiting.upstream), error.stuck
    stage_end(tx, waiting.upstream)
    stage_sides(tx, folder, stuck.conflicts, error.blobs)
    summary = _summary(waiting, stuck)
    tx.write(f"{folder}/SUMMARY.txt", f"{summary}\n".encode())
    state = replace(waiting, conflicts={conflict.path: conflict_key(conflict) for conflict in stuck.conflicts})
    tx.write(f"{folder}/{_STATE}", pretty_json(_dump(state)))
    return summary


def stage_end(tx: Transaction, name: str) -> None:
    """Remove the folder."""
    stage_removal(tx, tx.root, rework_dir(name))


def stage_forgotten(tx: Transaction, waiting: Waiting) -> None:
    """Forget what was decided since the rework began."""
    for key in waiting.decided:
        stage_forget(tx, key)


def read_decided(root: Path, waiting: Waiting, stuck: Stuck) -> dict[str, Resolution]:
    """What people made of the files in conflict, by conflict key. `stuck` is the same conflict, planned again.

    Raises VendorError (exit code 5) naming every file in which markers remain, and when it is another conflict.
    """
    name = waiting.upstream
    if {conflict.path: conflict_key(conflict) for conflict in stuck.conflicts} != dict(waiting.conflicts):
        raise VendorError(
            f"the conflict of {name!r} is not the one that was shown: the edits or the series changed",
            hint=f"run `vendorctl patch resume {name} --abort`, then begin again",
            code=ExitCode.CONFLICT,
        )
    found, open_files = read_files(root / rework_dir(name) / "files", stuck.conflicts)
    if open_files:
        raise VendorError(
            f"conflict markers remain in {', '.join(open_files)}",
            hint=f"edit {rework_dir(name)}/files, then run `vendorctl patch resume {name} --continue`",
            code=ExitCode.CONFLICT,
        )
    return found


def _summary(waiting: Waiting, stuck: Stuck) -> str:
    name, folder = waiting.upstream, rework_dir(waiting.upstream)
    causes = "; ".join(explain_rework_conflict(conflict) for conflict in stuck.conflicts)
    return (
        f"Patch {stuck.patch.file_name} ({display_text(stuck.patch.title)}) of {name} does not fit any more with "
        f"`patch {waiting.operation.words}`: {causes}. Nothing in the workspace has changed. Edit the files in "
        f"{folder}/files until no markers remain, then run `vendorctl patch resume {name} --continue`; `--skip` leaves "
        "this patch out of the series, `--abort` gives the rework up."
    )


def _dump(waiting: Waiting) -> Json:
    return {
        "schema": _SCHEMA,
        "upstream": waiting.upstream,
        "operation": waiting.operation.kind.value,
        "operand": waiting.operation.number,
        "to": waiting.operation.to,
        "patch": waiting.patch,
        "number": waiting.number,
        "series": dict(waiting.series),
        "skip": [*sorted(waiting.skip)],
        "decided": list(waiting.decided),
        "conflicts": {path.hex(): key for path, key in waiting.conflicts.items()},
    }


def _parse(name: str, state: dict[str, Any]) -> Waiting:
    if state["schema"] != _SCHEMA or state["upstream"] != name:
        raise ValueError(f"it is {state['schema']!r} of {state['upstream']!r}")
    numbers = [None if state[key] is None else int(state[key]) for key in ("operand", "to")]
    operation = Operation(kind=OperationKind(state["operation"]), number=numbers[0], to=numbers[1])
    if operation.kind is not OperationKind.REFRESH and operation.number is None:
        raise ValueError("it does not say which patch")
    if operation.kind is OperationKind.MOVE and operation.to is None:
        raise ValueError("it does not say where to")
    return Waiting(
        upstream=name,
        operation=operation,
        patch=str(state["patch"]),
        number=int(state["number"]),
        series={str(file): str(digest) for file, digest in state["series"].items()},
        skip=frozenset(int(number) for number in state["skip"]),
        decided=tuple(str(key) for key in state["decided"]),
        conflicts={bytes.fromhex(path): str(key) for path, key in state["conflicts"].items()},
    )
