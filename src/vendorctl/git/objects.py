# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reading objects of a repository: many blobs with few processes and bounded memory, whole trees, commits.

Nothing here ever starts a download: an object that a partial clone lacks is reported as absent. Everything read is
hashed again, so that damage shows where it is read instead of where it is used.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid, hash_object
from vendorctl.git.program import Git, GitError
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.proc import OutputLimitError

#: How many bytes of content one process hands over at most (a single larger object still comes whole).
BATCH_BYTES = 32 * 1024 * 1024

#: Bytes of the listing of one tree: some million files. A few folders that hold each other ten times over, a kilobyte
#: in all, can stand for more files than any disk has.
MAX_LISTING = 128 << 20


#: A row of git-ls-tree before its path: mode, type and id.
_LISTED = re.compile(rb"([0-7]{6}) (?:blob|commit) ([0-9a-f]{40})")

#: How git-cat-file announces an object that it has: id, type and size.
_FOUND = re.compile(rb"([0-9a-f]{40}) ([a-z]+) ([0-9]{1,18})")


#: Seconds since 1970 of the first and the last moment that a calendar has: years 1 to 9999.
_CALENDAR = range(-62_135_596_800, 253_402_300_800)
_SECONDS = re.compile(rb"-?[0-9]{1,12}")


#: Levels of the deepest path of a tree, however little of it is taken: trees are walked level by level.
_MAX_LEVELS = 100


class Blobs(Protocol):
    """A way to read blob contents: from the cache, from disk, or from memory."""

    def __getitem__(self, oid: Oid) -> bytes:
        """The content with this id. Raises KeyError when it is not to be had."""


class DamagedObjectError(VendorError):
    """An object's content does not hash to its id, or is not of the type that was asked for."""


@dataclass(frozen=True, slots=True)
class ObjectInfo:
    """What a repository knows of an object without reading it: its type (``blob``, ``tree``, ...) and size in bytes."""

    kind: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """A commit object. Times are seconds since 1970, in years 1 to 9999; names and message are git's own bytes."""

    oid: Oid
    tree: Oid
    parents: tuple[Oid, ...]
    author: bytes
    author_time: int
    committer_time: int
    message: bytes

    @property
    def subject(self) -> str:
        """The first line of the message, for people."""
        return self.message.lstrip(b"\n").split(b"\n", 1)[0].decode("utf-8", "replace")


def object_info(git: Git, oids: Iterable[Oid]) -> dict[Oid, ObjectInfo]:
    """Type and size of the objects that the repository has; those that it lacks are absent from the result."""
    wanted = sorted(set(oids))
    found: dict[Oid, ObjectInfo] = {}
    if not wanted:
        return found
    for line in _cat_file(git, "--batch-check", wanted).splitlines():
        match = _FOUND.fullmatch(line)
        if match:
            found[Oid.parse(match[1].decode())] = ObjectInfo(match[2].decode(), int(match[3]))
    return found


def read_objects(git: Git, kind: str, oids: Iterable[Oid]) -> Iterator[tuple[Oid, bytes]]:
    """Contents of the objects of type `kind` that the repository has, in the order asked for, a batch at a time.

    Raises DamagedObjectError (exit code 70) when a content does not hash to its id or the type is another one.
    """
    wanted = list(dict.fromkeys(oids))
    info = object_info(git, wanted)
    for batch in batches([oid for oid in wanted if oid in info], {oid: entry.size for oid, entry in info.items()}):
        yield from _read_batch(git, kind, batch)


def read_blobs(git: Git, oids: Iterable[Oid]) -> dict[Oid, bytes]:
    """Contents of blobs, checked against their ids.

    Objects that the repository lacks are absent from the result. Raises DamagedObjectError (exit code 70) when a
    content does not hash to its id: the repository is damaged.
    """
    return dict(read_objects(git, "blob", oids))


def read_commit(git: Git, oid: Oid) -> Commit | None:
    """The commit with this id, or None when the repository lacks it.

    Raises DamagedObjectError when it is not what its id says, or is no commit.
    """
    for _, content in read_objects(git, "commit", [oid]):
        return _parse_commit(oid, content)
    return None


