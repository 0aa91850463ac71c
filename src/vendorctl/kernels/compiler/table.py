# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The instance table of a recipe: asked for in the child, checked in the parent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.object import target as targets
from vendorctl.kernels.object.conditions import parse_condition
from vendorctl.kernels.object.instance import Excluded, Instance, make
from vendorctl.model import Json

if TYPE_CHECKING:
    from vendorctl.kernels.recipe import Recipe

_OPERATION = re.compile(r"[a-z][a-z0-9_]{0,59}\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One instance with the conditions under which a consumer may launch its object."""

    instance: Instance
    accepts: tuple[Mapping[str, Json], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a recipe said about itself: its facts, and per target the rows it builds and those it leaves out."""

    operation: str
    upstream: str
    import_root: str
    declines: tuple[Mapping[str, Json], ...]
    data_files: tuple[str, ...]
    rows: Mapping[str, tuple[Row, ...]]
    excluded: Mapping[str, tuple[Excluded, ...]]


def enumerate_recipe(recipe: Recipe, target_names: Iterable[str]) -> Json:
    """The table as JSON. Runs in the child, next to the recipe's code."""
    rows: dict[str, Json] = {}
    excluded: dict[str, Json] = {}
    for name in target_names:
        built: list[Json] = []
        left_out: list[Json] = []
        for entry in recipe.instances(targets.find(name)):
            if isinstance(entry, Excluded):
                left_out.append({"row": _pairs(entry.instance), "reason": entry.reason})
            else:
                accepts: list[Json] = [
                    {"field": rule.field, "rule": rule.rule, "value": rule.value, "reason": rule.reason}
                    for rule in recipe.accepts(entry)
                ]
                built.append({"row": _pairs(entry), "accepts": accepts})
        rows[name], excluded[name] = built, left_out
    return {
        "operation": recipe.operation,
        "upstream": recipe.upstream,
        "import_root": recipe.import_root,
        "declines": [{"case": decline.case, "reason": decline.reason} for decline in recipe.declines],
        "data_files": list(recipe.data_files),
        "rows": rows,
        "excluded": excluded,
    }


def _pairs(instance: Instance) -> Json:
    return [[key, value] for key, value in instance.values]


def parse_table(reply: Any, recipe: str, target_names: Iterable[str]) -> Table:
    """Check a child's reply about the recipe file `recipe`. Raises VendorError for anything that is not a table."""
    names = list(target_names)
    try:
        table = _table(reply, names)
        for name in names:
            _refuse_duplicates(table, name)
    except VendorError as error:
        raise VendorError(f"{recipe}: {error.message}", hint=error.hint, code=ExitCode.BUILD_FAILED) from error
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise VendorError(f"{recipe}: the recipe's instance table is malformed", code=ExitCode.BUILD_FAILED) from error
    return table


def _table(reply: Any, names: list[str]) -> Table:
    operation = str(reply["operation"])
    if not _OPERATION.match(operation):
        raise VendorError(f"operation {operation!r} is not a lower-case identifier")
    return Table(
        operation=operation,
        upstream=str(reply["upstream"]),
        import_root=str(reply["import_root"]),
        declines=tuple({"case": str(d["case"]), "reason": str(d["reason"])} for d in reply["declines"]),
        data_files=tuple(str(name) for name in reply["data_files"]),
        rows={name: tuple(_row(entry) for entry in reply["rows"][name]) for name in names},
        excluded={
            name: tuple(Excluded(_instance(entry["row"]), str(entry["reason"])) for entry in reply["excluded"][name])
            for name in names
        },
    )


def _instance(pairs: Any) -> Instance:
    return make(dict(pairs))


def _row(entry: Any) -> Row:
    return Row(instance=_instance(entry["row"]), accepts=tuple(map(parse_condition, entry["accepts"])))


def _refuse_duplicates(table: Table, target: str) -> None:
    seen: dict[str, Instance] = {}
    instances = [row.instance for row in table.rows[target]] + [left.instance for left in table.excluded[target]]
    for instance in instances:
        # Case-insensitive file systems would let one object overwrite the other.
        if instance.name.lower() in seen:
            raise VendorError(f"two rows for {target} have the name {instance.name!r}")
        seen[instance.name.lower()] = instance
