# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl guard`, and the module that it writes, in a process that has what it asks for and in one that has not."""

from __future__ import annotations

import importlib.util
import os
import sys
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from itertools import product
from pathlib import Path
from types import ModuleType

import pytest
from packaging.version import Version

from support.command import Result, call
from vendorctl.kernels.object.target import TARGETS
from vendorctl.proc import run

MANIFEST = """\
version: 1
upstreams: {}
kernels:
  targets: [gfx942, gfx950]
  toolchain: {flydsl: "0.5.0"}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "VENDOR.yaml").write_text(MANIFEST)
    return tmp_path


def guard(root: Path, *words: str) -> Result:
    return call("-C", str(root), "guard", "lib/_toolchain.py", *words)


@pytest.fixture
def module(root: Path) -> ModuleType:
    """The written guard, loaded afresh, so that no target is chosen yet."""
    assert guard(root).code == 0
    return load(root)


def load(root: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("_toolchain", root / "lib/_toolchain.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def environment(folder: Path) -> tuple[Path, Path]:
    """A virtual environment with nothing in it: its interpreter, and its folder of packages."""
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    return folder / "bin/python", site


def installed(monkeypatch: pytest.MonkeyPatch, version: str | None) -> None:
    def answer(_name: str) -> str:
        if version is None:
            raise metadata.PackageNotFoundError
        return version

    monkeypatch.setattr(metadata, "version", answer)


#: Every target that there is, and more tools than anybody needs.
LARGEST = f"""\
version: 1
upstreams: {{}}
kernels:
  targets: [{", ".join(sorted(TARGETS))}]
  toolchain: {{flydsl: "0.5.0", torch: "2.13.0", triton: "3.6.0"}}
