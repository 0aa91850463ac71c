# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Instances: one row of a recipe's table is one object to build."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from vendorctl.errors import VendorError

#: What a column of the instance table may hold.
Value: TypeAlias = "bool | int | str"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}\Z")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")


@dataclass(frozen=True, slots=True)
class Instance:
    """One row: column names with their values, in the recipe's order.

    Rows with equal values are equal whatever the order; `name` follows the order and names the object file.
    """

    values: tuple[tuple[str, Value], ...]

    @property
    def name(self) -> str:
        """The row as a file name: `f16`, `n4096`, `inverse_rms` joined by dashes.

        Strings stand for themselves, integers follow their column name, and a flag is named only when set.
        """
        parts = [part for key, value in self.values if (part := _part(key, value))]
        return "-".join(parts) or "only"

    @property
    def row(self) -> dict[str, Value]:
        """The row as a dictionary."""
        return dict(self.values)

    def __getitem__(self, column: str) -> Value:
        for key, value in self.values:
            if key == column:
                return value
        raise KeyError(column)

    def text(self, column: str) -> str:
        """The value of a text column. Raises VendorError when it is not text."""
        value = self[column]
        if not isinstance(value, str):
            raise VendorError(f"instance {self.name}: column {column!r} is not text")
        return value

    def number(self, column: str) -> int:
        """The value of an integer column. Raises VendorError when it is not an integer."""
        value = self[column]
        if isinstance(value, bool) or not isinstance(value, int):
            raise VendorError(f"instance {self.name}: column {column!r} is not an integer")
        return value

    def flag(self, column: str) -> bool:
        """The value of a flag column. Raises VendorError when it is not a flag."""
        value = self[column]
        if not isinstance(value, bool):
            raise VendorError(f"instance {self.name}: column {column!r} is not a flag")
        return value


@dataclass(frozen=True, slots=True)
class Excluded:
    """A row that a recipe leaves out for one target, and why."""

    instance: Instance
    reason: str


def _part(key: str, value: Value) -> str:
    if isinstance(value, bool):
        return key if value else ""
    return f"{key}{value}" if isinstance(value, int) else value


def make(values: Mapping[str, object]) -> Instance:
    """An instance from column values. Raises VendorError for a value or name that cannot be recorded in a manifest."""
    pairs: list[tuple[str, Value]] = []
    for key, value in values.items():
        if not isinstance(key, str) or not _KEY.match(key):
            raise VendorError(f"instance column {key!r} is not a lower-case identifier")
        if not isinstance(value, bool | int | str):
            raise VendorError(f"instance column {key!r} holds a {type(value).__name__}; use text, an integer or a flag")
        pairs.append((key, value))
    instance = Instance(tuple(pairs))
    if not _NAME.match(instance.name) or ".." in instance.name:
        raise VendorError(f"instance name {instance.name!r} cannot be a file name")
    return instance


def row(**values: Value) -> Instance:
    """An instance from keyword arguments, the way recipes write it: `row(dtype="f16", n=4096)`."""
    return make(values)
