# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reworking a series in memory: dropping, moving, splitting and refreshing a patch, later ones carried over.

Each is a bump onto the same pristine tree with other links; what needs no change keeps its bytes. A later patch that
does not fit any more stops the rework (`StuckError`): nothing is half done, and it can be planned again with `Choices`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Tree
from vendorctl.model import Report
from vendorctl.paths import display
from vendorctl.series.bump import BumpRequest, Link, OutcomeKind, Stuck, links_of, plan_bump
from vendorctl.series.conflict import explain_conflict
from vendorctl.series.content import ContentMerger, Labels
from vendorctl.series.lines import split_lines
from vendorctl.series.merge import Conflict, Settled
from vendorctl.series.misfit import first_index, new_side
from vendorctl.series.patch import Change, ChangeKind, Patch, slugify
from vendorctl.series.refresh import refresh_patch
from vendorctl.series.resolutions import Resolution, Resolutions
from vendorctl.series.stack import Applied, Series
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What people decided about conflicts of a rework: `decisions` made now, and those recorded below `root`.

    `skip` holds numbers of patches to leave out.
    """

    root: Path | None = None
    decisions: Mapping[str, Resolution] = field(default_factory=dict)
    skip: frozenset[int] = frozenset()

    def settle(self, conflict: Conflict, merger: ContentMerger) -> Settled | None:
        """The decision about one conflict; None where there is none."""
        return None if self.root is None else Resolutions(self.root, merger, self.decisions).settle(conflict)


#: Nobody was asked.
UNDECIDED = Choices()


class StuckError(VendorError):
    """A patch conflicts with the rework: `stuck` says where, `blobs` read the sides."""

    def __init__(self, stuck: Stuck, blobs: Blobs) -> None:
        causes = "; ".join(explain_rework_conflict(conflict) for conflict in stuck.conflicts)
        super().__init__(
            f"a later patch does not fit any more: {stuck.patch.file_name}: {causes}",
            hint="nothing was changed; without --dry-run, the files in conflict are laid out to be edited",
            code=ExitCode.CONFLICT,
        )
        self.stuck = stuck
        self.blobs = blobs


def explain_rework_conflict(conflict: Conflict) -> str:
    """One conflict in a few words, where it is the rework that stands in upstream's place."""
    return explain_conflict(conflict).replace("upstream", "the rework")


def drop_patch(
    number: int, chain: Applied, blobs: Blobs, merger: ContentMerger, choices: Choices = UNDECIDED
) -> Applied:
    """The series without one patch. Raises StuckError (exit code 5) when a later patch needs it."""
    dropped = _find(chain, number)
    links = [link for link in links_of(chain) if link.patch is not dropped.patch]
    return _relay(chain, links, [link.patch.number for link in links], blobs, merger, choices).applied


def move_patch(
    number: int, target: int, chain: Applied, blobs: Blobs, merger: ContentMerger, choices: Choices = UNDECIDED
) -> Applied:
    """The series with one patch moved to the place of patch `target`; those between move over by one.

    The numbers in use stay the same. Raises StuckError (exit code 5) when two patches cannot change places, and
    VendorError when they can, but give another tree and nobody decided anything.
    """
    moved, place = _find(chain, number), _find(chain, target)
    links = list(links_of(chain))
    numbers = [link.patch.number for link in links]
    at = links.index(place)
    links.remove(moved)
    links.insert(at, moved)
    result = _relay(chain, links, numbers, blobs, merger, choices)
    if result.applied.patched != chain.patched and not result.decided:
        raise VendorError(
            f"in that order the series gives another tree; patch {number:04d} depends on its place",
            code=ExitCode.CONFLICT,
        )
    return result.applied


def refresh_with(
    chain: Applied, number: int, tree: Tree, blobs: Blobs, merger: ContentMerger, choices: Choices = UNDECIDED
) -> Applied:
    """The series with patch `number` leading to `tree`; later patches are carried over.

    `blobs` reads `tree` as well. Raises VendorError when nothing would be left of the patch, and StuckError (exit code
    5) when a later one does not fit any more.
    """
    refreshed = _find(chain, number)
    if tree == refreshed.before:
        hint = f"`vendorctl patch drop {chain.series.upstream} {number}` removes the patch"
        raise VendorError("nothing is left of the patch", hint=hint, code=ExitCode.USAGE)
    patch = refreshed.patch
    if tree != refreshed.after:
        patch = refresh_patch(patch, refreshed.before, tree, blobs)
    links = [Link(patch, link.before, tree) if link.patch is refreshed.patch else link for link in links_of(chain)]
    numbers = [link.patch.number for link in links]
    return _relay(chain, links, numbers, blobs, merger, choices, extra=(tree,)).applied


