# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A conflict put before people: how its files are laid out to be edited, and how what became of them is taken back.

    SUMMARY.txt     what happened and what to do, in one paragraph
    files/          each file in conflict, to be edited: no markers may remain; deleting it deletes the path
    base/ ours/ theirs/   the three sides as they are (before the patch, where it goes to, with the patch)
    state.json      what going on and giving up need (`vendorctl.series.stopped`)

Nothing else in the workspace changes. Going on means planning the same command again with the decisions that were made:
a plan is a pure function of its inputs, so no half-done state exists that a reboot could lose. Bumps
(`vendorctl.series.pending`), reworks (`vendorctl.series.waiting`) and submissions (`vendorctl.submit.standoff`) stop in
this way.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.oid import hash_blob
from vendorctl.git.tree import Entry, Mode
from vendorctl.paths import display
from vendorctl.series.bump import Stuck
from vendorctl.series.content import has_markers
from vendorctl.series.history import UpstreamCommit
from vendorctl.series.merge import Conflict, ConflictKind
from vendorctl.series.resolutions import Resolution, make_resolution, stage_bound, stage_forget, stage_resolution
from vendorctl.series.stopped import S, StateFile, decided_so_far, open_conflicts
from vendorctl.workspace.transaction import Transaction

_SIDES = ("base", "ours", "theirs")


def stage_stop(tx: Transaction, states: StateFile[S], stopped: S, stuck: Stuck, blobs: Blobs, summary: str) -> None:
    """Write the folder of a conflict, in place of what an earlier stop left there."""
    folder = states.folder(stopped.upstream)
    stage_removal(tx, tx.root, folder)
    _stage_sides(tx, folder, stuck.conflicts, blobs)
    tx.write(f"{folder}/SUMMARY.txt", f"{summary}\n".encode())
    states.stage(tx, stopped)


def _stage_sides(tx: Transaction, folder: str, conflicts: Sequence[Conflict], blobs: Blobs) -> None:
    """Write the files in conflict below ``folder/files``, and beside them what each side has."""
    for conflict in conflicts:
        content, mode = shown_file(conflict, blobs)
        tx.write(_inside(f"{folder}/files/", conflict.path), content, mode)
        for name, side in zip(_SIDES, (conflict.base, conflict.ours, conflict.theirs), strict=True):
            if side is not None and side.entry.mode.is_blob:
                # A link is shown as a file that holds its target, so that nothing here leads elsewhere.
                mode = side.entry.mode if side.entry.mode.is_regular else Mode.FILE
                tx.write(_inside(f"{folder}/{name}/", side.path), blobs[side.entry.oid], mode)


def stage_end(tx: Transaction, states: StateFile[S], name: str) -> None:
    """Remove the folder of an upstream's conflict."""
    stage_removal(tx, tx.root, states.folder(name))


def stage_removal(tx: Transaction, root: Path, folder: str) -> None:
    """Remove a folder, named from the workspace root, with everything in it."""
    if (root / folder).is_dir():
        for file in (root / folder).rglob("*"):
            if file.is_symlink() or not file.is_dir():
                tx.delete(os.fsencode(file.relative_to(root)))
        tx.remove_empty_folders(folder)


def stage_abort(tx: Transaction, states: StateFile[S], stopped: S) -> None:
    """Give a command up: remove its folder and forget what was decided during it."""
    for key in stopped.decided:
        stage_forget(tx, key)
    stage_end(tx, states, stopped.upstream)


def read_decisions(root: Path, states: StateFile[S], stopped: S, stuck: Stuck) -> dict[str, Resolution]:
    """What people made of the files in conflict, by conflict key.

    `stuck` is the same conflict, planned again. Raises VendorError (exit code 5) naming every file in which markers
    remain, and when the conflict is not the one that was shown.
    """
    name = stopped.upstream
    if open_conflicts(stuck) != dict(stopped.conflicts):
        told = f"the conflict of {name!r} is not the one that was shown: {states.inputs} changed"
        raise states.outdated(name, told)
    found, open_files = _read_files(root / states.folder(name) / "files", stuck.conflicts)
    if open_files:
        raise VendorError(
            f"conflict markers remain in {', '.join(open_files)}",
            hint=f"edit {states.folder(name)}/files, then run `{states.command} {name} --continue`",
            code=ExitCode.CONFLICT,
        )
    return found


def _read_files(folder: Path, conflicts: Sequence[Conflict]) -> tuple[dict[str, Resolution], list[str]]:
    """What people made of the files below `folder`, by conflict key, and the files in which markers remain."""
    open_files = []
    found = {}
    for conflict in conflicts:
        content, mode = _read_back(folder, conflict.path)
        if content is not None and _is_open(conflict, content):
            open_files.append(display(conflict.path))
            continue
        entry = None if content is None or mode is None else _decided_entry(conflict, content, mode)
        resolution = make_resolution(conflict, entry, content or b"")
        found[resolution.key] = resolution
    return found, open_files


