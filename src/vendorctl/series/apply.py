# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Applying a patch to a tree, exactly: no fuzz, no offset, no process, and a check of what came out.

A hunk must stand at its stated lines; ids and modes that the patch states must be those of the tree, before and after.
"""

from __future__ import annotations

from typing import NoReturn

from vendorctl.errors import Location
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.paths import display
from vendorctl.series.binary import unfold
from vendorctl.series.lines import split_lines
from vendorctl.series.misfit import ApplyError, Misfit, explain_misfit, first_index, new_side, old_side
from vendorctl.series.patch import Change, ChangeKind, Patch

_GITLINK_TEXT = b"Subproject commit "
_MAKING = {ChangeKind.ADD, ChangeKind.RENAME, ChangeKind.COPY}
_REMOVING = {ChangeKind.DELETE, ChangeKind.RENAME}


def apply_patch(patch: Patch, tree: Tree, blobs: Blobs, *, folder: str = "") -> tuple[Tree, dict[Oid, bytes]]:
    """The tree after `patch`, and the contents that it made.

    Errors show the patch below `folder`, as in ``patches/flydsl``. Raises ApplyError, which says whether the patch is
    already applied, drifted or broken; KeyError when `blobs` lacks a content that the patch changes.
    """
    return _Application(patch, tree, blobs, folder).run()


class _Application:
    """One patch on its way onto one tree. Every change reads the tree as it was before the patch."""

    def __init__(self, patch: Patch, tree: Tree, blobs: Blobs, folder: str) -> None:
        self.patch = patch
        self.tree = tree
        self.blobs = blobs
        self.place = f"{folder}/{patch.file_name}" if folder else patch.file_name
        self.made: dict[Oid, bytes] = {}
        self.removed = {change.old_path for change in patch.changes if change.kind in _REMOVING}

    def run(self) -> tuple[Tree, dict[Oid, bytes]]:
        wanted: dict[bytes, Entry | None] = {path: None for path in self.removed if path is not None}
        for change in self.patch.changes:
            entry = self._changed_entry(change)
            if entry is not None:
                wanted[change.path] = entry
        try:
            result = self.tree.replace(wanted)
        except ValueError:
            self._refuse(self.patch.changes[0], Misfit.DRIFTED, "a file stands where the patch needs a folder")
        self._check_result(result, wanted)
        return result, self.made

    def _refuse(self, change: Change, misfit: Misfit, message: str, line: int | None = None) -> NoReturn:
        location = Location(self.place, line or change.patch_line)
        raise ApplyError(message, misfit=misfit, path=change.path, location=location)

    def _changed_entry(self, change: Change) -> Entry | None:
        """What the change puts at its path; None when it only removes it."""
        old = self._old_entry(change)
        self._check_old_mode(change, old)
        content = self._new_content(change, old)
        if change.kind is ChangeKind.DELETE:
            if content:
                self._refuse(change, Misfit.BROKEN, "the patch deletes the file but not all of its lines")
            return None
        mode = change.new_mode or (old.mode if old else Mode.FILE)
        kept = old if content is None else None
        oid = kept.oid if kept else self._store(change, mode, content or b"")
        if change.new_oid is not None and oid != change.new_oid:
            self._refuse(
                change, Misfit.BROKEN, f"the result is {oid.short}, but the patch states {change.new_oid.short}"
            )
        return Entry(mode, oid)

    def _old_entry(self, change: Change) -> Entry | None:
        """The entry that the change starts from, which must be there, while the path that it makes must be free."""
        source = self.tree.get(change.old_path) if change.old_path is not None else None
        target = self.tree.get(change.path)
        if change.kind in _MAKING and target is not None and change.path not in self.removed:
            done = self._is_made(change, target) and (source is None or change.kind is not ChangeKind.RENAME)
            misfit = Misfit.ALREADY_APPLIED if done else Misfit.DRIFTED
            self._refuse(change, misfit, f"the patch makes this file, but it exists{'' if done else ' and differs'}")
        if change.old_path is not None and source is None:
            misfit = Misfit.ALREADY_APPLIED if change.kind is ChangeKind.DELETE else Misfit.DRIFTED
            self._refuse(change, misfit, f"{display(change.old_path)} does not exist")
        return source

    def _is_made(self, change: Change, target: Entry) -> bool:
        """True when `target` is what the change would make."""
        if change.new_mode not in {None, target.mode}:
            return False
        if change.new_oid is None and change.kind is ChangeKind.ADD:
            return self._content(target) == b"".join(text for hunk in change.hunks for text in new_side(hunk))
        return change.new_oid in {None, target.oid}

    def _check_old_mode(self, change: Change, old: Entry | None) -> None:
        if old is None or change.old_mode is None or old.mode is change.old_mode:
            return
        done = (
            change.kind is ChangeKind.MODIFY and old.mode is change.new_mode and not change.hunks and not change.binary
        )
        misfit = Misfit.ALREADY_APPLIED if done else Misfit.DRIFTED
        self._refuse(change, misfit, f"the mode is {old.mode}, but the patch was made for {change.old_mode}")

    def _new_content(self, change: Change, old: Entry | None) -> bytes | None:
        """The new content; None when the content stays as it is."""
        as_stated = old is None or change.old_oid in {None, old.oid}
        if old is not None and old.oid == change.new_oid and not as_stated:
            self._refuse(change, Misfit.ALREADY_APPLIED, "the content is what the patch would make")
        if not change.hunks and change.binary is None:
            if not as_stated:
                self._refuse(change, Misfit.DRIFTED, "the content is not what the patch was made for")
            unchanged = change.kind is not ChangeKind.DELETE
            return None if unchanged or old is None else self._content(old)
        base = self._content(old) if old is not None else b""
        if change.binary is not None:
            return self._unfold(change, base, as_stated)
        content = self._apply_hunks(change, base, certain=old is not None and change.old_oid == old.oid)
        if not as_stated:
            text = "every hunk still fits, but the file differs elsewhere from what the patch was made for"
            self._refuse(change, Misfit.DRIFTED, text)
        return content

    def _unfold(self, change: Change, base: bytes, as_stated: bool) -> bytes:
        if not as_stated:
            self._refuse(change, Misfit.DRIFTED, "the binary content is not what the patch was made for")
        assert change.binary is not None
        try:
            return unfold(change.binary[0], base)
        except ValueError as error:
            self._refuse(change, Misfit.BROKEN, str(error))

    def _content(self, entry: Entry) -> bytes:
        """The text that git's diff shows for an entry; for a submodule, the line that names its commit."""
        if entry.mode is Mode.GITLINK:
            return _GITLINK_TEXT + str(entry.oid).encode() + b"\n"
        return self.blobs[entry.oid]

    def _store(self, change: Change, mode: Mode, content: bytes) -> Oid:
        if mode is not Mode.GITLINK:
            oid = hash_blob(content)
            self.made[oid] = content
            return oid
        try:
            oid = Oid.parse(content.removeprefix(_GITLINK_TEXT).removesuffix(b"\n").decode("ascii", "replace"))
        except ValueError:
            self._refuse(change, Misfit.BROKEN, "a submodule names no commit")
        return oid

    def _apply_hunks(self, change: Change, base: bytes, *, certain: bool) -> bytes:
        """`base` with all hunks made. `certain`: its id is the stated one, so a hunk that does not fit is broken."""
        lines = split_lines(base)
        result: list[bytes] = []
        position = 0
        for hunk in change.hunks:
            start = first_index(hunk.old_start, hunk.old_count)
            wanted = old_side(hunk)
            end = start + len(wanted)
            if lines[start:end] != wanted or end > len(lines):
                misfit, text, failing = explain_misfit(lines, change.hunks)
                self._refuse(change, Misfit.BROKEN if certain else misfit, text, failing.patch_line)
            result += lines[position:start]
            result += new_side(hunk)
            position = end
        result += lines[position:]
        if any(not line.endswith(b"\n") for line in result[:-1]):
            self._refuse(change, Misfit.BROKEN, "a line that the patch leaves without a newline is not the last one")
        return b"".join(result)

    def _check_result(self, result: Tree, wanted: dict[bytes, Entry | None]) -> None:
        """The post-condition: every declared path changed as declared, and nothing else did."""
        changed = {path: entries[1] for path, entries in self.tree.difference(result).items()}
        for change in self.patch.changes:
            touched = {change.path} | ({change.old_path} if change.kind is ChangeKind.RENAME else set())
            if not touched <= changed.keys():
                self._refuse(change, Misfit.ALREADY_APPLIED, "the patch changes nothing here")
        if changed != wanted:
            self._refuse(self.patch.changes[0], Misfit.BROKEN, "the result is not what the patch declares")
