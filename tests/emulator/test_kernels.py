# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Whole kernels of our own, assembled here: launches, schedules, and every kind of finding, each with its absence."""

from __future__ import annotations

import functools
import random
import struct
from collections import Counter

import numpy as np
import pytest

from support.gpu_assembly import code_object
from vendorctl.emulator import (
    STANDARD,
    CodeObject,
    FaultKind,
    HazardKind,
    Memory,
    RunReport,
    Schedule,
    coverage,
    find_races,
    launch,
    unmodelled,
)
from vendorctl.errors import ExitCode, VendorError

TARGETS = ("gfx942", "gfx1100", "gfx1201")
SCHEDULES = (*STANDARD, Schedule.random(1), Schedule.random(2))


def _words(target: str) -> dict[str, str]:
    """What the same operation is called on each family."""
    old, split = target.startswith("gfx9"), target.startswith("gfx12")
    return {
        "load": "s_load_dwordx4" if old else "s_load_b128",
        "wait_scalar": "s_wait_kmcnt 0x0" if split else "s_waitcnt lgkmcnt(0)",
        "wait_load": "s_wait_loadcnt 0x0" if split else "s_waitcnt vmcnt(0)",
        "wait_lds": "s_wait_dscnt 0x0" if split else "s_waitcnt lgkmcnt(0)",
        "barrier": "s_barrier_signal -1\n  s_barrier_wait -1" if split else "s_barrier",
        "read": "global_load_dword" if old else "global_load_b32",
        "write": "global_store_dword" if old else "global_store_b32",
        "lds_read": "ds_read_b32" if old else "ds_load_b32",
        "lds_write": "ds_write_b32" if old else "ds_store_b32",
        "add": "v_add_u32" if old else "v_add_nc_u32",
        "group": "ttmp9" if split else "s2",
    }


#: Each work-item leaves its input in LDS; after the barrier it takes what the work-item 64 further on left.
ROTATE = """
  {load} s[4:7], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v1, 2, v0
  {wait_scalar}
  {read} v2, v1, s[4:5]
  {wait_load}
  {lds_write} v1, v2
  {wait_lds}
  {barrier}
  {add} v3, 64, v0
  v_and_b32 v3, 127, v3
  v_lshlrev_b32 v3, 2, v3
  {lds_read} v4, v3
  {wait_lds}
  {write} v1, v4, s[6:7]
"""


@functools.cache
def _object(target: str, body: str, lds: int = 512) -> CodeObject:
    return CodeObject.parse(code_object(body.format(**_words(target)), target, lds=lds))


def rotate(
    target: str, body: str = ROTATE, schedule: Schedule = STANDARD[0], checks: str = "full"
) -> tuple[RunReport, bool]:
    """(report, whether the output is right) of one workgroup of 128 work-items."""
    memory = Memory()
    source = memory.allocate(np.arange(128, dtype=np.uint32), "input")
    result = memory.allocate(np.zeros(128, np.uint32), "output")
    kernarg = struct.pack("<QQ", source.address, result.address)
    report = launch(
        _object(target, body), "kernel", grid=(1, 1, 1), block=(128, 1, 1), kernarg=kernarg, memory=memory,
        schedule=schedule, checks="full" if checks == "full" else "values",
    )  # fmt: skip
    found = memory.read(result.address, np.uint32, 128)
    return report, bool((found == np.roll(np.arange(128), -64)).all())


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("schedule", SCHEDULES, ids=str)
def test_correct_kernel_gives_the_same_result_under_every_schedule(target: str, schedule: Schedule) -> None:
    report, right = rotate(target, schedule=schedule)
    assert right
    assert report.ok, [str(finding) for finding in report.findings]
    assert report.schedule == schedule
    waves = 2 if target == "gfx942" else 4
    assert report.opcodes["s_endpgm"] == waves
    assert report.instructions == sum(report.opcodes.values())


@pytest.mark.parametrize("target", TARGETS)
def test_removed_barrier_is_a_race_that_names_both_instructions(target: str) -> None:
    body = ROTATE.replace("  {barrier}\n", "")
    for schedule in SCHEDULES:
        report, _ = rotate(target, body, schedule)
        (race,) = [item for item in report.hazards if item.kind is HazardKind.LDS_RACE]
        assert race.other is not None
        assert {race.place.mnemonic[:3], race.other.mnemonic[:3]} == {"ds_"}
        assert "barrier" in race.message
        assert race.data["address"] < 512


