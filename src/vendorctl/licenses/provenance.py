# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Provenance of built objects: in-toto statements (v1) with SLSA provenance (v1), one for each operation and target.

They say what a rebuild needs: sources, patches, recipe, toolchain and environment, all by digest. No time and no build
machine are in them, because the objects do not depend on either.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from vendorctl import __version__
from vendorctl.digest import pretty_json
from vendorctl.licenses.component import Component
from vendorctl.licenses.objects import Built
from vendorctl.model import Json

FOLDER = "sbom/provenance"

#: Names what `externalParameters` and the rest mean; documented in docs/reference.
BUILD_TYPE = "urn:vendorctl:build:objects:1"
_BUILDER = "urn:vendorctl:builder:local:1"


def provenance_path(built: Built) -> str:
    """Where the statement about an operation's objects for a target lies."""
    return f"{FOLDER}/{built.operation}-{built.target}.intoto.json"


def provenance(built: Built, component: Component | None) -> bytes:
    """The statement about one manifest's objects. `component` is the upstream that they were compiled from."""
    statement: dict[str, Json] = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": item.path, "digest": {"sha256": item.sha256}} for item in built.objects],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {
                    "operation": built.operation,
                    "target": built.target,
                    "recipe": built.recipe,
                    "upstream": built.upstream,
                },
                "internalParameters": {
                    "environment": dict(built.environment),
                    "toolchain": dict(built.toolchain),
                    "inputDigests": {item.path: item.input for item in built.objects},
                },
                "resolvedDependencies": list(_dependencies(built, component)),
            },
            "runDetails": {"builder": {"id": _BUILDER, "version": {"vendorctl": __version__}}},
        },
    }
    return pretty_json(statement)


def _dependencies(built: Built, component: Component | None) -> Iterator[Json]:
    """Everything that was read, in a fixed order: the upstream commit, its files, the patches in order, the recipe."""
    if component is not None:
        commit = str(component.locked.commit)
        yield {"name": component.name, "uri": component.purl, "digest": {"gitCommit": commit}}
    folder = f"vendored/{built.upstream}"
    for path, digest in built.pristine.items():
        yield {"name": "pristine", "uri": quote(f"{folder}/{path}"), "digest": {"sha256": digest}}
    for path, digest in built.patches.items():
        yield {"name": "patch", "uri": quote(f"patches/{built.upstream}/{path}"), "digest": {"sha256": digest}}
    for name, digests in (("source", built.sources), ("recipe", built.recipe_files)):
        for path, digest in digests.items():
            # Digests of Python sources leave comments out: a name of its own keeps other tools from comparing them.
            yield {"name": name, "uri": quote(path), "digest": {"vendorctlSource": digest}}
