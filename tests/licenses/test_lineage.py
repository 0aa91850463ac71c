# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where files of the patched tree come from: through changes, moves, copies, deletions and back."""

from __future__ import annotations

import pytest

from support.chains import Files, Shelf
from vendorctl.licenses.lineage import Lineage, lineage

LONG = "".join(f"line {number}\n" for number in range(40))
BASE: Files = {"a": LONG, "b": "b\n", "c": "c\n"}


def follow(*states: Files) -> Lineage:
    return lineage(Shelf().chain(BASE, *states))


def summary(found: Lineage) -> dict[str, tuple[str | None, tuple[int, ...]]]:
    return {
        path.decode(): (descent.origin.decode() if descent.origin else None, tuple(p.number for p in descent.patches))
        for path, descent in found.touched.items()
    }


CHANGED = LONG.replace("line 3\n", "line three\n")


@pytest.mark.parametrize(
    ("states", "touched", "modified", "removed"),
    [
        ([], {}, set(), set()),
        ([{**BASE, "b": "B\n"}], {"b": ("b", (1,))}, {b"b"}, set()),
        ([{**BASE, "b": "B\n"}, BASE], {"b": ("b", (1, 2))}, set(), set()),
        ([{**BASE, "d": "d\n"}], {"d": (None, (1,))}, set(), set()),
        ([{**BASE, "d": "d\n"}, {**BASE, "d": "D\n"}], {"d": (None, (1, 2))}, set(), set()),
        ([{"a": LONG, "b": "b\n"}], {}, set(), {b"c"}),
        ([{"a": LONG, "b": "b\n"}, BASE], {"c": ("c", (1, 2))}, set(), set()),
        ([{"a": LONG, "b": "b\n"}, {**BASE, "c": "C\n"}], {"c": ("c", (1, 2))}, {b"c"}, set()),
        ([{"m": LONG, "b": "b\n", "c": "c\n"}], {"m": ("a", (1,))}, set(), set()),
        ([{"m": CHANGED, "b": "b\n", "c": "c\n"}], {"m": ("a", (1,))}, {b"m"}, set()),
        (
            [{"m": LONG, "b": "b\n", "c": "c\n"}, {"n": CHANGED, "b": "b\n", "c": "c\n"}],
            {"n": ("a", (1, 2))},
            {b"n"},
            set(),
        ),
        ([{"m": LONG, "b": "b\n", "c": "c\n"}, {"b": "b\n", "c": "c\n"}], {}, set(), {b"a"}),
    ],
)
def test_paths_are_followed(
    states: list[Files], touched: dict[str, object], modified: set[bytes], removed: set[bytes]
) -> None:
    found = follow(*states)
    assert summary(found) == touched
    assert found.modified == modified
    assert set(found.removed) == removed
