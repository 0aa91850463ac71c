# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The bump gate: kernels of the old and the new patched tree side by side, and no bump that makes one worse."""

from __future__ import annotations

from vendorctl.kernels.testing import contrast as contrasts
from vendorctl.kernels.testing.contrast import Bench, Contrast, Turn
from vendorctl.kernels.testing.report import TestReport
from vendorctl.kernels.testing.variant import Variant
from vendorctl.model import Finding, Report
from vendorctl.series.sync.plan import UpstreamPlan
from vendorctl.vendor.contents import ChainedBlobs

SCHEMA = "vendorctl/gate/1"


def examine_bump(bench: Bench, plan: UpstreamPlan) -> TestReport:
    """Build and test what changes with the bump `plan`, before and after it.

    Its report has an error for every object that passes before and not after.
    """
    standing, chain = plan.standing, plan.chain_before
    name, pin = plan.upstream.name, plan.upstream.pin
    if chain is None or plan.before is None:
        return _report(name, "before", "after", ())
    old, new = f"at {plan.before.commit.short}", f"at {pin.short}"
    blobs = ChainedBlobs(chain.blobs, standing.blobs, *(() if plan.bump is None else (plan.bump.blobs,)))
    found = contrasts.contrast(
        bench,
        Variant(label=old, upstream=name, tree=chain.patched, blobs=blobs),
        Variant(label=new, upstream=name, tree=standing.applied.patched, blobs=standing.blobs),
    )
    return _report(name, old, new, found)


def _report(name: str, old: str, new: str, found: tuple[Contrast, ...]) -> TestReport:
    regressed = [item for item in found if item.turn is Turn.REGRESSED]
    lines = [f"{name}: kernels {old} and {new}", *contrasts.table(found, old, new)]
    if not found:
        lines.append("no object changes with this bump")
    report = Report(
        schema=SCHEMA,
        title="gate",
        lines=tuple(lines),
        findings=tuple(_finding(name, item) for item in regressed),
        counts={"objects": len(found)} | contrasts.turns(found),
        data={"upstream": name, "before": old, "after": new, "objects": [item.json() for item in found]},
    )
    return TestReport(report)


def _finding(name: str, item: Contrast) -> Finding:
    operation = item.name.split()[0]
    return Finding(
        rule="VC538",
        upstream=name,
        message=f"{item.name} passes before the bump and not after it",
        hint=f"vendorctl bisect {name} --test {operation} --to REF finds what did it",
    )
