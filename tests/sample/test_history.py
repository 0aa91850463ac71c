# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The sample repository is the same everywhere, and everything in its trees/ folder reaches it."""

from __future__ import annotations

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vendorctl.errors import VendorError
from vendorctl.git.oid import hash_blob
from vendorctl.sample import history

#: The identity of the sample: documentation, goldens and the root workspace rely on these ids.
TAGS = {
    "v0.1.0": "796e0d94be127787187b1139b000c1f587d0a209",
    "v0.2.0": "ec4d6d7431c6c23a14c1f1a3ada7a9887a66db2f",
    "v0.3.0": "14679b0d2f8ccb3183522f5cdfdc790c0f10b67a",
    "v0.4.0": "f58df4b395f24cb3adf99ee16e0983bbe6c43596",
}


def git(repository: Path, *args: str) -> str:
    command = ["git", "-C", str(repository), *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def copied_trees(tmp_path: Path) -> Path:
    copy = tmp_path / "trees"
    shutil.copytree(str(history.trees()), copy)
    return copy


def test_release_tags_have_their_ids(tmp_path: Path) -> None:
    made = history.write(tmp_path / "mini.git")
    assert {tag: str(commit) for tag, commit in made.tags.items()} == TAGS
    peeled = {tag: git(made.path, "rev-parse", f"{tag}^{{commit}}").strip() for tag in TAGS}
    assert peeled == TAGS
    assert git(made.path, "symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert git(made.path, "rev-parse", "main").strip() == str(made.commits[-1])


def test_ids_do_not_depend_on_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "hostile.gitconfig"
    config.write_text(
        "[user]\n\tname = Someone Else\n\temail = else@example.org\n[core]\n\tautocrlf = true\n"
        "[init]\n\tdefaultBranch = trunk\n[commit]\n\tgpgSign = true\n[i18n]\n\tcommitEncoding = latin1\n"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_AUTHOR_DATE", "2001-01-01T00:00:00Z")
    monkeypatch.setenv("TZ", "Asia/Kathmandu")
    made = history.write(tmp_path / "mini.git")
    assert {tag: str(commit) for tag, commit in made.tags.items()} == TAGS
    assert not (tmp_path / "elsewhere").exists()


def test_a_changed_tree_changes_the_ids_from_there_on(tmp_path: Path, copied_trees: Path) -> None:
    before = history.write(tmp_path / "before.git")
    notes = copied_trees / "06-picture" / "docs" / "butterfly.png"
    notes.write_bytes(notes.read_bytes() + b"\0")
    after = history.write(tmp_path / "after.git", source=copied_trees)
    same = [a == b for a, b in zip(before.commits, after.commits, strict=True)]
    side_branch = 7  # step 08 branches off before the picture
    assert same == [number < 5 or number == side_branch for number in range(len(same))]
    assert after.tags["v0.1.0"] == before.tags["v0.1.0"]
    assert after.tags["v0.2.0"] != before.tags["v0.2.0"]


def test_the_trees_hold_what_upstreams_really_hold(tmp_path: Path) -> None:
    made = history.write(tmp_path / "mini.git")
    rows = git(made.path, "ls-tree", "-r", "v0.2.0").splitlines()
    modes = {row.split("\t")[1]: row.split(" ")[0] for row in rows}
    assert modes["scripts/run-tests"] == "100755"
    assert modes["docs/changes.md"] == "120000"
    assert modes["minikernels/common.py"] == "100644"
    assert git(made.path, "cat-file", "blob", "v0.2.0:docs/changes.md") == "../CHANGELOG.md"
    assert "Apache License" in git(made.path, "cat-file", "blob", "v0.1.0:LICENSE")
    numbers = git(made.path, "diff", "--numstat", "v0.1.0", "v0.2.0", "--", "docs/butterfly.png")
    assert numbers.startswith("-\t-"), "git takes the picture for binary"


def test_the_history_is_not_a_line(tmp_path: Path) -> None:
    made = history.write(tmp_path / "mini.git")
    assert len(git(made.path, "rev-list", "--merges", "main").split()) == 1
    assert git(made.path, "rev-list", "--count", "main").strip() == str(len(made.commits))
    people = git(made.path, "log", "--format=%an", "main").splitlines()
    assert len(set(people)) >= 4
    differing = git(made.path, "log", "--format=%an|%cn|%at|%ct", "main").splitlines()
    assert all(row.split("|")[2] != row.split("|")[3] for row in differing)


def test_reverted_work_leaves_no_trace(tmp_path: Path) -> None:
    made = history.write(tmp_path / "mini.git")
    before, fast, reverted = (made.commits[number] for number in (5, 6, 9))
    path = "minikernels/softmax.py"
    contents = [git(made.path, "cat-file", "blob", f"{commit}:{path}") for commit in (before, fast, reverted)]
    assert contents[0] == contents[2] != contents[1]
    assert git(made.path, "log", "-1", "--format=%s", str(reverted)).startswith("Revert ")


def test_git_follows_the_moved_file(tmp_path: Path) -> None:
    made = history.write(tmp_path / "mini.git")
    summary = git(made.path, "diff", "-M", "--summary", "v0.1.0", "v0.3.0")
    assert "minikernels/{ => norm}/rmsnorm.py" in summary


def test_partial_clones_and_single_commits_can_be_fetched(tmp_path: Path) -> None:
    made = history.write(tmp_path / "mini.git")
    clone = tmp_path / "clone.git"
    git(tmp_path, "init", "-q", "--bare", str(clone))
    commit = str(made.commits[3])  # no ref points at it
    git(clone, "fetch", "-q", "--depth=1", "--filter=blob:none", made.path.as_uri(), commit)
    objects = git(clone, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype)").split()
    assert "blob" not in objects
    assert objects.count("commit") == 1


def test_an_equal_repository_is_kept(tmp_path: Path) -> None:
    place = tmp_path / "mini.git"
    first = history.write(place)
    (place / "kept").touch()
    assert history.write(place) == first
    assert (place / "kept").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["mini.git"]


def test_writers_at_the_same_time_agree(tmp_path: Path) -> None:
    place = tmp_path / "mini.git"
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: history.write(place), range(4)))
    assert made == [made[0]] * 4
    assert [path.name for path in tmp_path.iterdir()] == ["mini.git"]


@pytest.mark.parametrize("damage", ["missing object", "other ref"])
def test_a_damaged_or_older_sample_is_replaced(tmp_path: Path, damage: str) -> None:
    place = tmp_path / "mini.git"
    made = history.write(place)
    if damage == "missing object":
        for path in (place / "objects").rglob("*.pack"):
            path.unlink()
    else:
        git(place, "update-ref", "refs/tags/v0.1.0", str(made.commits[0]))
    assert history.write(place) == made
    assert git(place, "rev-parse", "v0.1.0").strip() == TAGS["v0.1.0"]
    assert git(place, "fsck", "--full") == ""


def test_something_else_is_not_overwritten(tmp_path: Path) -> None:
    folder, repository = tmp_path / "folder", tmp_path / "repository"
    folder.mkdir()
    precious = folder / "precious"
    precious.write_text("work of a day\n")
    git(tmp_path, "init", "-q", "--bare", str(repository))
    for place in (folder, precious, repository):
        with pytest.raises(VendorError, match="not a sample repository"):
            history.write(place)
    assert precious.read_text() == "work of a day\n"
    assert sorted(path.name for path in tmp_path.rglob("*") if path.name.startswith(".")) == []


def test_an_empty_folder_is_used(tmp_path: Path) -> None:
    assert history.write(tmp_path).path == tmp_path


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('pusher = "x"', "unknown key 'pusher'"),
        ('after = "99-later"', "no earlier step '99-later'"),
        ("tag = ", "not TOML"),
    ],
)
def test_a_malformed_step_is_named(tmp_path: Path, copied_trees: Path, line: str, message: str) -> None:
    step = copied_trees / "06-picture.toml"
    step.write_text(f"{line}\n{step.read_text()}")
    with pytest.raises(VendorError, match=message) as caught:
        history.write(tmp_path / "mini.git", source=copied_trees)
    assert caught.value.location is not None
    assert caught.value.location.path == "06-picture.toml"
    assert not (tmp_path / "mini.git").exists()


def test_a_step_without_an_author_is_named(tmp_path: Path, copied_trees: Path) -> None:
    step = copied_trees / "06-picture.toml"
    step.write_text("\n".join(row for row in step.read_text().splitlines() if not row.startswith("author =")))
    with pytest.raises(VendorError, match="missing key 'author'"):
        history.write(tmp_path / "mini.git", source=copied_trees)


def test_a_content_is_stored_byte_for_byte(tmp_path: Path, copied_trees: Path) -> None:
    content = b'data 3\r\nM 100644 inline "x"\n\0 no newline at the end'
    (copied_trees / "06-picture" / "docs" / 'odd "na\\me').write_bytes(content)
    made = history.write(tmp_path / "mini.git", source=copied_trees)
    assert git(made.path, "rev-parse", f'{made.commits[5]}:docs/odd "na\\me').strip() == str(hash_blob(content))
