# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Submissions, from a workspace to `git am` in a real clone of an upstream that has moved on."""

from __future__ import annotations

import email
import email.policy
import subprocess
from pathlib import Path

import pytest

from support.chains import numbered
from support.hermetic import configure
from support.repo import Changes, Repo, executable
from support.workspace import Workspace, every_fact, make_workspace

BASE = numbered(40)
TIP = numbered(40, {30: "theirs = 30\n"})


def made(folder: Path, *commits: Changes) -> Workspace:
    """A synced workspace that pins the first commit and tracks main."""
    space = make_workspace(folder, *commits, track="main")
    space.sync()
    return space


def clone(space: Workspace, folder: Path) -> Repo:
    """A clean clone of the upstream at its tip, with a committer of its own."""
    subprocess.run(["git", "clone", "-q", str(space.upstream.path), str(folder)], check=True)
    return Repo(folder)


def mails(folder: Path) -> list[Path]:
    """The mails of a submission without the cover letter."""
    return sorted(file for file in folder.glob("*.patch") if not file.name.startswith("0000-"))


def applied(space: Workspace, folder: Path) -> Repo:
    """A clean clone with the mails of `folder` applied to it by `git am`."""
    copy = clone(space, folder.parent / f"clone-of-{folder.name}")
    copy.git("am", "-q", "--keep-cr", *map(str, mails(folder)))
    return copy


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """Two independent patches; upstream has changed the first one's file elsewhere."""
    space = made(tmp_path / "w", {"k/a.py": BASE, "k/b.py": BASE}, {"k/a.py": TIP})
    space.record("Set the fifth line", {"k/a.py": numbered(40, {5: "ours = 5\n"})})
    space.record("Set the sixth line", {"k/b.py": numbered(40, {6: "ours = 6\n"})})
    return space


def test_the_mails_apply_to_a_clean_clone_at_the_tip(space: Workspace, tmp_path: Path) -> None:
    result = space.must("submit", "--signoff", "--output", str(tmp_path / "out"))
    assert "1/2 0001-set-the-fifth-line.patch (carried over)" in result.out
    copy = applied(space, tmp_path / "out")
    assert copy.read("k/a.py").decode() == numbered(40, {5: "ours = 5\n", 30: "theirs = 30\n"})
    assert copy.read("k/b.py").decode() == numbered(40, {6: "ours = 6\n"})
    subjects = copy.git("log", "-2", "--format=%s").decode().split("\n")
    assert subjects[:2] == ["Set the sixth line", "Set the fifth line"]


def test_what_carrying_changed_in_a_patch_is_shown(tmp_path: Path) -> None:
    """A patch may have been put beside other lines than its author saw: a person must look."""
    space = made(tmp_path / "w", {"a.py": BASE, "b.py": BASE}, {"a.py": numbered(40, {3: "theirs = 3\n"})})
    space.record("Set the fifth line", {"a.py": numbered(40, {5: "ours = 5\n"})})
    space.record("Set the sixth line", {"b.py": numbered(40, {6: "ours = 6\n"})})
    result = space.must("submit", "-s", "--format", "json")
    moved, same = result.json()["commits"]
    assert [line for line in moved["interdiff"] if line[0] in "+-"] == ["- line_3 = 3", "+ theirs = 3"]
    assert (same["refreshed"], same["interdiff"]) == (False, [])
    assert "+ theirs = 3" in space.must("submit", "-s").out


def test_what_is_ours_alone_stays_at_home(space: Workspace, tmp_path: Path) -> None:
    space.must("submit", "1", "--signoff", "--output", str(tmp_path / "out"))
    message = applied(space, tmp_path / "out").git("log", "-1", "--format=%B").decode().strip()
    assert message == ("Set the fifth line\n\nOurs.\n\nSigned-off-by: Downstream Author <downstream@example.org>")
    for file in (tmp_path / "out").iterdir():
        text = file.read_text()
        assert not any(word in text for word in ("Forwarded:", "Origin:", "Reason:", "vendored/", str(tmp_path)))


def test_the_cover_letter_names_the_base_and_has_no_placeholder(space: Workspace, tmp_path: Path) -> None:
    space.must("submit", "--signoff", "--output", str(tmp_path / "out"))
    cover = (tmp_path / "out/0000-cover-letter.patch").read_text()
    assert f"\nbase-commit: {space.upstream.commits[1]}\n" in cover
    assert "Subject: [PATCH 0/2] Set the fifth line, and 1 more patch\n" in cover
    assert "***" not in cover
    assert "No test results are attached to this submission." in cover


