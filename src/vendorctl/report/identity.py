# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What makes two findings the same one on another day: everything but where exactly the lines stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from vendorctl.digest import sha256
from vendorctl.model import Finding

#: The line numbers of a hunk.
_RANGES = re.compile(r"@@ -[\d,]+ \+[\d,]+ @@")


def identities(findings: Sequence[Finding]) -> Iterator[tuple[str, int]]:
    """For each finding a digest, and how many of the same digest have come before it, counted from 1."""
    seen: dict[str, int] = {}
    for finding in findings:
        digest = _digest(finding)
        seen[digest] = seen.get(digest, 0) + 1
        yield digest, seen[digest]


def _digest(finding: Finding) -> str:
    path = finding.location.path if finding.location else ""
    detail = _RANGES.sub("@@", finding.detail or "")
    # ASCII, because a name that is no UTF-8 holds characters that cannot be encoded.
    return sha256(json.dumps([finding.rule, finding.upstream, path, finding.message, detail]).encode("ascii"))
