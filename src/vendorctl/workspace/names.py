# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which names an upstream may have: each becomes a folder in several places and a word on command lines."""

from __future__ import annotations

import re

from vendorctl.paths import reject_reason

MAX_NAME = 100

_SHAPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def name_reason(name: str) -> str | None:
    """Why a name cannot be an upstream's, or None when it can."""
    if len(name) > MAX_NAME:
        return f"it has {len(name)} characters; the limit is {MAX_NAME}"
    if not _SHAPE.fullmatch(name):
        return "use letters, digits, '.', '_', '+' and '-', beginning with a letter or digit"
    if name.endswith((".", ".lock", ".owner")):
        return "it may not end in '.', '.lock' or '.owner'"
    reason = reject_reason(name.encode())
    return reason.replace("the path", "it") if reason else None