def read_tree(git: Git, oid: Oid) -> Tree:
    """The whole tree with this id, folders flattened, checked against the id.

    Old modes that git still accepts (100664) are read as git itself reads them, and folders without files vanish, so
    the result's own id can then differ from `oid`. Raises DamagedObjectError when folders are missing or damaged, and
    VendorError (exit code 3) for a path that no tree may have.
    """
    try:
        done = git.exact("ls-tree", "-r", "-z", "--full-tree", str(oid), check=False, limit=MAX_LISTING)
    except OutputLimitError as error:
        hint = "folders that hold each other may stand for any number of files; tell upstream, or pin another commit"
        raise VendorError(f"tree {oid} is not usable: it has more than a million files", hint=hint) from error
    if not done.ok:
        raise DamagedObjectError(f"cannot read tree {oid}: {done.error_text()}", code=ExitCode.INTERNAL)
    try:
        tree = tree_of(_shallow(listed_entries(done.stdout)))
    except ValueError as error:
        raise unusable(f"tree {oid}", error) from error
    if tree.oid != oid:
        _verify_folders(git, oid)
    return tree


def batches(oids: Sequence[Oid], sizes: dict[Oid, int], limit: int = BATCH_BYTES) -> Iterator[list[Oid]]:
    """Cut `oids` into runs whose sizes (in bytes) add up to at most `limit`; a larger object is a run of its own."""
    batch: list[Oid] = []
    total = 0
    for oid in oids:
        size = sizes[oid]
        if batch and total + size > limit:
            yield batch
            batch, total = [], 0
        batch.append(oid)
        total += size
    if batch:
        yield batch


def _cat_file(git: Git, mode: str, oids: Iterable[Oid]) -> bytes:
    """Run git-cat-file over ids, in a way that treats promised but absent objects as absent."""
    request = b"".join(b"%s\n" % str(oid).encode() for oid in oids)
    done = git.exact("cat-file", mode, stdin=request, check=False)
    if done.ok:
        return done.stdout
    if git.git_dir is None or git.objects is not None:
        raise GitError(f"git cat-file failed: {done.error_text()}", code=ExitCode.INTERNAL)
    # In a partial clone git tries to download what is absent, may not (no transport is allowed), and gives up on the
    # whole batch. A folder that borrows the same objects, but knows of no promises, gets plain answers.
    with tempfile.TemporaryDirectory(prefix="vendorctl-view-") as folder:
        view = Path(folder)
        (view / "refs").mkdir()
        (view / "objects").mkdir()
        (view / "HEAD").write_text("ref: refs/heads/none\n")
        return replace(git, git_dir=view, objects=git.git_dir / "objects").exact("cat-file", mode, stdin=request).stdout


def _read_batch(git: Git, kind: str, batch: list[Oid]) -> Iterator[tuple[Oid, bytes]]:
    output = _cat_file(git, "--batch", batch)
    position = 0
    for oid in batch:
        end = output.find(b"\n", position)
        header = _FOUND.fullmatch(output[position:end]) if end >= 0 else None
        if header is None:
            raise DamagedObjectError(f"object {oid} in {git.git_dir} cannot be read", code=ExitCode.INTERNAL)
        position = end + 1
        content = output[position : position + int(header[3])]
        position += int(header[3]) + 1
        if header[2] != kind.encode() or hash_object(header[2], content) != oid:
            raise DamagedObjectError(
                f"object {oid} in {git.git_dir} is damaged or not a {kind}", code=ExitCode.INTERNAL
            )
        yield oid, content


def listed_entries(output: bytes) -> Iterator[tuple[bytes, Entry]]:
    """Paths and entries of ``ls-tree -r -z``. Raises ValueError for what git cannot list."""
    rows = output.split(b"\0")
    if rows.pop():
        raise ValueError("its listing is cut short")
    for row in rows:
        head, _, path = row.partition(b"\t")
        found = _LISTED.fullmatch(head)
        if found is None:
            raise ValueError(f"its listing has the row {row[:80]!r}")
        yield path, Entry(canonical_mode(int(found[1], 8)), Oid(bytes.fromhex(found[2].decode())))


