# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The one list of rules. It feeds every output format, `vendorctl explain`, and the reference page.

Numbers are stable: a rule that is no longer raised keeps its number.
"""

from __future__ import annotations

from vendorctl.rules.consumers import CONSUMERS
from vendorctl.rules.licences import LICENCES
from vendorctl.rules.objects import OBJECTS
from vendorctl.rules.patches import PATCHES
from vendorctl.rules.pins import PINS
from vendorctl.rules.pristine import PRISTINE
from vendorctl.rules.rule import Rule

__all__ = ["RULES", "Rule"]

#: Every rule by id, in numeric order.
RULES = {rule.id: rule for rule in (*PRISTINE, *PATCHES, *PINS, *LICENCES, *OBJECTS, *CONSUMERS)}
