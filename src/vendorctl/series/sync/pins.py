# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Moving pins in VENDOR.yaml: only the characters of `pin:` and `ref:` change."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from vendorctl.git.oid import Oid
from vendorctl.upstream.source import Source
from vendorctl.workspace.edit import remove_at, set_value
from vendorctl.workspace.manifest import Manifest, Upstream
from vendorctl.workspace.parse import parse_manifest


def set_pin(manifest: Manifest, name: str, commit: Oid, ref: str | None) -> Manifest:
    """The manifest with one pin moved; the same object when nothing changes. Without `ref`, the key goes."""
    upstream = manifest.upstreams[name]
    if (upstream.pin, upstream.ref) == (commit, ref):
        return manifest
    text = set_value(manifest, name, "pin", str(commit))
    if ref is not None:
        text = set_value(parse_manifest(text), name, "ref", ref)
    elif upstream.ref is not None:
        text = remove_at(text, ("upstreams", name, "ref"))
    return parse_manifest(text)


def move_pins(manifest: Manifest, pins: Mapping[str, str], opener: Callable[[Upstream], Source]) -> Manifest:
    """The manifest with pins moved to what the refs stand for now; the same object when nothing changes.

    Raises VendorError (exit code 4) for a ref that an upstream does not have.
    """
    for name, ref in pins.items():
        found = opener(manifest.upstreams[name]).resolve(ref)
        named = found.short_name if found.kind in {"tag", "branch"} else None
        manifest = set_pin(manifest, name, found.commit, named)
    return manifest
