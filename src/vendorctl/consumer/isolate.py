# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl isolate`: proves that a package imports, and its tests collect, with named modules absent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vendorctl.consumer.chains import Chain, Package, chains
from vendorctl.consumer.child import Attempt, Collected, Failure, Imported, Laboratory, Step
from vendorctl.consumer.declared import Project, early_plugins, find_project, hard_requirements, normal
from vendorctl.consumer.names import PublicNames, can_be_lazy, public_names
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.model import Finding, Json, Report, Severity

SCHEMA = "vendorctl/isolate/1"
#: What a look-up may say of a name that is still offered.
_KEPT = ("present", "waits")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: `package` below one of the laboratory's search folders, or installed in its interpreter.

    `tests` are paths for pytest to collect; `before` is a folder that holds the package as it was, whose public names
    have to be there still.
    """

    package: str
    laboratory: Laboratory
    tests: tuple[str, ...] = ()
    before: Path | None = None


def isolate(question: Question) -> Report:
    """Import, look up, collect and read; every way to an absent module is a finding.

    Runs the package's code, in a child process. Raises VendorError when the package is nowhere, or the interpreter
    gives no answer.
    """
    _check_names(question)
    before = _names_before(question)
    imported = question.laboratory.import_package(question.package, before.public if before else ())
    package = find_package(question.package, question.laboratory, imported.folder)
    _check_found(question, package, imported)
    found = list(_import_findings(question, package, imported))
    if package is not None:
        found += _static_findings(package, question.laboratory, imported)
    if before is not None:
        found += _name_findings(before, imported)
    collected = question.laboratory.collect(question.tests) if question.tests else None
    if collected is not None:
        found += _collect_findings(collected)
    return _report(question, imported, collected, found)


def find_package(name: str, laboratory: Laboratory, installed: Path | None = None) -> Package | None:
    """The first of the search folders that has a file for `name`; then the folder where it is installed."""
    folders = (*laboratory.search, *([] if installed is None else [installed]))
    packages = (Package(name, search, laboratory.folder) for search in folders)
    return next((package for package in packages if package.entry is not None), None)


def _check_names(question: Question) -> None:
    for name in (question.package, *question.laboratory.absent):
        if not all(part.isidentifier() for part in name.split(".")):
            raise VendorError(f"not the name of a module: {name!r}",
                              hint="a dotted name, as in an import statement", code=ExitCode.USAGE)  # fmt: skip
        if name != question.package and f"{question.package}.".startswith(f"{name}."):
            raise VendorError(f"{name} cannot be absent: {question.package} is part of it", code=ExitCode.USAGE)
    if question.package in question.laboratory.absent:
        raise VendorError(f"{question.package} cannot be absent while it is imported", code=ExitCode.USAGE)


def _check_found(question: Question, package: Package | None, imported: Imported) -> None:
    """Raise VendorError for what is nowhere, and for what proves nothing because importing it runs no code."""
    if package is None and imported.failure is not None and imported.failure.cause is None:
        raise VendorError(f"no package {question.package!r}: {imported.failure.message}",
                          hint="name its parent folder with --path", code=ExitCode.USAGE)  # fmt: skip
    if imported.failure is None and not imported.has_file:
        raise VendorError(f"{question.package} is a namespace package: importing it runs nothing",
                          hint=f"name a package in it: {question.package}.…", code=ExitCode.USAGE)  # fmt: skip


def _names_before(question: Question) -> PublicNames | None:
    """What the package offered; without what it did not offer where the modules are absent, if it imports there."""
    if question.before is None:
        return None
    package = Package(question.package, question.before, question.before)
    if package.entry is None:
        raise VendorError(f"no package {question.package!r} in {question.before}", code=ExitCode.USAGE)
    names = public_names(package)
    laboratory = replace(question.laboratory, search=(question.before, *question.laboratory.search))
    imported = laboratory.import_package(question.package, names.public)
    if imported.failure is not None:
        return names
    return names.without(name for name, state in imported.looked_up.items() if state not in _KEPT)


def _import_findings(question: Question, package: Package | None, imported: Imported) -> Iterator[Finding]:
    """What the import that really ran showed."""
    around = imported.around
    for module in (*around.early, *around.smuggled):
        yield Finding(rule="VC607", message=f"{module} was loaded past the import system: this proves little",
                      hint="look for a .pth file that imports it, or name another --python")  # fmt: skip
    failure = imported.failure
    if failure is None:
        return
    if failure.cause is None:
        yield _other_failure(question.package, failure, around.attempts)
        return
    yield _leak(failure.cause, package)


def _other_failure(name: str, failure: Failure, attempts: Sequence[Attempt]) -> Finding:
    """A failure that names no absent module: but one that was caught before may be behind it."""
    if not attempts:
        return Finding(rule="VC604", message=f"{name} does not import: {failure.message}",
                       hint="install what it needs apart from the absent modules")  # fmt: skip
    last = attempts[-1]
    return Finding(
        rule="VC604",
        message=f"{name} does not import: {failure.message}",
        location=_location(last.chain[-1]) if last.chain else None,
        detail=_shown(last.chain),
        hint=f"it had asked for {last.module} before, as shown, and went on without it: that may be why",
    )


def _leak(attempt: Attempt, package: Package | None) -> Finding:
    binds = _bound_by(attempt, package) if package else ()
    return Finding(
        rule="VC601",
        message=f"importing the package imports {attempt.module}",
        location=_location(attempt.chain[-1]) if attempt.chain else None,
        detail=_shown(attempt.chain),
        hint=_lazy_hint(package, binds),
        data={"module": attempt.module, "chain": _rows(attempt.chain), "lazy": _lazy(package, binds)},
    )


def _bound_by(attempt: Attempt, package: Package) -> tuple[str, ...]:
    """The names that the statement of the package's own file binds from which the attempt was reached."""
    assert package.entry is not None
    own = package.shown(package.entry)
    line = next((step.line for step in attempt.chain if step.file == own), None)
    return tuple(name for each in package.statements(package.entry) if each.line == line for name in each.binds)


