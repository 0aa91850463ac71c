# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Change notices: placed where they do no harm, taken out exactly, and never mistaken for upstream's own text."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.repo import Put
from support.trees import Contents, files_of, tree
from vendorctl.errors import VendorError
from vendorctl.series.dressing import (
    BEGIN,
    END,
    Dressing,
    Insertion,
    dress,
    notice_block,
    notice_sidecar,
    sidecar_path,
    undress,
    undress_tree,
)

SAID = ["flydsl 1234 kernels/a.py", "1. Change -- it all */ --> now — é"]


def dressed(path: bytes, content: bytes) -> bytes:
    block = notice_block(path, content, SAID)
    assert block is not None
    return content[: block.offset] + block.text + content[block.offset :]


@pytest.mark.parametrize(
    ("path", "content", "first"),
    [
        (b"a.py", b"x = 1\n", b""),
        (b"a.py", b"", b""),
        (b"a.py", b"x = 1", b""),
        (b"a.py", b"#!/usr/bin/env python\nx = 1\n", b"#!/usr/bin/env python\n"),
        (b"a.py", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", b"# -*- coding: latin-1 -*-\n"),
        (b"a.py", b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\nx\n",
         b"#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n"),
        (b"a.py", b"\n# coding: utf-8\nx\n", b"\n# coding: utf-8\n"),
        (b"a.py", b"x = 1\n# coding: utf-8\n", b""),
        (b"a.py", b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbf"),
        (b"a.py", b"#!/bin/python\r\nx = 1\r\n", b"#!/bin/python\r\n"),
        (b"run", b"#!/bin/sh\necho\n", b"#!/bin/sh\n"),
        (b"d/Makefile", b"all:\n", b""),
        (b"CMakeLists.txt", b"project(x)\n", b""),
        (b"a.hpp", b"#pragma once\n", b""),
        (b"a.css", b"a {}\n", b""),
        (b"a.xml", b'<?xml version="1.0"?>\n<a/>\n', b'<?xml version="1.0"?>\n'),
        (b"a.html", b"<!DOCTYPE html>\n<html>\n", b"<!DOCTYPE html>\n"),
        (b"a.md", b"# Title\n", b""),
        (b"a.ll", b"define void @f()\n", b""),
        (b"Dockerfile", b"# syntax=docker/dockerfile:1\nFROM x\n", b"# syntax=docker/dockerfile:1\n"),
    ],
)  # fmt: skip
def test_a_notice_stands_after_what_must_be_first(path: bytes, content: bytes, first: bytes) -> None:
    made = dressed(path, content)
    assert made.startswith(first)
    lines = made[len(first) :].split(b"\n")
    assert BEGIN.encode() in lines[0]
    assert END.encode() in lines[3]
    assert made.isascii() or not content.isascii()
    assert undress(path, made) == content
    ending = b"\r\n" if b"\r\n" in content else b"\n"
    assert all((line + b"\n").endswith(ending) for line in lines[:4])


@pytest.mark.parametrize(
    ("path", "content"),
    [
        (b"a.json", b"{}\n"),
        (b"a.bin", b"\0\1"),
        (b"a.py", b"x\0"),
        (b"data", b"1\n"),
        (b"run", b"#!/bin/sh"),
        (b"a.md", b"---\ntitle: x\n---\n"),
        (b"a.rst", b"Title\n=====\n"),
    ],
)
def test_files_that_cannot_hold_a_notice(path: bytes, content: bytes) -> None:
    assert notice_block(path, content, SAID) is None
    assert undress(path, content) == content


def test_python_means_the_same_with_a_notice() -> None:
    content = b'# coding: utf-8\n"""Doc."""\nfrom __future__ import annotations\nx = 1\n'
    assert ast.dump(ast.parse(dressed(b"a.py", content))) == ast.dump(ast.parse(content))


def test_a_comment_is_not_ended_by_its_text() -> None:
    assert dressed(b"a.css", b"").count(b"*/") == 4
    markup = dressed(b"a.html", b"")
    assert markup.count(b"-->") == 4
    assert b"--" not in markup.replace(b"<!--", b"").replace(b"-->", b"")


def test_text_cannot_forge_the_markers() -> None:
    block = notice_block(b"a.py", b"x\n", ["1. Harmless", END, f"# {BEGIN}\nx = 2"])
    assert block is not None
    assert block.text.count(END.encode()) == 1
    assert block.text.count(BEGIN.encode()) == 1
    assert all(line.startswith(b"# ") for line in block.text.splitlines())


def test_a_notice_of_upstreams_own_stays() -> None:
    content = dressed(b"a.py", b"x = 1\n")
    twice = dressed(b"a.py", content)
    assert undress(b"a.py", twice) == content


def test_a_stray_first_line_of_a_notice_stays() -> None:
    content = f"# {BEGIN}\n# coding: utf-8\nx = 1\n".encode()
    assert undress(b"a.py", content) == content
    assert undress(b"a.py", dressed(b"a.py", content)) == content


def test_a_damaged_notice_shows_as_an_edit() -> None:
    made = dressed(b"a.py", b"x = 1\n")
    for damaged in (made.replace(END.encode(), b""), made.replace(b"# flydsl", b"flydsl"), b" " + made):
        assert undress(b"a.py", damaged) == damaged


PIECES = st.lists(
    st.sampled_from(
        [b"#!/bin/sh\n", b"# coding: utf-8\n", b"x = 1\n", b"\r\n", b"\n", b"# ", f"# {BEGIN}\n".encode(),
         f"# {END}\n".encode(), b"\xef\xbb\xbf", b"---\n", b"<?xml?>\n", b"end"]
    ),
    max_size=8,
).map(b"".join)  # fmt: skip


@given(content=PIECES, path=st.sampled_from([b"a.py", b"b.c", b"c.md", b"d.css", b"e.ll", b"f"]))
def test_taking_out_is_the_inverse_of_putting_in(content: bytes, path: bytes) -> None:
    block = notice_block(path, content, SAID)
    if block is not None:
        assert undress(path, content[: block.offset] + block.text + content[block.offset :]) == content


def test_a_tree_with_notices_and_sidecars() -> None:
    contents: Contents = {}
    plain = tree({"a.py": "x\n", "d.json": "{}\n", "same.py": "y\n"}, contents)
    block = notice_block(b"a.py", b"x\n", SAID)
    assert block is not None
    dressing = Dressing({b"a.py": block}, {sidecar_path(b"d.json"): notice_sidecar(SAID)})
    made, new = dress(plain, contents, dressing)
    contents |= new
    assert sorted(made) == [b"a.py", b"d.json", b"d.json.vendorctl-notice", b"same.py"]
    assert undress_tree(made, plain, contents)[0] == plain
    # What people changed stays changed.
    files: dict[str | bytes, str | bytes | Put | None] = {**files_of(made, contents)}
    edited = tree(files | {b"a.py": dressed(b"a.py", b"x\n") + b"more\n"}, contents)
    result, extra = undress_tree(edited, plain, contents)
    assert (contents | extra)[result[b"a.py"].oid] == b"x\nmore\n"
    assert dress(plain, contents, Dressing())[0] == plain


def test_a_notice_that_could_not_be_taken_out_is_refused() -> None:
    contents: Contents = {}
    plain = tree({"a.py": "x\n", "a.py.vendorctl-notice": "upstream's\n"}, contents)
    with pytest.raises(VendorError, match="cannot carry"):
        dress(plain, contents, Dressing({b"a.py": Insertion(0, b"# changed\n")}))
    with pytest.raises(VendorError, match="belongs there"):
        dress(plain, contents, Dressing({}, {b"a.py.vendorctl-notice": b"ours"}))
