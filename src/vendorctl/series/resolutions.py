# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Decisions that people made about conflicts, kept so that an equal conflict is decided the same way again.

A content conflict is recognised by its disputed regions, wherever they stand and whatever the rest of the file holds
(as git-rerere does); any other conflict by the exact entries of its sides. Decisions live in
``.vendorctl/resolutions/<key>/``: they belong to one person's checkout and are not committed, because what they are
good for, the refreshed patch, is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from vendorctl.digest import canonical_json, parse_json, pretty_json, sha256
from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry, Mode
from vendorctl.model import Json
from vendorctl.paths import display
from vendorctl.series.bump import BY_RESOLUTION
from vendorctl.series.content import ContentMerger, Labels, has_markers
from vendorctl.series.merge import Conflict, Settled, Side
from vendorctl.workspace.root import STATE_FOLDER
from vendorctl.workspace.transaction import Transaction

#: Where decisions are kept, from the workspace root.
FOLDER = f"{STATE_FOLDER}/resolutions"
#: What is kept at most: more than anybody decides in years, and little enough that nobody has to clean up.
MOST, MOST_BYTES = 500, 64 << 20
_SCHEMA = "vendorctl/resolution/1"
_NEUTRAL = Labels("base", "ours", "theirs")


@dataclass(frozen=True, slots=True)
class Resolution:
    """One decision: `before` is the file as it was shown (empty where it had no regions), `after` what it became.

    `mode` None means that the path was deleted; `after` is then empty.
    """

    key: str
    path: bytes
    before: bytes
    after: bytes
    mode: Mode | None


def conflict_key(conflict: Conflict) -> str:
    """64 hex digits that equal conflicts share."""
    content = conflict.content
    if content is not None and content.regions:
        regions: list[Json] = [
            [sha256(region.base), sha256(region.ours), sha256(region.theirs)] for region in content.regions
        ]
        return sha256(canonical_json([conflict.kind.value, regions]))
    sides = (conflict.base, conflict.ours, conflict.theirs)
    return sha256(canonical_json([conflict.kind.value, *(_side_text(side) for side in sides)]))


def _side_text(side: Side | None) -> str | None:
    return None if side is None else f"{side.path.hex()} {side.entry.mode.value} {side.entry.oid}"


def make_resolution(conflict: Conflict, entry: Entry | None, after: bytes) -> Resolution:
    """The decision that `conflict.path` becomes `entry` with content `after` (both absent: deleted)."""
    before = replace(conflict.content, labels=_NEUTRAL).marked() if conflict.content is not None else b""
    mode = None if entry is None else entry.mode
    return Resolution(conflict_key(conflict), conflict.path, before, after, mode)


@dataclass
class Resolutions:
    """The decisions known in a workspace, read when first asked for; `extra` come before those on disk."""

    root: Path
    merger: ContentMerger
    extra: Mapping[str, Resolution] = field(default_factory=dict)

    def settle(self, conflict: Conflict) -> Settled | None:
        """The recorded decision for this conflict, fitted to the file as it is now; None without one that fits."""
        key = conflict_key(conflict)
        known = self.extra.get(key) or load_resolution(self.root, key)
        if known is None:
            return None
        if known.mode is None:
            return Settled(None, by=BY_RESOLUTION)
        content = known.after
        if conflict.content is not None and conflict.content.regions:
            shown = replace(conflict.content, labels=_NEUTRAL).marked()
            merged = self.merger.merge(known.before, known.after, shown)
            if merged.regions:
                return None
            content = merged.choose(lambda region: region.ours)
            if has_markers(content, conflict.content.marker_size):
                return None
        return Settled(Entry(known.mode, hash_blob(content)), content, by=BY_RESOLUTION)


def stage_resolution(tx: Transaction, resolution: Resolution) -> None:
    """Record a decision."""
    folder = f"{FOLDER}/{resolution.key}"
    facts: Json = {
        "schema": _SCHEMA,
        "path": display(resolution.path),
        "mode": None if resolution.mode is None else resolution.mode.value,
    }
    tx.write(f"{folder}/before", resolution.before)
    tx.write(f"{folder}/after", resolution.after)
    tx.write(f"{folder}/facts.json", pretty_json(facts))


def stage_forget(tx: Transaction, key: str) -> None:
    """Forget a decision; one that is not there is forgotten already."""
    for name in ("before", "after", "facts.json"):
        tx.delete(f"{FOLDER}/{key}/{name}")


def stage_bound(tx: Transaction, made: Mapping[str, Resolution], keep: Collection[str]) -> None:
    """Forget the decisions made longest ago where there are more than `MOST`, or more than `MOST_BYTES` of them.

    `made` are those that this transaction records; they, and the keys in `keep`, stay whatever their number.
    """
    count, size = len(made), sum(len(each.before) + len(each.after) for each in made.values())
    for key, taken in _by_age(tx.root / FOLDER):
        if key in made:
            continue
        count, size = count + 1, size + taken
        if (count > MOST or size > MOST_BYTES) and key not in keep:
            stage_forget(tx, key)


def _by_age(folder: Path) -> list[tuple[str, int]]:
    """Key and bytes of every decision on disk, the newest first; one that cannot be read counts as the oldest."""
    found: list[tuple[float, str, int]] = []
    for each in folder.iterdir() if folder.is_dir() else ():
        try:
            sizes = [(each / name).stat().st_size for name in ("before", "after")]
            found.append((-(each / "facts.json").stat().st_mtime, each.name, sum(sizes)))
        except OSError:
            found.append((0.0, each.name, 0))
    return [(key, size) for _, key, size in sorted(found)]


def load_resolution(root: Path, key: str) -> Resolution | None:
    """The decision with this key; None when there is none, or when what is there cannot be read."""
    folder = root / FOLDER / key
    try:
        facts = parse_json((folder / "facts.json").read_bytes())
        before, after = (folder / "before").read_bytes(), (folder / "after").read_bytes()
        mode = None if facts["mode"] is None else Mode(facts["mode"])
        if facts["schema"] != _SCHEMA:
            return None
        return Resolution(key, str(facts["path"]).encode(), before, after, mode)
    except (OSError, ValueError, KeyError, TypeError):
        return None
