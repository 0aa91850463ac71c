# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every instruction of a generic object exists on every member of its family: checked by decoding it for each."""

from __future__ import annotations

from vendorctl.errors import Location
from vendorctl.kernels.building.project import Project
from vendorctl.kernels.object import target as targets
from vendorctl.kernels.object.isadiff import Decoder, undecodable
from vendorctl.kernels.shipping.pack import read_manifests
from vendorctl.model import Finding, Report

SCHEMA = "vendorctl/check-instructions/1"


def check_instructions(project: Project, decode: Decoder) -> Report:
    """Decode every object for each architecture that may load it; a finding for each pair that fails.

    Objects that are not there are counted, not passed. Raises VendorError for an invalid manifest.
    """
    findings: list[Finding] = []
    counts = {"decodings": 0, "objects not decoded": 0}
    for found in read_manifests(project):
        for record in found.objects:
            path = project.root / found.folder / record.file
            if not path.is_file():
                counts["objects not decoded"] += 1
                continue
            code = path.read_bytes()
            for member in targets.find(found.target).members:
                counts["decodings"] += 1
                reason = undecodable(code, member, decode)
                if reason is not None:
                    findings.append(
                        Finding(
                            rule="VC514",
                            upstream=found.provenance.upstream,
                            location=Location(f"{found.folder}/{record.file}"),
                            message=f"it cannot run on {member}: {reason}",
                            hint="exclude the row for the family, and build it for each member instead",
                        )
                    )
    return Report(schema=SCHEMA, title="check --instructions", findings=tuple(findings), counts=counts)
