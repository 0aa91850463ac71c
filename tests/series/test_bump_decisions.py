# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Recorded decisions are bounded in number and size: the oldest go, but none that a bump under way rests on."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from support.field import Field
from vendorctl.series.resolutions import MOST, MOST_BYTES


def keep_decision(field: Field, key: str, *, age: int, size: int = 10) -> Path:
    """A decision of `age` seconds ago, as an earlier bump would have left it."""
    folder = field.root / ".vendorctl/resolutions" / key
    folder.mkdir(parents=True)
    facts = {"schema": "vendorctl/resolution/1", "path": "a.py", "mode": "100644"}
    for name, text in (("before", "b" * size), ("after", ""), ("facts.json", json.dumps(facts))):
        (folder / name).write_text(text)
    moment = time.time() - age
    os.utime(folder / "facts.json", (moment, moment))
    return folder


def decide(field: Field) -> None:
    field.stop()
    field.resolve()
    assert field.run("sync", "--continue") == 0


def test_the_oldest_decisions_go_where_there_are_too_many(field: Field) -> None:
    made = [keep_decision(field, f"{number:064x}", age=1000 - number) for number in range(MOST + 2)]
    decide(field)
    assert [folder.exists() for folder in made] == [False] * 3 + [True] * (MOST - 1)
    assert len(list((field.root / ".vendorctl/resolutions").iterdir())) == MOST


def test_the_oldest_decisions_go_where_they_are_too_large(field: Field) -> None:
    made = [keep_decision(field, f"{age:064x}", age=age, size=MOST_BYTES // 2 - 1000) for age in (10, 20, 30)]
    decide(field)
    assert [folder.exists() for folder in made] == [True, True, False]


def test_few_decisions_all_stay(field: Field) -> None:
    old = keep_decision(field, "0" * 64, age=10**9)
    decide(field)
    assert old.exists()


def test_decisions_of_a_bump_under_way_stay(field: Field) -> None:
    """Whatever their age: without them its next step would ask again."""
    field.stop()
    waiting = field.root / ".vendorctl/bump/up/state.json"
    state = json.loads(waiting.read_text())
    waiting.write_text(json.dumps(state | {"decided": ["f" * 64]}))
    needed = keep_decision(field, "f" * 64, age=10**9)
    others = [keep_decision(field, f"{number:064x}", age=100) for number in range(MOST)]
    field.resolve()
    assert field.run("sync", "--continue") == 0
    assert needed.exists()
    assert sum(folder.exists() for folder in others) == MOST - 1
