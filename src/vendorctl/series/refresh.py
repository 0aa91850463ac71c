# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Rewriting a patch for another pair of trees: its message stays byte for byte, only the diff below it is new."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.proc import Runner, run
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import Patch
from vendorctl.series.write import format_diffs

_SEPARATOR = b"---\n"
#: Lines of a diffstat and its summary, as git-format-patch writes them between message and diff.
_STATISTIC = re.compile(
    rb" .* \| +(?:\d+(?: [+-]+)?|Bin .*|0)$| \d+ files? changed\b.*$"
    rb"| (?:create|delete) mode \d{6} .*$| rename .*$| copy .*$| mode change \d{6} .*$| rewrite .*$"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A patch to be written anew, for the trees `old` and `new`."""

    patch: Patch
    old: Tree
    new: Tree


def refresh_patch(patch: Patch, old: Tree, new: Tree, blobs: Blobs) -> Patch:
    """`patch` with the difference between `old` and `new` as its diff.

    Everything above the diff is kept as written, but for a diffstat, which would be wrong and is left out. Raises
    VendorError when the two trees are equal: such a patch has nothing left to say.
    """
    return refresh_patches([Draft(patch, old, new)], blobs)[0]


def refresh_patches(drafts: Sequence[Draft], blobs: Blobs, *, runner: Runner = run) -> list[Patch]:
    """`refresh_patch` for each draft, all by one git process."""
    diffs = format_diffs([(draft.old, draft.new) for draft in drafts], blobs, runner=runner)
    return [
        parse_patch(draft.patch.file_name, message_part(draft.patch) + diff)
        for draft, diff in zip(drafts, diffs, strict=True)
    ]


def message_part(patch: Patch) -> bytes:
    """What stands above a patch's diff, without diffstat."""
    count = patch.changes[0].patch_line - 1
    lines = [line + b"\n" for line in patch.raw.split(b"\n", count)[:count]]
    if _SEPARATOR not in lines:
        return b"".join(lines)
    cut = lines.index(_SEPARATOR) + 1
    return b"".join(lines[:cut] + [line for line in lines[cut:] if not _STATISTIC.match(line[:-1])])
