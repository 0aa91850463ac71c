# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The terminal: help, completion, suggestions, pager."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.command import call
from support.workspace import Workspace, make_workspace
from vendorctl.cli.help import TOPICS
from vendorctl.cli.table import COMMANDS

BIN = Path(sys.executable).parent


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    made = make_workspace(tmp_path / "w", {"k/a.py": "x = 1\n"}, output="out")
    made.sync()
    made.record("Set x to two", {"k/a.py": "x = 2\n"})
    return made


@pytest.mark.parametrize("topic", [*TOPICS, *COMMANDS, "VC201", "vc239"])
def test_there_is_help_on(topic: str) -> None:
    result = call("help", topic)
    assert result.code == 0
    assert len(result.out.splitlines()) > 3


def test_topics_name_pages_that_exist() -> None:
    root = Path(__file__).parent.parent.parent
    for topic in TOPICS.values():
        pages = topic.text.splitlines()[-1].removeprefix("Read on: ").split(", ")
        assert all((root / page).is_file() for page in pages), pages


@pytest.mark.parametrize(
    ("words", "guess"),
    [
        (("help", "bmup"), "'bump'"),
        (("verfy",), "'verify'"),
        (("verify", "upp"), "'up'"),
        (("patch", "recrod"), "'record'"),
        (("patch", "show", "up", "set-x-too-two"), "'set-x-to-two'"),
        (("explain", "VC20l"), "'VC"),
        (("sync", "--pin", "upp=v1"), "'up'"),
        (("schema", "verfy"), "'verify'"),
        (("check", "--requir"), "'--require'"),
    ],
)
def test_a_mistyped_name_is_answered_with_the_nearest(space: Workspace, words: tuple[str, ...], guess: str) -> None:
    result = space.run(*words)
    assert result.code == 2
    assert f"id you mean {guess}" in result.err


def test_a_name_unlike_any_is_answered_with_all(space: Workspace) -> None:
    assert "VENDOR.yaml has: up" in space.run("verify", "zzz").err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_completion_script_names_the_program(shell: str) -> None:
    result = call("completion", shell)
    assert result.code == 0
    assert "_VENDORCTL_COMPLETE" in result.out


