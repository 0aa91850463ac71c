# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl check`: prove, with no compiler, that every object comes from these sources, recipes and toolchain.

Recipes are not run. That a manifest lists every row of its recipe follows from its seal and from the recipe's digest:
both were written by a build that had run the recipe, and neither fits any more once rows or recipe change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import Location, VendorError
from vendorctl.kernels.building.plan import differences
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.compiler import toolchain
from vendorctl.kernels.object import elf, manifest
from vendorctl.kernels.object import target as targets
from vendorctl.kernels.object.manifest import ObjectManifest, ObjectRecord, Provenance, Resources
from vendorctl.kernels.objectstore import pointer
from vendorctl.kernels.sources import inputs
from vendorctl.model import Finding, Json, Report, Severity

SCHEMA = "vendorctl/check/1"
_BUILD = "run `vendorctl build`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """One manifest that could be read, with where it lies (relative to the workspace)."""

    manifest: ObjectManifest
    path: str


def check(project: Project, *, require: bool = False) -> Report:
    """Every guard over every manifest and object below `objects/`.

    Objects that are missing as a whole (a fresh clone) are a warning, or an error under `require`; objects missing from
    a folder that has others are always an error.
    """
    findings: list[Finding] = []
    manifests = list(_read_all(project, findings))
    findings += _census(project, manifests)
    counts = {"manifests": len(manifests), "objects": 0, "missing": 0}
    sources = _Sources(project)
    stale: list[_Stale] = []
    away: list[_Missing] = []
    for checked in manifests:
        stale += _stale(checked, sources)
        findings += _toolchain(checked, project)
        findings += _foreign_files(project.root, checked)
        objects = [_object(project, checked, record) for record in checked.manifest.objects]
        missing = [entry for entry in objects if entry is None]
        counts["objects"] += len(objects) - len(missing)
        counts["missing"] += len(missing)
        findings += [finding for entry in objects if entry is not None for finding in entry]
        absent = _absent(checked, project.root)
        if absent and len(absent) == len(objects):
            away.append(_Missing(checked=checked, kept=pointer.matches(project.root, checked.manifest)))
        elif absent:
            findings.append(_partly_missing(checked, project.root, absent))
    findings += _stale_findings(stale)
    findings += _missing_findings(away, require=require)
    return Report(
        schema=SCHEMA,
        title="check",
        findings=tuple(findings),
        counts={name: count for name, count in counts.items() if count or name != "missing"},
        data={"manifests": [_facts(checked) for checked in manifests]},
    )


def _facts(checked: Checked) -> Json:
    found = checked.manifest
    return {"operation": found.operation, "target": found.target, "objects": len(found.objects)}


def _read_all(project: Project, findings: list[Finding]) -> Iterator[Checked]:
    """Every manifest below `objects/` that says what it is; a finding for each that does not."""
    root = project.root / manifest.FOLDER
    for path in sorted(root.glob(f"*/*/{manifest.FILE_NAME}")):
        shown = path.relative_to(project.root).as_posix()
        try:
            found = manifest.parse(path.read_bytes(), shown)
            targets.find(found.target)
        except VendorError as error:
            findings.append(_finding("VC515", shown, error.message, hint=error.hint))
            continue
        if f"{found.folder}/{manifest.FILE_NAME}" != shown:
            message = f"it is the manifest of {found.operation} for {found.target}, in another folder"
            findings.append(_finding("VC515", shown, message))
            continue
        yield Checked(manifest=found, path=shown)


#: What `vendorctl licenses` writes for each operation (`vendorctl.licenses.documents`).
_NOTICES = ("NOTICE", "THIRD_PARTY_LICENSES.md")


def _finding(rule: str, path: str, message: str, *, hint: str | None = _BUILD, detail: str | None = None) -> Finding:
    return Finding(rule=rule, location=Location(path), message=message, hint=hint, detail=detail)


def _census(project: Project, manifests: Iterable[Checked]) -> Iterator[Finding]:
    """Exactly one manifest for each recipe and target, and nothing else below `objects/`."""
    built = {(checked.manifest.provenance.recipe, checked.manifest.target): checked for checked in manifests}
    names = [target.name for target in project.targets]
    for recipe in project.recipes:
        absent = [name for name in names if (recipe, name) not in built]
        if absent:
            yield _finding("VC516", recipe, f"there is no manifest of this recipe for {', '.join(absent)}")
    for (recipe, name), checked in built.items():
        if recipe not in project.recipes:
            yield _finding("VC513", checked.path, f"VENDOR.yaml does not list its recipe {recipe}")
        elif name not in names:
            yield _finding("VC513", checked.path, f"VENDOR.yaml does not list its target {name}")
    known = {str(Path(checked.path).parent) for checked in built.values()}
    # Beside its targets an operation has the notices of its objects, which `licenses --check` answers for.
    known |= {
        f"{manifest.FOLDER}/{checked.manifest.operation}/{name}" for checked in built.values() for name in _NOTICES
    }
    root = project.root / manifest.FOLDER
    for folder in sorted(root.glob("*/*")):
        shown = folder.relative_to(project.root).as_posix()
        if shown not in known and not (folder / manifest.FILE_NAME).exists():
            yield _finding("VC513", shown, "no manifest accounts for it", hint="delete it, or run `vendorctl build`")


class _Sources:
    """Provenance of a recipe as it is on disk now; recipes are shared by all of their targets."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._known: dict[tuple[str, str, str, tuple[str, ...]], Provenance] = {}

    def now(self, recorded: Provenance) -> Provenance:
        key = (recorded.recipe, recorded.upstream, recorded.import_root, recorded.data_files)
        if key not in self._known:
            tree = self._project.tree(recorded.upstream, recorded.recipe)
            read = inputs.read_sources(
                self._project.root,
                recorded.recipe,
                tree,
                import_root=recorded.import_root,
                data_files=recorded.data_files,
            )
            self._known[key] = inputs.provenance(read, tree, recorded.data_files)
        return self._known[key]


