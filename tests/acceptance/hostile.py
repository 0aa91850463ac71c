# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The table of hostile inputs: what each is, the command that meets it, and what it gets.

`test_hostile.py` runs every row, and docs/reference/hostile-input.md is written from the same rows:

    python -m acceptance.hostile > docs/reference/hostile-input.md     (with `tests` on PYTHONPATH)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from support.raw_trees import Row, commit_tree, file, folder, link, raw_commit, raw_tree
from support.workspace import Workspace

#: Makes a sound, synced workspace with one patch hostile.
Spoil = Callable[[Workspace], object]

#: The file that the patch changes, as the upstream has it.
PATCHED = file("a.py", b"x = 1\ny = 2\nz = 3\n")
PATCH = "0001-set-x-to-ten.patch"


@dataclass(frozen=True)
class Case:
    """One row. `says` is part of what the command tells; `code` its exit code."""

    name: str
    spoil: Spoil
    code: int
    says: str
    words: tuple[str, ...] = ("sync",)


def tree(*rows: Row) -> Spoil:
    """The upstream's new commit has this tree, and is pinned."""
    return lambda space: space.describe(raw_commit(space.upstream, rows))


def manifest(old: str, new: str) -> Spoil:
    """Something else in VENDOR.yaml."""
    return _replacing("VENDOR.yaml", old.encode(), new.encode())


def lock(old: str, new: str) -> Spoil:
    """Something else in VENDOR.lock."""
    return _replacing("VENDOR.lock", old.encode(), new.encode())


def patch(old: bytes, new: bytes) -> Spoil:
    """Something else in the patch file."""
    return _replacing(f"patches/up/{PATCH}", old, new)


def _replacing(path: str, old: bytes, new: bytes) -> Spoil:
    def spoil(space: Workspace) -> None:
        place = space.root / path
        content = place.read_bytes()
        assert old in content
        place.write_bytes(content.replace(old, new))

    return spoil


def whole(path: str, content: bytes) -> Spoil:
    """A file of nothing but this."""
    return lambda space: (space.root / path).write_bytes(content)


def nothing(_space: Workspace) -> None:
    """The words of the command are what is hostile."""


def deep(levels: int) -> Row:
    row = file("x")
    for _ in range(levels):
        row = folder("d", row)
    return row


def link_in_place_of(path: str) -> Spoil:
    """A link to a folder outside the workspace where the tool keeps its own."""

    def spoil(space: Workspace) -> None:
        place, away = space.root / path, space.folder / "away"
        place.rename(away)
        place.symlink_to(away)

    return spoil


def bomb(space: Workspace) -> None:
    """Ten folders, each of which holds the next one ten times: ten thousand million files."""
    row = folder("d", file("x"))
    oid = raw_tree(space.upstream, [row])
    for _ in range(10):
        oid = raw_tree(space.upstream, [(b"40000", b"%d" % number, oid) for number in range(10)])
    space.describe(commit_tree(space.upstream, oid))


