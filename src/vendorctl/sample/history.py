# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Makes the git repository of the sample upstream, with the same commit ids on every machine.

A commit is a step: `trees/<step>.toml` says who, when and why, and `trees/<step>/` holds the files that the commit
adds or changes. All steps go through one `git fast-import`, in the order of their names.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from vendorctl.errors import VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git
from vendorctl.git.tree import Mode
from vendorctl.proc import Runner, run
from vendorctl.sample.step import Step, read_steps

#: Settings of the repository: partial clones and single commits may be fetched from it, and it says what it is.
_SETTINGS = {"uploadpack.allowFilter": "true", "uploadpack.allowAnySHA1InWant": "true", "vendorctl.sample": "true"}


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """The sample repository: `tags` name release commits (already peeled), `commits` are in the order of the steps."""

    path: Path
    tags: Mapping[str, Oid]
    commits: tuple[Oid, ...]


def trees() -> Traversable:
    """The folder with the steps, as installed."""
    return files(__package__) / "trees"


def write(destination: Path, *, runner: Runner = run, source: Traversable | None = None) -> History:
    """Make the bare repository `destination` from the steps in `source` (default: `trees()`).

    A repository that already has exactly these refs is kept; an older sample is replaced in one rename. Raises
    VendorError when `destination` is something else, and when a step is malformed.
    """
    steps = read_steps(trees() if source is None else source)
    destination.parent.mkdir(parents=True, exist_ok=True)
    # Beside the destination, so that the final rename stays on one file system.
    with tempfile.TemporaryDirectory(prefix=f".{destination.name}-", dir=destination.parent) as scratch:
        fresh = Path(scratch) / "fresh"
        commits = _import(fresh, steps, runner)
        _install(fresh, destination, Path(scratch) / "old", runner)
    tags = {step.tag: commit for step, commit in zip(steps, commits, strict=True) if step.tag is not None}
    return History(path=destination, tags=tags, commits=commits)


def _import(repository: Path, steps: tuple[Step, ...], runner: Runner) -> tuple[Oid, ...]:
    """Create the bare `repository` and fill it with the steps. Returns their commits."""
    # An empty template, because a user's own would bring hooks and settings along.
    options = ("--quiet", "--bare", "--template=", "--initial-branch=main", "--object-format=sha1")
    Git(runner=runner).exact("init", *options, str(repository))
    git = Git(repository, runner=runner)
    for name, value in _SETTINGS.items():
        git.exact("config", name, value)
    marks = repository / "sample-marks"
    git.exact("fast-import", "--quiet", "--date-format=raw", f"--export-marks={marks}", stdin=b"".join(_stream(steps)))
    rows = (row.split() for row in marks.read_text().splitlines())
    commits = {int(mark[1:]): Oid.parse(oid) for mark, oid in rows}
    marks.unlink()
    return tuple(commits[number] for number in range(1, len(steps) + 1))


def _install(fresh: Path, place: Path, old: Path, runner: Runner) -> None:
    """Put the repository `fresh` at `place`, unless one with the same refs is there; `old` takes what it replaces."""
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        if not _is_sample(place, runner):
            raise VendorError(
                f"{place} exists and is not a sample repository", hint="choose another folder, or remove it"
            )
        if _refs(place, runner) == _refs(fresh, runner):
            return
        place.rename(old)
    try:
        fresh.rename(place)
    except OSError:
        # Another process may have got there first, with the same result.
        if not (place.is_dir() and _refs(place, runner) == _refs(fresh, runner)):
            raise


def _is_sample(place: Path, runner: Runner) -> bool:
    """Whether `place` is a repository that `write` made."""
    return place.is_dir() and Git(place, runner=runner).exact("config", "vendorctl.sample", check=False).ok


def _refs(repository: Path, runner: Runner) -> bytes:
    """All refs with their object ids, or that objects are missing."""
    git = Git(repository, runner=runner)
    listed = git.exact("for-each-ref", "--format=%(objectname) %(refname)", check=False)
    whole = git.exact("fsck", "--connectivity-only", "--no-dangling", check=False)
    return listed.stdout if listed.ok and whole.ok else b"damaged"


def _stream(steps: tuple[Step, ...]) -> Iterator[bytes]:
    """The steps as input of git-fast-import(1). The mark of a commit is the number of its step."""
    marks = {step.name: number for number, step in enumerate(steps, start=1)}
    for step in steps:
        yield f"commit refs/heads/main\nmark :{marks[step.name]}\n".encode()
        yield f"author {_signature(step.author, step.authored)}\n".encode()
        yield f"committer {_signature(step.committer, step.committed)}\n".encode()
        yield _data(step.message.encode())
        if step.after is not None:
            yield f"from :{marks[step.after]}\n".encode()
        for name in step.merges:
            yield f"merge :{marks[name]}\n".encode()
        yield from _changes(step)
    for step in steps:
        if step.tag is not None:
            yield _tag(step, marks[step.name])


def _changes(step: Step) -> Iterator[bytes]:
    """What a commit does to files. Moves come first: a moved file may then be changed at its new place."""
    for old, new in sorted(step.moves.items()):
        yield b"R %s %s\n" % (_quoted(old), _quoted(new))
    for path in sorted(step.deletes):
        yield b"D %s\n" % _quoted(path)
    for path, content in sorted(step.files.items()):
        yield _file(Mode.EXECUTABLE if path in step.executable else Mode.FILE, path, content)
    for path, target in sorted(step.links.items()):
        yield _file(Mode.SYMLINK, path, target.encode())
    yield b"\n"


def _file(mode: Mode, path: str, content: bytes) -> bytes:
    """The command that gives a path its content."""
    return b"M %s inline %s\n%s" % (mode.encode(), _quoted(path), _data(content))


def _quoted(path: str) -> bytes:
    """A path as fast-import reads it whatever is in it."""
    return b'"%s"' % path.replace("\\", "\\\\").replace('"', '\\"').encode()


def _tag(step: Step, mark: int) -> bytes:
    """The tag of a release: a tag object when the step has a message for it, else a plain reference."""
    if step.tag_message is None:
        return f"reset refs/tags/{step.tag}\nfrom :{mark}\n\n".encode()
    head = f"tag {step.tag}\nfrom :{mark}\ntagger {_signature(step.committer, step.committed)}\n"
    return head.encode() + _data(step.tag_message.encode())


def _data(content: bytes) -> bytes:
    """A counted block of git-fast-import(1)."""
    return b"data %d\n%s\n" % (len(content), content)


def _signature(person: str, moment: datetime) -> str:
    """Person and time as git stores them: seconds since 1970 and the offset from UTC."""
    return f"{person} {int(moment.timestamp())} {moment:%z}"
