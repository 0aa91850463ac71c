# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A cache of objects that machines share: asked when the user's own cache has nothing, and fed with what is built.

It only ever saves time. Every entry is verified as if an enemy had written it; one that is damaged, or that is not
what a manifest records for the same inputs, is left out and said. A cache that does not answer costs a bounded time,
once, is left alone for the rest of the command, and fails nothing.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.caching import entry
from vendorctl.kernels.caching.cache import UnusableError
from vendorctl.kernels.caching.depot import Depot, open_depot
from vendorctl.kernels.caching.entry import Wanted
from vendorctl.kernels.compiler.compile import Compiled
from vendorctl.model import Finding, Severity
from vendorctl.workspace.manifest import CachePlace

_T = TypeVar("_T")

#: The variable that has the last word on whether builds write to a shared cache.
READONLY = "VENDORCTL_CACHE_READONLY"

#: Requests at a time: enough to hide the way to an object store, few enough for any server.
_THREADS = 16
#: Failures in a row after which a direction (reading, writing) is given up.
_PATIENCE = 3
#: Seconds for one request, with all retries of its driver.
_SECONDS = 20.0


@dataclass(slots=True)
class _Line(Generic[_T]):
    """One direction of traffic: bounded in time, and cut after failures in a row."""

    seconds: float
    failures: int = 0
    in_a_row: int = 0
    reason: str = ""
    hint: str = "check its URL and your credentials; VENDORCTL_CACHE_READONLY=1 stops writing"
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def cut(self) -> bool:
        return self.in_a_row >= _PATIENCE

    def call(self, request: Callable[[], _T]) -> _T | None:
        """What `request` returns; None when it failed, or when the line is cut."""
        if self.cut:
            return None
        # A driver that hangs cannot be stopped. In a daemon thread it delays neither the build nor the end of it.
        answers: queue.SimpleQueue[tuple[_T | None, str | None]] = queue.SimpleQueue()

        def ask() -> None:
            try:
                answers.put((request(), None))
            except VendorError as error:
                self.hint = error.hint or self.hint
                answers.put((None, error.message))
            except Exception as error:  # noqa: BLE001 -- drivers raise what they like; no cache is worth a failed build
                answers.put((None, f"{type(error).__name__}: {error}"))

        threading.Thread(target=ask, daemon=True, name="shared cache").start()
        try:
            answer, fault = answers.get(timeout=self.seconds)
        except queue.Empty:
            answer, fault = None, f"no answer within {self.seconds:g} seconds"
        with self.lock:
            if fault is None:
                self.in_a_row = 0
            else:
                self.failures += 1
                self.in_a_row += 1
                self.reason = self.reason or fault.splitlines()[0][:300]
        return answer


