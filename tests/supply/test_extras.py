# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The wheel alone, and with each extra alone: what must work does, and what cannot says which extra it wants."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from support import tinykern
from support.environments import Environment, build_wheel, closure, environment, requirements
from support.repo import Changes, repo
from vendorctl.cli import main
from vendorctl.cli.table import COMMANDS

ROOT = Path(__file__).parent.parent.parent

#: What each extra makes importable, by the name of the module.
MODULES = {
    "build": ("flydsl", "numpy", "ziglang"),
    "test": ("elftools", "ml_dtypes", "numpy", "tinygrad"),
    "distributed": ("distributed",),
    "dvc": ("dvc",),
    "cache": ("fsspec", "s3fs"),
    "report": ("reuse",),
}
#: What the packages of an extra bring along of another one.
BROUGHT = {"distributed": ("fsspec",), "dvc": ("fsspec",)}
OPTIONAL = sorted({module for modules in MODULES.values() for module in modules})

KERNELS = """
kernels:
  recipes: [recipes/scale.py]
  targets: [gfx942]
  toolchain: {flydsl: "VERSION"}
"""
CASES = """
    def cases(self, instance, rng):
        import numpy as np
        from vendorctl.kernels.recipe import Case, storage_dtype

        dtype = storage_dtype(instance.text("dtype"))
        x = rng.standard_normal(100).astype(dtype)
        arguments = {"x": x, "y": np.zeros(100, dtype), "n": 100, "a": 2.0}
        yield Case(name="doubled", arguments=arguments, outputs=("y",))

    def reference(self, instance, case):
        from vendorctl.kernels.recipe import Expected

        return {"y": Expected(values=case.arguments["x"].astype("f8") * 2, tolerance=0.0)}


RECIPE = """

