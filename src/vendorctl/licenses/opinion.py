# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A second opinion: the `reuse` program over the same trees, what it reads differently, and what it does not look at.

reuse is an optional dependency (extra `report`), and a program: it is GPL, so none of its code is loaded here.

The trees are laid out in a folder of their own: in the workspace, reuse would leave out whatever git ignores, and that
is where patched trees are.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Mode, Tree
from vendorctl.licenses.declared import declaration_paths, read_declarations, scan_tree
from vendorctl.licenses.expressions import canonical
from vendorctl.licenses.licensed import workspace_path
from vendorctl.model import Finding, Severity
from vendorctl.paths import display, reject_reason
from vendorctl.proc import Runner
from vendorctl.workspace.lock import LicenseFacts

#: Seconds; reuse reads about a hundred files a second.
_PATIENCE = 600


@dataclass(frozen=True, slots=True)
class Opinion:
    """What reuse said about one tree: its expressions by path. A path that is not there was not looked at."""

    expressions: Mapping[str, frozenset[str]]


def second_opinion(upstream: str, title: str, tree: Tree, blobs: Blobs, runner: Runner) -> list[Finding]:
    """Where reuse and vendorctl disagree about a tree (warnings), and what reuse skipped (one note).

    `title` says which tree this is ("pristine", "patched"). Raises VendorError (exit code 7) when reuse cannot run,
    KeyError when `blobs` lacks a content.
    """
    contents = {path: blobs[entry.oid] for path, entry in tree.items() if entry.mode.is_blob}
    regular = {path: text for path, text in contents.items() if tree[path].mode.is_regular}
    declared = {path: regular[path] for path in declaration_paths(regular, regular) if path in regular}
    facts = scan_tree(regular, read_declarations(declared))
    opinion = _ask(tree, contents, runner)
    findings = [_disagreement(upstream, title, path, facts[path], opinion) for path in regular]
    skipped = [path for path in tree if display(path) not in opinion.expressions]
    return [finding for finding in (*findings, _skipped(upstream, title, tree, skipped)) if finding is not None]


def _ask(tree: Tree, contents: Mapping[bytes, bytes], runner: Runner) -> Opinion:
    with tempfile.TemporaryDirectory(prefix="vendorctl-reuse-") as scratch:
        folder = Path(scratch, "tree")
        folder.mkdir()
        for path, content in contents.items():
            _lay_out(folder, path, content, tree[path].mode)
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": scratch, "LC_ALL": "C.UTF-8"}
        command = [*_program(environment["PATH"]), "--root", str(folder), "lint", "--json"]
        done = runner(command, cwd=folder, env=environment, timeout=_PATIENCE)
    try:
        return parse_opinion(done.stdout)
    except (ValueError, KeyError, TypeError) as error:
        last = done.error_text().splitlines()[-1:] or ["no output"]
        raise VendorError(
            f"reuse gave no answer: {last[0]}",
            hint="run the audit with --no-second-opinion",
            code=ExitCode.TOOL_MISSING,
        ) from error


def parse_opinion(answer: bytes) -> Opinion:
    """What ``reuse lint --json`` prints. Raises ValueError, KeyError or TypeError for anything else."""
    said: dict[str, frozenset[str]] = {}
    for row in parse_json(answer)["files"]:
        path, values = row["path"], [each["value"] for each in row["spdx_expressions"]]
        if not isinstance(path, str) or not all(isinstance(value, str) for value in values):
            raise TypeError("a path and expressions are text")
        said[path] = frozenset(canonical(value) for value in values)
    return Opinion(said)


def _program(path: str) -> list[str]:
    """How to start reuse: the one installed beside vendorctl, else the one on `path`."""
    if find_spec("reuse") is not None:
        return [sys.executable, "-m", "reuse"]
    found = shutil.which("reuse", path=path)
    if found is None:
        raise VendorError(
            "reuse is not installed (`pip install 'vendorctl[report]'`)",
            hint="or run the audit with --no-second-opinion",
            code=ExitCode.TOOL_MISSING,
        )
    return [found]


def _lay_out(folder: Path, path: bytes, content: bytes, mode: Mode) -> None:
    """Write one file; a link is left out (reuse does not look at links, and would have to be kept from following)."""
    if mode.is_regular and reject_reason(path) is None:
        target = folder / os.fsdecode(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _disagreement(upstream: str, title: str, path: bytes, facts: LicenseFacts, opinion: Opinion) -> Finding | None:
    theirs = opinion.expressions.get(display(path))
    ours = frozenset(canonical(text) for text in facts.expressions)
    if theirs is None or theirs == ours:
        return None
    said = [", ".join(sorted(each)) or "no licence" for each in (theirs, ours)]
    return Finding(
        rule="VC450",
        message=f"reuse reads {said[0]} in this {title} file, vendorctl {said[1]}",
        severity=Severity.WARNING,
        upstream=upstream,
        location=Location(workspace_path(upstream, path)),
        hint="reuse reads tags anywhere, vendorctl headers and full licence texts; curate the file if in doubt",
        data={"path": display(path), "reuse": sorted(theirs), "vendorctl": sorted(ours), "tree": title},
    )


def _skipped(upstream: str, title: str, tree: Tree, skipped: list[bytes]) -> Finding | None:
    if not skipped:
        return None
    kinds = {Mode.SYMLINK: "link", Mode.GITLINK: "submodule"}
    rows = [f"{display(path)} ({kinds.get(tree[path].mode, 'file')})" for path in skipped]
    return Finding(
        rule="VC451",
        message=f"reuse does not look at {len(skipped)} of the {len(tree)} {title} entries",
        severity=Severity.NOTE,
        upstream=upstream,
        detail="\n".join(rows),
        data={"paths": [display(path) for path in skipped], "tree": title},
    )
