# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Real git repositories, built in one process call, with the same ids on every machine.

    upstream = repo(tmp_path / "up", {"a.py": "x = 1\\n"}, {"a.py": "x = 2\\n", "b.sh": executable("echo\\n")})
    upstream.tag("v1", upstream.commits[0])
    upstream.commit({"a.py": None, "link": symlink("b.sh")}, message="Replace a by a link")

Author and committer differ, their dates differ, and each commit is a day younger than the one before.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from vendorctl.git.oid import Oid
from vendorctl.git.tree import Mode

AUTHOR = "Upstream Author <author@example.org>"
COMMITTER = "Upstream Committer <committer@example.org>"

#: 2024-01-01T00:00:00Z, the author date of every repository's first commit.
EPOCH = 1_704_067_200
_DAY = 86_400
_COMMIT_DELAY = 3_600


@dataclass(frozen=True, slots=True)
class Put:
    """Content with a mode; for a gitlink, `content` is the 40 hex digits of the commit."""

    mode: Mode
    content: bytes


#: What a change sets a path to: text, bytes, something with a mode, or None for removal.
Content: TypeAlias = "str | bytes | Put | None"
Changes: TypeAlias = "Mapping[str | bytes, Content]"


def executable(content: str | bytes) -> Put:
    """A file with mode 100755."""
    return Put(Mode.EXECUTABLE, _bytes(content))


def symlink(target: str | bytes) -> Put:
    """A symbolic link."""
    return Put(Mode.SYMLINK, _bytes(target))


def gitlink(commit: Oid) -> Put:
    """A submodule at `commit`."""
    return Put(Mode.GITLINK, str(commit).encode())


