# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Proof 1: whatever is done to a pristine tree, or to its lock, is found and named; an untouched one passes."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.repo import Changes, executable, gitlink, repo, symlink
from support.trees import Contents, tree
from vendorctl.digest import sha256
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Mode
from vendorctl.model import Report, Severity
from vendorctl.progress import Silent
from vendorctl.rules import RULES
from vendorctl.upstream.cache import Cache
from vendorctl.vendor.facts import is_lfs_pointer, locked_files
from vendorctl.vendor.materialise import stage_tree
from vendorctl.vendor.verify import verify_origin, verify_pristine
from vendorctl.workspace.lock import LicenseFacts, LockedFile, LockedRef, LockedUpstream
from vendorctl.workspace.manifest import Store, Upstream
from vendorctl.workspace.transaction import Transaction

PIN = Oid.parse("5" * 40)
FILES: Changes = {
    "a.py": "x = 1\ny = 2\n",
    "twin.py": "x = 1\ny = 2\n",
    "d/run.sh": executable("exit\n"),
    "d/crlf.txt": "one\r\ntwo\r\n",
    "link": symlink("a.py"),
    "text": "a.py",
    "empty": "",
    "lone/file.py": "only here\n",
    "sub": gitlink(Oid.parse("1" * 40)),
    b"d/caf\xe9": "latin\n",
}
UPSTREAM = Upstream(
    name="up",
    url="https://example.org/up.git",
    pin=PIN,
    ref="v1",
    track=None,
    include=("**",),
    exclude=("*.cu",),
    license=None,
    store=Store.COMMIT,
    output=None,
)


def no_facts(_path: bytes, _content: bytes) -> LicenseFacts:
    return LicenseFacts()


def lock(files: Changes = FILES) -> tuple[LockedUpstream, Contents]:
    contents: Contents = {}
    made = tree(files, contents)
    locked = LockedUpstream(
        name="up",
        url=UPSTREAM.url,
        commit=PIN,
        root_tree=made.oid,
        ref=LockedRef(name="v1", oid=PIN),
        files=locked_files(made, contents, no_facts),
        series=(),
        include=UPSTREAM.include,
        exclude=UPSTREAM.exclude,
    )
    return locked, contents


@pytest.fixture
def vendored(workspace: Path) -> Path:
    locked, contents = lock()
    with Transaction(workspace, "test") as tx:
        stage_tree(tx, "vendored/up", None, locked.tree, contents)
        tx.commit()
    return workspace / "vendored/up"


def verify(
    workspace: Path, locked: LockedUpstream | None = None, upstream: Upstream = UPSTREAM, *, require: bool = False
) -> Report:
    return verify_pristine(workspace, upstream, locked or lock()[0], require=require)


def named(report: Report) -> list[tuple[str, str]]:
    for finding in report.findings:
        assert finding.rule in RULES
        assert finding.hint
        assert finding.upstream == "up"
        assert finding.location is not None
        assert finding.message.isprintable()
    return [(each.rule, each.location.path) for each in report.sorted_findings() if each.location]


def test_an_untouched_tree_passes(vendored: Path, workspace: Path) -> None:
    report = verify(workspace, require=True)
    assert report.findings == ()
    assert report.ok
    assert report.counts == {"pristine_files": 10, "pristine_not_restored": 0}


# -- tampering -----------------------------------------------------------------------------------------------------

Tampering = Callable[[Path], object]


def _swap_bytes(up: Path) -> None:
    (up / "a.py").write_text("x = 2\ny = 1\n")


def _retarget(up: Path) -> None:
    (up / "link").unlink()
    (up / "link").symlink_to("twin.py")


def _link_for_file(up: Path) -> None:
    (up / "text").unlink()
    (up / "text").symlink_to("a.py")


def _file_for_link(up: Path) -> None:
    (up / "link").unlink()
    (up / "link").write_text("a.py")


def _link_to_equal_content(up: Path) -> None:
    (up / "a.py").unlink()
    (up / "a.py").symlink_to("twin.py")


def _swap_files(up: Path) -> None:
    """Every byte is kept, in the same order: only names trade places."""
    (up / "a.py").rename(up / "x")
    (up / "text").rename(up / "a.py")
    (up / "x").rename(up / "text")


