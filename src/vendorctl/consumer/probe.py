# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Runs in a child interpreter, as a script: imports a package, or collects tests, while some modules are absent.

Standard library only, and no import of vendorctl, since any interpreter from Python 3.9 on may run it. Reads one JSON
object from stdin, and writes one to the stdout that it was started with; whatever the imported code prints goes to
stderr. `vendorctl.consumer.child` is the other side.

An absent module is one that no finder finds: ``import`` raises the ModuleNotFoundError of a machine without it,
``find_spec`` returns None, and ``importlib.metadata`` does not know its distribution.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

#: Frames of the import system itself and of pytest, which are no step of a chain.
_MACHINERY = re.compile(r"<frozen (importlib|runpy|zipimport)|[/\\](importlib|_pytest|pluggy)[/\\]")


class Absence:
    """Stands before all finders of `sys.meta_path` and hides some modules and the distributions that provide them."""

    def __init__(self, absent: list[str], distributions: list[str]) -> None:
        self.absent = set(absent)
        self.distributions = {_normal(name) for name in distributions}
        self.finders = list(sys.meta_path)
        self.attempts: list[dict[str, Any]] = []

    def hides(self, name: str) -> bool:
        """Whether a dotted name is one of the absent modules, or lies in one."""
        parts = name.split(".")
        return any(".".join(parts[:count]) in self.absent for count in range(1, len(parts) + 1))

    def behind(self, error: BaseException) -> Any:
        """The last attempt that an exception is about; None when it is about something else.

        ``from parent import child`` with an absent child says that it cannot import a name from the parent.
        """
        name = getattr(error, "name", None) if isinstance(error, ImportError) else None
        if not isinstance(name, str):
            return None
        modules = {name} if self.hides(name) else {each for each in self.absent if each.rpartition(".")[0] == name}
        return next((each for each in reversed(self.attempts) if each["module"] in modules), None)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """What the finders find, unless the module is absent; an attempt on one is noted."""
        if self.hides(name):
            self.attempts.append({"module": name, "chain": _chain()})
            return None
        for finder in self.finders:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find else None
            if spec is not None:
                return spec
        return None

    def find_distributions(self, context: Any = None) -> Iterator[Any]:
        """What the finders find, without the hidden distributions."""
        for finder in self.finders:
            find = getattr(finder, "find_distributions", None)
            for distribution in find(context) if find else ():
                if _normal(distribution.metadata["Name"] or "") not in self.distributions:
                    yield distribution

    def invalidate_caches(self) -> None:
        """Part of a finder's protocol."""
        for finder in self.finders:
            getattr(finder, "invalidate_caches", lambda: None)()


def _chain() -> list[list[Any]]:
    """The places, outermost first, from which the running import was reached: file, line, function."""
    places = []
    frame: Any = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if not _MACHINERY.search(file) and file != __file__:
            places.append([file, frame.f_lineno, frame.f_code.co_name])
        frame = frame.f_back
    return places[::-1]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _providers(absent: list[str]) -> list[str]:
    """Distributions of this interpreter that provide the absent modules."""
    found = set()
    for distribution in importlib.metadata.distributions():
        tops = {str(file).replace("\\", "/").partition("/")[0].partition(".")[0] for file in distribution.files or ()}
        if any(name.partition(".")[0] in tops and "." not in name for name in absent):
            found.add(distribution.metadata["Name"])
    return sorted(found)


def _failure(error: BaseException, absence: Absence) -> dict[str, Any]:
    """What an exception says, and the attempt on an absent module that is behind it, if one is."""
    seen: set[int] = set()
    current: BaseException | None = error
    cause = None
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        cause = absence.behind(current) or cause
        current = current.__cause__ or current.__context__
    return {"message": type(error).__name__ + ": " + str(error), "cause": cause}


