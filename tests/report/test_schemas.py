# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What commands write as JSON is what the published schemas say: no more, no less."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest

from report.schemafaults import faults
from support.command import call
from support.workspace import Workspace, make_workspace
from vendorctl.report.schemas import schema_names, schema_path

BODY = (
    "# SPDX-License"
    + "-Identifier: Apache-2.0\nimport k.b\n"
    + "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(8))
)


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Workspace]:
    """Copies of one workspace in git: an upstream with three releases, and two patches on the first."""
    folder = tmp_path_factory.mktemp("schemas")
    space = make_workspace(
        folder / "w",
        {"k/a.py": BODY, "k/b.py": "y = 1\n", "LICENSE": "Apache License\n"},
        {"k/a.py": BODY.replace("return 1", "return 11"), "k/b.py": None, "k/c.py": "z = 1\n"},
        {"k/a.py": BODY.replace("return 5", "return 77"), "LICENSE": "MIT License\n"},
        output="out",
    )
    space.sync()
    for number in (5, 7):
        text = space.text("k/a.py")
        space.record(f"Change {number}", {"k/a.py": text.replace(f"return {number}", f"return {number}{number}")})
    space.must("status", "--fetch")
    subprocess.run("git init -q && git add -A && git commit -qm one", shell=True, cwd=space.root, check=True)
    count = iter(range(1000))
    return lambda: space.copy(folder / f"copy{next(count)}")


CASES = {
    "verify": "verify/1",
    "diff-upstream": "diff-upstream/1",
    "diff-upstream --against v2": "drift/1",
    "diff-upstream --against v3": "drift/1",
    "status": "status/1",
    "outdated": "outdated/1",
    "patch list": "patch-list/1",
    "patch show up 1": "patch-show/1",
    "patch lint": "patch-lint/1",
    "patch move up 1 2 --dry-run": "patch-rework/1",
    "patch edit up 1": "patch-edit/1",
    "audit --no-second-opinion": "audit/1",
    "licenses": "licenses/1",
    "sbom": "sbom/1",
    "closure up --entry k/a.py": "closure/1",
    "why out/k/a.py:5": "why/1",
    "log up": "log/1",
    "explain VC201": "explain/1",
    "explain": "explain/1",
    "sync": "sync/1",
    "sync --pin up=v2": "sync/1",
    "sync --pin up=v2 --dry-run": "sync/1",
    "sync --pin up=v3": "error/1",
    "verify nothing": "error/1",
}


@pytest.mark.parametrize("words", CASES)
def test_a_command_writes_what_its_schema_says(words: str, make: Callable[[], Workspace]) -> None:
    document = make().run(*words.split(), "--format", "json").json()
    assert document["schema"] == f"vendorctl/{CASES[words]}"
    assert faults(document) == []


def test_findings_and_unrecorded_edits_fit_too(make: Callable[[], Workspace]) -> None:
    space = make()
    space.edit({"k/a.py": "x = 3\n", "k/new.py": "y = 1\n", "k/b.py": None})
    (space.pristine / "k/b.py").write_text("edited\n")
    for words in (["verify"], ["diff-upstream"], ["status"]):
        assert faults(space.run(*words, "--format", "json").json()) == []
    document = space.run("verify", "--format", "json").json()
    assert document["findings"]


def test_a_recorded_patch_and_a_page_fit(make: Callable[[], Workspace], tmp_path: Path) -> None:
    space = make()
    space.edit({"k/b.py": "y = 2\n"})
    for more in (["--dry-run"], []):
        done = space.run("patch", "record", "up", "--title", "T", "--reason", "r", *more, "--format", "json")
        assert faults(done.json()) == []
    assert faults(space.run("report", "--html", str(tmp_path / "page"), "--format", "json").json()) == []


def test_a_new_workspace_and_an_adopted_copy_fit(make: Callable[[], Workspace], tmp_path: Path) -> None:
    space = make()
    new = tmp_path / "new"
    shutil.copytree(space.patched, new / "lib")
    assert faults(call("-C", str(new), "init", "--format", "json").json()) == []
    url = os.path.relpath(space.folder / "upstream", new)
    for words in (["adopt", "lib", "--upstream", "up", "--url", url], ["add", "other", url, "--include", "**"]):
        done = call("-C", str(new), *words, "--format", "json", cwd=new)
        assert done.code == 0, done.text
        assert faults(done.json()) == []


def test_a_submission_fits(make: Callable[[], Workspace]) -> None:
    done = make().run("submit", "up", "1", "--onto", "v2", "--no-style", "--format", "json")
    assert done.json()["schema"] == "vendorctl/submit/1", done.text
    assert faults(done.json()) == []


def test_a_key_that_no_schema_names_is_noticed() -> None:
    document = call("explain", "VC201", "--format", "json").json()
    assert faults(document | {"extra": 1}) != []
    del document["rules"][0]["why"]
    assert faults(document) != []


def test_every_schema_is_one_and_says_what_it_is_for() -> None:
    assert {f"vendorctl/{name}" for name in CASES.values()} <= set(schema_names())
    for name in schema_names():
        schema = json.loads(schema_path(name).read_text("utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["title"] == name
        assert schema["description"].endswith(".")
