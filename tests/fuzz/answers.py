# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What git answers: logs, changes, counts, ids and its index. Seeds are what a real git says of a repository."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from fuzz.scratch import git_that_says
from fuzz.target import Target
from support.repo import Changes, Repo, executable, gitlink, repo, symlink
from vendorctl.adoption.timeline import parse_steps, read_timeline
from vendorctl.drift.blame import parse_blame, parse_versions
from vendorctl.drift.pinlog import parse_revisions
from vendorctl.git.answers import (
    diffs,
    fields,
    id_rows,
    line_counts,
    log_records,
    one_count,
    raw_changes,
    staged_entries,
)
from vendorctl.git.oid import Oid, hash_blob
from vendorctl.git.program import Git, GitError
from vendorctl.proc import Completed, run
from vendorctl.series.history import History, parse_log
from vendorctl.series.trace import removed_and_added
from vendorctl.submit.queue import count_refreshes
from vendorctl.vendor.staged import parse_staged

_OID = hash_blob(b"x\n")
_FILE = b"a.py"
_PATHS = (b"a.py", b"d/b.py", b"caf\xc3\xa9.py")
_PAIRS = (b"%s %s\n" % (str(_OID).encode(), b"0" * 40), b"%s %s\n" % (b"1" * 40, str(_OID).encode()))


def check_log(data: bytes) -> None:
    """Whatever is taken as a log or as rows about changes is exactly that: written again, it is the same."""
    written = b""
    for facts, about in log_records(data, 3):
        written += b"".join(b"\0" + fact for fact in facts) + b"\0"
        written += b"\n" + b"".join(part + b"\0" for part in about) if about else b""
        for path, change in raw_changes(about) if about and about[0].startswith(b":") else ():
            assert path
            assert change.old is not None or change.new is not None
    assert written == data


def check_timeline(data: bytes) -> None:
    """Every commit of the log is a step, at a time that a calendar has, and every row one of its changes."""
    steps = list(parse_steps(data))
    assert len(steps) == len(list(log_records(data, 3)))
    for step in steps:
        assert datetime.fromtimestamp(step.time).year <= 10000
        assert all(step.changes.keys())


def check_history(data: bytes) -> None:
    """Every commit of the log, with a date, and with one path per field that names one."""
    commits = list(parse_log(data))
    for commit, (facts, paths) in zip(commits, log_records(data, 5), strict=True):
        assert str(commit.oid).encode() == facts[0]
        assert b" ".join(str(parent).encode() for parent in commit.parents) == facts[1]
        assert commit.paths == tuple(paths)
        assert commit.date[4:5].isdigit() or commit.date[4] == "-"


def check_pin_log(data: bytes) -> None:
    """The commits that the log has of the lock, and no others."""
    records = [str(facts[0], "ascii", "replace") for facts, _ in log_records(data, 4)]
    for revision in parse_revisions(data, _FILE):
        assert revision.commit in records
        assert revision.date


def check_versions(data: bytes) -> None:
    """Contents and births of the path that was asked for: each is told by the log."""
    versions, births = parse_versions(data, _FILE)
    told = [str(oid).encode() for oid in [*versions, *(oid for pair in births for oid in pair)]]
    assert all(oid in data for oid in told)


def check_blame(data: bytes) -> None:
    """Who brought a line: a commit with a date, a path, and a line from 1."""
    blamed = parse_blame(data)
    assert data.startswith(b"%s %d " % (str(blamed.commit.oid).encode(), blamed.line))
    assert blamed.line >= 1
    assert blamed.path
    assert datetime.fromisoformat(blamed.commit.date)


def check_changes(data: bytes) -> None:
    """What a commit removed and added are trees of paths that the answer names."""
    git = git_that_says(lambda _args, _stdin: data)
    named = set(fields(data)[1::2])
    for tree in removed_and_added(git, _OID, _OID):
        assert set(tree) <= named


def check_state(data: bytes) -> None:
    """A tree limited to the paths that were asked for."""
    history = History(git_that_says(lambda _args, _stdin: data), lambda _oids: {}, _OID, _OID)
    assert set(history.state(_OID, _PATHS)) <= set(_PATHS)


def check_counts(data: bytes) -> None:
    """Lines per path; written again they are the same."""
    written = b""
    for path, (added, removed) in line_counts(data).items():
        assert (added is None) == (removed is None)
        written += (
            (b"-\t-" if added is None or removed is None else b"%d\t%d" % (added, removed)) + b"\t" + path + b"\0"
        )
    assert len(written) <= len(data)
    assert line_counts(written) == line_counts(data)


def check_ids(data: bytes) -> None:
    """Rows of two ids; written again they are the same. A number is one that Python reads alike."""
    if data[:1].isdigit() and len(data) < 30:
        assert one_count(data) == int(data)
        return
    rows = list(id_rows(data, 2))
    assert b"".join(b"%s %s\n" % (str(one).encode(), str(two).encode()) for one, two in rows) == data


