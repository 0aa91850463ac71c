# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The input digest: one number for everything that can change the bytes of an object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from vendorctl import digest
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.manifest import Provenance
from vendorctl.kernels.sources import closure
from vendorctl.kernels.sources.closure import Sources
from vendorctl.model import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchRef:
    """A patch of a series as an input: its file name and SHA-256, and the paths it touches below the upstream root."""

    file: str
    sha256: str
    paths: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatchedTree:
    """One upstream, patched, on disk: where it is, and what it was made from.

    `pristine` maps paths of the selected upstream files to the SHA-256 in VENDOR.lock; `imports` are the import
    prefixes that are rewritten on disk, old to new.
    """

    name: str
    root: Path
    pristine: Mapping[str, str]
    patches: tuple[PatchRef, ...]
    imports: Mapping[str, str] = field(default_factory=dict)


def read_sources(
    workspace: Path, recipe: str, tree: PatchedTree, *, import_root: str, data_files: tuple[str, ...]
) -> Sources:
    """The files that a compile of `recipe` reads. Raises VendorError when one is missing."""
    recipe_files = closure.recipe_closure(workspace, recipe)
    tree_files = closure.tree_closure(tree.root, recipe_files, import_root, data_files, tree.imports)
    return Sources(recipe=recipe, recipe_files=recipe_files, tree_files=tree_files, import_root=import_root)


def provenance(sources: Sources, tree: PatchedTree, data_files: tuple[str, ...]) -> Provenance:
    """What a manifest records about `sources`: their digests, upstream's bytes, and the patches in between."""
    paths = {file.path for file in sources.tree_files}
    return Provenance(
        upstream=tree.name,
        import_root=sources.import_root,
        sources={file.path: file.digest() for file in sources.tree_files},
        pristine={path: tree.pristine[path] for path in sorted(paths) if path in tree.pristine},
        patches={patch.file: patch.sha256 for patch in tree.patches if patch.paths & paths},
        recipe=sources.recipe,
        recipe_files={file.path: file.digest() for file in sources.recipe_files},
        data_files=data_files,
    )


def base_digest(
    operation: str, target: str, origin: Provenance, toolchain: Mapping[str, Json], environment: Mapping[str, str]
) -> str:
    """The part of the input digest that all rows of one operation and target share.

    What counts of the sources is their patched content: it is all that the compiler sees. Upstream's bytes and the
    patches are recorded, and compared by `check`, but a patch whose description is reworded leaves objects valid.
    """
    return digest.sha256(
        digest.canonical_json(
            {
                "operation": operation,
                "target": target,
                "import_root": origin.import_root,
                "sources": dict(origin.sources),
                "recipe": dict(origin.recipe_files),
                "toolchain": dict(toolchain),
                "environment": dict(environment),
            }
        )
    )


def row_digest(base: str, instance: Instance) -> str:
    """The input digest of one row. The order of its columns does not count."""
    row: dict[str, Json] = dict(instance.values)
    return digest.sha256(base.encode() + b"\n" + digest.canonical_json(row))
