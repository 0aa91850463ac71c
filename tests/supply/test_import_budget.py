# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The import budget: which packages a command may load. Counted in modules, never in seconds, so that it never flakes.

This file also stands for all commands where `vendorctl isolate` collects it: to collect it, every one is imported.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import click
import pytest

from support.licensed_workspace import LicensedWorkspace, header
from vendorctl.cli.group import cli
from vendorctl.cli.table import COMMANDS

LOADED = {name: cli.get_command(click.Context(cli), name) for name in COMMANDS}

#: Parts of the standard library that cost more than a hundredth of a second, or that have no business in a reader.
HEAVY = {"asyncio", "concurrent.futures.process", "ctypes", "email.parser", "http.client", "multiprocessing", "pdb",
         "sqlite3", "ssl", "unittest", "urllib.request", "xml.etree.ElementTree"}  # fmt: skip

PARSING = {"click"}
READING = PARSING | {"yaml"}
LICENSING = READING | {"boolean", "license_expression"}

#: Command, the packages that it may load, the heavy parts of the standard library that it may, and the most modules of
#: vendorctl. Raise a number where a command does more; never to get around a test.
BUDGET: tuple[tuple[str, set[str], set[str], int], ...] = (
    ("--version", PARSING, set(), 10),
    ("--help", PARSING, set(), 10),
    ("verify --help", PARSING, set(), 14),
    ("explain VC101", PARSING, set(), 24),
    ("patch list", READING, set(), 75),
    ("check", READING, set(), 110),
    ("diff-upstream", READING, set(), 130),
    ("verify", LICENSING, set(), 130),
    ("status", LICENSING, set(), 160),
)

_PROBE = """
import json, os, sys
from vendorctl.cli import main
with open(os.devnull, "w") as sys.stdout:
    code = main(sys.argv[1:])
sys.__stdout__.write(json.dumps([code, sorted(sys.modules)]))
"""


def modules(root: Path, words: Sequence[str]) -> set[str]:
    """All modules that are loaded at the end of a command, in a process of its own, in the workspace at `root`."""
    command = [sys.executable, "-c", _PROBE, "-C", str(root), *words]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    code, loaded = json.loads(done.stdout)
    assert code < 3, done.stderr
    return set(loaded)


def overspent(loaded: set[str], packages: set[str], heavy: set[str], most: int) -> list[str]:
    """What was loaded beyond a budget, in words."""
    tops = {name.partition(".")[0] for name in loaded if not name.startswith("_")}
    foreign = tops - sys.stdlib_module_names - {"vendorctl", "sitecustomize", "cython_runtime"}
    own = [name for name in loaded if name.partition(".")[0] == "vendorctl"]
    found = [f"loads {name}" for name in sorted((foreign - packages) | (HEAVY & loaded) - heavy)]
    return found + [f"loads {len(own)} modules of vendorctl, more than {most}"] * (len(own) > most)


def test_every_command_is_there() -> None:
    assert all(LOADED.values())


@pytest.mark.parametrize(("line", "packages", "heavy", "most"), BUDGET, ids=[row[0] for row in BUDGET])
def test_a_command_stays_within_its_budget(
    workspace: Path, line: str, packages: set[str], heavy: set[str], most: int
) -> None:
    LicensedWorkspace(workspace, {"a.py": header() + "x = 1\n"}, ({"a.py": header() + "x = 2\n"},)).published()
    loaded = modules(workspace, line.split(" "))
    assert overspent(loaded, packages, heavy, most) == []
    used = {name.partition(".")[0] for name in loaded} & packages
    assert used == packages, "the budget allows what is not loaded any more: lower it"


def test_what_is_beyond_a_budget_is_seen(workspace: Path) -> None:
    """The negative control: a command that writes loads more than one that reads."""
    loaded = modules(workspace, ["init"]) | modules(workspace, ["sync"])
    assert "loads filelock" in overspent(loaded, READING, set(), 300)
    assert overspent(loaded, READING | {"filelock"}, HEAVY, 10)[-1].endswith("more than 10")
    assert overspent({"ssl", "numpy.linalg"}, READING, set(), 0) == ["loads numpy", "loads ssl"]
