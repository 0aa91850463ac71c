# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl adopt` from the command line: what it writes gives the copy back, and the copy stays as it was."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.command import Result, call
from support.repo import Repo, repo
from support.workspace import every_fact

ROWS = "".join(f"    row_{number} = load({number})\n" for number in range(20))
COLUMNS = "".join(f"    column_{number} = store({number})\n" for number in range(20))
NORM = f"import common.tools\n\n\ndef forward():\n{ROWS}\n\ndef backward():\n{COLUMNS}"
TOOLS = "".join(f"tool_{number} = {number}\n" for number in range(30))


@dataclass(frozen=True)
class Taken:
    """A workspace without upstreams, an upstream, and a copy inside the workspace."""

    root: Path
    upstream: Repo

    @property
    def copy(self) -> Path:
        return self.root / "src/copied"

    def adopt(self, *words: str) -> Result:
        origin = ("--upstream", "up", "--url", f"file://{self.upstream.path}")
        return call("-C", str(self.root), "adopt", str(self.copy), *origin, *words)

    def run(self, *words: str) -> Result:
        return call("-C", str(self.root), *words)

    def titles(self) -> list[str]:
        return [row["title"] for row in self.run("patch", "list", "--format", "json").json()["patches"]]


@pytest.fixture
def taken(tmp_path: Path) -> Taken:
    upstream = repo(
        tmp_path / "upstream",
        {"kernels/norm.py": NORM, "common/tools.py": TOOLS, "LICENSE": "licence\n"},
        {"kernels/norm.py": NORM.replace("load(3)", "load(33)")},
        {"kernels/norm.py": NORM.replace("load(3)", "load(34)")},
    )
    root = tmp_path / "workspace"
    copy = root / "src/copied"
    copy.mkdir(parents=True)
    second = NORM.replace("load(3)", "load(33)")
    (copy / "norm.py").write_text(second.replace("load(7)", "load(77)").replace("store(5)", "store(55)"))
    (copy / "tools.py").write_text(TOOLS)
    (copy / "own.py").write_text("ours = 1\nalso_ours = 2\nours_too = 3\n")
    (copy / "run.sh").write_text("exec python norm.py\n")
    (copy / "run.sh").chmod(0o755)
    assert call("-C", str(root), "init").code == 0
    return Taken(root, upstream)


def contents(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o111) for path in files}


def test_the_series_gives_the_copy_back(taken: Taken) -> None:
    before = every_fact(taken.copy)
    result = taken.adopt("--format", "json")
    assert result.code == 0, result.text
    (share,) = result.json()["upstreams"]
    assert share["commit"] == str(taken.upstream.commits[1])
    assert {row["path"]: row["upstream_path"] for row in share["files"]} == {
        "norm.py": "kernels/norm.py",
        "tools.py": "common/tools.py",
    }
    assert share["unmatched"] == ["own.py", "run.sh"]
    assert every_fact(taken.copy) == before
    assert taken.run("verify").code == 0
    assert taken.run("patch", "lint").code == 0
    copy = contents(taken.copy)
    patched = contents(taken.root / ".vendorctl/patched/up")
    assert {path: patched[path] for path in ("tools.py", "own.py", "run.sh")} == {
        path: copy[path] for path in ("tools.py", "own.py", "run.sh")
    }
    # The modified file carries a change notice; without it, it is the copy's.
    assert patched["norm.py"][0].endswith(copy["norm.py"][0])
    assert contents(taken.root / "vendored/up")["kernels/norm.py"][0] == taken.upstream.read(
        "kernels/norm.py", str(taken.upstream.commits[1])
    )


@pytest.mark.parametrize(
    ("split", "titles"),
    [
        ("none", ["Take over the changes of the copy"]),
        ("by-file", ["Change norm.py", "Add own.py", "Add run.sh"]),
        ("by-symbol", ["Change forward in norm.py", "Change backward in norm.py", "Add own.py", "Add run.sh"]),
    ],
)
def test_changes_are_cut_as_asked(taken: Taken, split: str, titles: list[str]) -> None:
    assert taken.adopt("--split", split).code == 0
    assert taken.titles() == ["Lay the files out as copied has them", *titles]
    assert taken.run("verify").code == 0
    assert taken.run("sync", "--locked").code == 0


def test_a_person_can_name_the_patch_of_every_hunk(taken: Taken) -> None:
    answers = "Tune the rows\nTune the columns\nOur files\n\n"

    def at_a_terminal() -> None:
        sys.stdin = io.StringIO(answers)

    origin = ("--upstream", "up", "--url", f"file://{taken.upstream.path}", "--split", "interactive")
    result = call("-C", str(taken.root), "adopt", str(taken.copy), *origin, prepare=at_a_terminal)
    assert result.code == 0, result.text
    assert "row_7 = load(77)" in result.err
    assert taken.titles()[1:] == ["Tune the rows", "Tune the columns", "Our files"]
    assert taken.run("verify").code == 0


def test_a_file_that_was_copied_at_another_time_is_named(taken: Taken) -> None:
    """No commit has both files: the one that has most is taken, and where the other one fits is told."""
    late = "".join(f"late_{number} = {number}\n" for number in range(60))
    added = taken.upstream.commit({"common/late.py": late, "kernels/norm.py": NORM.replace("load(1", "fetch(1")})
    (taken.copy / "norm.py").write_text(NORM)
    (taken.copy / "late.py").write_text(late)
    result = taken.adopt("--dry-run", "--format", "json").json()
    assert result["upstreams"][0]["commit"] == str(added)
    (note,) = [note for note in result["notes"] if "alone fits" in note]
    assert note.startswith(f"norm.py alone fits upstream as of {taken.upstream.commits[0].short} better")