def _toolchain(checked: Checked, project: Project) -> Iterator[Finding]:
    """The pinned tools, and the environment of this version of vendorctl."""
    found = checked.manifest
    for name, pinned in project.pins.items():
        built = found.toolchain.get(name)
        if built != pinned:
            yield _finding("VC518", checked.path, f"built with {name} {built}; VENDOR.yaml pins {pinned}")
    pipeline = found.toolchain.get("pipeline")
    if pipeline != toolchain.PIPELINE:
        message = f"built by another vendorctl (pipeline {pipeline}; this one has {toolchain.PIPELINE})"
        yield _finding("VC518", checked.path, message)
    if dict(found.environment) != dict(toolchain.FIXED_ENVIRONMENT):
        yield _finding("VC518", checked.path, "built in another environment than this vendorctl uses")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stale:
    """A manifest whose inputs are not those on disk."""

    checked: Checked
    message: str
    hint: str = _BUILD


def _stale(checked: Checked, sources: _Sources) -> Iterator[_Stale]:
    """The recorded inputs are those on disk, and the input digests are theirs."""
    found = checked.manifest
    try:
        origin = sources.now(found.provenance)
    except VendorError as error:
        yield _Stale(checked=checked, message=error.message, hint=error.hint or _BUILD)
        return
    changes = differences(found, origin, found.toolchain)
    base = inputs.base_digest(found.operation, found.target, origin, found.toolchain, found.environment)
    stale = [record for record in found.objects if record.input != inputs.row_digest(base, record.instance)]
    if changes or stale:
        what = "; ".join(changes) or "input digests do not belong to their rows"
        valid = "" if stale else " (objects stay valid: nothing that the compiler reads changed)"
        yield _Stale(checked=checked, message=f"{len(stale)} of {len(found.objects)} objects are stale: {what}{valid}")


def _stale_findings(stale: Iterable[_Stale]) -> Iterator[Finding]:
    """One finding per operation and reason: a changed source makes the objects of every target stale."""
    groups: dict[tuple[str, str, str], list[Checked]] = {}
    for entry in stale:
        groups.setdefault((entry.checked.manifest.operation, entry.message, entry.hint), []).append(entry.checked)
    for (operation, message, hint), members in groups.items():
        place = members[0].path if len(members) == 1 else f"{manifest.FOLDER}/{operation}"
        names = ", ".join(member.manifest.target for member in members)
        yield _finding("VC512", place, f"{names}: {message}", hint=hint)


