# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a bump would bring: everything that upstream changed since the pin, seen from the files that we vendor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from vendorctl.drift.changes import (
    FileChange,
    FileChangeKind,
    LicenceChange,
    Scanner,
    compare_trees,
    legal_file_changes,
    licence_changes,
)
from vendorctl.drift.commits import Behind, commits_behind
from vendorctl.drift.health import Prognosis, examine_series
from vendorctl.drift.imports import LeavingImport, leaving_imports, mentioned_targets
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Tree
from vendorctl.paths import display
from vendorctl.progress import Progress, Silent
from vendorctl.series.carry import open_history, trace_either_way
from vendorctl.series.content import ContentMerger
from vendorctl.series.history import History
from vendorctl.series.moves import Move, find_moves
from vendorctl.series.workspace import Standing
from vendorctl.upstream.abreast import abreast
from vendorctl.upstream.refs import ResolvedRef
from vendorctl.upstream.source import Source
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.vendor.globs import compile_union
from vendorctl.vendor.select import select
from vendorctl.workspace.manifest import Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """One upstream, from its pin to `tip`.

    `behind` is None when upstream's history cannot be had. `moves` lead to where vendored files went, whether or not
    the globs select that place; `held` are paths that a `hold:` keeps although upstream changed them. Times are
    seconds since 1970, `knowledge_age` is seconds since the refs were last looked at.
    """

    upstream: Upstream
    pin: Oid
    pin_time: int
    tip: ResolvedRef
    tip_time: int
    knowledge_age: float | None
    behind: Behind | None
    changes: tuple[FileChange, ...]
    moves: tuple[Move, ...]
    held: tuple[bytes, ...]
    licences: tuple[LicenceChange, ...]
    imports: tuple[LeavingImport, ...]
    patches: tuple[Prognosis, ...]

    @property
    def moved_out(self) -> tuple[Move, ...]:
        """Moves to a place that the globs do not select."""
        arrived = {change.new_path for change in self.changes if change.kind is FileChangeKind.MOVED}
        return tuple(move for move in self.moves if move.new not in arrived)


def tracked_ref(source: Source, upstream: Upstream, against: str | None = None) -> ResolvedRef:
    """What drift is measured against: `against`, else the upstream's `track:`, else the remote's HEAD."""
    wanted = against or upstream.track
    return source.resolve(wanted) if wanted else source.head()


def measure_drift(
    standing: Standing, source: Source, tip: ResolvedRef, scanner: Scanner | None, merger: ContentMerger
) -> Drift:
    """Compare the pin of one upstream with `tip`.

    Without `scanner` only what one screen shows is computed: no symbols, licences or imports, and no commit is looked
    for behind a patch's health. Raises VendorError (exit code 4) when a commit or a needed content cannot be had. A
    missing history is no error: commits are then not named.
    """
    upstream, pristine, pin = standing.upstream, standing.applied.trees[0], standing.locked.commit
    pin_commit, tip_commit = source.fetch_commit(pin), source.fetch_commit(tip.commit)
    old_whole, new_whole = source.tree(pin), source.tree(tip.commit)
    chosen = select(new_whole, upstream.include, upstream.exclude).tree
    new, held = _hold_back(upstream, pristine, chosen)
    blobs = _contents(standing, source, pristine, new)
    history = open_history(source, pin, tip.commit)
    moves = _moves(source, history, pristine, new, new_whole, blobs)
    reasons = history if scanner is not None else None
    patches = examine_series(standing.applied, new, blobs, moves, reasons, merger)
    changes = compare_trees(pristine, new, blobs, moves, thorough=scanner is not None)
    return Drift(
        upstream=upstream,
        pin=pin,
        pin_time=pin_commit.committer_time,
        tip=tip,
        tip_time=tip_commit.committer_time,
        knowledge_age=source.knowledge_age,
        behind=_behind(history, {*pristine, *new}, upstream),
        changes=changes,
        moves=moves,
        held=held,
        licences=()
        if scanner is None
        else (
            *licence_changes(pristine, new, changes, blobs, scanner),
            *legal_file_changes(_legal_scope(old_whole, upstream), _legal_scope(new_whole, upstream)),
        ),
        imports=() if scanner is None else _new_imports(pristine, new, old_whole, new_whole, changes, blobs),
        patches=patches,
    )