def check_staged(data: bytes) -> None:
    """Rows of the index; written again they are the same, and no path leads out of the folder it is for."""
    written = b""
    for row in staged_entries(data):
        mode = row.entry.mode.value.encode()
        written += b"%s %s %d\t%s\0" % (mode, str(row.entry.oid).encode(), row.stage, row.path)
    assert len(written) == len(data)
    assert list(staged_entries(written)) == list(staged_entries(data))
    for path, _entry in parse_staged(data, b"d/"):
        assert b"d/" + path in data
        assert (Path("/r") / path.decode("utf-8", "surrogateescape")).resolve().is_relative_to("/r")


def check_diffs(data: bytes) -> None:
    """The differences of two pairs of trees: with their announcements, all that git said."""
    found = diffs(data, _PAIRS)
    assert b"".join(row + each for row, each in zip(_PAIRS, found, strict=True)) == data


def check_refreshes(data: bytes) -> None:
    """How often a patch's file was changed, by any log at all: never less than not at all."""

    class _Named:
        slug = "x"

    def runner(args: Sequence[str | bytes], **_options: Any) -> Completed:
        return Completed(tuple(map(str, args)), 0, data, b"")

    times: Any = count_refreshes(Path("/nowhere"), "up", runner=runner)
    count = times(_Named())
    assert count is None or 0 <= count <= data.count(b"\n") + data.count(b"\0") + 1


# -- what a real git says ------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _repository() -> tuple[tempfile.TemporaryDirectory[str], Repo]:
    """A history with a merge, a move, removals, every mode, an odd name, and a commit whose dates are none."""
    kept = tempfile.TemporaryDirectory(prefix="vendorctl-fuzz-")
    first: Changes = {"a.py": "1\n2\n", "run.sh": executable("exit\n"), "l": symlink("a.py"), "sub": gitlink(_OID)}
    made = repo(Path(kept.name) / "up", first, {"caf\u00e9.py": "x\n", "b.bin": b"\0\1"})
    side = made.commit({"d/b.py": "y\n"}, branch="side", parents=[made.commits[0]])
    made.commit({"d/b.py": "y\n"}, parents=[made.commits[1], side], message="Merge")
    made.commit({"caf\u00e9.py": None, "d/\u00e9\n.py": "x\n", "b.bin": b"\0\2", "a.py": None})
    tip = made.commit({"a.py": "1\n2\n3\n", "run.sh": "exit\n"}, message="")
    broken = b"tree %s\nparent %s\nauthor J <j@x>\ncommitter J <j@x> %s +0000\n\nNo dates\n"
    content = broken % (str(made.tree_oid()).encode(), str(tip).encode(), b"9" * 40)
    commit = made.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=content).decode().strip()
    made.git("update-ref", "refs/heads/main", commit)
    return kept, made


def _said(verb: str, call: Callable[[Git, Oid], object]) -> list[bytes]:
    """What git answers to the `verb` commands that `call` runs, given a git and the tip of the repository."""
    _, made = _repository()
    answers: list[bytes] = []

    def runner(args: Sequence[str | bytes], **options: Any) -> Completed:
        done = run(args, **options)
        answers.extend([done.stdout] * (verb in args))
        return done

    call(Git(git_dir=made.git_dir, runner=runner), made.head)
    return answers


def _history(git: Git) -> History:
    _, made = _repository()
    return History(git, lambda _oids: {}, made.commits[0], made.head)


def _touched(git: Git, _tip: Oid) -> None:
    history = _history(git)
    history.touching(_PATHS)
    history.removals(_PATHS, history.old)


def _logged(form: str, *more: str) -> list[bytes]:
    """Logs of one path, which the readers ask for in an upstream's cache or in a workspace, with their options."""
    options = ("--diff-merges=first-parent", "--raw", "-z", "--no-renames", "--no-abbrev", f"--format={form}", *more)
    return _said("log", lambda git, tip: git.exact("log", *options, str(tip), "--", "a.py"))


def _trees(git: Git, tip: Oid) -> None:
    git.exact("rev-list", "--no-commit-header", "--format=%T %H", str(tip))


def _blames() -> list[bytes]:
    def blame(git: Git, _tip: Oid) -> None:
        _, made = _repository()
        git.exact("blame", "--porcelain", "-L1,1", str(made.head), "--", "a.py")
        git.exact("blame", "--porcelain", "-L1,1", str(made.head), "--", "d/\u00e9\n.py")

    return _said("blame", blame)


