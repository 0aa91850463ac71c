# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What git says of odd and hostile histories is read as it was meant, through the commands that ask for it.

`tests/fuzz/answers.py` gives the same readers what git cannot say.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.raw_trees import commit_tree, file, folder, raw_tree
from support.repo import repo
from support.workspace import Workspace, make_workspace
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.answers import diffs, id_rows, line_counts, log_records, one_count, raw_changes
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git, GitError
from vendorctl.series.trace import removed_and_added

TEXT = "".join(f"line {number}\n" for number in range(1, 9))
ID = b"5" * 40
ROW = b":100644 100644 %s %s " % (ID, ID)


def commit_with(space: Workspace, *, author: str, committer: str) -> Oid:
    """A commit on `main` with its tree, and these people with their times, as no git would write it."""
    made = space.upstream
    lines = [f"tree {made.tree_oid('main')}", f"parent {made.resolve('main')}", f"author {author}"]
    text = "\n".join([*lines, f"committer {committer}", "", "Out of time\n"])
    words = ("hash-object", "-t", "commit", "-w", "--stdin", "--literally")
    commit = Oid.parse(made.git(*words, stdin=text.encode()).decode().strip())
    made.git("update-ref", "refs/heads/main", str(commit))
    return commit


def test_a_line_of_a_file_with_an_odd_name_leads_to_that_name(tmp_path: Path) -> None:
    space = make_workspace(tmp_path, {"k/caf\u00e9 \u00e9.py": TEXT}, {"k/caf\u00e9 \u00e9.py": None, "k/b.py": TEXT})
    space.describe(space.upstream.commits[1])
    space.sync()
    found = space.run("why", "vendored/up/k/b.py:3", "--format", "json").json()
    assert (found["commit"], found["upstream_line"]) == (str(space.upstream.commits[0]), 3)
    assert found["upstream_path"] == "k/caf\u00e9 \u00e9.py"


@pytest.mark.parametrize(
    "when", ["9" * 18 + " +0000", "9" * 60 + " +0000", "99999999999999 +123456", "", "x +0000"], ids=len
)
def test_commits_with_times_that_no_calendar_has_are_measured(tmp_path: Path, when: str) -> None:
    space = make_workspace(tmp_path, {"k/a.py": TEXT}, include='["k/*.py"]')
    space.sync()
    person = f"J <j@example.org> {when}".rstrip()
    commit_with(space, author=person, committer=person)
    space.upstream.commit({"k/a.py": TEXT.replace("5", "five")})
    tip = commit_with(space, author=person, committer=person)
    for words in (["status", "--fetch"], ["diff-upstream", "--against", "main"], ["sync", "--pin", "up=main"]):
        done = space.run(*words, "--format", "json")
        assert done.code in {ExitCode.OK, ExitCode.FINDINGS}, done.text
    assert str(tip) in (space.root / "VENDOR.lock").read_text()
    assert space.run("status", "--format", "json").json()["upstreams"]["up"]["pin_date"] == "1970-01-01T00:00:00Z"
    copy = tmp_path / "copy"
    (copy / "lib").mkdir(parents=True)
    (copy / "lib/a.py").write_text(TEXT.replace("5", "five"))
    assert space.run("-C", str(copy), "init").code == 0
    done = space.run("-C", str(copy), "adopt", "lib", "--upstream", "up", "--url", space.upstream.path.as_uri())
    assert done.code == 0, done.text