def stage_decisions(tx: Transaction, decisions: Mapping[str, Resolution]) -> None:
    """Record decisions, for this bump and for the next time the same conflict appears; old ones may have to go."""
    for resolution in decisions.values():
        stage_resolution(tx, resolution)
    if decisions:
        stage_bound(tx, decisions, keep=decided_so_far(tx.root))


def shown_file(conflict: Conflict, blobs: Blobs) -> tuple[bytes, Mode]:
    """What is put before a person for one path: the file with markers, or a marked note where lines do not help."""
    sides = [side for side in (conflict.theirs, conflict.ours) if side is not None]
    mode = next((side.entry.mode for side in sides if side.entry.mode.is_regular), Mode.FILE)
    if conflict.content is not None:
        return conflict.content.marked(), mode
    note = f"<<<<<<< {_NOTES[conflict.kind]}\n".encode()
    shown_whole = conflict.kind in (ConflictKind.DELETED_UPSTREAM, ConflictKind.FOLDER_MOVED)
    if shown_whole and mode.is_regular and conflict.theirs is not None:
        text = blobs[conflict.theirs.entry.oid]
        if b"\0" not in text and conflict.theirs.entry.mode.is_regular:
            return note + b">>>>>>>\n" + text, mode
    return note + b">>>>>>>\n", mode


_NOTES = {
    ConflictKind.CONTENT: "edit this file",
    ConflictKind.ADDED_TWICE: "edit this file",
    ConflictKind.ADDED_BY_BOTH: "both sides add this: put the wanted content here (see ours/ and theirs/)",
    ConflictKind.DELETED_UPSTREAM: "upstream removed this file: delete it, or delete these two lines to keep it",
    ConflictKind.DELETED_BY_PATCH: "the patch removes this file, upstream changed it: delete it, or copy it from ours/",
    ConflictKind.BINARY: "binary or link: copy the wanted version here from ours/ or theirs/, or delete this file",
    ConflictKind.TYPE: "one side made this another kind of file: put the wanted version here, or delete this file",
    ConflictKind.MOVED_BY_BOTH: "both sides moved this file: put the wanted content here, or delete this file",
    ConflictKind.OCCUPIED: "something else has this name now: put the wanted content here, or delete this file",
    ConflictKind.FOLDER_MOVED: "the patch's folder moved here: delete these two lines to follow, or delete this file",
}

_CAUSES = {
    ConflictKind.CONTENT: "upstream changed the same lines",
    ConflictKind.ADDED_TWICE: "upstream already has these lines, at another place",
    ConflictKind.ADDED_BY_BOTH: "upstream added a file of this name",
    ConflictKind.DELETED_UPSTREAM: "upstream removed the file",
    ConflictKind.DELETED_BY_PATCH: "the patch removes the file, and upstream changed it",
    ConflictKind.BINARY: "both sides changed content that has no lines",
    ConflictKind.TYPE: "one side made it another kind of file",
    ConflictKind.MOVED_BY_BOTH: "both sides moved the file",
    ConflictKind.OCCUPIED: "something else has this name now",
    ConflictKind.FOLDER_MOVED: "upstream moved the folder that the patch adds it to",
}


def explain_conflict(conflict: Conflict) -> str:
    """One conflict in a few words: path, cause, and where the file went if that is known."""
    side = conflict.theirs if conflict.kind is ConflictKind.FOLDER_MOVED else None
    path, there = display(side.path if side is not None else conflict.path), conflict.suggestion
    if there is not None and conflict.kind is ConflictKind.DELETED_UPSTREAM:
        went = f"upstream moved the file to {display(there)}, which is not vendored: --follow-moves includes it"
        return f"{path} ({went})"
    return f"{path} ({_CAUSES[conflict.kind]}{f', to {display(there)}' if there is not None else ''})"


def describe_commit(commit: UpstreamCommit) -> str:
    """``<short id> <date> <author>: <subject>``, safe to show."""
    text = f"{commit.oid.short} {commit.date[:10]} {commit.author}: {commit.subject}"
    return display(text.encode("utf-8", "surrogateescape"))


def _inside(folder: str, path: bytes) -> bytes:
    return folder.encode() + path


def _read_back(folder: Path, path: bytes) -> tuple[bytes | None, Mode | None]:
    file = folder / os.fsdecode(path)
    try:
        if file.is_symlink():
            return os.fsencode(file.readlink()), Mode.SYMLINK
        executable = file.stat().st_mode & 0o100
        return file.read_bytes(), Mode.EXECUTABLE if executable else Mode.FILE
    except (FileNotFoundError, NotADirectoryError):
        return None, None


def _decided_entry(conflict: Conflict, content: bytes, mode: Mode) -> Entry:
    """The entry for what a person left; a link, which is shown as a plain file, becomes one again when chosen."""
    oid = hash_blob(content)
    for side in (conflict.theirs, conflict.ours):
        if side is not None and side.entry.oid == oid and side.entry.mode is Mode.SYMLINK:
            return side.entry
    return Entry(mode, oid)


def _is_open(conflict: Conflict, content: bytes) -> bool:
    size = conflict.content.marker_size if conflict.content is not None else 7
    return has_markers(content, size)