UPSTREAM_TREES = (
    Case("ten thousand million files made of ten folders", bomb, 3, "it has more than a million files"),
    Case("`../x`", tree(folder("..", file("x"))), 3, "not a plain relative path: b'../x'"),
    Case("an entry called `../x`", tree(file("../x")), 3, "not a plain relative path: b'../x'"),
    Case("an entry called `..`", tree(file("..")), 3, "not a plain relative path: b'..'"),
    Case("`./x`", tree(folder(".", file("x"))), 3, "not a plain relative path: b'./x'"),
    Case("`/tmp/x`", tree(file("/tmp/x")), 3, "not a plain relative path: b'/tmp/x'"),
    Case("two entries of one name", tree(file("a", b"1"), file("a", b"2")), 3, "two entries of one name"),
    Case("a file and a folder of one name", tree(file("a"), folder("a", file("b"))), 3, "both a file and a folder"),
    Case("`.git/config`", tree(folder(".git", file("config"))), 3, "VC112: .git/config cannot be vendored"),
    Case("`sub/.GiT/config`", tree(folder("sub", folder(".GiT", file("config")))), 3, "VC112: sub/.GiT/config"),
    Case("`GIT~1` (NTFS short name)", tree(folder("GIT~1", file("config"))), 3, "VC112: GIT~1/config"),
    Case("`.git . .` (NTFS trailing dots)", tree(folder(".git . .", file("x"))), 3, "VC112: .git . ./x"),
    Case("`.git::$INDEX_ALLOCATION` (NTFS stream)", tree(file(".git::$INDEX_ALLOCATION")), 3, "VC112"),
    Case("`.g\\u200cit` (HFS+ ignores it)", tree(folder(".g\u200cit", file("x"))), 3, r"VC112: .g\u200cit/x"),
    Case("`con.py`", tree(file("con.py")), 3, "'con.py' is a device name on Windows"),
    Case("`a/LPT1`", tree(folder("a", file("LPT1"))), 3, "'LPT1' is a device name on Windows"),
    Case("`..\\x`", tree(file("..\\x")), 3, "contains a backslash"),
    Case("`C:x`", tree(file("C:x")), 3, "starts with a drive letter"),
    Case("a line break in a name", tree(file("a\nb")), 3, r"VC112: a\x0ab cannot be vendored"),
    Case("terminal control in a name", tree(file("a\x1b[31m")), 3, r"VC112: a\x1b[31m cannot be vendored"),
    Case("72 folders deep", tree(deep(72)), 3, "the limit is 64"),
    Case("a name of 300 bytes", tree(file("a" * 300)), 3, "the limit is 255"),
    Case("`A` and `a`", tree(file("A"), file("a")), 3, "VC113: A A, a are one path"),
    Case("folders `A` and `a`", tree(folder("A", file("x")), folder("a", file("y"))), 3, "VC113"),
    Case("`é` in two Unicode forms", tree(file("e\u0301"), file("\u00e9")), 3, "VC113"),
    Case("a link to `/etc/passwd`", tree(link("l", b"/etc/passwd")), 3, "VC115: l is a symbolic link that leaves"),
    Case("a link to `../x`", tree(link("l", b"../x")), 3, "VC115"),
    Case("links that climb out together", tree(link("d", b"."), link("l", b"d/../x")), 3, "VC115"),
    Case("a link with NUL in its target", tree(link("l", b"a\0b")), 3, r"VC115: l is a symbolic link that leaves"),
    Case("an empty link", tree(link("l", b"")), 3, "VC115"),
    Case("a name that looks like an option: `--help`", tree(file("--help"), PATCHED), 0, "1 file in vendored/up"),
    Case("right-to-left override in a name", tree(file("a\u202egpj.py"), PATCHED), 0, "1 file in vendored/up"),
    Case(
        "`.gitattributes` with filters, line ends and export-subst",
        tree(
            file(".gitattributes", b"* text eol=crlf filter=evil ident export-subst\n"),
            file("f", b"$Id$ $Format:%H$\n"),
            PATCHED,
        ),
        0,
        "2 files in vendored/up",
    ),
    Case(
        "`.gitmodules` and a submodule",
        tree(file(".gitmodules", b'[submodule "x"]\npath = x\nurl = ext::sh\n'), (b"160000", b"x", b""), PATCHED),
        0,
        "VC114",
    ),
)

