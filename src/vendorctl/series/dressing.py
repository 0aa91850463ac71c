# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Change notices in patched files: put in for readers of the output, taken out before anything is compared or recorded.

A notice is a block of whole comment lines. Its first line says `BEGIN`, its last one `END`, every line carries the
file's comment prefix, and all of it is ASCII, so that it is right in a file of any encoding:

    # vendorctl: this file was modified
    # flydsl 421935cc6f09fd9b27d5d5ae52e0960e18834bd5 kernels/norm/a.py
    # 1. Take epsilon as a run-time argument
    # vendorctl: end of modification notice

Files that cannot hold comments get a sidecar of the same name with `SIDECAR_SUFFIX`. Taking out is the exact inverse of
putting in; P, the tree that the lock names, never contains a notice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.paths import display
from vendorctl.series.comments import CommentStyle, comment_offset, comment_style, line_ending
from vendorctl.vendor.rewriting import NO_REWRITES, restore_imports, rewrite_imports

BEGIN = "vendorctl: this file was modified"
END = "vendorctl: end of modification notice"
SIDECAR_SUFFIX = b".vendorctl-notice"


@dataclass(frozen=True, slots=True)
class Insertion:
    """Bytes to put into a file at an offset of its undressed content."""

    offset: int
    text: bytes


@dataclass(frozen=True, slots=True)
class Dressing:
    """What a patched tree wears on disk: notices, and imports under other names.

    Insertions are by path, sidecar files by their own path; `imports` maps import prefixes, old to new.
    """

    insertions: Mapping[bytes, Insertion] = field(default_factory=dict)
    sidecars: Mapping[bytes, bytes] = field(default_factory=dict)
    imports: Mapping[str, str] = field(default_factory=dict)


def notice_block(path: bytes, content: bytes, lines: Sequence[str]) -> Insertion | None:
    """A notice that says `lines` (one comment line each), and where it goes in `content`.

    None when the file cannot hold one: binary, of a kind without comments, or of an unknown kind. Characters outside
    ASCII are written as backslash escapes; what would end the comment early is broken up.
    """
    style, offset = comment_style(path, content), comment_offset(content)
    if style is None or offset is None:
        return None
    ending = line_ending(content)
    texts = [BEGIN.encode(), *(_harmless(line, style) for line in lines), END.encode()]
    rows = [(style.prefix + text + style.suffix).rstrip() + ending for text in texts]
    return Insertion(offset, b"".join(rows))


def _harmless(line: str, style: CommentStyle) -> bytes:
    """One line of ASCII that neither ends the comment nor looks like a marker."""
    text = " ".join(line.split()).encode("ascii", "backslashreplace")
    for marker in (BEGIN, END):
        text = text.replace(marker.encode(), b"vendorctl")
    if style.suffix.strip() == b"-->":
        return text.replace(b"--", b"- -")
    return text.replace(b"*/", b"* /") if style.suffix else text


def notice_sidecar(lines: Sequence[str]) -> bytes:
    """The content of a sidecar that says `lines`."""
    return "".join(f"{line}\n" for line in (BEGIN, *lines, END)).encode("ascii", "backslashreplace")


def sidecar_path(path: bytes) -> bytes:
    """Where the notice of a file that cannot hold one stands."""
    return path + SIDECAR_SUFFIX


def dress(tree: Tree, blobs: Blobs, dressing: Dressing) -> tuple[Tree, dict[Oid, bytes]]:
    """The tree with its imports rewritten and its notices put in, and the contents that this made.

    Raises VendorError when a notice is not one that `undress` takes out again, an import cannot be rewritten, or a
    sidecar's path is taken; KeyError when `blobs` lacks a content.
    """
    made: dict[Oid, bytes] = {}
    changes: dict[bytes, Entry | None] = {}
    for path, entry in tree.items() if dressing.imports else ():
        if path.endswith(b".py") and entry.mode.is_regular:
            plain = blobs[entry.oid]
            rewritten = rewrite_imports(path, plain, dressing.imports)
            if rewritten != plain:
                changes[path] = _put(made, entry.mode, rewritten)
    for path, insertion in dressing.insertions.items():
        entry = changes.get(path) or tree[path]
        content = made[entry.oid] if path in changes else blobs[entry.oid]
        dressed = content[: insertion.offset] + insertion.text + content[insertion.offset :]
        if not entry.mode.is_regular or undress(path, dressed) != content:
            raise VendorError(f"{display(path)} cannot carry this change notice", code=ExitCode.INTERNAL)
        changes[path] = _put(made, entry.mode, dressed)
    for path, content in dressing.sidecars.items():
        if path in tree:
            raise VendorError(f"{display(path)} is upstream's, but a change notice belongs there")
        changes[path] = _put(made, Mode.FILE, content)
    return (tree.replace(changes) if changes else tree), made


def _put(made: dict[Oid, bytes], mode: Mode, content: bytes) -> Entry:
    oid = hash_blob(content)
    made[oid] = content
    return Entry(mode, oid)


def undress(path: bytes, content: bytes) -> bytes:
    """The content without its notice: the first complete block of whole comment lines from `BEGIN` to `END`.

    A file without one, or with one that is damaged (which then shows as an edit), comes back as it is.
    """
    if BEGIN.encode() not in content:
        return content
    style = comment_style(path, content)
    if style is None:
        return content
    block = _block_pattern(style).search(content)
    return content if block is None else content[: block.start(1)] + content[block.end(1) :]


def _block_pattern(style: CommentStyle) -> re.Pattern[bytes]:
    prefix, suffix = re.escape(style.prefix), re.escape(style.suffix)
    first = prefix + re.escape(BEGIN.encode()) + suffix + rb"\r?\n"
    # Lines of the block are told by their prefix without its blank: an empty comment line has none.
    # None of them begins a notice, so that a stray first line above a real notice is not taken for its start.
    between = rb"(?:(?!" + first + rb")" + re.escape(style.prefix.rstrip()) + rb"[^\n]*\n)*?"
    last = prefix + re.escape(END.encode()) + suffix + rb"\r?\n"
    return re.compile(rb"(?:\A|\A\xef\xbb\xbf|(?<=\n))(" + first + between + last + rb")")


def undress_tree(
    disk: Tree, patched: Tree, blobs: Blobs, imports: Mapping[str, str] = NO_REWRITES
) -> tuple[Tree, dict[Oid, bytes]]:
    """The tree on disk without notices and with upstream's imports, and the contents that this made.

    `blobs` reads the contents of `disk`, `imports` maps import prefixes, old to new.

    Files that equal P's are not looked into: a notice that upstream itself wrote stays. Nor are P's own files taken
    for sidecars.
    """
    made: dict[Oid, bytes] = {}
    changes: dict[bytes, Entry | None] = {}
    for path, (entry, _ours) in disk.difference(patched).items():
        if entry is None:
            continue
        if path.endswith(SIDECAR_SUFFIX) and path not in patched:
            changes[path] = None
        elif entry.mode.is_regular:
            content = blobs[entry.oid]
            plain = restore_imports(path, undress(path, content), imports)
            if plain != content:
                changes[path] = _put(made, entry.mode, plain)
    return (disk.replace(changes) if changes else disk), made
