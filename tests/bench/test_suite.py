# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The benchmarks run and yield what they promise, and the page shows what a run measured. No time is judged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.test_links import ROOT

sys.path.insert(0, str(ROOT))

from benchmarks import page, plots
from benchmarks.__main__ import benchmarks, main
from benchmarks.results import SCHEMA, Curve, Result, Row, Table
from benchmarks.timing import Subject, in_turn, once
from benchmarks.workspaces import Size, make

#: Reports in a form of its own; its figures are on no page that is written here.
OWN_FORM = {"distributed"}


@pytest.mark.parametrize("name", sorted(set(benchmarks()) - OWN_FORM))
def test_every_benchmark_runs_and_keeps_the_schema(name: str, tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", name, "--quick", "--json", str(file)], cwd=ROOT, capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    document = json.loads(file.read_text())
    assert (document["schema"], document["quick"]) == (SCHEMA, True)
    found = document["results"][name]
    result = Result.from_json(found)
    assert result.to_json() == {key: value for key, value in found.items() if key != "seconds"}
    rows = [row for table in result.tables.values() for row in table.rows]
    assert rows or result.curves
    assert all(row.measured > 0 for row in rows)
    assert all(figure > 0 for curve in result.curves.values() for series in curve.series.values() for figure in series)


def test_a_benchmark_that_fails_is_no_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "bench_broken.py"
    script.write_text("import sys\nsys.exit(3)\n")
    monkeypatch.setattr("benchmarks.__main__.HERE", tmp_path)
    file = tmp_path / "results.json"
    assert main(["broken", "--quick", "--json", str(file)]) == 1
    assert json.loads(file.read_text())["results"] == {"broken": {"failed": 3}}
    with pytest.raises(SystemExit):
        main(["unknown", "--json", str(file)])


def test_a_command_that_fails_is_no_measurement(tmp_path: Path) -> None:
    def subject(code: int, **more: Any) -> Subject:
        command = [sys.executable, "-c", f"import sys; sys.exit({code})"]
        return Subject(name="it", command=command, prepare=lambda: tmp_path, environment={}, **more)

    with pytest.raises(RuntimeError, match="it ended with 1"):
        once(subject(1))
    assert once(subject(1, accept=frozenset({0, 1}))).wall > 0


def test_subjects_take_turns_and_the_warm_up_does_not_count(tmp_path: Path) -> None:
    order: list[str] = []

    def subject(name: str) -> Subject:
        def prepare() -> Path:
            order.append(name)
            return tmp_path

        return Subject(name=name, command=["true"], prepare=prepare, environment={"PATH": "/bin:/usr/bin"})

    rows = in_turn([subject("a"), subject("b")], 2)
    assert order == ["b", "a", "a", "b", "b", "a"]
    assert [row.name for row in rows] == ["a", "b"]


def test_workspaces_are_the_same_bytes_every_time(tmp_path: Path) -> None:
    size = Size(upstreams=2, files=7, patches=9, per_folder=3, bulk=1, history=2, commits=4, functions=6)
    one, two = make(tmp_path / "one", size), make(tmp_path / "two", size)
    texts = [(made.root / name).read_bytes() for name in ("VENDOR.lock", "VENDOR.yaml") for made in (one, two)]
    assert texts[0] == texts[1]
    assert texts[2] == texts[3]
    lock = json.loads(texts[0])["upstreams"]
    assert [len(lock[name]["files"]) for name in one.names] == [7, 7]
    assert [len(lock[name]["series"]) for name in one.names] == [9, 9]
    log = subprocess.run(["git", "rev-list", "--count", "v1..v2"], cwd=one.upstream("up1"), capture_output=True)
    assert log.stdout == b"4\n"


def curve(power: float, floor: float = 0.4) -> Curve:
    sizes = (100, 200, 400, 800)
    series = {"it": tuple(floor + 0.01 * size**power for size in sizes)}
    return Curve(over="files", unit="processor seconds", sizes=sizes, series=series, floor={"it": floor})


def test_the_exponent_tells_linear_from_quadratic() -> None:
    assert curve(1).exponent("it") == pytest.approx(1)
    assert curve(2).exponent("it") == pytest.approx(2)
    flat = Curve(over="files", unit="MiB", sizes=(1, 10, 100), series={"it": (30.0, 30.5, 31.0)}, floor={"it": 30.0})
    assert flat.exponent("it") == 0


def document(seconds: float, power: float = 1) -> dict[str, Any]:
    """Results as a run would leave them, of the benchmarks that charts need and one with a target."""
    rows = (Row(name="vendorctl sync", wall=seconds, target=1.0), Row(name="git am", wall=0.5))
    growth = {f"files: {what}": curve(power) for what in ("time", "memory")}
    for name, each in growth.items():
        growth[name] = Curve(over="files", unit=each.unit, sizes=each.sizes, floor={},
                             series={"verify": each.series["it"], "drift": each.series["it"]})  # fmt: skip
    core = Result(
        size={"files": 3}, tables={"cold": Table(rows=rows, base="vendorctl sync")}, not_measured=("x is gone",)
    )
    return {
        "schema": SCHEMA, "date": "2026-11-30", "quick": False, "peers": {"quilt": "0.66", "stg": None},
        "machine": {"processor": "CPU", "cores": 2, "memory_gib": 4, "system": "Linux 6", "python": "3", "git": "2",
                    "load": 0.1},
        "results": {"core": core.to_json(), "growth": Result(size={}, curves=growth).to_json()},
    }  # fmt: skip


def test_the_page_says_what_was_missed_and_what_could_not_be_measured() -> None:
    text = "Prose.\n<!-- bench targets -->\n\nold\n\n<!-- end -->\nMore.\n<!-- bench missing -->\n<!-- end -->\n"
    good = page.render(text, document(0.8))
    assert "| vendorctl sync (3 files) | 1 s | 0.80 s | met |" in good
    assert "missed" not in good
    assert "- x is gone" in good
    assert "old" not in good
    assert good.startswith("Prose.\n")
    assert "\nMore.\n" in good
    assert page.render(good, document(0.8)) == good
    assert "**missed**" in page.render(text, document(1.2))


def test_the_page_says_what_is_more_than_linear() -> None:
    text = "<!-- bench growth -->\n<!-- end -->\n"
    assert "more than linear" not in page.render(text, document(1))
    assert "**more than linear**" in page.render(text, document(1, power=1.5))


def test_unknown_figures_are_an_error() -> None:
    with pytest.raises(KeyError):
        page.render("<!-- bench core warm -->\n<!-- end -->\n", document(1))
    with pytest.raises(ValueError, match="not results"):
        page.render("<!-- bench targets -->\n<!-- end -->\n", {"schema": "other/1", "results": {}})


def test_a_benchmark_that_did_not_run_leaves_no_figures_and_no_charts() -> None:
    nothing = document(1) | {"results": {}}
    text = "<!-- bench core cold -->\n<!-- end -->\n<!-- bench growth -->\n<!-- end -->\n"
    assert page.render(text, nothing).count("Not measured in this run.") == 2
    assert page.charts(nothing) == {}
    with pytest.raises(KeyError):
        page.render("<!-- bench other cold -->\n<!-- end -->\n", nothing)


def test_charts_are_stable_escaped_and_of_few_series() -> None:
    assert page.charts(document(1)) == page.charts(document(1))
    assert "a &lt; b" in plots.bar_chart([Row(name="a < b", wall=1.0)], "title")
    many = Curve(over="files", unit="MiB", sizes=(1, 2), series={str(name): (1.0, 2.0) for name in range(4)})
    with pytest.raises(ValueError, match="told apart"):
        plots.growth_chart([[many]], "title")


def test_page_and_charts_show_the_run_that_is_kept() -> None:
    kept = json.loads(page.KEPT.read_text())
    text = page.PAGE.read_text()
    assert page.render(text, kept) == text, "run `python -m benchmarks.page docs/explanation/performance.json`"
    charts = page.charts(kept)
    assert {path.name for path in page.IMAGES.glob("bench-*.svg")} == set(charts)
    for name, chart in charts.items():
        assert (page.IMAGES / name).read_text() == chart
        assert f"../images/{name}" in text
