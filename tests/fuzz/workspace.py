# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The files of a workspace: VENDOR.yaml (read and edited), VENDOR.lock, and the state below `.vendorctl`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from fuzz.scratch import root_with
from fuzz.target import Target
from vendorctl.digest import sha256
from vendorctl.errors import VendorError
from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.paths import reject_reason
from vendorctl.series.editing import load_editing
from vendorctl.series.pending import BUMPS
from vendorctl.series.resolutions import load_resolution
from vendorctl.series.waiting import REWORKS
from vendorctl.vendor.placed import Placed, dump_placed, load_placed
from vendorctl.workspace.edit import append_item, remove_upstream, set_value
from vendorctl.workspace.journal import read_journal
from vendorctl.workspace.lock import LicenseFacts, Lock, LockedFile, LockedPatch, LockedRef, LockedUpstream
from vendorctl.workspace.lockfile import dump_lock
from vendorctl.workspace.lockparse import parse_lock
from vendorctl.workspace.parse import parse_manifest
from vendorctl.workspace.root import JOURNAL

_OID = hash_blob(b"x\n")

_MANIFEST = b"""# ours
version: 1
upstreams:
  flydsl:   # the first
    url: https://example.org/flydsl.git
    pin: 0123456789abcdef0123456789abcdef01234567
    ref: v1
    include:
      - "kernels/**"
      - 'a b/[!c]'
    exclude: ["**/test_*", a/b]
    output: src/_vendor/flydsl
    hold:
      - path: a.py
        reason: >-
          it is
          better
      - b.py
    not_taken:
      - {commit: 1123456789abcdef0123456789abcdef01234567, reason: no need}
    rewrite_imports: {kernels: mine.kernels}
licenses:
  allow: [MIT, Apache-2.0]
  exceptions:
    - upstream: flydsl
      allow: [BSD-3-Clause]
      reason: fine
  curations: []
kernels:
  recipes: [recipes/a.py]
  targets: [gfx942, gfx11-generic]
  toolchain: {flydsl: 0.5.0}
  policy: {max_spills: 0}
"""


def check_manifest(data: bytes) -> None:
    """A manifest that is taken can be edited: the edit says what was wanted, or is refused."""
    text = data.decode("utf-8", "replace")
    try:
        manifest = parse_manifest(text)
    except VendorError as error:
        lines = len(text.splitlines()) + 1
        assert error.location is None or 1 <= (error.location.line or 1) <= lines
        raise
    assert manifest.text == text
    for name, upstream in manifest.upstreams.items():
        assert upstream.output is None or reject_reason(upstream.output.encode("utf-8", "surrogateescape")) is None
        try:
            assert parse_manifest(set_value(manifest, name, "ref", "v9.9")).upstreams[name].ref == "v9.9"
            more = parse_manifest(append_item(manifest, name, "exclude", "*.never")).upstreams[name]
            assert more.exclude == (*upstream.exclude, "*.never")
            assert name not in parse_manifest(remove_upstream(text, name)).upstreams
        except VendorError as error:
            assert error.location


def _lock() -> Lock:
    files = (
        LockedFile(
            path=b"a %\xff.py", mode=Mode.FILE, blob=_OID, sha256=sha256(b"x\n"), size=2,
            facts=LicenseFacts(expressions=("MIT",), copyrights=("(c) \u202eX",), source="header"), held_from=_OID,
        ),
        LockedFile(path=b"d/link", mode=Mode.SYMLINK, blob=_OID, sha256=sha256(b"x\n"), size=2, lfs=True),
        LockedFile(path=b"sub", mode=Mode.GITLINK, blob=_OID, sha256="", size=0),
    )  # fmt: skip
    upstream = LockedUpstream(
        name="up",
        url="https://example.org/up.git",
        commit=_OID,
        root_tree=_OID,
        ref=LockedRef(name="refs/tags/v1", oid=_OID),
        files=files,
        series=(LockedPatch(file="0001-x.patch", sha256=sha256(b""), tree=_OID),),
        include=("**",),
        exclude=(),
    )
    return Lock(upstreams={"up": upstream})


def check_lock(data: bytes) -> None:
    """A lock that is taken has one spelling, which reads back as the same lock."""
    try:
        lock = parse_lock(data)
    except VendorError as error:
        assert error.location is not None
        assert 1 <= (error.location.line or 0) <= data.count(b"\n") + 1
        raise
    dumped = dump_lock(lock)
    assert parse_lock(dumped) == lock
    assert dump_lock(parse_lock(dumped)) == dumped
    assert all(reject_reason(file.path) is None for each in lock.upstreams.values() for file in each.files)


