# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every `console` block in the documentation does what it shows.

The blocks of a page run in order and start in one empty folder. The current folder and exported variables last from
one command to the next, as they do for a reader who pastes the page into a terminal. Lines that start with `$ ` are
commands, the lines up to the next one are their output (stdout and stderr). A line `...` stands for any lines, and
`...` inside a line for any text. `# exit N` behind a command says with what it must end.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
#: Runs `$1`, and leaves the folder that it ends in and what it exports in the file `$0` for the next command.
_SHELL = """\
. "$0"
trap 'status=$?; { export -p; printf "cd %q\\n" "$PWD"; } > "$0"; exit $status' EXIT
eval "$1"
"""
PAGES = [page for page in sorted((ROOT / "docs").rglob("*.md")) if "```console" in page.read_text("utf-8")]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Step:
    command: str
    status: int
    output: str


def steps(text: str) -> list[Step]:
    found = []
    for block in _BLOCK.findall(text):
        parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
        assert not parts[0].strip(), f"output before the first command: {parts[0]!r}"
        for part in parts[1:]:
            command, _, output = part.partition("\n")
            while command.endswith("\\"):
                more, _, output = output.partition("\n")
                command = command[:-1] + more.removeprefix("> ").lstrip()
            if "<<'END'" in command:
                body, _, output = output.partition("\nEND\n")
                command += f"\n{body}\nEND"
            plain, _, status = command.partition("  # exit ")
            found.append(Step(plain, int(status or 0), output))
    return found


def pattern(expected: str) -> re.Pattern[str]:
    lines = []
    for line in expected.splitlines():
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*?".join(re.escape(part.rstrip()) for part in line.split("...")) + r"[ \t]*\n")
    return re.compile("".join(lines))


def environment(home: Path) -> dict[str, str]:
    home.mkdir()
    return {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "120",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ada Example",
        "GIT_AUTHOR_EMAIL": "ada@example.org",
        "GIT_COMMITTER_NAME": "Ada Example",
        "GIT_COMMITTER_EMAIL": "ada@example.org",
        "SOURCE_DATE_EPOCH": "1767225600",
        "VENDORCTL_SOURCE": str(ROOT),
    }


def run(step: Step, folder: Path, env: dict[str, str]) -> str | None:
    """What is wrong with `step`; None: it does what it shows. The first one of a page starts in `folder`."""
    state = Path(env["HOME"], ".shell-state")
    state.touch()
    done = subprocess.run(
        ["bash", "-c", _SHELL, str(state), step.command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    shown = done.stdout.decode()
    if done.returncode != step.status:
        return f"$ {step.command}\nexit {done.returncode}, not {step.status}:\n{shown}"
    if step.output and not pattern(step.output).fullmatch(shown):
        return f"$ {step.command}\nshould print:\n{step.output}\nbut printed:\n{shown}"
    return None


@pytest.mark.timeout(900)  # the tutorial takes half a minute alone, and more where other tests run beside it
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_does_what_it_shows(page: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    env = environment(tmp_path / "home")
    for step in steps(page.read_text("utf-8")):
        fault = run(step, folder, env)
        assert fault is None, fault


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "should print"),
        ("```console\n$ false\n```\n", "exit 1, not 0"),
        ("```console\n$ true  # exit 1\n```\n", "exit 0, not 1"),
        ("```console\n$ printf 'a\\nb\\nc\\n'\na\n...\nd\n```\n", "should print"),
    ],
)
def test_a_block_that_tells_otherwise_is_noticed(text: str, seen: str, tmp_path: Path) -> None:
    (step,) = steps(text)
    fault = run(step, tmp_path, environment(tmp_path / "home"))
    assert fault is not None
    assert seen in fault


def test_ellipses_stand_for_anything() -> None:
    assert pattern("a\n...\nid ... end\n").fullmatch("a\nb\nc\nid 12 end\n")
    assert not pattern("a\n...\nid ... end\n").fullmatch("a\nb\nid 12\n")


def test_a_page_is_one_session(tmp_path: Path) -> None:
    text = "```console\n$ mkdir -p in/here && cd in\n$ export WORD='a b' && false  # exit 1\n```\n"
    text += '```console\n$ echo "$WORD" && ls\na b\nhere\n```\n'
    env = environment(tmp_path / "home")
    assert [run(step, tmp_path, env) for step in steps(text)] == [None, None, None]


def test_the_readme_shows_lines_of_the_tutorial() -> None:
    tutorial = (ROOT / "docs" / "tutorial" / "index.md").read_text("utf-8").splitlines()
    shown = re.findall(r"^```text\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in shown for line in block.splitlines()]
    assert len(lines) > 5
    assert [line for line in lines if line not in tutorial] == []
