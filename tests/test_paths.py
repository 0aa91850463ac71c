# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which paths of an upstream are refused, which collide, and how they are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vendorctl.paths import (
    MAX_DEPTH,
    MAX_PATH_BYTES,
    case_collisions,
    display,
    is_ordinary,
    percent_decode,
    percent_encode,
    reject_reason,
    symlink_escapes,
)

HOSTILE = {
    b"": "empty",
    b"/etc/passwd": "absolute",
    b"../x": "'..'",
    b"a/../../x": "'..'",
    b"a/..": "'..'",
    b"./a": "'.'",
    b"a//b": "empty component",
    b"a/": "empty component",
    b"C:/x": "drive letter",
    b"c:x": "drive letter",
    b"a\\..\\x": "backslash",
    b"a\0b": "control character",
    b"a\nb": "control character",
    b"a\x1b[2J": "control character",
    b"a\x7f": "control character",
    b".git": "git's own folder",
    b".git/hooks/pre-commit": "git's own folder",
    b"sub/.GiT/config": "git's own folder",
    b".git. . /config": "git's own folder",
    b".git::$INDEX_ALLOCATION/config": "git's own folder",
    b"git~1/config": "git's own folder",
    b"GIT~1": "git's own folder",
    ".g\u200cit/config".encode(): "git's own folder",
    "\ufeff.GIT/config".encode(): "git's own folder",
    b"con": "device name",
    b"a/NUL.txt": "device name",
    b"aux.c/b": "device name",
    b"Com1 .x": "device name",
    "lpt\u00b9".encode(): "device name",
    b"x" * 256: "255",
    b"a/" * MAX_DEPTH + b"a": "levels",
    b"abcdefg/" * (MAX_PATH_BYTES // 8) + b"a": "bytes",
}

HARMLESS = [
    b"a",
    b"kernels/norm/rmsnorm.py",
    b".github/workflows/x.yml",
    b".gitignore",
    b".gitmodules",
    b"git~10",
    b"a.git",
    b"console.py",
    b"auxiliary/nullable.py",
    b"a b/c d",
    b"...",
    b"..a/b..",
    "caf\u00e9.py".encode(),
    b"caf\xe9.py",
    b"ab:c",
    b"x" * 255,
    b"-rf",
]


@pytest.mark.parametrize("path", HOSTILE, ids=repr)
def test_hostile_paths_are_refused_for_the_right_reason(path: bytes) -> None:
    reason = reject_reason(path)
    assert reason is not None
    assert HOSTILE[path] in reason
    assert reason.isprintable()


@pytest.mark.parametrize("path", HARMLESS, ids=repr)
def test_ordinary_paths_are_accepted(path: bytes) -> None:
    assert reject_reason(path) is None


@given(st.binary(max_size=40))
def test_an_accepted_path_stays_below_its_folder(path: bytes) -> None:
    if reject_reason(path) is None:
        names = path.split(b"/")
        assert not {b"", b".", b".."} & set(names)
        assert not [name for name in names if name.lower().rstrip(b". ") in {b".git", b"con", b"nul"}]


@given(st.text(alphabet="aA1.~/ +-gitconGIT_%:\\", max_size=12) | st.sampled_from([*map(repr, HOSTILE)]))
def test_the_quick_answer_agrees_with_the_full_one(path: str) -> None:
    if is_ordinary(path):
        assert reject_reason(path.encode()) is None
        assert percent_encode(path.encode()) == path
        # With a name that is not ASCII behind it, the same path gets the full look.
        assert reject_reason(f"{path}/\u00e9".encode()) is None


def test_collisions_by_case_folder_and_normalisation() -> None:
    composed, decomposed = "e\u0301".encode(), "\u00e9".encode()
    paths = [b"A/x", b"a/x", b"a/y", b"R", b"r/z", b"ok", composed, decomposed, "stra\u00dfe".encode(), b"STRASSE"]
    assert case_collisions(paths) == sorted(
        [
            (b"A", b"a"),
            (b"R", b"r"),
            tuple(sorted([composed, decomposed])),
            tuple(sorted(["stra\u00dfe".encode(), b"STRASSE"])),
        ]
    )
    assert case_collisions([b"a/x", b"b/x", b"a/X2"]) == []


ESCAPING = [
    (b"l", b"/etc/passwd"),
    (b"l", b"../x"),
    (b"a/l", b"../../x"),
    (b"a/l", b"b/../../../x"),
    (b"l", b""),
    (b"l", b"C:/x"),
    (b"l", b"..\\x"),
]


@pytest.mark.parametrize(("path", "target"), ESCAPING)
def test_links_that_leave_the_tree(path: bytes, target: bytes) -> None:
    assert symlink_escapes(path, target)


@pytest.mark.parametrize(
    ("path", "target"), [(b"l", b"x"), (b"a/l", b"../x"), (b"a/b/l", b"../../c/../d"), (b"l", b".")]
)
def test_links_that_stay(path: bytes, target: bytes) -> None:
    assert not symlink_escapes(path, target)


def test_a_link_is_followed_through_other_links() -> None:
    assert symlink_escapes(b"b", b"a/../x", {b"a": b"."})
    assert not symlink_escapes(b"b", b"a/../x", {b"a": b"c/d"})
    assert symlink_escapes(b"b", b"a/x", {b"a": b"/etc"})
    assert not symlink_escapes(b"b", b"a/x", {b"a": b"a"})


def test_display_escapes_what_a_terminal_would_obey() -> None:
    hostile = "a\x1b[31m\u202e\u2028".encode() + b"\xff\\\n"
    assert display(hostile) == "a\\x1b[31m\\u202e\\u2028\\xff\\\\\\x0a"
    assert display("caf\u00e9 \u6f22".encode()) == "caf\u00e9 \u6f22"


@given(st.binary(), st.binary())
def test_display_is_printable_and_tells_paths_apart(one: bytes, two: bytes) -> None:
    assert display(one).isprintable()
    assert (display(one) == display(two)) == (one == two)


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_percent_spelling_round_trips(path: bytes) -> None:
    text = percent_encode(path)
    assert not set(text) & set("\0\n\r\x1b\x7f\x9b\u200b\u200e\u2028\u202e\u2066\ufeff\udcff")
    assert percent_decode(text) == path


@given(st.text(alphabet="%aC3E9e\u00e9\udce9/", max_size=8))
def test_a_path_has_one_percent_spelling(text: str) -> None:
    try:
        path = percent_decode(text)
    except ValueError:
        return
    assert percent_encode(path) == text


@pytest.mark.parametrize("text", ["%41", "%c3", "%", "%ZZ", "a%2", "caf\udce9"])
def test_other_spellings_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="canonical"):
        percent_decode(text)
