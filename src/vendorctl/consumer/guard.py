# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl guard`: a small module that a library vendors, which refuses a wrong toolchain or target."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.model import Finding, Report
from vendorctl.workspace.manifest import KernelsConfig
from vendorctl.workspace.parse import load_manifest
from vendorctl.workspace.transaction import Transaction

SCHEMA = "vendorctl/guard/1"
_TEMPLATE = Path(__file__).with_name("toolchain_guard.py")
#: Every guard says so in its first lines.
_MARK = b"Written by `vendorctl guard`"
_BEGIN, _END = "# -- from VENDOR.yaml --\n", "# -- end --\n"


def guard_text(kernels: KernelsConfig) -> str:
    """The guard's source for a `kernels:` section. Raises VendorError when that names no toolchain or no target."""
    if not kernels.toolchain or not kernels.targets:
        raise VendorError(
            "the guard needs `kernels: toolchain:` and `kernels: targets:`", location=Location("VENDOR.yaml")
        )
    head, _, rest = _TEMPLATE.read_text("utf-8").partition(_BEGIN)
    _, _, tail = rest.partition(_END)
    return head + _BEGIN + _facts(kernels) + _END + tail


def _facts(kernels: KernelsConfig) -> str:
    """The block of constants, one a line, in the shape that black and ruff leave alone whatever their line length."""
    wanted = dict(sorted(kernels.toolchain.items()))
    command = shlex.join(["pip", "install", *(f"{name}=={version}" for name, version in wanted.items())])
    rows = "".join(f"    {json.dumps(name)}: {json.dumps(version)},\n" for name, version in wanted.items())
    targets = "".join(f"    {json.dumps(name)},\n" for name in kernels.targets)
    return (
        "#: Distribution to the lowest version that will do.\n"
        f"REQUIRED: Mapping[str, str] = {{\n{rows}}}\n"
        "#: The targets that there are objects for.\n"
        f"TARGETS: tuple[str, ...] = (\n{targets})\n"
        f"INSTALL = {json.dumps(command)}\n"
    )


def write_guard(root: Path, file: Path) -> Report:
    """Write the guard for the workspace at `root` to `file`, which lies in it; a file that is no guard stays."""
    text = guard_text(load_manifest(root).kernels).encode()
    shown = _inside(root, file)
    before = file.read_bytes() if file.is_file() else None
    if before is not None and _MARK not in before:
        raise VendorError(f"{shown} is not a guard", hint="remove it first, or name another file", code=ExitCode.USAGE)
    with Transaction(root, "guard") as transaction:
        transaction.write(shown, text)
        changed = transaction.commit().changed
    state = "wrote" if changed else "nothing to do for"
    return Report(schema=SCHEMA, title="guard", lines=(f"{state} {shown}",), data={"written": bool(changed)})


def check_guard(root: Path, file: Path) -> Report:
    """Whether `file` is, byte for byte, what `write_guard` would write."""
    text = guard_text(load_manifest(root).kernels).encode()
    shown = _inside(root, file)
    found: tuple[Finding, ...] = ()
    if not file.is_file() or file.read_bytes() != text:
        state = "is not what VENDOR.yaml gives" if file.is_file() else "is missing"
        found = (
            Finding(rule="VC610", message=f"the guard {state}", location=Location(shown),
                    hint=f"run `vendorctl guard {shlex.quote(shown)}`"),
        )  # fmt: skip
    return Report(schema=SCHEMA, title="guard", findings=found, counts={"files": 1})


def _inside(root: Path, file: Path) -> str:
    """`file` relative to the workspace, whose links are resolved. Raises VendorError when it lies elsewhere."""
    place = file.parent.resolve() / file.name
    if not place.is_relative_to(root):
        raise VendorError(f"{file} lies outside of the workspace {root}", code=ExitCode.USAGE)
    return place.relative_to(root).as_posix()
