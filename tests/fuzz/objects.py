# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Built objects and what describes them: ELF files, metadata, manifests, launch plans, descriptors, shards, results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgpack

from fuzz.elf_files import NAME, code_object, metadata
from fuzz.scratch import root_with
from fuzz.target import Target
from vendorctl import digest
from vendorctl.emulator import CodeObject
from vendorctl.errors import VendorError
from vendorctl.kernels.caching import entry
from vendorctl.kernels.compiler.table import parse_table
from vendorctl.kernels.object import elf, instance, launch, manifest
from vendorctl.kernels.object import target as targets
from vendorctl.kernels.object.elfcode import kernel_code
from vendorctl.kernels.objectstore import dvc, pointer
from vendorctl.kernels.shipping import shard
from vendorctl.kernels.shipping.descriptors import describe, select
from vendorctl.kernels.testing import results
from vendorctl.kernels.testing.backend import Category, Covered, Problem
from vendorctl.kernels.testing.comparison import OutputError
from vendorctl.proc import Completed
from vendorctl.submit.proof import read_tests

_SHA = "0" * 64
#: More than any kernel's arguments take.
_SEGMENT = 1 << 16


def check_elf(data: bytes) -> None:
    """Both readers take what is sound, and what they say lies inside of the bytes given."""
    taken = False
    for read in (_read_facts, _read_code, _read_image):
        try:
            read(data)
            taken = True
        except VendorError as error:
            assert error.message
    if not taken:
        raise VendorError("refused by all")


def _read_facts(data: bytes) -> None:
    code = elf.parse(data)
    for found in targets.TARGETS.values():
        elf.stamp_faults(code, found)
    assert all(kernel.name and kernel.lds >= 0 for kernel in code.kernels)


def _read_code(data: bytes) -> None:
    for text in kernel_code(data).values():
        assert text in data


def _read_image(data: bytes) -> None:
    code = CodeObject.parse(data)
    assert code.text in data
    assert len(code.image) <= 256 << 20
    for kernel in code.kernels.values():
        assert 0 <= kernel.entry - code.text_address < len(code.text)


def check_metadata(data: bytes) -> None:
    """The msgpack note of an otherwise sound object."""
    check_elf(code_object("gfx942", bytes(8), data))


def _elves() -> Iterator[bytes]:
    for name in ("gfx942", "gfx11-generic", "gfx1201"):
        yield code_object(name, bytes.fromhex("000081bf") * 4)


def _notes() -> Iterator[bytes]:
    for name in ("gfx942", "gfx1100"):
        yield msgpack.packb(metadata(name))


_E = ["const", "i32", 1]
_PLAN: dict[str, Any] = {
    "parameters": [{"name": "x", "type": "ptr", "elements": "f16", "rank": 2}, {"name": "n", "type": "i32"}],
    "launches": [
        {
            "symbol": NAME,
            "grid": [["sdiv", "i32", ["size", "i32", "x", 0], ["const", "i32", 4]], _E, _E],
            "block": [["select", "i32", ["slt", "i32", ["arg", "i32", "n"], _E], _E, ["const", "i32", 64]], _E, _E],
            "dynamic_lds": ["shl", "i32", _E, ["zext", "i32", "i1", ["eq", "i32", _E, _E]]],
            "arguments": [
                ["arg", "ptr", "x"],
                ["pack", ["trunc", "i32", ["stride", "i64", "x", 1]], ["const", "f32", 1.5]],
            ],
            "fields": [[0, 8], [8, 8]],
            "kernarg_size": 16,
            "lds": 64,
        }
    ],
}


class _Tensor:
    address = 0x1000
    shape = (3, 5)
    strides = (5, 1)


def _arguments(plan: launch.LaunchPlan, number: int) -> dict[str, launch.LaunchArgument]:
    kinds: dict[str, Any] = {"f16": 1.5, "f32": float("inf"), "f64": -0.0}
    return {
        parameter.name: _Tensor() if parameter.type == "ptr" else kinds.get(parameter.type, number)
        for parameter in plan.parameters
    }


def check_plan(data: bytes) -> None:
    """A plan that is taken has one JSON form; for any arguments it gives launches of bounded size, or says why not."""
    plan = launch.parse(digest.parse_json(data))
    assert launch.parse(plan.json()) == plan
    for number in (0, 1, -1, 64, (1 << 31) - 1):
        try:
            for made in plan.evaluate(_arguments(plan, number)):
                assert len(made.kernarg) <= _SEGMENT
                assert min(made.block) > 0
                assert made.lds_bytes >= 0
        except VendorError as error:
            assert error.message