def _static_findings(package: Package, laboratory: Laboratory, imported: Imported) -> Iterator[Finding]:
    """What other machines, and other statements of the package's own file, would lead to."""
    ran = imported.failure.cause.chain if imported.failure and imported.failure.cause else ()
    for chain in chains(package, laboratory.absent):
        # What the import itself ran into has been told.
        if chain.steps[0] not in ran:
            yield _eager(chain, package)
    if package.search in laboratory.search:
        yield from _declared_findings(find_project(package.search), package, laboratory, imported)


def _eager(chain: Chain, package: Package) -> Finding:
    when = f", where {' and '.join(chain.conditions)}" if chain.conditions else ""
    more = f" (and {chain.places - 1} more such imports below)" if chain.places > 1 else ""
    certain = not chain.conditions or chain.asks_platform
    return Finding(
        rule="VC602",
        severity=Severity.ERROR if certain else Severity.WARNING,
        message=f"this statement leads to {chain.module}{when}{more}",
        location=_location(chain.steps[0]),
        detail=_shown(chain.steps),
        hint=_lazy_hint(package, chain.binds),
        data={
            "module": chain.module,
            "chain": _rows(chain.steps),
            "conditions": list(chain.conditions),
            "lazy": _lazy(package, chain.binds),
        },
    )


def _declared_findings(
    project: Project, package: Package, laboratory: Laboratory, imported: Imported
) -> Iterator[Finding]:
    names = {*laboratory.absent, *laboratory.distributions, *imported.around.providers}
    for requirement in hard_requirements(project, names):
        also = f", though the extra {requirement.extras[0]!r} names it too" if requirement.extras else ""
        where = f" where {requirement.marker}" if requirement.marker else ""
        yield Finding(rule="VC603", location=requirement.location,
                      message=f"every installation{where} installs {requirement.distribution}{also}",
                      hint="move it from `dependencies` to `optional-dependencies`")  # fmt: skip
    leaks = imported.failure is not None
    for plugin in early_plugins(project, package.name):
        yield Finding(rule="VC606", severity=Severity.ERROR if leaks else Severity.WARNING, location=plugin.location,
                      message=f"pytest imports {plugin.module} before any test, by {plugin.declared_by}",
                      hint="keep plugins in a package of their own that imports nothing of this one")  # fmt: skip