def fold_edits(
    chain: Applied, number: int, edited: Tree, blobs: Blobs, merger: ContentMerger, choices: Choices = UNDECIDED
) -> Applied:
    """The series with edits of the patched tree, given as the `edited` tree, made part of patch `number`.

    Raises VendorError (exit code 5) when the edits touch what a later patch made, so that they belong there.
    """
    target = _find(chain, number)
    last = chain.series.patches[-1].number
    if number == last:
        return refresh_with(chain, number, edited, blobs, merger, choices)
    edit = Link(target.patch, chain.patched, edited)
    request = BumpRequest(old=chain, new=target.after, blobs=blobs, moves=(), links=(edit,))
    plan = plan_bump(request, merger)
    if plan.applied is None or plan.stuck is not None:
        raise _stopped(plan.stuck, f"the edits do not fit at patch {number:04d}; fold them into a later one")
    result = refresh_with(chain, number, plan.applied.patched, ChainedBlobs(plan.blobs, blobs), merger, choices)
    if result.patched != edited:
        raise VendorError(f"with the edits in patch {number:04d} the series gives another tree", code=ExitCode.CONFLICT)
    return result


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
    link = _find(chain, number)
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
    return _relay(chain, links, _make_room(chain, number), layered, merger, UNDECIDED, extra=(middle,)).applied


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
    patch = _find(chain, number).patch
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


def _find(chain: Applied, number: int) -> Link:
    return links_of(chain)[chain.series.index(number)]


@dataclass(frozen=True, slots=True)
class _Relaid:
    """A chain that was carried over, and whether people's decisions had a part in it."""

    applied: Applied
    decided: bool


def _relay(
    chain: Applied,
    links: Sequence[Link],
    numbers: Sequence[int],
    blobs: Blobs,
    merger: ContentMerger,
    choices: Choices,
    extra: Iterable[Tree] = (),
) -> _Relaid:
    """Carry `links` over the same pristine tree and give the results `numbers`."""
    contents = ChainedBlobs(chain.blobs, blobs)
    made = {
        entry.oid: contents[entry.oid]
        for tree in extra
        for _, entry in chain.trees[0].difference(tree).values()
        if entry is not None and entry.mode.is_blob
    }
    # No links at all is a series without patches; the request's own default would be the old ones.
    if not links:
        return _Relaid(Applied(Series(chain.series.upstream, ()), (chain.trees[0],), {}), decided=False)
    old = Applied(chain.series, chain.trees, {**chain.blobs, **made})
    request = BumpRequest(
        old=old,
        new=chain.trees[0],
        blobs=blobs,
        moves=(),
        links=tuple(links),
        labels=lambda patch: Labels(f"before {patch.file_name}", "the series as it becomes", patch.file_name),
        resolve=lambda _patch, conflict: choices.settle(conflict, merger),
        skip=choices.skip,
    )
    plan = plan_bump(request, merger)
    if plan.stuck is not None:
        raise StuckError(plan.stuck, plan.blobs)
    assert plan.applied is not None
    left_out = plan.of_kind(OutcomeKind.SKIPPED)
    empty = [outcome.patch for outcome in plan.outcomes if outcome.new is None and outcome not in left_out]
    if empty:
        raise VendorError(
            f"nothing would be left of {empty[0].file_name}",
            hint=f"drop it first: `vendorctl patch drop {chain.series.upstream} {empty[0].number}`",
            code=ExitCode.CONFLICT,
        )
    patches = tuple(
        replace(outcome.new, number=number)
        for outcome, number in zip(plan.outcomes, numbers, strict=True)
        if outcome.new is not None
    )
    applied = replace(plan.applied, series=Series(chain.series.upstream, patches))
    return _Relaid(applied, decided=bool(left_out) or any(outcome.reused for outcome in plan.outcomes))


def _stopped(stuck: Stuck | None, what: str) -> VendorError:
    if stuck is None:
        return VendorError(what, code=ExitCode.CONFLICT)
    causes = "; ".join(explain_rework_conflict(conflict) for conflict in stuck.conflicts)
    return VendorError(
        f"{what}: {stuck.patch.file_name}: {causes}",
        hint="nothing was changed; rework that patch first",
        code=ExitCode.CONFLICT,
    )


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
