# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which part of an upstream tree is vendored: globs over paths, and what is wrong with what they select."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from vendorctl.errors import Location
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.model import Finding, Severity
from vendorctl.paths import case_collisions, display, reject_reason, symlink_escapes
from vendorctl.vendor.globs import compile_glob, compile_union
from vendorctl.workspace.manifest import Upstream


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The pristine tree U that globs select, and what to know about it.

    `submodules` are selected gitlinks: recorded in the tree, never fetched. `refused` are paths that must not be
    written to disk, with the reason; `collisions` groups of paths that are one path on some file systems.
    """

    tree: Tree
    unmatched_include: tuple[str, ...]
    unmatched_exclude: tuple[str, ...]
    submodules: tuple[bytes, ...]
    refused: Mapping[bytes, str]
    collisions: tuple[tuple[bytes, ...], ...]


def select(tree: Tree, include: Sequence[str], exclude: Sequence[str]) -> Selection:
    """The entries of a whole upstream tree that any glob of `include` selects and none of `exclude`.

    Without `include` everything is selected. Raises VendorError (exit code 3) for a malformed glob.
    """
    wanted = compile_union(include or ["**"])
    unwanted = compile_union(exclude)
    # A submodule is a folder, as far as globs are concerned.
    names = {path: path + b"/" if entry.mode is Mode.GITLINK else path for path, entry in tree.items()}
    included = {path for path, name in names.items() if wanted.matches(name)}
    chosen = {path: tree[path] for path in included if not unwanted.matches(names[path])}
    hit = [names[path] for path in included]
    return Selection(
        tree=Tree(chosen),
        unmatched_include=tuple(_unmatched(include, hit)),
        unmatched_exclude=tuple(_unmatched(exclude, list(names.values()))),
        submodules=tuple(sorted(path for path, entry in chosen.items() if entry.mode is Mode.GITLINK)),
        refused={path: reason for path in sorted(chosen) if (reason := reject_reason(path))},
        collisions=tuple(case_collisions(chosen)),
    )


def _unmatched(globs: Sequence[str], names: Sequence[bytes]) -> Iterator[str]:
    for text in globs:
        glob = compile_glob(text)
        if not any(map(glob.matches, names)):
            yield text


def on_disk(tree: Tree) -> Tree:
    """The part of a tree that has files: everything but submodules."""
    submodules: dict[bytes, Entry | None] = {path: None for path, entry in tree.items() if entry.mode is Mode.GITLINK}
    return tree.replace(submodules) if submodules else tree


def escaping_links(tree: Tree, blobs: Blobs) -> dict[bytes, bytes]:
    """Symbolic links that lead, or may lead, out of the tree: path to target."""
    links = {path: blobs[entry.oid] for path, entry in tree.items() if entry.mode is Mode.SYMLINK}
    return {path: target for path, target in links.items() if symlink_escapes(path, target, links)}


def selection_findings(upstream: Upstream, selection: Selection) -> list[Finding]:
    """What is wrong with a selection; every error keeps `sync` from writing."""
    found = [
        *(_glob_finding(upstream, "VC110", "include", text) for text in selection.unmatched_include),
        *(_glob_finding(upstream, "VC111", "exclude", text) for text in selection.unmatched_exclude),
    ]
    for path, reason in selection.refused.items():
        found.append(_path_finding(upstream, "VC112", path, f"cannot be vendored: {reason}"))
    for group in selection.collisions:
        names = ", ".join(display(path) for path in group)
        text = f"{names} are one path where letter case or Unicode form does not count"
        found.append(_path_finding(upstream, "VC113", group[0], text))
    for path in selection.submodules:
        text = "is a submodule: its commit is recorded, its files are not fetched"
        found.append(_path_finding(upstream, "VC114", path, text, Severity.NOTE))
    if not selection.tree and not selection.unmatched_include:
        found.append(_glob_finding(upstream, "VC110", "exclude", "everything that is included"))
    return found


def content_findings(upstream: Upstream, tree: Tree, blobs: Blobs, lfs: Sequence[bytes]) -> list[Finding]:
    """What is wrong with selected contents: links that leave the tree, and Git LFS pointers in place of files."""
    found = []
    for path, target in escaping_links(tree, blobs).items():
        text = f"is a symbolic link that leaves the tree: {display(target)}"
        found.append(_path_finding(upstream, "VC115", path, text))
    for path in lfs:
        text = "is a Git LFS pointer: the file itself is not in the repository, and is not vendored"
        found.append(_path_finding(upstream, "VC116", path, text, Severity.WARNING))
    return found


def _glob_finding(upstream: Upstream, rule: str, key: str, text: str) -> Finding:
    return Finding(
        rule=rule,
        message=f"{key}: {text!r} matches nothing in upstream {upstream.name}",
        severity=Severity.ERROR if rule == "VC110" else Severity.WARNING,
        upstream=upstream.name,
        location=upstream.place(key),
        hint="globs are matched from the upstream's root, as in gitignore",
    )


def _path_finding(
    upstream: Upstream, rule: str, path: bytes, text: str, severity: Severity = Severity.ERROR
) -> Finding:
    place = upstream.place("include")
    return Finding(
        rule=rule,
        message=f"{display(path)} {text}",
        severity=severity,
        upstream=upstream.name,
        location=Location(place.path, place.line, place.column),
        hint=None if severity is Severity.NOTE else "leave it out with `exclude:`",
    )
