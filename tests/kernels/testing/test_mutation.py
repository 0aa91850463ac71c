# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Mutants: each is one instruction away from the object, and tests notice them."""

from __future__ import annotations

import json

from kernels.testing.conftest import Shipped
from vendorctl.emulator.backend import cautious_emulator, emulator
from vendorctl.emulator.codeobject import CodeObject
from vendorctl.emulator.decoder import decode
from vendorctl.emulator.mutants import mutants
from vendorctl.kernels.executor.pool import LocalExecutor
from vendorctl.kernels.testing.mutating import mutation_report, run_mutants, sample
from vendorctl.kernels.testing.mutation import Kind, MutationResult, Reason, Survivor, rate
from vendorctl.progress import Silent


def objects_of(shipped: Shipped) -> list[bytes]:
    return [(built.folder / built.record.file).read_bytes() for built in shipped.objects]


def everywhere(code: bytes) -> frozenset[int]:
    parsed = CodeObject.parse(code)
    found = decode(parsed.text, parsed.target.name, address=parsed.text_address)
    return frozenset(item.address for item in found)


def test_a_mutant_differs_in_one_instruction_and_nothing_else(shipped: Shipped) -> None:
    for code in objects_of(shipped):
        original = CodeObject.parse(code)
        before = decode(original.text, original.target.name)
        found = mutants(code, everywhere(code), 50, 1)
        assert {mutant.kind for mutant in found} >= {Kind.OPCODE, Kind.REGISTER, Kind.WAIT}
        for mutant in found:
            assert len(mutant.code) == len(code)
            parsed = CodeObject.parse(mutant.code)
            after = decode(parsed.text, parsed.target.name)
            # A dropped wait may become several one-word instructions.
            changed = {item.address for item in before} ^ {item.address for item in after}
            same = {item.address: item for item in before}
            differing = [item for item in after if item.address in same and item != same[item.address]]
            assert len(differing) == 1, mutant.place
            assert not changed or mutant.kind in (Kind.WAIT, Kind.BARRIER)


def test_the_same_seed_gives_the_same_mutants(shipped: Shipped) -> None:
    code = objects_of(shipped)[0]
    assert mutants(code, everywhere(code), 3, 7) == mutants(code, everywhere(code), 3, 7)
    assert mutants(code, everywhere(code), 3, 7) != mutants(code, everywhere(code), 3, 8)


def test_only_what_tests_reach_is_mutated(shipped: Shipped) -> None:
    code = objects_of(shipped)[0]
    assert mutants(code, frozenset(), 50, 1) == []
    parsed = CodeObject.parse(code)
    first = min(everywhere(code))
    assert all(
        mutant.place.startswith(f"{first - parsed.text_address:#x} ")
        for mutant in mutants(code, frozenset({first}), 50, 1)
    )


def test_most_mutants_of_a_small_kernel_die(shipped: Shipped) -> None:
    found = run_mutants(
        shipped.root,
        shipped.objects,
        cautious_emulator,
        mutants,
        per_kind=12,
        full=False,
        executor=LocalExecutor(1),
        progress=Silent(),
    )
    assert all(not result.excuse for result in found)
    assert rate(found) >= 0.85
    assert {"wrong result", "fault"} <= {name for result in found for name in result.means}
    for result in found:
        survived = sum(result.tried.values()) - sum(result.killed.values())
        assert survived == len(result.survivors)
    json.dumps(dict(mutation_report(found, least=0.5).report.data))


def test_an_object_that_fails_by_itself_proves_nothing(shipped: Shipped) -> None:
    shipped.edit_recipe("FACTOR, TOLERANCE = 1.0", "FACTOR, TOLERANCE = 1.5")
    found = run_mutants(
        shipped.root,
        shipped.objects[:1],
        emulator,
        mutants,
        per_kind=2,
        full=False,
        executor=LocalExecutor(1),
        progress=Silent(),
    )
    assert found[0].excuse.startswith("the object itself does not pass")
    done = mutation_report(found, least=0.0)
    assert done.exit_code == 6


def test_a_low_rate_is_an_error_and_survivors_are_notes() -> None:
    survivor = Survivor(kind=Kind.OPCODE, place="0x4 v_add_f32", change="becomes v_sub_f32", reason=Reason.TOLERATED)
    result = MutationResult(
        name="scale gfx942 f16", tried={Kind.OPCODE: 10}, killed={Kind.OPCODE: 9}, survivors=(survivor,)
    )
    low = mutation_report([result], least=0.95)
    assert low.exit_code == 6
    assert [finding.severity.value for finding in low.report.sorted_findings()] == ["error", "note"]
    assert mutation_report([result], least=0.9).exit_code == 0
    assert mutation_report([], least=0.0).exit_code == 6


def test_a_sample_is_spread_over_operations_and_targets(shipped: Shipped) -> None:
    chosen = sample(shipped.objects, 1)
    assert [(built.target, built.record.instance.name) for built in chosen] == [
        ("gfx11-generic", "f16"),
        ("gfx942", "f16"),
    ]
    assert sample(shipped.objects, 5) == shipped.objects
