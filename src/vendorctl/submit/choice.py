# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which patches a submission is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vendorctl.errors import ExitCode, VendorError
from vendorctl.series.listing import find_patch
from vendorctl.series.patch import Patch
from vendorctl.series.stack import Series
from vendorctl.workspace.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for on the command line: an upstream, and patches of it by number, slug or file name."""

    upstream: str
    patches: tuple[str, ...]


def read_wish(manifest: Manifest, words: Sequence[str]) -> Wish:
    """Read ``[NAME] [PATCH]...``: the name may be left out where the workspace has one upstream only.

    Raises VendorError (exit code 2) when it must not be.
    """
    if words and words[0] in manifest.upstreams:
        return Wish(words[0], tuple(words[1:]))
    if len(manifest.upstreams) != 1:
        known = ", ".join(sorted(manifest.upstreams)) or "none yet"
        raise VendorError(
            "a submission goes to one upstream: name it before the patches",
            hint=f"VENDOR.yaml has: {known}",
            code=ExitCode.USAGE,
        )
    return Wish(next(iter(manifest.upstreams)), tuple(words))


def choose(series: Series, names: Sequence[str]) -> tuple[Patch, ...]:
    """The named patches in the order given; without names, every patch that waits to be sent, in series order.

    Raises VendorError (exit code 2) for an unknown or repeated patch, and when nothing waits.
    """
    chosen = [find_patch(series, name) for name in names] or [patch for patch in series.patches if waits(patch)]
    twice = [patch for index, patch in enumerate(chosen) if patch in chosen[:index]]
    if twice:
        raise VendorError(f"{twice[0].file_name} is named twice", code=ExitCode.USAGE)
    if not chosen:
        raise VendorError(
            f"no patch of {series.upstream!r} waits to be sent upstream",
            hint="name patches to send them all the same; `vendorctl submit --queue` shows where each stands",
            code=ExitCode.USAGE,
        )
    return tuple(chosen)


def waits(patch: Patch) -> bool:
    """Whether a patch has yet to be sent: neither forwarded nor landed, nor declared to be of no use upstream."""
    return patch.trailers.forwarded.lower() in ("", "no") and not patch.trailers.applied_upstream
