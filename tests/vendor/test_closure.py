# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The import closure of files of an upstream, and the proof that a vendored set is closed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.command import Result, call
from support.repo import repo
from support.trees import Contents, tree
from vendorctl.vendor.closure import Closure, close, overlaid

#: Modules with every way of importing; each can be imported for real.
TREE: Mapping[str, str] = {
    "kern/__init__.py": "",
    "kern/norm/__init__.py": "from .rms import build\n",
    "kern/norm/rms.py": "import math\nimport kern.common.tile as t\nfrom ..common import shapes\nbuild = t.tile\n",
    "kern/common/tile.py": "from kern.common.deep.lanes import *\n\n\ndef tile():\n    from kern import late\n",
    "kern/common/shapes.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from kern import types_only\n",
    "kern/common/deep/__init__.py": "",
    "kern/common/deep/lanes.py": "try:\n    from kern import fast\nexcept ImportError:\n    fast = None\n",
    "kern/fast.py": "",
    "kern/late.py": "",
    "kern/types_only.py": "",
    "kern/unused.py": "from kern import also_unused\n",
    "kern/also_unused.py": "",
}
#: What importing `kern.norm.rms` reads.
NEEDED = sorted(set(TREE) - {"kern/types_only.py", "kern/unused.py", "kern/also_unused.py"})


def closed(files: Mapping[str, str], *entries: str, installed: tuple[str, ...] = ()) -> Closure:
    contents: Contents = {}
    made = tree(dict(files.items()), contents)
    return close(made, [entry.encode() for entry in entries], lambda _oids: contents, installed)


def names(closure: Closure) -> list[str]:
    return [path.decode() for path in closure.files]


def test_every_way_of_importing_is_followed() -> None:
    closure = closed(TREE, "kern/norm/rms.py")
    assert names(closure) == NEEDED
    edge = closure.needed_by[b"kern/common/deep/lanes.py"]
    assert (edge.path, edge.line, edge.module) == (b"kern/common/tile.py", 1, "kern.common.deep.lanes")
    assert closure.external == frozenset()


def test_the_closure_suffices_and_nothing_of_it_can_go(tmp_path: Path) -> None:
    """Python itself is asked, with every other file deleted."""

    def imports(kept: list[str], where: Path) -> bool:
        for path in kept:
            (where / path).parent.mkdir(parents=True, exist_ok=True)
            (where / path).write_text(TREE[path])
        program = "import kern.norm.rms as r; r.build()"
        done = subprocess.run([sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.'); {program}"],
                              cwd=where, capture_output=True, check=False)  # fmt: skip
        return done.returncode == 0

    assert imports(NEEDED, tmp_path / "all")
    # Without an empty `__init__` a folder is a namespace package, and a guarded import may fail: those are no proof.
    for path in sorted(set(NEEDED) - {"kern/__init__.py", "kern/common/deep/__init__.py", "kern/fast.py"}):
        if path != "kern/norm/__init__.py":
            assert not imports([name for name in NEEDED if name != path], tmp_path / path.replace("/", "_"))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import pkg.sub\n", ["lib/pkg/__init__.py", "lib/pkg/sub.py"]),
        ("from pkg import sub as s, value\n", ["lib/pkg/__init__.py", "lib/pkg/sub.py"]),
        ("from pkg import value\n", ["lib/pkg/__init__.py"]),
        ("import neighbour\n", ["scripts/neighbour.py"]),
        ("import io, numpy\n", []),
        ("import space.part\n", ["src/space/part.py"]),
        ("match 1:\n    case 1:\n        import pkg\n", ["lib/pkg/__init__.py"]),
        ("async def f():\n    with x:\n        import pkg\n", ["lib/pkg/__init__.py"]),
    ],
)
def test_where_names_lead(source: str, expected: list[str]) -> None:
    files = {
        "lib/pkg/__init__.py": "value = 1\n",
        "lib/pkg/sub.py": "",
        "scripts/neighbour.py": "",
        "src/space/part.py": "",
        "lib/io.py": "",
        "scripts/run.py": source,
    }
    assert names(closed(files, "scripts/run.py")) == sorted([*expected, "scripts/run.py"])


