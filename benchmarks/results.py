# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a benchmark yields: tables of rows, and curves over size; as values, and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

SCHEMA = "vendorctl/benchmarks/1"

#: By how much two runs of the same thing differ, by the unit of a curve.
_NOISE = {"processor seconds": 0.03, "MiB": 2.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One thing that was measured. Times are seconds, `memory_mib` is the largest process; None: not measured.

    A row of another kind has `value` and its `unit`. `target` is the most that the design allows, in the same unit.
    """

    name: str
    wall: float | None = None
    fastest: float | None = None
    slowest: float | None = None
    processor: float | None = None
    memory_mib: float | None = None
    value: float | None = None
    unit: str | None = None
    target: float | None = None

    @property
    def measured(self) -> float:
        """The figure that a target speaks of. Raises ValueError for a row without one."""
        figure = self.wall if self.wall is not None else self.value
        if figure is None:
            raise ValueError(f"{self.name} has no figure")
        return figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows that were measured side by side. Ratios are to the row named `base`, where there is one."""

    rows: tuple[Row, ...]
    base: str | None = None

    def ratio(self, row: Row) -> float | None:
        """How many times as long as the base a row took."""
        base = next((each for each in self.rows if each.name == self.base), None)
        return None if base is None or base is row else row.measured / base.measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Figures over a size that grows: `sizes` of what `over` names, and per series its figure at each size, in `unit`.

    `floor` is each series' figure at next to nothing, which starting the program costs whatever the size.
    """

    over: str
    unit: str
    sizes: tuple[int, ...]
    series: Mapping[str, tuple[float, ...]]
    floor: Mapping[str, float] = field(default_factory=dict)

    def exponent(self, name: str) -> float:
        """The power of the size with which a series grows above its floor: 1 is linear, 0 is constant.

        The slope of the least-squares line through the logarithms; figures nearer to the floor than what two runs
        differ by count as that much above it.
        """
        floor, noise = self.floor.get(name, 0.0), _NOISE[self.unit]
        points = [
            (math.log(size), math.log(max(figure - floor, noise)))
            for size, figure in zip(self.sizes, self.series[name], strict=True)
        ]
        middle_x = sum(x for x, _ in points) / len(points)
        middle_y = sum(y for _, y in points) / len(points)
        spread = sum((x - middle_x) ** 2 for x, _ in points)
        return sum((x - middle_x) * (y - middle_y) for x, y in points) / spread if spread else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What one benchmark measured, of what size, and what it could not measure and why."""

    size: Mapping[str, int]
    tables: Mapping[str, Table] = field(default_factory=dict)
    curves: Mapping[str, Curve] = field(default_factory=dict)
    not_measured: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values; figures rounded to what a clock can tell."""
        return {
            "size": dict(self.size),
            "tables": {
                name: {"base": table.base, "rows": [_row_json(row) for row in table.rows]}
                for name, table in self.tables.items()
            },
            "curves": {
                name: {
                    "over": curve.over,
                    "unit": curve.unit,
                    "sizes": list(curve.sizes),
                    "series": {key: [round(figure, 4) for figure in value] for key, value in curve.series.items()},
                    "floor": {key: round(value, 4) for key, value in curve.floor.items()},
                }
                for name, curve in self.curves.items()
            },
            "not_measured": list(self.not_measured),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Result:
        """The inverse of `to_json`. Raises KeyError, TypeError or ValueError for anything else."""
        return cls(
            size=dict(document["size"]),
            tables={
                name: Table(base=table["base"], rows=tuple(Row(**row) for row in table["rows"]))
                for name, table in document["tables"].items()
            },
            curves={name: _curve(curve) for name, curve in document["curves"].items()},
            not_measured=tuple(document["not_measured"]),
        )


def _row_json(row: Row) -> dict[str, Any]:
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in asdict(row).items()
        if value is not None
    }


def _curve(document: Mapping[str, Any]) -> Curve:
    sizes: Sequence[int] = document["sizes"]
    series = {name: tuple(map(float, figures)) for name, figures in document["series"].items()}
    if any(len(figures) != len(sizes) for figures in series.values()):
        raise ValueError("a curve needs a figure for every size")
    return Curve(
        over=document["over"],
        unit=document["unit"],
        sizes=tuple(sizes),
        series=series,
        floor=dict(document["floor"]),
    )
