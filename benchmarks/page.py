# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks.page [RESULTS]`: figures of a run into docs/explanation/performance.md, and its charts.

Only what stands between ``<!-- bench NAME -->`` and ``<!-- end -->`` is written; the prose around it is people's.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from benchmarks.__main__ import RESULTS, benchmarks
from benchmarks.plots import bar_chart, growth_chart
from benchmarks.results import SCHEMA, Curve, Result, Row, Table

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "explanation" / "performance.md"
IMAGES = ROOT / "docs" / "images"
#: The run that the page shows, kept beside it.
KEPT = ROOT / "docs" / "explanation" / "performance.json"

_BLOCK = re.compile(r"(<!-- bench ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)

#: What each chart shows, in words.
_ALT = {
    "bench-cold.svg": "Seconds of the main job with an empty cache, and of its parts",
    "bench-workspace.svg": "Time and memory by the size of the workspace",
    "bench-upstream.svg": "Time and memory by the length of upstream's history",
}

#: A power of the size up to which growth counts as linear.
_LINEAR = 1.2


def render(page: str, document: Mapping[str, Any]) -> str:
    """The page with every block made anew. Raises KeyError for a block whose figures the run does not have."""
    figures = _Figures(document)
    return _BLOCK.sub(lambda found: f"{found[1]}\n{figures.block(found[2])}\n\n{found[3]}", page)


def charts(document: Mapping[str, Any]) -> dict[str, str]:
    """The charts by file name; those of benchmarks that did not run are left out."""
    results = _Figures(document).results
    made: dict[str, str] = {}
    if "core" in results:
        rows = results["core"].tables["cold"].rows
        made["bench-cold.svg"] = bar_chart(rows, _ALT["bench-cold.svg"])
    if "growth" in results:
        curves = results["growth"].curves
        made["bench-workspace.svg"] = _growth(curves, "verify", _ALT["bench-workspace.svg"])
        made["bench-upstream.svg"] = _growth(curves, "drift", _ALT["bench-upstream.svg"])
    return made


def _growth(curves: Mapping[str, Curve], series: str, title: str) -> str:
    """Times above memory, of the curves that have a series."""
    chosen = {name: curve for name, curve in curves.items() if series in curve.series}
    rows = [[curve for name, curve in chosen.items() if name.endswith(f": {what}")] for what in ("time", "memory")]
    return growth_chart(rows, f"{title}; both axes are logarithmic")


class _Figures:
    """The results of one run, as text for the page."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        if document["schema"] != SCHEMA:
            raise ValueError(f"not results of the benchmarks: {document['schema']}")
        self.document = document
        self.results = {
            name: Result.from_json(result) for name, result in document["results"].items() if "tables" in result
        }

    def block(self, name: str) -> str:
        """The text of one block."""
        special: Mapping[str, Callable[[], str]] = {
            "machine": self.machine,
            "targets": self.targets,
            "growth": self.growth,
            "missing": self.missing,
        }
        if name == "growth" and name not in self.results:
            return "Not measured in this run."
        if name in special:
            return special[name]()
        benchmark, _, table = name.partition(" ")
        if benchmark not in self.results and benchmark in benchmarks():
            return "Not measured in this run."
        result = self.results[benchmark]
        if table == "chart":
            names = [file for file in _ALT if (file == "bench-cold.svg") == (benchmark == "core")]
            return "\n\n".join(f"![{_ALT[file]}](../images/{file})" for file in names)
        return _sizes(result) if table == "size" else _table(result.tables[table])

    def machine(self) -> str:
        """When and where."""
        if not self.results:
            return "No run is kept here yet."
        facts, peers = self.document["machine"], self.document["peers"]
        others = ", ".join(f"{name} {version}" for name, version in sorted(peers.items()) if version)
        text = (
            f"Measured on {self.document['date']}: {facts['cores']} cores of {facts['processor']}, "
            f"{facts['memory_gib']} GiB, {facts['system']}, Python {facts['python']}, git {facts['git']}; {others}. "
            f"Load when the run began: {facts['load']:g}."
        )
        return "\n".join(wrap(text, 120, break_on_hyphens=False))

    def targets(self) -> str:
        """Every row that has a target."""
        lines = ["| what | target | measured | |", "|---|---:|---:|---|"]
        for benchmark, result in self.results.items():
            for table in result.tables.values():
                for row in table.rows:
                    if row.target is not None:
                        verdict = "met" if row.measured <= row.target else "**missed**"
                        name = f"{row.name} ({_sizes(result)})" if benchmark != "everyday" else _daily(row, result)
                        lines.append(f"| {name} | {row.target:g} s | {row.measured:.2f} s | {verdict} |")
        return "\n".join(lines)

    def growth(self) -> str:
        """Exponents of every series."""
        lines = ["| over | command | time | memory | |", "|---|---|---:|---:|---|"]
        curves = self.results["growth"].curves
        for name, curve in curves.items():
            over, _, what = name.partition(": ")
            if what == "time":
                memory = curves[f"{over}: memory"]
                for series in curve.series:
                    power, kept = curve.exponent(series), memory.exponent(series)
                    verdict = "linear or less" if max(power, kept) < _LINEAR else "**more than linear**"
                    span = f"{over}, {curve.sizes[0]:,} to {curve.sizes[-1]:,}"
                    lines.append(f"| {span} | `{series}` | {power:.2f} | {kept:.2f} | {verdict} |")
        return "\n".join(lines)

    def missing(self) -> str:
        """What this run could not measure."""
        lines = [f"- {line}" for result in self.results.values() for line in result.not_measured]
        return "\n".join(lines) or "Nothing was left out."


def _daily(row: Row, result: Result) -> str:
    large = any(row is each for each in result.tables["large"].rows)
    files, patches = ("files, large", "patches, large") if large else ("files", "patches")
    return f"{row.name} ({result.size[files]:,} files, {result.size[patches]:,} patches)"


def _sizes(result: Result) -> str:
    return ", ".join(f"{value:,} {name}" for name, value in result.size.items())


def _table(table: Table) -> str:
    """A table with the columns for which there are figures."""
    columns: list[tuple[str, Callable[[Row], str]]] = [
        ("what", lambda row: f"`{row.name}`" if _command(row) else row.name)
    ]
    if any(row.wall is not None for row in table.rows):
        columns.append(("seconds", lambda row: f"{row.wall:.2f}" if row.wall is not None else ""))
    if any(row.fastest is not None and row.fastest != row.slowest for row in table.rows):
        columns.append(("fastest to slowest", lambda row: f"{row.fastest:.2f} to {row.slowest:.2f}"))
    if any(row.processor is not None for row in table.rows):
        columns.append(("processor seconds", lambda row: f"{row.processor:.2f}" if row.processor is not None else ""))
    if any(row.memory_mib is not None for row in table.rows):
        columns.append(("peak memory", lambda row: f"{row.memory_mib:.0f} MiB" if row.memory_mib is not None else ""))
    if any(row.value is not None for row in table.rows):
        columns.append(("figure", lambda row: f"{_number(row.value)} {row.unit}" if row.value is not None else ""))
    if table.base is not None:
        columns.append(
            (
                f"against `{table.base}`" if " " in table.base else f"against {table.base}",
                lambda row: _ratio(table, row),
            )
        )
    lines = ["| " + " | ".join(name for name, _ in columns) + " |"]
    lines.append("|---|" + "---:|" * (len(columns) - 1))
    lines += ["| " + " | ".join(show(row) for _, show in columns) + " |" for row in table.rows]
    return "\n".join(lines)


def _command(row: Row) -> bool:
    return row.name.split(" ")[0] in {"vendorctl", "git", "stg", "quilt", "dfetch", "reuse", "sha256sum", "python"}


def _ratio(table: Table, row: Row) -> str:
    ratio = table.ratio(row)
    return "" if ratio is None else f"{ratio:.2f} times as long"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def main() -> int:
    """Write the page, its charts and the run that they show."""
    source = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
    document = json.loads(source.read_text())
    if document["quick"]:
        print(f"{source} is of a run with --quick, whose figures mean nothing", file=sys.stderr)
        return 1
    PAGE.write_text(render(PAGE.read_text(), document))
    for outdated in IMAGES.glob("bench-*.svg"):
        outdated.unlink()
    for name, text in charts(document).items():
        (IMAGES / name).write_text(text)
    KEPT.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
