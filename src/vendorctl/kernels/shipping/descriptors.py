# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Descriptors: one JSON per operation and target, from which a consumer selects a kernel for its problem.

    {"schema": "vendorctl/descriptor/1", "operation": "softmax", "target": "gfx942", "architectures": ["gfx942"],
     "kernels": [{"object": "f16-n1024.hsaco", "sha256": …, "accepts": [{"field": "n", "rule": "equals", …}],
                  "launch": {…}}, …],
     "declines": [{"case": …, "reason": …}], "not_built": [{"instance": {…}, "reason": …}]}

A consumer takes the first kernel all of whose `accepts` hold; `select` is that rule, and the reference for others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from vendorctl import digest
from vendorctl.kernels.object import target as targets
from vendorctl.kernels.object.manifest import ObjectManifest
from vendorctl.model import Json

SCHEMA = "vendorctl/descriptor/1"
FOLDER = "descriptors"


def generate(manifests: Iterable[ObjectManifest]) -> dict[str, bytes]:
    """Every descriptor by path, from the manifests alone."""
    return {
        f"{FOLDER}/{found.operation}/{found.target}.json": digest.pretty_json(describe(found)) for found in manifests
    }


def describe(found: ObjectManifest) -> Json:
    """The descriptor of one manifest. Kernels with more conditions come first: the most special that fits is taken."""
    records = sorted(found.objects, key=lambda record: (-len(record.accepts), record.file))
    kernels: list[Json] = [
        {
            "object": record.file,
            "sha256": record.sha256,
            "accepts": [dict(rule) for rule in record.accepts],
            "launch": record.launch.json(),
        }
        for record in records
    ]
    return {
        "schema": SCHEMA,
        "operation": found.operation,
        "target": found.target,
        "architectures": list(targets.find(found.target).members),
        "kernels": kernels,
        "declines": [dict(decline) for decline in found.declines],
        "not_built": [{"instance": dict(left.instance.values), "reason": left.reason} for left in found.excluded],
    }


@dataclass(frozen=True, slots=True)
class Selected:
    """The object to launch."""

    object: str


@dataclass(frozen=True, slots=True)
class Declined:
    """No object fits: for the one that came closest, the conditions that do not hold, with their reasons."""

    reasons: tuple[str, ...]


_RULES: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": lambda have, want: type(have) is type(want) and have == want,
    "at-least": lambda have, want: isinstance(have, int) and have >= want,
    "at-most": lambda have, want: isinstance(have, int) and have <= want,
    "multiple-of": lambda have, want: isinstance(have, int) and have % want == 0,
}


def select(descriptor: Mapping[str, Any], problem: Mapping[str, bool | int | str]) -> Selected | Declined:
    """Choose a kernel of `descriptor` for `problem`, which gives a value for every field that conditions name.

    A field that the problem leaves out satisfies no condition.
    """
    closest: tuple[str, ...] | None = None
    for kernel in descriptor["kernels"]:
        broken = tuple(_explain(rule, problem) for rule in kernel["accepts"] if not _holds(rule, problem))
        if not broken:
            return Selected(kernel["object"])
        if closest is None or len(broken) < len(closest):
            closest = broken
    return Declined(closest or ("there is no kernel for this target",))


def _holds(rule: Mapping[str, Any], problem: Mapping[str, bool | int | str]) -> bool:
    return rule["field"] in problem and _RULES[rule["rule"]](problem[rule["field"]], rule["value"])


def _explain(rule: Mapping[str, Any], problem: Mapping[str, bool | int | str]) -> str:
    have = problem.get(rule["field"], "not given")
    return f"{rule['field']} is {have}, and must be {in_words(rule)}: {rule['reason']}"


def in_words(rule: Mapping[str, Any]) -> str:
    """The condition of a constraint in words, without its field: `at least 1`."""
    value = str(rule["value"]).lower() if isinstance(rule["value"], bool) else str(rule["value"])
    return value if rule["rule"] == "equals" else f"{rule['rule'].replace('-', ' ')} {value}"
