# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every document that vendorctl writes has a schema, is as its schema says, and would not be taken with a fault.

`Result.json` of `support.command` holds every document that any test reads against its schema, too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]  # ships no types
import pytest

import vendorctl
from report.tampering import tampered
from support.command import call
from support.schemas import faults
from support.workspace import Workspace, make_workspace
from vendorctl.report.schemas import FOLDER, bundled, schema_names

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
    "patch split up 1": "patch-parts/1",
    "patch drop up 2": "patch-rework/1",
    "audit --no-second-opinion": "audit/1",
    "licenses": "licenses/1",
    "sbom": "sbom/1",
    "licenses --check": "licenses/1",
    "sbom --check": "sbom/1",
    "closure up --entry k/a.py": "closure/1",
    "closure up --check": "closure/1",
    "why out/k/a.py:5": "why/1",
    "why out/k/a.py:24": "why/1",
    "why vendored/up/k/b.py:1": "why/1",
    "submit up --check --onto v2": "submit-check/1",
    "submit up --queue": "submit-queue/1",
    "submit up 1 --onto v2 --no-style": "submit/1",
    "submit up 1 --sent https://example.org/1": "patch-rework/1",
    "guard guard.py": "error/1",
    "schema": "schemas/1",
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
    spoiled = list(tampered(document))
    assert len(spoiled) > 10
    assert [what for what, fake in spoiled if not faults(fake)] == []


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


def test_the_state_of_interrupted_commands_fits(make: Callable[[], Workspace]) -> None:
    space = make()
    state = space.root / ".vendorctl"
    assert space.run("sync", "--pin", "up=v3").code == 5
    space.must("patch", "edit", "up", "1")
    assert space.run("submit", "up", "1", "--onto", "v3", "--no-style").code == 5
    for file, name in (
        ("bump/up/state.json", "bump/1"),
        ("edit/up/state.json", "edit/1"),
        ("placed/up.json", "placed/1"),
        ("submit/up/state.json", "submit-conflict/2"),
    ):
        document = json.loads((state / file).read_bytes())
        assert document["schema"] == f"vendorctl/{name}"
        assert faults(document) == []
        assert faults(document | {"extra": 1}) != []
    (space.conflict / "k/a.py").write_text("settled = 1\n")
    space.run("sync", "up", "--continue")
    (facts,) = state.glob("resolutions/*/facts.json")
    assert faults(json.loads(facts.read_bytes())) == []


def test_a_package_in_isolation_fits(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/__init__.py").write_text("import nowhere_at_all\n")
    words = ["-C", str(tmp_path), "isolate", "lib", "--absent", "nowhere_at_all", "--format", "json"]
    document = call(*words).json()
    assert document["findings"]
    assert faults(document | {"imports": "no"}) != []


def test_every_document_that_the_source_names_has_a_schema() -> None:
    source = Path(vendorctl.__file__).parent
    named = {
        found
        for path in source.rglob("*.py")
        for found in re.findall(r"vendorctl/[a-z-]+/[0-9]+", path.read_text("utf-8"))
    }
    assert {"vendorctl/verify/1", "vendorctl/objects/1"} <= named
    assert named - set(schema_names()) == set()
    assert set(schema_names()) - named == set()


def test_every_schema_is_strict_and_says_what_it_is_for() -> None:
    for name in schema_names():
        schema = bundled(name)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["title"] == name
        assert re.search(r"[.)]$", schema["description"])
        assert list(open_objects(schema)) == [], name


def open_objects(schema: Any) -> Iterator[Any]:
    """Objects with named keys that let others pass; the keys that all reports share are closed by each report."""
    if isinstance(schema, list):
        for each in schema:
            yield from open_objects(each)
    elif isinstance(schema, dict):
        if isinstance(schema.get("type"), str | list) and isinstance(schema.get("properties"), dict):
            key = "unevaluatedProperties" if "allOf" in schema else "additionalProperties"
            if schema.get(key) is not False and "findings" not in schema["properties"]:
                yield schema
        for each in schema.values():
            yield from open_objects(each)


def test_every_key_is_described() -> None:
    def bare(value: Any) -> Iterator[Any]:
        if isinstance(value, dict):
            for key, rule in value.get("properties", {}).items() if isinstance(value.get("properties"), dict) else ():
                if key != "schema" and "description" not in rule:
                    yield key
            for each in value.values():
                yield from bare(each)
        elif isinstance(value, list):
            for each in value:
                yield from bare(each)

    for path in FOLDER.glob("*.json"):
        assert list(bare(json.loads(path.read_text("utf-8")))) == [], path.name


@pytest.mark.parametrize("name", ["verify", "vendorctl/verify/1"])
def test_a_printed_schema_stands_alone(name: str) -> None:
    schema = json.loads(call("schema", name).out)
    document = call("explain", "VC201", "--format", "json").json()
    assert schema["title"] == "vendorctl/verify/1"
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(document)) != []
    other = json.loads(call("schema", "explain").out)
    assert list(jsonschema.Draft202012Validator(other).iter_errors(document)) == []


def test_a_schema_that_there_is_not_is_refused_with_the_nearest() -> None:
    done = call("schema", "verfy")
    assert done.code == 2
    assert "did you mean 'verify'?" in done.err
