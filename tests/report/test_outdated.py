# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""outdated: what could be pinned instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.workspace import make_workspace
from vendorctl.drift.outdated import newest_release
from vendorctl.git.oid import Oid
from vendorctl.upstream.refs import RefTable


def table(*names: str) -> RefTable:
    return RefTable({f"refs/tags/{name}": Oid(bytes([at]) * 20) for at, name in enumerate(names)})


@pytest.mark.parametrize(
    ("current", "tags", "newest"),
    [
        ("v1.9", ("v1.9", "v1.10", "v1.2"), "v1.10"),
        ("v1.9", ("v1.9", "v2.0-rc1", "nightly"), "v1.9"),
        ("v1.9", ("v1.9", "kernels-v3", "2.0"), "v1.9"),
        ("kernels-v1", ("kernels-v1", "kernels-v3", "v9"), "kernels-v3"),
        ("v1", ("v1", "v1.0.0"), "v1"),
        ("refs/tags/v1", ("v1", "v2"), "v2"),
        ("2025.12", ("2025.12", "2026.1"), "2026.1"),
        ("main", ("v1",), None),
        ("v1-rc1", ("v1-rc1", "v2"), None),
        ("v3", ("v1",), None),
    ],
)
def test_the_newest_release_of_the_same_line(current: str, tags: tuple[str, ...], newest: str | None) -> None:
    found = newest_release(table(*tags), current)
    assert (found.short_name if found else None) == newest


def test_a_pin_on_a_release_is_offered_the_newest(tmp_path: Path) -> None:
    space = make_workspace(tmp_path / "w", {"a.py": "x\n"}, {"a.py": "y\n"}, {"a.py": "z\n"}, ref="v1")
    (row,) = space.must("outdated", "--format", "json").json()["upstreams"]
    assert row["outdated"] is True
    assert row["latest"] == {"ref": "v3", "kind": "tag", "commit": str(space.upstream.commits[2])}
    lines = (space.root / "VENDOR.yaml").read_text().splitlines()
    for key in ("pin", "ref"):
        place = row["places"][key]
        assert lines[place["line"] - 1][place["column"] - 1 :].strip() == str(
            row["current"][{"pin": "commit"}.get(key, key)]
        )
    assert row["command"] == "vendorctl sync --pin up=v3"
    assert space.run("outdated", "--exit-code").code == 1


def test_a_pin_on_no_release_is_offered_the_tracked_tip(tmp_path: Path) -> None:
    space = make_workspace(tmp_path / "w", {"a.py": "x\n"}, {"a.py": "y\n"})
    (row,) = space.must("outdated", "--format", "json").json()["upstreams"]
    assert row["latest"]["commit"] == str(space.upstream.commits[1])
    space.must("sync", "--pin", f"up={space.upstream.commits[1]}")
    result = space.must("outdated", "--exit-code")
    assert "1 upstream" in result.out


def test_offline_it_answers_from_the_cache_or_says_that_it_cannot(tmp_path: Path) -> None:
    space = make_workspace(tmp_path / "w", {"a.py": "x\n"})
    assert space.run("outdated", "--offline").code == 4
    space.must("outdated")
    space.must("outdated", "--offline")
