# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Isolated environments, one per published flydsl version, kept in the user's cache."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from vendorctl import proc
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.compiler.toolchain import Toolchain

_VERSION = re.compile(r"\d+(\.\d+){1,3}((a|b|rc|\.post|\.dev)\d+)?\Z")
_DONE = "complete"


def environment(folder: Path, version: str, *, variables: Mapping[str, str], runner: proc.Runner = proc.run) -> Path:
    """An environment below `folder` that holds exactly this flydsl (and NumPy), made on first use.

    `variables` is the environment that pip runs in: its index and proxies are the user's. An interrupted installation
    is not used, and one that is under way in another thread or process is waited for. Raises VendorError (exit code 7)
    when the version cannot be installed.
    """
    if not _VERSION.match(version):
        raise VendorError(f"{version!r} is not a version", code=ExitCode.USAGE)
    tag = f"flydsl-{version}-py{sys.version_info.major}.{sys.version_info.minor}"
    target = folder / tag
    if (target / _DONE).is_file():
        os.utime(target)  # the time of last use, by which `vendorctl cache clean` chooses
        return target
    locks = folder.parent / "locks"
    for needed in (folder, locks):
        needed.mkdir(parents=True, exist_ok=True)
    from filelock import FileLock  # only where something is installed; checks never lock

    with FileLock(locks / f"{tag}.lock"):
        if not (target / _DONE).is_file():
            _install(target, version, variables, runner)
    return target


def _install(target: Path, version: str, variables: Mapping[str, str], runner: proc.Runner) -> None:
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as scratch:
        # Scripts of an environment name its folder, but nothing here runs them: it can be moved.
        fresh = Path(scratch) / "environment"
        _run(runner, [sys.executable, "-m", "venv", "--without-pip", str(fresh)], variables, version)
        pip = [sys.executable, "-m", "pip", "--python", str(fresh / "bin" / "python"), "install", "--quiet"]
        _run(runner, [*pip, "--only-binary", ":all:", f"flydsl=={version}", "numpy"], variables, version)
        (fresh / _DONE).write_text("")
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)


def _run(runner: proc.Runner, arguments: list[str], variables: Mapping[str, str], version: str) -> None:
    done = runner(arguments, env=variables)
    if not done.ok:
        lines = done.error_text().splitlines() or ["no message"]
        raise VendorError(
            f"flydsl {version} cannot be installed: {lines[-1]}",
            hint=f"try `pip download flydsl=={version}` by hand",
            code=ExitCode.TOOL_MISSING,
        )


def with_environment(tools: Toolchain, folder: Path, version: str) -> Toolchain:
    """The same tools with the flydsl of the environment `folder`."""
    return replace(tools, flydsl=version, python=folder / "bin" / "python")
