# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Advertised refs, and what the names that people type stand for."""

from __future__ import annotations

import pytest

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid
from vendorctl.upstream.refs import RefTable, parse_advertisement

A, B, C, T = (Oid.parse(digit * 40) for digit in "abcd")

ADVERTISED = f"""\
ref: refs/heads/main\tHEAD
{A}\tHEAD
{A}\trefs/heads/main
{B}\trefs/heads/release
{B}\trefs/heads/same
{B}\trefs/tags/same
{T}\trefs/tags/v0.3.1
{C}\trefs/tags/v0.3.1^{{}}
{A}\trefs/tags/both
{B}\trefs/heads/both
{A}\trefs/pull/7/head
not an id\trefs/heads/x
{A}\trefs/heads/../x
{A}\trefs/heads/a b
""".encode()


@pytest.fixture
def table() -> RefTable:
    return parse_advertisement(ADVERTISED + f"{A}\trefs/heads/caf".encode() + b"\xe9\n", 1_700_000_000)


def test_what_is_read(table: RefTable) -> None:
    assert table.head == "refs/heads/main"
    assert table.commit("refs/tags/v0.3.1") == C
    assert table.refs["refs/tags/v0.3.1"] == T
    assert table.names_by_commit[C] == ["refs/tags/v0.3.1"]
    assert not [name for name in table.refs if ".." in name or " " in name or "caf" in name]


@pytest.mark.parametrize(
    ("name", "full", "commit", "kind", "short"),
    [
        ("main", "refs/heads/main", A, "branch", "main"),
        ("v0.3.1", "refs/tags/v0.3.1", C, "tag", "v0.3.1"),
        ("refs/pull/7/head", "refs/pull/7/head", A, "ref", "refs/pull/7/head"),
        ("pull/7/head", "refs/pull/7/head", A, "ref", "refs/pull/7/head"),
        ("heads/release", "refs/heads/release", B, "branch", "release"),
        ("HEAD", "HEAD", A, "head", "HEAD"),
        ("same", "refs/tags/same", B, "tag", "same"),
        ("refs/heads/both", "refs/heads/both", B, "branch", "both"),
    ],
)
def test_names(table: RefTable, name: str, full: str, commit: Oid, kind: str, short: str) -> None:
    found = table.look_up(name, "here")
    assert found is not None
    assert (found.name, found.commit, found.kind, found.short_name) == (full, commit, kind, short)


def test_a_tag_and_a_branch_that_differ_are_ambiguous(table: RefTable) -> None:
    with pytest.raises(VendorError, match=r"refs/tags/both.*refs/heads/both") as caught:
        table.look_up("both", "here")
    assert caught.value.code is ExitCode.USAGE


def test_unknown_names_have_neighbours(table: RefTable) -> None:
    assert table.look_up("v0.3.2", "here") is None
    assert table.nearest("v0.3.2") == ["v0.3.1"]
    assert table.nearest("origin/release")[0] == "release"
    assert table.nearest("zzzzzz") == []


def test_the_cached_form_is_read_back(table: RefTable) -> None:
    assert RefTable.from_json(table.to_json()) == table
    for broken in (b"", b"[]", b'{"refs": 1}', b'{"refs": {}, "peeled": {}, "head": null}', b"{}"):
        with pytest.raises(ValueError, match=r"."):
            RefTable.from_json(broken)
