# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Work on a real Dask cluster on loopback, whose processes are killed, wrong, slow, late, or missing."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import distributed
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import clusterwork
from support.cluster import Cluster
from support.clusterwork import JOB, PICKY, Item, Told
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.executor.cluster.address import parse_address
from vendorctl.kernels.executor.cluster.connection import connect, version_differences
from vendorctl.kernels.executor.cluster.ledger import Ledger
from vendorctl.kernels.executor.cluster.node import Delivery
from vendorctl.kernels.executor.cluster.run import Patience
from vendorctl.kernels.executor.pool import LocalExecutor
from vendorctl.kernels.executor.work import Executor, Job, Lot, cut

QUICK = Patience(connect=5.0, workers=3.0, pulse=0.2, straggler=1.0)


@dataclass
class Outcome:
    """What a run told, in the order in which it did."""

    results: list[tuple[int, int, Told]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    @property
    def texts(self) -> Counter[str]:
        return Counter(told.text for _, _, told in self.results)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler; tests start the workers that they are about to spoil."""
    made = Cluster(tmp_path / "cluster")
    made.folder.mkdir()
    try:
        made.start_scheduler()
        yield made
    finally:
        made.close()


def start(cluster: Cluster, *names: str) -> dict[str, str]:
    """Start workers; their addresses by name."""
    for name in names:
        cluster.start_worker(name)
    return cluster.wait_for_workers(len(names))


def items(count: int, **facts: object) -> tuple[Item, ...]:
    return tuple(Item(name=str(number), **facts) for number in range(count))  # type: ignore[arg-type]  # as given


def lots(*groups: Sequence[Item]) -> list[Lot[str, Item]]:
    return [Lot(shared=f"lot{number}", items=tuple(group)) for number, group in enumerate(groups)]


def expected(work: Sequence[Lot[str, Item]]) -> Counter[str]:
    return Counter(f"{lot.shared}/{item.name}/0" for lot in work for item in lot.items)


def run(
    cluster: Cluster,
    work: Sequence[Lot[str, Item]],
    *,
    job: Job[str, Item, Told] = JOB,
    patience: Patience = QUICK,
    on: Callable[[Outcome, threading.Event], None] = lambda _, __: None,
    into: Outcome | None = None,
) -> Outcome:
    """Run `work`; `on` is called after each result."""
    outcome = into or Outcome()
    stop = threading.Event()

    def accept(number: int, index: int, told: Told) -> None:
        outcome.results.append((number, index, told))
        on(outcome, stop)

    executor = connect(parse_address(cluster.spec), outcome.said.append, patience)
    try:
        executor.run(job, work, accept, stop)
        assert executor.describe().endswith("threads")
    finally:
        executor.close()
    return outcome


def test_a_cluster_does_what_this_machine_does_and_new_workers_help(cluster: Cluster) -> None:
    start(cluster, "one")
    work = lots(items(40, seconds=0.1), items(3), ())
    late = threading.Timer(0.5, lambda: cluster.start_worker("two"))
    late.start()
    outcome = run(cluster, work)
    late.join()
    assert outcome.texts == expected(work)
    assert len({told.pid for _, _, told in outcome.results}) == 2, "the second worker had nothing to do"
    assert "introduce" in cluster.log("one")
    assert "pulse" not in cluster.log("one"), "a line for every second would bury what matters"
    here: list[tuple[int, int, Told]] = []
    local: Executor = LocalExecutor(3)
    local.run(JOB, work, lambda number, index, told: here.append((number, index, told)), threading.Event())
    assert Counter(told.text for _, _, told in here) == outcome.texts
    assert not outcome.said


def test_a_killed_worker_takes_nothing_with_it_that_had_arrived(cluster: Cluster, tmp_path: Path) -> None:
    start(cluster, "one", "two", "three")
    diary = tmp_path / "diary"
    work = lots(items(30, seconds=0.15, diary=str(diary)), items(30, seconds=0.15, diary=str(diary)))
    kept: set[str] = set()

    def kill(outcome: Outcome, _: threading.Event) -> None:
        if len(outcome.results) == 12:
            kept.update(outcome.texts)
            cluster.kill("two")

    outcome = run(cluster, work, on=kill)
    assert outcome.texts == expected(work)
    assert any("is lost" in line for line in outcome.said)
    done = Counter(diary.read_text().split())
    again = sum(done.values()) - 60
    assert again <= 8, f"{again} items were done twice: more than the last moment's work of one worker"
    assert len(kept) == 12


def test_an_item_that_kills_its_worker_is_given_up_alone(cluster: Cluster) -> None:
    start(cluster, "one", "two", "three", "four")
    work = lots([*items(9, seconds=0.1), Item(name="poison", seconds=0.7, deadly=True), *items(9)])
    outcome = run(cluster, work)
    (lost,) = (text for text in outcome.texts if text.startswith("lost"))
    assert lost.startswith("lost poison: 3 workers died while they had it in hand (tcp://")
    assert outcome.texts - Counter([lost]) == expected(work) - Counter(["lot0/poison/0"])


def test_a_worker_with_other_tools_gets_nothing_and_is_named(cluster: Cluster) -> None:
    cluster.start_worker("wrong", environment={"OTHER_TOOLCHAIN": "flydsl 0.0.1"})
    addresses = start(cluster, "right")
    addresses |= cluster.wait_for_workers(2)
    work = lots(items(12, seconds=0.05))
    outcome = run(cluster, work, job=PICKY)
    assert outcome.texts == expected(work)
    assert {told.pid for _, _, told in outcome.results} == {cluster.processes["right"].pid}
    assert outcome.said == [f"worker {addresses['wrong']} is not used: it has flydsl 0.0.1"]
    both = run(cluster, work)  # the control: a job that does not ask uses both
    assert len({told.pid for _, _, told in both.results}) == 2
    cluster.kill("right")
    with pytest.raises(VendorError, match=r"no worker of .* can do this: tcp://.* it has flydsl 0.0.1") as caught:
        run(cluster, work, job=PICKY)
    assert caught.value.code is ExitCode.TOOL_MISSING


def test_a_worker_without_the_package_is_named(cluster: Cluster) -> None:
    # -S leaves out what an editable installation adds to the path; everything else is there.
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    cluster.start_worker("bare", options=("-S",), environment={"PYTHONPATH": packages})
    cluster.wait_for_workers(1)
    with pytest.raises(VendorError, match="it has no vendorctl that this one could talk to"):
        run(cluster, lots(items(1)))


def test_what_takes_too_long_is_repeated_elsewhere_and_the_first_result_counts(
    cluster: Cluster, tmp_path: Path
) -> None:
    start(cluster, "one", "two")
    work = lots([Item(name="slow", stuck=str(tmp_path / "stuck")), *items(10, seconds=0.05)])
    begun = time.monotonic()
    assert run(cluster, work).texts == expected(work)
    assert time.monotonic() - begun < 40, "it waited for the stuck one"


@pytest.mark.parametrize("fickle", [True, False])
def test_two_results_of_one_item_must_agree(cluster: Cluster, tmp_path: Path, fickle: bool) -> None:
    start(cluster, "one", "two", "three", "four")
    gate, end, begun, done = (tmp_path / name for name in ("gate", "end", "begun", "done"))
    twice = Item(name="twice", gate=str(gate), begun=str(begun), diary=str(done), fickle=fickle)

    def open_gates() -> None:
        """Let both have their result, and end the run a little later."""
        for file, opened in ((begun, gate), (done, end)):
            while not file.exists() or len(file.read_text().split()) < 2:
                time.sleep(0.05)
            time.sleep(1.0)
            opened.touch()

    opener = threading.Thread(target=open_gates, daemon=True)
    opener.start()
    outcome = run(cluster, lots([twice], [Item(name="later", gate=str(end))]))
    opener.join()
    assert any(text.startswith("torn twice: two workers") for text in outcome.texts) is fickle
    assert outcome.results[0][:2] == (0, 0)


def test_work_stops_when_it_is_told_to(cluster: Cluster) -> None:
    start(cluster, "one", "two")

    def stop_at_once(_: Outcome, stop: threading.Event) -> None:
        stop.set()

    outcome = run(cluster, lots(items(200, seconds=0.1)), on=stop_at_once)
    assert 0 < len(outcome.results) < 100


def test_an_interruption_keeps_what_is_finished_and_leaves_nothing_running(cluster: Cluster) -> None:
    start(cluster, "one", "two")
    outcome = Outcome()

    def interrupt(sofar: Outcome, _: threading.Event) -> None:
        if len(sofar.results) == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(cluster, lots(items(500, seconds=0.1)), on=interrupt, into=outcome)
    assert 6 <= len(outcome.results) < 100
    with distributed.Client(cluster.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
        end = time.monotonic() + 20
        while any(client.processing().values()):
            assert time.monotonic() < end, "a piece runs on"
            time.sleep(0.1)


def test_a_lost_scheduler_is_an_error_that_says_what_is_kept(cluster: Cluster) -> None:
    start(cluster, "one", "two")
    outcome = Outcome()

    def kill(sofar: Outcome, _: threading.Event) -> None:
        if len(sofar.results) == 5:
            cluster.kill("scheduler")

    begun = time.monotonic()
    with pytest.raises(VendorError, match=r"the Dask scheduler at .* went away") as caught:
        run(cluster, lots(items(300, seconds=0.1)), on=kill, into=outcome)
    assert caught.value.code is ExitCode.TOOL_MISSING
    assert f"{len(outcome.results)} of 300 are finished and kept" in str(caught.value.hint)
    assert time.monotonic() - begun < 60


def test_a_cluster_without_workers_is_waited_for_but_not_for_ever(cluster: Cluster) -> None:
    with pytest.raises(VendorError, match="had no worker for 3 seconds") as caught:
        run(cluster, lots(items(2)))
    assert caught.value.code is ExitCode.TOOL_MISSING
    late = threading.Timer(0.5, lambda: cluster.start_worker("late"))
    late.start()
    patient = Patience(workers=60.0, pulse=0.2)
    outcome = run(cluster, lots(items(2)), patience=patient)
    late.join()
    assert len(outcome.results) == 2
    assert any("waiting for one" in line for line in outcome.said)


def test_an_error_of_the_job_itself_is_raised_here(cluster: Cluster) -> None:
    start(cluster, "one")
    with pytest.raises(ValueError, match="nobody expected bad"):
        run(cluster, lots([Item(name="bad", broken=True)]))


def test_no_scheduler_is_said_within_seconds(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    begun = time.monotonic()
    with pytest.raises(VendorError, match=f"no Dask scheduler answers at dask://127.0.0.1:{port}") as caught:
        connect(parse_address(f"dask://127.0.0.1:{port}"), print, Patience(connect=1.0))
    assert caught.value.code is ExitCode.TOOL_MISSING
    assert time.monotonic() - begun < 20
    with pytest.raises(VendorError, match=r"none.json is no file of a scheduler"):
        connect(parse_address(f"dask+file://{tmp_path}/none.json"), print)
    (tmp_path / "odd.json").write_text('{"address": 5}')
    with pytest.raises(VendorError, match=r"odd.json is no file of a scheduler"):
        connect(parse_address(f"dask+file://{tmp_path}/odd.json"), print)
    with pytest.raises(VendorError, match="names no certificates"):
        connect(parse_address(f"dask+tls://127.0.0.1:{port}"), print, Patience(connect=1.0))
    with pytest.raises(VendorError, match="names no scheduler"):
        connect(parse_address("dask"), print)


def test_word_that_comes_after_a_piece_was_given_up_counts() -> None:
    ledger = Ledger(lots(items(4)))
    piece = ledger.open(0, range(4))
    del ledger.pieces[piece.number]
    assert ledger.orphans(piece) == [(0, index) for index in range(4)]
    late = Delivery(piece=piece.number, results=((0, "a"), (1, "b"), (1, "b"), (9, "not asked for")))
    assert list(ledger.note(ledger.known[piece.number], "tcp://w", late)) == [((0, 0), "a", True), ((0, 1), "b", True)]
    assert ledger.orphans(piece) == [(0, 2), (0, 3)]
    assert list(ledger.note(piece, "tcp://w", late)) == []


def test_a_split_takes_what_was_not_begun() -> None:
    ledger = Ledger(lots(items(6)))
    piece = ledger.open(0, range(6))
    assert ledger.splittable(1) is None, "it was not seen to run"
    list(ledger.note(piece, "tcp://w", Delivery(piece=0, results=((0, "a"),), hand=1)))
    assert ledger.splittable(4) is piece
    assert ledger.splittable(5) is None
    assert ledger.split(piece) == [(0, 4), (0, 5)]
    assert ledger.dropped(piece) == {4, 5}
    assert ledger.missing(piece) == [(0, 1), (0, 2), (0, 3)]


def test_addresses() -> None:
    assert parse_address("dask://host:8786").scheduler == "tcp://host:8786"
    assert parse_address("dask+tls://[::1]:8786/").scheduler == "tls://[::1]:8786"
    assert parse_address("dask+file:///shared/it.json").file == Path("/shared/it.json")
    assert parse_address("dask") == parse_address("dask")
    for wrong in ("dask://", "dask://host", "dask+smtp://host:1", "dask+file://relative.json", "tcp://host:1", "dusk"):
        with pytest.raises(VendorError, match="unknown executor") as caught:
            parse_address(wrong)
        assert caught.value.code is ExitCode.USAGE


def test_versions_that_matter_are_compared() -> None:
    def facts(**packages: str) -> dict[str, dict[str, str]]:
        return {"packages": {"python": "3.11.7.final.0", "dask": "2026.1", "numpy": "2.0", **packages}}

    same = {"client": facts(), "scheduler": facts(python="3.11.2.final.0", numpy="1.0"), "workers": {}}
    assert list(version_differences(same)) == []
    other = {**same, "workers": {"tcp://w:1": facts(dask="2025.2", python="3.12.1.final.0")}}
    assert list(version_differences(other)) == [
        "warning: tcp://w:1 has python 3.12.1.final.0 (here 3.11.7.final.0), dask 2025.2 (here 2026.1);"
        " Dask may not understand itself"
    ]


@given(st.lists(st.integers(0, 90), max_size=8), st.integers(1, 70), st.integers(1, 8))
def test_pieces_hold_every_item_once(sizes: list[int], places: int, least: int) -> None:
    job: Job[str, Item, Told] = Job(
        title="cut", perform=clusterwork.perform, faults=clusterwork.no_faults, lost=clusterwork.lost,
        torn=clusterwork.torn, fingerprint=clusterwork.fingerprint, least=least, most=32,
    )  # fmt: skip
    pieces = cut([Lot(shared="", items=items(size)) for size in sizes], job, places)
    found = [(number, index) for number, piece in pieces for index in piece]
    assert found == [(number, index) for number, size in enumerate(sizes) for index in range(size)]
    for number, piece in pieces:
        assert min(least, sizes[number]) <= len(piece) <= 32 or piece.stop == sizes[number]
