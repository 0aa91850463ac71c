# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The committed reference pages are what the code gives."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from vendorctl.workspace import lockparse
from vendorctl.workspace.parse import parse_manifest
from vendorctl.workspace.schema import SCHEMA

ROOT = Path(__file__).parent.parent.parent


#: The pages that each generator writes.
PAGES = {
    "reference": ("commands.md", "vendor-yaml.md", "rules.md", "exit-codes.md", "json.md"),
    "reference_kernels": ("recipes.md", "targets.md"),
}


def generator(name: str = "reference") -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, names in PAGES.items() for name in names])
def test_the_committed_page_is_what_the_code_gives(module: str, name: str) -> None:
    committed = (ROOT / "docs" / "reference" / name).read_text("utf-8")
    assert committed == generator(module).pages()[name], "run `make docs`"


def test_every_page_that_is_generated_is_compared() -> None:
    assert {module: set(names) for module, names in PAGES.items()} == {
        module: set(generator(module).pages()) for module in PAGES
    }


def test_a_rule_that_the_page_lacks_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = generator()
    before = module.pages()["rules.md"]
    monkeypatch.setattr(module, "RULES", {key: rule for key, rule in module.RULES.items() if key != "VC101"})
    assert module.pages()["rules.md"] != before


def test_a_method_of_recipes_that_the_page_lacks_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    module = generator("reference_kernels")
    before = module.pages()["recipes.md"]
    monkeypatch.setattr(module.Recipe.accepts, "__doc__", "Something else.")
    assert module.pages()["recipes.md"] != before


#: Names that the code takes from the environment, or a string that looks like one.
_VARIABLES = re.compile(
    r'"(VENDORCTL_[A-Z_]+|NO_COLOR|FORCE_COLOR|PAGER|ROCM_PATH|XDG_CACHE_HOME|SOURCE_DATE_EPOCH|GIT_INDEX_FILE)"'
)


def test_every_variable_that_the_code_reads_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "environment.md").read_text("utf-8")
    sources = [
        path.read_text("utf-8") for path in (ROOT / "src" / "vendorctl").rglob("*.py") if "trees" not in path.parts
    ]
    read = {name for source in sources for name in _VARIABLES.findall(source)}
    scripts = "".join(path.read_text("utf-8") for path in (ROOT / "integration").glob("*.sh"))
    read |= set(re.findall(r"VENDORCTL_[A-Z_]+", scripts))
    assert read >= {"VENDORCTL_CACHE", "VENDORCTL_BRANCH"}, "the search itself finds nothing"
    assert {name for name in read if f"`{name}`" not in page} == set()


def test_every_key_of_the_lock_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "vendor-lock.md").read_text("utf-8")
    keys = lockparse._UPSTREAM_KEYS | lockparse._BLOB_KEYS | lockparse._OPTIONAL_FILE_KEYS
    assert {"commit", "blob", "held_from"} <= keys
    assert {key for key in keys | {"version", "ref", "file"} if f"`{key}`" not in page} == set()


def test_the_example_of_a_manifest_is_one_and_has_every_key() -> None:
    example = generator().MANIFEST_EXAMPLE
    parsed = parse_manifest(example)
    assert parsed.upstreams["flydsl"].output == "src/ours/vendored/flydsl"
    tree = yaml.safe_load(example)
    assert {key.path for key in SCHEMA if not _holds(tree, key.path.replace("[]", ".[]").split("."))} == set()
    assert not _holds(tree, ["upstreams", "*", "nothing"])


def _holds(value: object, path: list[str]) -> bool:
    """Whether a path of the schema leads somewhere: `*` is any name, `[]` any entry of a list."""
    if not path:
        return True
    if path[0] == "[]":
        return isinstance(value, list) and any(_holds(item, path[1:]) for item in value)
    if not isinstance(value, dict):
        return False
    chosen = value.values() if path[0] == "*" else [value[path[0]]] if path[0] in value else []
    return any(_holds(item, path[1:]) for item in chosen)
