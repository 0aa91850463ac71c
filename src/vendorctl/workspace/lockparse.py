# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Strict reading of VENDOR.lock. A lock that was edited or merged by hand is refused with the line that is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeVar

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Mode
from vendorctl.paths import display_text, is_ordinary, percent_decode, reject_reason
from vendorctl.workspace.jsonplace import JsonKey, find_place
from vendorctl.workspace.lock import (
    FILE_NAME,
    LicenseFacts,
    Lock,
    LockedFile,
    LockedPatch,
    LockedRef,
    LockedUpstream,
    StatedTrees,
)
from vendorctl.workspace.lockfile import VERSION
from vendorctl.workspace.names import name_reason

_T = TypeVar("_T")

_MARKER = re.compile(rb"^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?\r?$", re.MULTILINE)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PATCH_FILE = re.compile(r"[0-9]{4,}-[^/\\\0]+\.patch")
_MODES = {mode.value: mode for mode in Mode}
_NO_FACTS = LicenseFacts()

_UPSTREAM_KEYS = {"url", "commit", "root_tree", "tree", "include", "exclude", "files", "series", "patched"}
_BLOB_KEYS = {"path", "mode", "blob", "sha256", "size"}
_GITLINK_KEYS = {"path", "mode", "blob"}
_FACT_KEYS = {"spdx", "copyright", "source"}
_OPTIONAL_FILE_KEYS = _FACT_KEYS | {"held_from", "lfs"}
_ALL_FILE_KEYS = {True: _BLOB_KEYS | _OPTIONAL_FILE_KEYS, False: _GITLINK_KEYS | _OPTIONAL_FILE_KEYS}

_RESTORE = "restore it with `git checkout VENDOR.lock`, or run `vendorctl sync` on a copy without the file"


class _Invalid(Exception):  # noqa: N818 - becomes a VendorError once its place is known
    """A value that is wrong, and its keys from the top."""

    def __init__(self, message: str, *keys: JsonKey) -> None:
        super().__init__(message)
        self.message = message
        self.keys = keys

    def below(self, *keys: JsonKey) -> _Invalid:
        return _Invalid(self.message, *keys, *self.keys)


def parse_lock(data: bytes) -> Lock:
    """Read a lock. Raises VendorError (exit code 3) naming line and column of the first thing that is wrong."""
    # The plain search is a hundred times faster, and nearly always the whole answer.
    marker = _MARKER.search(data) if b"<<<<<<<" in data or b">>>>>>>" in data or b"=======" in data else None
    if marker:
        raise _error(
            "unresolved merge conflict",
            data.count(b"\n", 0, marker.start()) + 1,
            1,
            hint="take either side (`git checkout --theirs VENDOR.lock`), then run `vendorctl sync`",
        )
    text = _decoded(data)
    try:
        return _located(text)
    except json.JSONDecodeError as error:
        raise _error(f"not valid JSON: {error.msg}", error.lineno, error.colno) from error
    except RecursionError as error:
        raise _error("nested too deeply", 1, 1) from error
    except ValueError as error:  # Python refuses to read a number of thousands of digits
        raise _error(f"not usable JSON: {error}", 1, 1) from error


def _located(text: str) -> Lock:
    """The lock. Raises VendorError with the place of a wrong value, and the reader's own errors for what is no JSON."""
    repeated: list[str] = []
    value = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, repeated))
    if repeated:
        # Where that is only the slow search can tell: a key that occurs twice has no address.
        message = f"the key {display_text(repeated[0])!r} is given twice"
        raise _error(message, *find_place(text, (repeated[0], -1)))
    try:
        return _lock(value)
    except _Invalid as error:
        raise _error(error.message, *find_place(text, error.keys)) from error


def _error(message: str, line: int, column: int, *, hint: str = _RESTORE) -> VendorError:
    return VendorError(message, hint=hint, location=Location(FILE_NAME, line, column), code=ExitCode.INVALID)


def _decoded(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _error("not UTF-8 text", line, error.start - data.rfind(b"\n", 0, error.start)) from error


def _object(pairs: list[tuple[str, Any]], repeated: list[str]) -> dict[str, Any]:
    """An object as a dictionary; a key that it has twice is noted."""
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _value in pairs]
        repeated.append(next(name for name in names if names.count(name) > 1))
    return made


def _lock(value: Any) -> Lock:
    _keys(value, {"version", "upstreams"})
    if value["version"] != VERSION:
        message = f"version {value['version']!r} is not one that this vendorctl reads (it reads {VERSION})"
        raise _Invalid(message, "version")
    entries = value["upstreams"]
    if not isinstance(entries, dict):
        raise _Invalid("upstreams must be an object", "upstreams")
    if list(entries) != sorted(entries):
        raise _Invalid("the upstreams are not sorted by name", "upstreams")
    upstreams, stated = {}, {}
    for name, entry in entries.items():
        reason = name_reason(name)
        if reason:
            raise _Invalid(f"{display_text(name)!r} cannot name an upstream: {reason}", "upstreams", name)
        try:
            upstreams[name] = _upstream(name, entry)
            stated[name] = StatedTrees(pristine=_oid(entry, "tree"), patched=_oid(entry, "patched"))
        except _Invalid as error:
            raise error.below("upstreams", name) from error
    return Lock(upstreams=upstreams, stated=stated)


