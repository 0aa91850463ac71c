# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Facts of single files: headers are comments of the file's own language, verbatim, and nothing else is."""

from __future__ import annotations

import io
import sysconfig
import time
import tokenize
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vendorctl.licenses.comments import comments
from vendorctl.licenses.facts import is_notice_file, scan

# In two parts, so that the repository's own licence check does not read the samples as headers of this file.
TAG = "SPDX-License" + "-Identifier:"
FILE_TEXT = "SPDX-FileCopyright" + "Text:"


def facts(path: str, text: str | bytes) -> tuple[tuple[str, ...], tuple[str, ...]]:
    found = scan(path.encode(), text.encode() if isinstance(text, str) else text)
    assert bool(found.source) == bool(found.expressions or found.copyrights)
    return found.expressions, found.copyrights


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("a.py", "# {0} MIT\n# {1}\n"),
        ("a.c", "/* {0} MIT */\n/* {1} */\n"),
        ("a.cu", "/*\n * {0} MIT\n * {1}\n */\n"),
        ("a.hpp", "// {0} MIT\n// {1}\n"),
        ("a.sh", "#!/bin/sh\n# {0} MIT\n# {1}\n"),
        ("tool", "#!/usr/bin/env python3\n# {0} MIT\n# {1}\n"),
        ("CMakeLists.txt", "# {0} MIT\n#[[ {1} ]]\n"),
        ("a.md", "<!-- {0} MIT -->\n<!--\n{1}\n-->\n# Title\n"),
        ("a.rst", ".. {0} MIT\n.. {1}\n\nTitle\n=====\n"),
        ("a.rst", "..\n   {0} MIT\n   {1}\n\nTitle\n"),
        ("a.sql", "-- {0} MIT\n-- {1}\n"),
        ("a.ll", "; {0} MIT\n; {1}\n"),
        ("a.tex", "% {0} MIT\n% {1}\n"),
        ("a.f90", "! {0} MIT\n! {1}\n"),
        ("a.vim", '" {0} MIT\n" {1}\n'),
        ("a.bat", "REM {0} MIT\r\nREM {1}\r\n"),
        ("a.js", "/*! {0} MIT */\n// {1}\n"),
        ("a.yaml", "# {0} MIT\n# {1}\n"),
        ("a.s", "# {0} MIT\n# {1}\n"),
        ("a.td", "//===- {0} MIT\n// {1}\n"),
        ("a.mlir", "// {0} MIT\n// {1}\n"),
        ("a.txt", "{0} MIT\n{1}\n"),
        ("a.unknown", "@@ {0} MIT\n@@ {1}\n"),
        ("a.py", "\ufeff# {0} MIT\r\n# {1}\r\n"),
        ("a.c", "/****\n * {0} MIT    *\n * {1}   *\n ****/\n"),
    ],
)
def test_header_of_each_language(path: str, header: str) -> None:
    notice = "Copyright (C) 2024-2026, The Example Authors. All rights reserved."
    assert facts(path, header.format(TAG, notice)) == (("MIT",), (notice,))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", 'HEADER = """\n# {0} MIT\n# Copyright 2024 A\n"""\n'),
        ("a.py", "HEADER = \"# {0} MIT\"\nB = '# Copyright 2024 A'\n"),
        ("a.py", 'x = r"\\\\"; y = "# {0} MIT"\n'),
        ("a.py", '"""{0} MIT"""\n'),
        ("a.py", "x = '''\n'# {0} MIT\n'''\n"),
        ("a.cpp", 'const char *t = "// {0} MIT";\nauto r = R"x(\n// {0} MIT\n)x";\n'),
        ("a.cpp", 'char q = \'"\'; const char *t = "/* {0} MIT */";\n'),
        ("a.js", "const t = `\n// {0} MIT\n`;\n"),
        ("a.sh", "cat <<'EOF' > out.py\n# {0} MIT\nEOF\n"),
        ("a.sh", "echo '\n# {0} MIT\n'\n"),
        ("a.sh", 'echo "\n# {0} MIT\n"\n'),
        ("a.yaml", "script: |\n  # {0} MIT\n"),
        ("a.md", "Write this:\n\n```html\n<!-- {0} MIT -->\n```\n"),
        ("a.json", '{{"comment": "\\n# {0} MIT"}}\n'),
        ("a.ipynb", '["<!-- {0} MIT -->\\n",\n"# {0} MIT"]\n'),
        ("a.cmake", 'set(x "\n# {0} MIT\n")\nset(y [[\n# {0} MIT\n]])\n'),
        ("a.toml", 'x = """\n# {0} MIT\n"""\n'),
        ("a.py", "# the line reads {0} MIT in each file\n"),
        ("a.bin", "\0# {0} MIT\n"),
    ],
)
def test_text_in_literals_and_prose_is_no_header(path: str, text: str) -> None:
    assert facts(path, text.format(TAG)) == ((), ())


