# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What must hold between values of a manifest: names and folders that must not meet, references that must resolve."""

from __future__ import annotations

import yaml

from vendorctl.paths import display_text
from vendorctl.workspace.lock import FILE_NAME as LOCK_NAME
from vendorctl.workspace.manifest import FILE_NAME, Manifest
from vendorctl.workspace.names import name_reason
from vendorctl.workspace.nodes import Problems, nearest
from vendorctl.workspace.root import LICENSES_FOLDER, PATCHES_FOLDER, STATE_FOLDER, VENDORED_FOLDER

#: Paths that vendorctl itself keeps; an output may neither be, nor hold, nor lie below one of them.
RESERVED = (
    FILE_NAME,
    LOCK_NAME,
    VENDORED_FOLDER,
    PATCHES_FOLDER,
    LICENSES_FOLDER,
    STATE_FOLDER,
    "sbom",
    "objects",
    "NOTICE",
    "THIRD_PARTY_LICENSES.md",
)


def check_upstream_names(problems: Problems, names: list[tuple[str, yaml.Node]]) -> None:
    """Each name can be a folder, and no two are the same folder where case does not count."""
    seen: dict[str, str] = {}
    for name, node in names:
        reason = name_reason(name)
        if reason:
            problems.add(node, f"{display_text(name)!r} cannot name an upstream: {reason}")
        elif name.lower() in seen:
            other = seen[name.lower()]
            problems.add(node, f"{name!r} and {other!r} are the same folder on some file systems", "rename one")
        seen.setdefault(name.lower(), name)


def check_manifest(problems: Problems, manifest: Manifest) -> None:
    """Everything that takes more than one value to see."""
    _check_outputs(problems, manifest)
    _check_exceptions(problems, manifest)
    _check_curations(problems, manifest)


def _check_outputs(problems: Problems, manifest: Manifest) -> None:
    taken = [(path, f"{path!r}, which vendorctl keeps itself") for path in RESERVED]
    for upstream in manifest.upstreams.values():
        if upstream.output is None:
            continue
        for path, whose in taken:
            if _overlap(upstream.output, path):
                message = f"output {display_text(upstream.output)!r} overlaps {whose}"
                problems.add(upstream.place("output"), message, "choose a folder of its own, such as src/_vendor/NAME")
                break
        taken.append((upstream.output, f"the output of {upstream.name!r}"))
    for recipe in manifest.kernels.recipes:
        for path, whose in taken[len(RESERVED) :]:
            if _overlap(recipe, path):
                message = (
                    f"the recipe {display_text(recipe)!r} overlaps {whose}, which holds nothing but upstream's files"
                )
                problems.add(manifest.kernels.places["recipes"], message, "move the recipe")


def _overlap(one: str, other: str) -> bool:
    """Whether two paths are the same, or one holds the other, where case does not count."""
    first, second = one.lower().split("/"), other.lower().split("/")
    length = min(len(first), len(second))
    return first[:length] == second[:length]


def _check_exceptions(problems: Problems, manifest: Manifest) -> None:
    for exception in manifest.licenses.exceptions:
        if exception.upstream and exception.upstream not in manifest.upstreams:
            close = nearest(exception.upstream, manifest.upstreams)
            message = f"there is no upstream {display_text(exception.upstream)!r}"
            problems.add(exception.location, message, f"did you mean `{close}`?" if close else None)


def _check_curations(problems: Problems, manifest: Manifest) -> None:
    seen: set[tuple[str, str]] = set()
    for curation in manifest.licenses.curations:
        key = (curation.path, curation.sha256)
        if key in seen:
            message = f"{display_text(curation.path)!r} is curated twice for the same content"
            problems.add(curation.location, message, "remove one")
        seen.add(key)