def _add_ignored(up: Path) -> None:
    (up / "d/.gitignore").write_text("*\n")
    (up / "d/cache.pyc").write_text("x")


def _folder_for_file(up: Path) -> None:
    (up / "a.py").unlink()
    (up / "a.py").mkdir()
    (up / "a.py/x").write_text("x")


def _empty_folder_for_file(up: Path) -> None:
    (up / "a.py").unlink()
    (up / "a.py").mkdir()


def _file_for_folder(up: Path) -> None:
    shutil.rmtree(up / "lone")
    (up / "lone").write_text("x")


def _pipe_for_file(up: Path) -> None:
    (up / "text").unlink()
    os.mkfifo(up / "text")


def _mode_and_content(up: Path) -> None:
    (up / "a.py").write_text("z\n")
    (up / "a.py").chmod(0o755)


def _content_into_submodule(up: Path) -> None:
    (up / "sub").mkdir()
    (up / "sub/x").write_text("x")


def _outside_link(up: Path) -> None:
    shutil.move(up, up.parent.parent / "aside")
    up.symlink_to("../aside")


TAMPERING: dict[str, tuple[Tampering, list[tuple[str, str]]]] = {
    "byte changed": (lambda up: (up / "a.py").write_text("x = 1\ny = 3\n"), [("VC101", "a.py")]),
    "bytes reordered": (_swap_bytes, [("VC101", "a.py")]),
    "link retargeted": (_retarget, [("VC101", "link")]),
    "mode set": (lambda up: (up / "a.py").chmod(0o755), [("VC102", "a.py")]),
    "mode lost": (lambda up: (up / "d/run.sh").chmod(0o644), [("VC102", "d/run.sh")]),
    "mode and content": (_mode_and_content, [("VC101", "a.py"), ("VC102", "a.py")]),
    "link for file": (_link_for_file, [("VC103", "text")]),
    "file for link": (_file_for_link, [("VC103", "link")]),
    "link to equal content": (_link_to_equal_content, [("VC103", "a.py")]),
    "folder for file": (_folder_for_file, [("VC103", "a.py"), ("VC105", "a.py/x")]),
    "empty folder for file": (_empty_folder_for_file, [("VC103", "a.py"), ("VC118", "a.py")]),
    "pipe for file": (_pipe_for_file, [("VC103", "text"), ("VC117", "text")]),
    "file for folder": (_file_for_folder, [("VC105", "lone"), ("VC104", "lone/file.py")]),
    "removed": (lambda up: (up / "d/run.sh").unlink(), [("VC104", "d/run.sh")]),
    "added": (lambda up: (up / "new.py").write_text("n"), [("VC105", "new.py")]),
    "added, ignored by git": (_add_ignored, [("VC105", "d/.gitignore"), ("VC105", "d/cache.pyc")]),
    "added, empty": (lambda up: (up / "d/__init__.py").touch(), [("VC105", "d/__init__.py")]),
    "added, in a submodule": (_content_into_submodule, [("VC105", "sub/x")]),
    "moved": (
        lambda up: (up / "lone/file.py").rename(up / "d/file.py"),
        [("VC106", "lone/file.py"), ("VC118", "lone")],
    ),
    "empty file moved": (
        lambda up: (up / "empty").rename(up / "void"),
        [("VC104", "empty"), ("VC105", "void")],
    ),
    "names swapped": (_swap_files, [("VC101", "a.py"), ("VC101", "text")]),
    "case renamed": (lambda up: (up / "a.py").rename(up / "A.py"), [("VC107", "a.py")]),
    "case of a folder": (lambda up: (up / "lone").rename(up / "Lone"), [("VC107", "lone/file.py")]),
    "emptied": (lambda up: (up / "a.py").write_text(""), [("VC108", "a.py")]),
    "emptied, once CRLF": (lambda up: os.truncate(up / "d/crlf.txt", 0), [("VC108", "d/crlf.txt")]),
    "to CRLF": (lambda up: (up / "a.py").write_bytes(b"x = 1\r\ny = 2\r\n"), [("VC109", "a.py")]),
    "to LF": (lambda up: (up / "d/crlf.txt").write_bytes(b"one\ntwo\n"), [("VC109", "d/crlf.txt")]),
    "one line to CRLF": (lambda up: (up / "a.py").write_bytes(b"x = 1\r\ny = 2\n"), [("VC109", "a.py")]),
    "empty folder": (lambda up: (up / "void").mkdir(), [("VC118", "void")]),
    "pipe": (lambda up: os.mkfifo(up / "d/pipe"), [("VC117", "d/pipe")]),
}


