# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The compiler and the linker: where they are, which ones they are, and the folder that shows them to flydsl."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vendorctl import proc
from vendorctl.errors import ExitCode, VendorError
from vendorctl.model import Json

#: Code-object ABI 6 needs LLD 18; LLD 14 to 17 stop with "unknown abi version".
MINIMUM_LLD = 18
_NEWEST_LLD = 29
_VERSION = re.compile(r"\bLLD (\d+)\.(\d+)(?:\.(\d+))?")

#: Variables of the child's environment whose values are the same on every machine; they are part of the input digest.
FIXED_ENVIRONMENT: Mapping[str, str] = {
    "COMPILE_ONLY": "1",
    "FLYDSL_RUNTIME_ENABLE_CACHE": "0",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "0",
    "TZ": "UTC",
}

#: Raise it when a change to the compiler child alters what it makes of the same inputs; every object is then stale.
PIPELINE = 3

#: Names of the tools whose identity is part of every input digest, and that VENDOR.yaml may pin.
IDENTITIES = ("flydsl", "linker", "python")

INSTALL_HINT = "install the compiler with `pip install 'vendorctl[build]'`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Linker:
    """An LLD: how to call it, and the first line of `--version`, which names its release and source revision."""

    command: tuple[str, ...]
    identity: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolIdentity:
    """Which tools, wherever they are: what the input digest says of them."""

    flydsl: str
    linker: str
    python: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Toolchain:
    """What turns a kernel into bytes. `python` is the interpreter of the environment that holds flydsl."""

    flydsl: str
    python: Path
    python_version: str
    linker: Linker

    def named(self) -> ToolIdentity:
        """Which tools these are, without where they are."""
        return ToolIdentity(flydsl=self.flydsl, linker=self.linker.identity, python=self.python_version)

    def identity(self) -> dict[str, Json]:
        """The part of the input digest that stands for the tools: the same for the same tools on any machine."""
        tools: dict[str, Json] = {
            "flydsl": self.flydsl,
            "linker": self.linker.identity,
            "python": self.python_version,
        }
        return {**tools, "pipeline": PIPELINE}


def find_linker(environment: Mapping[str, str], runner: proc.Runner = proc.run, *, wanted: str | None = None) -> Linker:
    """The first usable LLD of: $ROCM_PATH, versioned `ld.lld-NN` and plain `ld.lld` on PATH, the ziglang wheel.

    With `wanted`, the one of that identity. Raises VendorError (exit code 7) that lists what was found and why it would
    not do, with the command to install one.
    """
    rejected = []
    for command, origin in _candidates(environment):
        try:
            done = runner([*command, "--version"], env=environment, timeout=60)
        except VendorError:
            continue
        text = done.stdout.decode("utf-8", "replace").strip().splitlines()
        match = _VERSION.search(text[0]) if done.ok and text else None
        if match is None:
            rejected.append(f"{command[0]} is not LLD")
            continue
        identity = _identity(text[0]) + origin
        if int(match[1]) < MINIMUM_LLD or wanted not in (None, identity):
            rejected.append(f"{command[0]} is {identity}")
        else:
            return Linker(command=command, identity=identity)
    found = f" ({'; '.join(rejected)})" if rejected else ""
    need = f"LLD {MINIMUM_LLD} or newer" if wanted is None else f"{wanted}, which VENDOR.yaml pins,"
    raise VendorError(
        f"no linker: {need} is needed to finish AMD code objects{found}",
        hint="`pip install 'vendorctl[build]'`, or `apt-get install lld-19`, or set ROCM_PATH to a ROCm installation",
        code=ExitCode.TOOL_MISSING,
    )


def _identity(version_line: str) -> str:
    """The version line up to its remark on GNU linkers; distributions add their revision, which is kept."""
    return version_line.split(" (compatible with")[0].strip()


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Commands to try, each with what to add to the version that it prints: a wheel's linker does not say it is one."""
    path = environment.get("PATH", os.defpath)
    rocm = environment.get("ROCM_PATH")
    if rocm and (program := Path(rocm, "llvm", "bin", "ld.lld")).exists():
        yield (str(program),), ""
    for name in [*(f"ld.lld-{number}" for number in range(_NEWEST_LLD, MINIMUM_LLD - 1, -1)), "ld.lld"]:
        if (which := shutil.which(name, path=path)) is not None:
            yield (which,), ""
    spec = importlib.util.find_spec("ziglang")
    if spec is not None and spec.origin is not None:
        yield (str(Path(spec.origin).with_name("zig")), "ld.lld"), f" (ziglang {importlib.metadata.version('ziglang')})"


def flydsl_version() -> str:
    """The version of the installed flydsl, without importing it. Raises VendorError (exit code 7) when absent."""
    try:
        return importlib.metadata.version("flydsl")
    except importlib.metadata.PackageNotFoundError:
        raise VendorError("flydsl is not installed", hint=INSTALL_HINT, code=ExitCode.TOOL_MISSING) from None


def require_pins(tools: Toolchain, pins: Mapping[str, str]) -> None:
    """Raise VendorError (exit code 7) when VENDOR.yaml pins another tool than the one found."""
    found = tools.identity()
    for name, pinned in pins.items():
        if found[name] != pinned:
            install = f"`pip install flydsl=={pinned}`" if name == "flydsl" else f"install {name} {pinned}"
            raise VendorError(
                f"VENDOR.yaml pins {name} {pinned}, but {found[name]} is what is here",
                hint=f"{install}, or change kernels.toolchain.{name} and rebuild",
                code=ExitCode.TOOL_MISSING,
            )


def rocm_folder(folder: Path, linker: Linker) -> Path:
    """A ROCM_PATH with nothing in it but `llvm/bin/ld.lld`, a script that calls `linker`. Created below `folder`.

    flydsl looks for its linker there, and would otherwise pick up whatever device libraries the machine has.
    """
    program = folder / "rocm" / "llvm" / "bin" / "ld.lld"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec {shlex.join(linker.command)} "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return folder / "rocm"


def child_environment(*, chip: str, rocm: Path) -> dict[str, str]:
    """The whole environment of a compiler child. ARCH and FLYDSL_GPU_ARCH must agree, or wrong code is selected."""
    return {
        **FIXED_ENVIRONMENT,
        "ARCH": chip,
        "FLYDSL_GPU_ARCH": chip,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "ROCM_PATH": str(rocm),
    }


def locate(environment: Mapping[str, str], *, pins: Mapping[str, str], runner: proc.Runner = proc.run) -> Toolchain:
    """The toolchain of this environment. Raises VendorError (exit code 7) when a part is missing or not the pinned."""
    tools = locate_linker(environment, flydsl=flydsl_version(), wanted=pins.get("linker"), runner=runner)
    require_pins(tools, pins)
    return tools


def locate_linker(
    environment: Mapping[str, str], *, flydsl: str, wanted: str | None = None, runner: proc.Runner = proc.run
) -> Toolchain:
    """The toolchain of this environment but for flydsl, whose version is given: its own may be absent."""
    return Toolchain(
        flydsl=flydsl,
        python=Path(sys.executable),
        python_version=f"{sys.version_info.major}.{sys.version_info.minor}",
        linker=find_linker(environment, runner, wanted=wanted),
    )