def _shallow(entries: Iterable[tuple[bytes, Entry]]) -> Iterator[tuple[bytes, Entry]]:
    """The same entries. Raises ValueError for a path with more levels than a walk can follow."""
    for path, entry in entries:
        if path.count(b"/") >= _MAX_LEVELS:
            raise ValueError(f"it has a path of {path.count(b'/') + 1} levels; the limit is {_MAX_LEVELS}")
        yield path, entry


def tree_of(entries: Iterable[tuple[bytes, Entry]]) -> Tree:
    """The tree of some entries.

    Raises ValueError for two of one name, of which any reader would drop one, and for whatever `Tree` refuses.
    """
    listed = list(entries)
    found = dict(listed)
    if len(found) != len(listed):
        raise ValueError("it has two entries of one name")
    return Tree(found)


def unusable(name: str, error: ValueError) -> VendorError:
    """The error (exit code 3) for an upstream's tree or commit that is sound to git, but that no folder can hold."""
    hint = "no honest repository has such a tree; tell upstream, or pin a commit without it"
    return VendorError(f"{name} is not usable: {error}", hint=hint)


def canonical_mode(bits: int) -> Mode:
    """The mode that git takes a tree entry's raw mode for: link, submodule, or a file that its owner may execute."""
    kind = bits & 0o170000
    if kind == 0o120000:
        return Mode.SYMLINK
    if kind == 0o160000:
        return Mode.GITLINK
    return Mode.EXECUTABLE if bits & 0o100 else Mode.FILE


def _verify_folders(git: Git, root: Oid) -> None:
    """Hash every folder object below `root`; for trees whose id cannot be computed from canonical entries."""
    level, seen = [root], {root}
    while level:
        below: list[Oid] = []
        found = 0
        for _, content in read_objects(git, "tree", level):
            found += 1
            try:
                below += [oid for oid in _subfolders(content) if oid not in seen]
            except ValueError as error:
                raise DamagedObjectError(f"tree {root} holds a malformed folder", code=ExitCode.INTERNAL) from error
            seen.update(below)
        if found != len(set(level)):
            raise DamagedObjectError(f"tree {root} in {git.git_dir} lacks folders", code=ExitCode.INTERNAL)
        level = list(dict.fromkeys(below))


def _subfolders(content: bytes) -> Iterator[Oid]:
    """Ids of the folders in a raw tree object: rows of mode in octal, space, name, NUL, 20 bytes.

    Raises ValueError for what is no such object, though it hashes to its id.
    """
    position = 0
    while position < len(content):
        end = content.index(b"\0", position)
        oid = Oid(content[end + 1 : end + 21])
        if content.startswith(b"40000 ", position):
            yield oid
        position = end + 21


def _parse_commit(oid: Oid, content: bytes) -> Commit:
    """Split a raw commit: header lines, an empty line, the message. Continuation lines start with a space."""
    head, _, message = content.partition(b"\n\n")
    fields = [line.partition(b" ")[::2] for line in head.split(b"\n")]
    first = dict(reversed(fields))
    try:
        return Commit(
            oid=oid,
            tree=Oid.parse(first[b"tree"].decode("ascii")),
            parents=tuple(Oid.parse(value.decode("ascii")) for name, value in fields if name == b"parent"),
            author=first[b"author"].rpartition(b">")[0] + b">",
            author_time=_stamp(first[b"author"]),
            committer_time=_stamp(first[b"committer"]),
            message=message,
        )
    except (KeyError, ValueError) as error:
        raise DamagedObjectError(f"commit {oid} is malformed: {error}", code=ExitCode.INTERNAL) from error


def _stamp(person: bytes) -> int:
    """The seconds in ``Name <mail> 1700000000 +0100``."""
    fields = person.rpartition(b">")[2].split()
    return calendar_time(fields[0] if fields else b"")


def calendar_time(text: bytes) -> int:
    """Seconds since 1970 as a commit states them; 0, as git has it, where they are none or lead out of the calendar."""
    seconds = int(text) if _SECONDS.fullmatch(text) else 0
    return seconds if seconds in _CALENDAR else 0