@pytest.mark.parametrize(
    "line",
    [
        "Copyright contributors to the Example project",
        f"{FILE_TEXT} 2026 Jane Doe <jane@example.com>",
        f"{FILE_TEXT} Copyright (c) 2026 Jane Doe",
        "© 2026 Jane Doe",
        "(c) 2026 Jane Doe",
        "Adapted from other-project: Copyright (c) 2023-2025, Jane Doe, John Roe",
        "Modifications Copyright (C) 2026 Example, Inc.",
        "Portions copyright 2026 Example",
        "Copyright © 2026 Müller & Söhne",
        "Copyright (c) 20xx Example Contributors",
    ],
)
def test_notices_are_kept_verbatim(line: str) -> None:
    assert facts("a.py", f"#   {line}  \n") == ((), (line,))
    assert facts("a.c", f"/* {line} */\n") == ((), (line,))


@pytest.mark.parametrize(
    "line",
    [
        "The above copyright notice and this permission notice shall be included in all",
        "COPYRIGHT HOLDERS OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT",
        "AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER",
        "copyright = something",
        "Copyright [yyyy] [name of copyright owner]",
        "Copyright notices are kept",
        "(c) the third case",
        "threads (c) per group",
    ],
)
def test_words_about_copyright_are_no_notice(line: str) -> None:
    assert facts("a.py", f"# {line}\n") == ((), ())


def test_several_expressions_keep_their_order_and_appear_once() -> None:
    text = f"# {TAG} Apache-2.0\n# {TAG} MIT\n# {TAG} Apache-2.0\n"
    assert facts("a.py", text) == (("Apache-2.0", "MIT"), ())


def test_compound_expression_is_kept_as_tagged() -> None:
    assert facts("a.h", f"// {TAG} Apache-2.0 WITH LLVM-exception\n")[0] == ("Apache-2.0 WITH LLVM-exception",)
    assert facts("a.h", f"// {TAG} (MIT OR  Apache-2.0)\n")[0] == ("(MIT OR  Apache-2.0)",)


def test_notice_in_latin_1_and_utf_16_survives() -> None:
    assert facts("a.py", "# Copyright © 2026 Jané\n".encode("latin-1"))[1] == ("Copyright © 2026 Jané",)
    assert facts("a.txt", "Copyright © 2026 Jané\n".encode("utf-16"))[1] == ("Copyright © 2026 Jané",)


def test_copyright_in_a_module_docstring_is_a_notice_but_no_licence() -> None:
    text = f'#!/usr/bin/env python\n"""A tool.\n\nCopyright (C) 2026, A Team.\n{TAG} MIT\n"""\n'
    assert facts("a.py", text) == ((), ("Copyright (C) 2026, A Team.",))
    assert facts("a.py", "import os\n" + text) == ((), ())


def test_reuse_ignore_markers_hide_samples_only_where_they_stand_in_comments() -> None:
    start, end = "REUSE-Ignore" + "Start", "REUSE-Ignore" + "End"
    assert facts("a.py", f"# {TAG} MIT\n# {start}\n# {TAG} ISC\n# {end}\n# Copyright 2026 A\n") == (
        ("MIT",),
        ("Copyright 2026 A",),
    )
    assert facts("a.py", f'x = "{start}"\n# {TAG} MIT\n') == (("MIT",), ())


