# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Charts as SVG text: small, the same bytes for the same figures, readable on light and on dark pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from benchmarks.results import Curve, Row

#: A series is told apart by colour and by the shape of its marks; the colours are chosen for either background.
_STYLE = """
svg { font: 12px system-ui, sans-serif; --ink: #1f2328; --faint: #d0d7de; --quiet: #59636e; --page: #ffffff;
  --c0: #0b62b8; --c1: #b3500f; --c2: #1a7f4b; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #3d444d; --quiet: #9198a1; --page: #0d1117;
  --c0: #6cb1ff; --c1: #f0a060; --c2: #6fd19a; } }
text { fill: var(--ink) } .quiet { fill: var(--quiet) } .page { fill: var(--page) }
.grid { stroke: var(--faint); stroke-width: 1 } .line { fill: none; stroke-width: 2 }
""".strip()

_WIDTH, _HEIGHT = 250, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 14, 30, 40
_LEGEND = 30
#: How many colours and shapes there are.
_SERIES = 3


def growth_chart(rows: Sequence[Sequence[Curve]], title: str) -> str:
    """Rows of panels, one per curve, of the same three series at most; both axes are logarithmic."""
    names = list(dict.fromkeys(name for curves in rows for curve in curves for name in curve.series))
    if len(names) > _SERIES:
        raise ValueError(f"no more than {_SERIES} series can be told apart, not {len(names)}")
    parts = [_legend(names)]
    for number, curves in enumerate(rows):
        for column, curve in enumerate(curves):
            place = f"translate({_WIDTH * column} {_LEGEND + _HEIGHT * number})"
            parts.append(f'<g transform="{place}">{_panel(curve, names)}</g>')
    return _document(_WIDTH * max(map(len, rows)), _LEGEND + _HEIGHT * len(rows), title, parts)


def bar_chart(rows: Sequence[Row], title: str) -> str:
    """Seconds as bars, the first row ours."""
    longest = max(row.measured for row in rows)
    label, width, step = 190, 480, 26
    parts = []
    for number, row in enumerate(rows):
        y = 10 + step * number
        length = max(1.0, width * row.measured / longest)
        parts.append(f'<text x="{label - 8}" y="{y + 14}" text-anchor="end">{escape(row.name)}</text>')
        colour = "var(--c0)" if number == 0 else "var(--quiet)"
        parts.append(f'<rect x="{label}" y="{y}" width="{length:.1f}" height="18" rx="2" style="fill:{colour}"/>')
        parts.append(f'<text x="{label + length + 6:.1f}" y="{y + 14}" class="quiet">{row.measured:.2f} s</text>')
    return _document(label + width + 70, 16 + step * len(rows), title, parts)


def _document(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
    page = f'<rect width="{width}" height="{height}" rx="6" class="page"/>'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{_STYLE}</style>", page, *parts, "</svg>", ""])


def _legend(names: Sequence[str]) -> str:
    parts, x = [], 20
    for number, name in enumerate(names):
        parts.append(_mark(number, x, 16) + f'<text x="{x + 10}" y="20">{escape(name)}</text>')
        x += 30 + 7 * len(name)
    return "".join(parts)


def _mark(number: int, x: float, y: float) -> str:
    shapes: Mapping[int, str] = {
        0: f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5"',
        1: f'<rect x="{x - 3.2:.1f}" y="{y - 3.2:.1f}" width="6.4" height="6.4"',
        2: f'<path d="M{x:.1f} {y - 4.4:.1f}l4.4 7.6h-8.8z"',
    }
    return f'{shapes[number]} style="fill:var(--c{number})"/>'


def _panel(curve: Curve, names: Sequence[str]) -> str:
    figures = [figure for series in curve.series.values() for figure in series]
    low, high = 10 ** math.floor(math.log10(min(figures))), 10 ** math.ceil(math.log10(max(figures)))
    across = _Axis(min(curve.sizes), max(curve.sizes), _LEFT, _WIDTH - _RIGHT)
    up = _Axis(low, max(high, low * 10), _HEIGHT - _BOTTOM, _TOP)
    parts = [f'<text x="{_LEFT}" y="{_TOP - 12}" class="quiet">{escape(curve.unit)}</text>']
    value = low
    while value <= up.high * 1.001:
        y = up.place(value)
        parts.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" class="grid"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" class="quiet">{value:g}</text>')
        value *= 10
    for size in (curve.sizes[0], curve.sizes[-1]):
        anchor = "start" if size == curve.sizes[0] else "end"
        x = across.place(size)
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 16}" text-anchor="{anchor}">{size:,}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(curve.over)}</text>')
    for name, series in curve.series.items():
        number = names.index(name)
        points = [(across.place(size), up.place(figure)) for size, figure in zip(curve.sizes, series, strict=True)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" class="line" style="stroke:var(--c{number})"/>')
        parts += [_mark(number, x, y) for x, y in points]
    return "".join(parts)


class _Axis:
    """A logarithmic axis from `low` to `high`, drawn from `start` to `end`."""

    def __init__(self, low: float, high: float, start: float, end: float) -> None:
        self.low, self.high, self.start, self.end = low, high, start, end

    def place(self, value: float) -> float:
        """Where a value is."""
        if self.high == self.low:
            return self.start
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)
