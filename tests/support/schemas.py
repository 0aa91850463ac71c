# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How a document differs from its published schema."""

from __future__ import annotations

from functools import cache
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
from referencing import Registry
from referencing.jsonschema import DRAFT202012

from vendorctl.report.schemas import bundled


@cache
def validator(name: str) -> Any:
    """What checks documents called `name` (``vendorctl/verify/1``), as anyone would who has only the printed schema."""
    schema = bundled(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    # Read through once, or it would be for every reference that is followed.
    known = Registry().with_resource(schema["$id"], DRAFT202012.create_resource(schema)).crawl()
    return jsonschema.Draft202012Validator(schema, registry=known)


def faults(document: Any) -> list[str]:
    """What is wrong with a document, each with its place; empty when it is as its schema says."""
    errors = validator(document["schema"]).iter_errors(document)
    return [f"{document['schema']} {error.json_path}: {error.message[:500]}" for error in errors]
