# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`objects/<operation>/<target>/objects.dvc`: where DVC keeps the objects of the manifest beside it. In git.

An ordinary DVC file with one output per object, so that `dvc pull`, `dvc gc` and everything else of DVC work on it. DVC
keeps `meta` for whoever writes it: ours names the objects by SHA-256, so that a pointer that was not renewed after a
build is noticed where neither objects nor remote can be reached.

    meta:
      vendorctl:
        objects: <SHA-256 of the names and hashes of the manifest's objects>
    outs:
    - md5: <32 hex digits>
      size: <bytes>
      hash: md5
      path: <file>.hsaco
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import yaml

from vendorctl import digest
from vendorctl.errors import Location, VendorError
from vendorctl.kernels.object import elf, manifest
from vendorctl.kernels.object.manifest import ObjectManifest
from vendorctl.model import Json
from vendorctl.workspace import nodes

FILE_NAME = "objects.dvc"
#: What a push gives to DVC until the remote has everything: a pointer that names files which nobody has.
SENDING_NAME = "sending.dvc"
_SENDING_FOLDER = "sending"
_MD5 = re.compile(r"[0-9a-f]{32}\Z")
_SIZE = re.compile(r"(?:0|[1-9][0-9]{0,14})\Z")


class PointerState(StrEnum):
    """What a pointer is worth for the manifest beside it."""

    NONE = "none"  # there is no pointer
    MATCHES = "matches"  # it names the manifest's objects
    OTHER = "other"  # it names objects of another build
    INVALID = "invalid"  # it cannot be read


@dataclass(frozen=True, slots=True)
class Stored:
    """One object as DVC knows it: MD5 of its bytes, and their number."""

    md5: str
    size: int

    @property
    def key(self) -> str:
        """Its path below a cache or remote of DVC 3 and later."""
        return f"files/md5/{self.md5[:2]}/{self.md5[2:]}"

    @classmethod
    def of(cls, data: bytes) -> Stored:
        """What DVC calls these bytes."""
        # An address, never a proof: SHA-256 decides what is accepted.
        return cls(md5=hashlib.md5(data, usedforsecurity=False).hexdigest(), size=len(data))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """`outs` by file name; `objects` is the identity of the objects it was written for (None: not by vendorctl)."""

    outs: Mapping[str, Stored]
    objects: str | None


def identity(found: ObjectManifest) -> str:
    """What names all objects of a manifest: equal for equal files with equal bytes, whatever else the manifest says."""
    rows: list[Json] = [[name, sha256] for name, sha256 in sorted((each.file, each.sha256) for each in found.objects)]
    return digest.sha256(digest.canonical_json(rows))


def path_of(found: ObjectManifest) -> str:
    """Where the pointer of a manifest lies, relative to the workspace."""
    return f"{found.folder}/{FILE_NAME}"


def dump(found: ObjectManifest, outs: Mapping[str, Stored]) -> bytes:
    """The bytes of the pointer of `found`; `outs` are its objects by file name."""
    head = [
        f"# Written by vendorctl; `vendorctl objects pull {found.operation}` restores what it names.",
        "meta:",
        "  vendorctl:",
        f"    objects: {identity(found)}",
    ]
    return _dump(head, outs)


def sending_path(found: ObjectManifest) -> str:
    """Where `dump_sending` goes for a manifest, relative to the workspace."""
    return f"{found.folder}/{SENDING_NAME}"


def stray(name: str) -> tuple[str, str | None]:
    """What is said of a file beside a manifest that has no business there, and a hint where that is its own."""
    if name == SENDING_NAME:
        return "an interrupted `vendorctl objects push` left it", "run it again: vendorctl objects push"
    return "no record of the manifest beside it names this file", None


def sending_outs(outs: Mapping[str, Stored]) -> dict[str, Stored]:
    """The outputs of `dump_sending`: DVC wants every output to be in one pointer only."""
    return {f"{_SENDING_FOLDER}/{name}": stored for name, stored in outs.items()}


def dump_sending(outs: Mapping[str, Stored]) -> bytes:
    """What makes DVC send objects before there is a pointer to them. Transfers need no more than size and MD5."""
    head = ["# Written by `vendorctl objects push`, which removes it. Never belongs into git."]
    return _dump(head, sending_outs(outs))


def _dump(head: Sequence[str], outs: Mapping[str, Stored]) -> bytes:
    lines = [*head, "outs:"]
    for name, stored in sorted(outs.items()):
        lines += [f"- md5: {stored.md5}", f"  size: {stored.size}", "  hash: md5", f"  path: {name}"]
    return ("\n".join(lines) + "\n").encode()


def parse(data: bytes, path: str) -> Pointer:
    """Read a pointer. Raises VendorError naming `path` when it is not one of objects that lie beside it."""
    hint = "restore it from git, or write it again: `vendorctl objects push`"
    try:
        node = nodes.compose(data.decode(), path)
        outs: dict[str, Stored] = {}
        items = _items(_value(node, "outs"))
        for item in items:
            name, stored = _out(item)
            outs[name] = stored
        _require(len(outs) == len(items), "an output stands there twice")
        objects = _value(_value(_value(node, "meta"), "vendorctl"), "objects")
        return Pointer(outs=outs, objects=_text(objects) if objects is not None else None)
    except (ValueError, VendorError) as error:  # ValueError: also of bytes that are no UTF-8
        message = error.message if isinstance(error, VendorError) else str(error)
        raise VendorError(f"not a pointer to objects: {message}", location=Location(path), hint=hint) from error


def _out(item: yaml.Node) -> tuple[str, Stored]:
    name, md5, size, kind = (_text(_value(item, key)) for key in ("path", "md5", "size", "hash"))
    _require(manifest.is_file_name(name), f"{name!r} is not the name of an object")
    _require(kind == "md5" and bool(_MD5.match(md5)), f"{name} is not named by an MD5 as DVC 3 writes it")
    _require(bool(_SIZE.match(size)), f"the size of {name} is not a number of bytes")
    _require(int(size) <= elf.MAX_OBJECT, f"{name} is larger than {elf.MAX_OBJECT >> 20} MiB, which no object is")
    return name, Stored(md5=md5, size=int(size))


def _value(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for name, value in node.value if getattr(name, "value", None) == key), None)
    return None


def _items(node: yaml.Node | None) -> Sequence[yaml.Node]:
    _require(isinstance(node, yaml.SequenceNode), "it has no list of outputs")
    items: list[yaml.Node] = getattr(node, "value", [])
    return items


def _text(node: yaml.Node | None) -> str:
    _require(isinstance(node, yaml.ScalarNode), "an output lacks its path, md5, hash or size")
    return str(getattr(node, "value", ""))


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def read(root: Path, found: ObjectManifest) -> tuple[PointerState, Pointer | None]:
    """The pointer of a manifest, and what it is worth. What is there but cannot be read is INVALID, with no pointer."""
    shown = path_of(found)
    try:
        pointer = parse((root / shown).read_bytes(), shown)
    except FileNotFoundError:
        return PointerState.NONE, None
    except (OSError, VendorError):
        return PointerState.INVALID, None
    sizes = {record.file: record.size for record in found.objects}
    same = pointer.objects == identity(found) and {name: out.size for name, out in pointer.outs.items()} == sizes
    return (PointerState.MATCHES if same else PointerState.OTHER), pointer


def matches(root: Path, found: ObjectManifest) -> bool:
    """True when a pointer says where the objects of exactly this manifest are kept."""
    return read(root, found)[0] is PointerState.MATCHES