def _index() -> list[bytes]:
    """The index of a worktree with that history's first tree, and with a path in conflict besides."""

    def listed(git: Git, _tip: Oid) -> None:
        _, made = _repository()
        with tempfile.TemporaryDirectory(prefix="vendorctl-fuzz-") as folder:
            staged = Git(git_dir=made.git_dir, index=Path(folder) / "index", runner=git.runner)
            staged.exact("read-tree", str(made.commits[0]))
            staged.exact("ls-files", "--cached", "--stage", "-z", "--full-name")
            staged.exact("read-tree", "-i", "-m", *(str(commit) for commit in made.commits[:3]))
            staged.exact("ls-files", "--cached", "--stage", "-z", "--full-name")

    return _said("ls-files", listed)


def _between(call: Callable[[Git, Oid, Oid], object], verb: str) -> list[bytes]:
    _, made = _repository()
    return _said(verb, lambda git, tip: call(git, tip, made.commits[0]))


_ROW = b":100644 100755 %s %s M" % (str(_OID).encode(), str(_OID).encode())
_TOKENS = (
    b"\0",
    b"\0\0",
    b"\n",
    b":",
    str(_OID).encode(),
    b"0" * 40,
    _ROW,
    b"000000",
    b"160000",
    b" A",
    b" D",
    b"a.py",
)

TARGETS = (
    Target(
        name="log",
        check=check_log,
        seeds=lambda: _said("log", lambda git, tip: read_timeline(git, [tip], tip)),
        tokens=_TOKENS,
        refusals=(GitError,),
    ),
    Target(
        name="timeline",
        check=check_timeline,
        seeds=lambda: _said("log", lambda git, tip: read_timeline(git, [tip], tip)),
        tokens=(*_TOKENS, b"9" * 40, b"-1"),
        refusals=(GitError,),
    ),
    Target(
        name="history",
        check=check_history,
        seeds=lambda: _said("log", _touched),
        tokens=(*_TOKENS, b"%aI", b"2024-01-01T00:00:00+00:00", b"Z"),
        refusals=(GitError,),
    ),
    Target(
        name="pin-log",
        check=check_pin_log,
        seeds=lambda: _logged("%x00%H%x00%aI%x00%an%x00%s", "--first-parent", "--reverse"),
        tokens=(*_TOKENS, b"%aI", b"2024-01-01T00:00:00+00:00"),
        refusals=(GitError,),
    ),
    Target(
        name="versions",
        check=check_versions,
        seeds=lambda: _logged("%x00%H %P", "--full-history"),
        tokens=_TOKENS,
        refusals=(GitError,),
    ),
    Target(
        name="blame",
        check=check_blame,
        seeds=_blames,
        tokens=(
            b"author-time ",
            b"9" * 40,
            b"filename ",
            b'"',
            b"\\303",
            b"summary ",
            b"author ",
            b"\n\t",
            b"boundary\n",
        ),
        refusals=(GitError,),
    ),
    Target(
        name="changes",
        check=check_changes,
        seeds=lambda: _between(removed_and_added, "diff-tree"),
        tokens=(*_TOKENS, b"../", b"a.py/x", b"//"),
    ),
    Target(
        name="tree-at",
        check=check_state,
        seeds=lambda: _said("ls-tree", lambda git, tip: _history(git).state(tip, _PATHS)),
        tokens=(*_TOKENS, b"100644 blob ", b"160000 commit ", b"\t", b"d/b.py"),
    ),
    Target(
        name="numstat",
        check=check_counts,
        seeds=lambda: _between(
            lambda git, tip, old: git.exact("diff-tree", "-r", "-z", "--numstat", "--no-renames", str(old), str(tip)),
            "diff-tree",
        ),
        tokens=(b"\t", b"\0", b"-\t-\t", b"9" * 20, b"a.py"),
        refusals=(GitError,),
    ),
    Target(
        name="ids",
        check=check_ids,
        seeds=lambda: [
            *_said("rev-list", _trees),
            *_said("rev-list", lambda git, _tip: _history(git).count()),
        ],
        tokens=(b"\n", b" ", str(_OID).encode(), b"_", b"+1", b"9" * 20),
        refusals=(GitError,),
    ),
    Target(
        name="staged",
        check=check_staged,
        seeds=lambda: [*_index(), b"100644 %s 0\td/a.py\0" % str(_OID).encode()],
        tokens=(*_TOKENS, b"d/", b"../", b" 2\t", b"120000 "),
    ),
    Target(
        name="diffs",
        check=check_diffs,
        seeds=lambda: [
            _PAIRS[0] + b"diff --git a/x b/x\n-x\n" + _PAIRS[1] + b"diff --git a/y b/y\n+y\n",
        ],
        tokens=(*_PAIRS, b"\n", b"diff --git "),
        refusals=(GitError,),
    ),
    Target(
        name="refreshes",
        check=check_refreshes,
        seeds=lambda: [b"\0\n\npatches/up/0001-x.patch\n\0\n\npatches/up/0002-x.patch\n"],
        tokens=(b"\0", b"\n", b"0001-x.patch", b"patches/up/", b"/"),
    ),
)