def test_the_same_submission_is_the_same_bytes_whatever_the_user_configured(
    space: Workspace, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    space.must("submit", "-s", "--output", str(tmp_path / "one"))
    configure(
        home,
        "[format]\n\tsignature = X\n\tsubjectPrefix = RFC\n\tnumbered = false\n\tattach = true\n\tthread = true\n"
        "[diff]\n\tnoprefix = true\n\tcontext = 9\n[commit]\n\tgpgSign = true\n[am]\n\tthreeWay = true\n",
    )
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2001-01-01T00:00:00Z")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    space.must("submit", "-s", "--output", str(tmp_path / "two"))
    one, two = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two


def test_patches_go_in_the_order_given(space: Workspace, tmp_path: Path) -> None:
    space.must("submit", "2", "1", "-s", "--output", str(tmp_path / "out"))
    assert [file.name for file in mails(tmp_path / "out")] == [
        "0001-Set-the-sixth-line.patch",
        "0002-Set-the-fifth-line.patch",
    ]
    assert applied(space, tmp_path / "out").read("k/b.py").decode() == numbered(40, {6: "ours = 6\n"})


def test_nothing_is_written_while_a_check_fails(space: Workspace, tmp_path: Path) -> None:
    before = every_fact(space.root)
    result = space.run("submit", "1", "--output", str(tmp_path / "out"), "--format", "json")
    assert result.code == 1
    assert result.findings() == {("VC283", "patches/up/0001-set-the-fifth-line.patch")}
    assert not (tmp_path / "out").exists()
    assert result.json()["written"] == []
    assert every_fact(space.root) == before


def test_without_output_it_is_a_preview(space: Workspace) -> None:
    before = every_fact(space.folder)
    result = space.must("submit", "-s")
    assert "nothing was written" in result.out
    assert every_fact(space.folder) == before


def test_a_folder_with_something_else_is_not_touched(space: Workspace, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/notes.txt").write_text("mine")
    result = space.run("submit", "-s", "--output", str(tmp_path / "out"))
    assert result.code == 2
    assert "notes.txt" in result.err
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["notes.txt"]


def test_an_earlier_submission_is_replaced_whole(space: Workspace, tmp_path: Path) -> None:
    space.must("submit", "-s", "--output", str(tmp_path / "out"))
    space.must("submit", "2", "-s", "--output", str(tmp_path / "out"))
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == [
        "0000-cover-letter.patch",
        "0001-Set-the-sixth-line.patch",
        "pull-request.md",
    ]


def test_forwarded_and_declined_patches_do_not_wait(space: Workspace) -> None:
    space.must("submit", "1", "--sent", "https://example.org/pull/7")
    result = space.must("submit", "-s", "--format", "json")
    assert [commit["patch"] for commit in result.json()["commits"]] == ["0002-set-the-sixth-line.patch"]
    space.must("submit", "2", "--sent", "not-needed")
    assert space.run("submit", "-s").code == 2


def test_what_upstream_has_is_left_out(tmp_path: Path) -> None:
    fixed = numbered(40, {5: "ours = 5\n"})
    space = made(tmp_path / "w", {"a.py": BASE, "b.py": BASE}, {"a.py": fixed})
    space.record("Set the fifth line", {"a.py": fixed})
    assert space.run("submit", "-s").code == 1
    space.record("Set the sixth line", {"b.py": numbered(40, {6: "ours = 6\n"})})
    report = space.must("submit", "-s", "--format", "json").json()
    assert report["left_out"] == ["0001-set-the-fifth-line.patch"]
    assert [commit["patch"] for commit in report["commits"]] == ["0002-set-the-sixth-line.patch"]


# -- patches that need each other --------------------------------------------------------------------------------------


@pytest.fixture
def entangled(tmp_path: Path) -> Workspace:
    """Three patches: the second changes a line of the first, the third is free of both."""
    space = made(tmp_path / "w", {"a.py": BASE, "b.py": "x = 1\n"})
    space.record("First", {"a.py": numbered(40, {5: "first = 5\n"})})
    space.record("Second", {"a.py": numbered(40, {5: "second = 5\n"})})
    space.record("Third", {"a.py": numbered(40, {5: "second = 5\n", 25: "third = 25\n"})})
    return space


def test_a_patch_that_needs_another_is_not_sent_alone(entangled: Workspace) -> None:
    result = entangled.run("submit", "2", "-s")
    assert result.code == 1
    assert "0001-first.patch" in result.err
    assert "0003" not in result.err
    assert not (entangled.root / ".vendorctl/submit").exists()


def test_a_free_patch_goes_without_its_neighbours(entangled: Workspace, tmp_path: Path) -> None:
    entangled.must("submit", "3", "-s", "--output", str(tmp_path / "out"))
    assert applied(entangled, tmp_path / "out").read("a.py").decode() == numbered(40, {25: "third = 25\n"})


def test_with_needed_takes_along_what_is_needed_and_no_more(entangled: Workspace) -> None:
    report = entangled.must("submit", "2", "-s", "--with-needed", "--format", "json").json()
    assert [commit["patch"] for commit in report["commits"]] == ["0001-first.patch", "0002-second.patch"]


def test_a_name_that_stays_at_home_is_told(tmp_path: Path) -> None:
    space = made(tmp_path / "w", {"a.py": "x = 1\n", "b.py": "def known():\n    return 1\n"})
    space.record("Add a helper", {"helper.py": "def fresh():\n    return 2\n"})
    space.record("Use both", {"a.py": "from b import known\nfrom helper import fresh\nx = known() + fresh()\n"})
    result = space.run("submit", "2", "-s", "--format", "json")
    assert result.code == 0
    (finding,) = [each for each in result.json()["findings"] if each["rule"] == "VC281"]
    assert "`fresh`" in finding["message"]
    together = space.must("submit", "2", "-s", "--with-needed", "--format", "json").json()
    assert [commit["patch"] for commit in together["commits"]] == ["0001-add-a-helper.patch", "0002-use-both.patch"]
    assert not [each for each in together["findings"] if each["rule"] == "VC281"]


# -- conflicts ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def disputed(tmp_path: Path) -> Workspace:
    """Upstream and the patch changed the same line."""
    space = made(tmp_path / "w", {"k/a.py": BASE}, {"k/a.py": numbered(40, {5: "theirs = 5\n"})})
    space.record("Set the fifth line", {"k/a.py": numbered(40, {5: "ours = 5\n"})})
    return space


FILES = ".vendorctl/submit/up/files"


def test_a_conflict_is_laid_out_and_continued(disputed: Workspace, tmp_path: Path) -> None:
    stopped = disputed.run("submit", "-s")
    assert stopped.code == 5
    assert f"upstream commit {disputed.upstream.commits[1].short}" in stopped.err
    assert "<<<<<<<" in (disputed.root / FILES / "k/a.py").read_text()
    assert disputed.run("submit", "-s", "--continue").code == 5
    (disputed.root / FILES / "k/a.py").write_text(numbered(40, {5: "both = 5\n"}))
    disputed.must("submit", "-s", "--continue", "--output", str(tmp_path / "out"))
    assert applied(disputed, tmp_path / "out").read("k/a.py").decode() == numbered(40, {5: "both = 5\n"})
    assert not (disputed.root / ".vendorctl/submit/up").exists()


def test_what_was_decided_for_a_submission_is_decided_for_the_bump(disputed: Workspace) -> None:
    assert disputed.run("submit", "-s").code == 5
    (disputed.root / FILES / "k/a.py").write_text(numbered(40, {5: "both = 5\n"}))
    disputed.must("submit", "-s", "--continue")
    disputed.must("sync", "--pin", "up=v2")
    assert disputed.text("k/a.py") == numbered(40, {5: "both = 5\n"})


def test_a_conflict_can_be_given_up(disputed: Workspace) -> None:
    assert disputed.run("submit", "--abort").code == 2
    assert disputed.run("submit", "-s").code == 5
    disputed.must("submit", "--abort")
    assert not (disputed.root / ".vendorctl/submit/up").exists()
    assert disputed.run("submit", "-s", "--continue").code == 2


def test_a_second_submission_does_not_replace_the_edits(disputed: Workspace) -> None:
    assert disputed.run("submit", "-s").code == 5
    edited = disputed.root / FILES / "k/a.py"
    edited.write_text(numbered(40, {5: "both = 5\n"}))
    refused = disputed.run("submit", "-s")
    assert (refused.code, "waits for a decision about 0001-" in refused.err) == (5, True)
    assert "`vendorctl submit up --continue`; or `--abort`" in refused.err
    assert "both = 5" in edited.read_text()
    disputed.must("submit", "-s", "--continue")


def test_going_on_is_about_the_patches_that_were_named(disputed: Workspace, tmp_path: Path) -> None:
    disputed.record("Set the thirtieth line", {"k/a.py": numbered(40, {5: "ours = 5\n", 30: "ours = 30\n"})})
    assert disputed.run("submit", "-s", "1").code == 5
    (disputed.root / FILES / "k/a.py").write_text(numbered(40, {5: "both = 5\n"}))
    disputed.must("submit", "-s", "--continue", "--output", str(tmp_path / "out"))
    assert applied(disputed, tmp_path / "out").read("k/a.py").decode() == numbered(40, {5: "both = 5\n"})


def test_a_submission_given_up_forgets_what_was_decided(disputed: Workspace) -> None:
    """Its first conflict is decided when the second one appears."""
    disputed.record("Set it again", {"k/a.py": numbered(40, {5: "ours = 6\n", 6: "ours = 6\n"})})
    disputed.upstream.commit({"k/a.py": numbered(40, {5: "theirs = 5\n", 6: "theirs = 6\n"})})
    assert disputed.run("submit", "-s").code == 5
    (disputed.root / FILES / "k/a.py").write_text(numbered(40, {5: "both = 5\n"}))
    assert "0002-" in disputed.run("submit", "-s", "--continue").err
    assert list((disputed.root / ".vendorctl/resolutions").glob("*/facts.json"))
    disputed.must("submit", "--abort")
    assert not list((disputed.root / ".vendorctl/resolutions").glob("*/facts.json"))


def test_a_series_that_changed_since_is_noticed(disputed: Workspace) -> None:
    assert disputed.run("submit", "-s").code == 5
    (disputed.root / FILES / "k/a.py").write_text(numbered(40, {5: "both = 5\n"}))
    disputed.record("Set the last line", {"k/a.py": numbered(40, {5: "ours = 5\n", 40: "ours = 40\n"})})
    refused = disputed.run("submit", "-s", "--continue")
    assert (refused.code, "changed since the submission began: 0002-" in refused.err) == (5, True)


@pytest.mark.parametrize("change", [("{", "x"), ('"up"', '"down"'), ("submit-conflict/2", "submit-conflict/1")])
def test_a_state_that_cannot_be_read_is_given_up(disputed: Workspace, change: tuple[str, str]) -> None:
    assert disputed.run("submit", "-s").code == 5
    state = disputed.root / ".vendorctl/submit/up/state.json"
    state.write_text(state.read_text().replace(*change))
    refused = disputed.run("submit", "-s", "--continue")
    assert (refused.code, "run `vendorctl submit up --abort`" in refused.err) == (3, True)
    assert "unreadable state" in disputed.must("submit", "--abort").text
    assert not state.exists()


def test_edits_for_another_conflict_are_not_taken(disputed: Workspace) -> None:
    assert disputed.run("submit", "-s").code == 5
    disputed.upstream.commit({"k/a.py": numbered(40, {5: "later = 5\n"})})
    (disputed.root / FILES / "k/a.py").write_text(numbered(40, {5: "both = 5\n"}))
    assert disputed.run("submit", "-s", "--continue").code == 5


# -- branches ----------------------------------------------------------------------------------------------------------


def test_a_branch_is_made_in_a_clone_and_nothing_else_of_it_changes(space: Workspace, tmp_path: Path) -> None:
    copy = clone(space, tmp_path / "clone")
    head, status = copy.head, copy.git("status", "--porcelain")
    space.must("submit", "-s", "--branch", "fixes/one", "--clone", str(copy.path))
    assert copy.resolve("fixes/one~2") == space.upstream.commits[1]
    assert copy.read("k/b.py", "fixes/one").decode() == numbered(40, {6: "ours = 6\n"})
    assert (copy.head, copy.git("status", "--porcelain")) == (head, status)
    copy.git("fsck", "--strict")
    space.must("submit", "-s", "--branch", "fixes/one", "--clone", str(copy.path))


def test_another_branch_of_that_name_stays(space: Workspace, tmp_path: Path) -> None:
    copy = clone(space, tmp_path / "clone")
    copy.git("branch", "taken", "HEAD~1")
    before = copy.resolve("taken")
    assert space.run("submit", "-s", "--branch", "taken", "--clone", str(copy.path)).code == 2
    assert copy.resolve("taken") == before


def test_a_clone_that_lacks_the_tip_is_named(space: Workspace, tmp_path: Path) -> None:
    copy = clone(space, tmp_path / "clone")
    space.upstream.commit({"new.py": "x = 1\n"})
    result = space.run("submit", "-s", "--branch", "topic", "--clone", str(copy.path))
    assert result.code == 2
    assert "fetch origin" in result.err
    assert space.run("submit", "-s", "--branch", "topic").code == 2
    assert space.run("submit", "-s", "--branch", "-x", "--clone", str(copy.path)).code == 2


# -- contents that mail and patch tools are known to spoil -------------------------------------------------------------


def test_awkward_contents_survive(tmp_path: Path) -> None:
    space = made(
        tmp_path / "w",
        {
            "dir/with space/#a !b.py": "x = 1\n",
            "caf\u00e9/\u00fc[1]*.txt": "eins\n",
            "dos.txt": "one\r\ntwo\r\n",
            "bare.txt": "no end",
            "tool.sh": "echo\n",
            "picture.bin": bytes(range(256)),
            "old/name.py": BASE,
        },
        {"dir/with space/other.py": "y = 1\n", "README": "hello\n"},
    )
    at = space.patched
    (at / "dir/with space/#a !b.py").write_text("x = 2\n")
    (at / "caf\u00e9/\u00fc[1]*.txt").write_text("zwei\n")
    (at / "dos.txt").write_bytes(b"one\r\n2\r\n")
    (at / "bare.txt").write_text("still no end")
    (at / "tool.sh").chmod(0o755)
    (at / "picture.bin").write_bytes(bytes(reversed(range(256))))
    (at / "new").mkdir()
    (at / "old/name.py").rename(at / "new/name.py")
    (at / "empty").write_bytes(b"")
    space.must("patch", "record", "up", "--title", "Gr\u00f6\u00dfer: everything at once", "--reason", "\u00fcber")
    space.must("submit", "-s", "--output", str(tmp_path / "out"))
    cover = email.message_from_bytes(
        (tmp_path / "out/0000-cover-letter.patch").read_bytes(), policy=email.policy.default
    )
    assert cover["Subject"] == "[PATCH 0/1] Gr\u00f6\u00dfer: everything at once"
    assert "\u00dcber." in cover.get_content()
    copy = applied(space, tmp_path / "out")
    assert copy.read("dos.txt") == b"one\r\n2\r\n"
    assert copy.read("bare.txt") == b"still no end"
    assert copy.read("caf\u00e9/\u00fc[1]*.txt") == b"zwei\n"
    assert copy.read("dir/with space/#a !b.py") == b"x = 2\n"
    assert copy.read("picture.bin") == bytes(reversed(range(256)))
    assert copy.read("new/name.py").decode() == BASE
    assert copy.read("empty") == b""
    assert copy.git("ls-tree", "HEAD", "tool.sh").startswith(b"100755")
    assert copy.git("ls-tree", "HEAD", "old") == b""
    assert copy.git("log", "-1", "--format=%s").decode().strip() == "Gr\u00f6\u00dfer: everything at once"


def test_contents_of_other_folders_are_not_needed(tmp_path: Path) -> None:
    """The cache is partial: contents in other folders are never downloaded for the rehearsal."""
    space = made(tmp_path / "w", {"k/a.py": BASE, "big/data.bin": executable("much")}, {"big/more.bin": "more"})
    space.describe(space.upstream.commits[0], include='["k/**"]', track="main")
    space.sync()
    space.record("Set the fifth line", {"k/a.py": numbered(40, {5: "ours = 5\n"})})
    space.must("submit", "-s", "--output", str(tmp_path / "out"))
    assert applied(space, tmp_path / "out").read("k/a.py").decode() == numbered(40, {5: "ours = 5\n"})


def test_offline_it_works_with_what_the_cache_has(space: Workspace) -> None:
    assert space.run("submit", "-s", "--offline").code == 4
    space.must("submit", "-s")
    space.upstream.path.rename(space.folder / "unplugged")
    assert space.must("submit", "-s", "--offline", "--format", "json").json()["base"] == str(space.upstream.commits[1])
    space.must("submit", "--check", "--offline")
    assert space.run("submit", "-s").code == 4
