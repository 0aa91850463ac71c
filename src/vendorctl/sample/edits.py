# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a downstream team changed in minikernels v0.1.0, and how it resolves the conflict that v0.3.0 brings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

from vendorctl.sample.step import walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One modification, to be recorded as one patch.

    `files` are whole contents by path from the upstream's root, with all earlier edits in them. `forwarded` and
    `origin` are values for the patch trailers of those names.
    """

    number: int
    slug: str
    title: str
    reason: str
    forwarded: str
    origin: str
    files: Mapping[str, bytes]


def all() -> tuple[Edit, ...]:  # noqa: A001 -- callers say edits.all()
    """The edits of v0.1.0 in the order in which they build on each other."""
    folder = _folder()
    names = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(_read(folder, name) for name in names)


def resolution() -> Mapping[str, bytes]:
    """Files that settle the conflict of the last edit with v0.3.0 (all earlier edits are in them)."""
    return dict(walk(_folder() / "resolution-v0.3.0"))


def recipe() -> bytes:
    """The recipe file with which the demo builds and tests softmax."""
    return (files(__package__) / "recipes" / "softmax.py").read_bytes()


def _folder() -> Traversable:
    return files(__package__) / "edits"


def _read(folder: Traversable, name: str) -> Edit:
    """Read `<number>-<slug>.toml` and the files of the folder of that name."""
    number, slug = name.split("-", 1)
    facts: dict[str, str] = tomllib.loads((folder / f"{name}.toml").read_text("utf-8"))
    return Edit(number=int(number), slug=slug, files=dict(walk(folder / name)), **facts)
