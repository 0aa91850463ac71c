# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The per-user cache of compiled objects, addressed by input digest and verified on every read.

An entry is one file: a line of JSON (SHA-256 of the object, launch plan) and the object's bytes. Entries appear whole
or not at all, so that any number of builds may share the folder; a damaged entry is deleted and counts as absent.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels import elf, launch
from vendorctl.kernels.compile import Compiled
from vendorctl.kernels.instance import Instance
from vendorctl.kernels.target import Target

_MAX_HEADER = 1 << 20


@dataclass(frozen=True, slots=True)
class ObjectCache:
    """Objects below `folder` (`objects` in the user's cache), which is created when the first is stored."""

    folder: Path

    def get(self, key: str, instance: Instance, target: Target) -> Compiled | None:
        """The object stored under the input digest `key`, if it is there, whole, and stamped for `target`."""
        path = self._path(key)
        try:
            header, separator, code = path.read_bytes().partition(b"\n")
        except OSError:
            return None
        try:
            facts = json.loads(header[:_MAX_HEADER])
            plan = launch.parse(facts["plan"])
            whole = bool(separator) and facts["sha256"] == digest.sha256(code)
            sound = whole and not elf.stamp_faults(elf.parse(code), target)
        except (ValueError, KeyError, TypeError, RecursionError, VendorError):
            sound = False
        if sound:
            return Compiled(instance=instance, code=code, plan=plan)
        with contextlib.suppress(OSError):
            path.unlink()
        return None

    def put(self, key: str, result: Compiled) -> None:
        """Store an object. A cache that cannot be written is no reason to fail a build: it stays as it was."""
        header = digest.canonical_json({"sha256": digest.sha256(result.code), "plan": result.plan.json()})
        with contextlib.suppress(OSError):
            write_atomically(self._path(key), header + b"\n" + result.code)

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that readers see its old or its new content, also when this process is killed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(0o644)  # mkstemp makes private files
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
