# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a submission must not contain, and what upstream's own tools say about it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from support.chains import Shelf
from support.repo import Changes
from support.workspace import Workspace, make_workspace
from vendorctl.proc import Completed
from vendorctl.submit.formatters import Verdict, judge_style

HEADER = "# SPDX-FileCopyrightText: 2025 Them\n# SPDX-License-Identifier: MIT\n"
RUFF = str(Path(sys.executable).parent / "ruff")


def made(folder: Path, files: Changes, **keys: str) -> Workspace:
    space = make_workspace(folder, files, track="main", **keys)
    space.sync()
    return space


def findings(space: Workspace, *words: str) -> list[tuple[str, str]]:
    """Rule and message of everything that a submission is told, notes left out."""
    document = space.run("submit", "-s", "--format", "json", *words).json()
    return [(row["rule"], row["message"]) for row in document["findings"] if row["severity"] != "note"]


@pytest.mark.parametrize(
    "line",
    [
        "ROOT = '/home/dev/kernels'",
        "ROOT = '/Users/dev/kernels'",
        r"ROOT = 'C:\Users\dev\kernels'",
        "# see vendored/up/a.py",
        "# kept in patches/up/0001-x.patch",
        "# edited in .vendorctl/patched/up",
        "# vendorctl: end of modification notice",
        "# copied to src/_vendor/up/a.py",
        "URL = 'file:///srv/mirror/up'",
    ],
)
def test_private_text_is_held_back(tmp_path: Path, line: str) -> None:
    space = made(tmp_path, {"a.py": "x = 1\n"}, output="src/_vendor/up")
    space.record("Set x", {"b.py": "y = 1\n", "a.py": f"x = 1\n{line}\n"})
    ((rule, message),) = findings(space)
    assert rule == "VC282"
    assert message.startswith("line 2 of a.py says")


def test_upstreams_own_text_is_upstreams_business(tmp_path: Path) -> None:
    space = made(tmp_path, {"a.py": "ROOT = '/home/them/x'\nx = 1\n# out of home/made parts\n"}, output="out")
    space.record("Set x", {"a.py": "ROOT = '/home/them/x'\nx = 2  # about/home is fine, checkout/ too\n"})
    assert findings(space) == []


def test_private_text_in_a_message_is_held_back(tmp_path: Path) -> None:
    space = made(tmp_path, {"a.py": "x = 1\n"})
    space.edit({"a.py": "x = 2\n"})
    space.must("patch", "record", "up", "--title", "Set x", "--reason", "the box at /home/dev needs it")
    assert findings(space) == [("VC282", "its message says `/home/dev`")]


def test_imports_go_out_under_upstreams_names_and_ours_are_held_back(tmp_path: Path) -> None:
    space = made(tmp_path, {"minik/a.py": "x = 1\n", "minik/b.py": ""}, rewrite_imports="{minik: ourlib._vendor.minik}")
    space.record("Import b", {"minik/a.py": "x = 1\nfrom ourlib._vendor.minik import b\n"})
    assert findings(space, "--output", str(tmp_path / "out")) == []
    assert "\n+from minik import b\n" in (tmp_path / "out/0001-Import-b.patch").read_text()
    space.record("Say so", {"minik/b.py": "# imported by ourlib._vendor.minik\n"})
    assert findings(space) == [("VC282", "line 1 of minik/b.py says `ourlib._vendor.minik`")]


def test_a_new_file_needs_the_header_that_its_neighbours_have(tmp_path: Path) -> None:
    space = made(tmp_path, {"k/a.py": HEADER + "x = 1\n", "k/b.py": HEADER + "y = 1\n", "k/c.py": "z = 1\n"})
    space.record("Add d", {"k/d.py": "w = 1\n"})
    assert findings(space) == [("VC284", "k/d.py has no licence header; 2 of the 3 files beside it have one")]
    space.record("Add e", {"k/e.py": HEADER + "v = 1\n", "k/empty.py": "", "m/f.py": "no neighbours = 1\n"})
    assert findings(space, "2") == []


def test_a_header_must_not_get_lost(tmp_path: Path) -> None:
    space = made(tmp_path, {"a.py": HEADER + "x = 1\n"})
    space.record("Shorten", {"a.py": HEADER.split("\n")[1] + "\nx = 1\n"})
    ((rule, message),) = findings(space)
    assert rule == "VC284"
    assert "2025 Them" in message


def test_private_trailers_are_withheld_and_public_ones_sent(tmp_path: Path) -> None:
    space = made(tmp_path, {"a.py": "x = 1\n"})
    space.record("Set x", {"a.py": "x = 2\n"})
    file = space.patches / "0001-set-x.patch"
    text = file.read_text().replace(
        "Reason: ours\n", "Reason: ours\nTicket: ABC-1\nReported-by: Them <t@example.org>\n"
    )
    file.write_text(text)
    space.sync()
    report = space.must("submit", "-s", "--format", "json", "--output", str(tmp_path / "out")).json()
    assert [row["rule"] for row in report["findings"]] == ["VC289"]
    sent = (tmp_path / "out/0001-Set-x.patch").read_text()
    assert "Reported-by: Them <t@example.org>\n" in sent
    assert "ABC-1" not in sent


# -- upstream's own tools ----------------------------------------------------------------------------------------------

PYPROJECT = "[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect = ['F', 'I']\n"


def judged(
    before: Mapping[str, str], after: Mapping[str, str], programs: Mapping[str, str] | None = None
) -> dict[str, Verdict]:
    """Verdicts by tool on a change, with the tools that a machine has (default: our ruff)."""
    shelf = Shelf()
    have = {"ruff": RUFF} if programs is None else programs
    found = judge_style(shelf.tree(before), shelf.tree(after), shelf.blobs, have.get)
    return {verdict.tool: verdict for verdict in found}