@pytest.mark.parametrize(
    "path",
    [
        "LICENSE",
        "a/LICENCE.md",
        "COPYING",
        "NOTICE.txt",
        "LICENSES/MIT.txt",
        "licenses/X",
        "LICENSE.MIT",
        "LICENSE-APACHE.txt",
    ],
)
def test_notice_files(path: str) -> None:
    assert is_notice_file(path.encode())


@pytest.mark.parametrize(
    "path",
    [
        "license.py",
        "license_utils.py",
        "copyright.c",
        "LICENSE.json",
        "licenses/check.py",
        "license.py.in/a",
        "src/licenser.py",
        "notices.py",
        "a/notice_board/x.py",
    ],
)
def test_other_names_are_no_notice_files(path: str) -> None:
    assert not is_notice_file(path.encode())


def python_comments(source: bytes) -> list[bytes]:
    tokens = tokenize.tokenize(io.BytesIO(source).readline)
    return [token.string.encode() for token in tokens if token.type == tokenize.COMMENT]


def test_python_comments_agree_with_the_standard_tokenizer() -> None:
    library = Path(sysconfig.get_paths()["stdlib"])
    checked = 0
    for file in sorted(library.glob("*.py"))[:60]:
        source = file.read_bytes()
        if b"\r" in source or not source.isascii():
            continue
        assert list(comments(b"x.py", source)) == python_comments(source), file.name
        checked += 1
    assert checked > 20


@given(
    st.lists(st.sampled_from(['"""', "'''", '"', "'", "\\", "#", "\n", "a", " ", "f", "r"]), max_size=30).map("".join)
)
def test_python_comments_agree_with_the_standard_tokenizer_on_any_valid_text(text: str) -> None:
    source = text.encode()
    try:
        compile(source, "x", "exec")
        expected = python_comments(source)
    except (SyntaxError, tokenize.TokenError, ValueError):
        return
    assert list(comments(b"x.py", source)) == expected


@given(st.sampled_from(["a.py", "a.c", "a.sh", "a.md", "a.rst", "a.cmake", "a"]), st.binary(max_size=200))
def test_any_bytes_are_scanned_without_error(path: str, content: bytes) -> None:
    facts(path, content + b"\n# Copyright 2026 A")


@pytest.mark.parametrize(
    ("path", "unit"),
    [
        ("a.sh", b"<<x%d\n"),
        ("a.sh", b"(("),
        ("a.cpp", b'R"a%d(\n'),
        ("a.cmake", b"[=[%d"),
        ("a.md", b"```%d\n"),
        ("a.js", b"`%d\\"),
        ("a.py", b"'''%d"),
        ("a.py", b'"%d\\'),
        ("a.rst", b"..\n%d"),
        ("a", b"# %d(c)\n"),
        ("a.py", b"# copyright       "),
    ],
)
def test_hostile_text_costs_linear_time(path: str, unit: bytes) -> None:
    """Each of these took minutes with a naive expression; 20,000 repetitions now take well under a second."""
    body = b"".join(unit % number if b"%d" in unit else unit for number in range(20_000))
    started = time.process_time()
    for content in (b"# Copyright 2026 A\n" + body, body.replace(b"\n", b"\t") + b"\n# Copyright 2026 A\n"):
        scan(path.encode(), content)
    assert time.process_time() - started < 5


@given(
    st.sampled_from(["a.py", "a.c", "a.sh", "a.md", "a.cmake", "a.js"]),
    st.lists(
        st.sampled_from(
            [f"# {TAG} MIT\n", f"// {TAG} ISC\n", "'''\n", '"', "`", "/*", "*/", "x\n", "<<E\n", "E\n", "```\n"]
        )
    ),
    st.sampled_from(["'''", '"', "`", "*/", "E\n", "```\n", "x = 1\n"]),
)
def test_what_follows_the_last_header_does_not_change_what_it_says(path: str, parts: list[str], tail: str) -> None:
    text = "".join(parts) + "\n"
    found = [comment for comment in comments(path.encode(), text.encode()) if TAG.encode() in comment]
    assert bool(facts(path, text)[0]) <= bool(found)
    assert facts(path, text + tail) == facts(path, text)
