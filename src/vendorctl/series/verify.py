# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Proof 2: the series on disk is the locked one, and applied to U it gives exactly the locked trees."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from vendorctl.digest import sha256
from vendorctl.errors import Location
from vendorctl.git.objects import Blobs
from vendorctl.model import Finding, Report, Severity, merge
from vendorctl.series.misfit import ApplyError, Misfit
from vendorctl.series.patch import Patch
from vendorctl.series.stack import Applied, Series, apply_series
from vendorctl.series.store import SERIES_FILE, survey_series
from vendorctl.workspace.lock import LockedPatch, LockedUpstream
from vendorctl.workspace.root import patches_dir

SCHEMA = "vendorctl/verify/1"
_TITLE = "series"
_MISFIT_RULES = {Misfit.ALREADY_APPLIED: "VC210", Misfit.DRIFTED: "VC211", Misfit.BROKEN: "VC212"}


@dataclass(frozen=True, slots=True)
class Proof:
    """What `prove_series` found: the report, and the chain where the series could be applied."""

    report: Report
    series: Series
    applied: Applied | None


def prove_series(root: Path, locked: LockedUpstream, pristine: Blobs) -> Proof:
    """Read the series of one upstream from disk, apply it to the locked U, and compare everything with the lock.

    Never raises for what is wrong with the series: that is in the report. When contents of U are not to be had
    (`store: fetch`, not restored), application is skipped, counted as such, and noted.
    """
    series, findings = survey_series(root, locked.name)
    folder = Report(schema=SCHEMA, title=_TITLE, findings=findings)
    if folder.ok:
        applied, outcome = _try_series(locked, series, pristine)
    else:
        # A series with unreadable or ambiguous files is another series: its trees would only repeat that.
        applied, outcome = None, Report(schema=SCHEMA, title=_TITLE, counts=_not_applied(series))
    compared = verify_series(locked, series, applied)
    # A file that is there, but could not be read, is not gone: the folder's own finding says what is wrong with it.
    gone = [each for each in compared.findings if each.rule != "VC216" or not _is_there(root, each)]
    report = merge(SCHEMA, _TITLE, [folder, outcome, replace(compared, findings=tuple(gone))])
    return Proof(report, series, applied)


def _is_there(root: Path, finding: Finding) -> bool:
    return finding.location is not None and (root / finding.location.path).is_file()


def _not_applied(series: Series) -> dict[str, int]:
    return {"patches not applied": len(series.patches)}


def _try_series(locked: LockedUpstream, series: Series, pristine: Blobs) -> tuple[Applied | None, Report]:
    try:
        return apply_series(locked.tree, series, pristine), Report(schema=SCHEMA, title=_TITLE)
    except ApplyError as error:
        finding = Finding(
            rule=_MISFIT_RULES[error.misfit],
            message=error.message,
            upstream=locked.name,
            location=error.location,
            hint=error.hint,
        )
        return None, Report(schema=SCHEMA, title=_TITLE, findings=(finding,))
    except KeyError:
        note = f"{locked.name}: the series was not applied, because pristine files that it changes are not there"
        return None, Report(schema=SCHEMA, title=_TITLE, notes=(note,), counts=_not_applied(series))


def verify_series(locked: LockedUpstream, series: Series, applied: Applied | None) -> Report:
    """Compare patch files with the lock by name, bytes and order, and the trees of `applied` (where given) with it."""
    names = {patch.file_name: patch for patch in series.patches}
    digests = {patch.file_name: sha256(patch.raw) for patch in series.patches}
    known = {entry.file: entry for entry in locked.series}
    findings = [
        *_compare_files(locked, digests, known),
        *_find_copies(series, digests),
        *_compare_order(locked, digests),
    ]
    if applied is not None and not findings:
        findings += _compare_trees(locked, applied)
    return Report(schema=SCHEMA, title=_TITLE, findings=tuple(findings), counts={"patches": len(names)})


def _finding(series: str, rule: str, message: str, file: str, hint: str | None = None) -> Finding:
    place = Location(f"{patches_dir(series)}/{file}")
    return Finding(rule=rule, message=message, upstream=series, location=place, hint=hint)


def _compare_files(
    locked: LockedUpstream, digests: Mapping[str, str], known: Mapping[str, LockedPatch]
) -> list[Finding]:
    findings: list[Finding] = []
    unlocked = {digest: file for file, digest in digests.items() if file not in known}
    locked_names = {entry.sha256: entry.file for entry in locked.series}
    for file, entry in known.items():
        if file not in digests and entry.sha256 in unlocked:
            message = f"{file} is now called {unlocked[entry.sha256]}"
            findings.append(_finding(locked.name, "VC218", message, unlocked[entry.sha256]))
        elif file not in digests:
            hint = f"restore it, or run `vendorctl patch drop {locked.name} {file[:4]}` on purpose"
            findings.append(_finding(locked.name, "VC216", "a locked patch is gone", file, hint))
        elif digests[file] != entry.sha256:
            other = locked_names.get(digests[file])
            if other is None:
                message = f"SHA-256 is {digests[file][:12]}…, the lock says {entry.sha256[:12]}…"
                findings.append(_finding(locked.name, "VC215", message, file))
            else:
                findings.append(_finding(locked.name, "VC219", f"holds what the lock knows as {other}", file))
    for file, digest in digests.items():
        if file not in known and digest not in locked_names:
            hint = f"run `vendorctl sync {locked.name}` to take it into the lock"
            findings.append(_finding(locked.name, "VC217", "not in VENDOR.lock", file, hint))
    return findings


def _find_copies(series: Series, digests: Mapping[str, str]) -> list[Finding]:
    first: dict[str, Patch] = {}
    findings: list[Finding] = []
    for patch in series.patches:
        original = first.setdefault(digests[patch.file_name], patch)
        if original is not patch:
            message = f"a copy of {original.file_name}, byte for byte"
            findings.append(_finding(series.upstream, "VC220", message, patch.file_name))
    return findings


def _compare_order(locked: LockedUpstream, digests: Mapping[str, str]) -> list[Finding]:
    """The lock's own order must be that of the numbers, which is the order that was applied."""
    listed = [entry.file for entry in locked.series if entry.file in digests]
    known = set(listed)
    for file, wanted in zip(listed, [name for name in digests if name in known], strict=False):
        if file != wanted:
            message = f"the lock has {file} where {wanted} belongs"
            return [
                _finding(locked.name, "VC219", message, SERIES_FILE, "restore VENDOR.lock, or run `vendorctl sync`")
            ]
    return []


def _compare_trees(locked: LockedUpstream, applied: Applied) -> list[Finding]:
    for entry, patch, tree in zip(locked.series, applied.series.patches, applied.trees[1:], strict=False):
        if tree.oid != entry.tree:
            message = f"gives tree {tree.oid.short}, the lock says {entry.tree.short}"
            data = {"tree": str(tree.oid), "locked": str(entry.tree)}
            place = Location(f"{patches_dir(locked.name)}/{patch.file_name}", 1)
            finding = Finding(
                rule="VC221",
                message=message,
                severity=Severity.ERROR,
                upstream=locked.name,
                location=place,
                hint="restore VENDOR.lock from version control, or run `vendorctl sync`",
                data=data,
            )
            return [finding]
    return []
