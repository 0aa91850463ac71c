# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Globs mean what they mean in a gitignore file; git itself is the judge."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vendorctl.errors import ExitCode, VendorError
from vendorctl.vendor.globs import compile_glob, compile_union

PATHS = [
    "a",
    "b",
    "ab",
    "a/a",
    "a/b",
    "a/b/a",
    "a/ab/b",
    "b/a",
    "b/a/b/a",
    "ab/a.b",
    ".a",
    "a.b",
    "b.a/a",
    "[a]",
    "b/*",
    "a-b/]",
    "a b/b",
    "#a",
    "!a",
    "é/a",
    "B/A",
    "a\\b",
]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judge")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    # `a` and `a/…` cannot be one work tree, but the index does not mind when files are given one by one.
    return folder


def ignored_by_git(repository: Path, glob: str, paths: list[str]) -> set[str]:
    """Which of `paths` (none a folder of another) `git` takes `glob` for."""
    rows = b"".join(b"100644 %s\t%s\0" % (b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391", path.encode()) for path in paths)
    subprocess.run(["git", "read-tree", "--empty"], cwd=repository, check=True)
    subprocess.run(["git", "update-index", "-z", "--index-info"], cwd=repository, input=rows, check=True)
    done = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--ignored", f"--exclude={glob}"],
        cwd=repository,
        capture_output=True,
        check=True,
    )
    return {path.decode() for path in done.stdout.split(b"\0")[:-1]}


def _rounds(paths: list[str]) -> list[list[str]]:
    """The paths in groups in which none is a folder of another, as an index needs them."""
    groups: list[list[str]] = []
    for path in paths:
        for group in groups:
            if not any(path.startswith(f"{other}/") or other.startswith(f"{path}/") for other in group):
                group.append(path)
                break
        else:
            groups.append([path])
    return groups


def selected(glob: str, paths: list[str]) -> set[str]:
    try:
        compiled = compile_glob(glob)
    except VendorError:
        return set()
    return {path for path in paths if compiled.matches(path.encode())}


def compare(repository: Path, glob: str) -> None:
    for paths in _rounds(PATHS):
        assert selected(glob, paths) == ignored_by_git(repository, glob, paths), glob


GLOBS = [
    "a", "/a", "a/", "/a/", "a/b", "/a/b", "a/*", "a/**", "**/a", "**/a/b", "a/**/a", "a/**/b/", "**", "**/", "/**",
    "*", "/*", "*/", "/*/", "*/*", "a*", "*b", "?", "??", "a?b", "a**", "**b", "a**b", "a/**b", "***", "**/*",
    "***/a", "a/***", "**/**/a", "[ab]", "[!a]", "[^a]", "[a-b]*", "[b-a]", "[]a]", "[!]a]*", "[a-]b", "[[:alpha:]]",
    "[[:upper:]]", "[[:nope:]]", "[a", "[", "[]", "[!]", r"\a", r"\[a]", r"\*", r"b/\*", "\\", r"a\\b", r"\!a", r"\#a",
    "a b", "a/b/", "é", "é/a", "[é]", "a/?", "a[/]b", "a?a", "a[!b]a", "/", "//", "a//b", "[.]a", ".*", "*.*",
    "[[a]]", "[\\]]", "[a\\-b]", "[--/]", "B/a", "/**/a", "/**/b/**", "a/**/", "b/**/a",
]  # fmt: skip


@pytest.mark.parametrize("glob", GLOBS)
def test_as_git_reads_them(repository: Path, glob: str) -> None:
    compare(repository, glob)


@given(glob=st.text(alphabet="ab*?/[]!-\\.", min_size=1, max_size=9).filter(lambda text: text[0] not in "!#"))
def test_any_glob_as_git_reads_it(repository: Path, glob: str) -> None:
    compare(repository, glob)


@pytest.mark.parametrize("glob", ["!a", "!*.py"])
def test_negation_is_refused_with_the_way_out(glob: str) -> None:
    with pytest.raises(VendorError, match="cannot be negated") as caught:
        compile_glob(glob)
    assert caught.value.code is ExitCode.INVALID
    assert "exclude" in (caught.value.hint or "")


@pytest.mark.parametrize("glob", ["", "/", "//", "a//b", "[a", "a\\", "[[:nope:]]"])
def test_globs_that_can_match_nothing_are_refused(glob: str) -> None:
    with pytest.raises(VendorError, match="matches nothing"):
        compile_glob(glob)


def test_bytes_that_are_no_text_are_matched() -> None:
    assert compile_glob("caf?").matches(b"caf\xe9")
    assert compile_glob("d/*.py").matches(b"d/\n.py")
    assert not compile_glob("d/*.py").matches(b"d/x.py\n")


def test_a_union_selects_what_any_selects() -> None:
    union = compile_union(["a/", "*.py"])
    assert [path for path in (b"a/x", b"b/x.py", b"b/x") if union.matches(path)] == [b"a/x", b"b/x.py"]
    assert not compile_union([]).matches(b"a")
