# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl sync` over the life of a workspace: what it writes, what it leaves alone, and what it says to do next."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.faults import snapshot
from support.repo import EPOCH, Changes, Repo, executable, repo
from support.workspace import Workspace, every_fact, make_workspace
from vendorctl.errors import ExitCode

Original = Callable[[Callable[[Path], Workspace]], Workspace]

BASE = "x = 1\ny = 2\nz = 3\n"
OURS = "x = 10\ny = 2\nz = 3\n"


def made(folder: Path) -> Workspace:
    """Synced, with one patch and the patched tree in git at `out`."""
    space = make_workspace(
        folder,
        {"a.py": BASE, "b.py": "b\n", "run.sh": executable("exit\n")},
        {"a.py": BASE + "w = 4\n"},
        output="out",
        ref="v1",
    )
    space.sync()
    space.record("Set x to ten", {"a.py": OURS})
    return space


@pytest.fixture
def space(originals: Original, disk: Path) -> Workspace:
    return originals(made).copy(disk / "w")


def test_a_second_run_changes_nothing_at_all(space: Workspace) -> None:
    space.sync()
    before = visible_facts(space)
    result = space.sync()
    assert visible_facts(space) == before
    assert "up to date" in result.out


def visible_facts(space: Workspace) -> dict[str, tuple[object, ...]]:
    """Everything but the state folder, whose lock is taken and left."""
    return {path: facts for path, facts in every_fact(space.root).items() if not path.startswith(".vendorctl")}


def test_it_works_in_a_copy_that_has_only_what_git_keeps(space: Workspace, disk: Path) -> None:
    clone = committed_copy(space, disk / "clone")
    assert clone.run("verify", "--require").code == 0
    clone.sync()
    assert snapshot(clone.root) == snapshot(space.root)


# -- edits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("folder", "path", "kind"),
    [
        ("vendored/up", "a.py", "changed"),
        ("vendored/up", "mine.py", "added"),
        ("out", "a.py", "changed"),
        ("out", "mine.py", "added"),
    ],
)
@pytest.mark.parametrize("words", [("sync",), ("sync", "--pin", "up=v2")], ids=["plain", "bump"])
def test_edits_that_no_patch_records_are_shown_and_kept(
    folder: str, path: str, kind: str, words: tuple[str, ...], space: Workspace
) -> None:
    (space.root / folder / path).write_text("my work\n")
    before = snapshot(space.root)
    refused = space.run(*words)
    assert refused.code == ExitCode.FINDINGS
    assert f"{kind:8} {folder}/{path}" in refused.err
    assert "patch record" in refused.err
    assert "--discard" in refused.err
    assert snapshot(space.root) == before
    assert space.run(*words, "--discard").code == 0
    assert (space.root / ".vendorctl/discarded" / folder / path).read_text() == "my work\n"
    assert space.run("verify").code == 0


def test_a_removed_file_of_the_patched_tree_is_an_edit_and_one_of_the_pristine_tree_is_restored(
    space: Workspace,
) -> None:
    (space.pristine / "b.py").unlink()
    space.sync()
    assert (space.pristine / "b.py").read_text() == "b\n"
    (space.patched / "b.py").unlink()
    refused = space.run("sync")
    assert refused.code == ExitCode.FINDINGS
    assert "removed  out/b.py" in refused.err
    space.must("sync", "--discard")
    assert (space.patched / "b.py").read_text() == "b\n"


def test_what_was_discarded_twice_is_kept_twice(space: Workspace) -> None:
    for text in ("first\n", "second\n"):
        (space.patched / "a.py").write_text(text)
        space.must("sync", "--discard")
    kept = {path.read_text() for path in (space.root / ".vendorctl/discarded").rglob("a.py*")}
    assert kept == {"first\n", "second\n"}


# -- what is neither file nor link -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("folder", "rule"), [("vendored/up", "VC117"), ("out", "VC227")])
@pytest.mark.parametrize("words", [("sync",), ("sync", "--locked"), ("sync", "--pin", "up=v2")], ids=" ".join)
def test_a_pipe_is_reported_as_verify_does_and_left_alone(
    folder: str, rule: str, words: tuple[str, ...], space: Workspace
) -> None:
    os.mkfifo(space.root / folder / "pipe")
    result = space.run(*words, "--format", "json")
    assert (result.code, result.findings()) == (ExitCode.FINDINGS, {(rule, f"{folder}/pipe")})
    verified = space.run("verify", "--format", "json")
    assert (verified.code, verified.findings()) == (ExitCode.FINDINGS, {(rule, f"{folder}/pipe")})
    (space.root / folder / "pipe").unlink()
    space.sync()
    space.must("verify")


