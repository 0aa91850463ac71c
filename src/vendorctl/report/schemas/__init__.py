# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The published JSON schemas: one file per document that vendorctl writes, named like the document's `schema` key.

They are strict: a key that a schema does not name is a fault, so they describe what this version of vendorctl writes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

#: Where they are installed; ``vendorctl/verify/1`` is described by ``verify-1.json``.
FOLDER = Path(__file__).parent

#: What several of them refer to.
COMMON = "common.json"


def schema_names() -> list[str]:
    """The documents that are described, as their `schema` key names them."""
    names = sorted(path.stem.rpartition("-") for path in FOLDER.glob("*.json") if path.name != COMMON)
    return [f"vendorctl/{name}/{version}" for name, _, version in names]


def schema_path(name: str) -> Path:
    """The file that describes the document ``vendorctl/NAME/VERSION``."""
    _, document, version = name.split("/")
    return FOLDER / f"{document}-{version}.json"


def load_schema(name: str) -> dict[str, Any]:
    """The schema of the document ``vendorctl/NAME/VERSION``, which may refer to `COMMON`."""
    schema: dict[str, Any] = json.loads(schema_path(name).read_text("utf-8"))
    return schema


def bundled(name: str) -> dict[str, Any]:
    """The schema in one piece: what it refers to is embedded under `$defs`, as JSON Schema 2020-12 (9.3) says."""
    schema = load_schema(name)
    return schema | {"$defs": {COMMON: json.loads((FOLDER / COMMON).read_text("utf-8"))}}


def is_report(schema: dict[str, Any]) -> bool:
    """Whether a schema describes what a command writes to stdout, rather than a file of the workspace."""
    return "allOf" in schema or schema["title"] == "vendorctl/error/1"
