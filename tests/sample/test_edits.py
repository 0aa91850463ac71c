# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The downstream edits fit the releases they were written for, and meet later ones as the README says."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from vendorctl.sample import edits, history

FORWARD = "minikernels/rmsnorm.py"
MOVED = "minikernels/norm/rmsnorm.py"


@pytest.fixture(scope="module")
def upstream(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return history.write(tmp_path_factory.mktemp("sample") / "mini.git").path


def blob(upstream: Path, tag: str, path: str) -> bytes:
    command = ["git", "-C", str(upstream), "cat-file", "blob", f"{tag}:{path}"]
    return subprocess.run(command, check=True, capture_output=True).stdout


def merge(folder: Path, ours: bytes, base: bytes, theirs: bytes) -> tuple[int, bytes]:
    """What git merge-file makes of it: the number of conflicts and the text."""
    for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
        (folder / name).write_bytes(content)
    command = ["git", "merge-file", "-p", "-q", "ours", "base", "theirs"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return done.returncode, done.stdout


def states(upstream: Path, path: str) -> list[bytes]:
    """One file at v0.1.0 and after each edit."""
    contents = [blob(upstream, "v0.1.0", path)]
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


def test_each_edit_changes_code_and_keeps_what_came_before(upstream: Path) -> None:
    for path in (FORWARD, "minikernels/common.py"):
        contents = states(upstream, path)
        for edit, before, after in zip(edits.all(), contents, contents[1:], strict=False):
            assert (code(before) != code(after)) == (path in edit.files)
    last = states(upstream, FORWARD)[-1]
    assert signature(last, "build_forward") == ["n", "dtype", "weight_dtype", "store_inv_rms", "block"]
    assert signature(last, "launch") == ["x", "w", "y", "inv_rms", "eps", "rows", "stream"]


def test_the_barrier_landed_with_other_words_and_the_same_code(upstream: Path) -> None:
    ours = edits.all()[1].files["minikernels/common.py"]
    merged = subprocess.run(
        ["git", "-C", str(upstream), "rev-list", "--merges", "v0.2.0"], check=True, capture_output=True, text=True
    ).stdout.strip()
    landed = blob(upstream, merged, "minikernels/common.py")
    assert landed != ours
    assert code(landed) == code(ours)
    assert code(landed) != code(blob(upstream, "v0.1.0", "minikernels/common.py"))


def test_a_bump_to_the_second_release_only_moves_context(upstream: Path, tmp_path: Path) -> None:
    pristine, with_epsilon, _, with_weights = states(upstream, FORWARD)
    release = blob(upstream, "v0.2.0", FORWARD)
    conflicts, first = merge(tmp_path, release, pristine, with_epsilon)
    assert conflicts == 0
    conflicts, _ = merge(tmp_path, first, with_epsilon, with_weights)
    assert conflicts == 0
    assert refused(tmp_path, release, pristine, with_epsilon), "the context of edit 0001 has changed"
    assert not refused(tmp_path, pristine, pristine, with_epsilon), "so would any other file be refused"


def refused(folder: Path, target: bytes, before: bytes, after: bytes) -> bool:
    """True when the plain difference before..after does not apply to `target` without fuzz and at the same line."""
    for name, content in (("before", before), ("after", after), ("target", target)):
        (folder / name).write_bytes(content)
    command = ["diff", "-u", "--label=target", "--label=target", "before", "after"]
    patch = subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout
    command = ["git", "apply", "--unsafe-paths", "-p0", "--check", "-"]
    environment = {"PATH": "/usr/bin:/bin", "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    return subprocess.run(command, cwd=folder, input=patch, env=environment, check=False).returncode != 0


def test_a_bump_to_the_third_release_conflicts_in_the_last_edit_only(upstream: Path, tmp_path: Path) -> None:
    pristine, with_epsilon, _, with_weights = states(upstream, FORWARD)
    conflicts, first = merge(tmp_path, blob(upstream, "v0.3.0", MOVED), pristine, with_epsilon)
    assert conflicts == 0
    assert signature(first, "launch") == ["x", "w", "y", "inv_rms", "eps", "rows", "stream"]
    conflicts, _ = merge(tmp_path, first, with_epsilon, with_weights)
    assert conflicts > 0


def test_the_resolution_carries_both_sides(upstream: Path) -> None:
    resolved: Mapping[str, bytes] = edits.resolution()
    assert list(resolved) == [MOVED]
    source = resolved[MOVED]
    assert b"<<<<<<<" not in source
    assert signature(source, "build_forward") == [
        "n", "in_dtype", "out_dtype", "weight_dtype", "store_inv_rms", "block",
    ]  # fmt: skip
    assert signature(source, "launch") == ["x", "w", "y", "inv_rms", "eps", "rows", "stream"]
    assert code(source) != code(blob(upstream, "v0.3.0", MOVED))
