# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Makes the git repository of the sample upstream, with the same commit ids on every machine.

A commit is a step: `trees/<step>.toml` says who, when and why, and `trees/<step>/` holds the files that the commit
adds or changes. All steps go through one `git fast-import`, in the order of their names.
"""

from __future__ import annotations

import shutil
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
        fresh = Git(Path(scratch) / "repository", runner=runner)
        commits = _import(fresh, steps)
        _install(fresh, Git(destination, runner=runner), Path(scratch) / "old")
    tags = {step.tag: commit for step, commit in zip(steps, commits, strict=True) if step.tag is not None}
    return History(path=destination, tags=tags, commits=commits)


def _import(git: Git, steps: tuple[Step, ...]) -> tuple[Oid, ...]:
    """Create the repository of `git` and fill it with the steps. Returns their commits."""
    assert git.git_dir is not None
    # An empty template, because a user's own would bring hooks and settings along.
    Git(runner=git.runner).exact(
        "init", "--quiet", "--bare", "--template=", "--initial-branch=main", "--object-format=sha1", str(git.git_dir)
    )
    for name, value in _SETTINGS.items():
        git.exact("config", name, value)
    marks = git.git_dir / "sample-marks"
    git.exact("fast-import", "--quiet", "--date-format=raw", f"--export-marks={marks}", stdin=b"".join(_stream(steps)))
    rows = (row.split() for row in marks.read_text().splitlines())
    commits = {int(mark[1:]): Oid.parse(oid) for mark, oid in rows}
    marks.unlink()
    return tuple(commits[number] for number in range(1, len(steps) + 1))


def _install(fresh: Git, installed: Git, old: Path) -> None:
    """Put the repository `fresh` in the place of `installed`, unless that already has the same refs."""
    assert fresh.git_dir is not None
    assert installed.git_dir is not None
    place = installed.git_dir
    if place.exists() and any(place.iterdir()):
        if not installed.exact("config", "--local", "--get", "vendorctl.sample", check=False).ok:
            raise VendorError(
                f"{place} exists and is not a sample repository", hint="choose another folder, or remove it"
            )
        if _refs(installed) == _refs(fresh):
            return
        place.rename(old)
    elif place.exists():
        place.rmdir()
    shutil.move(fresh.git_dir, place)


def _refs(git: Git) -> bytes:
    """All refs with their object ids, and whether those objects are really there."""
    listed = git.exact("for-each-ref", "--format=%(objectname) %(refname)").stdout
    whole = git.exact("fsck", "--connectivity-only", "--no-dangling", check=False).ok
    return listed if whole else b"damaged"


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
        yield f'R "{old}" "{new}"\n'.encode()
    for path in sorted(step.deletes):
        yield f'D "{path}"\n'.encode()
    for path, content in sorted(step.files.items()):
        mode = Mode.EXECUTABLE if path in step.executable else Mode.FILE
        yield f'M {mode} inline "{path}"\n'.encode() + _data(content)
    for path, target in sorted(step.links.items()):
        yield f'M {Mode.SYMLINK} inline "{path}"\n'.encode() + _data(target.encode())
    yield b"\n"


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
