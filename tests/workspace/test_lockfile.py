# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""VENDOR.lock: one spelling, an identity round trip, and the line of whatever is wrong."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vendorctl.digest import sha256
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Mode
from vendorctl.paths import reject_reason
from vendorctl.workspace.lock import LicenseFacts, Lock, LockedFile, LockedPatch, LockedRef, LockedUpstream
from vendorctl.workspace.lockcheck import lock_contradictions
from vendorctl.workspace.lockfile import dump_lock, load_lock
from vendorctl.workspace.lockparse import parse_lock


def _file(path: bytes, content: bytes = b"x", mode: Mode = Mode.FILE, facts: LicenseFacts | None = None) -> LockedFile:
    if mode is Mode.GITLINK:
        return LockedFile(path=path, mode=mode, blob=hash_blob(content), sha256="", size=0)
    return LockedFile(
        path=path,
        mode=mode,
        blob=hash_blob(content),
        sha256=sha256(content),
        size=len(content),
        facts=facts or LicenseFacts(),
    )


def _upstream(name: str, *files: LockedFile, patches: int = 0) -> LockedUpstream:
    return LockedUpstream(
        name=name,
        url="https://example.org/up.git",
        commit=hash_blob(b"commit"),
        root_tree=hash_blob(b"root"),
        ref=LockedRef(name="v1", oid=hash_blob(b"tag")),
        files=files,
        series=tuple(
            LockedPatch(file=f"{n:04d}-p.patch", sha256=sha256(b"%d" % n), tree=hash_blob(b"%d" % n))
            for n in range(1, patches + 1)
        ),
        include=("**",),
        exclude=("*.md",),
    )


MIT = LicenseFacts(expressions=("MIT",), copyrights=("Copyright (c) 2026 Ex Ample",), source="header")
SAMPLE = Lock(
    upstreams={
        "up": _upstream(
            "up",
            _file(b"a.py", facts=MIT),
            _file(b"caf\xe9", b"\0", Mode.EXECUTABLE),
            _file(b"link", b"a.py", Mode.SYMLINK),
            _file(b"sub", b"c", Mode.GITLINK),
            patches=2,
        )
    }
)

EXPECTED = """\
{
  "version": 1,
  "upstreams": {
    "up": {
      "url": "https://example.org/up.git",
      "commit": "COMMIT",
      "ref": {"name": "v1", "object": "TAG"},
      "root_tree": "ROOT",
      "tree": "TREE",
      "include": ["**"],
      "exclude": ["*.md"],
      "files": [
        {"path":"a.py","mode":"100644","blob":"BLOB","sha256":"SHA","size":1,"spdx":["MIT"],"copyright":["Copyright (c) 2026 Ex Ample"],"source":"header"},
        {"path":"caf%E9","mode":"100755","blob":"BLOB","sha256":"SHA","size":1},
        {"path":"link","mode":"120000","blob":"BLOB","sha256":"SHA","size":4},
        {"path":"sub","mode":"160000","blob":"BLOB"}
      ],
      "series": [
        {"file":"0001-p.patch","sha256":"SHA","tree":"T1"},
        {"file":"0002-p.patch","sha256":"SHA","tree":"T2"}
      ],
      "patched": "T2"
    }
  }
}
"""  # noqa: E501 - one file per line is the point


def test_the_spelling_is_the_documented_one() -> None:
    names = {"commit": "COMMIT", "tag": "TAG", "root": "ROOT", "1": "T1", "2": "T2"}
    text = dump_lock(SAMPLE).decode()
    text = text.replace(str(SAMPLE.upstreams["up"].tree.oid), "TREE")
    for content, word in names.items():
        text = text.replace(str(hash_blob(content.encode())), word)
    for file in SAMPLE.upstreams["up"].files:
        text = text.replace(str(file.blob), "BLOB").replace(file.sha256 or "none", "SHA")
    for patch in SAMPLE.upstreams["up"].series:
        text = text.replace(patch.sha256, "SHA")
    assert text == EXPECTED


def test_an_empty_lock_and_an_empty_upstream() -> None:
    assert dump_lock(Lock(upstreams={})) == b'{\n  "version": 1,\n  "upstreams": {\n  }\n}\n'
    for lock in (Lock(upstreams={}), Lock(upstreams={"up": _upstream("up")})):
        assert parse_lock(dump_lock(lock)) == lock


_oids = st.binary(min_size=20, max_size=20).map(Oid)
_hashes = st.binary(min_size=32, max_size=32).map(bytes.hex)
_words = st.text(max_size=12)
_facts = st.builds(
    LicenseFacts,
    expressions=st.lists(_words, max_size=2).map(tuple),
    copyrights=st.lists(_words, max_size=2).map(tuple),
    source=st.sampled_from(["", "header", "sidecar"]),
)
_names = st.binary(min_size=1, max_size=6) | st.sampled_from([b"a", "\u00e9".encode(), b"caf\xe9", b"%41", b"x y"])
_paths = st.lists(_names, min_size=1, max_size=3).map(b"/".join).filter(lambda path: reject_reason(path) is None)
_blobs = st.builds(
    LockedFile,
    path=_paths,
    mode=st.sampled_from([Mode.FILE, Mode.EXECUTABLE, Mode.SYMLINK]),
    blob=_oids,
    sha256=_hashes,
    size=st.integers(0, 2**40),
    facts=_facts,
    held_from=st.none() | _oids,
    lfs=st.booleans(),
)
_slugs = st.sampled_from(["fix", "caf\u00e9", "a b"])
_links = st.builds(LockedFile, path=_paths, mode=st.just(Mode.GITLINK), blob=_oids, sha256=st.just(""), size=st.just(0))


