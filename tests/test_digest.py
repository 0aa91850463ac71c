# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""JSON from anywhere is read strictly, and can be written again; sources have one digest."""

from __future__ import annotations

from pathlib import Path

import pytest

from vendorctl.digest import canonical_json, of_sources, parse_json


@pytest.mark.parametrize("text", [b'{"a": [1, 2.5, "\\u00e9", null]}', '{"a": [1, 2.5, "\u00e9", null]}'])
def test_a_value(text: bytes | str) -> None:
    assert parse_json(text) == {"a": [1, 2.5, "\u00e9", None]}


def test_a_pair_of_surrogates_is_one_character() -> None:
    assert parse_json(b'"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b'{"a": NaN}',
        b"[Infinity]",
        b"-Infinity",
        b"1e999",
        b'"\\ud800"',
        b'{"\\udfff": 1}',
        b'"\xed\xa0\x80"',
        b"\xff",
        b"[" * 100_000,
        b"1" * 5000,
    ],
)
def test_what_is_no_json_is_a_value_error(text: bytes) -> None:
    with pytest.raises(ValueError):
        canonical_json(parse_json(text))


def test_the_digest_of_sources_changes_with_each_of_them(tmp_path: Path) -> None:
    (tmp_path / "part/deep").mkdir(parents=True)
    for name in ("one.py", "part/two.py", "part/deep/three.py"):
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / "part/notes.txt").write_text("not a source\n")
    whole, some = of_sources(tmp_path), of_sources(tmp_path, "one.py", "part")
    assert whole == some != of_sources(tmp_path, "part")
    (tmp_path / "part/notes.txt").write_text("other\n")
    assert of_sources(tmp_path) == whole
    (tmp_path / "part/deep/three.py").write_text("x = 2\n")
    assert of_sources(tmp_path) != whole
    assert of_sources(tmp_path, "one.py", "part/two.py") == of_sources(tmp_path, "part/two.py", "one.py")


@pytest.mark.parametrize("missing", ["gone.py", "gone", "empty"])
def test_sources_that_are_not_there_have_no_digest(tmp_path: Path, missing: str) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="no Python source"):
        of_sources(tmp_path, "one.py", missing)