def test_a_line_of_a_commit_out_of_time_leads_to_it(tmp_path: Path) -> None:
    space = make_workspace(tmp_path, {"k/a.py": TEXT})
    made = space.upstream
    person = f"J <j@example.org> {'9' * 18} +0000"
    text = f"tree {made.tree_oid()}\nauthor {person}\ncommitter {person}\n\nOut of time\n"
    words = ("hash-object", "-t", "commit", "-w", "--stdin", "--literally")
    commit = Oid.parse(made.git(*words, stdin=text.encode()).decode().strip())
    made.git("update-ref", "refs/heads/main", str(commit))
    space.describe(commit)
    space.sync()
    found = space.run("why", "vendored/up/k/a.py:3", "--format", "json").json()
    assert (found["commit"], found["date"]) == (str(commit), "1970-01-01T00:00:00+00:00")


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ((file("b.py"), file("b.py", b"y\n")), "two entries of one name"),
        ((file(".."),), "not a plain relative path"),
        ((folder("d", file(".")),), "not a plain relative path"),
        ((file("b"), folder("b", file("c"))), "both a file and a folder"),
    ],
)
def test_a_commit_that_adds_what_no_folder_holds_is_refused(tmp_path: Path, rows: Any, said: str) -> None:
    made = repo(tmp_path / "up", {"a.py": "x\n"})
    hostile = commit_tree(made, raw_tree(made, [file("a.py"), *rows]))
    with pytest.raises(VendorError, match=said) as caught:
        removed_and_added(Git(git_dir=made.git_dir), hostile, made.commits[0])
    assert caught.value.code is ExitCode.INVALID
    assert caught.value.hint
    honest = made.commit({"b/c": "y\n"}, parents=[made.commits[0]])
    removed, added = removed_and_added(Git(git_dir=made.git_dir), honest, made.commits[0])
    assert (list(removed), list(added)) == ([], [b"b/c"])


CUT = {
    "no NUL at the end": lambda: list(log_records(b"\0a\0b\0" + ROW + b"M", 2)),
    "too few fields": lambda: list(log_records(b"\0a\0", 2)),
    "no empty field before a commit": lambda: list(log_records(b"x\0a\0b\0", 2)),
    "no line feed before the first path": lambda: list(log_records(b"\0a\0b\0a.py\0", 2)),
    "a row without a path": lambda: list(raw_changes([ROW + b"M"])),
    "an empty path": lambda: list(raw_changes([ROW + b"M", b""])),
    "an unknown status": lambda: list(raw_changes([ROW + b"R100", b"a"])),
    "an added path that was there": lambda: list(raw_changes([ROW + b"A", b"a"])),
    "a removed path that stays": lambda: list(raw_changes([ROW + b"D", b"a"])),
    "a folder": lambda: list(raw_changes([ROW.replace(b"100644", b"040000") + b"M", b"a"])),
    "a count without a path": lambda: line_counts(b"1\t2\t\0"),
    "half a count": lambda: line_counts(b"1\t-\ta\0"),
    "two counts of one path": lambda: line_counts(b"1\t2\ta\x001\t2\ta\0"),
    "an id that is none": lambda: list(id_rows(b"5\n")),
    "one id too many": lambda: list(id_rows(ID + b" " + ID + b"\n")),
    "no end of line": lambda: list(id_rows(ID)),
    "a number for Python only": lambda: one_count(b"1_0\n"),
    "a missing announcement": lambda: diffs(b"x\n+y\n", [b"x\n", b"z\n"]),
}


@pytest.mark.parametrize("what", CUT)
def test_what_git_cannot_have_said_is_refused(what: str) -> None:
    call: Callable[[], object] = CUT[what]
    with pytest.raises(GitError, match="git said something that is no") as caught:
        call()
    assert caught.value.code is ExitCode.INTERNAL
    assert caught.value.hint


def test_what_git_can_say_is_taken() -> None:
    said = b"\0a\0\0\n" + ROW + b"M\0\nodd\0" + ROW + b"T\0b\0\0c\0d\0"
    assert list(log_records(said, 2)) == [([b"a", b""], [ROW + b"M", b"\nodd", ROW + b"T", b"b"]), ([b"c", b"d"], [])]
    assert [path for path, _ in raw_changes([ROW + b"M", b"\nodd"])] == [b"\nodd"]
    assert line_counts(b"1\t2\ta\tb\0-\t-\tc\0") == {b"a\tb": (1, 2), b"c": (None, None)}
    assert list(id_rows(b"%s %s\n" % (ID, ID), 2)) == [(Oid.parse("5" * 40),) * 2]
    assert one_count(b"12\n") == 12
    assert diffs(b"x\n+y\nz\n-w\n", [b"x\n", b"z\n"]) == [b"+y\n", b"-w\n"]