@pytest.mark.parametrize("target", TARGETS)
def test_lockstep_hides_a_race_that_serial_order_turns_into_a_wrong_result(target: str) -> None:
    body = ROTATE.replace("  {barrier}\n", "")
    assert rotate(target, body, Schedule.lockstep())[1]
    assert not rotate(target, body, Schedule.serial())[1]


@pytest.mark.parametrize("target", TARGETS)
def test_find_races_compares_what_schedules_leave_in_memory(target: str) -> None:
    for body, racy in ((ROTATE, False), (ROTATE.replace("  {barrier}\n", ""), True)):
        memory = Memory()
        source = memory.allocate(np.arange(128, dtype=np.uint32), "input")
        result = memory.allocate(np.zeros(128, np.uint32), "output")
        report = find_races(
            _object(target, body), "kernel", grid=(1, 1, 1), block=(128, 1, 1), memory=memory,
            kernarg=struct.pack("<QQ", source.address, result.address),
        )  # fmt: skip
        assert report.ok is not racy
        assert bool(report.races) is racy
        assert [item.buffer for item in report.disagreements] == ["output"] * (2 if racy else 0) or racy
        assert any(item.buffer == "output" for item in report.disagreements) is racy


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("dropped", "loser"),
    [("{wait_scalar}\n  {read}", "s_load"), ("{wait_load}", "global_load"), ("{wait_lds}\n  {write}", "ds_")],
)
def test_dropped_wait_is_found_and_names_the_load(target: str, dropped: str, loser: str) -> None:
    body = ROTATE.replace(dropped, dropped.split("\n  ")[1] if "\n" in dropped else "s_nop 0")
    report, _ = rotate(target, body)
    missing = [item for item in report.hazards if item.kind is HazardKind.MISSING_WAIT]
    assert missing
    assert all(item.other is not None and item.other.mnemonic.startswith(loser) for item in missing)


@pytest.mark.parametrize("target", TARGETS)
def test_store_not_waited_for_before_the_barrier_is_a_race(target: str) -> None:
    body = ROTATE.replace("  {wait_lds}\n  {barrier}", "  {barrier}")
    report, right = rotate(target, body)
    assert right  # the emulator delivers at once; hardware need not
    assert [item.kind for item in report.hazards] == [HazardKind.LDS_RACE]


@pytest.mark.parametrize("target", TARGETS)
def test_partial_wait_suffices_for_the_older_of_two_loads(target: str) -> None:
    words = _words(target)
    partial = words["wait_load"].replace("0x0", "0x1").replace("(0)", "(1)")
    body = ROTATE.replace(
        "  {read} v2, v1, s[4:5]\n  {wait_load}",
        f"  {{read}} v2, v1, s[4:5]\n  {{read}} v5, v1, s[4:5]\n  {partial}",
    ).replace("{write} v1, v4", "{wait_load}\n  {write} v1, v4")
    assert rotate(target, body)[0].ok
    swapped = body.replace("{lds_write} v1, v2", "{lds_write} v1, v5")
    assert HazardKind.MISSING_WAIT in {item.kind for item in rotate(target, swapped)[0].hazards}


