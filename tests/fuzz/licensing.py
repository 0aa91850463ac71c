# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What is said about licences: by headers, expressions, REUSE.toml, dep5 and sidecars, and by reuse about them."""

from __future__ import annotations

from fuzz.target import Target
from vendorctl.errors import VendorError
from vendorctl.licenses.comments import comments, docstring
from vendorctl.licenses.declared import DEP5, SIDECAR, TOML, read_declarations, scan_tree
from vendorctl.licenses.expressions import MAX_ALTERNATIVES, canonical, combine, parse, permits
from vendorctl.licenses.facts import is_notice_file, scan
from vendorctl.licenses.opinion import parse_opinion
from vendorctl.licenses.texts import recognise

# Spelled in parts, so that no scanner takes them for the headers of this file.
_ID = b"SPDX-License" + b"-Identifier: "
_COPYRIGHT = b"SPDX-FileCopyright" + b"Text: "

_NAMES = (
    b"a.py",
    b"a.c",
    b"a.js",
    b"a.sh",
    b"CMakeLists.txt",
    b"a.yaml",
    b"a.ini",
    b"a.ll",
    b"a.s",
    b"a.lua",
    b"a.tex",
    b"a.f90",
    b"a.vim",
    b"a.bat",
    b"a.md",
    b"a.rst",
    b"LICENSE",
    b"a",
    b"a.json",
    b"Dockerfile",
)


def check_header(data: bytes) -> None:
    """The first byte chooses a language: every fact is one line, and a line of the file."""
    path, content = _NAMES[data[0] % len(_NAMES)] if data else b"a", data[1:]
    facts = scan(path, content)
    assert scan(path, content) == facts
    is_utf16 = content[:2] in (b"\xff\xfe", b"\xfe\xff")
    for text in facts.copyrights:
        assert text.strip()
        assert is_utf16 or text.encode() in content or text.encode("latin-1", "replace") in content
    assert all(comment in content for comment in comments(path, content))
    assert docstring(path, content) in content
    assert isinstance(is_notice_file(content[:200]), bool)
    recognise(content)


def check_expression(data: bytes) -> None:
    """A valid expression has one canonical spelling that means the same, and a bounded number of ways to satisfy it."""
    text = data.decode("utf-8", "replace")
    found = parse(text)
    again = parse(found.text)
    assert again.text == found.text
    assert set(again.ids) == set(found.ids)
    assert again.alternatives == found.alternatives
    assert 1 <= len(found.alternatives) <= MAX_ALTERNATIVES
    assert canonical(text) == found.text
    assert combine([text, text]) == found.text
    if len(found.text) < 900:
        assert parse(combine([text, "0BSD"])).alternatives == parse(f"({found.text}) AND 0BSD").alternatives
    assert permits(text, allow=found.ids)
    assert not permits(text, allow=["0BSD"], deny=found.ids)


def check_declarations(data: bytes) -> None:
    """REUSE.toml, dep5 or a sidecar of an upstream: whatever stands there, every file has facts, in bounded time."""
    kind, content = data[:1] or b"\0", data[1:]
    place = (TOML, b"sub/" + TOML, DEP5, b"a/b.py" + SIDECAR)[kind[0] % 4]
    declared = read_declarations({place: content})
    files = {b"a/b.py": b"", b"sub/" + b"a" * 200: b"x", b"sub/deep/er/caf\xe9.c": b"// " + _ID + b"MIT\n"}
    facts = scan_tree(files, declared)
    assert set(facts) == set(files)
    assert "MIT" in facts[b"sub/deep/er/caf\xe9.c"].expressions, "nothing overrides what a file says itself"


def check_opinion(data: bytes) -> None:
    """What reuse prints: expressions by path, each in the spelling that ours have."""
    for path, values in parse_opinion(data).expressions.items():
        assert isinstance(path, str)
        assert {canonical(value) for value in values} == values


_HEADERS = (
    b"# " + _COPYRIGHT + b"2024 A\n# " + _ID + b"MIT\nx = 1\n",
    b"/* Copyright (c) 2020-2024 B\n * " + _ID + b"Apache-2.0 WITH LLVM-exception\n */\n",
    b'"""Doc.\n\nCopyright 2024 C\n"""\n',
    b"<!-- " + _ID + b"0BSD -->\n",
    b"cat <<'EOF'\n# " + _ID + b"MIT\nEOF\n",
    b"\xff\xfe#\0 \0C\0o\0p\0y\0r\0i\0g\0h\0t\0",
)

_DECLARED = (
    b'version = 1\n[[annotations]]\npath = ["a/**", "sub/*.c"]\nprecedence = "override"\nSPDX-FileCopyright'
    b'Text = "2024 A"\nSPDX-License' + b'-Identifier = ["MIT", "0BSD"]\n',
    b"Format: x\n\nFiles: a/* sub/?*\nCopyright: 2024 A\n 2025 B\nLicense: MIT\n text\n",
    _COPYRIGHT + b"2024 A\n" + _ID + b"MIT\n",
)

TARGETS = (
    Target(
        name="header",
        check=check_header,
        seeds=lambda: [bytes([kind]) + text for text in _HEADERS for kind in range(len(_NAMES))],
        tokens=(
            _ID,
            _COPYRIGHT,
            b"Copyright (c) 2024 ",
            b'"""',
            b"'",
            b"/*",
            b"*/",
            b"//",
            b"<<EOF\n",
            b"EOF\n",
            b'R"x(',
            b')x"',
            b"--[[",
            b"```\n",
            b"REUSE-Ignore" + b"Start",
            b"REUSE-Ignore" + b"End",
            b"[==[",
            b"\\",
            b"((",
            b"\xc2\xa9",
            b".. ",
        ),
    ),
    Target(
        name="expression",
        check=check_expression,
        seeds=lambda: [
            b"MIT",
            b"(MIT OR Apache-2.0) AND BSD-3-Clause",
            b"Apache-2.0 WITH LLVM-exception",
            b"LicenseRef-x AND GPL-2.0+",
        ],
        tokens=(
            b" AND ",
            b" OR ",
            b" WITH ",
            b"(",
            b")",
            b"MIT",
            b"GPL-2.0-only",
            b"LicenseRef-",
            b"+",
            b"Classpath-exception-2.0",
            b"DocumentRef-x:",
        ),
        longest=1200,
    ),
    Target(
        name="declarations",
        check=check_declarations,
        seeds=lambda: [bytes([kind]) + text for text in _DECLARED for kind in range(4)],
        tokens=(
            b"**",
            b"*",
            b"?",
            b"\\",
            b"[[annotations]]\n",
            b'path = "',
            b"Files: ",
            b"License: ",
            b"Copyright: ",
            b"\n\n",
            b"[x]\n",
        ),
        refusals=(VendorError,),
    ),
    Target(
        name="opinion",
        check=check_opinion,
        seeds=lambda: [
            b'{"files": [{"path": "a.py", "spdx_expressions": [{"value": "mit OR (Apache-2.0)"}]}, '
            b'{"path": "b", "spdx_expressions": []}], "lint_version": "1"}'
        ],
        tokens=(b'"value"', b"MIT", b" OR ", b"null", b"LicenseRef-x"),
        refusals=(ValueError, KeyError, TypeError),
        is_json=True,
    ),
)