MANIFESTS = (
    Case("YAML alias", manifest("version: 1", "version: 1\na: &a [1]\nb: *a"), 3, "anchors are not allowed"),
    Case("billion laughs", whole("VENDOR.yaml", b"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n"), 3, "anchors are not"),
    Case("YAML tag", manifest("version: 1", "version: !!python/name:os.system 1"), 3, "tags are not allowed"),
    Case("YAML merge key", manifest("    pin", "    <<: {x: 1}\n    pin"), 3, "merge keys are not allowed"),
    Case("100,000 nested lists", whole("VENDOR.yaml", b"[" * 100_000), 3, "nesting depth"),
    Case("30 nested lists", whole("VENDOR.yaml", b"[" * 30 + b"]" * 30), 3, "nested too deeply"),
    Case("5 MB of comments", whole("VENDOR.yaml", b"#" * 5_000_000), 3, "the limit is 4000000"),
    Case("NUL", manifest("version", "\0version"), 3, "U+0000 is not allowed"),
    Case("right-to-left override", manifest("version", "# \u202e\nversion"), 3, "U+202E is not allowed"),
    Case("bytes that are not UTF-8", whole("VENDOR.yaml", b"version: \xff\n"), 3, "not UTF-8 text"),
    Case("`url: ext::sh -c …`", manifest("../upstream", "'ext::sh%20-c'"), 3, "may not name a remote helper"),
    Case("`url: --upload-pack=…`", manifest("../upstream", "--upload-pack=x"), 3, "read as an option"),
    Case("`url: ssh://-oProxyCommand=…`", manifest("../upstream", "ssh://-oProxyCommand=x/y"), 3, "not a valid host"),
    Case("`url: http://…`", manifest("../upstream", "http://example.org/x"), 3, "not protected against tampering"),
    Case("a password in the URL", manifest("../upstream", "https://u:secret@example.org/x"), 3, "contain credentials"),
    Case("an upstream called `../up`", manifest("  up:", "  ../up:"), 3, "cannot name an upstream"),
    Case("an upstream called `--force`", manifest("  up:", "  --force:"), 3, "cannot name an upstream"),
    Case("an upstream called `con`", manifest("  up:", "  con:"), 3, "device name on Windows"),
    Case("`output: /tmp/out`", manifest("output: out", "output: /tmp/out"), 3, "the path is absolute"),
    Case("`output: ../out`", manifest("output: out", "output: ../out"), 3, "the path contains '..'"),
    Case("`output: .git/hooks`", manifest("output: out", "output: .git/hooks"), 3, "git's own folder"),
    Case("`output: vendored/up`", manifest("output: out", "output: vendored/up"), 3, "overlaps 'vendored'"),
    Case("`ref: --upload-pack=…`", manifest("    pin", "    ref: --upload-pack=x\n    pin"), 3, "not a possible tag"),
    Case("`include: [../**]`", manifest('"**"', '"../**"'), 3, "may not contain '..'"),
    Case("`include: [-x]`", manifest('"**"', '"-x"'), 3, "may not begin with '-'"),
    Case("a glob made to take for ever", manifest('"**"', f'"{"*a" * 40}b"'), 3, "VC110"),
)

LOCKS = tuple(
    Case(name, spoil, 3, says, ("verify",))
    for name, spoil, says in (
        ("a file at `../a.py`", lock('"path":"a.py"', '"path":"../a.py"'), "the path contains '..'"),
        ("a file at `/a.py`", lock('"path":"a.py"', '"path":"/a.py"'), "the path is absolute"),
        ("a file at `.git/config`", lock('"path":"a.py"', '"path":".git/config"'), "git's own folder"),
        ("a file at `%2e%2e/a.py`", lock('"path":"a.py"', '"path":"%2e%2e/a.py"'), "spelled as vendorctl does"),
        ("a lone surrogate", lock('"path":"a.py"', '"path":"\\ud800"'), "spelled as vendorctl does"),
        ("a patch at `../0001-x.patch`", lock('"file":"0001-', '"file":"../0001-'), "not a patch file name"),
        ("terminal control in a name", lock('"file":"0001-set', '"file":"0001-\\u001b[31m'), "not a patch file name"),
        ("an upstream called `../up`", lock('"up": {', '"../up": {'), "cannot name an upstream"),
        ("200,000 nested lists", whole("VENDOR.lock", b"[" * 200_000), "nested too deeply"),
        ("a number of 5,000 digits", lock('"version": 1', '"version": ' + "9" * 5000), "not usable JSON"),
        ("a key given twice", lock('"version": 1', '"version": 1,\n"version": 1'), "is given twice"),
        ("merge markers", lock('  "upstreams"', '<<<<<<< ours\n  "upstreams"'), "merge"),
        ("bytes that are not UTF-8", whole("VENDOR.lock", b"\xff"), "not UTF-8 text"),
    )
)

