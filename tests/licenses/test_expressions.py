# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Licence expressions: what is valid, how it is spelled, and what a policy makes of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vendorctl.errors import VendorError
from vendorctl.licenses.expressions import combine, is_valid, parse, permits


@pytest.mark.parametrize(
    ("text", "canonical", "ids"),
    [
        ("mit", "MIT", {"MIT"}),
        ("GPL-2.0+", "GPL-2.0-or-later", {"GPL-2.0-or-later"}),
        ("MIT or ISC", "MIT OR ISC", {"MIT", "ISC"}),
        ("Apache-2.0 WITH LLVM-exception", "Apache-2.0 WITH LLVM-exception", {"Apache-2.0", "LLVM-exception"}),
        ("(MIT OR ISC) AND Zlib", "(MIT OR ISC) AND Zlib", {"MIT", "ISC", "Zlib"}),
        ("LicenseRef-MIT-TC", "LicenseRef-MIT-TC", {"LicenseRef-MIT-TC"}),
    ],
)
def test_valid(text: str, canonical: str, ids: set[str]) -> None:
    parsed = parse(text)
    assert parsed.text == canonical
    assert set(parsed.ids) == ids
    assert parse(parsed.text) == parsed


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "Apache 2.0",
        "MIT AND",
        "AND",
        "MIT/ISC",
        "MIT, ISC",
        "MIT WITH ISC",
        "LLVM-exception",
        "NONE",
        "(MIT",
        "MIT -->",
        "MIT " * 400,
        " AND ".join(f"(MIT OR LicenseRef-{number})" for number in range(30)),
    ],
)
def test_invalid(text: str) -> None:
    assert not is_valid(text)
    with pytest.raises(VendorError):
        parse(text)


@pytest.mark.parametrize(
    ("text", "allow", "deny", "expected"),
    [
        ("MIT", ["MIT"], [], True),
        ("MIT", ["ISC"], [], False),
        ("MIT", [], [], True),
        ("MIT", ["mit"], [], True),
        ("MIT", ["MIT"], ["MIT"], False),
        ("MIT OR GPL-3.0-only", ["MIT"], ["GPL-3.0-only"], True),
        ("MIT AND GPL-3.0-only", ["MIT"], [], False),
        ("MIT AND ISC", ["MIT", "ISC"], [], True),
        ("(MIT OR GPL-3.0-only) AND (ISC OR GPL-3.0-only)", ["MIT", "ISC"], [], True),
        ("Apache-2.0 WITH LLVM-exception", ["Apache-2.0"], [], True),
        ("Apache-2.0", ["Apache-2.0 WITH LLVM-exception"], [], False),
        ("GPL-2.0-only WITH Classpath-exception-2.0", [], ["GPL-2.0-only"], False),
        (
            "GPL-2.0-only WITH Classpath-exception-2.0",
            ["GPL-2.0-only WITH Classpath-exception-2.0"],
            ["GPL-2.0-only"],
            True,
        ),
        ("GPL-2.0", [], ["GPL-2.0-only"], False),
    ],
)
def test_permits(text: str, allow: list[str], deny: list[str], expected: bool) -> None:
    assert permits(text, allow=allow, deny=deny) is expected


def test_combining_keeps_choices_together() -> None:
    assert combine([]) == ""
    assert combine(["MIT", "mit"]) == "MIT"
    assert combine(["MIT OR ISC", "Apache-2.0"]) == "Apache-2.0 AND (MIT OR ISC)"
    assert combine(["MIT", "no licence"]) == "MIT AND no licence"
    assert combine(["Apache-2.0 AND MIT", "MIT", "mit AND (ISC OR MIT)"]) == "Apache-2.0 AND (ISC OR MIT) AND MIT"


@given(st.lists(st.sampled_from(["MIT", "ISC", "Zlib", "Apache-2.0"]), min_size=1, max_size=4))
def test_a_combination_is_permitted_exactly_when_all_parts_are(parts: list[str]) -> None:
    for allow in (["MIT"], ["MIT", "ISC"], ["MIT", "ISC", "Zlib", "Apache-2.0"]):
        assert permits(combine(parts), allow=allow) is all(part in allow for part in parts)


@given(st.text(alphabet="MIT()ANDORWISC -+.\u00e92", max_size=40))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    if is_valid(text):
        assert parse(parse(text).text) == parse(text)


#: A program whose second thread asks while the library, slowed down, still fills its tables for the first one.
_AT_ONCE = """
import sys, threading, time
import license_expression
from vendorctl.licenses.expressions import parse
tokenizer, filling, results = license_expression.AdvancedTokenizer, threading.Event(), {}
add = tokenizer.add
def slow_add(self, *arguments):
    filling.set()
    time.sleep(0.0002)
    return add(self, *arguments)
tokenizer.add = slow_add
def work(text):
    results[text] = parse(text).text
first = threading.Thread(target=work, args=("MIT",))
first.start()
filling.wait()
work("Apache-2.0 WITH LLVM-exception")
first.join()
sys.exit(0 if results == {text: text for text in results} and len(results) == 2 else str(results))
"""


def test_threads_may_ask_for_their_first_expression_at_once() -> None:
    done = subprocess.run([sys.executable, "-c", _AT_ONCE], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