def _foreign_files(root: Path, checked: Checked) -> Iterator[Finding]:
    named = {record.file for record in checked.manifest.objects} | {manifest.FILE_NAME, pointer.FILE_NAME}
    folder = root / checked.manifest.folder
    for path in sorted(folder.iterdir()):
        if path.name not in named:
            shown = path.relative_to(root).as_posix()
            message, hint = pointer.stray(path.name)
            yield _finding("VC513", shown, message, hint=hint or _BUILD)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Missing:
    """A manifest of which no object is there, and whether its pointer says where to get them."""

    checked: Checked
    kept: bool


def _absent(checked: Checked, root: Path) -> list[str]:
    found = checked.manifest
    return [record.file for record in found.objects if not (root / found.folder / record.file).is_file()]


def _partly_missing(checked: Checked, root: Path, absent: Sequence[str]) -> Finding:
    """Some objects of a folder are not there: somebody removed them."""
    found = checked.manifest
    again = f"vendorctl build --op {found.operation} --target {found.target}"
    return _finding(
        "VC510",
        found.folder,
        f"{len(absent)} of {len(found.objects)} objects are not there",
        detail="\n".join(absent[:10]),
        hint=_pull(found.operation) if pointer.matches(root, found) else again,
    )


def _pull(operation: str) -> str:
    return f"vendorctl objects pull {operation}"


def _missing_findings(missing: Iterable[_Missing], *, require: bool) -> Iterator[Finding]:
    """One finding per operation and way to get its objects: in a fresh clone there are none for any target."""
    groups: dict[tuple[str, bool], list[ObjectManifest]] = {}
    for entry in missing:
        groups.setdefault((entry.checked.manifest.operation, entry.kept), []).append(entry.checked.manifest)
    for (operation, kept), members in groups.items():
        count = sum(len(found.objects) for found in members)
        names = ", ".join(found.target for found in members)
        single = len(members) == 1
        build = f"vendorctl build --op {operation}" + (f" --target {names}" if single else "")
        yield Finding(
            rule="VC510",
            severity=Severity.ERROR if require else Severity.WARNING,
            location=Location(members[0].folder if single else f"{manifest.FOLDER}/{operation}"),
            message=("" if single else f"{names}: ") + f"{count} of {count} objects are not there",
            hint=_pull(operation) if kept else build,
        )


def _object(project: Project, checked: Checked, record: ObjectRecord) -> list[Finding] | None:
    """What is wrong with one object; None when it is not there."""
    found = checked.manifest
    shown = f"{found.folder}/{record.file}"
    path = project.root / shown
    if path.is_symlink() or not path.is_file():
        return [_finding("VC511", shown, "it is not a regular file")] if path.is_symlink() else None
    data = path.read_bytes()
    if digest.sha256(data) != record.sha256:
        # The stamp tells a swapped object from a damaged one.
        return [_finding("VC511", shown, f"its SHA-256 is not the recorded one{_stamp_note(data, found.target)}")]
    try:
        code = elf.parse(data)
    except VendorError as error:
        return [_finding("VC514", shown, error.message)]
    findings = [_finding("VC514", shown, fault) for fault in elf.stamp_faults(code, targets.find(found.target))]
    symbols = {kernel.name for kernel in code.kernels}
    findings += [
        _finding("VC514", shown, f"its launch plan names a kernel {launch.symbol!r} that it does not hold")
        for launch in record.launch.launches
        if launch.symbol not in symbols
    ]
    if Resources.of(code) != record.resources or len(data) != record.size:
        findings.append(_finding("VC514", shown, "its size or resources are not those that the manifest records"))
    return findings + list(_policy(project, shown, Resources.of(code)))


def _stamp_note(data: bytes, name: str) -> str:
    try:
        faults = elf.stamp_faults(elf.parse(data), targets.find(name))
    except VendorError as error:
        return f"; {error.message}"
    return f"; {faults[0]}" if faults else ""


def _policy(project: Project, shown: str, used: Resources) -> Iterator[Finding]:
    policy = project.policy
    for what, amount, allowed in (
        ("spilled registers", used.spills, policy.max_spills),
        ("bytes of scratch", used.scratch, policy.max_scratch),
        ("bytes of LDS", used.lds, policy.max_lds),
    ):
        if allowed is not None and amount > allowed:
            yield _finding("VC517", shown, f"{amount} {what}, where VENDOR.yaml allows {allowed}",
                           hint="change the kernel, or raise kernels.policy")  # fmt: skip