PATCHES = tuple(
    Case(name, spoil, 1, says, ("verify",))
    for name, spoil, says in (
        ("writes `../../evil`", patch(b"/a.py", b"/../../evil"), "VC207"),
        ("writes `/etc/x`", patch(b"a/a.py b/a.py", b"/etc/x /etc/x"), "VC207"),
        ("writes `.git/config`", patch(b"/a.py", b"/.git/config"), "refused path .git/config"),
        ("writes `con`", patch(b"/a.py", b"/con"), "refused path con"),
        ("declares two paths for one file", patch(b"+++ b/a.py", b"+++ b/text"), "different paths for one file"),
        ("changes another file than the one reviewed", patch(b"/a.py", b"/text"), "VC215"),
        ("ends in the middle of a hunk", lambda space: _cut(space, 9), "ends in the middle of a hunk"),
        ("ends in the middle of the header", lambda space: _cut(space, 140), "VC207"),
        ("a hunk of 99999999999999999999 lines", patch(b"@@ -1,3 ", b"@@ -1,99999999999999999999 "), "VC207"),
        ("a hunk at another line", patch(b"@@ -1,3 +1,3 @@", b"@@ -2,3 +2,3 @@"), "VC212"),
        ("nothing but noise", whole(f"patches/up/{PATCH}", bytes(range(256)) * 16), "VC207"),
        ("70 MB", lambda space: os.truncate(space.root / "patches/up" / PATCH, 70_000_000), "VC207"),
        ("empty", whole(f"patches/up/{PATCH}", b""), "VC207"),
        ("a `series` that names `../evil.patch`", whole("patches/up/series", b"../evil.patch\n"), "VC20"),
        (
            "a `series` of a million lines",
            whole("patches/up/series", b"0001-x.patch\n" * 1_000_000),
            "above the limit of 19998 lines",
        ),
        ("a `series` with terminal control", whole("patches/up/series", b"\x1b[2J.patch\n"), "VC20"),
    )
)

COMMAND_LINES = (
    Case("`--pin up=--upload-pack=x`", nothing, 2, "--pin takes NAME=REF", ("sync", "--pin", "up=--upload-pack=x")),
    Case("`--pin` with a line break", nothing, 4, "has no branch or tag", ("sync", "--pin", "up=v\n1")),
    Case("`add x ext::sh`", nothing, 3, "a program to run", ("add", "x", "ext::sh -c x", "--include", "**")),
    Case("`add x -- --upload-pack=x`", nothing, 3, "an option or a program", ("add", "x", "--", "--upload-pack=x")),
    Case("`add ../x`", nothing, 2, "cannot name an upstream", ("add", "../x", "../upstream", "--include", "**")),
    Case("`patch show up ../../x`", nothing, 2, "no patch", ("patch", "show", "up", "../../x")),
    Case("`patch record` of `../../x`", nothing, 2, "", (
        "patch", "record", "up", "--title", "T", "--reason", "r", "../../x",
    )),
)  # fmt: skip

WORKSPACES = (
    Case("`vendored/up` is a link to elsewhere", link_in_place_of("vendored/up"), 1, "vendored/up: is not a folder"),
    Case("`vendored` is a link to elsewhere", link_in_place_of("vendored"), 1, "VC103", ("verify",)),
    Case("`out` is a link to elsewhere", link_in_place_of("out"), 1, "out: is not a folder"),
    Case("`.vendorctl` is a link to elsewhere", link_in_place_of(".vendorctl"), 3, ".vendorctl is not a folder"),
)

SECTIONS: tuple[tuple[str, Sequence[Case]], ...] = (
    ("Trees and contents of an upstream", UPSTREAM_TREES),
    ("VENDOR.yaml", MANIFESTS),
    ("VENDOR.lock", LOCKS),
    ("Patches and `series`", PATCHES),
    ("The command line", COMMAND_LINES),
    ("The workspace on disk", WORKSPACES),
)


def _cut(space: Workspace, missing: int) -> None:
    place = space.root / "patches/up" / PATCH
    os.truncate(place, place.stat().st_size - missing)


def page() -> str:
    """The reference page."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "<!--"
    yield "SPDX-FileCopyrightText: 2026 The vendorctl authors"
    # REUSE-IgnoreStart
    yield "SPDX-License-Identifier: Apache-2.0"
    # REUSE-IgnoreEnd
    yield "Written from tests/acceptance/hostile.py, which says how."
    yield "-->"
    yield ""
    yield "# Hostile input"
    yield ""
    yield "What upstreams, patches, manifests and locks hold is not trusted. Each row below is run by a test, which"
    yield "also sees that nothing outside the workspace is written, that a refused input changes nothing inside it"
    yield "either, that no program of the input's runs, and that no output holds a character that drives a terminal."
    for title, cases in SECTIONS:
        yield ""
        yield f"## {title}"
        yield ""
        yield "| input | command | exit code | part of what is said |"
        yield "|---|---|---|---|"
        for case in cases:
            command = case.words[0] if case.words[0] != "patch" else " ".join(case.words[:2])
            says = f"`{case.says}`" if case.says else ""
            yield f"| {case.name} | `{command}` | {case.code} | {says} |"


if __name__ == "__main__":
    sys.stdout.write(page())
