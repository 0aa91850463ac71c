# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Built objects as notices, SBOM and provenance need them: what there is, with which hashes, made from what.

A small reader of `objects/<operation>/<target>/manifest.json`. The layer that writes manifests lies above this one and
has the full reader; whether objects are as their manifests say is `vendorctl check`'s business.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vendorctl.digest import parse_json
from vendorctl.errors import Location, VendorError
from vendorctl.model import Json

FOLDER = "objects"
_SCHEMA = "vendorctl/objects/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltObject:
    """One object: its workspace path, the SHA-256 and size in bytes of its content, the digest of its inputs."""

    path: str
    sha256: str
    size: int
    input: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The objects of one operation for one target, and what they were made from.

    `sources`, `recipe_files` and `patches` map paths to SHA-256 digests, `pristine` those of upstream's own bytes.
    """

    operation: str
    target: str
    upstream: str
    recipe: str
    sources: Mapping[str, str]
    pristine: Mapping[str, str]
    patches: Mapping[str, str]
    recipe_files: Mapping[str, str]
    toolchain: Mapping[str, Json]
    environment: Mapping[str, str]
    objects: tuple[BuiltObject, ...]

    @property
    def folder(self) -> str:
        """Where they lie, from the workspace root."""
        return f"{FOLDER}/{self.operation}/{self.target}"


def read_built(root: Path) -> tuple[Built, ...]:
    """Every manifest of the workspace, by folder. Raises VendorError naming one that cannot be read."""
    found = []
    for file in sorted((root / FOLDER).glob("*/*/manifest.json")):
        path = file.relative_to(root).as_posix()
        try:
            found.append(_built(parse_json(file.read_bytes()), path.removesuffix("/manifest.json")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            hint = "run `vendorctl check`, which says what is wrong with it"
            raise VendorError(f"not an object manifest: {error}", location=Location(path), hint=hint) from error
    return tuple(found)


def _built(value: Any, folder: str) -> Built:
    if value["schema"] != _SCHEMA:
        raise ValueError(f"schema {value['schema']!r} is not {_SCHEMA!r}")
    inputs = value["inputs"]
    built = Built(
        operation=str(value["operation"]),
        target=str(value["target"]),
        upstream=str(inputs["upstream"]),
        recipe=str(inputs["recipe"]),
        sources=_digests(inputs["sources"]),
        pristine=_digests(inputs["pristine"]),
        patches=_digests(inputs["patches"]),
        recipe_files=_digests(inputs["recipe_files"]),
        toolchain=dict(value["toolchain"].items()),
        environment={str(name): str(text) for name, text in value["environment"].items()},
        objects=tuple(_object(entry, folder) for entry in value["objects"]),
    )
    if built.folder != folder:
        raise ValueError(f"it is the manifest of {built.folder}")
    return built


def _object(entry: Any, folder: str) -> BuiltObject:
    name = str(entry["file"])
    if "/" in name or name in {"", ".", ".."}:
        raise ValueError(f"{name!r} is no file name")
    return BuiltObject(
        path=f"{folder}/{name}", sha256=str(entry["sha256"]), size=int(entry["size"]), input=str(entry["input"])
    )


def _digests(value: Any) -> dict[str, str]:
    return {str(path): str(digest) for path, digest in sorted(value.items())}