Make = Callable[..., Environment]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """`made()`, `made("build")`: the environment with these extras; each is made once."""
    wheel = build_wheel(ROOT, tmp_path_factory.mktemp("wheel"))

    @cache
    def make(*extras: str) -> Environment:
        return environment(tmp_path_factory.mktemp("environment"), wheel, *extras)

    return make


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A synced workspace with one small kernel and a recipe that tests it; nothing is built."""
    files: Changes = {n.removeprefix("patched/"): text for n, text in tinykern.FILES.items() if "patched" in n}
    upstream = repo(tmp_path / "upstream", files)
    root = tmp_path / "kernels"
    root.mkdir()
    for words in (["init"], ["add", "tinykern", upstream.path.as_uri(), "--include", "tinykern/**"], ["sync"]):
        assert main(["-C", str(root), *words]) == 0
    tinykern.write_files(root, {"recipes/scale.py": tinykern.RECIPE.replace("\n\nRECIPE = ", CASES)})
    manifest = root / "VENDOR.yaml"
    manifest.write_text(manifest.read_text() + KERNELS.replace("VERSION", importlib.metadata.version("flydsl")))
    return root


def test_the_core_is_seven_packages_and_six_that_they_need(tmp_path: Path) -> None:
    asked = requirements(build_wheel(ROOT, tmp_path))
    core = {each.name for each in asked if each.marker is None}
    assert core == {"click", "filelock", "gitpython", "license-expression", "msgpack", "pyyaml", "rich"}
    assert set(closure(asked)) - core == {"boolean-py", "gitdb", "markdown-it-py", "mdurl", "pygments", "smmap"}
    assert {str(each.marker).split('"')[1] for each in asked if each.marker} == MODULES.keys()


@pytest.mark.parametrize("extra", ["", *MODULES])
def test_an_environment_holds_what_it_should_and_nothing_else(made: Make, extra: str) -> None:
    """The negative control of this file: without it, a leak would make everything pass."""
    code = "import importlib.util as u, json, sys; print(json.dumps([m for m in sys.argv[1:] if u.find_spec(m)]))"
    found = made(*[extra] * bool(extra)).run("-c", code, "pytest", *OPTIONAL)
    assert set(json.loads(found.out)) == {*MODULES.get(extra, ()), *BROUGHT.get(extra, ())}


def test_the_core_alone_vendors_patches_proves_and_bumps(made: Make, tmp_path: Path) -> None:
    core = made()
    head = "# SPDX-FileCopyrightText: 2024 U\n# SPDX-License-Identifier: MIT\n"
    upstream = repo(tmp_path / "up", {"a.py": head + "x = 1\ny = 1\nz = 1\n"}, {"b.py": head + "b = 1\n"})
    upstream.tag("v1", upstream.commits[0])
    upstream.tag("v2")
    root = tmp_path / "ws"
    root.mkdir()

    def run(*words: str, expect: int = 0) -> str:
        result = core.vendorctl(root, *words)
        assert result.code == expect, result.text
        return result.text

    run("init")
    run("add", "up", upstream.path.as_uri(), "--ref", "v1", "--include", "*.py")
    run("sync")
    (root / ".vendorctl/patched/up/a.py").write_text(head + "x = 2\ny = 1\nz = 1\n")
    assert "VC225" in run("verify")
    run("patch", "record", "up", "--title", "Two", "--reason", "one is not enough", "--forwarded", "no")
    for words in ("patch list", "patch show up 1", "patch lint", "diff-upstream", "status", "why vendored/up/a.py:3"):
        run(*words.split(" "))
    run("sync", "--pin", "up=v2")
    for words in ("licenses", "sbom", "sync", "verify", "audit --no-second-opinion"):
        run(*words.split(" "))
    run("report", "--html", str(tmp_path / "page"))
    run("adopt", str(root / "vendored/up"), "--upstream", "again", "--url", upstream.path.as_uri(), "--dry-run")
    run("submit", "up", "--signoff", "--output", str(tmp_path / "mails"))


def test_every_command_explains_itself_without_any_extra(made: Make) -> None:
    code = (
        "import sys\n"
        "from vendorctl.cli import main\n"
        "for words in sys.argv[1:]:\n"
        "    assert main([*words.split(), '--help']) == 0, words\n"
    )
    result = made().run("-c", code, *COMMANDS)
    assert result.code == 0, result.text
    assert result.out.count("Usage: vendorctl ") == len(COMMANDS)


def test_what_needs_an_extra_names_it_and_ends_with_7(made: Make, kernels: Path) -> None:
    for words, named in (
        ("build", "vendorctl[build]"),
        ("compat", "vendorctl[build]"),
        ("diff-upstream --objects", "vendorctl[build]"),
        ("test", "vendorctl[test]"),
    ):
        result = made().vendorctl(kernels, *words.split(" "))
        assert result.code == 7, (words, result.text)
        assert result.text.startswith("error: "), words
        assert named in result.text, (words, result.text)
    result = made("build").vendorctl(kernels, "build", "--executor", "dask://127.0.0.1:9")
    assert (result.code, "vendorctl[distributed]" in result.text) == (7, True), result.text


def test_the_core_alone_proves_objects_that_others_built(made: Make, kernels: Path) -> None:
    """And each extra alone does its own part: one builds, another runs, a third gives the second opinion."""
    result = made("build").vendorctl(kernels, "build", "--jobs", "1")
    assert result.code == 0, result.text
    assert "compiled" in result.text

    for words in ("check --require", "pack --output shards"):
        result = made().vendorctl(kernels, *words.split(" "))
        assert result.code == 0, result.text
    undecoded = made().vendorctl(kernels, "check", "--instructions")
    assert undecoded.code == 7, undecoded.text
    assert "vendorctl[test]" in undecoded.text

    for words in ("test", "check --instructions"):
        result = made("test").vendorctl(kernels, *words.split(" "))
        assert result.code == 0, result.text
    assert "2 passed" in made("test").vendorctl(kernels, "test", "--no-cache").text
    with_build = made("build").vendorctl(kernels, "test")
    assert (with_build.code, "vendorctl[test]" in with_build.text) == (7, True)

    damaged = next((kernels / "objects").rglob("*.hsaco"))
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\xff")
    assert made().vendorctl(kernels, "check").code == 1


def test_a_second_opinion_that_cannot_be_had_is_counted(made: Make, kernels: Path) -> None:
    without = made().vendorctl(kernels, "audit")
    assert "1 skipped second opinion" in without.text
    assert "vendorctl[report]" in without.text
    with_it = made("report").vendorctl(kernels, "audit")
    assert "second opinion" not in with_it.text, with_it.text


def test_a_reuse_on_the_path_will_do(made: Make, kernels: Path) -> None:
    program = made().folder / "bin" / "reuse"
    program.write_text(f'#!/bin/sh\nexec {made("report").python} -m reuse "$@"\n')
    program.chmod(0o755)
    try:
        assert "second opinion" not in made().vendorctl(kernels, "audit").text
    finally:
        program.unlink()


def test_the_package_imports_with_every_extra_absent() -> None:
    """Said by `vendorctl isolate` about vendorctl; the last case is one that must fail."""
    absent = [word for module in OPTIONAL for word in ("--absent", module)]
    tests = str(Path(__file__).with_name("test_import_budget.py"))
    assert main(["-C", str(ROOT), "isolate", "vendorctl", *absent, "--collect", tests]) == 0
    assert main(["-C", str(ROOT), "isolate", "vendorctl.emulator.matrix", *absent]) == 1
