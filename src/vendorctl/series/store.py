# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The folder of a series: ``patches/<upstream>/`` with numbered patch files, and quilt's `series` that lists them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from vendorctl.errors import Location, VendorError
from vendorctl.model import Finding, Severity
from vendorctl.paths import display_text
from vendorctl.series.parse import MAX_PATCH_BYTES, parse_file_name, parse_patch
from vendorctl.series.patch import Patch
from vendorctl.series.stack import Series
from vendorctl.workspace.root import patches_dir

#: The file that lists the patches in order, one name a line, as quilt reads it.
SERIES_FILE = "series"

#: How many patches one upstream may carry.
MAX_PATCHES = 9999

#: Lines and bytes of `series`: with room for a comment to each patch.
MAX_LINES = 2 * MAX_PATCHES
MAX_LIST_BYTES = 8 << 20

#: Files in the folder that are no patches and bother nobody.
_OTHER_FILES = {SERIES_FILE, "README.md", "README", ".gitignore", ".gitattributes"}


@dataclass(slots=True)
class _Survey:
    """What is on disk for one upstream, and what is wrong with it."""

    root: Path
    upstream: str
    findings: list[Finding] = field(default_factory=list)

    @property
    def folder(self) -> Path:
        return self.root / patches_dir(self.upstream)

    def add(
        self,
        rule: str,
        message: str,
        name: str,
        *,
        line: int | None = None,
        hint: str | None = None,
        severity: Severity = Severity.ERROR,
    ) -> None:
        place = Location(f"{patches_dir(self.upstream)}/{display_text(name)}".rstrip("/"), line)
        self.findings.append(
            Finding(rule=rule, message=message, severity=severity, upstream=self.upstream, location=place, hint=hint)
        )


def load_series(root: Path, upstream: str) -> Series:
    """The series of one upstream, in number order; no folder, or an empty one, is a series without patches.

    Raises VendorError for the first thing (in report order) that `survey_series` finds to be an error.
    """
    series, findings = survey_series(root, upstream)
    errors = sorted((each for each in findings if each.severity is Severity.ERROR), key=Finding.sort_key)
    if errors:
        first = errors[0]
        raise VendorError(first.message, location=first.location, hint=first.hint)
    return series


def survey_series(root: Path, upstream: str) -> tuple[Series, tuple[Finding, ...]]:
    """The readable patches of one upstream in number order, and findings for everything that is not as it must be.

    A patch file is read when it is on disk and well-formed, listed or not; two files with one number are both left out.
    """
    survey = _Survey(root, upstream)
    listed = _read_list(survey)
    present = _present_files(survey)
    numbers: dict[int, list[str]] = {}
    for name in present:
        parsed = parse_file_name(name)
        if parsed is None:
            hint = "name it NNNN-slug.patch, and list it in `series` under that name"
            survey.add("VC206", "not a patch file name (NNNN-slug.patch, numbered from 0001)", name, hint=hint)
        else:
            numbers.setdefault(parsed[0], []).append(name)
    _compare_lists(survey, listed, present, numbers)
    patches = [_read_patch(survey, names[0]) for _, names in sorted(numbers.items()) if len(names) == 1]
    return Series(upstream, tuple(patch for patch in patches if patch is not None)), tuple(survey.findings)


def _read_list(survey: _Survey) -> dict[str, int]:
    """The names in `series` with their line numbers, in its order."""
    file = survey.folder / SERIES_FILE
    if not file.is_file() or file.is_symlink():
        return {}
    with file.open("rb") as stream:
        content = stream.read(MAX_LIST_BYTES + 1)
    lines = content.decode("utf-8", "replace").splitlines()
    if len(lines) > MAX_LINES or len(content) > MAX_LIST_BYTES:
        survey.add("VC203", f"above the limit of {MAX_LINES} lines and {MAX_LIST_BYTES} bytes", SERIES_FILE)
        return {}
    listed: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        name = words[0]
        if words[1:] not in ([], ["-p1"]):
            survey.add(
                "VC203", f"unknown options after {display_text(name)}", SERIES_FILE, line=number, hint="only -p1"
            )
        if name in listed:
            survey.add("VC203", f"{display_text(name)} is listed twice", SERIES_FILE, line=number)
        elif "/" in name or name in {".", ".."}:
            survey.add("VC206", f"{display_text(name)} is not in this folder", SERIES_FILE, line=number)
        else:
            listed[name] = number
    return listed


def _present_files(survey: _Survey) -> list[str]:
    """Names of the files in the folder that are, or claim to be, patches."""
    if not survey.folder.is_dir():
        return []
    if survey.folder.is_symlink():
        survey.add("VC206", "the folder of a series must not be a link", "", hint="put the folder itself here")
        return []
    names: list[str] = []
    for entry in sorted(survey.folder.iterdir()):
        if entry.is_symlink() or not entry.is_file():
            survey.add("VC206", "only plain files belong into a series folder", entry.name, hint="move it elsewhere")
        elif entry.name not in _OTHER_FILES:
            names.append(entry.name)
    if len(names) > MAX_PATCHES:
        survey.add("VC206", f"{len(names)} patches are above the limit of {MAX_PATCHES}", SERIES_FILE)
    return names[:MAX_PATCHES]


def _compare_lists(survey: _Survey, listed: dict[str, int], present: list[str], numbers: dict[int, list[str]]) -> None:
    there = set(present)
    for name, line in listed.items():
        if name not in there:
            hint = "restore the file; `vendorctl patch drop` removes a patch on purpose"
            survey.add(
                "VC201", f"{display_text(name)} is listed, but the file is missing", SERIES_FILE, line=line, hint=hint
            )
    for name in present:
        if name not in listed:
            survey.add(
                "VC202", "this file is not listed in `series`", name, hint=f"add the line `{display_text(name)}`"
            )
    for number, names in sorted(numbers.items()):
        if len(names) > 1:
            hint = f"give each its own number; the next free one is {max(numbers) + 1:04d}"
            survey.add("VC204", f"number {number:04d} is used by {' and '.join(names)}", names[1], hint=hint)
    order = [name for name in listed if parse_file_name(name) is not None]
    wanted = sorted(order, key=lambda name: (parse_file_name(name) or (0, ""))[0])
    if order != wanted:
        at = next(index for index, pair in enumerate(zip(order, wanted, strict=True)) if pair[0] != pair[1])
        message = f"`series` is not in number order: {order[at]} stands where {wanted[at]} belongs"
        survey.add("VC203", message, SERIES_FILE, line=listed[order[at]], hint="`vendorctl patch move` reorders")


def _read_patch(survey: _Survey, name: str) -> Patch | None:
    file = survey.folder / name
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_PATCH_BYTES + 1)
        return parse_patch(name, raw, folder=patches_dir(survey.upstream))
    except VendorError as error:
        line = error.location.line if error.location else None
        survey.add("VC207", error.message, name, line=line, hint=error.hint)
    except OSError as error:
        survey.add("VC207", f"cannot be read: {error.strerror}", name)
    return None


def dump_series_file(series: Series) -> bytes:
    """The content of `series`: file names in number order, one a line."""
    return b"".join(f"{patch.file_name}\n".encode() for patch in series.patches)


def next_number(series: Series) -> int:
    """The number that the next recorded patch gets."""
    return max((patch.number for patch in series.patches), default=0) + 1
