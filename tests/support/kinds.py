# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every kind of change that git can express, as trees before and after."""

from __future__ import annotations

import random
from dataclasses import dataclass

from support.repo import Changes, executable, gitlink, symlink
from vendorctl.git.oid import Oid

LINES = "".join(f"line {number}\n" for number in range(1, 41))
NOISE = random.Random(7).randbytes(4000)

#: What patch(1) refuses: binary hunks, submodules, names that it cannot tell apart, a file and a folder trading places.
BEYOND_QUILT = {
    "binary changed",
    "binary replaced",
    "binary added",
    "binary removed",
    "binary becomes text",
    "trailing and leading spaces",
    "mode of a path with b/ inside",
    "rename of a path with b/ inside",
    "empty file with b/ inside",
    "file becomes folder",
    "folder becomes file",
    "submodule moved",
}


@dataclass(frozen=True)
class Kind:
    """One row of the patch matrix. `quilt`: patch(1) 2.7, and so quilt, can express it."""

    name: str
    before: Changes
    after: Changes

    @property
    def quilt(self) -> bool:
        return self.name not in BEYOND_QUILT


def _edit(text: str, *numbers: int) -> str:
    for number in numbers:
        text = text.replace(f"line {number}\n", f"line {number} changed\n")
    return text


KINDS = (
    Kind("one line", {"a.py": LINES}, {"a.py": _edit(LINES, 20)}),
    Kind("first and last line", {"a.py": LINES}, {"a.py": _edit(LINES, 1, 40)}),
    Kind("hunks next to each other", {"a.py": LINES}, {"a.py": _edit(LINES, 5, 12, 13, 21)}),
    Kind("lines added and removed", {"a.py": LINES}, {"a.py": LINES[7:] + "more\n" + LINES}),
    Kind("crlf content", {"w.txt": "a\r\nb\r\nc\r\n"}, {"w.txt": "a\r\nB\r\nc\r\nd\r\n"}),
    Kind("crlf to lf", {"w.txt": "a\r\nb\r\n"}, {"w.txt": "a\nb\n"}),
    Kind("carriage returns inside lines", {"w.txt": "a\rb\nc\r\r\n"}, {"w.txt": "a\rB\nc\r\r\nd\r"}),
    Kind("form feeds and other line separators", {"a.py": "a\f\v\x1c\x85\nb\n"}, {"a.py": "a\f\v\x1c\x85\nc\n"}),
    Kind("no final newline before", {"a": "a\nb"}, {"a": "a\nb\n"}),
    Kind("no final newline after", {"a": "a\nb\n"}, {"a": "a\nb"}),
    Kind("no final newline at all", {"a": "a\nb"}, {"a": "A\nb"}),
    Kind("mode only", {"run.sh": "x\n"}, {"run.sh": executable("x\n")}),
    Kind("mode with content", {"run.sh": executable("x\n")}, {"run.sh": "y\n"}),
    Kind("symlink retarget", {"ln": symlink("a")}, {"ln": symlink("b/c")}),
    Kind("symlink added and removed", {"old": symlink("a")}, {"new": symlink("zzz")}),
    Kind("file becomes symlink", {"f": "target"}, {"f": symlink("target")}),
    Kind("symlink becomes file", {"f": symlink("target")}, {"f": "target"}),
    Kind("binary changed", {"b.bin": NOISE}, {"b.bin": NOISE[:99] + b"\0\1" + NOISE[99:]}),
    Kind("binary replaced", {"b.bin": NOISE}, {"b.bin": NOISE[::-1]}),
    Kind("binary added", {"a": "a\n"}, {"a": "a\n", "b.bin": NOISE}),
    Kind("binary removed", {"a": "a\n", "b.bin": b"\0\1"}, {"a": "a\n"}),
    Kind("binary becomes text", {"b": b"\0\1\2"}, {"b": "text\n"}),
    Kind("rename", {"old/a.py": LINES}, {"new/b.py": LINES}),
    Kind("rename with edit", {"a.py": LINES}, {"pkg/a.py": _edit(LINES, 7)}),
    Kind("rename with mode", {"a.sh": LINES}, {"b.sh": executable(LINES)}),
    Kind("swap of two files", {"a": LINES, "b": "b\n" * 30}, {"b": LINES, "a": "b\n" * 30}),
    Kind("copy", {"a.py": LINES}, {"a.py": LINES, "b.py": LINES}),
    Kind("delete", {"a": "a\n", "b": "b\n"}, {"a": "a\n"}),
    Kind("delete a file without final newline", {"a": "a\n", "b": "b"}, {"a": "a\n"}),
    Kind("add in a new folder", {"a": "a\n"}, {"a": "a\n", "x/y/z": "z\n"}),
    Kind("add a file without final newline", {"a": "a\n"}, {"a": "a\n", "b": "b"}),
    Kind("add executable", {"a": "a\n"}, {"a": "a\n", "b": executable("b\n")}),
    Kind("empty new file", {"a": "a\n"}, {"a": "a\n", "__init__.py": ""}),
    Kind("empty new executable", {"a": "a\n"}, {"a": "a\n", "x": executable("")}),
    Kind("empty file removed", {"a": "a\n", "e": ""}, {"a": "a\n"}),
    Kind("edit of an empty file", {"e": ""}, {"e": "now\n"}),
    Kind("file emptied", {"e": "was\n"}, {"e": ""}),
    Kind("spaces in names", {"a b/c d.py": "1\n"}, {"a b/c d.py": "2\n"}),
    Kind("trailing and leading spaces", {" a ": "1\n"}, {" a ": "2\n"}),
    Kind("non-ascii name", {"café/ñ.py": "1\n"}, {"café/ñ.py": "2\n"}),
    Kind("quoted name", {'say "hi".txt': "1\n"}, {'say "hi".txt': "2\n"}),
    Kind("latin-1 name", {b"caf\xe9.txt": "1\n"}, {b"caf\xe9.txt": "2\n"}),
    Kind("rename of odd names", {'a "b/c': LINES}, {"ä b/ö": LINES}),
    Kind("latin-1 content", {"l.txt": b"caf\xe9\nx\n"}, {"l.txt": b"caf\xe9s\nx\n"}),
    Kind("path with b/ inside", {"x b/y": "1\n"}, {"x b/y": "2\n"}),
    Kind("mode of a path with b/ inside", {"x b/x b/y": "1\n"}, {"x b/x b/y": executable("1\n")}),
    Kind("rename of a path with b/ inside", {"x b/y": LINES}, {"y b/x b/z": LINES}),
    Kind("empty file with b/ inside", {"a": "a\n"}, {"a": "a\n", "q b/q": ""}),
    Kind(
        "lines that look like a patch",
        {"a": "x\n"},
        {"a": "-- \n--- a/x\n+++ b/x\n@@ -1 +1 @@\ndiff --git a/x b/x\nx\n"},
    ),
    Kind("removed lines that look like headers", {"a": "-- a/x\n++ b/x\n"}, {"a": "x\n"}),
    Kind("lines that look like mail", {"a": "x\n"}, {"a": "From x Mon Sep 17 00:00:00 2001\nSubject: x\n---\nx\n"}),
    Kind("file becomes folder", {"a": "a\n"}, {"a/b": "b\n"}),
    Kind("folder becomes file", {"a/b": "b\n"}, {"a": "a\n"}),
    Kind("submodule moved", {"sub": gitlink(Oid(b"1" * 20))}, {"sub": gitlink(Oid(b"2" * 20))}),
    Kind(
        "many kinds at once",
        {"a.py": LINES, "b": "b\n", "c.sh": "c\n"},
        {"d.py": LINES, "c.sh": executable("C\n"), "e": ""},
    ),
)
