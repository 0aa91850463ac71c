# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Finding a linker that is new enough, and saying how to get one when there is none."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.compiler import toolchain
from vendorctl.kernels.object import target
from vendorctl.proc import Completed


class FakeLinkers:
    """A runner that knows what each program prints for --version."""

    def __init__(self, answers: Mapping[str, str]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    def __call__(
        self,
        args: Sequence[str | bytes],
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        stdin: bytes = b"",
        timeout: float | None = None,
        limit: int | None = None,
    ) -> Completed:
        name = Path(str(args[0])).name
        self.asked.append(name)
        return Completed(tuple(map(str, args)), 0, self.answers.get(name, "").encode(), b"")


def program(folder: Path, *names: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / name).write_text("")
        (folder / name).chmod(0o755)


@pytest.fixture
def no_ziglang(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ziglang", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)


def test_rocm_comes_first_then_the_newest_versioned_linker(tmp_path: Path) -> None:
    program(tmp_path / "rocm" / "llvm" / "bin", "ld.lld")
    program(tmp_path / "bin", "ld.lld-18", "ld.lld-19")
    answers = {"ld.lld": "AMD LLD 20.0.0", "ld.lld-19": "Debian LLD 19.1.7", "ld.lld-18": "LLD 18.1.0"}
    environment = {"PATH": str(tmp_path / "bin")}
    found = toolchain.find_linker(environment, FakeLinkers(answers))
    assert found.identity == "Debian LLD 19.1.7"
    environment["ROCM_PATH"] = str(tmp_path / "rocm")
    assert toolchain.find_linker(environment, FakeLinkers(answers)).identity == "AMD LLD 20.0.0"
    pinned = toolchain.find_linker(environment, FakeLinkers(answers), wanted="LLD 18.1.0")
    assert Path(pinned.command[0]).name == "ld.lld-18"
    with pytest.raises(VendorError, match=r"no linker: LLD 21\.0\.0, which VENDOR\.yaml pins") as caught:
        toolchain.find_linker(environment, FakeLinkers(answers), wanted="LLD 21.0.0")
    assert "Debian LLD 19.1.7" in caught.value.message


@pytest.mark.usefixtures("no_ziglang")
def test_a_linker_that_is_too_old_is_named_with_the_way_out(tmp_path: Path) -> None:
    program(tmp_path, "ld.lld")
    runner = FakeLinkers({"ld.lld": "Debian LLD 14.0.6 (compatible with GNU linkers)"})
    with pytest.raises(VendorError) as caught:
        toolchain.find_linker({"PATH": str(tmp_path)}, runner)
    assert "LLD 18 or newer" in caught.value.message
    assert "is Debian LLD 14.0.6" in caught.value.message
    assert "pip install 'vendorctl[build]'" in str(caught.value.hint)
    assert caught.value.code is ExitCode.TOOL_MISSING


@pytest.mark.usefixtures("no_ziglang")
def test_something_else_called_ld_lld_is_not_a_linker(tmp_path: Path) -> None:
    program(tmp_path, "ld.lld")
    with pytest.raises(VendorError, match="is not LLD"):
        toolchain.find_linker({"PATH": str(tmp_path)}, FakeLinkers({"ld.lld": "hello"}))


def test_the_wheel_is_the_last_resort_and_says_its_version() -> None:
    found = toolchain.find_linker({"PATH": ""})
    assert found.command[-1] == "ld.lld"
    assert found.identity.startswith("LLD ")
    assert found.identity.endswith(f" (ziglang {importlib.metadata.version('ziglang')})")


def test_another_tool_than_the_pinned_one_is_refused() -> None:
    linker = toolchain.Linker(command=("ld.lld",), identity="LLD 22.1.8")
    tools = toolchain.Toolchain(flydsl="0.5.0", python=Path(sys.executable), python_version="3.11", linker=linker)
    toolchain.require_pins(tools, {"flydsl": "0.5.0", "linker": "LLD 22.1.8", "python": "3.11"})
    toolchain.require_pins(tools, {})
    with pytest.raises(VendorError, match=r"pins flydsl 0\.4\.2, but 0\.5\.0 is what is here") as caught:
        toolchain.require_pins(tools, {"flydsl": "0.4.2"})
    assert "pip install flydsl==0.4.2" in str(caught.value.hint)
    assert caught.value.code is ExitCode.TOOL_MISSING
    with pytest.raises(VendorError, match="pins linker LLD 19"):
        toolchain.require_pins(tools, {"linker": "LLD 19.1.7"})


def test_without_flydsl_the_message_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", absent)
    with pytest.raises(VendorError, match="flydsl is not installed") as caught:
        toolchain.flydsl_version()
    assert "vendorctl[build]" in str(caught.value.hint)


def test_both_names_of_the_architecture_agree(tmp_path: Path) -> None:
    environment = toolchain.child_environment(chip="gfx1100", rocm=tmp_path)
    assert environment["ARCH"] == environment["FLYDSL_GPU_ARCH"] == "gfx1100"
    assert not set(environment) & {"HOME", "USER", "PYTHONPATH", "LD_LIBRARY_PATH"}


def test_unknown_targets_get_the_nearest_name() -> None:
    with pytest.raises(VendorError, match="did you mean 'gfx942'"):
        target.find("gfx924")
    assert target.find("gfx12-generic").members == ("gfx1200", "gfx1201")
