# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a Dask cluster costs and gains: overhead per item and piece, measured; the scaling curve to 64 places, modelled.

Measured on a cluster on loopback, with items that do nothing or sleep: what an item and a piece cost, how many bytes
travel, what processor time the scheduler takes; and how 64 places (4 processes of 16 threads) keep up. Measured on this
machine alone: how long starting a compiler, compiling a row and testing an object of this workspace take, by operation.

The model then schedules all rows of the workspace over 1 to 64 places: pieces as the program cuts them, each given to
the place that is free first, with the measured durations and overheads, and nothing handed out faster than the
scheduler can. It leaves out that idle places take over what others have not begun, which makes ends shorter, and that
cores of one machine slow each other down, which makes everything longer. Prints one JSON object, and a table on stderr.
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.cluster import Cluster
from support.clusterwork import JOB, Item, Told
from vendorctl.emulator.backend import emulator
from vendorctl.kernels.building import store
from vendorctl.kernels.building.plan import Unit, make_plan
from vendorctl.kernels.building.project import Project, load_project
from vendorctl.kernels.building.schedule import compile_job
from vendorctl.kernels.compiler.compile import Compiled, CompileTask, compile_each, seal
from vendorctl.kernels.compiler.toolchain import Toolchain, locate
from vendorctl.kernels.executor.cluster.address import parse_address
from vendorctl.kernels.executor.cluster.connection import connect
from vendorctl.kernels.executor.cluster.run import Patience
from vendorctl.kernels.executor.work import Job, Lot, cut
from vendorctl.kernels.testing import results
from vendorctl.kernels.testing.results import ObjectResult
from vendorctl.kernels.testing.session import TEST_PIECE
from vendorctl.kernels.testing.specimen import Specimen, examine, kit_for

ROOT = Path(__file__).parents[1]
PLACES = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overhead:
    """Seconds that the client and scheduler take for each piece and item, one after the other."""

    piece: float
    item: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Seconds for one operation: starting a compiler, compiling one row more, testing an object; and bytes."""

    start: float
    row: float
    test: float
    sent: int
    returned: int


@contextmanager
def running(processes: int, threads: int) -> Iterator[Cluster]:
    """A cluster on loopback."""
    with tempfile.TemporaryDirectory(prefix="bench-distributed-") as name:
        cluster = Cluster(Path(name))
        try:
            cluster.start_scheduler()
            for number in range(processes):
                cluster.start_worker(f"w{number}", threads=threads)
            cluster.wait_for_workers(processes)
            yield cluster
        finally:
            cluster.close()


def timed(cluster: Cluster, lots: Sequence[Lot[str, Item]], job: Job[str, Item, Told]) -> dict[str, float]:
    """Wall seconds of a run, and processor seconds of this process and of the scheduler meanwhile."""
    executor = connect(parse_address(cluster.spec), lambda _: None, Patience(straggler=3600.0))
    scheduler = cluster.processes["scheduler"].pid
    told: list[Told] = []
    try:
        begun, client, other = time.perf_counter(), time.process_time(), processor_seconds(scheduler)
        executor.run(job, lots, lambda _, __, result: told.append(result), threading.Event())
        wall = time.perf_counter() - begun
        spent = {"client": time.process_time() - client, "scheduler": processor_seconds(scheduler) - other}
    finally:
        executor.close()
    assert len(told) == sum(len(lot.items) for lot in lots)
    return {"wall": wall, **spent}


def processor_seconds(pid: int) -> float:
    """User and system time of another process (proc(5), fields 14 and 15 of `stat`)."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def sized(job: Job[str, Item, Told], size: int) -> Job[str, Item, Told]:
    """The job in pieces of exactly `size` items."""
    return replace(job, least=size, most=size)