def test_new_faults_are_told_and_old_ones_are_not() -> None:
    old = "import os\nx = {  'a':1 }\n"
    before = {"pyproject.toml": PYPROJECT, "old.py": old, "new.py": "x = 1\n"}
    after = {"pyproject.toml": PYPROJECT, "old.py": old + "y = 1\n", "new.py": "import sys\n\nx = {  'a':1 }\n"}
    verdicts = judged(before, after)
    assert verdicts["ruff format"].faults == (("new.py", "it would be formatted differently"),)
    assert verdicts["ruff check"].faults == (("new.py", "F401: `sys` imported but unused"),)
    assert verdicts["ruff check"].version[0].isdigit()


def test_a_second_fault_of_the_same_kind_is_new() -> None:
    before = {"pyproject.toml": PYPROJECT, "a.py": "print(one)\n"}
    after = {"pyproject.toml": PYPROJECT, "a.py": "print(one)\nprint(one)\n"}
    assert judged(before, after)["ruff check"].faults == (("a.py", "F821: Undefined name `one`"),)


def test_clean_changes_have_no_faults() -> None:
    before = {"pyproject.toml": PYPROJECT, "a.py": "x = 1\n"}
    verdicts = judged(before, {**before, "a.py": "x = 2\n"})
    assert {name: (verdict.faults, verdict.skipped) for name, verdict in verdicts.items()} == {
        "ruff format": ((), ""),
        "ruff check": ((), ""),
    }


def test_files_that_upstream_excludes_are_not_judged() -> None:
    project = PYPROJECT + "[tool.ruff.format]\nexclude = ['gen/*']\n"
    before = {"pyproject.toml": project, "gen/a.py": "x = 1\n"}
    verdicts = judged(before, {**before, "gen/a.py": "x   =  2\n"})
    assert verdicts["ruff format"].faults == ()


def test_the_configuration_counts() -> None:
    line = "x = '" + "a" * 110 + "'\n"
    wide = {"pyproject.toml": "[tool.ruff]\nline-length = 140\n[tool.ruff.lint]\nselect = ['E501']\n"}
    narrow = {"pyproject.toml": "[tool.ruff]\nline-length = 90\n[tool.ruff.lint]\nselect = ['E501']\n"}
    assert judged(wide, {**wide, "a.py": line})["ruff check"].faults == ()
    assert len(judged(narrow, {**narrow, "a.py": line})["ruff check"].faults) == 1


def test_a_tool_that_is_missing_is_no_pass() -> None:
    project = {"pyproject.toml": "[tool.black]\n[tool.isort]\n[tool.ruff]\n[tool.pylint]\n"}
    verdicts = judged(project, {**project, "a.py": "x = 1\n"}, programs={})
    assert {name: verdict.skipped for name, verdict in verdicts.items()} == {
        "black": "it is not installed",
        "isort": "it is not installed",
        "ruff check": "it is not installed",
        "pylint": "it can load code from the tree, and is not run",
    }


def test_a_tool_in_trouble_is_no_pass() -> None:
    project = {"pyproject.toml": "[tool.ruff]\nno-such-setting = true\n"}
    verdicts = judged(project, {**project, "a.py": "x = 1\n"})
    assert all(verdict.skipped and not verdict.faults for verdict in verdicts.values())


def test_an_upstream_without_configuration_has_no_tools() -> None:
    assert judged({}, {"a.py": "x  = 1\n"}) == {}
    assert judged({"pyproject.toml": "not = [toml"}, {"pyproject.toml": "not = [toml", "a.py": "x = 1\n"}) == {}


def test_a_formatter_judges_by_what_it_does() -> None:
    """black and isort are not among our dependencies; both rewrite the files that they are given."""

    def formatter(
        args: Sequence[str | bytes],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        limit: int | None = None,
    ) -> Completed:
        words = tuple(str(word) for word in args)
        if words[-1] == "--version":
            return Completed(words, 0, f"{words[0]}, version 1.0\n".encode(), b"")
        assert cwd is not None
        for file in words[words.index("--") + 1 :]:
            place = cwd / file
            place.write_text(place.read_text().replace("ugly", "nice"))
        return Completed(words, 0, b"", b"")

    shelf = Shelf()
    project = {"pyproject.toml": "[tool.black]\n[tool.isort]\n", "a.py": "x = 1\n", "b.py": "ugly = 0\n"}
    trees = shelf.tree(project), shelf.tree({**project, "a.py": "ugly = 1\n", "b.py": "ugly = 2\n"})
    verdicts = judge_style(*trees, shelf.blobs, lambda name: name, runner=formatter)
    fault = (("a.py", "it would be formatted differently"),)
    assert [(verdict.tool, verdict.faults, verdict.version) for verdict in verdicts] == [
        ("black", fault, "1.0"),
        ("isort", fault, "1.0"),
    ]


def test_the_submission_stops_at_a_fault_of_upstreams_linter(tmp_path: Path) -> None:
    space = made(tmp_path, {"pyproject.toml": PYPROJECT, "a.py": "x = 1\n"})
    space.record("Import", {"a.py": "import sys\n\nx = 1\n"})
    ((rule, message),) = findings(space)
    assert (rule, message) == ("VC286", "a.py: F401: `sys` imported but unused (ruff check)")
    assert findings(space, "--no-style") == []


def test_our_ruff_is_there() -> None:
    """The tests above would prove nothing without it."""
    assert subprocess.run([RUFF, "--version"], check=True, capture_output=True).stdout.startswith(b"ruff ")
