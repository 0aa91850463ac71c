# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`objects/<operation>/<target>/manifest.json`: what was built from what. In git; the objects beside it are not.

Deterministic: keys sorted, one object per line so that it reviews and merges well, no clock, no machine path. `seal` is
the SHA-256 of everything else in the file, so that an edit by hand is noticed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from vendorctl import digest
from vendorctl.errors import Location, VendorError
from vendorctl.kernels.object import instance as rows
from vendorctl.kernels.object import launch
from vendorctl.kernels.object.conditions import parse_condition
from vendorctl.kernels.object.elf import CodeObject, KernelFacts
from vendorctl.kernels.object.instance import Excluded, Instance
from vendorctl.kernels.object.launch import LaunchPlan
from vendorctl.model import Json

SCHEMA = "vendorctl/objects/1"
FILE_NAME = "manifest.json"
FOLDER = "objects"
SUFFIX = ".hsaco"
_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}\Z")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\.hsaco\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What an object's kernels use at most: registers per lane or wave, bytes of LDS and scratch, spilled registers."""

    vgpr: int
    agpr: int
    sgpr: int
    lds: int
    scratch: int
    spills: int
    wave_size: int
    max_workgroup: int

    @classmethod
    def of(cls, code: CodeObject) -> Resources:
        """The maximum over the kernels of `code`."""

        def most(read: Any) -> int:
            return max((int(read(kernel)) for kernel in code.kernels), default=0)

        return cls(
            vgpr=most(lambda k: k.vgpr),
            agpr=most(lambda k: k.agpr),
            sgpr=most(lambda k: k.sgpr),
            lds=most(lambda k: k.lds),
            scratch=most(lambda k: k.scratch),
            spills=most(_spills),
            wave_size=most(lambda k: k.wave_size),
            max_workgroup=most(lambda k: k.max_workgroup),
        )

    def json(self) -> dict[str, Json]:
        """Field names to numbers."""
        return {name: getattr(self, name) for name in self.__slots__}