def measure_overhead(count: int) -> tuple[Overhead, dict[str, Any]]:
    """Time `count` items that do nothing, in pieces of one and of sixteen; the difference is what a piece costs."""
    items = tuple(Item(name=str(number)) for number in range(count))
    with running(4, 1) as cluster:
        timed(cluster, [Lot(shared="", items=items[:64])], sized(JOB, 4))  # imports, connections
        one = timed(cluster, [Lot(shared="", items=items)], sized(JOB, 1))
        sixteen = timed(cluster, [Lot(shared="", items=items)], sized(JOB, 16))
    pieces = count - -(-count // 16)
    piece = max(0.0, (one["wall"] - sixteen["wall"]) / pieces)
    item = max(0.0, (sixteen["wall"] - piece * -(-count // 16)) / count)
    facts = {
        "items": count,
        "pieces_of_1": rounded(one),
        "pieces_of_16": rounded(sixteen),
        "seconds_per_piece": round(piece, 6),
        "seconds_per_item": round(item, 6),
        "scheduler_processor_seconds_per_piece": round(one["scheduler"] / count, 6),
        "client_processor_seconds_per_piece": round(one["client"] / count, 6),
    }
    return Overhead(piece=piece, item=item), facts


def measure_keeping_up(processes: int, threads: int, seconds: float, each: int) -> dict[str, Any]:
    """How much of the time all places of a real cluster are busy, with items that sleep: they need no processor."""
    places = processes * threads
    items = tuple(Item(name=str(number), seconds=seconds) for number in range(places * each))
    with running(processes, threads) as cluster:
        timed(cluster, [Lot(shared="", items=items[:places])], JOB)
        run = timed(cluster, [Lot(shared="", items=items)], JOB)
    ideal = seconds * each
    return {"places": places, "items": len(items), "seconds_per_item": seconds, **rounded(run),
            "ideal": ideal, "efficiency": round(ideal / run["wall"], 3)}  # fmt: skip


def rounded(run: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, 3) for name, value in run.items()}


def measure_costs(project: Project, units: Sequence[Unit], tools: Toolchain, rows: int) -> dict[str, Costs]:
    """Compile and test some rows of each operation, for its first target."""
    return {unit.table.operation: measure_unit(project, unit, tools, rows) for unit in firsts(units)}


def firsts(units: Sequence[Unit]) -> list[Unit]:
    return list({unit.table.operation: unit for unit in reversed(units)}.values())[::-1]


def measure_unit(project: Project, unit: Unit, tools: Toolchain, count: int) -> Costs:
    task = CompileTask(operation=unit.table.operation, target=unit.target, sources=unit.sources, tools=tools)
    step = max(1, len(unit.rows) // (count + 1))
    chosen = unit.rows[::step][: count + 1]
    moments, done = [time.perf_counter()], []
    for _, outcome in compile_each(task, tools, iter(list(enumerate(p.row.instance for p in chosen)))):
        assert isinstance(outcome, Compiled), outcome
        moments.append(time.perf_counter())
        done.append(outcome)
    seconds = [after - before for before, after in pairwise(moments)]
    row = mean(seconds[1:]) if len(seconds) > 1 else seconds[0]
    kit = kit_for(project.root, unit.sources.recipe, emulator, full=False)
    tests, returned = [], []
    for planned, outcome in list(zip(chosen, done, strict=True))[1:] or [(chosen[0], done[0])]:
        record = store.new_record(planned, outcome)
        blank = ObjectResult(operation=unit.table.operation, target=unit.target.name,
                             instance=record.instance.name, sha256=record.sha256)  # fmt: skip
        begun = time.perf_counter()
        found = examine(kit, Specimen(blank=blank, record=record, code=outcome.code))
        tests.append(time.perf_counter() - begun)
        assert not found.reason, found.reason
        returned.append(len(pickle.dumps(seal(outcome))) + len(pickle.dumps(results.dump(found))))
    return Costs(
        start=max(0.0, seconds[0] - row),
        row=row,
        test=mean(tests),
        sent=len(pickle.dumps(task.for_another_machine())),
        returned=round(mean(returned)),
    )


def modelled(pieces: Sequence[tuple[float, int]], places: int, overhead: Overhead) -> float:
    """Seconds until the last piece ends. `pieces` are (seconds of work, items), in the order of handing out.

    Handing out is serial: a piece cannot begin before all earlier ones were handed out.
    """
    free = [0.0] * places
    handed = 0.0
    for seconds, items in pieces:
        handed += overhead.piece + overhead.item * items
        heapq.heappush(free, max(heapq.heappop(free), handed) + seconds)
    return max(free)


def curve(units: Sequence[Unit], costs: Mapping[str, Costs], tools: Toolchain, overhead: Overhead) -> list[Any]:
    """The modelled times of building and testing everything, by number of places."""
    table = []
    compiling = [Lot(shared=unit, items=unit.rows) for unit in units]
    recipes = [Lot(shared=unit, items=tuple(p for u in units if u.table is unit.table for p in u.rows))
               for unit in firsts(units)]  # fmt: skip
    for places in PLACES:
        build = [
            (cost.start + cost.row * len(piece), len(piece))
            for number, piece in cut(compiling, compile_job(tools), places)
            for cost in [costs[compiling[number].shared.table.operation]]
        ]
        test = [
            (costs[recipes[number].shared.table.operation].test * len(piece), len(piece))
            for number, piece in cut(recipes, bounded(TEST_PIECE), places)
        ]
        table.append({"places": places, "build": modelled(build, places, overhead), "build_pieces": len(build),
                      "test": modelled(test, places, overhead), "test_pieces": len(test)})  # fmt: skip
    for row in table:
        for what in ("build", "test"):
            row[f"{what}_speedup"] = round(table[0][what] / row[what], 2)
    return [{name: round(value, 2) for name, value in row.items()} for row in table]


def bounded(most: int) -> Job[Any, Any, Any]:
    return replace(JOB, least=1, most=most)


def show(rows: Sequence[Mapping[str, Any]]) -> None:
    names = ("places", "build", "build_speedup", "test", "test_speedup")
    print(" ".join(f"{name:>14}" for name in names), file=sys.stderr)
    for row in rows:
        print(" ".join(f"{row[name]:14,}" for name in names), file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000, help="items that do nothing (default: 1000)")
    parser.add_argument("--rows", type=int, default=3, help="rows of each operation to time (default: 3)")
    parser.add_argument("--seconds", type=float, default=0.5, help="how long the items that sleep do (default: 0.5)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it works")
    options = parser.parse_args()
    if options.quick:
        options.items, options.rows, options.seconds = 64, 1, 0.05
    overhead, measured = measure_overhead(options.items)
    busy = measure_keeping_up(4, 2 if options.quick else 16, options.seconds, 4 if options.quick else 20)
    project = load_project(ROOT)
    tools = locate(os.environ, pins=project.pins)
    units = make_plan(project, tools, jobs=2)
    costs = measure_costs(project, units, tools, options.rows)
    rows = curve(units, costs, tools, overhead)
    show(rows)
    document = {
        "overhead": measured,
        "keeping_up": busy,
        "operations": {
            name: {field: round(getattr(cost, field), 4) for field in cost.__slots__} for name, cost in costs.items()
        },
        "objects": sum(len(unit.rows) for unit in units),
        "model": rows,
    }
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