def completed(folder: Path, *words: str) -> list[str]:
    """What Tab offers for the last of some words, through the script that bash reads."""
    line = " ".join(f'"{word}"' for word in ("vendorctl", *words))
    script = (
        'eval "$(vendorctl completion bash)"; '
        f"COMP_WORDS=({line}); COMP_CWORD={len(words)}; _vendorctl_completion vendorctl; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    env = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_bash_completes_commands_options_and_upstreams(space: Workspace) -> None:
    assert completed(space.root, "ver") == ["verify"]
    assert "--require" in completed(space.root, "verify", "--re")
    assert completed(space.root, "verify", "u") == ["up"]
    assert completed(space.root, "patch", "list", "u") == ["up"]
    assert completed(space.root.parent, "-C", "workspace", "verify", "u") == ["up"]
    assert completed(space.root, "verify", "up", "u") == completed(space.root, "verify", "z") == []


def on_terminal(folder: Path, *words: str, **environment: str) -> str:
    """What a command shows on a terminal."""
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "xterm", **environment}
    program = [sys.executable, "-m", "vendorctl", *words]
    with subprocess.Popen(program, cwd=folder, env=env, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # how Linux says that nobody holds the other end any more
                break
            if not part:
                break
            shown += part
        process.wait()
    os.close(ours)
    return shown.decode()


def test_differences_on_a_terminal_go_through_the_pager(space: Workspace) -> None:
    assert "paged: up against" in on_terminal(space.root, "diff-upstream", VENDORCTL_PAGER="sed 's/^/paged: /'")
    assert "paged: up against" in on_terminal(space.root, "diff-upstream", PAGER="sed 's/^/paged: /'")
    assert "paged: " not in on_terminal(space.root, "verify", PAGER="sed 's/^/paged: /'")
    assert "paged: From " in on_terminal(space.root, "patch", "show", "up", "1", PAGER="sed 's/^/paged: /'")


@pytest.mark.parametrize("pager", ["", "cat", "no-such-program"])
def test_without_a_pager_the_text_is_written(space: Workspace, pager: str) -> None:
    assert "up against" in on_terminal(space.root, "diff-upstream", VENDORCTL_PAGER=pager)


def test_a_pipe_never_gets_a_pager(space: Workspace) -> None:
    result = space.run("diff-upstream", prepare=lambda: os.environ.update(PAGER="false"))
    assert "up against" in result.out


def test_colours_are_for_terminals_unless_switched_off(space: Workspace) -> None:
    assert "\x1b[" in on_terminal(space.root, "verify")
    assert "\x1b[" not in on_terminal(space.root, "verify", NO_COLOR="1").replace("\x1b[?25", "").replace("\x1b[K", "")
    assert "\x1b[" not in space.run("verify").text
    assert "\x1b[" not in on_terminal(space.root, "verify", TERM="dumb")


def with_environment(**variables: str) -> Callable[[], None]:
    return lambda: os.environ.update(variables)


def test_colours_can_be_had_in_a_pipe(space: Workspace) -> None:
    assert "\x1b[1;32mok\x1b[0m" in space.run("verify", prepare=with_environment(FORCE_COLOR="1")).out
    assert "\x1b[" not in space.run("verify", prepare=with_environment(FORCE_COLOR="1", NO_COLOR="1")).text
    assert "\x1b[" not in space.run("--no-color", "verify", prepare=with_environment(FORCE_COLOR="1")).text
    assert "\x1b[" not in space.run("verify", prepare=with_environment(FORCE_COLOR="")).text


def test_differences_have_the_colours_of_their_signs(space: Workspace) -> None:
    shown = space.run("diff-upstream", prepare=with_environment(FORCE_COLOR="1")).out
    assert "0001 \x1b[31m-x = 1\x1b[0m\n" in shown
    assert "0001 \x1b[32m+x = 2\x1b[0m\n" in shown
    assert "     \x1b[36m@@ -1 +1 @@\x1b[0m\n" in shown
    patch = on_terminal(space.root, "patch", "show", "up", "1", VENDORCTL_PAGER="")
    assert "\x1b[32m+x = 2\x1b[0m" in patch
    assert "\x1b[" not in patch[: patch.index("diff --git")]  # a message has no signs


@pytest.mark.parametrize(
    "words",
    [
        ("verfy",),
        ("verify", "--no-such-option"),
        ("check", "extra"),
        ("patch", "show", "up"),
        ("patch", "frobnicate"),
        ("completion", "tcsh"),
        ("-C", "no such folder", "verify"),
        ("licenses", "--export"),
        ("report", "--html", "/dev/null/x"),
        ("sync", "--continue"),
        ("help", "nope"),
    ],
)
def test_every_mistake_in_a_call_reads_alike(space: Workspace, words: tuple[str, ...]) -> None:
    result = space.run(*words)
    assert result.code == 2
    first, *rest = result.err.splitlines()
    assert first.startswith("error: ")
    assert not first.endswith(".")
    assert len(rest) <= 1  # one next step
    assert all(line.startswith("  hint: ") for line in rest)
    ways = [("--format", "json", *words)]
    ways += [(*words, "--format=json")] if words[-1] != "--export" else []  # that would be its argument
    for way in ways:
        document = space.run(*way).json()
        assert document["schema"] == "vendorctl/error/1"
        assert f"error: {document['message']}" == first


def test_the_short_option_for_bots_is_the_long_one(space: Workspace) -> None:
    short, long = (space.must("outdated", *words).json() for words in (["--json"], ["--format", "json"]))
    for document in (short, long):
        (row,) = document["upstreams"]
        del row["looked_at"]  # a time of day
    assert short == long
