# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl objects push`: what was built, and only that, goes to a remote; pointers say where it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.kernels.object import manifest
from vendorctl.kernels.objectstore import pointer
from vendorctl.kernels.objectstore.dvc import Repository
from vendorctl.kernels.objectstore.pointer import Stored
from vendorctl.kernels.objectstore.unit import FileState, Unit, damaged, read_units
from vendorctl.model import Finding, Json, Report
from vendorctl.workspace.transaction import Transaction

SCHEMA = "vendorctl/objects-push/1"


def push(
    root: Path,
    open_repository: Callable[[], Repository],
    begin: Callable[[], Transaction],
    *,
    operations: Sequence[str] = (),
    targets: Sequence[str] = (),
    remote: str | None = None,
) -> Report:
    """Send the objects of the chosen units to a remote, and write their pointers.

    Nothing is sent unless every object of them is there and is what its manifest records. Pointers are written after
    the remote, asked whether it has them all, said so: until then they are as they were, also when this process is
    killed. Raises VendorError (exit code 4) when the remote cannot be reached.
    """
    # A target for which every row is excluded has a manifest, and nothing to keep.
    units = [unit for unit in read_units(root, operations, targets) if unit.files]
    findings = [finding for unit in units for finding in _unfit(unit)]
    counts = {"objects": sum(len(unit.files) for unit in units)}
    if findings:
        nothing: dict[str, Json] = {"remote": None, "dvc": None, "pointers": []}
        return Report(schema=SCHEMA, title="objects push", findings=tuple(findings), counts=counts, data=nothing)
    repository = open_repository()
    settings = repository.settings()
    chosen = settings.remote(remote)
    settings.cache.add(_contents(root, units))
    pointers = {unit.pointer_path: pointer.dump(unit.manifest, unit.stored) for unit in units}
    written = _changed(root, pointers)
    # Also what a push that was killed left behind goes away.
    tidy: dict[str, bytes | None] = {pointer.sending_path(unit.manifest): None for unit in units}
    if not written and not repository.absent({unit.pointer_path: unit.stored for unit in units}, chosen):
        absent: frozenset[Stored] = frozenset()
    else:
        _change(root, begin, {pointer.sending_path(u.manifest): pointer.dump_sending(u.stored) for u in units})
        try:
            absent = _send(repository, chosen, units)
        except BaseException:
            _change(root, begin, tidy)
            raise
    _change(root, begin, tidy if absent else tidy | written)
    findings = [finding for unit in units for finding in _not_arrived(unit, absent, chosen)]
    notes = [f"DVC {repository.program.version}, remote {chosen}"]
    if written and not absent:
        notes.append(f"commit the pointers: git add '{manifest.FOLDER}/*/*/{pointer.FILE_NAME}'")
    return Report(
        schema=SCHEMA,
        title="objects push",
        findings=tuple(findings),
        counts=counts | {"pointers": len(pointers), "written": 0 if absent else len(written)},
        notes=tuple(notes),
        data={"remote": chosen, "dvc": repository.program.version, "pointers": [] if absent else sorted(written)},
    )


def _unfit(unit: Unit) -> Iterator[Finding]:
    hint = unit.restore_command
    missing = unit.named(FileState.MISSING)
    if missing:
        message = f"{len(missing)} of {len(unit.files)} objects are not there, so that they cannot be pushed"
        yield Finding(rule="VC510", location=Location(unit.manifest.folder), message=message, hint=hint)
    yield from damaged(unit, hint=hint)


def _contents(root: Path, units: Iterable[Unit]) -> Iterator[tuple[Stored, bytes]]:
    """The bytes of every object, proven once more: a file may have changed since it was looked at."""
    for unit in units:
        for record in unit.manifest.objects:
            data = (root / unit.path(record.file)).read_bytes()
            if digest.sha256(data) != record.sha256:
                raise VendorError("the object changed while it was pushed", location=Location(unit.path(record.file)),
                                  hint="run the command again", code=ExitCode.FINDINGS)  # fmt: skip
            yield unit.stored[record.file], data


def _changed(root: Path, wanted: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those files that are not there with these very bytes."""
    files = {path: root / path for path in wanted}
    return {
        path: content
        for path, content in wanted.items()
        if not files[path].is_file() or files[path].read_bytes() != content
    }


def _change(root: Path, begin: Callable[[], Transaction], wanted: Mapping[str, bytes | None]) -> None:
    """Write files, and remove those whose content is None, together."""
    with begin() as tx:
        for path, content in wanted.items():
            if content is not None:
                tx.write(path, content)
            elif (root / path).is_symlink() or (root / path).exists():
                tx.delete(path)
        if not tx.empty:
            tx.commit()


def _send(repository: Repository, remote: str, units: Sequence[Unit]) -> frozenset[Stored]:
    """Push, then ask the remote; return the objects that it still lacks."""
    sending = {pointer.sending_path(unit.manifest): pointer.sending_outs(unit.stored) for unit in units}
    done = repository.push(list(sending), remote)
    try:
        absent = repository.absent(sending, remote)
    except VendorError as error:
        raise VendorError(
            f"the remote {remote} could not be written: {error.message if done.ok else done.text}",
            hint="check its URL and your credentials: `dvc remote list`",
            code=ExitCode.UNREACHABLE,
        ) from error
    if absent and not done.ok:
        raise VendorError(
            f"the remote {remote} took not all objects: {done.text}",
            hint="check your credentials and its space, then run the command again",
            code=ExitCode.UNREACHABLE,
        )
    return absent


def _not_arrived(unit: Unit, absent: frozenset[Stored], remote: str) -> Iterator[Finding]:
    lacking = sorted(file for file, stored in unit.stored.items() if stored in absent)
    if lacking:
        yield Finding(
            rule="VC540",
            location=Location(unit.manifest.folder),
            message=f"the remote {remote} still lacks {len(lacking)} of {len(unit.files)} objects",
            detail="\n".join(lacking[:10]),
            hint="run the command again; the pointers were left as they were",
        )
