# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Talks to `probe`: starts a clean interpreter in which some modules are absent, and reads what it found."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, VendorError
from vendorctl.proc import Runner

_PROBE = Path(__file__).with_name("probe.py")
#: Seconds after which an import or a collection counts as hanging.
_TIMEOUT = 600.0
#: pytest's exit codes for an interruption, an error of its own or of a plugin, and a wrong use.
_BROKEN = (2, 3, 4)
#: How pytest marks the line of an exception, and how it and argparse begin what they have to say.
_ERROR_LINE = re.compile(r"^(?:E {2,}|ERROR: |.*: error: )(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an import chain: a file relative to the session's folder (or as it is), a line from 1, a function."""

    file: str
    line: int
    function: str = "<module>"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" + ("" if self.function == "<module>" else f" in {self.function}()")


@dataclass(frozen=True, slots=True)
class Attempt:
    """An import of an absent module that really ran, and the chain that led to it, outermost first."""

    module: str
    chain: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """An exception that ended an import: what it says, and the attempt behind it (None: another reason)."""

    message: str
    cause: Attempt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What every answer tells about its interpreter.

    `attempts` are all imports of absent modules, those that were caught included; `early` were loaded before anything
    was asked (by a .pth file), `smuggled` were loaded in spite of everything; `providers` are distributions that
    provide absent modules.
    """

    python: str
    attempts: tuple[Attempt, ...]
    early: tuple[str, ...]
    smuggled: tuple[str, ...]
    providers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """How an import went. `looked_up` maps a name to `present`, `waits` (for an absent module) or its error.

    `folder` is where the interpreter finds the outermost package (None: nowhere); `has_file` tells whether the import
    ran a file: that of a namespace package runs none.
    """

    around: Around
    failure: Failure | None
    looked_up: Mapping[str, str]
    declared: tuple[str, ...] | None
    listed: tuple[str, ...]
    folder: Path | None
    has_file: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """How a collection went: numbers of tests, files that skip themselves, and (node, error text) of failures."""

    around: Around
    tests: int
    skipped: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    status: int
    failure: Failure | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Laboratory:
    """A way to run probes: the interpreter, the folders put before its search path, and what is absent in it.

    `absent` are dotted module names, `distributions` names of distributions that are hidden from importlib.metadata
    as well, besides those that the interpreter itself says provide an absent module.
    """

    run: Runner
    python: str
    folder: Path
    search: tuple[Path, ...]
    absent: tuple[str, ...]
    distributions: tuple[str, ...] = ()

    def import_package(self, package: str, names: Iterable[str] = ()) -> Imported:
        """Import `package`, then look up `names` in it. Raises VendorError when the interpreter gives no answer."""
        answer, _ = self._ask({"package": package, "names": sorted(names), "tests": []})
        return Imported(
            around=self._around(answer),
            failure=self._failure(answer["failure"]),
            looked_up=answer["names"],
            declared=None if answer["all"] is None else tuple(answer["all"]),
            listed=tuple(answer["dir"]),
            folder=None if answer["folder"] is None else Path(answer["folder"]),
            has_file=answer["file"],
        )

    def collect(self, tests: Sequence[str]) -> Collected:
        """Let pytest collect `tests`. Raises VendorError (exit code 7) when the interpreter has no pytest."""
        answer, said = self._ask({"package": "", "names": [], "tests": list(tests)})
        if not answer["pytest"]:
            raise VendorError(f"{self.python} has no pytest", hint=f"{self.python} -m pip install pytest",
                              code=ExitCode.TOOL_MISSING)  # fmt: skip
        return Collected(
            around=self._around(answer),
            tests=int(answer["collected"]),
            skipped=tuple(answer["skipped"]),
            failed=tuple((node, text) for node, text in answer["failed"]),
            status=int(answer["status"]),
            failure=self._failure(answer["failure"]) or self._broken_session(answer, said),
        )

    def _broken_session(self, answer: Any, said: str) -> Failure | None:
        """Why a session ended before it collected anything: pytest catches what a plugin or a conftest.py raises."""
        if answer["failed"] or answer["collected"] or int(answer["status"]) not in _BROKEN:
            return None
        attempts = answer["attempts"]
        return Failure(_error_line(said), self._attempt(attempts[-1]) if attempts else None)

    def _ask(self, order: Mapping[str, object]) -> tuple[Any, str]:
        """The answer, and whatever else the child said."""
        whole = {
            **order,
            "search": [str(path) for path in self.search],
            "absent": list(self.absent),
            "distributions": list(self.distributions),
        }
        # -I: neither PYTHONPATH nor the current folder; -B: the package's folder stays as it is.
        done = self.run([self.python, "-I", "-B", str(_PROBE)], cwd=self.folder, env=_environment(),
                        stdin=json.dumps(whole).encode(), timeout=_TIMEOUT)  # fmt: skip
        try:
            return parse_json(done.stdout), done.error_text()
        except ValueError:
            raise VendorError(
                f"the interpreter ended with {done.status} and gave no answer: {_last_line(done.error_text())}",
                hint=f"try `{self.python} -I -c 'import …'` by hand",
                code=ExitCode.TOOL_MISSING,
            ) from None

    def _around(self, answer: Any) -> Around:
        return Around(
            python=answer["python"],
            attempts=tuple(map(self._attempt, answer["attempts"])),
            early=tuple(answer["early"]),
            smuggled=tuple(answer["smuggled"]),
            providers=tuple(answer["providers"]),
        )

    def _failure(self, value: Any) -> Failure | None:
        if value is None:
            return None
        return Failure(value["message"], None if value["cause"] is None else self._attempt(value["cause"]))

    def _attempt(self, value: Any) -> Attempt:
        folders = (self.folder, *self.search)
        return Attempt(
            value["module"],
            tuple(Step(shown_path(Path(file), folders), line, name) for file, line, name in value["chain"]),
        )


def shown_path(file: Path, folders: Iterable[Path]) -> str:
    """`file` relative to the first of the folders that it lies in, else as it is."""
    for folder in folders:
        if file.is_relative_to(folder):
            return file.relative_to(folder).as_posix()
    return str(file)


def _environment() -> dict[str, str]:
    """Ours without what would steer Python or pytest."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST"))}


def _error_line(text: str) -> str:
    """The last line in which pytest says what went wrong; more lines, on its configuration, may follow."""
    found = _ERROR_LINE.findall(text)
    return found[-1] if found else _last_line(text)


def _last_line(text: str) -> str:
    return text.splitlines()[-1] if text else "it said nothing"
