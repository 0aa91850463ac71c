# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Parsing: what git writes is read as meant; everything malformed is refused with its line, never skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.kinds import KINDS, Kind
from support.trees import Contents, tree
from vendorctl.errors import VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Mode
from vendorctl.series.apply import apply_patch
from vendorctl.series.lines import split_lines
from vendorctl.series.parse import MAX_PATCH_BYTES, parse_file_name, parse_patch
from vendorctl.series.patch import ChangeKind, Trailers
from vendorctl.series.write import write_patch

NAME = "0001-x.patch"
OLD, NEW = b"1" * 40, b"2" * 40
MAIL = b"From: A <a@example.org>\nDate: Mon, 1 Jan 2024 00:00:00 +0000\nSubject: [PATCH] x\n\nWhy.\n---\n a | 2 +-\n\n"
DIFF = b"diff --git a/a b/a\nindex %s..%s 100644\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n" % (OLD, NEW)


def refusal(raw: bytes, name: str = NAME) -> VendorError:
    with pytest.raises(VendorError) as caught:
        parse_patch(name, raw, folder="patches/up")
    return caught.value


def test_a_patch_of_git_format_patch() -> None:
    patch = parse_patch(NAME, MAIL + DIFF + b"-- \n2.39.5\n\n")
    assert (patch.number, patch.slug, patch.file_name) == (1, "x", NAME)
    assert (patch.title, patch.body) == ("x", "Why.")
    (change,) = patch.changes
    assert (change.kind, change.old_path, change.path) == (ChangeKind.MODIFY, b"a", b"a")
    assert (change.old_oid, change.new_oid) == (Oid.parse(OLD.decode()), Oid.parse(NEW.decode()))
    assert (change.old_mode, change.new_mode) == (Mode.FILE, Mode.FILE)
    (hunk,) = change.hunks
    assert [line.sign + line.text for line in hunk.lines] == [b" one\n", b"-two\n", b"+TWO\n"]
    assert patch.raw.split(b"\n")[hunk.patch_line - 1].startswith(b"@@")


def test_abbreviated_ids_prove_nothing() -> None:
    raw = DIFF.replace(OLD, OLD[:9]).replace(NEW, NEW[:9])
    assert parse_patch(NAME, raw).changes[0].old_oid is None


def test_a_plain_diff_of_diff_u_or_quilt() -> None:
    raw = b"Index: p/a\n=====\n--- p.orig/a\t2024-01-01\n+++ p/a\t2024-01-02\n@@ -1 +1 @@\n-x\n+y\n"
    raw += b"--- /dev/null\n+++ p/new file\t2024\n@@ -0,0 +1 @@\n+n\n"
    raw += b"--- p/gone\t2024\n+++ p/gone\t1970-01-01 00:00:00.000000000 +0000\n@@ -1 +0,0 @@\n-n\n"
    kinds = [(change.kind, change.path) for change in parse_patch(NAME, raw).changes]
    assert kinds == [(ChangeKind.MODIFY, b"a"), (ChangeKind.ADD, b"new file"), (ChangeKind.DELETE, b"gone")]


def test_an_empty_context_line_whose_blank_was_stripped() -> None:
    raw = b"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n\n-x\n+y\n"
    assert parse_patch(NAME, raw).changes[0].hunks[0].lines[0].text == b"\n"


def test_numbers_in_file_names() -> None:
    assert parse_file_name("0010-a.b_c+d-E.patch") == (10, "a.b_c+d-E")
    assert parse_file_name("12345-x.patch") == (12345, "x")
    bad = ("0000-x.patch", "1-x.patch", "00001-x.patch", "0001x.patch", "0001-.patch", "0001-x.diff", "0001-x.patch~")
    for name in (*bad, "0001-a/b.patch", "0001-ä.patch", "../0001-x.patch", "0001-x y.patch", "0001-x.patch\n"):
        assert parse_file_name(name) is None
        assert "NNNN-slug.patch" in refusal(DIFF, name).message


BINARY = b"diff --git a/a b/a\nGIT binary patch\n"
NO_NEWLINE = b"--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-one\n+ONE\n\\ No newline at end of file\n two\n"

