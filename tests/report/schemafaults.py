# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How a document differs from its published schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
from referencing import Registry, Resource

from vendorctl.report.schemas import FOLDER, schema_path


def closed(schema: Any) -> Any:
    """The schema as a promise in both directions: a key that it does not name is a fault."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if "$ref" not in made and "properties" in made and isinstance(made["properties"], dict):
        made.setdefault("unevaluatedProperties" if "allOf" in made else "additionalProperties", False)
    return made


def registry() -> Any:
    """All schemas by their names. What reports share stays open: a document adds its own keys to it."""
    found = Registry()
    for path in FOLDER.glob("*.json"):
        found = found.with_resource(path.name, Resource.from_contents(json.loads(path.read_text("utf-8"))))
    return found


def faults(document: Any) -> list[str]:
    schema = closed(json.loads(schema_path(document["schema"]).read_text("utf-8")))
    validator = jsonschema.Draft202012Validator(schema, registry=registry())
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]