#: v9 and LDS beyond the input never get a value.
UNKNOWN = """
  {load} s[4:7], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v1, 2, v0
  {wait_scalar}
  SNIPPET
  {write} v1, v2, s[6:7]
"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("snippet", "kind"),
    [
        ("v_mov_b32 v2, v9", HazardKind.UNINITIALISED_STORE),
        ("{add} v2, 1, v9", HazardKind.UNINITIALISED_STORE),
        ("v_mov_b32 v2, 0\n  v_and_b32 v1, 4, v9", HazardKind.UNINITIALISED_ADDRESS),
        ("v_mov_b32 v2, 0\n  s_cmp_eq_u32 s9, 0\n  s_cbranch_scc1 0", HazardKind.UNINITIALISED_BRANCH),
        ("v_mov_b32 v2, 0\n  s_mov_b32 exec_lo, s9", HazardKind.UNINITIALISED_MASK),
        ("{lds_read} v2, v1\n  {wait_lds}", HazardKind.UNINITIALISED_STORE),
    ],
)
def test_use_of_what_was_never_given_a_value_is_found(target: str, snippet: str, kind: HazardKind) -> None:
    report, _ = rotate(target, UNKNOWN.replace("SNIPPET", snippet))
    assert kind in {item.kind for item in report.hazards}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "snippet",
    [
        "v_and_b32 v2, 0, v9",
        "v_or_b32 v2, -1, v9",
        "v_lshlrev_b32 v9, 16, v9\n  v_or_b32 v9, 1, v9\n  v_and_b32 v2, 0xffff, v9",
        "v_mov_b32 v2, 1\n  v_cndmask_b32 v3, v9, v2, CARRY\n  v_mov_b32 v2, 3",
        "v_bfi_b32 v2, -1, v1, v9",
        "v_mov_b32 v2, 0\n  v_lshl_or_b32 v9, v9, 8, 1\n  v_and_b32 v2, 0xff, v9",
        "s_mov_b32 s10, 0x0c0c0c0c\n  v_perm_b32 v2, v9, v9, s10",
    ],
)
def test_bits_that_do_not_depend_on_unknown_ones_raise_no_alarm(target: str, snippet: str) -> None:
    carry = "vcc" if target == "gfx942" else "vcc_lo"
    report, _ = rotate(target, UNKNOWN.replace("SNIPPET", snippet.replace("CARRY", carry)))
    assert report.ok, [str(finding) for finding in report.findings]


@pytest.mark.parametrize("target", TARGETS)
def test_an_unset_upper_half_of_an_addend_spoils_the_upper_half_of_a_wide_sum_only(target: str) -> None:
    mnemonic = "v_mad_co_u64_u32" if target == "gfx1201" else "v_mad_u64_u32"
    carry = "s[10:11]" if target == "gfx942" else "s10"
    snippet = f"v_mov_b32 v2, 5\n  {mnemonic} v[2:3], {carry}, v0, v1, v[2:3]"
    report, _ = rotate(target, UNKNOWN.replace("SNIPPET", snippet))
    assert report.ok, [str(finding) for finding in report.findings]
    report, _ = rotate(target, UNKNOWN.replace("SNIPPET", f"{snippet}\n  v_mov_b32 v2, v3"))
    assert {item.kind for item in report.hazards} == {HazardKind.UNINITIALISED_STORE}


@pytest.mark.parametrize("target", TARGETS)
def test_access_outside_a_buffer_stops_the_run_and_says_where(target: str) -> None:
    report, _ = rotate(target, ROTATE.replace("v_lshlrev_b32 v1, 2, v0", "v_lshlrev_b32 v1, 3, v0"))
    assert report.fault is not None
    assert report.fault.kind is FaultKind.OUT_OF_BOUNDS
    assert "input" in report.fault.message
    assert report.fault.place is not None
    assert report.fault.place.mnemonic.startswith("global_load")
    with pytest.raises(VendorError, match="outside every allocation") as caught:
        report.require()
    assert caught.value.code is ExitCode.BUILD_FAILED


@pytest.mark.parametrize("target", TARGETS)
def test_lds_access_outside_the_workgroups_share_stops_the_run(target: str) -> None:
    memory = Memory()
    buffer = memory.allocate(np.zeros(128, np.uint32))
    report = launch(
        _object(target, ROTATE, 256), "kernel", grid=(1, 1, 1), block=(128, 1, 1), memory=memory,
        kernarg=struct.pack("<QQ", buffer.address, buffer.address),
    )  # fmt: skip
    assert report.fault is not None
    assert report.fault.kind is FaultKind.OUT_OF_BOUNDS
    assert "256 bytes" in report.fault.message


@pytest.mark.parametrize("target", TARGETS)
def test_unknown_instruction_stops_the_run_with_name_and_encoding(target: str) -> None:
    unmodelled_text = "s_movrels_b32 s8, s9"
    report, _ = rotate(target, ROTATE.replace("  {wait_scalar}\n", f"  {{wait_scalar}}\n  {unmodelled_text}\n"))
    assert report.fault is not None
    assert report.fault.kind is FaultKind.UNKNOWN_INSTRUCTION
    assert "s_movrels_b32" in report.fault.message
    assert report.fault.place is not None
    assert report.fault.place.encoding in report.fault.message
    code = _object(target, ROTATE.replace("  {wait_scalar}\n", f"  {{wait_scalar}}\n  {unmodelled_text}\n"))
    assert [item.mnemonic for item in unmodelled(code)] == ["s_movrels_b32"]
    assert not unmodelled(_object(target, ROTATE))


def test_register_beyond_the_descriptors_allocation_is_a_fault() -> None:
    report, _ = rotate("gfx1100", ROTATE.replace("{lds_read} v4, v3", "v_mov_b32 v200, 0\n  {lds_read} v4, v3"))
    assert report.fault is not None
    assert report.fault.kind is FaultKind.UNALLOCATED_REGISTER
    assert "v200" in report.fault.message


@pytest.mark.parametrize("target", ["gfx942", "gfx1100"])
def test_barrier_that_some_waves_never_reach_is_a_deadlock_only_while_they_run(target: str) -> None:
    # Waves that have ended do not hold a barrier up; a loop that never ends runs into the limit.
    endless = "L_again:\n  s_branch L_again\n"
    memory = Memory()
    report = launch(
        _object(target, endless), "kernel", grid=(1, 1, 1), block=(64, 1, 1), kernarg=bytes(16), memory=memory,
        step_limit=1000,
    )  # fmt: skip
    assert report.fault is not None
    assert report.fault.kind is FaultKind.STEP_LIMIT


#: Every workgroup stores its number at the same place.
CROWD = """
  {load} s[4:7], s[0:1], 0x0
  v_mov_b32 v1, 0
  v_mov_b32 v2, {group}
  {wait_scalar}
  {write} v1, v2, s[6:7]
