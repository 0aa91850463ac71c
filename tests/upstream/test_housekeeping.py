# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl cache`: what was not used for longest goes first, and nothing goes that a running command may need."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import filelock
import pytest

from support.repo import repo
from support.schemas import faults
from vendorctl.cli import main
from vendorctl.errors import ExitCode, VendorError
from vendorctl.upstream.housekeeping import parse_size, parse_span

DAY = 86400


@pytest.fixture
def cache() -> Path:
    return Path(os.environ["VENDORCTL_CACHE"])


def put(cache: Path, name: str, days: float, size: int = 1000) -> Path:
    """A file of the cache, last used some days ago; a name that ends with a slash makes a folder of two files."""
    path = cache / name
    if name.endswith("/"):
        path.mkdir(parents=True)
        for part in ("a", "b"):
            (path / part).write_bytes(bytes(size // 2))
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))
    then = time.time() - days * DAY
    os.utime(path, (then, then))
    return path


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    capsys.readouterr()
    assert main(["--format", "json", "cache", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    assert faults(document) == []
    return document


def test_an_empty_cache_has_nothing(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "status")["kinds"] == []
    assert run(capsys, "clean", "--max-size", "0")["removed"] == []
    assert not cache.exists()


def test_status_counts_every_kind(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(cache, "objects/ab/abc", 2)
    put(cache, "objects/ab/abd", 5)
    put(cache, "objects/ab/.new-x", 5)
    put(cache, "tests/ab/abc.json", 1, 10)
    put(cache, "repositories/1/up.git/", 3)
    put(cache, "repositories/1/new-thing.git/", 3)
    put(cache, "repositories/1/new-xyz/", 3)
    put(cache, "repositories/1/up.refs.json", 3)
    put(cache, "environments/flydsl-0.5.0-py3.11/", 4)
    put(cache, "locks/up.lock", 9)
    document = run(capsys, "status")
    assert document["folder"] == str(cache)
    assert {row["kind"]: (row["items"], row["bytes"]) for row in document["kinds"]} == {
        "objects": (2, 2000),
        "tests": (1, 10),
        "repositories": (2, 2000),
        "environments": (1, 1000),
        "unfinished": (2, 2000),
    }
    (objects,) = [row for row in document["kinds"] if row["kind"] == "objects"]
    assert (objects["newest"] // DAY, objects["oldest"] // DAY) == (2, 5)
    main(["cache", "status"])
    assert "objects               2      1 KiB  2 d to 5 d ago" in capsys.readouterr().out


def test_what_is_older_goes_and_a_dry_run_only_says_so(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = [
        put(cache, "objects/ab/abc", 31),
        put(cache, "repositories/1/up.git/", 40),
        put(cache, "tests/ab/a.json", 35),
    ]
    new = [put(cache, "objects/ab/abd", 29), put(cache, "repositories/1/other.git/", 1)]
    unfinished = put(cache, "objects/cd/.new-left", 1)
    wanted = ["repositories/1/up.git", "tests/ab/a.json", "objects/ab/abc", "objects/cd/.new-left"]
    document = run(capsys, "clean", "--older-than", "30d", "--dry-run")
    assert (document["removed"], document["dry_run"]) == (wanted, True)
    assert all(path.exists() for path in [*old, *new, unfinished])
    document = run(capsys, "clean", "--older-than", "30d")
    assert (document["removed"], document["bytes"]) == (wanted, 4000)
    assert not any(path.exists() for path in [*old, unfinished])
    assert all(path.exists() for path in new)
    assert sorted(path.name for path in (cache / "repositories/1").iterdir()) == ["other.git"]


def test_the_least_recently_used_go_until_the_rest_fits(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = [put(cache, f"objects/ab/{days}", days) for days in (1, 2, 3, 4, 5)]
    document = run(capsys, "clean", "--max-size", "2500")
    assert document["removed"] == ["objects/ab/5", "objects/ab/4", "objects/ab/3"]
    assert document["counts"] == {"removed": 3, "in use": 0, "left": 2, "bytes left": 2000}
    assert [path.exists() for path in paths] == [True, True, False, False, False]
    assert run(capsys, "clean", "--max-size", "2500")["removed"] == []


def test_what_is_in_use_stays(cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recent = put(cache, "objects/ab/recent", 0.01)
    repository = put(cache, "repositories/1/up.git/", 50)
    (cache / "locks").mkdir()
    with filelock.FileLock(cache / "locks" / "up.lock"):
        document = run(capsys, "clean", "--max-size", "0")
    assert (document["removed"], document["counts"]["in use"]) == ([], 1)
    assert recent.exists()
    assert (repository / "a").exists()
    # The control: once nobody downloads into it, it goes.
    assert run(capsys, "clean", "--max-size", "0")["removed"] == ["repositories/1/up.git"]


def test_links_are_removed_and_never_followed(cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").write_text("mine")
    (cache / "environments").mkdir(parents=True)
    link = cache / "environments" / "flydsl-1"
    link.symlink_to(outside)
    os.utime(link, (0, 0), follow_symlinks=False)
    assert run(capsys, "clean", "--older-than", "1d")["removed"] == ["environments/flydsl-1"]
    assert not link.is_symlink()
    assert (outside / "mine").read_text() == "mine"


def test_using_an_upstream_marks_it(
    cache: Path, workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    upstream = repo(tmp_path / "up", {"a.py": "x = 1\n"})
    assert main(["-C", str(workspace), "init"]) == 0
    assert main(["-C", str(workspace), "add", "up", upstream.path.as_uri(), "--include", "**"]) == 0
    assert main(["-C", str(workspace), "sync"]) == 0
    (repository,) = (cache / "repositories" / "1").glob("*.git")
    os.utime(repository, (0, 0))
    assert main(["-C", str(workspace), "status"]) == 0
    assert run(capsys, "clean", "--older-than", "30d")["removed"] == []
    os.utime(repository, (0, 0))
    assert run(capsys, "clean", "--older-than", "30d")["removed"] != []
    # Nothing is lost: the next command that needs it downloads it again.
    assert main(["-C", str(workspace), "verify", "--origin"]) == 0


def test_sizes_and_spans_are_as_people_write_them() -> None:
    assert [parse_size(text) for text in ("0", "1000", "4k", "500M", "2G", "2GiB", "1T", "10B")] == [
        0, 1000, 4 << 10, 500 << 20, 2 << 30, 2 << 30, 1 << 40, 10,
    ]  # fmt: skip
    assert [parse_span(text) for text in ("90m", "12h", "30d", "2w")] == [5400, 43200, 30 * DAY, 14 * DAY]
    for text in ("", "G", "-1", "1.5.2G", "2X", "1e9"):
        with pytest.raises(VendorError):
            parse_size(text)
    for text in ("", "30", "d", "-1d", "1y"):
        with pytest.raises(VendorError):
            parse_span(text)


def test_mistakes_are_answered(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, words in (
        (["clean"], "--older-than 30d"),
        (["clean", "--older-than", "soon"], "not a span of time"),
        (["clean", "--max-size", "much"], "not a size"),
    ):
        assert main(["cache", *arguments]) == ExitCode.USAGE
        assert words in capsys.readouterr().err