def test_a_pipe_in_a_files_place_is_not_overwritten(space: Workspace) -> None:
    (space.pristine / "a.py").unlink()
    os.mkfifo(space.pristine / "a.py")
    before = visible_facts(space)
    refused = space.run("sync")
    assert refused.code != 0
    assert "vendored/up/a.py" in refused.text
    assert visible_facts(space) == before


@pytest.mark.parametrize("folder", ["vendored", "vendored/up", "out"])
def test_a_link_in_a_folders_place_is_refused(folder: str, space: Workspace, disk: Path) -> None:
    """What is behind it is another place: neither to be written, nor to be called up to date."""
    moved = disk / "elsewhere"
    (space.root / folder).rename(moved)
    (space.root / folder).symlink_to(moved)
    before = every_fact(moved)
    for words in (("sync",), ("sync", "--discard"), ("sync", "--pin", "up=v2")):
        refused = space.run(*words)
        assert (refused.code, "move it away" in refused.err) == (ExitCode.FINDINGS, True), refused.text
    assert space.run("verify").code == ExitCode.FINDINGS
    assert every_fact(moved) == before
    (space.root / folder).unlink()
    moved.rename(space.root / folder)
    space.sync()


# -- a team --------------------------------------------------------------------------------------------------------


def committed_copy(space: Workspace, folder: Path) -> Workspace:
    """A teammate's clone: everything but the state folder."""
    copy = space.copy(folder)
    shutil.rmtree(copy.root / ".vendorctl")
    return copy


def pull(mine: Workspace, theirs: Workspace, *folders: str) -> None:
    """What `git pull` brings: the teammate's committed files in the place of mine."""
    for name in ("VENDOR.yaml", "VENDOR.lock", *folders):
        source, target = theirs.root / name, mine.root / name
        if source.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(source, target, symlinks=True)
        else:
            shutil.copy2(source, target)


def test_a_fresh_clone_can_move_the_pin_at_once(space: Workspace, disk: Path) -> None:
    clone = committed_copy(space, disk / "clone")
    clone.must("sync", "--pin", "up=v2")
    assert clone.text("a.py") == OURS + "w = 4\n"
    assert clone.run("verify", "--format", "json").findings() == set()


def test_a_fresh_clone_with_an_edit_does_not_lose_it_to_a_bump(space: Workspace, disk: Path) -> None:
    clone = committed_copy(space, disk / "clone")
    (clone.patched / "a.py").write_text("my work\n")
    refused = clone.run("sync", "--pin", "up=v2")
    assert refused.code == ExitCode.FINDINGS
    assert "changed  out/a.py" in refused.err
    assert (clone.patched / "a.py").read_text() == "my work\n"


@pytest.fixture
def untracked(disk: Path) -> Workspace:
    """As `made`, but the patched tree is local: below the state folder."""
    space = make_workspace(disk / "mine", {"a.py": BASE, "b.py": "b\n"}, {"a.py": BASE + "w = 4\n", "c.py": "c\n"})
    space.sync()
    space.record("Set x to ten", {"a.py": OURS})
    return space


def test_a_teammates_patch_updates_the_stale_patched_tree(untracked: Workspace, disk: Path) -> None:
    theirs = committed_copy(untracked, disk / "theirs")
    theirs.sync()
    theirs.record("Set y to twenty", {"a.py": OURS.replace("y = 2", "y = 20"), "new.py": "n\n", "b.py": None})
    pull(untracked, theirs, "patches", "vendored")
    untracked.sync()
    assert untracked.text("a.py") == OURS.replace("y = 2", "y = 20")
    assert untracked.text("new.py") == "n\n"
    assert not (untracked.patched / "b.py").exists()
    assert untracked.run("verify", "--format", "json").findings() == set()


def test_a_teammates_bump_updates_both_trees(untracked: Workspace, disk: Path) -> None:
    theirs = committed_copy(untracked, disk / "theirs")
    theirs.must("sync", "--pin", "up=v2")
    pull(untracked, theirs, "patches", "vendored")
    untracked.sync()
    assert untracked.text("a.py") == OURS + "w = 4\n"
    assert untracked.text("c.py") == "c\n"
    assert untracked.run("verify", "--format", "json").findings() == set()


def test_a_teammates_patch_does_not_overwrite_my_edit(untracked: Workspace, disk: Path) -> None:
    theirs = committed_copy(untracked, disk / "theirs")
    theirs.sync()
    theirs.record("Set y to twenty", {"a.py": OURS.replace("y = 2", "y = 20")})
    untracked.edit({"a.py": OURS + "mine = 1\n"})
    pull(untracked, theirs, "patches", "vendored")
    refused = untracked.run("sync")
    assert refused.code == ExitCode.FINDINGS
    assert "changed  .vendorctl/patched/up/a.py" in refused.err
    assert "mine = 1" in (untracked.patched / "a.py").read_text()