class SharedCache:
    """Entries in the depot that `opener` opens, once it is needed, and that messages call `place`.

    Without `write`, nothing is ever changed there. `seconds` bounds every request.
    """

    def __init__(
        self, opener: Callable[[], Depot], place: str, *, write: bool = True, seconds: float = _SECONDS
    ) -> None:
        self._opener = opener
        self._opened: Depot | None = None
        self._place = place
        self._write = write
        self._reading: _Line[bytes | None] = _Line(seconds)
        self._writing: _Line[bool] = _Line(seconds)
        self._asked: set[str] = set()
        self._damaged: set[str] = set()
        self._refused: Counter[str] = Counter()
        self._first: dict[str, str] = {}
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        self._offers: list[Future[None]] = []

    def _depot(self) -> Depot:
        with self._lock:
            if self._opened is None:
                self._opened = self._opener()
            return self._opened

    def fetch(self, wanted: Iterable[Wanted], accept: Callable[[Wanted, bytes], object]) -> None:
        """Look for entries, many at a time; `accept` gets each sound one as it comes, from several threads.

        What was looked for before is not looked for again.
        """
        new = [each for each in wanted if each.key not in self._asked]
        self._asked.update(each.key for each in new)
        for done in [self._pool().submit(self._fetch_one, each, accept) for each in new]:
            done.result()

    def _fetch_one(self, wanted: Wanted, accept: Callable[[Wanted, bytes], object]) -> None:
        data = self._reading.call(lambda: _read(self._depot(), _path(wanted.key)))
        if data is None:
            return
        found = entry.load(data, wanted.instance, wanted.target)
        if found is None:
            with self._lock:
                self._damaged.add(wanted.key)
            self._refuse("damaged", wanted.key)
        elif wanted.expected is not None and digest.sha256(found.code) != wanted.expected:
            self._refuse("unrecorded", wanted.key)
        else:
            accept(wanted, data)

    def offer(self, key: str, result: Compiled) -> None:
        """Keep what was built under `key`, in the background; `settle` waits for it."""
        if self._write:
            self._offers.append(self._pool().submit(self._offer, key, result))

    def _offer(self, key: str, result: Compiled) -> None:
        if self._writing.call(lambda: self._keep(_path(key), result, known_damaged=key in self._damaged)) is False:
            self._refuse("other", key)

    def _keep(self, path: str, result: Compiled, *, known_damaged: bool) -> bool:
        """Keep an entry unless there is one; False when that one is sound and holds another object."""
        data = entry.dump(result)
        depot = self._depot()
        if not known_damaged:
            if depot.create(path, data):
                return True
            code = entry.code_of(_read(depot, path) or b"")
            if code is not None:
                return code == result.code
        depot.replace(path, data)
        return True

    def settle(self) -> list[Finding]:
        """Wait until everything that was offered is kept or given up; return what there is to say since the last time.

        Findings are warnings: nothing that a cache does makes a build wrong.
        """
        for done in self._offers:
            done.result()
        self._offers.clear()
        if self._threads is not None:
            self._threads.shutdown()
            self._threads = None
        findings = [self._told(kind, count) for kind, count in sorted(self._refused.items())]
        for line, verb in ((self._reading, "reading"), (self._writing, "writing")):
            if line.failures:
                given_up = "; it was given up" if line.cut else ""
                message = (
                    f"{verb} the shared cache {self._place} failed {_times(line.failures)}{given_up}: {line.reason}"
                )
                findings.append(Finding(rule="VC543", severity=Severity.WARNING, message=message, hint=line.hint))
                line.failures = 0
        self._refused.clear()
        self._first.clear()
        return findings

    def _pool(self) -> ThreadPoolExecutor:
        if self._threads is None:
            self._threads = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="shared cache")
        return self._threads

    def _refuse(self, kind: str, key: str) -> None:
        with self._lock:
            self._refused[kind] += 1
            self._first.setdefault(kind, key)

    def _told(self, kind: str, count: int) -> Finding:
        said, hint = _REFUSALS[kind]
        repaired = ", and replaced" if kind == "damaged" and self._write else ""
        entries = f"{count} entries" if count > 1 else "an entry"
        return Finding(
            rule="VC542",
            severity=Severity.WARNING,
            message=f"{entries} of the shared cache {self._place} {said}{repaired}",
            detail=f"the first: {_path(self._first[kind])}",
            hint=hint,
        )


def open_shared(place: CachePlace | None, root: Path, environment: Mapping[str, str]) -> SharedCache | None:
    """The shared cache of the workspace at `root`, if it has one. Nothing is opened before it is asked.

    ``VENDORCTL_CACHE_READONLY`` decides whether it is written, where it is set: ``1`` it is not, ``0`` it is.
    """
    if place is None:
        return None
    chosen = environment.get(READONLY)
    write = place.write if not chosen else chosen in ("0", "no", "false")
    return SharedCache(lambda: open_depot(place.url, root), place.url, write=write)


_REFUSALS = {
    "damaged": ("could not be used", "find out who writes there; `vendorctl build --verify` proves what is here"),
    "unrecorded": (
        "differed from what the manifests record for the same inputs; not used",
        "find out who wrote it, and remove it there",
    ),
    "other": (
        "differed from what was built here of the same inputs; left as found",
        "one of the two toolchains is not what it says: `vendorctl build --verify` here and there",
    ),
}


def _read(depot: Depot, path: str) -> bytes | None:
    """What lies at a path; what cannot be an entry is as good as an empty one, which is damaged."""
    try:
        return depot.read(path, entry.MAX_SIZE)
    except UnusableError:
        return b""


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _path(key: str) -> str:
    """Where an entry lies; the same as below the user's own cache."""
    return f"{key[:2]}/{key}"