MALFORMED = {
    "empty file": (b"", "changes no file", 1),
    "message only": (MAIL, "changes no file", 1),
    "crlf in the header": (MAIL.replace(b"\n", b"\r\n") + DIFF, "CRLF", 1),
    "crlf in the diff header": (DIFF.replace(b"\n", b"\r\n"), "CRLF", 1),
    "mail encoding": (b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n" + DIFF, "encoded for mail", 2),
    "two patches": (DIFF + b"-- \n2.39\n\nFrom x\n" + DIFF, "second patch", 12),
    "too few lines in a hunk": (DIFF.replace(b"+TWO\n", b""), "other counts", 8),
    "too many lines in a hunk": (DIFF + b"+three\n", "belongs to no file", 9),
    "count too high": (DIFF.replace(b"-1,2 +1,2", b"-1,3 +1,3"), "other counts", 9),
    "cut in the middle of a line": (DIFF[:-1], "in the middle of a hunk", 8),
    "bad hunk header": (DIFF.replace(b"@@ -1,2", b"@@ -1.2"), "not a hunk header", 5),
    "bad sign": (DIFF.replace(b"+TWO", b"*TWO"), "other counts", 8),
    "hunk without effect": (DIFF.replace(b"-two\n+TWO", b" two\n two").replace(b"1,2", b"1,3"), "changes nothing", 5),
    "line zero": (DIFF.replace(b"-1,2 +1,2", b"-0,2 +0,2"), "numbered from 1", 5),
    "wrong new start": (DIFF.replace(b"+1,2", b"+2,2"), "should start at line 1", 5),
    "hunk without a file": (b"@@ -1 +1 @@\n-a\n+b\n", "without a file header", 1),
    "combined diff": (b"diff --cc a\nindex 1,2..3\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n", "combined diff", 1),
    "mode without a file": (b"x\n---\n\nold mode 100644\nnew mode 100755\n" + DIFF, "without a file header", 4),
    "rename without a file": (b"iff --git a/a b/b\nrename from a\nrename to b\n" + DIFF, "without a file header", 2),
    "hunk after the signature": (DIFF + b"-- \n@@ -1 +1 @@\n", "second patch", 10),
    "hunks out of order": (DIFF + b"@@ -1 +1 @@\n-one\n+ONE\n", "overlaps", 9),
    "no hunk": (DIFF[: DIFF.index(b"@@")], "no hunk", 5),
    "no plus line": (DIFF.replace(b"+++ b/a\n", b""), r"`\+\+\+` line", 4),
    "names differ": (DIFF.replace(b"+++ b/a", b"+++ b/b"), "different paths", 1),
    "names differ in the header": (DIFF.replace(b"--git a/a b/a", b"--git a/a b/c"), "different paths", 1),
    "no prefix": (b"diff --git x/a x/a\nold mode 100644\nnew mode 100755\n", "prefixes a/ and b/", 1),
    "no prefix at all": (b"diff --git a.py a.py\nold mode 100644\nnew mode 100755\n", "prefixes a/ and b/", 1),
    "no names": (b"diff --git nonsense\nold mode 100644\nnew mode 100755\n", "cannot tell which file", 1),
    "quote not closed": (b'diff --git "a/x b/x\nold mode 100644\nnew mode 100755\n', "unreadable path", 1),
    "unknown escape": (b'diff --git "a/\\x41" "b/\\x41"\nold mode 100644\nnew mode 100755\n', "unreadable path", 1),
    "one mode": (b"diff --git a/a b/a\nold mode 100644\n", "both modes", 1),
    "unknown mode": (b"diff --git a/a b/a\nold mode 100644\nnew mode 100600\n", "not a mode", 3),
    "type by mode": (b"diff --git a/a b/a\nold mode 100644\nnew mode 120000\n", "change of type", 1),
    "no change": (b"diff --git a/a b/a\nindex %s..%s 100644\n" % (OLD, NEW), "changes nothing", 1),
    "half a rename": (b"diff --git a/a b/b\nrename from a\n", "both its paths", 1),
    "rename to itself": (b"diff --git a/a b/a\nrename from a\nrename to a\n", "two different paths", 1),
    "rename and delete": (b"diff --git a/a b/b\nrename from a\ndeleted file mode 100644\n", "contradicts", 3),
    "added but with an old name": (DIFF.replace(b"index", b"new file mode 100644\nindex"), "contradict", 1),
    "modified from nothing": (DIFF.replace(b"--- a/a", b"--- /dev/null"), "contradict", 1),
    "bad index": (DIFF.replace(OLD, b"xyz"), "not an index line", 2),
    "twice": (DIFF + DIFF, "changed twice", 9),
    "changed and removed": (DIFF + b"diff --git a/a b/a\ndeleted file mode 100644\n", "changed and removed", 1),
    "binary without content": (b"diff --git a/a b/a\nindex 1111..2222\nBinary files differ\n", "missing", 3),
    "binary without ids": (BINARY + b"literal 0\nHcmV?d00001\n\n", "full object ids", 1),
    "binary of an unknown kind": (BINARY + b"magic 3\n", "literal SIZE", 3),
    "binary bomb": (BINARY + b"literal 999999999999\n", "above the limit", 3),
    "binary that ends early": (BINARY + b"literal 0\nHcmV?d00001\n", "ends with an empty line", 4),
    "binary with a bad length": (BINARY + b"literal 0\nZcmV?d00001\n\n", "another length", 4),
    "binary with a bad digit": (BINARY + b"literal 0\nHcmV?d0,001\n\n", "not base85", 4),
    "binary with a bad letter": (BINARY + b"literal 0\n9cmV?d00001\n\n", "gives its length", 4),
    "no newline before another line": (NO_NEWLINE, "followed by another line", 3),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_patches_are_refused_with_their_line(case: str) -> None:
    raw, message, line = MALFORMED[case]
    error = refusal(raw)
    assert re.search(message, error.message), error.message
    assert error.location is not None
    assert error.location.path == "patches/up/0001-x.patch"
    assert error.location.line == line
    assert error.hint


@pytest.mark.parametrize(
    "path",
    ["../a", "/etc/passwd", ".git/config", "x/.GIT/hooks/y", "c:/a", "a//b", "./a", "a/../b", "aux", "a\\\\b", "a\\n"],
)
def test_hostile_paths_are_refused(path: str) -> None:
    quoted = f'diff --git "a/{path}" "b/{path}"\nnew file mode 100644\n'.encode()
    assert "refused path" in refusal(quoted).message
    plain = f'--- /dev/null\n+++ "b/{path}"\n@@ -0,0 +1 @@\n+x\n'.encode()
    assert "refused path" in refusal(plain).message
    renamed = f'diff --git a/a "b/{path}"\nrename from a\nrename to "{path}"\n'.encode()
    assert "refused path" in refusal(renamed).message


def test_a_patch_above_the_limit_is_refused() -> None:
    assert "above the limit" in refusal(b"\n" * (MAX_PATCH_BYTES + 1)).message


def corpus() -> list[bytes]:
    raws = []
    for kind in KINDS:
        contents: Contents = {}
        patch = write_patch(
            tree(kind.before, contents),
            tree(kind.after, contents),
            contents,
            number=1,
            title="Tïtle",
            body="Body",
            author="Ä <a@example.org>",
            date="Mon, 1 Jan 2024 00:00:00 +0000",
            trailers=Trailers(reason="r"),
        )
        raws.append(patch.raw)
    return raws


CORPUS = corpus()


@given(data=st.data())
def test_damaged_patches_give_an_error_or_a_patch_but_nothing_else(data: st.DataObject) -> None:
    raw = bytearray(data.draw(st.sampled_from(CORPUS)))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(raw) - 1))
        match data.draw(st.sampled_from("rdic")):
            case "r":
                raw[at] = data.draw(st.sampled_from(b'\0\n\r "\\+-@ 019aZ\xff'))
            case "d":
                del raw[at : at + data.draw(st.integers(1, 40))]
                raw = raw or bytearray(b"x")
            case "i":
                raw[at:at] = data.draw(st.sampled_from([b"\n", b"@@ -1 +1 @@\n", b"diff --git ", b"=?x?B?", b"\\ "]))
            case _:
                raw[at:at] = raw[data.draw(st.integers(0, len(raw) - 1)) :][:80]
    check_total(bytes(raw))


