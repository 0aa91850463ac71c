# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Splitting a patch in two: its separable parts, and the series in which some of them come first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Tree
from vendorctl.model import Report
from vendorctl.paths import display
from vendorctl.series.bump import Link, links_of
from vendorctl.series.content import ContentMerger
from vendorctl.series.lines import split_lines
from vendorctl.series.misfit import first_index, new_side
from vendorctl.series.patch import Change, ChangeKind, Patch, slugify
from vendorctl.series.refresh import refresh_patch
from vendorctl.series.relay import UNDECIDED, find_link, relay
from vendorctl.series.stack import Applied
from vendorctl.series.write import write_patch
from vendorctl.vendor.contents import ChainedBlobs


@dataclass(frozen=True, slots=True)
class Part:
    """One separable piece of a patch: a hunk of a file, or a whole change that has no hunks of its own.

    `number` counts from 1 through the patch; `hunk` is an index into the change's hunks, None for the whole change.
    """

    number: int
    change: Change
    hunk: int | None

    @property
    def title(self) -> str:
        """What it is, for people."""
        name = display(self.change.path)
        if self.hunk is None:
            return f"{self.number}: {name} ({self.change.kind.value})"
        hunk = self.change.hunks[self.hunk]
        section = f" ({display(hunk.section.strip())})" if hunk.section.strip() else ""
        context = next(index for index, line in enumerate(hunk.lines) if line.sign != b" ")
        return f"{self.number}: {name} line {hunk.old_start + context}{section}"


def parts_of(patch: Patch) -> tuple[Part, ...]:
    """The separable pieces of a patch, in the order in which they stand."""
    parts: list[Part] = []
    for change in patch.changes:
        separable = change.kind is ChangeKind.MODIFY and change.hunks and change.old_mode == change.new_mode
        for hunk in range(len(change.hunks)) if separable else (None,):
            parts.append(Part(len(parts) + 1, change, hunk))
    return tuple(parts)


def split_patch(
    chain: Applied, number: int, chosen: Sequence[Part], title: str, reason: str, blobs: Blobs, merger: ContentMerger
) -> Applied:
    """The series with the chosen parts of a patch in a new patch right before it, which keeps the rest.

    The new patch has the author, date and facts of the old one, and its own title and reason. Later patches keep their
    bytes; those whose numbers are taken move up. Raises VendorError unless both halves change something.
    """
    link = find_link(chain, number)
    everything = parts_of(link.patch)
    if not chosen or len(chosen) == len(everything):
        raise VendorError("a split leaves something on both sides", hint=parts_hint(link.patch), code=ExitCode.USAGE)
    contents = ChainedBlobs(chain.blobs, blobs)
    middle, made = _tree_with(link, chosen, contents)
    layered = ChainedBlobs(made, contents)
    patch = link.patch
    first = write_patch(
        link.before,
        middle,
        layered,
        number=number,
        title=title,
        body="",
        author=patch.author,
        date=patch.date,
        trailers=replace(patch.trailers, reason=reason),
        slug=slugify(title),
    )
    second = refresh_patch(patch, middle, link.after, layered)
    links: list[Link] = []
    for each in links_of(chain):
        split = each.patch is patch
        links += [Link(first, each.before, middle), Link(second, middle, each.after)] if split else [each]
    return relay(chain, links, _make_room(chain, number), layered, merger, UNDECIDED, extra=(middle,)).applied


def split_by(
    number: int,
    paths: Sequence[str],
    parts: Sequence[int],
    title: str,
    reason: str,
    chain: Applied,
    blobs: Blobs,
    merger: ContentMerger,
) -> Applied:
    """`split_patch` with the parts given as file names and part numbers.

    Raises VendorError (exit code 2) for a name or number that the patch does not have. An empty `reason` is that of the
    patch.
    """
    patch = find_link(chain, number).patch
    everything = parts_of(patch)
    files = {path.encode("utf-8", "surrogateescape") for path in paths}
    chosen = [part for part in everything if part.number in parts or part.change.path in files]
    unknown = files - {part.change.path for part in everything}
    wrong = set(parts) - {part.number for part in everything}
    if unknown or wrong:
        shown = [display(path) for path in sorted(unknown)] + [str(part) for part in sorted(wrong)]
        message = f"{patch.file_name} has no part {', '.join(shown)}"
        raise VendorError(message, hint=parts_hint(patch), code=ExitCode.USAGE)
    return split_patch(chain, number, chosen, title, reason or patch.trailers.reason, blobs, merger)


def parts_report(upstream: str, patch: Patch) -> Report:
    """The separable parts of a patch, for `patch split`."""
    parts = parts_of(patch)
    return Report(
        schema="vendorctl/patch-parts/1",
        title="patch split",
        lines=tuple(part.title for part in parts),
        counts={"parts": len(parts)},
        data={
            "upstream": upstream,
            "file": patch.file_name,
            "parts": [
                {"number": part.number, "path": display(part.change.path), "kind": part.change.kind.value}
                for part in parts
            ],
        },
    )


def parts_hint(patch: Patch) -> str:
    """The numbered parts of a patch, one a line."""
    return "the parts of this patch are\n" + "\n".join(f"  {part.title}" for part in parts_of(patch))


def _make_room(chain: Applied, number: int) -> list[int]:
    """The numbers after a split: the next one for the second half, later ones only as far as they are in the way."""
    numbers: list[int] = []
    for patch in chain.series.patches:
        wanted = patch.number
        if numbers and wanted <= numbers[-1]:
            wanted = numbers[-1] + 1
        numbers.append(wanted)
        if patch.number == number:
            numbers.append(wanted + 1)
    return numbers


def _tree_with(link: Link, chosen: Sequence[Part], blobs: Blobs) -> tuple[Tree, dict[Oid, bytes]]:
    """The tree before the patch with only the chosen parts made, and the contents that it needs."""
    made: dict[Oid, bytes] = {}
    changes: dict[bytes, Entry | None] = {}
    for change in {id(part.change): part.change for part in chosen}.values():
        hunks = sorted(part.hunk for part in chosen if part.change is change and part.hunk is not None)
        if not hunks:
            if change.kind in (ChangeKind.DELETE, ChangeKind.RENAME) and change.old_path is not None:
                changes[change.old_path] = None
            if change.kind is not ChangeKind.DELETE:
                changes[change.path] = link.after[change.path]
            continue
        before = link.before[change.path]
        content = with_hunks(blobs[before.oid], change, hunks)
        made[hash_blob(content)] = content
        changes[change.path] = Entry(before.mode, hash_blob(content))
    return link.before.replace(changes), made


def with_hunks(content: bytes, change: Change, chosen: Sequence[int]) -> bytes:
    """`content` with the chosen hunks made; hunks state old lines, so each stands on its own."""
    lines = split_lines(content)
    result: list[bytes] = []
    position = 0
    for index in chosen:
        hunk = change.hunks[index]
        start = first_index(hunk.old_start, hunk.old_count)
        result += lines[position:start]
        result += new_side(hunk)
        position = start + hunk.old_count
    return b"".join([*result, *lines[position:]])
