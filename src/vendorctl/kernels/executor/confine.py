# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Confinement of the current process, for compiler children that run a recipe's code.

Resource limits bound memory, file sizes and core dumps. Landlock (Linux 5.13 and newer, no privileges needed) denies
every write outside one folder, and, where the kernel knows how, TCP connections and signals to other processes. Reads
are not restricted. Constants and structures are from the kernel's `include/uapi/linux/landlock.h`.
"""

from __future__ import annotations

import ctypes
import os
import resource
from pathlib import Path

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
_GET_VERSION = 1
_RULE_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

_WRITE_FILE = 1 << 1
_REMOVE_DIR_TO_MAKE_SYM = sum(1 << bit for bit in range(4, 13))
_REFER = 1 << 13  # ABI 2: moving or linking files between folders
_TRUNCATE = 1 << 14  # ABI 3
_NET_TCP = 0b11  # ABI 4: bind, connect
_SCOPED = 0b11  # ABI 6: abstract sockets, signals


class _Ruleset(ctypes.Structure):
    _fields_ = (("fs", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def limit(*, memory: int, file_size: int) -> None:
    """Bound the address space and the size of any written file, both in bytes, and switch core dumps off."""
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def supported() -> bool:
    """True when this kernel can confine writes."""
    return _version(ctypes.CDLL(None, use_errno=True)) >= 1


def _version(libc: ctypes.CDLL) -> int:
    """The Landlock ABI version, or a negative number when the kernel has none or it is switched off."""
    return int(libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_GET_VERSION)))


def deny_writes_outside(folder: Path) -> bool:
    """Allow this process and its children to write below `folder` only, for good.

    Returns False, with nothing changed, where the kernel has no Landlock; the caller then has to compare folders.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    version = _version(libc)
    if version < 1:
        return False
    writes = _handled_writes(version)
    attributes = _Ruleset(writes, _NET_TCP if version >= 4 else 0, _SCOPED if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = libc.syscall(_CREATE_RULESET, ctypes.byref(attributes), ctypes.c_size_t(size), ctypes.c_uint32(0))
    if ruleset < 0:
        return False
    try:
        _allow(libc, ruleset, folder, writes)
        _allow(libc, ruleset, Path(os.devnull), writes & (_WRITE_FILE | _TRUNCATE))
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            return False
        return int(libc.syscall(_RESTRICT_SELF, ruleset, ctypes.c_uint32(0))) == 0
    finally:
        os.close(ruleset)


def _handled_writes(version: int) -> int:
    writes = _WRITE_FILE | _REMOVE_DIR_TO_MAKE_SYM
    if version >= 2:
        writes |= _REFER
    if version >= 3:
        writes |= _TRUNCATE
    return writes


def _allow(libc: ctypes.CDLL, ruleset: int, path: Path, access: int) -> None:
    descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathBeneath(access, descriptor)
        if libc.syscall(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, ctypes.byref(rule), ctypes.c_uint32(0)) != 0:
            raise OSError(ctypes.get_errno(), "landlock_add_rule failed", str(path))
    finally:
        os.close(descriptor)
