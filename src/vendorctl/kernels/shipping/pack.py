# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl pack`: one shard per device architecture, and the census that proves each of them complete."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import Location, VendorError
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.check import check
from vendorctl.kernels.object import manifest
from vendorctl.kernels.object import target as targets
from vendorctl.kernels.object.manifest import ObjectManifest, ObjectRecord
from vendorctl.kernels.shipping import coverage, descriptors, shard
from vendorctl.kernels.shipping.shard import Entry
from vendorctl.model import Finding, Report
from vendorctl.workspace.transaction import Transaction

SCHEMA = "vendorctl/pack/1"
CHECK_SCHEMA = "vendorctl/pack-check/1"
#: Where shards are written unless another folder is named; not in git.
SHARDS_FOLDER = "shards"
_PACK = "run `vendorctl pack`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One object that a shard must hold."""

    manifest: ObjectManifest
    record: ObjectRecord

    @property
    def key(self) -> tuple[str, str, str, str]:
        """As `shard.Entry.key`."""
        return (self.manifest.operation, self.record.instance.name, self.manifest.target, self.record.sha256)

    @property
    def path(self) -> str:
        """The object's file, relative to the workspace."""
        return f"{self.manifest.folder}/{self.record.file}"


def architectures(project: Project) -> tuple[str, ...]:
    """Every device architecture that some target covers, in the order of the targets."""
    return tuple(dict.fromkeys(member for target in project.targets for member in target.members))


def expected_objects(manifests: Iterable[ObjectManifest], architecture: str) -> tuple[Expected, ...]:
    """What the shard of `architecture` holds: its own objects, and those of its family for rows it has none of.

    Every member of a family gets the same bytes of a family's object.
    """
    chosen: dict[tuple[str, str], Expected] = {}
    fitting = [found for found in manifests if architecture in targets.find(found.target).members]
    # Families first, so that an object made for this very architecture replaces the family's.
    for found in sorted(fitting, key=lambda found: not targets.find(found.target).is_generic):
        for record in found.objects:
            chosen[found.operation, record.instance.name] = Expected(manifest=found, record=record)
    return tuple(chosen[key] for key in sorted(chosen))


def read_manifests(project: Project) -> list[ObjectManifest]:
    """Every manifest below `objects/`, in order of operation and target. Raises VendorError for an invalid one."""
    paths = sorted((project.root / manifest.FOLDER).glob(f"*/*/{manifest.FILE_NAME}"))
    return [manifest.parse(path.read_bytes(), path.relative_to(project.root).as_posix()) for path in paths]


def pack(project: Project, begin: Callable[[], Transaction], *, folder: str = SHARDS_FOLDER) -> Report:
    """Write a shard for each architecture, and descriptors and coverage page, all in one transaction.

    Nothing is written unless `check` accepts every object as present and sound.
    """
    checked = check(project, require=True)
    if not checked.ok:
        return Report(schema=SCHEMA, title="pack", findings=checked.findings, counts=checked.counts)
    manifests = read_manifests(project)
    lines = []
    with begin() as tx:
        wanted = set()
        for architecture in architectures(project):
            objects = expected_objects(manifests, architecture)
            data = shard.dump(architecture, _entries(project.root, objects))
            wanted.add(f"{architecture}{shard.SUFFIX}")
            tx.write(f"{folder}/{architecture}{shard.SUFFIX}", data)
            lines.append(f"{architecture:10} {len(objects):6,} objects {len(data):12,} bytes")
        for leftover in _shards_in(project.root / folder):
            if leftover not in wanted:
                tx.delete(f"{folder}/{leftover}")
        generated = _generated(manifests)
        for path, content in generated.items():
            tx.write(path, content)
        for path in _stray_descriptors(project.root, generated):
            tx.delete(path)
        # Shards are products: like a cache folder, this one tells git to look away.
        tx.write(f"{folder}/.gitignore", b"*\n")
        tx.commit()
    counts = {"shards": len(wanted), "objects": sum(len(found.objects) for found in manifests)}
    return Report(schema=SCHEMA, title="pack", lines=tuple(lines), counts=counts | {"generated files": len(generated)})


