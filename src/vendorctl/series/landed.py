# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Recognises a patch that upstream took in another shape: reformatted, re-wrapped, with other quotes.

Both sides are brought into one canonical form and merged there. Where taking upstream's text in every disputed region
gives exactly that merge, upstream already has what the patch does in those regions, and only its spelling differs.
The canonical form of Python is its syntax tree, printed again (comments and layout are gone); of anything else it is
the sequence of words and signs, without white space.
"""

from __future__ import annotations

import ast
import re
import warnings

from vendorctl.git.objects import Blobs
from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry
from vendorctl.series.content import ContentMerger
from vendorctl.series.merge import Conflict, ConflictKind, Settled

#: How upstream's version was recognised; part of the evidence shown to people.
BY_SYNTAX = "the same syntax tree"
BY_WORDS = "the same text but for white space"

_WORDS = re.compile(rb"\w+|[^\w\s]")
#: Beyond this, parsing costs more than asking a person.
_MAX_BYTES = 2_000_000


def python_form(content: bytes) -> bytes | None:
    """One statement per line, as the syntax tree prints; None when this is not Python that we can parse."""
    if len(content) > _MAX_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            # Upstream's invalid escape sequences are upstream's business, not lines on our stderr.
            warnings.simplefilter("ignore")
            return ast.unparse(ast.parse(content)).encode("utf-8", "surrogatepass") + b"\n"
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def word_form(content: bytes) -> bytes:
    """One word or sign per line."""
    return b"\n".join(_WORDS.findall(content)) + b"\n"


def settle_reformatted(conflict: Conflict, blobs: Blobs, merger: ContentMerger) -> Settled | None:
    """Decide a content conflict for upstream's text where that is the patch in another shape, else None."""
    if conflict.kind not in (ConflictKind.CONTENT, ConflictKind.ADDED_TWICE, ConflictKind.ADDED_BY_BOTH):
        return None
    if conflict.content is None or conflict.ours is None or conflict.theirs is None:
        return None
    base = blobs[conflict.base.entry.oid] if conflict.base else b""
    ours, theirs = blobs[conflict.ours.entry.oid], blobs[conflict.theirs.entry.oid]
    # A doubled patch has no region in dispute: the only candidate is upstream's file as it stands.
    candidate = ours if conflict.content.twice else conflict.content.choose(lambda region: region.ours)
    by = _equivalence(base, ours, theirs, candidate, conflict.path, merger)
    if by is None:
        return None
    was = conflict.base.entry.mode if conflict.base else conflict.ours.entry.mode
    mode = conflict.theirs.entry.mode if conflict.ours.entry.mode == was else conflict.ours.entry.mode
    entry = Entry(mode, hash_blob(candidate))
    return Settled(entry, candidate, landed=entry == conflict.ours.entry, by=by)


def _equivalence(
    base: bytes, ours: bytes, theirs: bytes, candidate: bytes, path: bytes, merger: ContentMerger
) -> str | None:
    """How `candidate` is the merge of the three contents in canonical form, or None."""
    if path.endswith((b".py", b".pyi")):
        forms = [python_form(side) for side in (base, ours, theirs, candidate)]
        known = [form for form in forms if form is not None]
        if len(known) == len(forms):
            return BY_SYNTAX if _merges_to(*known, merger=merger) else None
    forms_by_word = [word_form(side) for side in (base, ours, theirs, candidate)]
    return BY_WORDS if _merges_to(*forms_by_word, merger=merger) else None


def _merges_to(base: bytes, ours: bytes, theirs: bytes, candidate: bytes, *, merger: ContentMerger) -> bool:
    if base in (ours, theirs):
        # Equal in form means that one side changed only layout or comments, which this form cannot judge.
        return False
    merged = merger.merge(base, ours, theirs)
    return merged.clean and merged.choose(lambda region: region.ours) == candidate