"""


@pytest.mark.parametrize("manifest", [MANIFEST, LARGEST])
def test_it_is_short_and_ours(root: Path, manifest: str) -> None:
    (root / "VENDOR.yaml").write_text(manifest)
    assert guard(root).code == 0
    text = (root / "lib/_toolchain.py").read_text()
    assert len(text.splitlines()) < 100
    # REUSE-IgnoreStart
    assert "SPDX-License-Identifier: Apache-2.0" in text
    # REUSE-IgnoreEnd


@pytest.mark.parametrize("length", [88, 100, 120])
@pytest.mark.parametrize("manifest", [MANIFEST, LARGEST])
def test_formatters_leave_it_alone(root: Path, manifest: str, length: int) -> None:
    """88 is the default of black and of ruff, which agree on this file."""
    (root / "VENDOR.yaml").write_text(manifest)
    assert guard(root).code == 0
    ruff = [sys.executable, "-m", "ruff"]
    words = ["--isolated", "--no-cache", "--target-version", "py311"]
    formatted = run([*ruff, "format", "--check", *words, f"--line-length={length}", "lib"], cwd=root)
    assert formatted.status == 0, formatted.stdout
    assert run([*ruff, "check", *words, "lib"], cwd=root).status == 0
    with (root / "lib/_toolchain.py").open("a") as file:
        file.write("x = [ 1,2 ]\n")
    assert run([*ruff, "format", "--check", *words, f"--line-length={length}", "lib"], cwd=root).status == 1


def test_writing_it_again_changes_nothing(root: Path) -> None:
    guard(root)
    assert "nothing to do" in guard(root).out
    assert guard(root, "--check").code == 0


@pytest.mark.parametrize(("old", "new"), [("0.5.0", "0.6.0"), ("gfx950", "gfx90a")])
def test_a_manifest_that_moved_on_is_noticed(root: Path, old: str, new: str) -> None:
    guard(root)
    (root / "VENDOR.yaml").write_text(MANIFEST.replace(old, new))
    assert "VC610" in guard(root, "--check").out
    assert guard(root, "--check").code == 1
    guard(root)
    assert guard(root, "--check").code == 0


def test_an_edited_or_missing_guard_is_noticed(root: Path) -> None:
    assert guard(root, "--check").code == 1
    guard(root)
    with (root / "lib/_toolchain.py").open("a") as file:
        file.write("TARGETS = ()\n")
    assert guard(root, "--check").code == 1


def test_another_file_is_not_overwritten(root: Path) -> None:
    (root / "lib").mkdir()
    (root / "lib/_toolchain.py").write_text("precious = True\n")
    assert guard(root).code == 2
    assert (root / "lib/_toolchain.py").read_text() == "precious = True\n"


def test_it_needs_a_toolchain_and_targets(root: Path) -> None:
    (root / "VENDOR.yaml").write_text("version: 1\nupstreams: {}\n")
    assert guard(root).code == 3


def test_it_stays_in_the_workspace(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "guard.py"
    assert call("-C", str(root), "guard", str(elsewhere)).code == 2
    assert not elsewhere.exists()


@pytest.mark.parametrize("version", ["0.5.0", "0.5", "0.5.0.post1", "0.5.0+rocm7", "0.10.0", "1", "1!0.1"])
def test_a_toolchain_that_is_new_enough_will_do(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    installed(monkeypatch, version)
    assert module.problems() == []
    module.require()


@pytest.mark.parametrize("version", [None, "0.4.9", "0.5.0rc1", "0.5.0.dev3", "0.5.dev0+g1234", "0", "unknown", ""])
def test_a_missing_or_old_toolchain_is_refused_with_the_command(
    module: ModuleType, monkeypatch: pytest.MonkeyPatch, version: str | None
) -> None:
    installed(monkeypatch, version)
    with pytest.raises(ImportError, match=r"flydsl.*Run: pip install flydsl==0\.5\.0$"):
        module.require()


def test_the_command_names_all_that_is_required(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "VENDOR.yaml").write_text(LARGEST)
    assert guard(root).code == 0
    installed(monkeypatch, None)
    said = "flydsl is not installed; torch is not installed; triton is not installed. "
    with pytest.raises(ImportError) as caught:
        load(root).require()
    assert str(caught.value) == f"{said}Run: pip install flydsl==0.5.0 torch==2.13.0 triton==3.6.0"


VERSIONS = [
    "0", "0.4.9", "0.5.0.dev0", "0.5.0.dev10", "0.5.0a1", "0.5.0a2", "0.5.0b1", "0.5.0rc1", "0.5.0rc2", "0.5.0rc10",
    "0.5.0", "0.5.0.post1", "0.5.0.post2", "0.5.0.1", "0.5.1", "0.9", "0.10", "1.0.0", "2026.1", "1!0.1",
]  # fmt: skip


def test_versions_are_ordered_as_packaging_orders_them(module: ModuleType) -> None:
    for one in VERSIONS:
        for other in [*VERSIONS, f"{one}+local.1"]:
            expected = Version(one) < Version(other.partition("+")[0])
            assert (module._order(one) < module._order(other)) == expected, (one, other)


@pytest.mark.parametrize("version", ["0.5.0", "0.4.0", "0.5.0.dev1"])
def test_an_editable_toolchain_counts_as_what_it_says_it_is(root: Path, tmp_path: Path, version: str) -> None:
    """Installed as pip does it: by the wheel that the build backend makes for an editable installation."""
    assert guard(root).code == 0
    python, site = environment(tmp_path / "venv")
    source = tmp_path / "flydsl"
    (source / "src/flydsl").mkdir(parents=True)
    (source / "src/flydsl/__init__.py").write_text("raise SystemExit('the guard imports nothing')\n")
    (source / "pyproject.toml").write_text(
        f"[project]\nname = 'flydsl'\nversion = '{version}'\n"
        "[build-system]\nrequires = ['hatchling']\nbuild-backend = 'hatchling.build'\n"
        "[tool.hatch.build]\ndev-mode-dirs = ['src']\npackages = ['src/flydsl']\n"
    )
    build = "import hatchling.build, sys; hatchling.build.build_editable(sys.argv[1])"
    assert run([sys.executable, "-c", build, str(tmp_path)], cwd=source).status == 0
    (wheel,) = tmp_path.glob("flydsl-*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    code = "import sys; sys.path.insert(0, 'lib'); import _toolchain; _toolchain.require()"
    done = run([str(python), "-c", code], cwd=root)
    if version == "0.5.0":
        assert (done.status, done.error_text()) == (0, "")
    else:
        assert f"ToolchainError: flydsl {version} is older than 0.5.0. Run: pip install flydsl" in done.error_text()


def test_without_it_the_interpreter_says_so(root: Path, tmp_path: Path) -> None:
    assert guard(root).code == 0
    python, _ = environment(tmp_path / "venv")
    code = "import sys; sys.path.insert(0, 'lib'); import _toolchain; _toolchain.require()"
    done = run([str(python), "-c", code], cwd=root)
    assert "ToolchainError: flydsl is not installed. Run: pip install flydsl==0.5.0" in done.error_text()


def test_a_target_is_chosen_once_and_told_to_the_compiler(module: ModuleType) -> None:
    env: dict[str, str] = {"ARCH": "gfx942"}
    assert module.choose_target(None, env) == "gfx942"
    assert env == {"ARCH": "gfx942", "FLYDSL_GPU_ARCH": "gfx942"}
    assert module.choose_target("gfx942", {}) == "gfx942"
    with pytest.raises(module.TargetError, match="works for gfx942, not gfx950"):
        module.choose_target("gfx950", {})


def test_every_combination_of_caller_and_variables(root: Path) -> None:
    """One that all name, and that there are objects for, is taken; all others are refused and change nothing."""
    assert guard(root).code == 0
    said = ["", "gfx942", "gfx950", "gfx906", "GFX942", "gfx942:xnack-"]
    taken = 0
    for caller, arch, flydsl, settled in product([None, *said], [None, *said], [None, *said], [None, "gfx942"]):
        module = load(root)
        if settled:
            module.choose_target(settled, {})
        env = {name: value for name, value in (("ARCH", arch), ("FLYDSL_GPU_ARCH", flydsl)) if value is not None}
        before, voices = dict(env), {each for each in (caller, arch, flydsl) if each}
        if len(voices) == 1 and voices <= ({settled} if settled else {"gfx942", "gfx950"}):
            (target,) = voices
            assert module.choose_target(caller, env) == target
            assert env == {"ARCH": target, "FLYDSL_GPU_ARCH": target}
            taken += 1
        else:
            with pytest.raises(module.TargetError):
                module.choose_target(caller, env)
            assert env == before
    assert taken == 3 * (3**3 - 2**3)  # each of three voices says the target, is empty, or is silent; not all silent


@pytest.mark.parametrize(
    ("target", "env", "said"),
    [
        (None, {}, "no target: set .*FLYDSL_GPU_ARCH.* or pass one of .*gfx950"),
        (None, {"ARCH": ""}, "no target"),
        ("gfx906", {}, "no objects for gfx906, only for .*gfx942"),
        (None, {"ARCH": "gfx942", "FLYDSL_GPU_ARCH": "gfx950"}, "disagree: .*ARCH.*gfx942.*FLYDSL_GPU_ARCH.*gfx950"),
        ("gfx950", {"FLYDSL_GPU_ARCH": "gfx942"}, "disagree: .*FLYDSL_GPU_ARCH.*gfx942.*the caller.*gfx950"),
    ],
)
def test_a_refusal_says_who_said_what(module: ModuleType, target: str | None, env: dict[str, str], said: str) -> None:
    with pytest.raises(module.TargetError, match=said):
        module.choose_target(target, env)
    assert module.choose_target("gfx950", {}) == "gfx950"


def test_the_real_environment_is_the_default(module: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCH", "gfx950")
    monkeypatch.delenv("FLYDSL_GPU_ARCH", raising=False)
    assert module.choose_target() == "gfx950"
    assert os.environ["FLYDSL_GPU_ARCH"] == "gfx950"


def test_threads_settle_on_one_target(module: ModuleType) -> None:
    def choose(target: str) -> str | None:
        try:
            return str(module.choose_target(target, {}))
        except module.TargetError:
            return None

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(choose, ["gfx942", "gfx950"] * 50))
    assert len(found) == 2
    assert None in found