def mutations(raw: bytes) -> Iterator[bytes]:
    """The patch with one line of its diff dropped, doubled, or traded with the next one."""
    lines = split_lines(raw)
    for at in range(lines.index(b"---\n") + 1, len(lines)):
        yield b"".join(lines[:at] + lines[at + 1 :])
        yield b"".join(lines[: at + 1] + lines[at:])
        yield b"".join(lines[:at] + lines[at : at + 2][::-1] + lines[at + 2 :])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name.replace(" ", "-"))
def test_no_line_of_a_diff_can_be_lost_doubled_or_moved_unnoticed(kind: Kind) -> None:
    """With ids before and after, a damaged patch gives the right tree (the line was redundant) or an error."""
    contents: Contents = {}
    old, new = tree(kind.before, contents), tree(kind.after, contents)
    refused = 0
    for damaged in mutations(CORPUS[KINDS.index(kind)]):
        try:
            assert apply_patch(parse_patch(NAME, damaged), old, contents)[0] == new
        except VendorError:
            refused += 1
    assert refused


@given(raw=st.binary(max_size=300))
def test_noise_gives_an_error_or_a_patch_but_nothing_else(raw: bytes) -> None:
    check_total(raw)
    check_total(b"diff --git a/a b/a\n" + raw)
    check_total(b"diff --git a/a b/a\nindex %s..%s\nGIT binary patch\nliteral 5\n" % (OLD, NEW) + raw)


def check_total(raw: bytes) -> None:
    """Parsing and applying raise VendorError (KeyError for a content we do not have), or succeed."""
    contents: Contents = {}
    try:
        patch = parse_patch(NAME, raw)
        assert patch.raw == raw
        assert patch.changes
        apply_patch(patch, tree({"a.py": "x\n", "b": "y"}, contents), contents)
    except VendorError as error:
        assert error.location is not None
        assert str(error)