def test_an_adopted_copy_follows_upstream_from_then_on(taken: Taken) -> None:
    """What nobody could do by hand: upstream's next change arrives in the moved and edited file."""
    assert taken.adopt("--split", "by-symbol").code == 0
    result = taken.run("sync", "--pin", f"up={taken.upstream.commits[2]}")
    assert result.code == 0, result.text
    text = (taken.root / ".vendorctl/patched/up/norm.py").read_text()
    assert all(part in text for part in ("load(34)", "load(77)", "store(55)"))
    assert taken.run("verify").code == 0


def test_in_place_needs_consent_and_then_only_adds_notices(taken: Taken) -> None:
    before = contents(taken.copy)
    refused = taken.adopt("--in-place")
    assert (refused.code, contents(taken.copy)) == (2, before)
    assert "--yes" in refused.err
    assert taken.adopt("--in-place", "--yes").code == 0
    after = contents(taken.copy)
    assert after.keys() == before.keys()
    assert {path for path in after if after[path] != before[path]} == {"norm.py"}
    assert after["norm.py"][0].endswith(before["norm.py"][0])
    assert taken.run("verify").code == 0


def test_a_dry_run_writes_nothing(taken: Taken) -> None:
    assert taken.adopt("--dry-run").code == 0
    assert sorted(path.name for path in taken.root.iterdir() if path.name != ".vendorctl") == ["VENDOR.yaml", "src"]
    assert "upstreams: {}" in (taken.root / "VENDOR.yaml").read_text()


def test_unrelated_files_and_bad_requests_are_refused(taken: Taken, tmp_path: Path) -> None:
    stranger = repo(tmp_path / "stranger", {"x.c": "".join(f"int v{n};\n" for n in range(30))})
    nothing = call(
        "-C", str(taken.root), "adopt", str(taken.copy), "--upstream", "no", "--url", f"file://{stranger.path}"
    )  # fmt: skip
    assert nothing.code == 1
    assert "nothing in the copy comes from" in nothing.err
    assert taken.adopt().code == 0
    assert taken.adopt().code == 2
    absolute = call("-C", str(taken.root), "adopt", str(taken.copy), "--upstream", "b", "--url", "/nowhere")
    assert (absolute.code, "not a URL" in absolute.err) == (3, True)
    unpaired = call("-C", str(taken.root), "adopt", str(taken.copy), "--upstream", "a", "--url", "x", "--url", "y")
    assert unpaired.code == 2


def test_byte_code_and_excluded_files_are_left_out(taken: Taken) -> None:
    (taken.copy / "__pycache__").mkdir()
    (taken.copy / "__pycache__/norm.cpython-311.pyc").write_bytes(b"\0")
    result = taken.adopt("--exclude", "run.sh", "--format", "json")
    assert result.json()["skipped"] == ["__pycache__/norm.cpython-311.pyc", "run.sh"]
    assert contents(taken.root / ".vendorctl/patched/up").keys() == {"norm.py", "own.py", "tools.py"}


def test_two_origins_in_one_folder(taken: Taken, tmp_path: Path) -> None:
    other = repo(tmp_path / "other", {"lib/own.py": "ours = 1\nalso_ours = 2\nours_too = 3\nand_more = 4\n"})
    result = taken.adopt("--upstream", "other", "--url", f"file://{other.path}")
    assert result.code == 0, result.text
    assert taken.run("verify").code == 0
    assert contents(taken.root / "vendored/other").keys() == {"lib/own.py"}
    assert contents(taken.root / ".vendorctl/patched/other").keys() == {"own.py"}
    assert contents(taken.root / ".vendorctl/patched/up").keys() == {"norm.py", "tools.py", "run.sh"}


def test_links_and_odd_names_come_back_too(taken: Taken) -> None:
    (taken.copy / "link.py").symlink_to("norm.py")
    (taken.copy / "with space é.txt").write_text("no newline at the end")
    (taken.copy / "empty.py").write_text("")
    (taken.copy / "crlf.py").write_bytes(TOOLS.replace("\n", "\r\n").encode())
    (taken.copy / "tools.py").unlink()
    result = taken.adopt("--format", "json")
    assert result.code == 0, result.text
    (share,) = result.json()["upstreams"]
    assert {row["path"]: row["upstream_path"] for row in share["files"]}["crlf.py"] == "common/tools.py"
    patched = taken.root / ".vendorctl/patched/up"
    assert (patched / "link.py").readlink() == Path("norm.py")
    assert (patched / "crlf.py").read_bytes().endswith((taken.copy / "crlf.py").read_bytes())
    assert contents(patched).keys() == contents(taken.copy).keys()
    assert taken.run("verify").code == 0


def test_what_no_patch_can_carry_is_refused(taken: Taken) -> None:
    os.mkfifo(taken.copy / "pipe")
    refused = taken.adopt()
    assert (refused.code, "named pipe" in refused.err) == (2, True)
    assert taken.adopt("--exclude", "pipe").code == 0


def test_a_link_out_of_the_workspace_stays_a_link(taken: Taken) -> None:
    """It is the copy's own, not upstream's: it is recorded as it is, and nothing behind it is read."""
    (taken.copy / "out").symlink_to("/etc/hostname")
    result = taken.adopt()
    assert result.code == 0, result.text
    assert (taken.root / ".vendorctl/patched/up/out").readlink() == Path("/etc/hostname")