def test_installed_packages_are_not_followed() -> None:
    files = {"k.py": "import pkg.sub\nimport numpy\n", "python/pkg/__init__.py": "", "python/pkg/sub.py": ""}
    assert names(closed(files, "k.py")) == ["k.py", "python/pkg/__init__.py", "python/pkg/sub.py"]
    closure = closed(files, "k.py", installed=("pkg",))
    assert (names(closure), closure.external) == (["k.py"], frozenset({"pkg", "numpy"}))


def test_what_analysis_cannot_settle_is_told() -> None:
    files = {
        "a.py": "import importlib\nm = importlib.import_module('b')\nn = importlib.import_module(name())\n",
        "b.py": "from . import gone_or_a_name\nfrom .gone import x\n",
        "c.py": "print 'two'\n",
    }
    closure = closed(files, "a.py", "b.py", "c.py")
    assert [(edge.line, edge.module, target) for edge, target in closure.dynamic] == [
        (2, "b", b"b.py"),
        (3, "a computed name", None),
    ]
    assert [(edge.path, edge.line, edge.module) for edge in closure.unresolved] == [(b"b.py", 2, "gone")]
    assert closure.unreadable == (b"c.py",)


def test_a_patched_tree_stands_in_upstreams_place() -> None:
    contents: Contents = {}
    whole = tree({"a.py": "1", "b.py": "2", "c.py": "3"}, contents)
    pristine = tree({"a.py": "1", "b.py": "2"}, contents)
    patched = tree({"a.py": "changed", "new/c.py": "4"}, contents)
    assert overlaid(whole, pristine, patched) == tree({"a.py": "changed", "c.py": "3", "new/c.py": "4"}, contents)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace beside an upstream with TREE; nothing is included yet."""
    repo(tmp_path / "up", dict(TREE.items()))
    folder = tmp_path / "workspace"
    folder.mkdir()
    assert call("-C", str(folder), "init").code == 0
    return folder


def vendored(root: Path, include: list[str]) -> None:
    """Vendor exactly these files."""
    text = (root / "VENDOR.yaml").read_text()
    if "up:" not in text:
        chosen = [word for path in include for word in ("--include", path)]
        assert call("-C", str(root), "add", "up", "../up", *chosen).code == 0
    else:
        before, _, _ = text.partition("    include:")
        _, _, after = text.partition("licenses:")
        (root / "VENDOR.yaml").write_text(f"{before}    include: [{', '.join(include)}]\nlicenses:{after}")
    assert call("-C", str(root), "sync").code == 0


def check(root: Path, *words: str) -> Result:
    return call("-C", str(root), "closure", "up", "--check", "--format", "json", *words)


def test_the_listed_files_are_closed_and_each_of_them_is_needed(root: Path) -> None:
    vendored(root, ["kern/norm/rms.py"])
    listed = call("-C", str(root), "closure", "up", "--entry", "kern/norm/rms.py", "--format", "json")
    include = [row["path"] for row in listed.json()["files"]]
    assert (listed.code, include) == (0, NEEDED)
    vendored(root, include)
    assert check(root, "--entry", "kern/norm/rms.py").code == 0
    assert check(root).code == 0
    for path in set(NEEDED) - {"kern/norm/rms.py"}:
        vendored(root, [name for name in include if name != path])
        result = check(root, "--entry", "kern/norm/rms.py")
        assert (result.code, result.json()["missing"]) == (1, [path])


def test_unused_files_are_named(root: Path) -> None:
    vendored(root, ["kern/**"])
    result = check(root, "--entry", "kern/norm/rms.py")
    assert result.code == 0
    assert result.json()["unused"] == ["kern/also_unused.py", "kern/types_only.py", "kern/unused.py"]
    assert {rule for rule, _path in result.findings()} == {"VC124"}
    assert check(root).json()["unused"] == []


def test_an_import_that_a_patch_adds_counts(root: Path) -> None:
    vendored(root, NEEDED)
    edited = root / ".vendorctl/patched/up/kern/fast.py"
    edited.write_text("import kern.unused\n")
    recorded = call("-C", str(root), "patch", "record", "up", "--title", "Use more", "--reason", "test")
    assert recorded.code == 0
    assert check(root).json()["missing"] == ["kern/also_unused.py", "kern/unused.py"]


def test_a_request_without_files_is_refused(root: Path) -> None:
    vendored(root, NEEDED)
    assert call("-C", str(root), "closure", "up").code == 2
    assert call("-C", str(root), "closure", "up", "--entry", "nothing/*.py").code == 2
    assert call("-C", str(root), "closure", "up", "--check", "--ref", "main").code == 2
