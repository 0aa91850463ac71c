# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl test --without PATCH`: what goes wrong without a patch, which is what it is good for."""

from __future__ import annotations

from collections.abc import Sequence

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.kernels.testing import contrast as contrasts
from vendorctl.kernels.testing.contrast import Bench, Contrast, Turn
from vendorctl.kernels.testing.report import TestReport
from vendorctl.kernels.testing.variant import Variant
from vendorctl.model import Finding, Report
from vendorctl.series.content import ContentMerger
from vendorctl.series.patch import Patch
from vendorctl.series.rework import drop_patch
from vendorctl.series.workspace import Standing
from vendorctl.vendor.contents import ChainedBlobs

SCHEMA = "vendorctl/test-without/1"


def find_patch(standings: Sequence[Standing], wanted: str) -> tuple[Standing, Patch]:
    """The patch that `wanted` names: its number, slug or file name, after `NAME/` where several upstreams have one.

    Raises VendorError (exit code 2) when there is none, or more than one.
    """
    upstream, slash, name = wanted.rpartition("/")
    found = [
        (standing, patch)
        for standing in standings
        for patch in standing.series.patches
        if (not slash or standing.upstream.name == upstream) and name in _names(patch)
    ]
    if len(found) == 1:
        return found[0]
    known = [f"{each.upstream.name}/{patch.file_name}" for each in standings for patch in each.series.patches]
    what = "several patches are" if found else "no patch is"
    raise VendorError(f"{what} called {wanted!r}", hint=f"patches: {', '.join(known) or 'none'}", code=ExitCode.USAGE)


def _names(patch: Patch) -> set[str]:
    stem = patch.file_name.removesuffix(".patch")
    return {patch.file_name, stem, patch.slug, str(patch.number), f"{patch.number:04d}"}


def without(bench: Bench, standing: Standing, patch: Patch, merger: ContentMerger) -> TestReport:
    """Build and test what the patch affects, with it and without it.

    Raises VendorError (exit code 5) when a later patch of the series cannot do without it.
    """
    name = standing.upstream.name
    shortened = drop_patch(patch.number, standing.applied, standing.blobs, merger)
    blobs = ChainedBlobs(shortened.blobs, standing.blobs)
    found = contrasts.contrast(
        bench,
        Variant(label="with the patch", upstream=name, tree=standing.applied.patched, blobs=standing.blobs),
        Variant(label="without it", upstream=name, tree=shortened.patched, blobs=blobs),
    )
    return _report(standing, patch, found)


def _report(standing: Standing, patch: Patch, found: Sequence[Contrast]) -> TestReport:
    needed = [item for item in found if item.turn is Turn.REGRESSED]
    broken = [item for item in found if item.turn in (Turn.FAILS, Turn.FIXED)]
    place = Location(f"{standing.series.folder}/{patch.file_name}")
    findings = []
    if not found:
        findings.append(_finding("VC537", place, "no object depends on what the patch changes"))
    elif not needed:
        findings.append(_finding("VC537", place, f"all {len(found)} objects that it affects pass without it"))
    if broken:
        findings.append(_finding("VC530", place, f"{broken[0].name} does not pass with the patch either"))
    verdict = (
        f"necessary: {len(needed)} of {len(found)} objects go wrong without it" if needed else "not shown necessary"
    )
    report = Report(
        schema=SCHEMA,
        title="test --without",
        lines=(f"{patch.file_name}: {patch.title}", *contrasts.table(found, "with the patch", "without it"), verdict),
        findings=tuple(findings),
        counts={"objects": len(found), "need it": len(needed)},
        data={"patch": patch.file_name, "upstream": standing.upstream.name, "objects": [item.json() for item in found]},
    )
    return TestReport(report)


def _finding(rule: str, place: Location, message: str) -> Finding:
    return Finding(
        rule=rule, location=place, message=message, hint="`--full`, `--op` and `--instance` widen or aim the test"
    )
