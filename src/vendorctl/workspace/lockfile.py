# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reading and writing VENDOR.lock: JSON, sorted, with one file and one patch per line, so that it reviews and merges.

    {
      "version": 1,
      "upstreams": {
        "up": {
          "url": "…", "commit": "…", … one key per line …
          "files": [
            {"path":"a.py","mode":"100644","blob":"…","sha256":"…","size":12,"spdx":["MIT"]},
            …
          ],
          "series": [
            {"file":"0001-x.patch","sha256":"…","tree":"…"}
          ],
          "patched": "<tree id after the last patch>"
        }
      }
    }

Paths are UTF-8; a byte that is not, a ``%`` and what cannot be seen are spelled ``%XX`` (`paths.percent_encode`).
`tree` and `patched` repeat what files and series imply, for people and other tools; a lock in which they disagree was
edited, which is a finding (`lockcheck`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.model import Json
from vendorctl.paths import percent_encode
from vendorctl.workspace.lock import FILE_NAME, LicenseFacts, Lock, LockedFile, LockedPatch, LockedUpstream

VERSION = 1

#: What a reviewer would not see in a copyright line or URL: written as JSON escapes.
_UNSHOWN = re.compile(
    "[\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\uffff]"
)


def load_lock(root: Path) -> Lock | None:
    """The lock of a workspace, or None when there is none yet. Raises VendorError as `parse_lock` does."""
    from vendorctl.workspace.lockparse import parse_lock

    try:
        data = (root / FILE_NAME).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise VendorError(
            f"cannot read {FILE_NAME}: {error.strerror}", location=Location(FILE_NAME), code=ExitCode.INVALID
        ) from error
    return parse_lock(data)


def dump_lock(lock: Lock) -> bytes:
    """The one spelling of a lock; `parse_lock` gives an equal lock back."""
    rows = ["{", f'  "version": {VERSION},', '  "upstreams": {']
    names = sorted(lock.upstreams)
    for name in names:
        rows.append(f"    {_text(name)}: {{")
        rows += [f"      {row}" for row in _upstream_rows(lock.upstreams[name])]
        rows.append("    }" if name == names[-1] else "    },")
    rows += ["  }", "}"]
    return _UNSHOWN.sub(_escaped, "\n".join(rows) + "\n").encode()


def _upstream_rows(upstream: LockedUpstream) -> Iterator[str]:
    yield f'"url": {_text(upstream.url)},'
    yield f'"commit": "{upstream.commit}",'
    if upstream.ref is not None:
        yield f'"ref": {{"name": {_text(upstream.ref.name)}, "object": "{upstream.ref.oid}"}},'
    yield f'"root_tree": "{upstream.root_tree}",'
    yield f'"tree": "{upstream.tree.oid}",'
    yield f'"include": {_texts(upstream.include)},'
    yield f'"exclude": {_texts(upstream.exclude)},'
    yield from _array("files", [_file_row(file) for file in sorted(upstream.files, key=lambda file: file.path)])
    yield from _array("series", [_patch_row(patch) for patch in upstream.series])
    yield f'"patched": "{patched_tree(upstream)}"'


def patched_tree(upstream: LockedUpstream) -> Oid:
    """The id of the patched tree: after the last patch, or the pristine tree where there is none."""
    return upstream.series[-1].tree if upstream.series else upstream.tree.oid


def _array(key: str, rows: list[str]) -> Iterator[str]:
    if not rows:
        yield f'"{key}": [],'
        return
    yield f'"{key}": ['
    yield from (f"  {row}," for row in rows[:-1])
    yield f"  {rows[-1]}"
    yield "],"


def _file_row(file: LockedFile) -> str:
    row: dict[str, Json] = {"path": percent_encode(file.path), "mode": file.mode.value, "blob": str(file.blob)}
    if file.mode.is_blob:
        row |= {"sha256": file.sha256, "size": file.size}
    row |= _facts(file.facts)
    if file.held_from is not None:
        row["held_from"] = str(file.held_from)
    if file.lfs:
        row["lfs"] = True
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _facts(facts: LicenseFacts) -> dict[str, Json]:
    found: dict[str, Json] = {"spdx": [*facts.expressions], "copyright": [*facts.copyrights], "source": facts.source}
    return {key: value for key, value in found.items() if value}


def _patch_row(patch: LockedPatch) -> str:
    row = {"file": patch.file, "sha256": patch.sha256, "tree": str(patch.tree)}
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _texts(texts: tuple[str, ...]) -> str:
    return json.dumps(list(texts), ensure_ascii=False)
