# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whatever was done to a copy, and however it is cut, the derived series gives it back."""

from __future__ import annotations

import random

import pytest

from support.repo import Content, executable, symlink
from support.trees import Contents, tree
from vendorctl.adoption.base import Match
from vendorctl.adoption.candidates import read_copy
from vendorctl.adoption.derive import TopicMaker, derive_series
from vendorctl.adoption.fingerprint import FULL
from vendorctl.adoption.topics import by_file, by_symbol, one_topic
from vendorctl.series.record import Statement
from vendorctl.series.stack import apply_series

STATEMENT = Statement(title="", reason="by hand", author="A <a@example.org>", date="Mon, 1 Jan 2024 00:00:00 +0000")
SPLITS: dict[str, TopicMaker] = {
    "none": lambda _tree, _blobs: one_topic("All of it"),
    "by-file": lambda _tree, _blobs: by_file,
    "by-symbol": by_symbol,
}


def module(source: random.Random) -> str:
    functions = [
        f"def f{number}(x):\n" + "".join(f"    x += {source.randrange(99)}\n" for _ in range(9)) for number in range(4)
    ]
    return "import os\n\n\n" + "\n\n".join(functions)


def edit(source: random.Random, text: str) -> str:
    rows = text.splitlines(keepends=True)
    for _ in range(source.randrange(5)):
        at = source.randrange(len(rows))
        rows[at : at + source.randrange(3)] = [f"    y = {source.randrange(99)}\n"] * source.randrange(3)
    result = "".join(rows)
    return source.choice([result, result.rstrip("\n"), result.replace("\n", "\r\n"), result]) or "x\n"


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("seed", range(8))
def test_the_series_gives_the_copy_back(seed: int, split: str) -> None:
    source = random.Random(seed)
    contents: Contents = {}
    originals = {f"k/m{number}.py": module(source) for number in range(5)}
    pristine = tree(dict(originals.items()), contents)
    places = dict(zip(originals, [f"m{number}.py" for number in source.sample(range(9), 5)], strict=True))
    if seed % 3 == 0:
        # Two files change places: a move in which no path is new.
        places = dict(zip(originals, [*list(originals)[1:], next(iter(originals))], strict=True))
    made: dict[str | bytes, Content] = {places[path]: edit(source, text) for path, text in originals.items()}
    made |= {"new.py": module(source), "run": executable("exec true\n"), "link": symlink("new.py"), "bin": b"\0\1\2"}
    copy = tree(made, contents)
    sources = {place.encode(): path.encode() for path, place in places.items()}
    matches = [
        Match(file, sources[file.path], pristine[sources[file.path]], FULL, FULL, None)
        for file in read_copy(copy, contents)
        if file.path in sources
    ]
    chain = derive_series("up", pristine, copy, matches, contents, STATEMENT, SPLITS[split], layout="Lay out")
    assert chain.patched == copy
    assert apply_series(pristine, chain.series, contents).patched == copy
    titles = [patch.title for patch in chain.series.patches]
    assert titles[0] == "Lay out"
    assert len(set(titles)) == len(titles)
    assert [patch.number for patch in chain.series.patches] == list(range(1, len(titles) + 1))
    if split != "none":
        assert all(len(patch.changes) == 1 for patch in chain.series.patches[1:])


def test_an_unchanged_copy_needs_no_patch() -> None:
    contents: Contents = {}
    pristine = tree({"a.py": "1\n2\n3\n"}, contents)
    (file,) = read_copy(pristine, contents)
    match = Match(file, b"a.py", pristine[b"a.py"], FULL, FULL, None)
    chain = derive_series("up", pristine, pristine, [match], contents, STATEMENT, SPLITS["none"], layout="Lay out")
    assert chain.series.patches == ()
