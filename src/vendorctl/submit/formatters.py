# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The upstream's own formatter and linter, as its pyproject.toml configures them, run over what a submission changes.

Files are judged before and after: what upstream itself has not formatted, or never linted, is no fault of the
submission. Tools that can load code from the tree (flake8, pylint, mypy plugins) are named, and never run.
"""

from __future__ import annotations

import json
import os
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.proc import Runner, run

#: Finds the program of a name, or None.
Finder = Callable[[str], str | None]

#: Files that configure the tools below; all stand at the root.
CONFIGURATION = (b"pyproject.toml", b"ruff.toml", b".ruff.toml", b".editorconfig")
_SECONDS = 120.0
_UNRUN = ("flake8", "pylint", "yapf", "mypy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one tool says. `skipped` says why it says nothing; `faults` are paths with a message, in path order."""

    tool: str
    purpose: str
    skipped: str = ""
    version: str = ""
    faults: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class _Tool:
    """A program with its arguments; `judge` gives per path the faults in what it wrote."""

    name: str
    purpose: str
    program: str
    arguments: tuple[str, ...]
    judge: Callable[[bytes], Counter[tuple[str, str]]] = field(repr=False)


def judge_style(before: Tree, after: Tree, blobs: Blobs, find: Finder, *, runner: Runner = run) -> tuple[Verdict, ...]:
    """What the upstream's tools say about the Python files that differ between two of its trees.

    No verdicts: the upstream configures no tool.
    """
    configuration = {path: blobs[entry.oid] for path in CONFIGURATION if (entry := after.get(path)) is not None}
    changed = [path for path, (_old, new) in before.difference(after).items() if new is not None]
    python = [path for path in changed if path.endswith((b".py", b".pyi"))]
    verdicts = []
    for tool in _tools(configuration):
        program = find(tool.program)
        if program is None:
            verdicts.append(Verdict(tool=tool.name, purpose=tool.purpose, skipped="it is not installed"))
        elif not python:
            verdicts.append(Verdict(tool=tool.name, purpose=tool.purpose, skipped="no Python file changes"))
        else:
            verdicts.append(_compare(tool, program, configuration, python, (before, after), blobs, runner))
    reason = "it can load code from the tree, and is not run"
    verdicts += [Verdict(tool=name, purpose="other", skipped=reason) for name in _unrun(configuration)]
    return tuple(verdicts)


def _sections(configuration: Mapping[bytes, bytes]) -> dict[str, Any]:
    """The ``[tool.*]`` tables of pyproject.toml; none when it cannot be read."""
    try:
        document = tomllib.loads(configuration.get(b"pyproject.toml", b"").decode())
    except (ValueError, UnicodeDecodeError):
        return {}
    tools = document.get("tool", {})
    return tools if isinstance(tools, dict) else {}


def _unrun(configuration: Mapping[bytes, bytes]) -> list[str]:
    return [name for name in _UNRUN if name in _sections(configuration)]


def _tools(configuration: Mapping[bytes, bytes]) -> list[_Tool]:
    """The tools that an upstream configures. With black beside it, ruff is taken for a linter only."""
    sections = _sections(configuration)
    has_ruff = "ruff" in sections or b"ruff.toml" in configuration or b".ruff.toml" in configuration
    common = ("--no-cache", "--force-exclude")
    found = []
    if "black" in sections:
        found.append(_Tool("black", "formatter", "black", ("--check", "--no-color"), _unformatted))
    elif has_ruff:
        found.append(_Tool("ruff format", "formatter", "ruff", ("format", "--check", *common), _unformatted))
    if "isort" in sections:
        found.append(_Tool("isort", "formatter", "isort", ("--check-only",), _unsorted))
    if has_ruff:
        options = ("check", "--output-format=json", "--exit-zero", *common)
        found.append(_Tool("ruff check", "linter", "ruff", options, _diagnostics))
    return found


def _compare(
    tool: _Tool,
    program: str,
    configuration: Mapping[bytes, bytes],
    paths: Sequence[bytes],
    trees: tuple[Tree, Tree],
    blobs: Blobs,
    runner: Runner,
) -> Verdict:
    """Run a tool on both states and keep the faults that only the second one has."""
    found: list[Counter[tuple[str, str]]] = []
    for tree in trees:
        with tempfile.TemporaryDirectory(prefix="vendorctl-style-") as name:
            # Resolved, because tools report resolved paths.
            folder = Path(name).resolve()
            present = _lay_out(folder, configuration, [path for path in paths if path in tree], tree, blobs)
            if not present:
                found.append(Counter())
                continue
            command = [program, *tool.arguments, "--", *present]
            done = runner(command, cwd=folder, env=_environment(), timeout=_SECONDS)
            # By convention of all three: 0 is fine, 1 is faults, anything else is trouble of the tool's own.
            if done.status not in (0, 1):
                lines = done.error_text().splitlines() or ["it failed"]
                return Verdict(tool=tool.name, purpose=tool.purpose, skipped=lines[-1].replace(str(folder), ""))
            output = done.stdout + b"\n" + done.stderr if tool.judge is not _diagnostics else done.stdout
            found.append(_relative(tool.judge(output), folder))
    version = runner([program, "--version"], env=_environment()).stdout.decode("utf-8", "replace").split("\n")[0]
    new = found[1] - found[0]
    return Verdict(tool=tool.name, purpose=tool.purpose, version=version, faults=tuple(sorted(new.elements())))


def _environment() -> dict[str, str]:
    """Ours, without what would configure the tools from outside of the upstream."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUFF_", "BLACK_", "ISORT_"))}
    return kept | {"NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def _lay_out(
    folder: Path, configuration: Mapping[bytes, bytes], paths: Sequence[bytes], tree: Tree, blobs: Blobs
) -> list[str]:
    contents = {**{path: blobs[tree[path].oid] for path in paths if tree[path].mode.is_regular}}
    for path, content in {**configuration, **contents}.items():
        place = folder / os.fsdecode(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return [os.fsdecode(path) for path in contents]


def _relative(faults: Counter[tuple[str, str]], folder: Path) -> Counter[tuple[str, str]]:
    """Paths as upstream knows them: tools report them with or without the folder that they ran in."""
    return Counter({(path.removeprefix(f"{folder}/"), message): count for (path, message), count in faults.items()})


def _unformatted(output: bytes) -> Counter[tuple[str, str]]:
    """Lines ``would reformat PATH`` of black and ruff."""
    lines = output.decode("utf-8", "replace").splitlines()
    starts = ("would reformat ", "Would reformat: ")
    named = [line.removeprefix(start) for line in lines for start in starts if line.startswith(start)]
    return Counter({(path, "it would be formatted differently"): 1 for path in named})


def _unsorted(output: bytes) -> Counter[tuple[str, str]]:
    """Lines ``ERROR: PATH Imports are incorrectly sorted...`` of isort."""
    rows = [line.removeprefix("ERROR: ") for line in output.decode("utf-8", "replace").splitlines()]
    return Counter(
        {(row.partition(" Imports ")[0], "its imports would be sorted"): 1 for row in rows if " Imports " in row}
    )


def _diagnostics(output: bytes) -> Counter[tuple[str, str]]:
    """The JSON rows of ``ruff check``, without line numbers, which move with every change above."""
    found: Counter[tuple[str, str]] = Counter()
    for row in json.loads(output or b"[]"):
        found[str(row["filename"]), f"{row['code'] or 'syntax error'}: {row['message']}"] += 1
    return found
