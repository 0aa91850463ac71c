# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What an upstream advertises: its refs, peeled tags and default branch, and what a name given by a user stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from vendorctl.digest import parse_json, pretty_json
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid
from vendorctl.model import Json

_FULL_ID = re.compile(r"[0-9a-f]{40}")
_ID_PREFIX = re.compile(r"[0-9a-f]{7,39}")
_PEELED = "^{}"
#: Where a short name is looked for, in this order.
_NAMESPACES = ("refs/tags/", "refs/heads/", "refs/")


@dataclass(frozen=True, slots=True)
class ResolvedRef:
    """What a name stands for. `name` is the full ref (``refs/tags/v1``, ``HEAD``), or the full id for an id.

    `oid` is the object that the ref names (a tag object for an annotated tag), `commit` the commit behind it.
    """

    name: str
    oid: Oid
    commit: Oid

    @property
    def kind(self) -> str:
        """One of ``tag``, ``branch``, ``head``, ``ref`` and ``commit``."""
        for prefix, kind in (("refs/tags/", "tag"), ("refs/heads/", "branch"), ("refs/", "ref")):
            if self.name.startswith(prefix):
                return kind
        return "head" if self.name == "HEAD" else "commit"

    @property
    def short_name(self) -> str:
        """The name as people write it in VENDOR.yaml."""
        return short_name(self.name)


@dataclass(frozen=True)
class RefTable:
    """The refs of an upstream at one moment.

    `refs` maps full names to the objects they name, `peeled` annotated tags to what is behind them, `head` is the
    branch that HEAD points to (None: detached or unborn), `time` seconds since 1970.
    """

    refs: Mapping[str, Oid]
    peeled: Mapping[str, Oid] = field(default_factory=dict)
    head: str | None = None
    time: int = 0

    def commit(self, name: str) -> Oid:
        """The commit (as far as the advertisement tells) that a full ref name stands for. Raises KeyError."""
        return self.peeled.get(name) or self.refs[name]

    @cached_property
    def names_by_commit(self) -> dict[Oid, list[str]]:
        """For every commit that a ref names directly or through a tag: the full names, sorted."""
        found: dict[Oid, list[str]] = {}
        for name in sorted(self.refs):
            found.setdefault(self.commit(name), []).append(name)
        return found

    def branches_and_tags(self) -> dict[str, Oid]:
        """Full names of branches and tags, with the commits behind them."""
        return {name: self.commit(name) for name in self.refs if name.startswith(("refs/heads/", "refs/tags/"))}

    def matches(self, name: str) -> list[str]:
        """The full names that a user's `name` can stand for; an exact full name or HEAD stands for itself alone."""
        if name in self.refs:
            return [name]
        return [prefix + name for prefix in _NAMESPACES if prefix + name in self.refs]

    def nearest(self, name: str) -> list[str]:
        """Up to three short names that look like `name`."""
        import difflib  # only mistakes need it

        known = sorted({short_name(full) for full in self.branches_and_tags()})
        without_remote = name.partition("/")[2]
        close = [without_remote] if without_remote in known else []
        return (close + difflib.get_close_matches(name, known, n=3, cutoff=0.5))[:3]

    def look_up(self, name: str, where: str) -> ResolvedRef | None:
        """The ref that `name` stands for, or None when no ref is called so.

        Raises VendorError (exit code 2) when a tag and a branch of that name stand for different commits.
        """
        found = self.matches(name)
        if not found:
            return None
        if len({self.commit(full) for full in found}) > 1:
            listing = ", ".join(f"{full} ({self.commit(full).short})" for full in found)
            raise VendorError(
                f"{name!r} is ambiguous in {where}: {listing}",
                hint=f"write the full name, such as {found[0]}",
                code=ExitCode.USAGE,
            )
        return ResolvedRef(found[0], self.refs[found[0]], self.commit(found[0]))

    def to_json(self) -> bytes:
        """The table as a file of the cache."""
        value: dict[str, Json] = {
            "head": self.head,
            "peeled": {name: str(oid) for name, oid in self.peeled.items()},
            "refs": {name: str(oid) for name, oid in self.refs.items()},
            "time": self.time,
        }
        return pretty_json(value)

    @classmethod
    def from_json(cls, data: bytes) -> RefTable:
        """Read what `to_json` wrote. Raises ValueError when it is something else."""
        try:
            value = parse_json(data)
            return cls(
                refs={str(name): Oid.parse(oid) for name, oid in value["refs"].items()},
                peeled={str(name): Oid.parse(oid) for name, oid in value["peeled"].items()},
                head=value["head"],
                time=int(value["time"]),
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"not a ref table: {error}") from error


def parse_advertisement(output: bytes, time: int) -> RefTable:
    """Read the output of ``git ls-remote --symref``: rows of an id, a tab and a name; HEAD's target first.

    Rows with names that no ref may have are left out.
    """
    refs: dict[str, Oid] = {}
    peeled: dict[str, Oid] = {}
    head: str | None = None
    for row in output.decode("utf-8", "backslashreplace").splitlines():
        value, _, name = row.partition("\t")
        if value.startswith("ref: "):
            head = value.removeprefix("ref: ") if name == "HEAD" else head
        elif _FULL_ID.fullmatch(value) and _is_ref_name(name.removesuffix(_PEELED)):
            table = peeled if name.endswith(_PEELED) else refs
            table[name.removesuffix(_PEELED)] = Oid.parse(value)
    return RefTable(refs=refs, peeled=peeled, head=head, time=time)


def short_name(full: str) -> str:
    """A full ref name without ``refs/heads/`` or ``refs/tags/``."""
    return full.removeprefix("refs/heads/").removeprefix("refs/tags/")


def is_full_id(text: str) -> bool:
    """True for exactly 40 lower-case hex digits."""
    return _FULL_ID.fullmatch(text) is not None


def is_id_prefix(text: str) -> bool:
    """True for what can abbreviate an id: 7 to 39 lower-case hex digits."""
    return _ID_PREFIX.fullmatch(text) is not None


def _is_ref_name(name: str) -> bool:
    return name == "HEAD" or (name.startswith("refs/") and not re.search(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|//", name))
