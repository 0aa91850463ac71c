# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The JSON schema of VENDOR.yaml, for editors that complete and check YAML; made from the parser's own table of keys.

It knows keys, their types and which are required. What depends on several values, or on files, only the parser checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vendorctl.workspace.schema import SCHEMA, Key, Kind

#: What `vendorctl schema` calls it.
NAME = "VENDOR.yaml"
DESCRIPTION = "What is vendored from where: for editors that complete and check YAML."

#: A scalar as it stands: vendorctl never takes `1.10` for a number or `no` for a truth value, but an editor does.
_TEXT: Mapping[str, Any] = {"type": ["string", "number", "boolean"]}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": _TEXT}


def manifest_schema() -> dict[str, Any]:
    """The schema (JSON Schema 2020-12). Keys that the parser does not know are faults."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": NAME,
        "description": DESCRIPTION,
        **_section(""),
    }


def _section(path: str) -> dict[str, Any]:
    keys = [key for key in SCHEMA if key.section == path]
    return {
        "type": "object",
        "properties": {key.name: {"description": key.doc, **_value(key)} for key in keys},
        "required": [key.name for key in keys if key.required],
        "additionalProperties": False,
    }


def _value(key: Key) -> dict[str, Any]:
    match key.kind:
        case Kind.TEXT | Kind.PROSE:
            return dict(_TEXT)
        case Kind.NUMBER:
            return {"type": "integer", "minimum": 0}
        case Kind.TEXTS:
            return dict(_TEXTS)
        case Kind.SECTION:
            return _section(key.path)
        case Kind.SECTIONS:
            return {"type": "array", "items": _section(f"{key.path}[]")}
        case Kind.NAMED:
            return {"type": "object", "additionalProperties": _section(f"{key.path}.*")}
        case Kind.PAIRS:
            return {"type": "object", "additionalProperties": dict(_TEXT)}
        case Kind.HOLDS:
            return {"type": "array", "items": {"anyOf": [dict(_TEXT), _section(f"{key.path}[]")]}}
        case Kind.PLACE:
            return {"anyOf": [dict(_TEXT), _section(key.path)]}
