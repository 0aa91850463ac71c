# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whether another machine is like this one in all that decides what objects and test results come out.

Runs on that machine: it looks for the tools it is told of, and says what it has instead.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from pathlib import Path

import vendorctl
from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.compiler import toolchain, venvs
from vendorctl.kernels.compiler.toolchain import Toolchain, ToolIdentity
from vendorctl.upstream.cache import default_folder


@functools.cache
def package_identity() -> str:
    """The version of this package, and a digest of the modules that compile, test and emulate."""
    sources = digest.of_sources(Path(vendorctl.__file__).parent, "kernels", "emulator")
    return f"vendorctl {vendorctl.__version__} (sources {sources[:12]})"


def package_faults(wanted: str) -> tuple[str, ...]:
    """Why this machine's package is not the one with the identity `wanted`; nothing when it is."""
    found = package_identity()
    return () if found == wanted else (f"it has {found}, and {wanted} is needed",)


@functools.cache
def matching(wanted: ToolIdentity, *, install: bool) -> Toolchain:
    """The tools of this machine that are `wanted`. With `install`, flydsl may be installed into the user's cache.

    Raises VendorError (exit code 7) that says what is here instead.
    """
    version = toolchain.flydsl_version() if not install else wanted.flydsl
    tools = toolchain.locate_linker(os.environ, flydsl=version, wanted=wanted.linker)
    if install:
        folder = venvs.environment(default_folder(os.environ) / "environments", version, variables=os.environ)
        tools = venvs.with_environment(tools, folder, version)
    toolchain.require_pins(tools, {"flydsl": wanted.flydsl, "python": wanted.python})
    return tools


def compile_faults(package: str, wanted: ToolIdentity, install: bool) -> Sequence[str]:
    """Why what is compiled here could differ from what is compiled with `wanted` elsewhere."""
    faults = package_faults(package)
    if not install:  # installing takes minutes, and is not for asking
        found = _flydsl()
        if found != wanted.flydsl:
            faults += (f"it has {(found and f'flydsl {found}') or 'no flydsl'}, and flydsl {wanted.flydsl} is needed",)
    try:
        tools = toolchain.locate_linker(os.environ, flydsl=wanted.flydsl, wanted=wanted.linker)
    except VendorError as error:
        return (*faults, error.message)
    if tools.python_version != wanted.python:
        faults += (f"it has Python {tools.python_version}, and {wanted.python} is needed",)
    return faults


def _flydsl() -> str:
    try:
        return toolchain.flydsl_version()
    except VendorError:
        return ""
