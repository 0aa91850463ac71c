# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What lies below `objects/`, compared with its manifests: the ground on which status, push and pull stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.kernels.caching.cache import UnusableError, read_bounded
from vendorctl.kernels.object import manifest
from vendorctl.kernels.object.manifest import ObjectManifest, ObjectRecord
from vendorctl.kernels.objectstore import pointer
from vendorctl.kernels.objectstore.pointer import Pointer, PointerState, Stored
from vendorctl.model import Finding


class FileState(StrEnum):
    """What is there of an object that a manifest records."""

    PRESENT = "present"
    MISSING = "missing"
    DAMAGED = "damaged"  # other bytes, or no regular file


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unit:
    """The objects of one operation for one target.

    `files` has the state of every recorded object, `extra` names files that no record names; `stored` is what DVC
    calls the objects that are present. `pointer` is None unless it could be read.
    """

    manifest: ObjectManifest
    files: Mapping[str, FileState]
    extra: tuple[str, ...]
    stored: Mapping[str, Stored]
    pointer: Pointer | None
    pointer_state: PointerState

    @property
    def name(self) -> str:
        """For people."""
        return f"{self.manifest.operation} for {self.manifest.target}"

    @property
    def pointer_path(self) -> str:
        """Where its pointer lies, relative to the workspace."""
        return pointer.path_of(self.manifest)

    @property
    def build_command(self) -> str:
        """What makes its objects."""
        return f"vendorctl build --op {self.manifest.operation} --target {self.manifest.target}"

    @property
    def restore_command(self) -> str:
        """What brings its objects back: a pull where the pointer names them, else a build."""
        matches = self.pointer_state is PointerState.MATCHES
        return f"vendorctl objects pull {self.manifest.operation}" if matches else self.build_command

    def path(self, file: str) -> str:
        """Where one of its files lies, relative to the workspace."""
        return f"{self.manifest.folder}/{file}"

    def named(self, state: FileState) -> list[str]:
        """The recorded files in one state, sorted."""
        return sorted(file for file, found in self.files.items() if found is state)


def read_units(root: Path, operations: Sequence[str] = (), targets: Sequence[str] = ()) -> tuple[Unit, ...]:
    """Every unit that has a manifest, or those of some operations and targets, sorted.

    Raises VendorError for an invalid manifest, and (exit code 2) when there is none, or none of a name asked for.
    """
    paths = sorted((root / manifest.FOLDER).glob(f"*/*/{manifest.FILE_NAME}"))
    found = [manifest.parse(path.read_bytes(), path.relative_to(root).as_posix()) for path in paths]
    for one, path in zip(found, paths, strict=True):
        if root / one.folder != path.parent:
            raise VendorError(
                f"it is the manifest of {one.operation} for {one.target}, in another folder",
                location=Location(path.relative_to(root).as_posix()),
                hint="restore it from git, or run `vendorctl build`",
            )
    if not found:
        raise VendorError(f"there is no manifest below {manifest.FOLDER}/", hint="run `vendorctl build`",
                          code=ExitCode.USAGE)  # fmt: skip
    _known("operation", operations, [one.operation for one in found])
    _known("target", targets, [one.target for one in found])
    return tuple(
        examine(root, one)
        for one in found
        if (not operations or one.operation in operations) and (not targets or one.target in targets)
    )


def _known(what: str, wanted: Sequence[str], names: Sequence[str]) -> None:
    for name in wanted:
        if name not in names:
            known = ", ".join(dict.fromkeys(names))
            raise VendorError(f"no manifest is of the {what} {name}", hint=f"there are: {known}", code=ExitCode.USAGE)


def examine(root: Path, found: ObjectManifest) -> Unit:
    """Hash what is there and compare it with the records of a manifest."""
    files: dict[str, FileState] = {}
    stored: dict[str, Stored] = {}
    folder = root / found.folder
    for record in found.objects:
        path = folder / record.file
        if not path.is_symlink() and not path.exists():
            files[record.file] = FileState.MISSING
            continue
        data = _recorded(path, record)
        if data is None:
            files[record.file] = FileState.DAMAGED
            continue
        files[record.file] = FileState.PRESENT
        stored[record.file] = Stored.of(data)
    state, read = pointer.read(root, found)
    if state is PointerState.MATCHES and read is not None and any(read.outs[file] != stored[file] for file in stored):
        state = PointerState.OTHER  # what it says of SHA-256 is right, what DVC would bring is not
    named = {*files, manifest.FILE_NAME, pointer.FILE_NAME}
    return Unit(
        manifest=found,
        files=files,
        extra=tuple(sorted(path.name for path in folder.iterdir() if path.name not in named)),
        stored=stored,
        pointer=read,
        pointer_state=state,
    )


def _recorded(path: Path, record: ObjectRecord) -> bytes | None:
    """The bytes of an object; None when they are not those recorded. A file that is larger is not read."""
    if path.is_symlink() or not path.is_file():
        return None
    try:
        data = read_bounded(path, record.size)
    except UnusableError:
        return None
    return data if digest.sha256(data) == record.sha256 else None


def damaged(unit: Unit, *, hint: str) -> Iterator[Finding]:
    """A finding for each object whose bytes are not those recorded."""
    for file in unit.named(FileState.DAMAGED):
        yield Finding(
            rule="VC511",
            location=Location(unit.path(file)),
            message="its bytes are not those that the manifest records",
            hint=hint,
        )