def _upstream(name: str, value: Any) -> LockedUpstream:
    _keys(value, _UPSTREAM_KEYS, {"ref"})
    upstream = LockedUpstream(
        name=name,
        url=_typed(value, "url", str),
        commit=_oid(value, "commit"),
        root_tree=_oid(value, "root_tree"),
        ref=_at("ref", _ref, value["ref"]) if "ref" in value else None,
        files=_rows(value, "files", _file),
        series=_rows(value, "series", _patch),
        include=_texts(value, "include"),
        exclude=_texts(value, "exclude"),
    )
    _require_order([file.path for file in upstream.files])
    try:
        _tree = upstream.tree
    except ValueError as error:
        raise _Invalid(str(error), "files") from error
    return upstream


def _require_order(paths: list[bytes]) -> None:
    for index in range(1, len(paths)):
        if paths[index - 1] >= paths[index]:
            problem = "is listed twice" if paths[index - 1] == paths[index] else "is not in its sorted place"
            raise _Invalid(f"this path {problem}", "files", index)


def _ref(value: Any) -> LockedRef:
    _keys(value, {"name", "object"})
    return LockedRef(name=_typed(value, "name", str), oid=_oid(value, "object"))


def _file(row: Any) -> LockedFile:
    if not isinstance(row, dict):
        raise _Invalid("each file must be an object")
    stated = row.get("mode")
    mode = _MODES.get(stated) if isinstance(stated, str) else None
    if mode is None:
        raise _Invalid("not a file mode of git", *(["mode"] if "mode" in row else []))
    is_blob = mode.is_blob
    needed = _BLOB_KEYS if is_blob else _GITLINK_KEYS
    keys = row.keys()
    if not (needed <= keys <= _ALL_FILE_KEYS[is_blob]):
        _keys(row, needed, _OPTIONAL_FILE_KEYS)
    if "lfs" in row and row["lfs"] is not True:
        raise _Invalid("lfs must be true or absent", "lfs")
    return LockedFile(
        path=_path(row["path"]),
        mode=mode,
        blob=_oid(row, "blob"),
        sha256=_sha256(row, "sha256") if is_blob else "",
        size=_size(row["size"]) if is_blob else 0,
        facts=_NO_FACTS if keys.isdisjoint(_FACT_KEYS) else _facts(row),
        held_from=_oid(row, "held_from") if "held_from" in row else None,
        lfs="lfs" in row,
    )


def _facts(row: dict[str, Any]) -> LicenseFacts:
    expressions = _texts(row, "spdx") if "spdx" in row else ()
    copyrights = _texts(row, "copyright") if "copyright" in row else ()
    return _shared_facts(expressions, copyrights, _typed(row, "source", str) if "source" in row else "")


@lru_cache(maxsize=1024)
def _shared_facts(expressions: tuple[str, ...], copyrights: tuple[str, ...], source: str) -> LicenseFacts:
    """One value for all files that say the same, as most files of an upstream do."""
    return LicenseFacts(expressions=expressions, copyrights=copyrights, source=source)


def _patch(row: Any) -> LockedPatch:
    _keys(row, {"file", "sha256", "tree"})
    file = _typed(row, "file", str)
    if not _PATCH_FILE.fullmatch(file) or reject_reason(file.encode("utf-8", "surrogatepass")):
        raise _Invalid("not a patch file name (NNNN-slug.patch)", "file")
    return LockedPatch(file=file, sha256=_sha256(row, "sha256"), tree=_oid(row, "tree"))


def _keys(value: Any, needed: set[str], optional: Iterable[str] = ()) -> None:
    if not isinstance(value, dict):
        raise _Invalid("must be an object")
    for key in value:
        if key not in needed and key not in optional:
            raise _Invalid(f"unknown key {display_text(key)!r}", key)
    for key in sorted(needed):
        if key not in value:
            raise _Invalid(f"the key {key!r} is missing")


def _typed(value: dict[str, Any], key: str, kind: type[_T]) -> _T:
    found = value[key]
    if not isinstance(found, kind):
        raise _Invalid(f"{key} must be {'text' if kind is str else kind.__name__}", key)
    return found


def _texts(value: dict[str, Any], key: str) -> tuple[str, ...]:
    found = value[key]
    if not isinstance(found, list) or not {*map(type, found)} <= {str}:
        raise _Invalid(f"{key} must be a list of texts", key)
    return tuple(found)


def _oid(value: dict[str, Any], key: str) -> Oid:
    try:
        return Oid.parse(value[key])
    except (ValueError, TypeError):
        raise _Invalid(f"{key} must be 40 lower-case hex digits", key) from None


def _sha256(value: dict[str, Any], key: str) -> str:
    found = value[key]
    if not isinstance(found, str) or not _SHA256.fullmatch(found):
        raise _Invalid(f"{key} must be 64 lower-case hex digits", key)
    return found


def _size(found: Any) -> int:
    # `True` is an int to Python, not to a reader of the file.
    if type(found) is not int or found < 0:
        raise _Invalid("size must be a number of bytes", "size")
    return found


def _path(found: Any) -> bytes:
    if isinstance(found, str) and is_ordinary(found):
        return found.encode()
    try:
        path = percent_decode(found)
    except (ValueError, TypeError, AttributeError):  # the latter two: it is no text
        raise _Invalid("path must be UTF-8 text with %XX for other bytes, spelled as vendorctl does", "path") from None
    reason = reject_reason(path)
    if reason:
        raise _Invalid(reason, "path")
    return path


def _at(key: str, read: Callable[[Any], _T], value: Any) -> _T:
    try:
        return read(value)
    except _Invalid as error:
        raise error.below(key) from error


def _rows(value: dict[str, Any], key: str, read: Callable[[Any], _T]) -> tuple[_T, ...]:
    found = value[key]
    if not isinstance(found, list):
        raise _Invalid(f"{key} must be a list", key)
    made: list[_T] = []
    try:
        made.extend(map(read, found))
    except _Invalid as error:
        raise error.below(key, len(made)) from error
    return tuple(made)
