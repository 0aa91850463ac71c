# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The hook, the action and the template do on this machine what they do on a runner: their steps are these scripts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from support.workspace import Workspace, make_workspace

ROOT = Path(__file__).parent.parent.parent
SCRIPTS = ROOT / "integration"
BODY = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(8))


def shell(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command with our programs first in PATH, as after the action's first step."""
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", **environment}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def git(space: Workspace, *words: str) -> str:
    done = shell(space.root, "git", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """A workspace in git with one patch; upstream's second release is compatible with it, its third is not."""
    made = make_workspace(
        tmp_path / "w",
        {"k/a.py": BODY},
        {"k/a.py": BODY.replace("return 1", "return 11")},
        {"k/a.py": BODY.replace("return 5", "return 77")},
        output="out",
        ref="v1",
    )
    made.sync()
    made.record("Five is fifty-five", {"k/a.py": made.text("k/a.py").replace("return 5", "return 55")})
    git(made, "init", "-q", "-b", "main")
    git(made, "add", "--all")
    git(made, "commit", "-qm", "Vendor up")
    return made


def hook() -> Any:
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return found


def run_hook(space: Workspace, **environment: str) -> subprocess.CompletedProcess[str]:
    return shell(space.root, *hook()["entry"].split(), **environment)


def test_the_hook_looks_at_what_is_staged_and_at_nothing_else(space: Workspace) -> None:
    assert run_hook(space).returncode == 0
    vendored = space.pristine / "k/a.py"
    original = vendored.read_bytes()
    vendored.write_bytes(original + b"# edited\n")
    (space.pristine / "k/unknown.py").write_text("x = 1\n")
    assert run_hook(space).returncode == 0, "an edit that is not staged is not committed"
    git(space, "add", "vendored/up/k/a.py")
    vendored.write_bytes(original)
    staged = run_hook(space)
    assert staged.returncode == 1, "what is staged counts, although the file on disk is sound again"
    assert "VC101" in staged.stdout
    git(space, "add", "vendored/up/k/unknown.py", "vendored/up/k/a.py")
    assert "unknown.py" in run_hook(space).stdout


def test_the_hook_sees_a_mode_a_link_and_line_ends_as_git_stores_them(space: Workspace) -> None:
    git(space, "config", "core.autocrlf", "true")
    assert run_hook(space).returncode == 0, "a checkout's line ends are no matter of the hook"
    (space.pristine / "k/a.py").chmod(0o755)
    git(space, "-c", "core.autocrlf=false", "add", "vendored/up/k/a.py")
    assert run_hook(space).returncode == 1


def test_git_itself_runs_the_hook_on_the_index_of_the_commit(space: Workspace) -> None:
    script = space.root / ".git/hooks/pre-commit"
    script.write_text(f"#!/bin/sh\nexec {hook()['entry']}\n")
    script.chmod(0o755)
    (space.root / "notes.txt").write_text("fine\n")
    git(space, "add", "notes.txt")
    git(space, "commit", "-qm", "Notes")
    (space.pristine / "k/a.py").write_text("edited\n")
    refused = shell(space.root, "git", "commit", "-aqm", "An edit, staged by the commit itself")
    assert refused.returncode != 0
    assert "VC101" in refused.stdout + refused.stderr


def test_the_hook_works_below_the_top_and_says_what_is_missing(space: Workspace, tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "deep").mkdir(parents=True)
    shell(top, "git", "init", "-q")
    shell(top, "cp", "-r", str(space.root), str(top / "deep/ws"))
    shell(top / "deep/ws", "rm", "-rf", ".git")
    shell(top, "git", "add", "--all")
    assert shell(top / "deep/ws", "vendorctl", "verify", "--staged").returncode == 0
    (top / "deep/ws/vendored/up/k/a.py").write_text("edited\n")
    shell(top, "git", "add", "--all")
    assert shell(top / "deep/ws", "vendorctl", "verify", "--staged").returncode == 1
    bare = space.copy(tmp_path / "bare")
    shell(bare.root, "rm", "-rf", ".git")
    outside = shell(bare.root, "vendorctl", "verify", "--staged")
    assert outside.returncode == 2
    assert "in no git repository" in outside.stderr


def test_verify_leaves_every_format_and_ends_with_the_verdict(space: Workspace, tmp_path: Path) -> None:
    results = tmp_path / "results"
    commands = {"VENDORCTL_COMMANDS": "verify diff-upstream"}
    done = shell(tmp_path, str(SCRIPTS / "verify.sh"), str(space.root), str(results), **commands)
    assert done.returncode == 0, done.stderr
    assert (results / "status").read_text() == "verify 0\ndiff-upstream 0\n"
    assert "Five is fifty-five" in (results / "comment.md").read_text()
    (space.pristine / "k/a.py").write_text("edited\n")
    done = shell(
        tmp_path, str(SCRIPTS / "verify.sh"), str(space.root), str(results), VENDORCTL_ANNOTATE="github", **commands
    )
    assert done.returncode == 1
    assert "::error file=vendored/up/k/a.py,title=VC101::" in done.stdout
    assert json.loads((results / "verify.sarif").read_text())["runs"][0]["results"]
    assert list(ET.parse(results / "verify.xml").getroot().iter("failure"))
    assert json.loads((results / "verify.json").read_text())["ok"] is False


def test_a_command_that_cannot_run_is_no_success(tmp_path: Path) -> None:
    done = shell(tmp_path, str(SCRIPTS / "verify.sh"), ".", "results")
    assert done.returncode not in {0, 1}
    assert "verify" in (tmp_path / "results/status").read_text()


#: What lets pip install our checkout with no network: the packages that the tests have, no index.
OFFLINE = {
    "PYTHONPATH": sysconfig.get_path("purelib"),
    "PIP_NO_INDEX": "1",
    "PIP_NO_DEPS": "1",
    "PIP_NO_COMPILE": "1",
    "PIP_NO_BUILD_ISOLATION": "0",  # pip reads it as a value of --build-isolation
}


@dataclass
class Runner:
    """Runs the steps of an action one after the other, as a GitHub runner does. `said` is all they wrote."""

    folder: Path
    inputs: dict[str, str]
    said: str = ""

    def run(self, **environment: str) -> int:
        """The exit code of the step that fails, else 0."""
        action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
        values = {f"inputs.{name}": str(given["default"]) for name, given in action["inputs"].items()}
        values |= {f"inputs.{name}": value for name, value in self.inputs.items()}
        values["github.action_path"] = str(ROOT)
        files = {name: self.folder / name.lower() for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        env = {**OFFLINE, "RUNNER_TEMP": str(self.folder / "temp"), **{name: str(file) for name, file in files.items()}}
        files["GITHUB_PATH"].touch()
        for step in action["runs"]["steps"]:
            assert "${{" not in step["run"], "an input would be text of the script"
            own = {name: _filled(value, values) for name, value in step["env"].items()}
            added = files["GITHUB_PATH"].read_text().split()
            path = {"PATH": os.pathsep.join([*reversed(added), os.environ["PATH"]])}
            done = shell(
                self.folder, "bash", "-e", "-o", "pipefail", "-c", step["run"], **env, **own, **path, **environment
            )
            self.said += done.stdout + done.stderr
            if done.returncode:
                return done.returncode
        return 0


def _filled(text: str, values: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: values[found[1]], text)


@pytest.mark.parametrize("sound", [True, False])
def test_every_step_of_the_action_runs_here_with_the_result_of_the_script(
    space: Workspace, tmp_path: Path, sound: bool
) -> None:
    if not sound:
        (space.pristine / "k/a.py").write_text("edited\n")
    commands = "verify diff-upstream"
    runner = Runner(
        tmp_path, {"workspace": str(space.root), "commands": commands, "results": str(tmp_path / "by-action")}
    )
    ours = runner.run()
    script = shell(
        tmp_path, str(SCRIPTS / "verify.sh"), str(space.root), str(tmp_path / "by-script"), VENDORCTL_COMMANDS=commands
    )
    assert ours == script.returncode == (0 if sound else 1), runner.said
    assert (tmp_path / "temp/vendorctl/bin/vendorctl").is_file()
    for name in ("verify.json", "verify.sarif", "verify.xml", "diff-upstream.md", "comment.md", "status"):
        assert (tmp_path / "by-action" / name).read_bytes() == (tmp_path / "by-script" / name).read_bytes()
    assert ("VC101" in (tmp_path / "github_step_summary").read_text()) is not sound
    assert ("::error file=vendored/up/k/a.py" in runner.said) is not sound
    assert (tmp_path / "github_output").read_text() == f"results={tmp_path / 'by-action'}\n"


def test_the_action_prepares_a_bump_and_refuses_a_mode_that_there_is_not(space: Workspace, tmp_path: Path) -> None:
    follow_second_release(space)
    results = str(tmp_path / "results")
    runner = Runner(tmp_path, {"workspace": str(space.root), "mode": "bump", "results": results})
    assert runner.run() == 0, runner.said
    assert "vendorctl/bump-up-" in git(space, "branch")
    assert "behind" in (tmp_path / "github_step_summary").read_text()
    assert Runner(tmp_path, {"workspace": str(space.root), "mode": "nothing", "results": results}).run() == 2


def follow_second_release(space: Workspace) -> None:
    space.describe(space.upstream.commits[0], ref="v1", track="refs/tags/v2")
    git(space, "commit", "-qam", "Track the second release")
    space.upstream.git("tag", "-d", "v3")


def pipeline(space: Workspace, job: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Every line of a job of the template, in one shell, as a GitLab runner does."""
    template = yaml.safe_load((SCRIPTS / "gitlab/vendorctl.gitlab-ci.yml").read_text("utf-8"))
    found = template[template[job]["extends"]] | template[job]
    lines = "\n".join([*found["before_script"], *found["script"]])
    variables = {**template["variables"], "VENDORCTL_HOME": str(ROOT), "TMPDIR": str(space.folder)}
    return shell(space.root, "bash", "-e", "-o", "pipefail", "-c", lines, **OFFLINE, **variables, **environment)


@pytest.mark.parametrize("sound", [True, False])
def test_every_line_of_the_template_runs_here_with_the_result_of_the_script(space: Workspace, sound: bool) -> None:
    if not sound:
        (space.pristine / "k/a.py").write_text("edited\n")
    done = pipeline(space, "vendorctl:verify", VENDORCTL_COMMANDS="verify diff-upstream")
    assert done.returncode == (0 if sound else 1), done.stdout + done.stderr
    assert (space.root / "vendorctl-results/status").read_text() == (
        "verify 0\ndiff-upstream 0\n" if sound else "verify 1\ndiff-upstream 1\n"
    )
    assert ET.parse(space.root / "vendorctl-results/verify.xml").getroot().tag == "testsuites"


def test_the_scheduled_job_of_the_template_reports_drift_and_pushes_a_branch(space: Workspace, tmp_path: Path) -> None:
    follow_second_release(space)
    shell(tmp_path, "git", "init", "-q", "--bare", "origin.git")
    git(space, "remote", "add", "origin", str(tmp_path / "origin.git"))
    done = pipeline(space, "vendorctl:bump")
    assert done.returncode == 0, done.stdout + done.stderr
    pushed = shell(tmp_path, "git", "-C", "origin.git", "branch", "--format=%(refname:short)").stdout.split()
    assert pushed == [f"vendorctl/bump-up-{str(space.upstream.commits[1])[:12]}"]
    assert "1 commit" in (space.root / "vendorctl-results/drift.md").read_text()


def test_a_bump_branch_is_prepared_and_verified(space: Workspace, tmp_path: Path) -> None:
    follow_second_release(space)
    results = tmp_path / "results"
    done = shell(tmp_path, str(SCRIPTS / "bump.sh"), str(space.root), str(results))
    assert done.returncode == 0, done.stderr
    commit = str(space.upstream.commits[1])
    branch = f"vendorctl/bump-up-{commit[:12]}"
    assert (results / "branches").read_text() == f"{branch} up v2\n"
    assert git(space, "branch", "--show-current") == "main\n"
    assert git(space, "status", "--porcelain") == ""
    git(space, "switch", "-q", branch)
    assert space.run("verify").code == 0
    assert commit in (space.root / "VENDOR.yaml").read_text()
    git(space, "switch", "-q", "main")
    again = shell(tmp_path, str(SCRIPTS / "bump.sh"), str(space.root), str(results))
    assert "exists already" in again.stdout


def test_a_conflict_makes_no_branch_and_leaves_everything_as_it_was(space: Workspace, tmp_path: Path) -> None:
    results = tmp_path / "results"
    done = shell(tmp_path, str(SCRIPTS / "bump.sh"), str(space.root), str(results))
    assert done.returncode == 0, done.stderr
    assert (results / "branches").read_text() == ""
    assert "needs a person" in (results / "up.md").read_text()
    assert git(space, "branch", "--format=%(refname:short)") == "main\n"
    assert git(space, "status", "--porcelain") == ""
    assert space.run("verify").code == 0
    assert json.loads((results / "outdated.json").read_text())["upstreams"][0]["latest"]["ref"] == "v3"


def test_a_bump_of_a_work_tree_with_changes_is_refused(space: Workspace, tmp_path: Path) -> None:
    (space.root / "VENDOR.yaml").write_text("changed\n")
    assert shell(tmp_path, str(SCRIPTS / "bump.sh"), str(space.root)).returncode == 2
