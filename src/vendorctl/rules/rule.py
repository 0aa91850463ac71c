# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a rule is."""

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
