# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Starting a workspace and adding an upstream to it: what `init` writes and what `add` proposes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.tree import Tree
from vendorctl.paths import display
from vendorctl.upstream.refs import ResolvedRef
from vendorctl.upstream.source import Source
from vendorctl.vendor.select import Selection, select
from vendorctl.workspace.edit import add_upstream
from vendorctl.workspace.manifest import FILE_NAME, Manifest

#: What `vendorctl init` writes.
EMPTY_MANIFEST = """\
# What is vendored from where. People edit this file; `vendorctl sync` makes the rest agree with it.
version: 1
upstreams: {}
licenses:
  allow: [Apache-2.0, BSD-2-Clause, BSD-3-Clause, MIT]
"""

#: How many folders a proposal lists.
_PROPOSED = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """An upstream about to be added: the manifest's new text, and what its globs select at the pin."""

    text: str
    ref: ResolvedRef
    selection: Selection


def refuse_workspace(folder: Path) -> None:
    """Raise VendorError (exit code 2) when `folder` already is a workspace."""
    if (folder / FILE_NAME).exists():
        raise VendorError(
            f"{folder / FILE_NAME} exists already",
            hint="`vendorctl add NAME URL` adds an upstream",
            code=ExitCode.USAGE,
        )


def take_in(
    manifest: Manifest,
    source: Source,
    name: str,
    url: str,
    ref: str | None,
    include: Sequence[str],
    exclude: Sequence[str],
    output: str | None,
    *,
    fetch: bool,
) -> Intake:
    """The manifest with one more upstream, pinned to what `ref` (default: the remote's HEAD) stands for now.

    Raises VendorError (exit code 2) when the name is taken, when no globs are given (the hint proposes some), or when
    one of them matches nothing.
    """  # fmt: skip
    if name in manifest.upstreams:
        raise VendorError(
            f"upstream {name!r} exists already",
            location=manifest.upstreams[name].place(),
            hint=f"`vendorctl sync --pin {name}=REF` moves its pin",
            code=ExitCode.USAGE,
        )
    found = source.head() if ref is None else source.resolve(ref)
    tree = source.tree(found.commit)
    if not include:
        raise VendorError(
            f"which files of {source.display} at {found.short_name}? Name them with --include GLOB:{_proposal(tree)}",
            hint=f"for example: vendorctl add {name} {url} --include '{propose(tree)[0]}'",
            code=ExitCode.USAGE,
        )
    selection = select(tree, include, exclude)
    if selection.unmatched_include:
        raise VendorError(
            f"--include {selection.unmatched_include[0]!r} matches nothing in {source.display} at {found.short_name}",
            hint=f"it has:{_proposal(tree)}",
            code=ExitCode.USAGE,
        )
    fields: dict[str, str | list[str]] = {"url": url, "pin": str(found.commit)}
    if found.kind in {"tag", "branch", "head"} and found.short_name != "HEAD":
        fields["ref"] = found.short_name
    fields["include"] = list(include)
    if exclude:
        fields["exclude"] = list(exclude)
    if fetch:
        fields["store"] = "fetch"
    if output is not None:
        fields["output"] = output
    return Intake(text=add_upstream(manifest.text, name, fields), ref=found, selection=selection)


def propose(tree: Tree) -> list[str]:
    """Globs for the folders that hold most files, the fullest first; always at least one."""
    counts: dict[bytes, int] = {}
    for path in tree:
        folders = path.split(b"/")[:-1][:2]
        for depth in range(1, len(folders) + 1):
            folder = b"/".join(folders[:depth])
            counts[folder] = counts.get(folder, 0) + 1
    ranked = sorted(counts, key=lambda folder: (-counts[folder], folder))[:_PROPOSED]
    return [f"{display(folder)}/**" for folder in ranked] or ["**"]


def _proposal(tree: Tree) -> str:
    rows = []
    for glob in propose(tree):
        count = len(select(tree, [glob], []).tree)
        rows.append(f"\n  {glob}  ({count} files)")
    return "".join(rows)