def _spills(kernel: KernelFacts) -> int:
    return kernel.vgpr_spills + kernel.sgpr_spills


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRecord:
    """One object: its file beside the manifest, SHA-256 and size of its bytes, and the digest of what it came from."""

    file: str
    sha256: str
    size: int
    instance: Instance
    input: str
    accepts: tuple[Mapping[str, Json], ...]
    resources: Resources
    launch: LaunchPlan

    def json(self) -> dict[str, Json]:
        """One line of the manifest."""
        return {
            "file": self.file,
            "sha256": self.sha256,
            "size": self.size,
            "instance": _pairs(self.instance),
            "input": self.input,
            "accepts": [dict(rule) for rule in self.accepts],
            "resources": self.resources.json(),
            "launch": self.launch.json(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where the compiled sources came from: one upstream's closure, with the patches that touch it.

    `sources` and `recipe_files` map paths to digests (`closure.SourceFile.digest`); `pristine` maps a path to the
    SHA-256 of upstream's bytes (absent for a file that a patch adds); `patches` maps file names to SHA-256.
    """

    upstream: str
    import_root: str
    sources: Mapping[str, str]
    pristine: Mapping[str, str]
    patches: Mapping[str, str]
    recipe: str
    recipe_files: Mapping[str, str]
    data_files: tuple[str, ...]

    def json(self) -> dict[str, Json]:
        """The `inputs` section of a manifest, without the tools."""
        return {
            "upstream": self.upstream,
            "import_root": self.import_root,
            "sources": dict(self.sources),
            "pristine": dict(self.pristine),
            "patches": dict(self.patches),
            "recipe": self.recipe,
            "recipe_files": dict(self.recipe_files),
            "data_files": list(self.data_files),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectManifest:
    """All objects of one operation for one target. `toolchain` and `environment` are as in the input digest."""

    operation: str
    target: str
    provenance: Provenance
    toolchain: Mapping[str, Json]
    environment: Mapping[str, str]
    declines: tuple[Mapping[str, Json], ...]
    excluded: tuple[Excluded, ...]
    objects: tuple[ObjectRecord, ...]

    @property
    def folder(self) -> str:
        """Where the manifest and its objects lie, relative to the workspace."""
        return f"{FOLDER}/{self.operation}/{self.target}"

    def record(self, instance: Instance) -> ObjectRecord | None:
        """The record of `instance`, if there is one."""
        return next((record for record in self.objects if record.instance == instance), None)


def _pairs(instance: Instance) -> Json:
    return [[key, value] for key, value in instance.values]


def dump(manifest: ObjectManifest) -> bytes:
    """The file's bytes; `parse` is the inverse."""
    head: dict[str, Json] = {
        "schema": SCHEMA,
        "operation": manifest.operation,
        "target": manifest.target,
        "inputs": manifest.provenance.json(),
        "toolchain": dict(manifest.toolchain),
        "environment": dict(manifest.environment),
        "declines": [dict(decline) for decline in manifest.declines],
        "excluded": [{"instance": _pairs(left.instance), "reason": left.reason} for left in manifest.excluded],
    }
    records = sorted(manifest.objects, key=lambda record: record.file)
    lines = [digest.canonical_json(record.json()).decode() for record in records]
    sealed = _seal(head, lines)
    text = json.dumps(head | {"seal": sealed}, sort_keys=True, indent=2, ensure_ascii=False)
    body = ",\n".join(f"    {line}" for line in lines)
    # `objects` stands first of all, spliced in so that each record keeps to one line.
    return ('{\n  "objects": [\n' + body + ("\n" if lines else "") + "  ],\n" + text[2:] + "\n").encode()


def _seal(head: Mapping[str, Json], lines: list[str]) -> str:
    return digest.sha256(digest.canonical_json(dict(head)) + b"\n" + "\n".join(lines).encode())


def parse(data: bytes, path: str) -> ObjectManifest:
    """Read a manifest. Raises VendorError naming `path` when it is malformed or its seal does not match."""
    place = Location(path)
    try:
        value = digest.parse_json(data)
        manifest = _manifest(value)
        objects = value.pop("objects")
        sealed = value.pop("seal")
        right = _seal(value, [digest.canonical_json(entry).decode() for entry in objects])
    except VendorError as error:
        raise VendorError(error.message, location=place, hint="run `vendorctl build`") from error
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        detail = f"{type(error).__name__}: {error}"
        raise VendorError(f"not an object manifest: {detail}", location=place, hint="run `vendorctl build`") from error
    if sealed != right:
        raise VendorError("the manifest was edited by hand: its seal does not match", location=place,
                          hint="restore it from git, or run `vendorctl build`")  # fmt: skip
    return manifest


def _manifest(value: Any) -> ObjectManifest:
    if value["schema"] != SCHEMA:
        raise VendorError(f"schema {value['schema']!r} is not {SCHEMA!r}")
    inputs = value["inputs"]
    manifest = ObjectManifest(
        operation=_name(value["operation"]),
        target=_name(value["target"]),
        provenance=Provenance(
            upstream=str(inputs["upstream"]),
            import_root=_inside(inputs["import_root"]),
            sources={_inside(path): _hash(sha) for path, sha in inputs["sources"].items()},
            pristine={_inside(path): _hash(sha) for path, sha in inputs["pristine"].items()},
            patches={_inside(path): _hash(sha) for path, sha in inputs["patches"].items()},
            recipe=_inside(inputs["recipe"]),
            recipe_files={_inside(path): _hash(sha) for path, sha in inputs["recipe_files"].items()},
            data_files=tuple(_inside(name) for name in inputs["data_files"]),
        ),
        toolchain=dict(value["toolchain"].items()),
        environment={str(name): str(text) for name, text in value["environment"].items()},
        declines=tuple({"case": str(each["case"]), "reason": str(each["reason"])} for each in value["declines"]),
        excluded=tuple(Excluded(_instance(e["instance"]), str(e["reason"])) for e in value["excluded"]),
        objects=tuple(_record(entry) for entry in value["objects"]),
    )
    files = [record.file.lower() for record in manifest.objects]
    if len(set(files)) != len(files):
        raise VendorError("two records name the same object file")
    return manifest


def _record(entry: Any) -> ObjectRecord:
    record = ObjectRecord(
        file=str(entry["file"]),
        sha256=_hash(entry["sha256"]),
        size=int(entry["size"]),
        instance=_instance(entry["instance"]),
        input=_hash(entry["input"]),
        accepts=tuple(map(parse_condition, entry["accepts"])),
        resources=Resources(**{name: int(number) for name, number in entry["resources"].items()}),
        launch=launch.parse(entry["launch"]),
    )
    if not is_file_name(record.file) or record.file != record.instance.name + SUFFIX:
        raise VendorError(f"object file {record.file!r} is not named after its instance")
    return record


def _instance(pairs: Any) -> Instance:
    return rows.make(dict(pairs))


def is_file_name(name: str) -> bool:
    """True for what may be the name of an object's file."""
    return bool(_FILE.match(name))


def _name(value: Any) -> str:
    """The name of an operation or target, which is also a folder's."""
    if not isinstance(value, str) or not _NAME.match(value):
        raise VendorError(f"{value!r} is not the name of an operation or target")
    return value


def _hash(value: Any) -> str:
    if not isinstance(value, str) or not _SHA256.match(value):
        raise VendorError(f"{value!r} is not a SHA-256")
    return value


def _inside(value: Any) -> str:
    """A POSIX path that stays below the folder it is joined to."""
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or "\0" in value or "\\" in value:
        raise VendorError(f"path {value!r} leads out of its folder")
    return str(value)