def _manifest() -> dict[str, Any]:
    resources = dict.fromkeys(("vgpr", "agpr", "sgpr", "lds", "scratch", "spills", "wave_size", "max_workgroup"), 1)
    return {
        "schema": manifest.SCHEMA, "operation": "softmax", "target": "gfx942", "environment": {"A": "b"},
        "inputs": {
            "upstream": "up", "import_root": ".", "sources": {"a.py": _SHA}, "pristine": {"a.py": _SHA},
            "patches": {"0001-x.patch": _SHA}, "recipe": "recipes/a.py", "recipe_files": {"recipes/a.py": _SHA},
            "data_files": ["x.json"],
        },
        "toolchain": {"flydsl": "0.5.0", "pipeline": 3},
        "declines": [{"case": "c", "reason": "r"}],
        "excluded": [{"instance": [["dtype", "f32"]], "reason": "r"}],
        "objects": [{
            "file": "f16-n4.hsaco", "sha256": _SHA, "size": 9, "instance": [["dtype", "f16"], ["n", 4]], "input": _SHA,
            "accepts": [{"field": "n", "rule": "multiple-of", "value": 4, "reason": "r"}], "resources": resources,
            "launch": _PLAN,
        }],
        "seal": "",
    }  # fmt: skip


def _sealed(value: Any) -> bytes:
    """A manifest under its right seal: SHA-256 of the head and, line by line, the records."""
    head = {key: each for key, each in value.items() if key not in {"objects", "seal"}}
    lines = [digest.canonical_json(each).decode() for each in value["objects"]]
    seal = digest.sha256(digest.canonical_json(head) + b"\n" + "\n".join(lines).encode())
    return json.dumps(value | {"seal": seal}).encode()


def check_manifest(data: bytes) -> None:
    """A manifest, as given and under a right seal: one that is taken reads back, and describes its kernels."""
    try:
        manifest.parse(data, "m.json")
    except VendorError:
        try:
            data = _sealed(digest.parse_json(data))
        except (ValueError, TypeError, KeyError, AttributeError):
            raise VendorError("nothing to seal") from None
    found = manifest.parse(data, "m.json")
    dumped = manifest.dump(found)
    again = manifest.parse(dumped, "m.json")
    assert manifest.dump(again) == dumped
    described = describe(found)
    assert isinstance(described, dict)
    problems: tuple[dict[str, bool | int | str], ...] = ({}, {"n": 8}, {"n": "x", "dtype": True})
    for problem in problems:
        select(described, problem)