def _name_findings(before: PublicNames, imported: Imported) -> Iterator[Finding]:
    """What became of the public names: each is an attribute, or asks for an absent module on first use."""
    if imported.failure is not None:
        return
    lost = {name: state for name, state in sorted(imported.looked_up.items()) if state not in _KEPT}
    for name, state in lost.items():
        if name in before.certain | before.maybe:
            severity = Severity.ERROR if name in before.certain else Severity.WARNING
            yield Finding(rule="VC605", severity=severity, message=f"the public name {name} is lost: {state}",
                          hint="give it back through the module's __getattr__")  # fmt: skip
    if modules := sorted(lost.keys() - before.certain - before.maybe):
        yield Finding(rule="VC605", severity=Severity.WARNING,
                      message=f"no attributes any more until they are imported: the submodules {', '.join(modules)}",
                      hint="if others use them so, let __getattr__ import them")  # fmt: skip
    for name in sorted(imported.looked_up.keys() - lost.keys()):
        if name not in imported.listed:
            yield Finding(rule="VC605", severity=Severity.WARNING, message=f"dir() does not list the name {name}",
                          hint="define __dir__ beside __getattr__")  # fmt: skip
    if before.declared is not None and set(imported.declared or ()) != before.declared:
        change = sorted(before.declared ^ set(imported.declared or ()))
        yield Finding(rule="VC605", message=f"__all__ is not what it was: {', '.join(change)}",
                      hint="`from package import *` means something else now")  # fmt: skip


def _collect_findings(collected: Collected) -> Iterator[Finding]:
    for node, text in collected.failed:
        yield Finding(rule="VC608", message=f"{node or 'the session'} cannot be collected", detail=text,
                      hint="import the module where a test uses it, or use pytest.importorskip")  # fmt: skip
    if collected.failure is not None:
        cause = collected.failure.cause
        yield Finding(rule="VC608", message=f"pytest did not start: {collected.failure.message}",
                      location=_location(cause.chain[-1]) if cause and cause.chain else None,
                      detail=_shown(cause.chain) if cause else None,
                      hint="see what conftest.py and the plugins that it names import")  # fmt: skip
    elif not collected.failed and collected.tests == 0:
        skipped = f"; {len(collected.skipped)} files skipped themselves" if collected.skipped else ""
        yield Finding(rule="VC608", message=f"no test was collected (pytest: {collected.status}){skipped}",
                      hint="name a folder with tests; what does not run must not look as if it had passed")  # fmt: skip


def _report(question: Question, imported: Imported, collected: Collected | None, found: list[Finding]) -> Report:
    absent = question.laboratory.absent
    lines, counts = [], {"absent modules": len(absent)}
    if imported.failure is None:
        lines.append(f"{question.package} imports without {', '.join(absent)} (Python {imported.around.python})")
        if question.before is None:
            # Looking up lazy names attempts them too, and tells nothing about the import.
            counts["attempts on them"] = len(imported.around.attempts)
    if question.before is not None and imported.failure is None:
        counts["public names"] = sum(state in _KEPT for state in imported.looked_up.values())
        counts["lazy names"] = sum(state == "waits" for state in imported.looked_up.values())
    if collected is not None:
        counts |= {"tests collected": collected.tests, "test files skipped": len(collected.skipped)}
    data: dict[str, Json] = {
        "package": question.package,
        "absent": list(absent),
        "providers": sorted(map(normal, imported.around.providers)),
        "imports": imported.failure is None,
        "names": dict(imported.looked_up),
    }
    return Report(schema=SCHEMA, title="isolate", lines=tuple(lines), findings=tuple(found), counts=counts, data=data)


def _location(step: Step) -> Location:
    return Location(step.file, step.line)


def _shown(steps: Sequence[Step]) -> str:
    return "\n".join(map(str, steps))


def _rows(steps: Sequence[Step]) -> list[Json]:
    return [{"file": step.file, "line": step.line, "function": step.function} for step in steps]


def _lazy(package: Package | None, binds: Sequence[str]) -> list[str]:
    return can_be_lazy(package, [name for name in binds if not name.startswith("_")]) if package else []


def _lazy_hint(package: Package | None, binds: Sequence[str]) -> str:
    names = _lazy(package, binds)
    if not names:
        return "import it inside the functions that need it"
    return f"{', '.join(names)} can be made lazy: give the package a __getattr__ that imports on first use"
