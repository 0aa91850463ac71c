# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Turning edits of the patched tree into the next numbered patch, in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.paths import display, reject_reason
from vendorctl.proc import Runner, run
from vendorctl.series.apply import apply_patch
from vendorctl.series.dressing import undress_tree
from vendorctl.series.patch import Patch, Trailers
from vendorctl.series.stack import Applied, Series
from vendorctl.series.store import next_number
from vendorctl.series.write import write_patch
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.vendor.rewriting import NO_REWRITES


@dataclass(frozen=True, slots=True)
class Edits:
    """What differs between P and the patched tree on disk, both without change notices. `blobs` reads both."""

    before: Tree
    after: Tree
    blobs: Blobs

    @property
    def changes(self) -> Mapping[bytes, tuple[Entry | None, Entry | None]]:
        """Per edited path: its entry in P and on disk (None where absent), in path order."""
        return self.before.difference(self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What the recorder says about a modification. `author` is ``Name <mail>``, `date` as RFC 5322 writes it."""

    title: str
    reason: str
    author: str
    date: str
    body: str = ""
    forwarded: str = "no"
    origin: str = "vendor"
    sign_off: bool = False

    def trailers(self) -> Trailers:
        """The facts for the last paragraph of the message."""
        return Trailers(
            origin=self.origin,
            forwarded=self.forwarded,
            reason=" ".join(self.reason.split()),
            signed_off_by=(self.author,) if self.sign_off else (),
        )


def is_bytecode(path: bytes) -> bool:
    """True for what Python writes beside the sources that it imports: derived, and never a modification."""
    return path.endswith(b".pyc") and b"__pycache__" in path.split(b"/")


def without_bytecode(tree: Tree) -> Tree:
    """The tree without what Python wrote into it, which is neither ours nor an edit."""
    derived: dict[bytes, Entry | None] = {path: None for path in tree if is_bytecode(path)}
    return tree.replace(derived) if derived else tree


def unrecorded(patched: Tree, disk: Tree, blobs: Blobs, imports: Mapping[str, str] = NO_REWRITES) -> Edits:
    """All edits of the patched tree: `disk` (which may carry change notices) against P.

    `blobs` reads the contents of both; `imports` are the prefixes that are rewritten on disk, old to new. Python's byte
    code does not count, and submodules, which are not on disk, count as unchanged.
    """
    plain, made = undress_tree(disk, patched, blobs, imports)
    changes: dict[bytes, Entry | None] = {
        path: entry for path, entry in patched.items() if entry.mode is Mode.GITLINK and path not in plain
    }
    changes |= {path: None for path in plain if is_bytecode(path) and path not in patched}
    return Edits(patched, plain.replace(changes) if changes else plain, ChainedBlobs(made, blobs))


def plan_record(
    patched: Tree, disk: Tree, blobs: Blobs, paths: Sequence[bytes] = (), imports: Mapping[str, str] = NO_REWRITES
) -> Edits:
    """The edits to record: all of `unrecorded`, or those at and below `paths`.

    Raises VendorError (exit code 2) when there is nothing to record, there or at one of the paths, and for an edited
    path that no patch may carry.
    """
    found = unrecorded(patched, disk, blobs, imports)
    chosen = dict(found.changes)
    if paths:
        for path in paths:
            if not any(_is_at(path, edited) for edited in chosen):
                raise VendorError(
                    f"nothing to record at {display(path)}", hint=_edited_hint(chosen), code=ExitCode.USAGE
                )
        chosen = {edited: pair for edited, pair in chosen.items() if any(_is_at(path, edited) for path in paths)}
    if not chosen:
        hint = "edit the patched tree first (`vendorctl status` says where it is)"
        raise VendorError("nothing to record: the patched tree is as recorded", hint=hint, code=ExitCode.USAGE)
    for path in chosen:
        reason = reject_reason(path)
        if reason:
            raise VendorError(f"{display(path)} cannot be recorded: {reason}", hint="rename or remove it")
    return Edits(patched, patched.replace({path: pair[1] for path, pair in chosen.items()}), found.blobs)


def _is_at(path: bytes, edited: bytes) -> bool:
    return edited == path or edited.startswith(path.rstrip(b"/") + b"/") or path in {b"", b"."}


def _edited_hint(changes: Mapping[bytes, object]) -> str:
    shown = ", ".join(display(path) for path in list(changes)[:5])
    return f"edited: {shown}" if shown else "nothing in the patched tree is edited"


def record(edits: Edits, applied: Applied, statement: Statement, *, runner: Runner = run) -> tuple[Patch, Applied]:
    """The edits as the next patch of the series, and the chain with it.

    The patch is read back and applied: what is returned gives exactly the edited tree. Raises VendorError for a
    statement that `write.format_patch` refuses.
    """
    series = applied.series
    if not statement.reason.strip():
        raise VendorError("a patch needs a reason", hint="--reason 'why this is local'", code=ExitCode.USAGE)
    patch = write_patch(
        edits.before,
        edits.after,
        edits.blobs,
        number=next_number(series),
        title=statement.title,
        body=statement.body,
        author=statement.author,
        date=statement.date,
        trailers=statement.trailers(),
        runner=runner,
    )
    tree, made = apply_patch(patch, edits.before, edits.blobs, folder=series.folder)
    if tree != edits.after:
        message = f"{patch.file_name} does not give the edited tree back"
        raise VendorError(message, hint="please report this", code=ExitCode.INTERNAL)
    longer = Series(series.upstream, (*series.patches, patch))
    return patch, Applied(longer, (*applied.trees, tree), {**applied.blobs, **made})
