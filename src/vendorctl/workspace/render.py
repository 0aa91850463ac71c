# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Values as YAML text that reads back as exactly them, in the style that people write."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

#: What an edit can put into a manifest.
Value: TypeAlias = "str | Sequence[Value] | Mapping[str, Value]"

#: Text that needs no quotes anywhere: no indicator begins it, nothing in it ends it.
_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+@=~-]*(?::[A-Za-z0-9_./+@=~-]+)*")
_BLOCK_PLAIN = re.compile(r"[A-Za-z0-9_./](?:[^\W]|[ ()./+@=~;%'\"!?<>,-])*(?<! )")
_NULLS = {"null", "Null", "NULL", "~", ""}

#: Longer lists get a line per item.
_LINE = 100


def scalar_text(value: str, style: str | None, *, flow: bool) -> str:
    """`value` as a scalar in the given style ('"', "'", else plain) where it allows that, else in double quotes."""
    if style == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    if style == '"' or not _is_plain(value, flow):
        return quoted(value)
    return value


def quoted(value: str) -> str:
    """`value` in double quotes."""
    # YAML's double-quoted scalars read JSON's escapes; line separators would be folded if they stood there unescaped.
    text = json.dumps(value, ensure_ascii=False)
    return re.sub("[\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff]", lambda match: f"\\u{ord(match[0]):04x}", text)


def _is_plain(value: str, flow: bool) -> bool:
    if value in _NULLS:
        return False
    return bool(_PLAIN.fullmatch(value) or (not flow and _BLOCK_PLAIN.fullmatch(value)))


def flow_text(value: Value) -> str:
    """A value on one line, as it can stand inside brackets."""
    if isinstance(value, str):
        return scalar_text(value, None, flow=True)
    if isinstance(value, Mapping):
        entries = [f"{scalar_text(key, None, flow=True)}: {flow_text(item)}" for key, item in value.items()]
        return "{" + ", ".join(entries) + "}"
    return "[" + ", ".join(quoted(item) if isinstance(item, str) else flow_text(item) for item in value) + "]"


def entry_lines(key: str, value: Value) -> list[str]:
    """``key: value`` as lines of a block mapping, without indentation."""
    head = f"{scalar_text(key, None, flow=False)}:"
    if isinstance(value, str):
        return [f"{head} {scalar_text(value, None, flow=False)}"]
    if isinstance(value, Mapping) and value:
        return [head, *(f"  {line}" for name, item in value.items() for line in entry_lines(name, item))]
    if isinstance(value, Mapping):
        return [f"{head} {{}}"]
    short = all(isinstance(item, str) for item in value) and len(head) + len(flow_text(value)) <= _LINE
    if short:
        return [f"{head} {flow_text(value)}"]
    return [head, *(f"  {line}" for item in value for line in item_lines(item))]


def item_lines(value: Value) -> list[str]:
    """``- value`` as lines of a block sequence, without indentation."""
    if isinstance(value, Mapping):
        lines = [line for name, item in value.items() for line in entry_lines(name, item)]
        return [f"- {lines[0]}", *(f"  {line}" for line in lines[1:])]
    return [f"- {quoted(value) if isinstance(value, str) else flow_text(value)}"]
