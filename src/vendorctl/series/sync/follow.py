# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Files that upstream moved out of `include:`: with the user's consent, the globs follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from vendorctl.git.tree import Tree
from vendorctl.series.moves import Move
from vendorctl.series.sync.plan import SyncPlan, Tools, plan_sync
from vendorctl.workspace.edit import append_item
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

    The plan then carries a VENDOR.yaml with those paths added to `include:`.
    """
    if not follow:
        return plan_sync(root, manifest, lock, names, tools, edited=edited)
    tools = replace(tools, carry=replace(tools.carry, follow_all=True))
    plan = plan_sync(root, manifest, lock, names, tools, edited=edited)
    wider = _widened(manifest, plan)
    return plan if wider is manifest else plan_sync(root, wider, lock, names, tools, edited=True)


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


def _as_glob(path: bytes) -> str:
    """A glob that selects exactly this path: anchored, with the characters that mean something bracketed."""
    text = path.decode("utf-8", "surrogateescape")
    return "/" + "".join(f"[{char}]" if char in "*?[" else char for char in text)