def measure_all(
    standings: Sequence[Standing],
    opener: Callable[[Upstream], Source],
    scanner: Scanner,
    *,
    against: str | None = None,
    progress: Progress | None = None,
) -> list[Drift]:
    """The drift of several upstreams, each against `against` or what it tracks; several are in hand at a time."""
    with ContentMerger() as merger, (progress or Silent()).task("drift", len(standings)) as task:

        def measured(standing: Standing) -> Drift:
            source = opener(standing.upstream)
            tip = tracked_ref(source, standing.upstream, against)
            drift = measure_drift(standing, source, tip, scanner, merger)
            task.advance(note=standing.upstream.name)
            return drift

        return abreast(measured, standings)


def _hold_back(upstream: Upstream, old: Tree, new: Tree) -> tuple[Tree, tuple[bytes, ...]]:
    """The new tree with held paths as the pin has them, and which of these upstream changed."""
    if not upstream.hold:
        return new, ()
    holds = compile_union([hold.path for hold in upstream.hold])
    held: dict[bytes, Entry | None] = {
        path: entry for path, entry in old.items() if holds.matches(path) and new.get(path) != entry
    }
    return new.replace(held), tuple(sorted(held))


def _contents(standing: Standing, source: Source, old: Tree, new: Tree) -> Blobs:
    """Reads both trees: the workspace's contents first, and what upstream changed in one batch from the cache."""
    names = {entry.oid: display(path) for path, entry in new.items()}
    changed = [after.oid for before, after in old.difference(new).values() if after is not None and after.mode.is_blob]
    return ChainedBlobs(standing.blobs, source.blobs(changed, lambda oid: names.get(oid, str(oid))))


def _moves(
    source: Source, history: History | None, old: Tree, new: Tree, new_whole: Tree, blobs: Blobs
) -> tuple[Move, ...]:
    """Where vendored files went: within the selection by comparing, elsewhere by upstream's history."""
    found = find_moves(old, new, blobs)
    known = {move.old for move in found}
    lost = [path for path in old if path not in new and path not in known and path not in new_whole]
    if not lost or history is None:
        return found
    taken = {move.new for move in found}
    traced = trace_either_way(source, history, lost, new)
    return tuple(sorted([*found, *(move for move in traced if move.new not in taken)]))


def _behind(history: History | None, paths: Iterable[bytes], upstream: Upstream) -> Behind | None:
    return None if history is None else commits_behind(history, paths, upstream.not_taken)


def _legal_scope(whole: Tree, upstream: Upstream) -> Tree:
    """Files that may govern what we vendor: those at the root, and those in folders that the globs name."""
    folders = {glob.lstrip("/").partition("*")[0].rpartition("/")[0] for glob in upstream.include}
    above = {b""}
    for folder in folders:
        parts = folder.split("/") if folder else []
        above |= {"/".join(parts[:count]).encode() for count in range(1, len(parts) + 1)}
    return Tree({path: entry for path, entry in whole.items() if path.rpartition(b"/")[0] in above})


def _new_imports(
    old: Tree, new: Tree, old_whole: Tree, new_whole: Tree, changes: Iterable[FileChange], blobs: Blobs
) -> tuple[LeavingImport, ...]:
    """Imports that leave the vendored set at the tip and did not do so at the pin, one per file and target.

    A package of which nothing is vendored comes from an installed distribution, and is news only when it is new.
    """
    changed = [change for change in changes if change.kind is not FileChangeKind.REMOVED]
    after = Tree({to: new[to] for change in changed if (to := change.new_path) is not None and to in new})
    known = mentioned_targets(old, old, old_whole, blobs)
    installed = set(known.values()) - _packages(new)

    def is_news(each: LeavingImport) -> bool:
        return each.target not in known and each.package not in installed

    leaving = leaving_imports(after, new, new_whole, blobs, wanted=is_news)
    found = {(each.path, each.target): each for each in reversed(leaving)}
    return tuple(found[key] for key in sorted(found))


def _packages(tree: Tree) -> set[str]:
    """Names of the folders that vendored Python files are in, at any depth."""
    return {part.decode("utf-8", "replace") for path in tree if path.endswith(b".py") for part in path.split(b"/")[:-1]}