"""


@pytest.mark.parametrize("target", TARGETS)
def test_workgroups_that_write_one_place_race(target: str) -> None:
    code = _object(target, CROWD)
    for groups, racy in ((1, False), (3, True)):
        memory = Memory()
        buffer = memory.allocate(np.zeros(4, np.uint32))
        report = launch(
            code, "kernel", grid=(groups, 1, 1), block=(32, 1, 1), memory=memory,
            kernarg=struct.pack("<QQ", buffer.address, buffer.address),
        )  # fmt: skip
        assert (HazardKind.GLOBAL_RACE in {item.kind for item in report.hazards}) is racy


@pytest.mark.parametrize("target", TARGETS)
def test_atomic_additions_of_all_workgroups_do_not_race(target: str) -> None:
    atomic = "global_atomic_add v1, v2, s[6:7]" if target == "gfx942" else "global_atomic_add_u32 v1, v2, s[6:7]"
    body = CROWD.replace("{write} v1, v2, s[6:7]", atomic).replace("v_mov_b32 v2, {group}", "v_mov_b32 v2, 1")
    memory = Memory()
    buffer = memory.allocate(np.zeros(4, np.uint32))
    launch(
        _object(target, body), "kernel", grid=(5, 1, 1), block=(40, 1, 1), memory=memory,
        kernarg=struct.pack("<QQ", buffer.address, buffer.address),
    ).require()  # fmt: skip
    assert memory.read(buffer.address, np.uint32, 4).tolist() == [200, 0, 0, 0]


@pytest.mark.parametrize("target", TARGETS)
def test_second_launch_on_the_same_memory_sees_the_first(target: str) -> None:
    memory = Memory()
    first = memory.allocate(np.arange(128, dtype=np.uint32))
    second, third = memory.allocate(512), memory.allocate(512)
    code = _object(target, ROTATE)
    assert not memory.initialised(second)
    for source, result in ((first, second), (second, third)):
        kernarg = struct.pack("<QQ", source.address, result.address)
        launch(code, "kernel", grid=(1, 1, 1), block=(128, 1, 1), kernarg=kernarg, memory=memory).require()
    assert memory.initialised(third)
    assert memory.read(third.address, np.uint32, 128).tolist() == list(range(128))


@pytest.mark.parametrize("target", TARGETS)
def test_levels_of_checks_agree_on_values_and_counts(target: str) -> None:
    full, values = rotate(target, checks="full"), rotate(target, checks="values")
    assert full[1]
    assert values[1]
    assert full[0].opcodes == values[0].opcodes
    assert full[0].covered == values[0].covered


def test_coverage_lists_what_was_not_executed() -> None:
    skipping = ROTATE.replace("  {add}", "  s_branch L_over\n  v_mov_b32 v9, 1\nL_over:\n  {add}")
    code = _object("gfx1100", skipping)
    report, right = rotate("gfx1100", skipping)
    assert right
    found = coverage(code, [report])
    assert [item.mnemonic for item in found.missed] == ["v_mov_b32"]
    assert found.executed == found.total - 1
    assert found.ratio == found.executed / found.total
    assert coverage(code, []).executed == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"block": (2048, 1, 1)}, "1024 work-items"),
        ({"kernarg": b""}, "bytes of arguments"),
        ({"kernarg": bytes(64)}, "bytes of arguments"),
        ({"symbol": "other"}, "no kernel 'other'"),
        ({"block": (0, 1, 1)}, "makes no sense"),
    ],
)
def test_impossible_launches_are_refused(changes: dict[str, object], message: str) -> None:
    wanted: dict[str, object] = {"symbol": "kernel", "grid": (1, 1, 1), "block": (64, 1, 1), "kernarg": bytes(16)}
    wanted |= changes
    symbol = str(wanted.pop("symbol"))
    with pytest.raises(VendorError, match=message):
        launch(_object("gfx1100", ROTATE), symbol, memory=Memory(), **wanted)  # type: ignore[arg-type]  # by name


@pytest.mark.parametrize("target", TARGETS)
def test_damaged_instructions_end_in_a_report_and_never_in_an_error(target: str) -> None:
    """What the fuzzer found once: bits flipped in the text must give findings, faults or results, nothing else."""
    data = code_object(ROTATE.format(**_words(target)), target, lds=512)
    code, numbers = CodeObject.parse(data), random.Random(target)
    start, outcomes = data.index(code.text), Counter[str]()
    for _ in range(150):
        damaged = bytearray(data)
        for _ in range(numbers.choice((1, 1, 2, 3))):
            damaged[start + numbers.randrange(len(code.text))] ^= 1 << numbers.randrange(8)
        memory = Memory()
        buffers = [memory.allocate(np.zeros(128, np.uint32)) for _ in range(2)]
        report = launch(
            CodeObject.parse(bytes(damaged)), "kernel", grid=(1, 1, 1), block=(128, 1, 1), memory=memory,
            kernarg=struct.pack("<QQ", *(buffer.address for buffer in buffers)), step_limit=500,
            schedule=numbers.choice(SCHEDULES), checks=numbers.choice(("full", "values")),
        )  # fmt: skip
        outcomes[report.fault.kind if report.fault else "ended"] += 1
    assert len(outcomes) >= 3, outcomes


def test_kernels_that_ask_for_more_than_hardware_has_are_refused() -> None:
    with pytest.raises(VendorError, match="more than any target has"):
        launch(
            _object("gfx942", ROTATE, 200 << 10), "kernel", grid=(1, 1, 1), block=(64, 1, 1), kernarg=bytes(16),
            memory=Memory(),
        )  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
def test_large_launches_run_in_portions(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = CROWD.replace("v_mov_b32 v1, 0", "v_mov_b32 v1, {group}\n  v_lshlrev_b32 v1, 2, v1")
    memory = Memory()
    buffer = memory.allocate(np.zeros(40, np.uint32))
    monkeypatch.setattr("vendorctl.emulator.launcher._PORTION", 1 << 16)
    report = launch(
        _object(target, body), "kernel", grid=(40, 1, 1), block=(32, 1, 1), memory=memory,
        kernarg=struct.pack("<QQ", buffer.address, buffer.address),
    ).require()  # fmt: skip
    assert report.opcodes["s_endpgm"] == 40
    assert memory.read(buffer.address, np.uint32, 40).tolist() == list(range(40))


def test_schedules_are_named_and_random_ones_reproducible() -> None:
    with pytest.raises(VendorError, match="no schedule is called"):
        Schedule("backwards")
    turns = [Schedule.random(5).start() for _ in range(2)]
    assert [turns[0].choose([0, 1, 2]) for _ in range(9)] == [turns[1].choose([0, 1, 2]) for _ in range(9)]
    assert str(Schedule.random(5)) == "random(5)"