def _journal() -> Iterator[bytes]:
    entry = f"100644 {_OID}"
    header = {"token": "abc1", "title": "sync", "prune": ["a/b"]}
    rows = [header, ["gone", entry, None, ""], ["a%25.py", None, entry, "1"]]
    yield "".join(json.dumps(row) + "\n" for row in rows).encode()


def check_journal(data: bytes) -> None:
    """A journal under its right digest: every step stays inside the workspace, or none is believed."""
    root = root_with({JOURNAL: sha256(data).encode() + b"\n" + data})
    journal = read_journal(root)
    assert journal is not None
    assert journal.token.isalnum()
    for path in (*journal.prune, *(step.path for step in journal.steps)):
        assert reject_reason(path) is None
    for step in journal.steps:
        assert step.new is None or step.staged.isalnum()


def _states() -> Iterator[bytes]:
    yield dump_placed(Placed(Tree({b"d/a": Entry(Mode.FILE, _OID)}), Tree(), "out"))
    yield json.dumps({"schema": "vendorctl/resolution/1", "path": "a", "mode": "100644"}).encode()
    yield json.dumps({"schema": "vendorctl/edit/1", "number": 1, "file": "0001-x.patch", "sha256": "0" * 64}).encode()
    old, new = str(_OID), str(_OID)
    bump = {
        "schema": "vendorctl/bump/1", "upstream": "up", "old": old, "new": new, "ref": None, "pin": new, "url": "u",
        "series": {"0001-x.patch": "0" * 64}, "skip": [1], "drop_merged": False, "follow": False, "decided": [],
        "conflicts": {"61": "k"}, "patch": "0001-x.patch", "number": 1,
    }  # fmt: skip
    yield json.dumps(bump).encode()
    for words in ({"operation": "drop", "operand": 1, "to": None}, {"operation": "move", "operand": 2, "to": 1}):
        yield json.dumps({**bump, "schema": "vendorctl/rework/1", **words}).encode()


def check_state(data: bytes) -> None:
    """What commands left below `.vendorctl`: read, or refused with the way out; a damaged record is no record."""
    root = root_with(
        {
            ".vendorctl/placed/up.json": data,
            ".vendorctl/resolutions/k/facts.json": data,
            ".vendorctl/resolutions/k/before": b"",
            ".vendorctl/resolutions/k/after": b"",
            ".vendorctl/edit/up/state.json": data,
            ".vendorctl/bump/up/state.json": data,
            ".vendorctl/rework/up/state.json": data,
        }
    )
    placed = load_placed(root, "up")
    if placed.pristine or placed.output:
        assert load_placed(root_with({".vendorctl/placed/up.json": dump_placed(placed)}), "up") == placed
    taken = 0
    for load in (load_editing, BUMPS.load, REWORKS.load):
        try:
            load(root, "up")
            taken += 1
        except VendorError as error:
            assert error.hint
    load_resolution(root, "k")
    if not taken:
        raise VendorError("no command takes it")


TARGETS = (
    Target(
        name="manifest",
        check=check_manifest,
        seeds=lambda: [_MANIFEST, b"version: 1\nupstreams: {}\n", _MANIFEST.replace(b"\n", b"\r\n")],
        tokens=(
            b"&a ",
            b"*a",
            b"!!str ",
            b"<<: ",
            b"---\n",
            b"? ",
            b"|\n",
            b">-\n",
            b"{",
            b"}",
            b"[",
            b"]",
            b"#",
            b"\xc2\x85",
            b"\xe2\x80\xa8",
            b"\xef\xbb\xbf",
            b"\t",
            b'"\\x00"',
            b"upstreams:",
            b"  ",
            b"include: []\n",
        ),
    ),
    Target(
        name="lock",
        check=check_lock,
        seeds=lambda: [dump_lock(_lock()), b'{"version": 1, "upstreams": {}}'],
        tokens=(b"<<<<<<< x\n", b"=======\n", b'"\\ud800"', b"\\u202e", b"%FF", b"1e999", b"NaN", b"[" * 99, b"{"),
        is_json=True,
    ),
    Target(
        name="journal", check=check_journal, seeds=_journal, tokens=(b"../", b"%2F", b"null", b"160000 "), is_json=True
    ),
    Target(name="state", check=check_state, seeds=_states, tokens=(b"null", b"1e999", b"[[]]"), is_json=True),
)
