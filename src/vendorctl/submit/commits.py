# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A submission as commits on the upstream's tip, made beside the cache, and what git makes of them: mails, or a branch.

The same submission gives the same commits on every machine: author, committer and both dates are the patch's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.answers import log_records
from vendorctl.git.objects import Blobs, object_info
from vendorctl.git.oid import Oid, hash_object
from vendorctl.git.program import Git
from vendorctl.git.scratch import Scratch, scratch_repository
from vendorctl.git.tree import Tree
from vendorctl.proc import Runner, run
from vendorctl.series.headers import encode_words
from vendorctl.series.patch import Patch
from vendorctl.submit.wording import Wording

_PERSON = re.compile(r"[^<>\n\0]*<[^<>\n\0]+>")


@dataclass(frozen=True, slots=True)
class Piece:
    """One commit to be: the patch it comes from, the trees before and after it at the tip, and its message."""

    patch: Patch
    before: Tree
    after: Tree
    wording: Wording


@dataclass(frozen=True)
class Built:
    """Commits in a scratch repository that sees the cache's objects: `base` is upstream's tip, `commits` are new."""

    scratch: Scratch
    base: Oid
    commits: tuple[Oid, ...]

    @property
    def git(self) -> Git:
        """The git program, bound to the scratch repository."""
        return self.scratch.git


@contextmanager
def built(cache: Git, base: Oid, pieces: Sequence[Piece], blobs: Blobs, *, runner: Runner = run) -> Iterator[Built]:
    """Commit the pieces on top of `base` in a scratch repository that borrows the objects of `cache`.

    Raises KeyError when `blobs` lacks a content that a piece makes.
    """
    with scratch_repository(runner=runner) as scratch:
        borrow(scratch, cache)
        commits: list[Oid] = []
        for piece in pieces:
            _store(scratch, piece, blobs)
            parent = commits[-1] if commits else base
            commits.append(scratch.add(b"commit", commit_content(piece, parent)))
        yield Built(scratch, base, tuple(commits))


def borrow(scratch: Scratch, cache: Git) -> None:
    """Let a scratch repository read the objects of the cache; where the cache is shallow, so is the view."""
    assert scratch.git.git_dir is not None
    assert cache.git_dir is not None
    information = scratch.git.git_dir / "objects/info"
    information.mkdir()
    (information / "alternates").write_text(f"{cache.git_dir / 'objects'}\n", encoding="utf-8")
    shallow = cache.git_dir / "shallow"
    if shallow.is_file():
        (scratch.git.git_dir / "shallow").write_bytes(shallow.read_bytes())


def _store(scratch: Scratch, piece: Piece, blobs: Blobs) -> None:
    """Add what the piece's tree has and the tree before it has not."""
    for _old, new in piece.before.difference(piece.after).values():
        if new is not None and new.mode.is_blob:
            scratch.add(b"blob", blobs[new.oid])
    known = {hash_object(b"tree", content) for content in piece.before.folders()}
    for content in piece.after.folders():
        if hash_object(b"tree", content) not in known:
            scratch.add(b"tree", content)


def commit_content(piece: Piece, parent: Oid) -> bytes:
    """The raw commit object. Raises VendorError (exit code 1) when the patch names no author or no date."""
    wording = piece.wording
    try:
        moment = parsedate_to_datetime(wording.date)
    except ValueError:
        moment = None
    if moment is None or not _PERSON.fullmatch(wording.author):
        raise VendorError(
            f"{piece.patch.file_name} names no author or no date that git understands",
            hint="complete its `From:` and `Date:` lines; `vendorctl patch lint` shows what is missing",
            code=ExitCode.FINDINGS,
        )
    who = f"{wording.author} {int(moment.timestamp())} {moment:%z}".removesuffix(" ")
    who = who if re.search(r" [+-]\d{4}\Z", who) else f"{who} +0000"
    head = f"tree {piece.after.oid}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n"
    return (head + wording.text).encode()


