# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which objects are tested: the manifests of a workspace, narrowed by operation, target, instance, or what changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.program import Git
from vendorctl.kernels.building.project import Project, select
from vendorctl.kernels.object import manifest
from vendorctl.kernels.object.manifest import ObjectManifest, ObjectRecord
from vendorctl.model import Finding
from vendorctl.workspace.nodes import suggestion

#: The most names that a hint lists.
_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """An object on disk: what it is, where it lies (`folder`, absolute), and the recipe that tests it.

    `recipe` is relative to the workspace.
    """

    operation: str
    target: str
    recipe: str
    folder: Path
    record: ObjectRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Subjects:
    """Objects to test. `findings` are recipes and targets without a manifest."""

    objects: tuple[Built, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What to test; empty sequences stand for all. `instances` are glob patterns over instance names.

    `unchanged` tells of objects that may be left out.
    """

    operations: Sequence[str] = ()
    targets: Sequence[str] = ()
    instances: Sequence[str] = ()
    unchanged: Callable[[ObjectManifest, ObjectRecord], bool] | None = None

    def wants(self, found: ObjectManifest, record: ObjectRecord) -> bool:
        """Whether one object is among them."""
        named = not self.instances or any(fnmatchcase(record.instance.name, glob) for glob in self.instances)
        return named and not (self.unchanged is not None and self.unchanged(found, record))


def subjects(project: Project, choice: Choice) -> Subjects:
    """The objects that `choice` names.

    Raises VendorError (exit code 2) for an operation or target that does not exist, and for an invalid manifest.
    """
    targets = {target.name for target in select(project.targets, choice.targets)}
    manifests = list(_manifests(project))
    known = sorted({found.operation for found in manifests})
    if missing := sorted(set(choice.operations) - set(known)):
        raise VendorError(
            f"no manifest has the operation {', '.join(missing)}",
            hint=suggestion(missing[0], known, "operations") if known else "run `vendorctl build`",
            code=ExitCode.USAGE,
        )
    chosen = [
        found
        for found in manifests
        if found.target in targets and (not choice.operations or found.operation in choice.operations)
    ]
    _check_instances(chosen, choice.instances)
    return Subjects(
        objects=tuple(
            _built(project.root, found, record)
            for found in chosen
            for record in found.objects
            if choice.wants(found, record)
        ),
        findings=() if choice.operations else tuple(_absent(project, targets, chosen)),
    )


def _check_instances(chosen: Sequence[ObjectManifest], globs: Sequence[str]) -> None:
    """Raise VendorError (exit code 2) for a pattern that fits no instance: a test of nothing must not look like one."""
    names = {record.instance.name for found in chosen for record in found.objects}
    for glob in globs:
        if names and not any(fnmatchcase(name, glob) for name in names):
            shown = sorted(names)[:_SHOWN]
            hint = suggestion(glob, shown, "instances" if len(names) <= _SHOWN else "some instances")
            raise VendorError(f"no instance is called {glob!r}", hint=hint, code=ExitCode.USAGE)


def _built(root: Path, found: ObjectManifest, record: ObjectRecord) -> Built:
    return Built(
        operation=found.operation,
        target=found.target,
        recipe=found.provenance.recipe,
        folder=root / found.folder,
        record=record,
    )


def _manifests(project: Project) -> Iterator[ObjectManifest]:
    for path in sorted((project.root / manifest.FOLDER).glob(f"*/*/{manifest.FILE_NAME}")):
        found = manifest.parse(path.read_bytes(), path.relative_to(project.root).as_posix())
        if found.provenance.recipe in project.recipes:
            yield found


def _absent(project: Project, targets: set[str], chosen: Sequence[ObjectManifest]) -> Iterator[Finding]:
    built = {(found.provenance.recipe, found.target) for found in chosen}
    for recipe in project.recipes:
        absent = sorted(name for name in targets if (recipe, name) not in built)
        if absent:
            yield Finding(
                rule="VC516",
                location=Location(recipe),
                message=f"there is nothing to test of this recipe for {', '.join(absent)}",
                hint="run `vendorctl build`",
            )


def same_as(root: Path, revision: str) -> Callable[[ObjectManifest, ObjectRecord], bool]:
    """Tells of objects that have the same bytes in the manifests at a git `revision` of the workspace at `root`.

    Raises VendorError (exit code 2) when `root` is in no git repository, or `revision` is not a commit of it.
    """
    git = Git()
    prefix = git.exact("-C", str(root), "rev-parse", "--show-prefix", check=False)
    name = f"{revision}^{{commit}}"
    commit = git.exact("-C", str(root), "rev-parse", "--verify", "--quiet", "--end-of-options", name, check=False)
    if not prefix.ok or not commit.ok:
        raise VendorError(f"{revision!r} is not a commit of the workspace's repository", code=ExitCode.USAGE)
    base = f"{commit.stdout.decode().strip()}:{prefix.stdout.decode().strip()}"
    known: dict[str, frozenset[str]] = {}

    def unchanged(found: ObjectManifest, record: ObjectRecord) -> bool:
        if found.folder not in known:
            path = f"{found.folder}/{manifest.FILE_NAME}"
            shown = git.exact("-C", str(root), "cat-file", "blob", base + path, check=False)
            known[found.folder] = _recorded(shown.stdout, path) if shown.ok else frozenset()
        return record.sha256 in known[found.folder]

    return unchanged


def _recorded(data: bytes, path: str) -> frozenset[str]:
    try:
        return frozenset(record.sha256 for record in manifest.parse(data, path).objects)
    except VendorError:
        return frozenset()  # an older or broken manifest proves nothing about its objects