@pytest.mark.parametrize("name", TAMPERING)
def test_tampering_is_named(name: str, vendored: Path, workspace: Path) -> None:
    tamper, expected = TAMPERING[name]
    tamper(vendored)
    report = verify(workspace)
    assert sorted(named(report)) == sorted((rule, f"vendored/up/{path}") for rule, path in expected)
    assert report.ok is (name == "empty folder")


def test_a_latin_name_is_shown_so_that_it_can_be_told(vendored: Path, workspace: Path) -> None:
    (vendored / os.fsdecode(b"d/caf\xe9")).unlink()
    assert named(verify(workspace)) == [("VC104", "vendored/up/d/caf\\xe9")]


def test_the_folder_replaced_by_a_link(vendored: Path, workspace: Path) -> None:
    _outside_link(vendored)
    assert named(verify(workspace)) == [("VC103", "vendored/up")]
    assert not verify(workspace).ok


# -- what is not there ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["absent", "empty"])
@pytest.mark.parametrize(
    ("store", "require", "rule", "severity"),
    [
        (Store.FETCH, False, "VC119", Severity.NOTE),
        (Store.FETCH, True, "VC119", Severity.ERROR),
        (Store.COMMIT, False, "VC104", Severity.ERROR),
    ],
)
def test_a_tree_that_is_not_there(
    workspace: Path, how: str, store: Store, require: bool, rule: str, severity: Severity
) -> None:
    if how == "empty":
        (workspace / "vendored/up").mkdir(parents=True)
    upstream = dataclasses.replace(UPSTREAM, store=store)
    report = verify(workspace, upstream=upstream, require=require)
    assert [(each.rule, each.severity) for each in report.findings] == [(rule, severity)]
    assert report.counts == {"pristine_files": 0, "pristine_not_restored": 10}
    assert "`vendorctl sync up`" in (report.findings[0].hint or "")


def test_a_tree_restored_in_part_is_checked_in_full(vendored: Path, workspace: Path) -> None:
    shutil.rmtree(vendored / "d")
    upstream = dataclasses.replace(UPSTREAM, store=Store.FETCH)
    assert [rule for rule, _ in named(verify(workspace, upstream=upstream))] == ["VC104"] * 3


# -- the lock ------------------------------------------------------------------------------------------------------


def edited(locked: LockedUpstream, path: bytes, /, **fields: object) -> LockedUpstream:
    files = tuple(
        dataclasses.replace(file, **fields) if file.path == path else file  # type: ignore[arg-type]
        for file in locked.files
    )
    return dataclasses.replace(locked, files=files)


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"sha256": sha256(b"other")}, "VC121"),
        ({"blob": hash_blob(b"other")}, "VC121"),
        ({"size": 3}, "VC121"),
        ({"mode": Mode.EXECUTABLE}, "VC102"),
        ({"mode": Mode.SYMLINK}, "VC103"),
        ({"path": b"b.py"}, "VC106"),
        ({"sha256": sha256(b"other"), "blob": hash_blob(b"other")}, "VC101"),
    ],
)
def test_an_edited_lock_is_noticed(fields: dict[str, object], rule: str, vendored: Path, workspace: Path) -> None:
    report = verify(workspace, edited(lock()[0], b"a.py", **fields))
    assert [each.rule for each in report.findings] == [rule]
    assert not report.ok


