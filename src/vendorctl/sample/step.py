# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One commit of the sample upstream as it lies in `trees/`, parsed strictly."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from importlib.resources.abc import Traversable
from typing import Any

from vendorctl.errors import Location, VendorError


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A commit: who, when and why, where it stands in the history, and what it does to files.

    `after` is the first parent's step (None for the root), `merges` are further parents. `files` are whole contents
    by path; `executable` names those that have the executable bit, `links` gives targets of symbolic links. A tag is an
    object of its own when it has a message.
    """

    name: str
    message: str
    author: str
    authored: datetime
    committer: str
    committed: datetime
    after: str | None
    merges: tuple[str, ...] = ()
    tag: str | None = None
    tag_message: str | None = None
    executable: tuple[str, ...] = ()
    deletes: tuple[str, ...] = ()
    moves: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes]


def read_steps(folder: Traversable) -> tuple[Step, ...]:
    """All steps of a `trees/` folder in the order of their names; each follows its predecessor unless it says `after`.

    Raises VendorError that names the file when a step is malformed or stands before one that it builds on.
    """
    names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    steps: dict[str, Step] = {}
    for name in names:
        step = _read_step(folder, name, previous=next(reversed(steps), None))
        parents = [*step.merges] if step.after is None else [step.after, *step.merges]
        missing = [parent for parent in parents if parent not in steps]
        if missing:
            raise VendorError(f"no earlier step {missing[0]!r}", location=Location(f"{name}.toml"))
        steps[name] = step
    if not steps:
        raise VendorError(f"no steps in {folder}")
    return tuple(steps.values())


def _read_step(folder: Traversable, name: str, *, previous: str | None) -> Step:
    """Read `<name>.toml` and the files of `<name>/`."""
    location = Location(f"{name}.toml")
    try:
        facts: dict[str, Any] = tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise VendorError(f"not TOML: {error}", location=location) from error
    known = {f.name for f in fields(Step)} - {"name", "files"}
    if unknown := sorted(facts.keys() - known):
        raise VendorError(f"unknown key {unknown[0]!r}", location=location)
    if missing := sorted({"message", "author", "authored", "committer", "committed"} - facts.keys()):
        raise VendorError(f"missing key {missing[0]!r}", location=location)
    for key in ("authored", "committed"):
        facts[key] = datetime.fromisoformat(facts[key])
    for key in ("merges", "executable", "deletes"):
        facts[key] = tuple(facts.get(key, ()))
    facts.setdefault("after", previous)
    return Step(name=name, files=dict(walk(folder / name)), **facts)


def walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Every file below `folder` as (POSIX path from there, content); nothing when there is no such folder."""
    if not folder.is_dir():
        return
    for entry in folder.iterdir():
        path = prefix + entry.name
        if entry.is_dir():
            # Python leaves caches behind where someone imported a tree in place.
            if entry.name != "__pycache__":
                yield from walk(entry, f"{path}/")
        else:
            yield path, entry.read_bytes()
