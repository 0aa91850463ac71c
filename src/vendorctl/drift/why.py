# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Why a line stands where it does: the upstream commit or the patch that put it there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl.drift.blame import Blamed, blame_line
from vendorctl.drift.diff import unrecorded_changes
from vendorctl.drift.explain import UNRECORDED, LineOrigin, line_origins, split_lines
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.model import Json, Report
from vendorctl.paths import display
from vendorctl.series.listing import describe
from vendorctl.series.patch import Patch
from vendorctl.series.record import Edits, unrecorded
from vendorctl.series.workspace import Standing
from vendorctl.upstream.source import Source
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.vendor.disk import scan
from vendorctl.workspace.root import patched_dir, vendored_dir

SCHEMA = "vendorctl/why/1"


@dataclass(frozen=True, slots=True)
class Spot:
    """A line (from 1) of one upstream's files; `path` is relative to its patched tree, or to the pristine one."""

    standing: Standing
    path: bytes
    line: int
    pristine: bool


def find_spot(root: Path, start: Path, standings: Sequence[Standing], text: str) -> Spot:
    """What ``FILE:LINE`` names.

    A file of a patched or pristine tree as seen from `start`, else from the workspace root, else a path that one
    upstream alone has. Raises VendorError (exit code 2) when it names no line of vendored code.
    """
    file, _, number = text.rpartition(":")
    if not file or not number.isascii() or not number.isdigit() or int(number) < 1:
        raise VendorError(f"not FILE:LINE: {text!r}", hint="for example: src/_vendor/up/a.py:12", code=ExitCode.USAGE)
    for base in (start, root):
        for standing in standings:
            for pristine, folder in (
                (False, patched_dir(standing.upstream)),
                (True, vendored_dir(standing.upstream.name)),
            ):
                place = (base / file).absolute()
                if place.is_relative_to(root / folder):
                    path = str(place.relative_to(root / folder)).encode("utf-8", "surrogateescape")
                    return Spot(standing, path, int(number), pristine)
    name = file.encode("utf-8", "surrogateescape")
    holders = [standing for standing in standings if name in standing.applied.patched]
    if len(holders) != 1:
        known = "several upstreams have it" if holders else "no upstream has it"
        hint = "give the path as it is in the workspace"
        raise VendorError(f"{display(name)} is no file of a vendored tree: {known}", hint=hint, code=ExitCode.USAGE)
    return Spot(holders[0], name, int(number), pristine=False)


def explain_line(spot: Spot, opener: Callable[[], Source]) -> Report:
    """Who put the line there; `opener` gives the upstream when a commit of it has to be named.

    Raises VendorError: exit code 2 for a line that the file does not have or a file that has no lines, 4 when
    upstream's history cannot be had.
    """
    if spot.pristine:
        pristine = spot.standing.applied.trees[0]
        lines = _lines(pristine.get(spot.path) is not None, spot, lambda: spot.standing.blobs[pristine[spot.path].oid])
        return _upstream_report(spot, LineOrigin(0, spot.path, spot.line), _text(spot, lines), opener)
    edits, content = _as_on_disk(spot.standing, spot.path)
    plain = _lines(spot.path in edits.after, spot, lambda: edits.blobs[edits.after[spot.path].oid])
    shown = plain if content is None else split_lines(content)
    text = _text(spot, shown)
    index = _undressed_index(shown, plain, spot.line - 1)
    if index is None:
        return _report(
            spot, text, "a change notice that vendorctl wrote, because a licence asks for it", {"by": "notice"}
        )
    applied = spot.standing.applied
    origins = line_origins(applied.trees[0], applied.series.patches, unrecorded_changes(edits), edits.blobs, spot.path)
    if origins is None:
        raise VendorError(f"{display(spot.path)} is binary: it has no lines", code=ExitCode.USAGE)
    origin = origins[index]
    if origin.owner == UNRECORDED:
        hint = f"an edit that no patch records; `vendorctl patch record {spot.standing.upstream.name}` makes it one"
        return _report(spot, text, hint, {"by": "unrecorded"})
    if origin.owner:
        patch = next(patch for patch in applied.series.patches if patch.number == origin.owner)
        return _report(spot, text, _patch_text(spot, patch), _patch_value(spot, patch))
    return _upstream_report(spot, origin, text, opener)


