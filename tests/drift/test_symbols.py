# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Per-symbol comparison: what changed in meaning, and what only looks different."""

from __future__ import annotations

import pytest

from vendorctl.drift.symbols import MODULE, SymbolChange, compare_symbols, is_semantic

BASE = '''"""Doc."""
import math


def outer(x):
    """Doc."""

    @decorate
    def kernel(y):
        return y + 1  # one

    return kernel(x)


class Norm:
    eps = 1e-5

    def run(self):
        return self.eps
'''


def changed(new: str, old: str = BASE) -> dict[str, str]:
    deltas = compare_symbols(old.encode(), new.encode())
    assert deltas is not None
    return {delta.name: delta.change.value for delta in deltas}


def test_equal_files_have_no_deltas() -> None:
    assert compare_symbols(BASE.encode(), BASE.encode()) == ()


def test_a_nested_change_is_reported_for_the_nested_function_alone() -> None:
    assert changed(BASE.replace("y + 1", "y + 2")) == {"outer.kernel": "semantic"}


def test_a_decorator_belongs_to_its_function() -> None:
    assert changed(BASE.replace("@decorate", "@decorate_fast")) == {"outer.kernel": "semantic"}


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("# one", "# two", "outer.kernel"),
        ("y + 1  #", "(y +\n            1)  #", "outer.kernel"),
        ('    """Doc."""\n\n', '    """Another text."""\n\n', "outer"),
        ("self.eps", "(self.eps)", "Norm.run"),
        ('"""Doc."""\nimport', '"""Words."""\nimport', MODULE),
    ],
)
def test_layout_comments_and_docstrings_are_cosmetic(old: str, new: str, name: str) -> None:
    new_text = BASE.replace(old, new, 1)
    assert new_text != BASE
    deltas = compare_symbols(BASE.encode(), new_text.encode())
    assert deltas is not None
    assert {delta.name: delta.change.value for delta in deltas} == {name: "cosmetic"}
    assert not is_semantic(deltas)


def test_added_and_removed_symbols_and_statements_of_the_module() -> None:
    new = (
        BASE.replace("import math\n", "import cmath\n").replace("    def run", "    def walk") + "\n\ndef late(): ...\n"
    )
    assert changed(new) == {MODULE: "semantic", "Norm.run": "removed", "Norm.walk": "added", "late": "added"}


def test_a_name_defined_twice_is_two_symbols() -> None:
    twice = "if a:\n    def f(): return 1\nelse:\n    def f(): return 2\n"
    assert changed(twice.replace("return 2", "return 3"), twice) == {"f#2": "semantic"}


def test_a_renamed_argument_is_semantic() -> None:
    assert changed(BASE.replace("def run(self)", "def run(this)").replace("self.eps", "this.eps")) == {
        "Norm.run": "semantic"
    }


@pytest.mark.parametrize("broken", [b"def f(:\n", b"\0", b"(" * 300, b"\xff\xfe"])
def test_what_cannot_be_parsed_is_unknown_and_counts_as_semantic(broken: bytes) -> None:
    assert compare_symbols(BASE.encode(), broken) is None
    assert is_semantic(None)


def test_lines_are_those_of_the_new_file() -> None:
    deltas = compare_symbols(BASE.encode(), ("# head\n" + BASE.replace("y + 1", "y")).encode())
    assert deltas is not None
    assert [(delta.name, delta.line) for delta in deltas if delta.change is SymbolChange.SEMANTIC] == [
        ("outer.kernel", 9)
    ]
