# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Conditions under which an object may be launched, as recipes send them, manifests record them, descriptors show them.

{"field": "n", "rule": "multiple-of", "value": 4, "reason": "vectors of four"}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vendorctl.errors import VendorError
from vendorctl.model import Json

_ORDERED = ("at-least", "at-most", "multiple-of")


def parse_condition(rule: Any) -> Mapping[str, Json]:
    """Check one condition.

    Raises VendorError for one that nothing can decide, KeyError or TypeError for what is none.
    """
    field, name, value = rule["field"], rule["rule"], rule["value"]
    if name != "equals" and name not in _ORDERED:
        raise VendorError(f"unknown constraint rule {name!r}")
    if not isinstance(field, str) or not isinstance(value, bool | int | str):
        raise VendorError(f"constraint on {field!r} holds a {type(value).__name__}")
    if name in _ORDERED and (isinstance(value, bool) or not isinstance(value, int)):
        raise VendorError(f"constraint {name} on {field!r} needs a number, not {value!r}")
    if name == "multiple-of" and value == 0:
        raise VendorError(f"constraint on {field!r}: nothing is a multiple of 0")
    return {"field": field, "rule": name, "value": value, "reason": str(rule["reason"])}
