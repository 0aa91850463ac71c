# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Patch files, value to bytes: a message of ours above a diff of git's own, the same on every machine.

The diff comes from `git diff-tree` over a scratch repository that holds just the paths that differ, with three lines of
context, full ids and binary content. Renames are shown as renames when at least half of the content stayed (git's `-M`,
whose heuristics have not changed since git 2.31), so that a review of a moved file shows what changed in it; copies are
not looked for, because a patch that copies depends on a file that it does not change. There is no diffstat: it depends
on the width of names and only makes refreshed patches differ more.

One thing is not ours: the compressed bytes of a binary hunk come from the zlib that git was built with.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.answers import diffs
from vendorctl.git.objects import Blobs
from vendorctl.git.scratch import scratch_repository
from vendorctl.git.tree import Entry, Tree
from vendorctl.paths import display_text
from vendorctl.proc import Runner, run
from vendorctl.series.message import Message, render_message, trailer_lines, unsafe_lines
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import Patch, Trailers, patch_file_name, slugify

_DIFF = (
    "diff-tree",
    "-r",
    "-p",
    "--full-index",
    "--binary",
    "--find-renames=50%",
    "-l1000",  # rename limit: git's default moved from 400 to 1000 in 2.34
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--submodule=short",
    "--ignore-submodules=none",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)


def format_patch(
    old: Tree,
    new: Tree,
    blobs: Blobs,
    *,
    number: int,
    title: str,
    body: str,
    author: str,
    date: str,
    trailers: Trailers,
    runner: Runner = run,
) -> bytes:
    """The bytes of the patch that turns `old` into `new`. They do not depend on `number`, which serves errors only.

    `author` is ``Name <mail>``, `date` as RFC 5322 writes it (see `mail_date`). Raises VendorError when the trees are
    equal, when the title is empty or not one line, and when a line of the message would break mail or patch tools;
    KeyError when `blobs` lacks a content that differs.
    """
    message = Message(title=" ".join(title.split()), body=body, author=author, date=date, trailers=trailers)
    check_message(message, Location(patch_file_name(number, slugify(title))))
    return render_message(message) + b"\n" + format_diff(old, new, blobs, runner=runner)


def write_patch(
    old: Tree,
    new: Tree,
    blobs: Blobs,
    *,
    number: int,
    title: str,
    body: str,
    author: str,
    date: str,
    trailers: Trailers,
    slug: str | None = None,
    runner: Runner = run,
) -> Patch:
    """`format_patch`, read back as a value; `slug` defaults to one made of the title."""
    raw = format_patch(
        old,
        new,
        blobs,
        number=number,
        title=title,
        body=body,
        author=author,
        date=date,
        trailers=trailers,
        runner=runner,
    )
    return parse_patch(patch_file_name(number, slug or slugify(title)), raw)


def format_diff(old: Tree, new: Tree, blobs: Blobs, *, runner: Runner = run) -> bytes:
    """Git's diff between two trees, without a message. Raises VendorError when they are equal."""
    return format_diffs([(old, new)], blobs, runner=runner)[0]


def format_diffs(pairs: Sequence[tuple[Tree, Tree]], blobs: Blobs, *, runner: Runner = run) -> list[bytes]:
    """`format_diff` of each pair of trees, all by one git process."""
    differing = [old.difference(new) for old, new in pairs]
    if not all(differing):
        raise VendorError("nothing differs, so there is nothing to write as a patch", code=ExitCode.USAGE)
    if not differing:
        return []
    with scratch_repository(runner=runner) as scratch:
        sides = [[scratch.add_tree(Tree(_side(each, index)), blobs) for index in (0, 1)] for each in differing]
        rows = [f"{old} {new}\n".encode() for old, new in sides]
        output = scratch.git.exact(*_DIFF, "--stdin", stdin=b"".join(rows)).stdout
    return diffs(output, rows)


def _side(differing: dict[bytes, tuple[Entry | None, Entry | None]], index: int) -> dict[bytes, Entry]:
    entries = {path: pair[index] for path, pair in differing.items()}
    return {path: entry for path, entry in entries.items() if entry is not None}


def check_message(message: Message, place: Location) -> None:
    """Raise VendorError for a message that could not be read back, or that some mail or patch tool would misread."""
    if not message.title:
        raise VendorError("a patch needs a title", location=place, hint="--title 'what the patch does'")
    if re.match(r"\[[^\]]*\bPATCH\b", message.title):
        raise VendorError("a title must not start with [PATCH]: mail tools remove it", location=place)
    bad = unsafe_lines(message.body)
    if bad:
        number, line = bad[0]
        raise VendorError(
            f"line {number} of the message would be taken for part of the diff or mail: {display_text(line)!r}",
            location=place,
            hint="indent the line or word it differently",
        )
    for text in (message.title, message.author, message.date, *trailer_lines(message.trailers)):
        if any(ord(char) < 32 or ord(char) == 127 for char in text):
            raise VendorError(
                f"control characters in {display_text(text)!r}", location=place, hint="write one plain line"
            )
