# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The compiler child: a program that loads one recipe and answers requests, one JSON line each way.

    python -P -s -B worker.py IMPORT_FOLDER

The first line on stdin is the setup; every further line is a request, answered in order. The parent does not trust a
word of the answers: it parses the object itself, and reads the compiler's complaints from this process's stderr, which
is a file of the parent's. Nothing of the recipe runs before the limits are in place.
"""

from __future__ import annotations

import base64
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

_MAX_FRAMES = 6


def main() -> None:
    """Serve requests until stdin ends."""
    sys.path.append(sys.argv[1])
    requests, replies = _take_pipes()
    setup = json.loads(requests.readline())
    from vendorctl.kernels.executor import confine

    confine.limit(memory=setup["memory"], file_size=setup["file_size"])
    confined = confine.deny_writes_outside(Path(setup["scratch"]))
    writes = _Writes(os.path.realpath(setup["scratch"]))
    sys.addaudithook(writes.watch)
    _send(replies, {"confined": confined})
    server = _Server(setup)
    for line in requests:
        request = json.loads(line)
        handler: Callable[[Any], Any] = {"enumerate": server.enumerate, "compile": server.compile}[request["do"]]
        writes.attempts.clear()
        try:
            answer = {"ok": handler(request)}
        # The boundary between a recipe's code and the protocol: whatever it raises becomes an answer.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            answer = {"error": _describe(error), "trace": _trace(error)}
        _send(replies, answer | {"writes": sorted(writes.attempts)})


class _Writes:
    """Notes attempts to write outside the scratch folder, also those that Landlock refused and the recipe hid."""

    _EVENTS = frozenset({"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink", "os.link", "os.truncate"})
    _FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC

    def __init__(self, scratch: str) -> None:
        self._scratch = scratch
        self.attempts: set[str] = set()

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & self._FLAGS:
                self._note(path)
        elif event in self._EVENTS:
            self._note(arguments[1] if event in ("os.symlink", "os.link", "os.rename") else arguments[0])

    def _note(self, path: Any) -> None:
        if isinstance(path, str | bytes | os.PathLike):
            absolute = os.path.realpath(os.fsdecode(path))
            if absolute != os.devnull and not f"{absolute}/".startswith(f"{self._scratch}/"):
                self.attempts.add(absolute)


def _take_pipes() -> tuple[IO[str], IO[str]]:
    """Move the protocol away from descriptors 0 and 1, so that a recipe that prints cannot disturb it."""
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return os.fdopen(requests, encoding="utf-8"), os.fdopen(replies, "w", encoding="utf-8")


def _send(replies: IO[str], answer: object) -> None:
    replies.write(json.dumps(answer) + "\n")
    replies.flush()


def _describe(error: BaseException) -> str:
    text = str(error).strip() or "no message"
    return f"{type(error).__name__}: {text}"


def _trace(error: BaseException) -> str:
    """The innermost frames: what a recipe's author needs, without the compiler's own depths."""
    return "".join(traceback.format_exception(error, limit=-_MAX_FRAMES))


class _Server:
    def __init__(self, setup: dict[str, Any]) -> None:
        self._setup = setup
        self._recipe: Any = None
        self._frontend: Any = None
        # Behind the standard library, so that a file called copy.py replaces no module of it; the tree comes before
        # installed packages, which must not stand in for vendored ones, and the recipe's helpers come last.
        packages = [i for i, path in enumerate(sys.path) if path.endswith(("site-packages", "dist-packages"))]
        sys.path.insert(packages[0] if packages else len(sys.path), setup["tree"])
        sys.path.append(setup["helpers"])

    def _load(self) -> Any:
        """Import the recipe file once; it is found by path, its helpers through the import path."""
        if self._recipe is None:
            from vendorctl.kernels import recipe as interface

            self._recipe = interface.load(Path(self._setup["recipe"]))
        return self._recipe

    def enumerate(self, request: dict[str, Any]) -> object:
        """The recipe's facts, and its rows for each of the request's targets."""
        from vendorctl.kernels.compiler import table

        return table.enumerate_recipe(self._load(), request["targets"])

    def compile(self, request: dict[str, Any]) -> object:
        """Compile one row for the setup's target: the object's bytes, the launch plan, and who accepts it."""
        from vendorctl.kernels.object import instance as rows
        from vendorctl.kernels.object import target as targets

        if self._frontend is None:
            from vendorctl.kernels.compiler.frontend import Frontend

            self._frontend = Frontend(targets.find(self._setup["target"]))
        recipe = self._load()
        instance = rows.make(dict(request["row"]))
        code, plan = self._frontend.compile(recipe.launcher(instance), recipe.arguments(instance))
        return {"code": base64.b64encode(code).decode(), "plan": plan, "flydsl": self._frontend.version}


if __name__ == "__main__":
    main()
