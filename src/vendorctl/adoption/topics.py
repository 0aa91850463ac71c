# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Cutting the difference between upstream and a copy into patches: every hunk goes to the topic that somebody names.

A topic is a title. Who names it is a function from a hunk to a title, so that `--split` by file, by symbol and by
asking a person are the same thing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Tree
from vendorctl.paths import display
from vendorctl.series.patch import ChangeKind
from vendorctl.series.split import Part, with_hunks
from vendorctl.vendor.syntax import parse_module, statements_in

#: Names the topic of one separable piece of the difference.
Topics: TypeAlias = Callable[[Part], str]


@dataclass(frozen=True, slots=True)
class Stage:
    """One patch to be: its title, and the tree that it leads to."""

    title: str
    tree: Tree


def one_topic(title: str) -> Topics:
    """Everything in one patch."""
    return lambda _part: title


def by_file(part: Part) -> str:
    """A patch for each file."""
    verb = {ChangeKind.ADD: "Add", ChangeKind.DELETE: "Remove"}.get(part.change.kind, "Change")
    return f"{verb} {display(part.change.path)}"


def by_symbol(tree: Tree, blobs: Blobs) -> Topics:
    """A patch for each outermost function or class that is changed, one for the rest of each file.

    `tree` is what the difference starts from. Files that are not Python are one topic each.
    """

    @cache
    def spans(path: bytes) -> tuple[tuple[int, int, str], ...]:
        return tuple(_definitions(blobs[tree[path].oid]))

    def topic(part: Part) -> str:
        path = part.change.path
        if part.hunk is None or not path.endswith(b".py"):
            return by_file(part)
        line = _first_changed_line(part)
        name = next((name for first, last, name in spans(path) if first <= line <= last), None)
        return f"Change {name} in {display(path)}" if name else by_file(part)

    return topic


def _first_changed_line(part: Part) -> int:
    """The old line (from 1) at which a hunk's first change stands."""
    assert part.hunk is not None
    hunk = part.change.hunks[part.hunk]
    context = next(index for index, line in enumerate(hunk.lines) if line.sign != b" ")
    return hunk.old_start + context


def _definitions(content: bytes) -> list[tuple[int, int, str]]:
    """First and last line and name of every outermost definition."""
    module = parse_module(content)
    found = []
    for node in statements_in(module) if module is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.append((first, node.end_lineno or node.lineno, node.name))
    return found


def stages(
    before: Tree, after: Tree, parts: Sequence[Part], topics: Topics, blobs: Blobs
) -> tuple[list[Stage], dict[Oid, bytes]]:
    """The way from `before` to `after`, one stage per topic in order of first mention, and the contents it makes.

    `parts` are all separable pieces of the difference. The last stage's tree is `after`.
    """
    grouped: dict[str, list[Part]] = {}
    for part in parts:
        grouped.setdefault(" ".join(topics(part).split()), []).append(part)
    made: dict[Oid, bytes] = {}
    done: list[Part] = []
    found: list[Stage] = []
    for title, chosen in grouped.items():
        done += chosen
        found.append(Stage(title, before.replace(_changes(before, after, done, blobs, made))))
    return found, made


def _changes(
    before: Tree, after: Tree, done: Sequence[Part], blobs: Blobs, made: dict[Oid, bytes]
) -> Mapping[bytes, Entry | None]:
    changes: dict[bytes, Entry | None] = {}
    for change in {id(part.change): part.change for part in done}.values():
        hunks = sorted(part.hunk for part in done if part.change is change and part.hunk is not None)
        if not hunks:
            if change.old_path is not None and change.old_path not in after:
                changes[change.old_path] = None
            if change.kind is not ChangeKind.DELETE:
                changes[change.path] = after[change.path]
            continue
        old = before[change.path]
        content = with_hunks(blobs[old.oid], change, hunks)
        made[hash_blob(content)] = content
        changes[change.path] = Entry(old.mode, hash_blob(content))
    return changes
