# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The one list of rules. It feeds every output format, `vendorctl explain`, and the reference page.

Numbers are stable: a rule that is no longer raised keeps its number. VC1xx pristine tree, VC2xx patches, VC3xx pins
and upstream, VC4xx licences, VC5xx objects and kernel tests.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding's rule id stands for: a short name, what is wrong, why it matters, how to fix it."""

    id: str
    name: str
    summary: str
    why: str
    fix: str


_ALL = (
    # -- VC1xx: the pristine tree and the output on disk -----------------------------------------------------------
    Rule(
        "VC101",
        "pristine-content",
        "A vendored file's bytes differ from upstream's.",
        "Pristine files are never edited; a change that no patch records cannot be reviewed, carried or credited.",
        "Put the edit into the patched tree and run `vendorctl patch record`; `vendorctl sync` restores the file.",
    ),
)

#: Every rule by id, in numeric order.
RULES = {rule.id: rule for rule in sorted(_ALL, key=lambda rule: rule.id)}
