# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The downstream edits build on v0.1.0 and on each other; test_bumps.py shows how later releases meet them."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path
from typing import TypeAlias

from vendorctl.sample import edits

Releases: TypeAlias = dict[str, dict[str, bytes]]

FORWARD = "minikernels/rmsnorm.py"
MOVED = "minikernels/norm/rmsnorm.py"


def states(releases: Releases, path: str) -> list[bytes]:
    """One file at v0.1.0 and after each edit."""
    contents = [releases["v0.1.0"][path]]
    for edit in edits.all():
        contents.append(edit.files.get(path, contents[-1]))
    return contents


def code(source: bytes) -> str:
    """The syntax of a module: comments and layout do not count."""
    return ast.dump(ast.parse(source))


def signature(source: bytes, name: str) -> list[str]:
    function = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == name)
    return [argument.arg for argument in function.args.args]


def test_there_are_three_edits_with_a_reason_each() -> None:
    found = edits.all()
    assert [edit.number for edit in found] == [1, 2, 3]
    assert [edit.slug for edit in found] == ["runtime-epsilon", "slot-barrier", "f32-weights"]
    for edit in found:
        assert edit.title
        assert edit.reason
        assert edit.origin == "vendor"
        assert edit.forwarded in {"no", "not-needed"} or edit.forwarded.startswith("https://")


def test_each_edit_changes_code_and_keeps_what_came_before(releases: Releases) -> None:
    for path in (FORWARD, "minikernels/common.py"):
        contents = states(releases, path)
        for edit, before, after in zip(edits.all(), contents, contents[1:], strict=False):
            assert (code(before) != code(after)) == (path in edit.files)
    last = states(releases, FORWARD)[-1]
    assert signature(last, "build_forward") == ["n", "dtype", "weight_dtype", "store_inv_rms", "block"]
    assert signature(last, "launch") == ["x", "w", "y", "inv_rms", "eps", "rows", "stream"]


def test_the_barrier_landed_with_other_words_and_the_same_code(upstream: Path, releases: Releases) -> None:
    path = "minikernels/common.py"
    merge = subprocess.run(
        ["git", "-C", str(upstream), "rev-list", "--merges", "v0.2.0"], check=True, capture_output=True, text=True
    ).stdout.strip()
    landed = subprocess.run(
        ["git", "-C", str(upstream), "cat-file", "blob", f"{merge}:{path}"], check=True, capture_output=True
    ).stdout
    ours = edits.all()[1].files[path]
    assert landed != ours
    assert code(landed) == code(ours)
    assert code(landed) != code(releases["v0.1.0"][path])


def test_the_resolution_carries_both_sides(releases: Releases) -> None:
    resolved = edits.resolution()
    assert list(resolved) == [MOVED]
    source = resolved[MOVED]
    assert b"<<<<<<<" not in source
    assert signature(source, "build_forward") == [
        "n", "in_dtype", "out_dtype", "weight_dtype", "store_inv_rms", "block",
    ]  # fmt: skip
    assert signature(source, "launch") == ["x", "w", "y", "inv_rms", "eps", "rows", "stream"]
    assert code(source) != code(releases["v0.3.0"][MOVED])