def _as_on_disk(standing: Standing, path: bytes) -> tuple[Edits, bytes | None]:
    """The patched tree as people edit it, undressed, and one file of it as it is on disk (None: not there)."""
    disk = scan(standing.folder)
    patched = standing.applied.patched
    if disk.blank:
        return Edits(patched, patched, standing.blobs), None
    contents = ChainedBlobs(DiskBlobs(standing.folder, disk.tree), standing.blobs)
    edits = unrecorded(patched, disk.tree, contents, standing.upstream.rewrite_imports)
    return edits, contents[disk.tree[path].oid] if path in disk.tree else None


def _lines(known: bool, spot: Spot, read: Callable[[], bytes]) -> list[bytes]:
    if not known:
        raise VendorError(f"there is no {display(spot.path)} in the tree", code=ExitCode.USAGE)
    return split_lines(read())


def _text(spot: Spot, lines: Sequence[bytes]) -> str:
    if spot.line > len(lines):
        raise VendorError(f"{display(spot.path)} has {len(lines)} lines, not {spot.line}", code=ExitCode.USAGE)
    return display(lines[spot.line - 1].rstrip(b"\r\n"))


def _undressed_index(shown: Sequence[bytes], plain: Sequence[bytes], index: int) -> int | None:
    """Where a line of a file on disk is in the file without its notice; None inside the notice.

    The notice is the first difference: it stands above all code, and rewritten imports take no more lines.
    """
    extra = len(shown) - len(plain)
    start = 0
    while start < len(plain) and extra and shown[start] == plain[start]:
        start += 1
    if index < start or not extra:
        return index
    return None if index < start + extra else index - extra


def _upstream_report(spot: Spot, origin: LineOrigin, text: str, opener: Callable[[], Source]) -> Report:
    assert origin.path is not None
    locked = spot.standing.locked
    held = next((file.held_from for file in locked.files if file.path == origin.path), None)
    found = blame_line(opener(), held or locked.commit, origin.path, origin.line)
    return _report(spot, text, _commit_text(found, locked.commit), _commit_value(found))


def _commit_text(found: Blamed, pin: Oid) -> str:
    commit = found.commit
    return (
        f"upstream {commit.oid.short} of {commit.date[:10]} by {commit.author}: {commit.subject};"
        f" there line {found.line} of {display(found.path)}, at the pin {pin.short}"
    )


def _commit_value(found: Blamed) -> dict[str, Json]:
    commit = found.commit
    return {
        "by": "upstream",
        "commit": str(commit.oid),
        "date": commit.date,
        "author": commit.author,
        "subject": commit.subject,
        "pull_request": commit.pull_request,
        "upstream_path": display(found.path),
        "upstream_line": found.line,
    }


def _patch_text(spot: Spot, patch: Patch) -> str:
    reason = f"; {patch.trailers.reason}" if patch.trailers.reason else ""
    return f"{spot.standing.series.folder}/{patch.file_name}: {patch.title}{reason}"


def _patch_value(spot: Spot, patch: Patch) -> dict[str, Json]:
    return {"by": "patch", "patch": describe(spot.standing.upstream.name, patch)}


def _report(spot: Spot, text: str, answer: str, value: dict[str, Json]) -> Report:
    folder = vendored_dir(spot.standing.upstream.name) if spot.pristine else patched_dir(spot.standing.upstream)
    place = Location(f"{folder}/{display(spot.path)}", spot.line)
    return Report(
        schema=SCHEMA,
        title="why",
        lines=(f"{place}: {text}", f"  {answer}"),
        data=value | {"upstream": spot.standing.upstream.name, "path": place.path, "line": spot.line, "text": text},
    )