@dataclass
class Repo:
    """A bare-minimum handle on a repository with a work tree at `path` (empty until `checkout`)."""

    path: Path
    commits: list[Oid] = field(default_factory=list)

    @property
    def git_dir(self) -> Path:
        """The repository's own folder."""
        return self.path / ".git"

    @property
    def head(self) -> Oid:
        """The commit that HEAD names."""
        return self.resolve("HEAD")

    def git(self, *args: str | bytes, stdin: bytes = b"", check: bool = True) -> bytes:
        """Run git in the work tree with the test's environment and return its stdout."""
        done = subprocess.run(["git", *args], cwd=self.path, input=stdin, capture_output=True, check=False)
        if check and done.returncode != 0:
            raise AssertionError(f"git {args!r} failed: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def resolve(self, name: str) -> Oid:
        """The object that a ref, or anything git-rev-parse understands, names."""
        return Oid.parse(self.git("rev-parse", "--verify", "-q", name).decode().strip())

    def tree_oid(self, name: str = "HEAD") -> Oid:
        """The id of the tree of a commit."""
        return self.resolve(f"{name}^{{tree}}")

    def read(self, path: str, commit: str = "HEAD") -> bytes:
        """The content of a file in a commit."""
        return self.git("cat-file", "blob", f"{commit}:{path}")

    def commit(
        self,
        changes: Changes,
        *,
        message: str | None = None,
        branch: str = "main",
        parents: Sequence[Oid] | None = None,
        author: str = AUTHOR,
    ) -> Oid:
        """Add one commit to `branch` and return its id.

        `parents` replaces the branch's tip (several: a merge; none: a new root, which is also a force push).
        """
        return self.add_commits([changes], messages=[message], branch=branch, parents=parents, author=author)[0]

    def add_commits(
        self,
        series: Sequence[Changes],
        *,
        messages: Sequence[str | None] = (),
        branch: str = "main",
        parents: Sequence[Oid] | None = None,
        author: str = AUTHOR,
    ) -> list[Oid]:
        """Add a line of commits to `branch` with one git process; the first one continues from `parents`."""
        ref = f"refs/heads/{branch}"
        if parents is None:
            tip = self.git("rev-parse", "-q", "--verify", ref, check=False).decode().strip()
            parents = [Oid.parse(tip)] if tip else []
        stream: list[bytes] = []
        count = len(self.commits)
        for step, changes in enumerate(series):
            number = count + step
            message = messages[step] if step < len(messages) else None
            head = [f"commit {ref}", f"mark :{step + 1}"]
            head.append(f"author {author} {EPOCH + number * _DAY} +0100")
            head.append(f"committer {COMMITTER} {EPOCH + number * _DAY + _COMMIT_DELAY} -0500")
            stream += ["\n".join(head).encode() + b"\n", _data((message or f"Commit {number + 1}").encode())]
            if step == 0:
                stream += [f"{'merge' if index else 'from'} {oid}\n".encode() for index, oid in enumerate(parents)]
            stream += [_change(path, content) for path, content in changes.items()]
        if not parents:
            # fast-import continues an existing branch unless it is told that the commit is a root.
            stream.insert(0, f"reset {ref}\n\n".encode())
        stream += [f"get-mark :{step + 1}\n".encode() for step in range(len(series))]
        output = self.git("fast-import", "--quiet", "--force", stdin=b"".join(stream))
        made = [Oid.parse(line) for line in output.decode().split()]
        self.commits += made
        return made

    def tag(self, name: str, commit: Oid | None = None, *, message: str | None = None) -> Oid:
        """Set (or move) a tag; with `message` an annotated one. Returns the object that the tag names."""
        target = commit or self.head
        if message is None:
            self.tag_all({name: target})
            return target
        who = {"GIT_COMMITTER_NAME": "Tagger", "GIT_COMMITTER_EMAIL": "tagger@example.org"}
        environment = os.environ | who | {"GIT_COMMITTER_DATE": f"{EPOCH} +0000"}
        command = ["git", "tag", "-f", "-a", "-m", message, name, str(target)]
        subprocess.run(command, cwd=self.path, env=environment, check=True, capture_output=True)
        return self.resolve(f"refs/tags/{name}")

    def tag_all(self, tags: Mapping[str, Oid]) -> None:
        """Set (or move) lightweight tags with one git process."""
        rows = "".join(f"update refs/tags/{name} {commit}\n" for name, commit in tags.items())
        self.git("update-ref", "--stdin", stdin=rows.encode())

    def checkout(self, name: str = "main") -> Path:
        """Fill the work tree with a commit and return it."""
        self.git("checkout", "-q", "-f", name)
        return self.path


def repo(path: Path, *commits: Changes, messages: Sequence[str | None] = ()) -> Repo:
    """Make a repository at `path` with one commit on `main` per mapping of paths to contents.

    Each mapping holds what its commit changes: text (UTF-8), bytes, `executable(…)`, `symlink(…)`, `gitlink(…)`, or
    None to remove the path. Paths may be bytes. Ids depend on the arguments alone.
    """
    path.mkdir(parents=True, exist_ok=True)
    # Without git's samples of hooks, which every copy of the repository would have to carry.
    init = ["git", "init", "-q", "--template=", "--initial-branch=main", str(path)]
    subprocess.run(init, check=True, capture_output=True)
    made = Repo(path)
    (made.git_dir / "info").mkdir(exist_ok=True)
    if commits:
        made.add_commits(commits, messages=messages, parents=())
    return made


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _quoted(path: bytes) -> bytes:
    """A path in the C style that git-fast-import(1) reads, which is safe for every byte."""
    return (
        b'"'
        + b"".join(b"\\%03o" % byte if byte in b'"\\' or not 32 <= byte < 127 else b"%c" % byte for byte in path)
        + b'"'
    )


def _change(path: str | bytes, content: Content) -> bytes:
    name = _quoted(_bytes(path))
    if content is None:
        return b"D %s\n" % name
    put = content if isinstance(content, Put) else Put(Mode.FILE, _bytes(content))
    mode = put.mode.value.encode()
    if put.mode is Mode.GITLINK:
        return b"M %s %s %s\n" % (mode, put.content, name)
    return b"M %s inline %s\n%s" % (mode, name, _data(put.content))