def test_a_row_added_to_or_removed_from_the_lock(vendored: Path, workspace: Path) -> None:
    locked = lock()[0]
    more = LockedFile(path=b"more", mode=Mode.FILE, blob=hash_blob(b"m"), sha256=sha256(b"m"), size=1)
    assert named(verify(workspace, dataclasses.replace(locked, files=(*locked.files, more)))) == [
        ("VC104", "vendored/up/more")
    ]
    fewer = tuple(file for file in locked.files if file.path != b"text")
    assert named(verify(workspace, dataclasses.replace(locked, files=fewer))) == [("VC105", "vendored/up/text")]


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "https://example.org/other.git"},
        {"pin": Oid.parse("6" * 40)},
        {"ref": "v2"},
        {"ref": None},
        {"include": ("**", "more/**")},
        {"exclude": ()},
    ],
)
def test_a_manifest_that_moved_on(fields: dict[str, object], vendored: Path, workspace: Path) -> None:
    upstream = dataclasses.replace(UPSTREAM, **fields)  # type: ignore[arg-type]
    report = verify(workspace, upstream=upstream)
    assert [each.rule for each in report.findings] == ["VC120"]
    assert next(iter(fields)) in report.findings[0].message
    assert report.findings[0].hint == "run `vendorctl sync up`"


def test_a_full_ref_name_is_the_same_ref(vendored: Path, workspace: Path) -> None:
    assert verify(workspace, upstream=dataclasses.replace(UPSTREAM, ref="refs/tags/v1")).ok


# -- against upstream ----------------------------------------------------------------------------------------------


def test_the_lock_against_upstreams_own_objects(tmp_path: Path) -> None:
    made = repo(tmp_path / "up", FILES, {"a.py": "x = 9\n"})
    source = Cache(tmp_path / "cache", progress=Silent()).open(str(made.path), tmp_path)
    locked = dataclasses.replace(lock()[0], commit=made.commits[0])
    assert verify_origin(source, UPSTREAM, locked) == []
    held = edited(dataclasses.replace(locked, commit=made.head, root_tree=made.tree_oid()), b"a.py")
    assert [each.rule for each in verify_origin(source, UPSTREAM, held)] == ["VC121"]
    assert verify_origin(source, UPSTREAM, edited(held, b"a.py", held_from=made.commits[0])) == []
    wrong = dataclasses.replace(locked, root_tree=made.tree_oid())
    assert [each.rule for each in verify_origin(source, UPSTREAM, wrong)] == ["VC121"]
    assert [each.rule for each in verify_origin(source, UPSTREAM, edited(locked, b"text", mode=Mode.SYMLINK))] == [
        "VC121"
    ]


# -- facts ---------------------------------------------------------------------------------------------------------

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12345\n"


@pytest.mark.parametrize(
    ("content", "is_pointer"),
    [
        (POINTER, True),
        (POINTER.replace(b"oid", b"ext-0-x sha256:" + b"b" * 64 + b"\noid"), True),
        (POINTER[:-1], False),
        (POINTER + b"x" * 1024 + b"\n", False),
        (b"\n" + POINTER, False),
        (POINTER.replace(b"\n", b"\r\n"), False),
        (POINTER.replace(b"sha256:a", b"sha256:"), False),
        (b"see version https://git-lfs.github.com/spec/v1\n", False),
        (b"", False),
    ],
)
def test_lfs_pointers(content: bytes, is_pointer: bool) -> None:
    assert is_lfs_pointer(content) is is_pointer


def test_rows_of_the_lock() -> None:
    contents: Contents = {}
    made = tree({"b": POINTER, "a": "text", "l": symlink("a"), "s": gitlink(PIN)}, contents)
    asked: list[bytes] = []

    def scan(path: bytes, content: bytes) -> LicenseFacts:
        asked.append(path)
        return LicenseFacts(expressions=(content[:4].decode(),))

    rows = locked_files(made, contents, scan, held_from={b"a": PIN})
    assert asked == [b"a", b"b"], "links and submodules carry no licence text"
    assert [(row.path, row.size, row.lfs, row.held_from) for row in rows] == [
        (b"a", 4, False, PIN),
        (b"b", len(POINTER), True, None),
        (b"l", 1, False, None),
        (b"s", 0, False, None),
    ]
    assert rows[0] == LockedFile(
        path=b"a",
        mode=Mode.FILE,
        blob=hash_blob(b"text"),
        sha256=sha256(b"text"),
        size=4,
        facts=LicenseFacts(expressions=("text",)),
        held_from=PIN,
    )
    assert (rows[3].sha256, rows[3].blob) == ("", PIN)