def _entries(root: Path, objects: Iterable[Expected]) -> Iterator[Entry]:
    for item in objects:
        code = (root / item.path).read_bytes()
        if digest.sha256(code) != item.record.sha256:
            raise VendorError("the object changed while it was packed", location=Location(item.path), hint=_PACK)
        yield Entry(
            operation=item.manifest.operation,
            instance=item.record.instance,
            target=item.manifest.target,
            launch=item.record.launch,
            code=code,
        )


def _generated(manifests: Sequence[ObjectManifest]) -> dict[str, bytes]:
    """Descriptors and the coverage page with its charts, by path."""
    return descriptors.generate(manifests) | coverage.generate(manifests)


def _stray_descriptors(root: Path, generated: Iterable[str]) -> list[str]:
    """Files of the kinds that are generated there which no manifest stands behind; a README of somebody's stays."""
    known = set(generated)
    paths = sorted(path for path in (root / descriptors.FOLDER).rglob("*") if path.suffix in (".json", ".svg"))
    return [shown for path in paths if (shown := path.relative_to(root).as_posix()) not in known]


def _shards_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob(f"*{shard.SUFFIX}"))


def check_pack(project: Project, *, folder: str = SHARDS_FOLDER) -> Report:
    """The census: every architecture has a shard that holds exactly the objects of the manifests, byte for byte.

    An architecture for which no object is expected is a finding as well, so that an empty shard cannot pass.
    """
    try:
        manifests = read_manifests(project)
    except VendorError as error:
        found = Finding(rule="VC515", location=error.location, message=error.message, hint=error.hint)
        return Report(schema=CHECK_SCHEMA, title="pack --check", findings=(found,))
    names = architectures(project)
    findings = [finding for name in names for finding in _census(project, manifests, name, folder)]
    known = {f"{name}{shard.SUFFIX}" for name in names}
    findings += [
        _finding("VC520", f"{folder}/{name}", "no configured target covers this architecture")
        for name in _shards_in(project.root / folder)
        if name not in known
    ]
    findings += _stale_pages(project.root, manifests)
    counts = {"shards": len(names), "objects": sum(len(expected_objects(manifests, name)) for name in names)}
    return Report(schema=CHECK_SCHEMA, title="pack --check", findings=tuple(findings), counts=counts)


def _finding(rule: str, path: str, message: str, *, detail: str | None = None) -> Finding:
    return Finding(rule=rule, location=Location(path), message=message, detail=detail, hint=_PACK)


def _census(project: Project, manifests: Sequence[ObjectManifest], architecture: str, folder: str) -> Iterator[Finding]:
    shown = f"{folder}/{architecture}{shard.SUFFIX}"
    expected = {item.key for item in expected_objects(manifests, architecture)}
    if not expected:
        yield _finding("VC520", shown, "no manifest has an object for this architecture")
        return
    try:
        named, entries = shard.parse((project.root / shown).read_bytes())
    except FileNotFoundError:
        yield _finding("VC520", shown, f"there is no shard; {len(expected)} objects are expected in it")
        return
    except VendorError as error:
        yield _finding("VC520", shown, error.message)
        return
    if named != architecture:
        yield _finding("VC520", shown, f"it is the shard of {named}")
    present = {entry.key for entry in entries}
    if len(present) != len(entries):
        yield _finding("VC520", shown, "it holds an object twice")
    for keys, what in ((expected - present, "lacks"), (present - expected, "holds, but should not,")):
        if keys:
            names = sorted(f"{operation} {name} ({target})" for operation, name, target, _ in keys)
            yield _finding("VC520", shown, f"it {what} {len(keys)} objects", detail="\n".join(names[:10]))


def _stale_pages(root: Path, manifests: Sequence[ObjectManifest]) -> Iterator[Finding]:
    generated = _generated(manifests)
    if not (root / descriptors.FOLDER).is_dir():
        yield _finding("VC521", descriptors.FOLDER, "descriptors and coverage page were never generated")
        return
    for path, content in generated.items():
        file = root / path
        if not file.is_file():
            yield _finding("VC521", path, "it was never generated")
        elif file.read_bytes() != content:
            yield _finding("VC521", path, "it is not what the manifests give")
    for path in _stray_descriptors(root, generated):
        yield _finding("VC521", path, "no manifest stands behind it")
