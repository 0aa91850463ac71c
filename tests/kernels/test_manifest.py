# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Object manifests: written and read without loss, sealed, and refused with a message however they are broken."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from kernels.conftest import Built
from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.object import manifest
from vendorctl.kernels.object.instance import make, row

PATH = "objects/scale/gfx942/manifest.json"


@pytest.fixture
def data(built_once: Built) -> bytes:
    return (built_once.project.root / PATH).read_bytes()


def sealed(value: dict[str, Any]) -> bytes:
    """The bytes of a manifest whose seal fits, whatever it says."""
    head = {key: part for key, part in value.items() if key not in ("objects", "seal")}
    objects = value.get("objects")
    lines = [digest.canonical_json(entry).decode() for entry in (objects if isinstance(objects, list) else [])]
    seal = digest.sha256(digest.canonical_json(head) + b"\n" + "\n".join(lines).encode())
    return json.dumps(value | {"seal": seal}).encode()


def test_writing_is_the_inverse_of_reading(data: bytes) -> None:
    parsed = manifest.parse(data, PATH)
    assert manifest.dump(parsed) == data
    assert manifest.parse(manifest.dump(parsed), PATH) == parsed
    assert parsed.folder == "objects/scale/gfx942"
    assert parsed.record(row(dtype="f16")) is not None
    assert parsed.record(row(dtype="f64")) is None


def test_each_object_has_a_line_of_its_own(data: bytes) -> None:
    lines = [line for line in data.decode().splitlines() if '"sha256"' in line]
    assert len(lines) == 2
    assert [json.loads(line.strip().rstrip(","))["file"] for line in lines] == ["f16.hsaco", "f32.hsaco"]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of every number, text and flag of a JSON value."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from leaves(part, (*path, index))
    else:
        yield path


def with_value(tree: Any, path: tuple[Any, ...], new: Any) -> Any:
    result = copy.deepcopy(tree)
    place = result
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return result


def test_an_edit_of_any_value_breaks_the_seal(data: bytes) -> None:
    value = json.loads(data)
    count = 0
    for path in leaves(value):
        count += 1
        with pytest.raises(VendorError):
            manifest.parse(json.dumps(with_value(value, path, "other")).encode(), PATH)
    assert count > 80


def test_reformatting_keeps_the_seal(data: bytes) -> None:
    value = json.loads(data)
    assert manifest.parse(json.dumps(value, indent=8).encode(), PATH) == manifest.parse(data, PATH)


FORGED = {
    "schema": (("schema",), "vendorctl/objects/2"),
    "operation": (("operation",), "../scale"),
    "target": (("target",), "gfx942/../.."),
    "absolute recipe": (("inputs", "recipe"), "/etc/passwd"),
    "recipe outside": (("inputs", "recipe"), "../recipes/scale.py"),
    "object outside": (("objects", 0, "file"), "../f16.hsaco"),
    "object of another row": (("objects", 0, "file"), "f32.hsaco"),
    "hash": (("objects", 0, "sha256"), "abc"),
    "input": (("objects", 0, "input"), None),
    "size": (("objects", 0, "size"), "large"),
    "instance": (("objects", 0, "instance"), [["dtype", 1.5]]),
    "resources": (("objects", 0, "resources"), {"vgpr": 1}),
    "plan": (("objects", 0, "launch", "launches", 0, "grid", 0), ["call", "exit"]),
    "excluded": (("excluded", 0, "instance"), [["dtype", "a/b"]]),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_fitting_seal_does_not_make_nonsense_acceptable(data: bytes, name: str) -> None:
    path, new = FORGED[name]
    value = json.loads(data)
    assert manifest.parse(sealed(value), PATH) == manifest.parse(data, PATH)
    with pytest.raises(VendorError) as caught:
        manifest.parse(sealed(with_value(value, path, new)), PATH)
    assert caught.value.location is not None
    assert caught.value.location.path == PATH


def test_arbitrary_damage_gives_a_message_and_nothing_else(data: bytes) -> None:
    value = json.loads(data)
    generator = random.Random(11)
    paths = list(leaves(value))
    strange: list[Any] = [None, True, -1, 2**70, 0.5, "", "x" * 300, [], {}, [[]], {"a": 1}, "\0", "../.."]
    refused = 0
    for _ in range(600):
        broken = value
        for _ in range(generator.randint(1, 3)):
            path = generator.choice(paths)
            cut = path[: generator.randint(1, len(path))]
            try:
                broken = with_value(broken, cut, generator.choice(strange))
            except (KeyError, TypeError, IndexError):
                continue
        try:
            manifest.parse(sealed(broken), PATH)
        except VendorError:
            refused += 1
    assert refused > 300


@pytest.mark.parametrize("junk", [b"", b"{}", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_junk_is_refused(junk: bytes) -> None:
    with pytest.raises(VendorError, match="not an object manifest"):
        manifest.parse(junk, PATH)


def test_instances_are_named_by_their_columns() -> None:
    assert row(dtype="f16", n=4096, inv_rms=True).name == "f16-n4096-inv_rms"
    assert row(dtype="f16", n=4096, inv_rms=False).name == "f16-n4096"
    assert row(causal=False).name == "only"
    for values in ({"dtype": "a/b"}, {"dtype": ".."}, {"Dtype": "f16"}, {"n": 1.5}, {"dtype": "x" * 200}):
        with pytest.raises(VendorError):
            make(values)
    instance = row(dtype="f16", n=3, fast=True)
    assert (instance.text("dtype"), instance.number("n"), instance.flag("fast")) == ("f16", 3, True)
    for read, column in ((instance.text, "n"), (instance.number, "fast"), (instance.flag, "n")):
        with pytest.raises(VendorError, match="is not"):
            read(column)
