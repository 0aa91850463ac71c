# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The published JSON schemas of what `--format json` writes: one file per document, named like its `schema` key."""

from __future__ import annotations

from pathlib import Path

#: Where they are installed; ``vendorctl/verify/1`` is described by ``verify-1.json``.
FOLDER = Path(__file__).parent


def schema_names() -> list[str]:
    """The documents that are described, as their `schema` key names them."""
    names = sorted(path.stem.rpartition("-") for path in FOLDER.glob("*.json") if path.stem != "common")
    return [f"vendorctl/{name}/{version}" for name, _, version in names]


def schema_path(name: str) -> Path:
    """The file that describes the document ``vendorctl/NAME/VERSION``."""
    _, document, version = name.split("/")
    return FOLDER / f"{document}-{version}.json"
