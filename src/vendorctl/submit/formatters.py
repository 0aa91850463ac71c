# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The upstream's own formatter and linter, as its pyproject.toml configures them, run over what a submission changes.

A formatter judges by what it makes of copies of the files, whatever words its versions use. Files are judged before
and after: what upstream itself has not formatted, or never linted, is no fault of the
submission. Tools that can load code from the tree (flake8, pylint, mypy plugins) are named, and never run.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vendorctl.digest import parse_json
from vendorctl.errors import VendorError
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
    """A program with its arguments. A formatter rewrites the files that it is given, a linter lists faults as JSON."""

    name: str
    purpose: str
    program: str
    arguments: tuple[str, ...]


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
            verdicts.append(_Bench(tool, program, configuration, blobs, runner).compare(python, before, after))
    reason = "it can load code from the tree, and is not run"
    verdicts += [Verdict(tool=name, purpose="other", skipped=reason) for name in _unrun(configuration)]
    return tuple(verdicts)


def _sections(configuration: Mapping[bytes, bytes]) -> dict[str, Any]:
    """The ``[tool.*]`` tables of pyproject.toml; none when it cannot be read."""
    try:
        document = tomllib.loads(configuration.get(b"pyproject.toml", b"").decode())
    except (ValueError, RecursionError):
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
        found.append(_Tool("black", "formatter", "black", ("--quiet",)))
    elif has_ruff:
        found.append(_Tool("ruff format", "formatter", "ruff", ("format", "--quiet", *common)))
    if "isort" in sections:
        found.append(_Tool("isort", "formatter", "isort", ("--quiet", "--filter-files")))
    if has_ruff:
        found.append(_Tool("ruff check", "linter", "ruff", ("check", "--output-format=json", "--exit-zero", *common)))
    return found


@dataclass(frozen=True)
class _Bench:
    """Where one tool is run on copies of files; upstream's configuration lies beside them."""

    tool: _Tool
    program: str
    configuration: Mapping[bytes, bytes]
    blobs: Blobs
    runner: Runner

    def compare(self, paths: Sequence[bytes], before: Tree, after: Tree) -> Verdict:
        """Judge both states and keep the faults that only the second one has."""
        name, purpose = self.tool.name, self.tool.purpose
        try:
            was, now = self._judge(paths, before), self._judge(paths, after)
        except VendorError as error:
            return Verdict(tool=name, purpose=purpose, skipped=error.message)
        told = self.runner([self.program, "--version"], env=_environment()).stdout.decode("utf-8", "replace").split()
        version = next((word for word in told if word[0].isdigit()), "")
        return Verdict(tool=name, purpose=purpose, version=version, faults=tuple(sorted((now - was).elements())))

    def _judge(self, paths: Sequence[bytes], tree: Tree) -> Counter[tuple[str, str]]:
        """Faults by path and message. Raises VendorError, for the caller here, when the tool is in trouble."""
        contents = {
            os.fsdecode(path): self.blobs[tree[path].oid]
            for path in paths
            if path in tree and tree[path].mode.is_regular
        }
        if not contents:
            return Counter()
        with tempfile.TemporaryDirectory(prefix="vendorctl-style-") as name:
            # Resolved, because tools report resolved paths.
            folder = Path(name).resolve()
            settings = {os.fsdecode(path): content for path, content in self.configuration.items()}
            for path, content in (settings | contents).items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
            command = [self.program, *self.tool.arguments, "--", *contents]
            done = self.runner(command, cwd=folder, env=_environment(), timeout=_SECONDS)
            if not done.ok:
                said = done.error_text().replace(f"{folder}/", "").splitlines() or ["it failed without a word"]
                raise VendorError(f"it fails: {said[0]}")
            if self.tool.purpose == "linter":
                return _diagnostics(done.stdout, folder)
            changed = [path for path, content in contents.items() if (folder / path).read_bytes() != content]
            return Counter({(path, "it would be formatted differently"): 1 for path in changed})


def _environment() -> dict[str, str]:
    """Ours, without what would configure the tools from outside of the upstream."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RUFF_", "BLACK_", "ISORT_"))}
    return kept | {"NO_COLOR": "1", "LC_ALL": "C.UTF-8"}


def _diagnostics(output: bytes, folder: Path) -> Counter[tuple[str, str]]:
    """The JSON rows of ``ruff check``, without line numbers, which move with every change above.

    Raises VendorError for anything else.
    """
    found: Counter[tuple[str, str]] = Counter()
    try:
        for row in parse_json(output or b"[]"):
            found[str(row["filename"]).removeprefix(f"{folder}/"), f"{row['code'] or 'syntax'}: {row['message']}"] += 1
    except (KeyError, TypeError, ValueError) as error:
        raise VendorError("it does not list its findings as JSON rows") from error
    return found