def _sorted_tree(files: list[LockedFile]) -> tuple[LockedFile, ...]:
    """As many of the files as fit into one tree, in order: no path may be both a file and a folder."""
    chosen: dict[bytes, LockedFile] = {}
    for file in files:
        clash = any(one.startswith(file.path + b"/") or file.path.startswith(one + b"/") for one in chosen)
        if file.path not in chosen and not clash:
            chosen[file.path] = file
    return tuple(chosen[path] for path in sorted(chosen))


@st.composite
def _locks(draw: st.DrawFn) -> Lock:
    names = draw(st.lists(st.sampled_from(["up", "other", "x-1", "A.b"]), unique=True, max_size=3))
    upstreams = {}
    for name in sorted(names):
        patches = [
            LockedPatch(
                file=f"{number:04d}-{draw(_slugs)}.patch",
                sha256=draw(_hashes),
                tree=draw(_oids),
            )
            for number in range(1, draw(st.integers(0, 3)) + 1)
        ]
        upstreams[name] = LockedUpstream(
            name=name,
            url=draw(_words),
            commit=draw(_oids),
            root_tree=draw(_oids),
            ref=draw(st.none() | st.builds(LockedRef, name=_words, oid=_oids)),
            files=_sorted_tree(draw(st.lists(_blobs | _links, max_size=6))),
            series=tuple(patches),
            include=tuple(draw(st.lists(_words, max_size=2))),
            exclude=tuple(draw(st.lists(_words, max_size=2))),
        )
    return Lock(upstreams=upstreams)


@given(_locks())
def test_parse_inverts_dump_and_dump_inverts_parse(lock: Lock) -> None:
    data = dump_lock(lock)
    assert parse_lock(data) == lock
    assert dump_lock(parse_lock(data)) == data
    lines = data.decode().splitlines()
    files = sum(len(upstream.files) for upstream in lock.upstreams.values())
    assert sum(line.startswith('        {"path":') for line in lines) == files


@given(_locks())
def test_nothing_in_a_lock_is_invisible(lock: Lock) -> None:
    assert not set(dump_lock(lock).decode()) & set("\r\t\x7f\u200b\u202e\u2028\ufeff")


def _edit(old: str, new: str) -> Callable[[str], str]:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new, 1)

    return edit


_BLOB = str(SAMPLE.upstreams["up"].files[0].blob)
_SHA = SAMPLE.upstreams["up"].files[0].sha256