def check_shard(data: bytes) -> None:
    """The index of a shard with one object behind it."""
    code = b"code"
    index = data.replace(b"@SHA", digest.sha256(code).encode())
    size = 16 + len(index)
    place = -(-size // 256) * 256
    index = index.replace(b"@PLACE", str(place).encode().ljust(6))
    raw = b"VCSHARD1" + len(index).to_bytes(8, "little") + index + bytes(place - size) + code
    architecture, entries = shard.parse(raw)
    again = shard.parse(shard.dump(architecture, entries))
    assert again[0] == architecture
    assert sorted(each.key for each in again[1]) == sorted(each.key for each in entries)


def _index() -> bytes:
    row = {
        "operation": "softmax",
        "instance": [["n", 4]],
        "target": "gfx942",
        "size": 4,
        "sha256": "@SHA",
        "launch": _PLAN,
    }
    text = json.dumps({"schema": shard.SCHEMA, "architecture": "gfx942", "entries": [row | {"offset": 0}]})
    return text.replace('"offset": 0', '"offset": @PLACE').encode()


def check_results(data: bytes) -> None:
    """Test results from a file: numbers, or a refusal; what is taken has one JSON form."""
    place = root_with({"tests.json": data}) / "tests.json"
    assert read_tests(place).backend is not None
    for each in digest.parse_json(data)["results"]:
        found = results.parse(each)
        assert results.parse(results.dump(found)) == found


def _results() -> bytes:
    output = OutputError(name="y", elements=3, worst=0.5, tolerance=1.0, histogram=(1, 2), wrong=0, first="")
    problem = Problem(Category.RACE, "lds", "a race")
    trial = results.TrialResult(name="t", schedules=("lockstep",), outputs=(output,), problems=(("lockstep", problem),))
    cover = Covered(executed=1, total=2, missed={"s_nop": 1}, unproven=("x",))
    found = results.ObjectResult(
        operation="softmax", target="gfx942", instance="n4", sha256=_SHA, trials=(trial,), coverage=cover
    )
    return json.dumps({"schema": "vendorctl/test/1", "backend": "emulator", "results": [results.dump(found)]}).encode()


def check_table(data: bytes) -> None:
    """What a recipe's process answers: a table with unique names for each target, or a refusal."""
    table = parse_table(digest.parse_json(data), "recipes/a.py", ["gfx942"])
    names = [row.instance.name.lower() for row in table.rows["gfx942"]]
    assert len(set(names)) == len(names)


def check_pointer(data: bytes) -> None:
    """A pointer names files beside it, by MD5 and size, and no other place."""
    found = pointer.parse(data, "objects.dvc")
    for name, stored in found.outs.items():
        assert manifest.is_file_name(name)
        assert re.fullmatch(r"files/md5/[0-9a-f]{2}/[0-9a-f]{30}", stored.key)
        assert stored.size >= 0


def _pointer() -> bytes:
    lines = "".join(f"- md5: {md5 * 32}\n  size: 4\n  hash: md5\n  path: n{md5}.hsaco\n" for md5 in "ab")
    return f"meta:\n  vendorctl:\n    objects: {_SHA}\nouts:\n{lines}".encode()


def check_entry(data: bytes) -> None:
    """The header of a cache's entry, before a code object that is what the header says, if it says so."""
    code = code_object("gfx942", bytes(64))
    whole = data.replace(b"@SHA", digest.sha256(code).encode()) + b"\n" + code
    found = entry.load(whole, instance.make({"n": 4}), targets.find("gfx942"))
    if found is None:
        raise VendorError("it counts as absent")
    assert found.code == code
    assert entry.code_of(entry.dump(found)) == code


_CONDITION = {"field": "n", "rule": "equals", "value": 4, "reason": "r"}
_TABLE = {
    "operation": "softmax", "upstream": "up", "import_root": ".", "declines": [{"case": "c", "reason": "r"}],
    "data_files": ["x"], "excluded": {"gfx942": [{"row": [["n", 8]], "reason": "r"}]},
    "rows": {"gfx942": [{"row": [["n", 4], ["fast", True]], "accepts": [_CONDITION]}]},
}  # fmt: skip

_JSON = (VendorError, ValueError)


def check_dvc(data: bytes) -> None:
    """Two answers of DVC: its configuration, and what a remote lacks. Nothing is lacking that was not asked for."""
    configuration, _, state = data.partition(b"\n--\n")

    def runner(args: Sequence[str | bytes], **_options: Any) -> Completed:
        return Completed(
            tuple(map(str, args)), 0, {"config": configuration, "cache": b"c"}.get(str(args[1]), state), b""
        )

    program = dvc.Program(command=("dvc",), version="3.0")
    repository = dvc.Repository(root=root_with({"w/.dvc/config": b""}) / "w", program=program, environment={},
                                runner=runner)  # fmt: skip
    settings = repository.settings()
    assert all("\n" not in name for name in settings.remotes)
    asked = {"k/objects.dvc": {"a.hsaco": pointer.Stored.of(b"a"), "b.hsaco": pointer.Stored.of(b"b")}}
    absent = repository.absent(asked, settings.remote(None))
    assert absent <= set(asked["k/objects.dvc"].values())


TARGETS = (
    Target(
        name="dvc",
        check=check_dvc,
        seeds=lambda: [
            b"core.remote=r\nremote.r.url=s3://x\ncache.dir=/c\n--\n"
            b'note\n{"k/a.hsaco": "new", "k/b.hsaco": "deleted"}\n'
        ],
        tokens=(b"remote.", b"core.remote=", b"cache.dir=", b"\n--\n", b'{"k/a.hsaco": "missing"}', b".url=", b"\n"),
    ),
    Target(
        name="elf",
        check=check_elf,
        seeds=_elves,
        tokens=(b"\x7fELF", b"\xff" * 8, bytes(8), b"AMDGPU\0\0"),
        longest=4096,
    ),
    Target(
        name="metadata",
        check=check_metadata,
        seeds=_notes,
        tokens=(
            b"\xc0",
            b"\xdf\xff\xff\xff\xff",
            b"\xdd\xff\xff\xff\xff",
            b"\xcf" + b"\xff" * 8,
            b"\x81\xa1x",
            b"\xc7\x04\xff",
        ),
        longest=1024,
    ),
    Target(
        name="launch-plan",
        check=check_plan,
        seeds=lambda: [json.dumps(_PLAN).encode()],
        refusals=_JSON,
        is_json=True,
        tokens=tuple(
            f'["{name}", "i32", ["const", "i32", 7], ["const", "i32", -1]]'.encode()
            for name in ("ashr", "lshr", "shl", "sdiv", "srem", "floordiv", "urem", "smax", "mul")
        ),
    ),
    Target(
        name="object-manifest", check=check_manifest, seeds=lambda: [_sealed(_manifest())], is_json=True, longest=8192
    ),
    Target(name="shard", check=check_shard, seeds=lambda: [_index()], is_json=True, tokens=(b"@PLACE", b"@SHA")),
    Target(
        name="object-pointer",
        check=check_pointer,
        seeds=lambda: [_pointer()],
        tokens=(b"../", b"- ", b"&a ", b"*a", b"!x ", b"hash: md5\n", b"path: ", b"outs:", b"\xef\xbb\xbf"),
    ),
    Target(
        name="cache-entry",
        check=check_entry,
        seeds=lambda: [json.dumps({"sha256": "@SHA", "plan": _PLAN}).encode()],
        tokens=(b"@SHA", b"\n"),
        is_json=True,
    ),
    Target(name="test-results", check=check_results, seeds=lambda: [_results()], is_json=True),
    Target(
        name="recipe-table",
        check=check_table,
        seeds=lambda: [json.dumps(_TABLE).encode()],
        refusals=_JSON,
        is_json=True,
    ),
)
