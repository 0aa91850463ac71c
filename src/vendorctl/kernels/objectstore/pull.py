# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl objects pull`: bring back what manifests record. Bytes that are not recorded never land."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.kernels.object.folder import stage_ignore
from vendorctl.kernels.object.manifest import ObjectRecord
from vendorctl.kernels.objectstore.dvc import DvcCache, Repository, Transfer
from vendorctl.kernels.objectstore.pointer import PointerState, Stored
from vendorctl.kernels.objectstore.unit import FileState, Unit, read_units
from vendorctl.model import Finding, Report
from vendorctl.workspace.transaction import Transaction

SCHEMA = "vendorctl/objects-pull/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """An object to restore, with what the pointer says of it."""

    unit: Unit
    record: ObjectRecord
    stored: Stored

    @property
    def path(self) -> str:
        return self.unit.path(self.record.file)

    @property
    def possible(self) -> bool:
        """Whether what the pointer names can be what the manifest records; else nothing is asked for it."""
        return self.stored.size == self.record.size


@dataclass(slots=True)
class _Brought:
    """What came: good bytes by path, and what was refused."""

    good: dict[str, bytes] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def pull(
    root: Path,
    open_repository: Callable[[], Repository],
    begin: Callable[[], Transaction],
    *,
    operations: Sequence[str] = (),
    targets: Sequence[str] = (),
    remote: str | None = None,
) -> Report:
    """Restore objects that are missing or damaged; those that are as recorded are left alone.

    An object whose bytes are not those that its manifest records is a finding, and is not written; sound ones are
    written all the same. What has arrived is kept in DVC's cache, so that an interrupted pull goes on where it stopped.
    Raises VendorError (exit code 4) when the remote cannot be reached and nothing could be restored.
    """
    units = read_units(root, operations, targets)
    findings = [finding for unit in units for finding in _without_pointer(unit)]
    wanted = [each for unit in units for each in _wanted(unit)]
    counts = {"objects": sum(len(unit.files) for unit in units)}
    counts["already here"] = sum(len(unit.named(FileState.PRESENT)) for unit in units)
    notes: list[str] = []
    brought = _Brought()
    if wanted:
        repository = open_repository()
        brought = _bring(repository, wanted, remote, notes)
        _write(root, begin, brought.good)
    findings += brought.findings
    return Report(
        schema=SCHEMA,
        title="objects pull",
        findings=tuple(findings),
        counts=counts | {"restored": len(brought.good), "refused": len(brought.findings)},
        notes=tuple(notes),
        data={"restored": sorted(brought.good)},
    )


def _absent(unit: Unit) -> list[str]:
    return unit.named(FileState.MISSING) + unit.named(FileState.DAMAGED)


def _without_pointer(unit: Unit) -> Iterator[Finding]:
    """Objects that cannot be pulled, because nothing that can be read says where they are."""
    outs = unit.pointer.outs if unit.pointer is not None else {}
    lost = [file for file in _absent(unit) if file not in outs]
    if lost:
        what = {PointerState.NONE: "there is no pointer", PointerState.INVALID: "the pointer cannot be read"}
        why = what.get(unit.pointer_state, "the pointer does not name them")
        yield Finding(
            rule="VC510",
            location=Location(unit.manifest.folder),
            message=f"{len(lost)} of {len(unit.files)} objects cannot be pulled: {why}",
            hint=unit.build_command,
        )


def _wanted(unit: Unit) -> Iterator[_Wanted]:
    absent = set(_absent(unit))
    for record in unit.manifest.objects:
        if record.file in absent and unit.pointer is not None and record.file in unit.pointer.outs:
            yield _Wanted(unit=unit, record=record, stored=unit.pointer.outs[record.file])


def _bring(repository: Repository, wanted: Sequence[_Wanted], remote: str | None, notes: list[str]) -> _Brought:
    """Take everything that is wanted out of DVC's cache, which is filled from the remote where that is needed."""
    settings = repository.settings()
    cache = settings.cache
    for each in wanted:
        cache.drop_damaged(each.stored)  # else DVC takes it for the object, and fetches nothing
    lacking = [each for each in wanted if each.possible and cache.read(each.stored) is None]
    done = Transfer(ok=True, text="")
    damaged: Mapping[str, bool] = {}
    chosen = "DVC's cache"
    if lacking:
        chosen = settings.remote(remote)
        done = repository.fetch(sorted({each.unit.pointer_path for each in lacking}), chosen)
        # All are looked at before any is dropped: two objects may have the same bytes.
        damaged = {md5: cache.drop_damaged(stored) for md5, stored in {e.stored.md5: e.stored for e in lacking}.items()}
        notes.append(f"DVC {repository.program.version}, remote {chosen}")
    brought = _Brought()
    for each in wanted:
        _accept(each, cache, brought, chosen, damaged=damaged.get(each.stored.md5, False), reached=done.ok)
    if not done.ok and not brought.good and not any(damaged.values()):
        raise VendorError(
            f"the remote {chosen} cannot be read: {done.text}",
            hint="check its URL and your credentials: `dvc remote list`",
            code=ExitCode.UNREACHABLE,
        )
    if not done.ok:
        notes.append(f"DVC says: {done.text}")
    return brought


def _accept(each: _Wanted, cache: DvcCache, brought: _Brought, source: str, *, damaged: bool, reached: bool) -> None:
    """Keep the bytes of one object if they are those recorded; else say what is wrong with them."""
    data = cache.read(each.stored) if each.possible else None
    operation = each.unit.manifest.operation
    again = f"remove it there and run `vendorctl objects push {operation}` where the object is, or build it here"
    if data is not None and digest.sha256(data) == each.record.sha256:
        brought.good[each.path] = data
        return
    if data is not None or not each.possible:
        message = "the pointer names other bytes than the manifest records; they were not written"
        hint = f"where the objects are: vendorctl objects push {operation}"
    elif damaged:
        message = f"the remote {source} gave damaged bytes for {each.stored.key}; they were not written"
        hint = again
    elif not reached:
        message = f"{each.stored.key} could not be fetched from the remote {source}"
        hint = "run the command again; what has come is kept"
    else:
        message = f"the remote {source} has no sound copy of {each.stored.key}"
        hint = f"where the objects are: vendorctl objects push {operation}"
    brought.findings.append(Finding(rule="VC541", location=Location(each.path), message=message, hint=hint))


def _write(root: Path, begin: Callable[[], Transaction], good: Mapping[str, bytes]) -> None:
    if not good:
        return
    with begin() as tx:
        for path, data in good.items():
            tx.write(path, data)
        stage_ignore(tx, root)
        tx.commit()