# -- VENDOR.yaml changes -------------------------------------------------------------------------------------------


def test_an_output_that_moved(space: Workspace) -> None:
    space.describe(space.upstream.commits[0], output="src/_vendor/up", ref="v1")
    assert "moved out of out" in space.sync().out
    assert sorted(path.name for path in (space.root / "src/_vendor/up").iterdir()) == ["a.py", "b.py", "run.sh"]
    assert not (space.root / "out").exists(), "the tool's own files at the old place are its own to remove"
    assert space.run("verify", "--format", "json").findings() == set()


def test_an_output_that_moved_leaves_edits_at_the_old_place(space: Workspace) -> None:
    (space.patched / "mine.py").write_text("my work\n")
    space.describe(space.upstream.commits[0], output="src/_vendor/up", ref="v1")
    result = space.run("sync")
    assert (space.root / "out/mine.py").read_text() == "my work\n", result.text


def test_an_upstream_that_is_called_otherwise_keeps_its_output(space: Workspace) -> None:
    manifest = space.root / "VENDOR.yaml"
    manifest.write_text(manifest.read_text().replace("  up:", "  renamed:"))
    shutil.move(space.patches, space.root / "patches/renamed")
    before = snapshot(space.patched)
    result = space.run("sync", "--discard")
    assert result.code == 0, result.text
    assert sorted(snapshot(space.patched)) == sorted(before)
    assert space.run("verify", "--format", "json").findings() == set()


def test_a_removed_upstream(space: Workspace) -> None:
    (space.root / "VENDOR.yaml").write_text("version: 1\nupstreams: {}\n")
    assert ("VC122", "vendored/up") in space.run("verify", "--format", "json").findings()
    (space.patched / "b.py").write_text("my work\n")
    result = space.sync()
    assert "no longer in VENDOR.yaml" in result.out
    assert not space.pristine.exists()
    assert [path.name for path in space.patched.iterdir()] == ["b.py"], "an edit is not ours to remove"
    assert sorted(path.name for path in space.patches.iterdir()) == ["0001-set-x-to-ten.patch", "series"]
    assert '"up"' not in (space.root / "VENDOR.lock").read_text()


def test_globs_that_select_less(space: Workspace) -> None:
    space.describe(space.upstream.commits[0], include="[a.py]", ref="v1")
    space.sync()
    assert [path.name for path in space.pristine.iterdir()] == ["a.py"]
    assert [path.name for path in space.patched.iterdir()] == ["a.py"]
    assert space.run("verify", "--format", "json").findings() == set()


# -- locked, offline, dry run --------------------------------------------------------------------------------------


def test_locked_refuses_a_change_of_the_lock(space: Workspace) -> None:
    assert space.run("sync", "--locked").code == 0
    space.describe(space.upstream.commits[0], include="[a.py]", ref="v1")
    before = snapshot(space.root)
    refused = space.run("sync", "--locked")
    assert (refused.code, snapshot(space.root)) == (ExitCode.FINDINGS, before)
    assert "VENDOR.lock would change (up), and --locked forbids that" in refused.err


def test_locked_restores_files(space: Workspace) -> None:
    shutil.rmtree(space.pristine)
    assert space.run("sync", "--locked").code == 0
    assert space.run("verify").code == 0


