# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl objects status`: what is recorded, what is here, what the pointers are worth, what a remote has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from vendorctl.errors import Location
from vendorctl.kernels.object import manifest
from vendorctl.kernels.objectstore import pointer
from vendorctl.kernels.objectstore.dvc import Repository
from vendorctl.kernels.objectstore.pointer import PointerState, Stored
from vendorctl.kernels.objectstore.unit import FileState, Unit, damaged, read_units
from vendorctl.model import Finding, Json, Report, Severity

SCHEMA = "vendorctl/objects-status/1"
_POINTERS = {
    PointerState.NONE: "objects have no pointer that says where DVC keeps them",
    PointerState.OTHER: "objects have a pointer of another build",
    PointerState.INVALID: "objects have a pointer that cannot be read",
}


def status(
    root: Path,
    *,
    operations: Sequence[str] = (),
    targets: Sequence[str] = (),
    remote: tuple[Repository, str] | None = None,
    require: bool = False,
) -> Report:
    """The state of every unit. `remote`, a DVC repository and the name of one of its remotes, is asked what it has.

    What is missing, or not kept anywhere, is a warning, or an error under `require`; damaged and foreign files always
    are errors.
    """
    units = read_units(root, operations, targets)
    absent: frozenset[Stored] | None = None
    if remote is not None:
        repository, name = remote
        pointers = {unit.pointer_path: unit.pointer.outs for unit in units if unit.pointer is not None}
        absent = repository.absent(pointers, name) if pointers else frozenset()
    rows = [_row(unit, absent) for unit in units]
    severity = Severity.ERROR if require else Severity.WARNING
    names = dict.fromkeys(unit.manifest.operation for unit in units)
    groups = [[unit for unit in units if unit.manifest.operation == name] for name in names]
    findings = [finding for group in groups for finding in _findings(group, absent, severity)]
    return Report(
        schema=SCHEMA,
        title="objects status",
        lines=tuple(_table(rows)),
        findings=tuple(findings),
        counts={name: sum(int(str(row[name])) for row in rows) for name in _NUMBERS} | _remote_count(rows),
        data={"units": rows, "remote": remote[1] if remote else None},
    )


_NUMBERS = ("recorded", "present", "missing", "damaged", "extra")


def _remote_count(rows: Sequence[dict[str, Json]]) -> dict[str, int]:
    asked = [int(str(row["in_remote"])) for row in rows if row["in_remote"] is not None]
    return {"in remote": sum(asked)} if asked else {}


def _row(unit: Unit, absent: frozenset[Stored] | None) -> dict[str, Json]:
    return {
        "operation": unit.manifest.operation,
        "target": unit.manifest.target,
        "recorded": len(unit.files),
        **{state.value: len(unit.named(state)) for state in FileState},
        "extra": len(unit.extra),
        "pointer": unit.pointer_state.value,
        "in_remote": None if absent is None else len(unit.files) - len(_not_kept(unit, absent)),
    }


def _not_kept(unit: Unit, absent: frozenset[Stored]) -> list[str]:
    """Recorded files that a remote does not have: it lacks them, or the pointer does not speak of them."""
    if unit.pointer is None or unit.pointer_state is not PointerState.MATCHES:
        return sorted(unit.files)
    return sorted(file for file in unit.files if unit.pointer.outs[file] in absent)


def _findings(units: Sequence[Unit], absent: frozenset[Stored] | None, severity: Severity) -> Iterator[Finding]:
    """What is wrong with the units of one operation: one finding where the same holds for several targets."""
    operation = units[0].manifest.operation
    kept = [unit for unit in units if unit.pointer_state is PointerState.MATCHES]
    lost = [unit for unit in units if unit.pointer_state is not PointerState.MATCHES]
    pull, build = f"vendorctl objects pull {operation}", f"vendorctl build --op {operation}"
    for group, hint in ((kept, pull), (lost, build)):
        missing = {unit: unit.named(FileState.MISSING) for unit in group}
        yield from _together("VC510", severity, missing, "objects are not there", hint)
        for unit in group:
            yield from damaged(unit, hint=hint)
    for unit in units:
        for name in unit.extra:
            message, again = pointer.stray(name)
            yield Finding(rule="VC513", location=Location(unit.path(name)), message=message, hint=again or "delete it")
    push = f"where the objects are: vendorctl objects push {operation}"
    for state, message in _POINTERS.items():
        unkept = {unit: sorted(unit.files) for unit in lost if unit.pointer_state is state}
        yield from _together("VC540", severity, unkept, message, push)
    if absent is not None:
        lacking = {unit: _not_kept(unit, absent) for unit in kept}
        yield from _together("VC540", severity, lacking, "objects are not in the remote", push)


def _together(
    rule: str, severity: Severity, concerned: dict[Unit, list[str]], what: str, hint: str
) -> Iterator[Finding]:
    """One finding for those units of an operation that have concerned files."""
    members = [unit for unit, files in concerned.items() if files]
    if not members:
        return
    found = members[0].manifest
    count = sum(len(concerned[unit]) for unit in members)
    total = sum(len(unit.files) for unit in members)
    place = found.folder if len(members) == 1 else f"{manifest.FOLDER}/{found.operation}"
    names = ", ".join(unit.manifest.target for unit in members)
    message = f"{names}: {count} of {total} {what}"
    yield Finding(rule=rule, severity=severity, location=Location(place), message=message, hint=hint)


def _table(rows: Iterable[dict[str, Json]]) -> Iterator[str]:
    yield f"{'operation':20} {'target':14} " + " ".join(f"{name:>8}" for name in _NUMBERS) + "  pointer  in remote"
    for row in rows:
        numbers = " ".join(f"{int(str(row[name])):8,}" for name in _NUMBERS)
        kept = "-" if row["in_remote"] is None else f"{int(str(row['in_remote'])):,}"
        yield f"{row['operation']:20} {row['target']:14} {numbers}  {row['pointer']:8} {kept:>9}"
