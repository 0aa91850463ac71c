# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""SBOM and provenance documents of a workspace: made, written, checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.licenses import cyclonedx as cdx
from vendorctl.licenses import spdx as spdx2
from vendorctl.licenses.component import Component
from vendorctl.licenses.gather import Gathered, gather
from vendorctl.licenses.generated import check_generated, read_generated, write_generated
from vendorctl.licenses.objects import Built, read_built
from vendorctl.licenses.provenance import provenance, provenance_path
from vendorctl.model import Finding, Report
from vendorctl.workspace.lockfile import load_lock
from vendorctl.workspace.parse import load_manifest

#: Where the documents lie, from the workspace root.
FOLDER = "sbom"

SCHEMA = "vendorctl/sbom/1"
COMMAND = "vendorctl sbom"


def bills(gathered: Gathered, built: tuple[Built, ...]) -> dict[str, bytes]:
    """Every document by workspace path: CycloneDX, SPDX, and one provenance statement per operation and target.

    SPDX asks for SHA-1 sums, which only contents give: on a machine that lacks them the document is left out.
    """
    by_name = {component.name: component for component in gathered.components}
    found = {cdx.PATH: cdx.cyclonedx(gathered.components, built)}
    if gathered.contents:
        found[spdx2.PATH] = spdx2.spdx(gathered.components, built, gathered.texts)
    return found | {provenance_path(each): provenance(each, by_name.get(each.upstream)) for each in built}


def publish_bills(root: Path) -> Report:
    """Write every document that is missing or out of date, in one transaction.

    Raises VendorError when an upstream cannot be read or is not restored: half a bill would look like a whole one.
    """
    gathered, built = _load(root, require=True)
    for finding in gathered.findings:
        raise VendorError(finding.message, location=finding.location, hint=finding.hint, code=ExitCode.FINDINGS)
    expected = bills(gathered, built)
    committed = write_generated(root, expected, "sbom")
    changed = [path.decode("utf-8", "surrogateescape") for path in committed.changed]
    return Report(
        schema=SCHEMA,
        title="sbom",
        counts={"documents": len(expected), "written": len(changed)},
        notes=tuple(f"wrote {path}" for path in changed),
        data={"documents": sorted(expected), "written": list(changed)},
    )


def check_bills(root: Path, *, require: bool = False) -> Report:
    """Findings for every document that is missing or not as generated. Read-only.

    What is not restored on this machine is a note, and an error when `require` is true.
    """
    gathered, built = _load(root, require=require)
    findings = [*gathered.findings, *bill_findings(root, gathered, built)]
    counts = {"documents": 2 + len(built)} | (
        {} if gathered.complete and gathered.contents else {"skipped documents": 1}
    )
    return Report(schema=SCHEMA, title="sbom", findings=tuple(findings), counts=counts)


def bill_findings(root: Path, gathered: Gathered, built: tuple[Built, ...]) -> list[Finding]:
    """What is wrong with the documents on disk. A wrong order of patches has its own rule."""
    if not gathered.complete:
        return []
    try:
        expected = bills(gathered, built)
    except VendorError as error:
        hint, place = error.hint, error.location or Location(spdx2.PATH)
        return [Finding(rule="VC416", message=error.message, location=place, hint=hint)]
    present = read_generated(root, expected)
    disordered = list(_disordered(gathered.components, present.get(cdx.PATH, b"")))
    if disordered:
        del expected[cdx.PATH]
    return [*disordered, *check_generated(expected, present, command=COMMAND, missing="VC435", edited="VC433")]


def _disordered(components: tuple[Component, ...], document: bytes) -> Iterator[Finding]:
    """Components whose patches are all there, in another order than the series."""
    listed = _listed_patches(document)
    for component in components:
        series = [patch.file_name for patch in component.patches]
        found = listed.get(component.name, series)
        if found != series and sorted(found) == sorted(series):
            yield Finding(
                rule="VC434",
                message=f"the pedigree lists {', '.join(found)}; the series is {', '.join(series)}",
                upstream=component.name,
                location=Location(cdx.PATH),
                hint=f"run `{COMMAND}`",
            )


def _listed_patches(document: bytes) -> dict[str, list[str]]:
    """Names of patch files by component, in the document's order; nothing for what is no such document."""
    try:
        value: Any = parse_json(document)
        return {
            entry["name"]: [each["diff"]["url"].rpartition("/")[2] for each in entry["pedigree"].get("patches", [])]
            for entry in value["components"]
            if "pedigree" in entry
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _load(root: Path, *, require: bool) -> tuple[Gathered, tuple[Built, ...]]:
    return gather(root, load_manifest(root), load_lock(root), require=require), read_built(root)
