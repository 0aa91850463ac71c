# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An entry of a cache of objects: a line of JSON (SHA-256 of the object, launch plan), then the object's bytes."""

from __future__ import annotations

from dataclasses import dataclass

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.compiler.compile import Compiled
from vendorctl.kernels.object import elf, launch
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.launch import LaunchPlan
from vendorctl.kernels.object.target import Target

_MAX_HEADER = 1 << 20
#: Bytes that no entry exceeds: whoever reads one need not take more.
MAX_SIZE = _MAX_HEADER + 1 + elf.MAX_OBJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is looked for: the input digest that is its key, and what an entry must be to be taken.

    `expected` is the SHA-256 that a manifest records for the very same inputs (None: none does).
    """

    key: str
    instance: Instance
    target: Target
    expected: str | None = None


def dump(result: Compiled) -> bytes:
    """The bytes of an entry. The same object gives the same bytes."""
    header = digest.canonical_json({"sha256": digest.sha256(result.code), "plan": result.plan.json()})
    return header + b"\n" + result.code


def load(data: bytes, instance: Instance, target: Target) -> Compiled | None:
    """The object of an entry; None unless it is whole and stamped for `target`."""
    opened = _open(data)
    if opened is None:
        return None
    plan, code = opened
    try:
        sound = not elf.stamp_faults(elf.parse(code), target)
    except VendorError:
        return None
    return Compiled(instance=instance, code=code, plan=plan) if sound else None


def code_of(data: bytes) -> bytes | None:
    """The object of an undamaged entry, whatever it is for; None for a damaged one."""
    opened = _open(data)
    return opened[1] if opened is not None else None


def _open(data: bytes) -> tuple[LaunchPlan, bytes] | None:
    header, separator, code = data.partition(b"\n")
    try:
        facts = digest.parse_json(header[:_MAX_HEADER])
        plan = launch.parse(facts["plan"])
        whole = bool(separator) and facts["sha256"] == digest.sha256(code)
    except (ValueError, KeyError, TypeError, RecursionError, VendorError):
        return None
    return (plan, code) if whole else None
