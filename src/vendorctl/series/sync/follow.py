# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Files that upstream moved out of `include:`: with the user's consent, the globs follow them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from vendorctl.git.tree import Tree
from vendorctl.series.bump import BumpPlan
from vendorctl.series.moves import Move
from vendorctl.series.stack import Applied
from vendorctl.series.sync.plan import SyncPlan, Tools, plan_sync
from vendorctl.vendor.globs import compile_glob
from vendorctl.workspace.edit import append_item, remove_item
from vendorctl.workspace.lock import Lock
from vendorctl.workspace.manifest import Manifest
from vendorctl.workspace.parse import parse_manifest


def plan_following(
    root: Path,
    manifest: Manifest,
    lock: Lock | None,
    names: Sequence[str],
    tools: Tools,
    *,
    edited: bool,
    follow: bool,
) -> SyncPlan:
    """`plan_sync`; with `follow`, vendored files that upstream moved elsewhere stay vendored at their new paths.

    The plan then carries a VENDOR.yaml with those paths added to `include:`, and without the globs whose files have all
    moved away.
    """
    if not follow:
        return plan_sync(root, manifest, lock, names, tools, edited=edited)
    tools = replace(tools, carry=replace(tools.carry, follow_all=True))
    plan = plan_sync(root, manifest, lock, names, tools, edited=edited, strict=False)
    wider = _without_left(_widened(manifest, plan), plan)
    doubtful = any(each.unmatched for each in plan.upstreams) or any(each.unmatched for each in plan.halted)
    if wider is manifest and not doubtful:
        return plan
    return plan_sync(root, wider, lock, names, tools, edited=edited or wider is not manifest)


def moved_out(moves: Sequence[Move], pristine: Tree) -> list[bytes]:
    """New paths of moved files that the selected tree does not have."""
    return sorted(move.new for move in moves if move.new not in pristine)


def _widened(manifest: Manifest, plan: SyncPlan) -> Manifest:
    """The manifest with an include for each file that moved out of the selection; itself when there is none."""
    found: list[tuple[str, bytes]] = []
    for upstream in plan.upstreams:
        if upstream.bump is not None:
            tree = upstream.standing.applied.trees[0]
            found += [(upstream.upstream.name, path) for path in moved_out(upstream.bump.moves, tree)]
    for halted in plan.halted:
        name = halted.move.upstream.name
        found += [(name, path) for path in moved_out(halted.plan.moves, halted.move.pristine)]
    wider = manifest
    for name, path in found:
        wider = parse_manifest(append_item(wider, name, "include", _as_glob(path)))
    return wider


def _without_left(manifest: Manifest, plan: SyncPlan) -> Manifest:
    """The manifest without globs that match nothing any more because everything that they selected has moved."""
    for name, chain, bump, unmatched in _carried(plan):
        moved = {move.old for move in bump.moves}
        for glob in unmatched:
            selects = compile_glob(glob).matches
            selected = {path for path in chain.trees[0] if selects(path)}
            if selected and selected <= moved:
                index = manifest.upstreams[name].include.index(glob)
                manifest = parse_manifest(remove_item(manifest, name, "include", index))
    return manifest


def _carried(plan: SyncPlan) -> Iterator[tuple[str, Applied, BumpPlan, tuple[str, ...]]]:
    """Every upstream whose pin moves: name, chain at the old pin, what the bump says, globs that match nothing."""
    for upstream in plan.upstreams:
        if upstream.bump is not None and upstream.chain_before is not None:
            yield upstream.upstream.name, upstream.chain_before, upstream.bump, upstream.unmatched
    for halted in plan.halted:
        yield halted.move.upstream.name, halted.move.chain, halted.plan, halted.unmatched


def _as_glob(path: bytes) -> str:
    """A glob that selects exactly this path: anchored, with the characters that mean something bracketed."""
    text = path.decode("utf-8", "surrogateescape")
    return "/" + "".join(f"[{char}]" if char in "*?[" else char for char in text)