def _import(order: dict[str, Any], absence: Absence) -> dict[str, Any]:
    """Import the package, then look up each of `names`."""
    answer: dict[str, Any] = {"failure": None, "names": {}, "all": None, "dir": [], "folder": None, "file": False}
    answer["folder"] = _folder(order["package"].partition(".")[0])
    try:
        package = importlib.import_module(order["package"])
    except BaseException as error:  # noqa: BLE001 -- the package may raise anything, SystemExit included
        answer["failure"] = _failure(error, absence)
        return answer
    answer["file"] = _asked(lambda: package.__file__) is not None
    answer["all"] = _asked(lambda: sorted(package.__all__))
    answer["dir"] = _asked(lambda: sorted(dir(package))) or []
    for name in order["names"]:
        answer["names"][name] = _look_up(package, name, absence)
    return answer


def _folder(top: str) -> str | None:
    """The folder in which the files of an outermost package or module lie; None where that cannot be told."""
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    places = list(spec.submodule_search_locations or ()) if spec else []
    file = places[0] if places else spec.origin if spec and spec.has_location else None
    return os.path.dirname(os.path.abspath(file)) if file else None  # noqa: PTH100, PTH120 -- paths as the finders give them


def _asked(question: Callable[[], Any]) -> Any:
    """The answer to a question that runs the package's own `__getattr__` or `__dir__`; None when there is none."""
    try:
        return question()
    except BaseException:  # noqa: BLE001 -- a lazy attribute may raise anything
        return None


def _look_up(package: Any, name: str, absence: Absence) -> str:
    """`present`, `waits` (its first use asks for an absent module), or what went wrong."""
    try:
        getattr(package, name)
    except BaseException as error:  # noqa: BLE001 -- a lazy attribute may raise anything
        failure = _failure(error, absence)
        return "waits" if failure["cause"] else failure["message"]
    return "present"


class _Collector:
    """A pytest plugin that counts what is collected and keeps what fails."""

    def __init__(self) -> None:
        self.collected = 0
        self.skipped: list[str] = []
        self.failed: list[list[str]] = []

    def pytest_collectreport(self, report: Any) -> None:
        """Called by pytest for each file or folder that it looked into."""
        if report.failed:
            self.failed.append([report.nodeid, str(report.longrepr)])
        elif report.skipped:
            self.skipped.append(report.nodeid)

    def pytest_collection_finish(self, session: Any) -> None:
        """Called by pytest at the end."""
        self.collected = len(session.items)


def _collect(order: dict[str, Any], absence: Absence) -> dict[str, Any]:
    """Let pytest collect, and run nothing."""
    try:
        pytest = importlib.import_module("pytest")
    except ImportError:
        return {"pytest": False}
    collector = _Collector()
    arguments = ["--collect-only", "-q", "-p", "no:cacheprovider", *order["tests"]]
    try:
        status = int(pytest.main(arguments, plugins=[collector]))
    except BaseException as error:  # noqa: BLE001 -- a conftest may raise anything
        return {"pytest": True, "status": -1, "failure": _failure(error, absence), **vars(collector)}
    return {"pytest": True, "status": status, "failure": None, **vars(collector)}


def main() -> None:
    """Answer the one order on stdin."""
    order = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.path[:0] = order["search"]
    providers = _providers(order["absent"])
    absence = Absence(order["absent"], [*order["distributions"], *providers])
    hidden = sorted(name for name in sys.modules if absence.hides(name))
    # This script needs some of the standard library; anything else was loaded before it began.
    early = [name for name in hidden if name.partition(".")[0] not in getattr(sys, "stdlib_module_names", ())]
    for name in hidden:
        del sys.modules[name]
    sys.meta_path[:] = [absence]
    answer = (_collect if order["tests"] else _import)(order, absence)
    smuggled = sorted(name for name in sys.modules if absence.hides(name))
    answer.update(
        attempts=absence.attempts, early=early, smuggled=smuggled, providers=providers, python=sys.version.split()[0]
    )
    with answers:
        # Names are whatever the package makes them; a lone surrogate must not break the answer.
        json.dump(answer, answers)


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # Threads and exit handlers of the imported package are none of our business any more.
    os._exit(0)
