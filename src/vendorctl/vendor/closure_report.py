# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What `closure` says: the files that entries need, with sizes and licences, or whether a vendored set is closed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.model import Finding, Json, Report, Severity
from vendorctl.paths import display, percent_encode
from vendorctl.vendor.closure import Closure, Edge
from vendorctl.vendor.globs import compile_glob
from vendorctl.workspace.lock import LicenseFacts

SCHEMA = "vendorctl/closure/1"

#: Where a file of the tree is to be found by people: its path from the workspace root.
Place = Callable[[bytes], str]


def find_entries(tree: Tree, globs: Sequence[str]) -> list[bytes]:
    """The Python files that the globs select. Raises VendorError (exit code 2) for a glob that selects none."""
    modules = [path for path, entry in tree.items() if path.endswith(b".py") and entry.mode.is_regular]
    found: set[bytes] = set()
    for text in globs:
        chosen = set(filter(compile_glob(text).matches, modules))
        if not chosen:
            hint = "entries are matched from the upstream's root, as in include:"
            raise VendorError(f"no Python file matches the entry {text!r}", hint=hint, code=ExitCode.USAGE)
        found |= chosen
    return sorted(found)


def list_closure(name: str, closure: Closure, blobs: Blobs, scan: Callable[[bytes, bytes], LicenseFacts]) -> Report:
    """The closure as an include list, each file with size in bytes, licence, and who needs it.

    `scan` reads the licence facts of a file from its path and content.
    """
    rows: list[Json] = []
    lines: list[str] = []
    total = 0
    for path, entry in closure.files.items():
        content = blobs[entry.oid]
        licence = " AND ".join(scan(path, content).expressions) or "no licence stated"
        edge = closure.needed_by.get(path)
        why = "entry" if edge is None else f"for {_place(edge)}"
        lines.append(f"{display(path)}  {len(content):,} bytes  {licence}  {why}")
        needed: Json = None if edge is None else {"path": percent_encode(edge.path), "line": edge.line}
        rows.append({"path": percent_encode(path), "size": len(content), "license": licence, "needed_by": needed})
        total += len(content)
    return Report(
        schema=SCHEMA,
        title="closure",
        lines=tuple(lines),
        findings=tuple(_doubts(name, closure, display)),
        notes=_notes(closure),
        counts={"files": len(rows), "bytes": total},
        data={"upstream": name, "files": rows, "external": sorted(closure.external)},
    )


def check_closure(name: str, closure: Closure, vendored: Tree, place: Place, *, whole_set: bool) -> Report:
    """Whether the `vendored` set holds all of the closure.

    With `whole_set` every module was an entry, so that none can be unused. A missing file is an error at the import
    that needs it; an unused one is a warning.
    """
    findings = [_missing(name, closure, path, place) for path in closure.files if path not in vendored]
    modules = [path for path in vendored if path.endswith(b".py")]
    unused = [] if whole_set else [path for path in modules if path not in closure.files]
    findings += [
        _finding("VC124", name, place(path), None, "no entry needs this file", Severity.WARNING) for path in unused
    ]
    findings += _doubts(name, closure, place, vendored)
    return Report(
        schema=SCHEMA,
        title="closure",
        findings=tuple(findings),
        notes=_notes(closure),
        counts={"files needed": len(closure.files), "vendored modules": len(modules)},
        data={
            "upstream": name,
            "missing": [percent_encode(path) for path in closure.files if path not in vendored],
            "unused": [percent_encode(path) for path in unused],
            "external": sorted(closure.external),
        },
    )


def _missing(name: str, closure: Closure, path: bytes, place: Place) -> Finding:
    edge = closure.needed_by[path]
    message = f"needs {display(path)}, which is not vendored"
    hint = f"add it to include: of {name} in VENDOR.yaml"
    return _finding("VC123", name, place(edge.path), edge.line, message, Severity.ERROR, hint)


def _doubts(name: str, closure: Closure, place: Place, within: Collection[bytes] | None = None) -> Iterator[Finding]:
    """What the analysis cannot settle, in the files `within` (None: everywhere)."""
    for edge, target in closure.dynamic:
        if within is None or edge.path in within:
            leads = f"; it may need {display(target)}" if target is not None else ""
            text = f"imports {display(edge.module.encode())} when it runs, which no analysis follows{leads}"
            yield _finding("VC125", name, place(edge.path), edge.line, text, Severity.WARNING, "name it with --entry")
    for edge in closure.unresolved:
        if within is None or edge.path in within:
            text = f"imports {display(edge.module.encode())}, which upstream does not have"
            yield _finding("VC126", name, place(edge.path), edge.line, text, Severity.WARNING)
    for path in closure.unreadable:
        if within is None or path in within:
            yield _finding("VC126", name, place(path), None, "is not Python that can be parsed", Severity.WARNING)


def _finding(
    rule: str, name: str, path: str, line: int | None, message: str, severity: Severity, hint: str | None = None
) -> Finding:
    location = Location(path, line or None)
    return Finding(rule=rule, message=message, severity=severity, upstream=name, location=location, hint=hint)


def _place(edge: Edge) -> str:
    return f"{display(edge.path)}:{edge.line}" if edge.line else f"{display(edge.path)} (its package)"


def _notes(closure: Closure) -> tuple[str, ...]:
    if not closure.external:
        return ()
    return (
        f"imports of other distributions: {', '.join(display(name.encode()) for name in sorted(closure.external))}",
    )
