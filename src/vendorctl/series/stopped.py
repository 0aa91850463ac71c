# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A command on a series that stopped at a conflict: the state that it keeps, and what may be done with it.

Nothing half done is kept. The state says what was asked, what the series was then, and what was decided since; going on
means planning the same command again with these decisions. It is one file that names its schema, written whole in a
transaction, and believed whole or not at all: what cannot be read is refused with the way out, which is to give up.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self, TypedDict, TypeVar

from vendorctl.digest import parse_json, pretty_json, sha256
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Json
from vendorctl.series.bump import Stuck
from vendorctl.series.resolutions import conflict_key
from vendorctl.series.stack import Series
from vendorctl.workspace.root import bump_dir, rework_dir, submission_dir
from vendorctl.workspace.transaction import Transaction

_STATE = "state.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped(ABC):
    """What every stopped command keeps.

    `patch` is the file name and `number` the number of the patch in conflict. `series` is each patch file's SHA-256
    when the command began, `skip` the numbers of patches to leave out, `decided` the keys of decisions recorded since,
    `conflicts` path and key of each open conflict.
    """

    upstream: str
    patch: str
    number: int
    series: Mapping[str, str]
    skip: frozenset[int] = frozenset()
    decided: tuple[str, ...] = ()
    conflicts: Mapping[bytes, str]

    @property
    @abstractmethod
    def words(self) -> str:
        """What stopped, as a sentence names it: ``the bump``."""

    def changed(self, series: Series) -> list[str]:
        """Names of the patch files that are not what they were when the command began, sorted."""
        now = series_digests(series)
        return sorted(name for name in {*now, *self.series} if now.get(name) != self.series.get(name))

    def decide(self, keys: Iterable[str]) -> Self:
        """The same with more decisions recorded."""
        return replace(self, decided=tuple(dict.fromkeys((*self.decided, *keys))))

    def skip_patch(self) -> Self:
        """The same with the patch in conflict left out."""
        return replace(self, skip=self.skip | {self.number})


def series_digests(series: Series) -> dict[str, str]:
    """SHA-256 of each patch file."""
    return {patch.file_name: sha256(patch.raw) for patch in series.patches}


def open_conflicts(stuck: Stuck) -> dict[bytes, str]:
    """Path and key of each conflict that `stuck` has."""
    return {conflict.path: conflict_key(conflict) for conflict in stuck.conflicts}


class Common(TypedDict):
    """The facts of a state file that every stopped command has."""

    upstream: str
    patch: str
    number: int
    series: dict[str, str]
    skip: frozenset[int]
    decided: tuple[str, ...]
    conflicts: dict[bytes, str]


def parse_common(state: Mapping[str, Any]) -> Common:
    """Read them. Raises ValueError, KeyError, TypeError or AttributeError for what no state file says."""
    return Common(
        upstream=str(state["upstream"]),
        patch=str(state["patch"]),
        number=int(state["number"]),
        series={str(name): str(digest) for name, digest in state["series"].items()},
        skip=frozenset(int(number) for number in state["skip"]),
        decided=tuple(str(key) for key in state["decided"]),
        conflicts={bytes.fromhex(path): str(key) for path, key in state["conflicts"].items()},
    )


def _dump_common(stopped: Stopped) -> dict[str, Json]:
    return {
        "upstream": stopped.upstream,
        "patch": stopped.patch,
        "number": stopped.number,
        "series": dict(stopped.series),
        "skip": [*sorted(stopped.skip)],
        "decided": list(stopped.decided),
        "conflicts": {path.hex(): key for path, key in stopped.conflicts.items()},
    }


S = TypeVar("S", bound=Stopped)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFile(Generic[S]):
    """Where one kind of command keeps its state, a file for each upstream, and what it says about it.

    `folder` gives an upstream's folder from the workspace root. `parse` reads a state of `schema`, raising as
    `parse_common`; `dump` gives the facts that only this kind has. `command` are the words that go on or give up when
    an upstream's name and an option follow, `others` the options beside ``--continue``. `absent` says that nothing
    waits, `again` is how to begin anew, and `inputs` what a plan depends on besides the decisions.
    """

    schema: str
    folder: Callable[[str], str]
    parse: Callable[[Mapping[str, Any]], S]
    dump: Callable[[S], Mapping[str, Json]]
    command: str
    others: str
    absent: str
    again: str
    inputs: str

    def load(self, root: Path, name: str) -> S | None:
        """The stopped command of an upstream, or None. Raises VendorError when its state cannot be read."""
        file = f"{self.folder(name)}/{_STATE}"
        try:
            raw = (root / file).read_bytes()
        except FileNotFoundError:
            return None
        try:
            return self._parse_own(name, parse_json(raw))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise VendorError(
                f"{file} cannot be read: {error}",
                hint=f"run `{self.command} {name} --abort`; nothing else in the workspace was changed",
            ) from error

    def _parse_own(self, name: str, state: Mapping[str, Any]) -> S:
        if state["schema"] != self.schema:
            raise ValueError(f"it is {state['schema']!r}, not {self.schema!r}")
        if state["upstream"] != name:
            raise ValueError(f"it is of {state['upstream']!r}")
        return self.parse(state)

    def is_unreadable(self, root: Path, name: str) -> bool:
        """Whether a state is there that cannot be read, so that giving it up is all that is left."""
        try:
            self.load(root, name)
        except VendorError:
            return True
        return False

    def require(self, root: Path, name: str) -> S:
        """The stopped command of an upstream. Raises VendorError (exit code 2) when there is none."""
        stopped = self.load(root, name)
        if stopped is None:
            raise VendorError(self.absent.format(name), code=ExitCode.USAGE)
        return stopped

    def refuse(self, root: Path, name: str) -> None:
        """Raise VendorError (exit code 5) when a command of the upstream waits: another would replace the edits."""
        stopped = self.load(root, name)
        if stopped is not None:
            raise VendorError(
                f"{stopped.words} of {name!r} waits for a decision about {stopped.patch}",
                hint=f"edit {self.folder(name)}/files, then `{self.command} {name} --continue`; or {self.others}",
                code=ExitCode.CONFLICT,
            )

    def check_series(self, stopped: S, series: Series) -> None:
        """Raise VendorError (exit code 5) when patches were edited since: the decisions may not fit any more."""
        changed = stopped.changed(series)
        if changed:
            told = f"the series of {stopped.upstream!r} changed since {stopped.words} began: {', '.join(changed)}"
            raise self.outdated(stopped.upstream, told)

    def outdated(self, name: str, message: str) -> VendorError:
        """The error (exit code 5) for a state whose decisions may not fit any more."""
        hint = f"run `{self.command} {name} --abort`, then {self.again}"
        return VendorError(message, hint=hint, code=ExitCode.CONFLICT)

    def stage(self, tx: Transaction, stopped: S) -> None:
        """Write the state."""
        state = {"schema": self.schema, **_dump_common(stopped), **self.dump(stopped)}
        tx.write(f"{self.folder(stopped.upstream)}/{_STATE}", pretty_json(state))


def decided_so_far(root: Path) -> set[str]:
    """Keys of the decisions that stopped commands rest on, of every kind and upstream."""
    keys: set[str] = set()
    for folder in (bump_dir(""), rework_dir(""), submission_dir("")):
        for state in (root / folder).glob(f"*/{_STATE}"):
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):  # an unreadable state is given up
                keys |= {str(key) for key in parse_json(state.read_bytes())["decided"]}
    return keys