def format_mails(made: Built, letter: str, title: str) -> dict[str, bytes]:
    """The submission as `git format-patch` writes it, cover letter first: file name to bytes.

    `title` and `letter` take the place of git's placeholders in the cover letter.
    """
    assert made.git.git_dir is not None
    folder = made.git.git_dir / "mails"
    author, mail = _identity(made)
    git = Git(made.git.git_dir, runner=made.git.runner, settings={"user.name": author, "user.email": mail})
    options = ("--cover-letter", "--full-index", "--binary", "--find-renames", "--no-signature", "--no-attach")
    span = f"{made.base}..{made.commits[-1]}"
    git.exact("format-patch", "--quiet", *options, f"--base={made.base}", "-o", str(folder), span)
    mails = {file.name: file.read_bytes() for file in sorted(folder.iterdir())}
    cover = next(name for name in mails if name.startswith("0000-"))
    mails[cover] = _address(mails[cover], mails[max(mails)], title, letter)
    return mails


def _identity(made: Built) -> tuple[str, str]:
    """Name and mail of the last commit's author: what the cover letter is sent from."""
    said = made.git.exact("log", "-1", "-z", "--format=%x00%an%x00%ae", str(made.commits[-1])).stdout
    ((facts, _),) = log_records(said, 2)
    name, mail = (field.decode("utf-8", "replace") for field in facts)
    return name, mail


def _address(cover: bytes, last: bytes, title: str, letter: str) -> bytes:
    """Fill a cover letter in; its date becomes that of the last mail, because git takes the clock's."""
    dated = re.search(rb"^Date: .*$", last, re.MULTILINE)
    if dated is not None:
        cover = re.sub(rb"^Date: .*$", lambda _match: dated.group(), cover, count=1, flags=re.MULTILINE)
    filled = cover.replace(b"*** SUBJECT HERE ***", encode_words(title).encode(), 1)
    filled = filled.replace(b"*** BLURB HERE ***", letter.strip("\n").encode(), 1)
    if not letter.isascii() and b"\nContent-Type:" not in filled:
        kind = b"MIME-Version: 1.0\nContent-Type: text/plain; charset=UTF-8\nContent-Transfer-Encoding: 8bit\n"
        filled = filled.replace(b"\n\n", b"\n" + kind + b"\n", 1)
    return filled


def write_branch(made: Built, clone: Path, branch: str, *, runner: Runner = run) -> None:
    """Put the commits into a local clone of the upstream as a new branch. Its files and its other refs stay untouched.

    Raises VendorError (exit code 2) when `clone` is no repository, lacks the tip, or has another branch of that name.
    """
    git = Git(_git_dir(clone, runner), runner=runner)
    if not git.exact("check-ref-format", "--branch", branch, check=False).ok:
        raise VendorError(f"not a branch name: {branch!r}", code=ExitCode.USAGE)
    if made.base not in object_info(git, [made.base]):
        raise VendorError(
            f"{clone} does not have {made.base.short}, which the submission builds on",
            hint=f"git -C {clone} fetch origin",
            code=ExitCode.USAGE,
        )
    ref, tip = f"refs/heads/{branch}", str(made.commits[-1])
    present = git.exact("rev-parse", "--verify", "--quiet", ref, check=False).stdout.decode().strip()
    if present not in ("", tip):
        raise VendorError(
            f"{clone} has a branch {branch!r} already, at {present[:12]}",
            hint="choose another name, or delete it",
            code=ExitCode.USAGE,
        )
    wanted = f"{tip}\n^{made.base}\n".encode()
    pack = made.git.exact("pack-objects", "--revs", "--stdout", "--quiet", stdin=wanted).stdout
    git.exact("unpack-objects", "-q", stdin=pack)
    git.exact("update-ref", ref, tip, present or "0" * 40)


def _git_dir(clone: Path, runner: Runner) -> Path:
    found = Git(runner=runner).exact("-C", str(clone.absolute()), "rev-parse", "--absolute-git-dir", check=False)
    if not found.ok:
        raise VendorError(f"{clone} is not a git repository", hint="clone the upstream there", code=ExitCode.USAGE)
    return Path(found.stdout.decode("utf-8", "surrogateescape").removesuffix("\n"))