def test_offline_takes_from_the_cache_and_names_what_it_lacks(
    space: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VENDORCTL_CACHE", str(tmp_path / "cache"))
    shutil.rmtree(space.pristine)
    refused = space.run("sync", "--offline")
    assert refused.code == ExitCode.UNREACHABLE
    assert "offline" in refused.err
    assert not space.pristine.exists()
    space.sync()
    shutil.rmtree(space.pristine)
    shutil.move(space.upstream.path, space.folder / "gone")
    assert space.run("sync", "--offline").code == 0
    assert space.run("verify").code == 0


@pytest.mark.parametrize("words", [("sync",), ("sync", "--pin", "up=v2"), ("sync", "--discard")])
def test_a_dry_run_tells_and_writes_nothing(words: tuple[str, ...], space: Workspace) -> None:
    shutil.rmtree(space.pristine)
    before = snapshot(space.root)
    result = space.run(*words, "--dry-run")
    assert result.code == 0
    assert "would write 3 files in vendored/up" in result.out
    assert snapshot(space.root) == before


# -- upstreams that change their past ------------------------------------------------------------------------------


def test_a_moved_tag_is_never_taken_silently(space: Workspace) -> None:
    space.upstream.tag("v1", space.upstream.commits[1])
    assert space.run("verify").code == 0, "offline, nothing has changed"
    space.sync()
    assert str(space.upstream.commits[0]) in (space.root / "VENDOR.lock").read_text()
    found = space.run("verify", "--origin", "--format", "json")
    assert (found.code, {rule for rule, _path in found.findings()}) == (1, {"VC301"})
    space.describe(space.upstream.commits[0], include="[a.py]", ref="v1")
    space.sync()
    lock = (space.root / "VENDOR.lock").read_text()
    assert f'"object": "{space.upstream.commits[0]}"' in lock
    assert str(space.upstream.commits[1]) not in lock


def force_push(upstream: Repo, *, same_files: bool) -> None:
    """Replace all history, and forget what was there."""
    changes: Changes = {"a.py": BASE, "b.py": "b\n" if same_files else "rewritten\n", "run.sh": executable("exit\n")}
    upstream.add_commits([changes], messages=[f"Rewritten {EPOCH}"], parents=[])
    for tag in ("v1", "v2"):
        upstream.git("tag", "-d", tag)
    upstream.git("reflog", "expire", "--expire=now", "--all")
    upstream.git("gc", "-q", "--prune=now")


@pytest.mark.parametrize("same_files", [True, False], ids=["same files", "other files"])
def test_a_vanished_commit(same_files: bool, space: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    force_push(space.upstream, same_files=same_files)
    monkeypatch.setenv("VENDORCTL_CACHE", str(tmp_path / "cache"))
    assert space.run("verify", "--require").code == 0
    space.sync()
    shutil.rmtree(space.pristine)
    refused = space.run("sync")
    assert refused.code == ExitCode.UNREACHABLE
    assert f"does not have commit {space.upstream.commits[0]}" in refused.err
    assert "force push" in refused.err
    assert "--pin NAME=REF" in refused.err
    assert not space.pristine.exists()


# -- store: fetch --------------------------------------------------------------------------------------------------


def test_fetched_trees_are_noted_until_they_are_restored(disk: Path) -> None:
    space = make_workspace(disk / "w", {"a.py": BASE, "b.py": "b\n"}, store="fetch")
    space.sync()
    space.record("Set x to ten", {"a.py": OURS})
    assert "/up/" in (space.root / "vendored/.gitignore").read_text()
    clone = committed_copy(space, disk / "clone")
    shutil.rmtree(clone.pristine)
    noted = clone.run("verify")
    assert noted.code == 0
    assert "VC119" in noted.out
    assert "`vendorctl sync up`" in noted.out
    required = clone.run("verify", "--require")
    assert required.code == 1
    assert "VC119" in required.out
    clone.sync()
    assert clone.run("verify", "--require").code == 0
    assert clone.text("a.py") == OURS


# -- incomplete mirrors --------------------------------------------------------------------------------------------


def lose(upstream: Repo, path: str) -> None:
    """Remove one file's content from the repository, as an incomplete mirror lacks it."""
    oid = upstream.git("rev-parse", f"HEAD:{path}").decode().strip()
    for pack in list((upstream.git_dir / "objects/pack").glob("*.pack")):
        content = pack.read_bytes()
        for part in pack.parent.glob(pack.stem + ".*"):
            part.unlink()
        upstream.git("unpack-objects", "-q", stdin=content)
    (upstream.git_dir / "objects" / oid[:2] / oid[2:]).unlink()


def test_only_a_selected_blob_that_a_mirror_lacks_is_an_error(disk: Path) -> None:
    space = make_workspace(disk / "w", {"a.py": BASE, "big.bin": "lost\n"}, include="[a.py]")
    lose(space.upstream, "big.bin")
    space.sync()
    assert space.run("verify", "--require").code == 0
    before = snapshot(space.root)
    space.describe(space.upstream.commits[0])
    refused = space.run("sync")
    assert refused.code == ExitCode.UNREACHABLE
    assert "big.bin" in refused.err
    assert "exclude" in refused.err
    shown = snapshot(space.root)
    assert {path for path in shown if shown[path] != before.get(path)} == {"VENDOR.yaml"}


def test_several_upstreams_are_written_together_or_not_at_all(disk: Path) -> None:
    space = make_workspace(disk / "w", {"a.py": BASE})
    other = repo(disk / "w/other", {"o.py": "o\n"})
    with (space.root / "VENDOR.yaml").open("a") as manifest:
        manifest.write(f'  other:\n    url: ../other\n    pin: {other.head}\n    include: ["**"]\n')
    shutil.move(other.git_dir, disk / "away")
    refused = space.run("sync")
    assert refused.code == ExitCode.UNREACHABLE
    assert not (space.root / "vendored").exists()
    assert space.run("sync", "up").code == 0
    shutil.move(disk / "away", other.git_dir)
    space.sync()
    assert sorted(path.name for path in (space.root / "vendored").iterdir()) == [".gitattributes", "other", "up"]
    assert space.run("verify").code == 0
