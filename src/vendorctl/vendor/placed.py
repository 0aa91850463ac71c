# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the tool itself last put on disk, so that its own files are never mistaken for somebody's edits.

After a `git pull` the lock and the patches may be newer than the files that `sync` wrote before it. A file that still
is what we wrote may be replaced; anything else is an edit. This record is local state, never a proof: verifying does
not read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vendorctl.digest import canonical_json, parse_json
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.model import Json

#: Where the records live, one JSON file per upstream.
FOLDER = ".vendorctl/placed"

_SCHEMA = "vendorctl/placed/1"


@dataclass(frozen=True, slots=True)
class Placed:
    """The two trees that the last completed sync of an upstream wrote, and the folder of the second one."""

    pristine: Tree
    output: Tree
    folder: str = ""


def record_path(name: str) -> str:
    """The record of upstream `name`, relative to the workspace."""
    return f"{FOLDER}/{name}.json"


def load_placed(root: Path, name: str) -> Placed:
    """The record of `name`. A missing or unreadable one counts as "nothing placed": the safe answer."""
    try:
        document = parse_json((root / record_path(name)).read_bytes())
        return Placed(_tree(document["pristine"]), _tree(document["output"]), str(document.get("folder", "")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Placed(Tree(), Tree())


def dump_placed(placed: Placed) -> bytes:
    """The record as bytes to be written with the transaction that places the trees."""
    document: Json = {
        "schema": _SCHEMA,
        "folder": placed.folder,
        "pristine": _rows(placed.pristine),
        "output": _rows(placed.output),
    }
    # On one line: indented, each part of each row on a line of its own, it takes several times as long.
    return canonical_json(document) + b"\n"


def _rows(tree: Tree) -> list[Json]:
    # Paths are bytes of unknown encoding; latin-1 maps each byte to one character and back.
    return [[entry.mode.value, str(entry.oid), path.decode("latin-1")] for path, entry in tree.items()]


def _tree(rows: list[list[str]]) -> Tree:
    modes = {mode.value: mode for mode in Mode}
    return Tree({path.encode("latin-1"): Entry(modes[mode], Oid.parse(oid)) for mode, oid, path in rows})
