# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Small GPU programs for tests, assembled from text with the LLVM in PyPI's ziglang; nothing built is committed."""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from vendorctl.emulator.elf import read_elf

#: Snippets are placed this many bytes apart.
SLOT = 256
_PAD = "  .p2align 8, , 255\n"


def require_assembler() -> None:
    """Skip the test, visibly, where the assembler is not installed."""
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang, which assembles the test programs, is not installed")


def _run(*args: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ziglang", *args], capture_output=True, env={**os.environ, "LC_ALL": "C"}
    )
    if done.returncode:
        raise AssertionError(done.stderr.decode("utf-8", "replace"))


def _object(text: str, target: str, *, link: bool = False, debug: bool = False) -> bytes:
    require_assembler()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kernel.s").write_text(text)
        flags = ["-debug-info-kind=constructor", "-dwarf-version=5"] if debug else []
        # Since LLVM 20 the assembler writes 16-bit halves of registers as v0.l and v0.h; gfx12 still has to be told.
        halves = ["-target-feature", "+real-true16"] if target.startswith("gfx1") else []
        relocatable = str(folder / "kernel.o")
        _run(
            "clang", "-cc1as", "-triple", "amdgcn-amd-amdhsa", "-target-cpu", target, *halves, *flags,
            "-filetype", "obj", str(folder / "kernel.s"), "-o", relocatable,
        )  # fmt: skip
        if not link:
            return Path(relocatable).read_bytes()
        _run("ld.lld", "-shared", relocatable, "-o", str(folder / "kernel.hsaco"))
        return (folder / "kernel.hsaco").read_bytes()


@functools.lru_cache(maxsize=64)
def assemble(text: str, target: str) -> bytes:
    """The bytes of the instructions in `text`."""
    section = read_elf(_object(text + "\n", target)).section(".text")
    assert section is not None
    return section.data


@functools.lru_cache(maxsize=16)
def assemble_all(snippets: tuple[str, ...], target: str) -> bytes:
    """Many snippets in one run of the assembler; snippet k starts at byte k * SLOT and ends with s_endpgm."""
    text = "".join(f"{_PAD}{snippet}\n  s_endpgm\n" for snippet in snippets)
    return assemble(text, target)


def _kind(size: int) -> str:
    return "global_buffer" if size == 8 else "by_value"


def code_object(
    body: str,
    target: str,
    *,
    name: str = "kernel",
    arguments: Sequence[int] = (8, 8),
    lds: int = 0,
    scratch: int = 0,
    vgprs: int = 32,
    block: int = 1024,
    debug: bool = False,
) -> bytes:
    """A linked code object with one kernel. `arguments` are the sizes of its arguments, in bytes.

    The kernarg address arrives in s[0:1], the workgroup id x in s2 (gfx12: ttmp9), work-item ids in v0.
    """
    wide = target.startswith("gfx9")
    offsets, at = [], 0
    for size in arguments:
        at = (at + size - 1) // size * size
        offsets.append((at, size))
        at += size
    listed = "".join(
        f"      - .offset: {offset}\n        .size: {size}\n        .value_kind: {_kind(size)}\n"
        for offset, size in offsets
    )
    accumulators = "  .amdhsa_accum_offset 32\n" if wide else ""
    wave = "" if wide else "  .amdhsa_wavefront_size32 1\n"
    text = f"""
  .text
  .globl {name}
  .p2align 8
  .type {name},@function
{name}:
{body}
  s_endpgm
.L_end:
  .size {name}, .L_end-{name}
  .rodata
  .p2align 6
  .amdhsa_kernel {name}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_private_segment_fixed_size {scratch}
  .amdhsa_next_free_vgpr {vgprs}
  .amdhsa_next_free_sgpr 32
{accumulators}{wave}  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.kernels:
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: {(at + 7) // 8 * 8}
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: {scratch}
    .wavefront_size: {64 if wide else 32}
    .sgpr_count: 32
    .vgpr_count: {vgprs}
    .max_flat_workgroup_size: {block}
    .args:
{listed}...
  .end_amdgpu_metadata
"""
    return _object(text, target, link=True, debug=debug)