#: What was done to the lock by hand, and the start of the error that it gets.
BROKEN: dict[str, tuple[Callable[[str], str], str]] = {
    "syntax": (_edit('"version": 1,', '"version": 1'), "VENDOR.lock:3:3: not valid JSON: Expecting ',' delimiter"),
    "nothing": (lambda _text: "", "VENDOR.lock:1:1: not valid JSON: Expecting value"),
    "array": (lambda _text: "[]", "VENDOR.lock:1:1: must be an object"),
    "newer": (_edit('"version": 1', '"version": 2'), "VENDOR.lock:2:3: version 2 is not one that this vendorctl reads"),
    "unknown key": (_edit('"url":', '"uri":'), "VENDOR.lock:5:7: unknown key 'uri'"),
    "missing key": (_edit('      "exclude": ["*.md"],\n', ""), "VENDOR.lock:4:5: the key 'exclude' is missing"),
    "twice": (_edit('"commit":', '"url": "x", "commit":'), "VENDOR.lock:6:7: the key 'url' is given twice"),
    "short id": (_edit('"commit": "', '"commit": "0'), "VENDOR.lock:6:7: commit must be 40 lower-case hex digits"),
    "id type": (_edit('"object": "', '"object": 1, "x": "'), "VENDOR.lock:7:42: unknown key 'x'"),
    "mode": (_edit("100755", "100777"), "VENDOR.lock:14:26: not a file mode of git"),
    "size": (_edit('"size":1}', '"size":true}'), "VENDOR.lock:14:168: size must be a number of bytes"),
    "sha": (_edit(_SHA, _SHA.upper()), "VENDOR.lock:13:90: sha256 must be 64 lower-case hex digits"),
    "spdx": (_edit('["MIT"]', '"MIT"'), "VENDOR.lock:13:175: spdx must be a list of texts"),
    "lfs": (_edit('"size":1}', '"size":1,"lfs":false}'), "VENDOR.lock:14:177: lfs must be true or absent"),
    "escape": (_edit("caf%E9", "caf%e9"), "VENDOR.lock:14:10: path must be UTF-8 text with %XX"),
    "traversal": (_edit('"a.py"', '"../a.py"'), "VENDOR.lock:13:10: the path contains '..'"),
    "git folder": (_edit('"a.py"', '".GIT/a"'), "VENDOR.lock:13:10: '.GIT' is git's own folder"),
    "order": (_edit('"a.py"', '"z.py"'), "VENDOR.lock:14:9: this path is not in its sorted place"),
    "repeated": (_edit('"caf%E9"', '"a.py"'), "VENDOR.lock:14:9: this path is listed twice"),
    "file and folder": (_edit('"caf%E9"', '"a.py/x"'), "VENDOR.lock:12:7: both a file and a folder: b'a.py'"),
    "patched": (_edit('"patched": "', f'"patched": "{"0" * 40}", "x": "'), "VENDOR.lock:22:62: unknown key 'x'"),
    "patch name": (_edit("0001-p.patch", "../p.patch"), "VENDOR.lock:19:10: not a patch file name"),
    "upstream name": (_edit('"up": {', '"../up": {'), "VENDOR.lock:4:5: '../up' cannot name an upstream"),
    "gitlink with content": (
        _edit('"160000","blob"', '"160000","size":1,"blob"'),
        "VENDOR.lock:16:39: unknown key 'size'",
    ),
    "bom": (lambda text: "\ufeff" + text, "VENDOR.lock:1:1: not valid JSON"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_edited_locks_are_refused_with_the_line(name: str) -> None:
    edit, message = BROKEN[name]
    with pytest.raises(VendorError) as error:
        parse_lock(edit(dump_lock(SAMPLE).decode()).encode())
    assert str(error.value).startswith(message)
    assert error.value.code is ExitCode.INVALID
    assert error.value.hint is not None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (_BLOB, "0" * 40, "up: in VENDOR.lock the files make up the tree "),
        ("100755", "100644", "up: in VENDOR.lock the files make up the tree "),
        (
            f'"patched": "{hash_blob(b"2")}"',
            f'"patched": "{"0" * 40}"',
            "up: in VENDOR.lock the last patch gives the tree ",
        ),
    ],
)
def test_a_lock_that_disagrees_with_itself_is_a_finding(old: str, new: str, message: str) -> None:
    text = dump_lock(SAMPLE).decode()
    assert list(lock_contradictions(parse_lock(text.encode()), "up")) == []
    assert list(lock_contradictions(SAMPLE, "up")) == []
    (finding,) = lock_contradictions(parse_lock(_edit(old, new)(text).encode()), "up")
    assert finding.rule == "VC121"
    assert finding.message.startswith(message)


def test_merge_conflicts_are_recognised() -> None:
    lines = dump_lock(SAMPLE).decode().splitlines()
    lines[13:13] = ["<<<<<<< HEAD", "=======", ">>>>>>> topic"]
    with pytest.raises(VendorError) as error:
        parse_lock("\n".join(lines).encode())
    assert str(error.value) == "VENDOR.lock:14:1: unresolved merge conflict"
    assert "vendorctl sync" in (error.value.hint or "")


def test_not_utf8_and_too_deep() -> None:
    with pytest.raises(VendorError, match=r"VENDOR\.lock:1:3: not UTF-8 text"):
        parse_lock(b'{"\xff": 1}')
    with pytest.raises(VendorError, match="nested too deeply"):
        parse_lock(b"[" * 100_000)


@given(st.data())
def test_no_damage_causes_anything_but_a_vendor_error(data: st.DataObject) -> None:
    good = bytearray(dump_lock(SAMPLE))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(good) - 1))
        good[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.binary(max_size=3) | st.sampled_from([b'"', b"{", b"[]", b"1"])
        )
    try:
        lock = parse_lock(bytes(good))
    except VendorError as error:
        assert error.location is not None
    else:
        assert parse_lock(dump_lock(lock)) == lock


def test_loading_from_a_workspace(workspace: Path) -> None:
    assert load_lock(workspace) is None
    (workspace / "VENDOR.lock").write_bytes(dump_lock(SAMPLE))
    assert load_lock(workspace) == SAMPLE
    (workspace / "VENDOR.lock").unlink()
    (workspace / "VENDOR.lock").mkdir()
    with pytest.raises(VendorError, match=r"cannot read VENDOR\.lock"):
        load_lock(workspace)


def test_ten_thousand_files_load_quickly() -> None:
    files = [_file(b"d%03d/f%05d.py" % (n // 50, n), b"%d" % n, facts=MIT) for n in range(10_000)]
    data = dump_lock(Lock(upstreams={"up": _upstream("up", *files)}))
    plain = min(_seconds(lambda: json.loads(data)) for _ in range(5))
    ours = min(_seconds(lambda: parse_lock(data)) for _ in range(5))
    # Relative to reading the JSON at all, so that a busy machine does not decide: about 6 when measured, 0.1 s alone.
    assert ours < 20 * plain


def _seconds(body: Callable[[], object]) -> float:
    start = time.process_time()
    body()
    return time.process_time() - start
