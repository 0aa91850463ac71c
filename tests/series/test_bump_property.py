# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Random edits on both sides: a bump gives git's own three-way result, or says conflict, and never loses a line."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from support.chains import Shelf
from support.repo import Content, Repo, repo
from vendorctl.series.bump import OutcomeKind

_GIT = tuple(int(part) for part in re.findall(r"\d+", subprocess.check_output(["git", "--version"]).decode())[:2])
needs_merge_tree = pytest.mark.skipif(_GIT < (2, 38), reason="git merge-tree --write-tree came with git 2.38")

FILES = ("norm.py", "softmax.py", "common/utils.py")


def module(name: str, functions: int) -> list[str]:
    """Lines of a small Python module, all distinct so that a lost or doubled one is seen."""
    lines = [f'"""Module {name}."""', "", "import math", ""]
    for number in range(functions):
        lines += [f"def {name}_{number}(x, eps={number}):", f"    mean = math.fsum(x) / {number + 2}"]
        lines += [f"    scale = mean + eps * {number}  # {name}", f"    return [v * scale for v in x]  # {number}", ""]
    return lines


@dataclass(frozen=True)
class Edit:
    """One change of one file: `action` at a line given as a fraction of its length."""

    path: str
    action: str
    place: float
    text: str


def edits(who: str) -> st.SearchStrategy[list[Edit]]:
    actions = st.sampled_from(["insert", "insert", "replace", "replace", "delete", "drop", "move", "add"])
    one = st.builds(
        Edit,
        path=st.sampled_from(FILES),
        action=actions,
        place=st.floats(0, 1, exclude_max=True),
        # Both sides sometimes write the same line: that is how a patch lands.
        text=st.sampled_from([f"    {who}_{n} = {n}" for n in range(4)] + ["    shared_limit_of_both = 1"]),
    )
    return st.lists(one, min_size=1, max_size=4)


def edited(files: dict[str, str], changes: list[Edit]) -> dict[str, str]:
    result = dict(files)
    for number, edit in enumerate(changes):
        if edit.path not in result:
            continue
        lines = result[edit.path].split("\n")[:-1]
        # Only lines of function bodies change, so that every version stays valid Python.
        inside = [index for index, line in enumerate(lines) if line.startswith("    ") and "return" not in line]
        if not inside:
            continue
        at = inside[int(edit.place * len(inside))]
        match edit.action:
            case "insert":
                lines.insert(at, edit.text)
            case "replace":
                lines[at] = edit.text
            case "delete":
                del lines[at]
            case "drop":
                del result[edit.path]
                continue
            case "move":
                result["moved_" + edit.path.replace("/", "_")] = result.pop(edit.path)
                continue
            case "add":
                result[f"own_{number}.py"] = f"{edit.text}  # {number}\n"
                continue
        result[edit.path] = "".join(line + "\n" for line in lines)
    return result


def changes_of(files: dict[str, str], before: Iterable[str] = ()) -> dict[str | bytes, Content]:
    """What makes `files` of a commit that has the paths `before`."""
    changes: dict[str | bytes, Content] = dict.fromkeys(before)
    changes.update(files.items())
    return changes


def git_merge(where: Repo, base: dict[str, str], ours: dict[str, str], theirs: dict[str, str]) -> str | None:
    """The tree that git's own merge gives, or None for a conflict."""
    root = where.commit(changes_of(base), branch="base", parents=())
    sides = []
    for name, files in (("ours", ours), ("theirs", theirs)):
        sides.append(where.commit(changes_of(files, base), branch=name, parents=[root]))
    command = ["git", "merge-tree", "--write-tree", *map(str, sides)]
    done = subprocess.run(command, cwd=where.path, capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout.decode().split("\n")[0] if done.returncode == 0 else None


@needs_merge_tree
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(downstream=edits("down"), upstream=edits("up"))
def test_a_bump_gives_what_git_gives_or_says_conflict(
    tmp_path_factory: pytest.TempPathFactory, downstream: list[Edit], upstream: list[Edit]
) -> None:
    base = {path: "\n".join(module(Path(path).stem, 6)) + "\n" for path in FILES}
    ours, theirs = edited(base, upstream), edited(base, downstream)
    if base == theirs or not ours:
        return
    where = repo(tmp_path_factory.mktemp("git"))
    expected = git_merge(where, base, ours, theirs)
    shelf = Shelf()
    plan = shelf.bump(shelf.chain(base, theirs), ours)
    kind = plan.outcomes[0].kind
    event(f"{kind.value}, git {'clean' if expected else 'conflict'}")
    if kind is OutcomeKind.CONFLICT:
        return
    assert plan.applied is not None
    result = plan.applied.patched
    if expected is not None and plan.outcomes[0].by:
        # git applied a patch twice that upstream had taken at a place nearby.
        assert kind is OutcomeKind.MERGED_UPSTREAM
        assert result == shelf.tree(ours)
        assert_doubles_a_line(where, expected, ours, theirs)
    elif expected is not None:
        assert str(result.oid) == expected
    else:
        # Beyond git only where one side did a part of what the other did; then every new line of both is there.
        assert kind in (OutcomeKind.PARTLY_MERGED, OutcomeKind.MERGED_UPSTREAM)
        assert_keeps_every_new_line(shelf.files(result), base, ours, theirs)


def assert_doubles_a_line(where: Repo, tree: str, *states: dict[str, str]) -> None:
    ours, theirs = (Counter("".join(state.values()).split("\n")) for state in states)
    listing = where.git("ls-tree", "-r", "--format=%(objectname)", tree).decode().split()
    merged = Counter("".join(where.git("cat-file", "blob", oid).decode() for oid in listing).split("\n"))
    assert any(line.strip() and count > max(ours[line], theirs[line]) for line, count in merged.items())


def assert_keeps_every_new_line(result: dict[str, str], *states: dict[str, str]) -> None:
    base, ours, theirs, found = (Counter("".join(state.values()).split("\n")) for state in (*states, result))
    for line, count in ((ours - base) | (theirs - base)).items():
        assert found[line] >= base[line] + count, f"lost {line!r}"
    most: Counter[str] = Counter()
    for state in states:
        for text in state.values():
            most |= Counter(text.split("\n"))
    for path, text in result.items():
        assert not Counter(text.split("\n")) - most, f"a line of {path} stands more often than on either side"


@settings(max_examples=25, deadline=None)
@given(steps=st.lists(edits("down"), min_size=2, max_size=5), upstream=edits("up"))
def test_there_and_back_restores_every_tree(steps: list[list[Edit]], upstream: list[Edit]) -> None:
    base = {path: "\n".join(module(Path(path).stem, 6)) + "\n" for path in FILES}
    states = [base]
    for step in steps:
        states.append(edited(states[-1], [edit for edit in step if edit.action in ("insert", "replace", "add")]))
    distinct = [state for state, before in zip(states[1:], states, strict=False) if state != before]
    upstream = [edit for edit in upstream if edit.action in ("insert", "move")]
    if not distinct or not upstream:
        return
    shelf = Shelf()
    old = shelf.chain(base, *distinct)
    there = shelf.bump(old, edited(base, upstream))
    if there.applied is None or any(not outcome.kind.keeps for outcome in there.outcomes):
        return
    back = shelf.bump(there.applied, base)
    if back.applied is None:
        return
    event("there and back")
    if all(outcome.kind is not OutcomeKind.PARTLY_MERGED for outcome in (*there.outcomes, *back.outcomes)):
        assert back.applied.trees == old.trees
        assert [patch.raw for patch in back.applied.series.patches] == [patch.raw for patch in old.series.patches]
