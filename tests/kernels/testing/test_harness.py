# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One object's test on a stand-in backend that can misbehave in every way that a kernel can."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from vendorctl.errors import VendorError
from vendorctl.kernels.object.instance import Instance, row
from vendorctl.kernels.object.launch import LaunchPlan
from vendorctl.kernels.recipe import Case, Expected, Launcher, Recipe, Target
from vendorctl.kernels.testing import harness, results
from vendorctl.kernels.testing.backend import Call, Category, Covered, Problem, Ran
from vendorctl.kernels.testing.results import ObjectResult, Verdict

PLAN = LaunchPlan(parameters=(), launches=())


class Doubling(Recipe):
    operation = "double"
    upstream = "none"

    def instances(self, target: Target) -> Iterator[Instance]:
        yield row(n=4)

    def launcher(self, instance: Instance) -> Launcher:
        raise NotImplementedError

    def arguments(self, instance: Instance) -> Mapping[str, Any]:
        return {}

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        for name in ("first", "second"):
            x = rng.standard_normal(4).astype(np.float32)
            arguments: dict[str, Any] = {"x": x, "y": np.zeros(4, np.float32), "n": 4}
            yield Case(name=name, arguments=arguments, outputs=("y",), inplace=(("y", "x"),))

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        return {"y": Expected(values=2.0 * np.asarray(case.arguments["x"], np.float64), tolerance=1e-6)}


@dataclass
class FakeObject:
    """Doubles x; `spoil` may change what is left, by schedule."""

    backend: Fake
    calls: list[Call] = field(default_factory=list)

    def run(self, call: Call) -> Ran:
        self.calls.append(call)
        x = np.array(call.arguments["x"])
        y = np.frombuffer(bytes([call.fill]) * x.nbytes, x.dtype).copy() if self.backend.writes_nothing else 2 * x
        arrays = {"x": 2 * x if call.aliases else x, "y": y}
        if self.backend.spoils and call.schedule == self.backend.spoils[0]:
            arrays[self.backend.spoils[1]][0] += 1
        found = self.backend.problems if call.schedule == "serial" else ()
        return Ran(arrays=arrays, problems=found, instructions=10, covered=frozenset({len(self.calls)}))

    def coverage(self, covered: frozenset[int]) -> Covered | None:
        return Covered(executed=len(covered), total=100, missed={"s_nop": 100 - len(covered)})


@dataclass
class Fake:
    name: str = "fake"
    version: str = "1"
    schedules: tuple[str, ...] = ("lockstep", "serial", "reverse")
    spoils: tuple[str, str] | None = None
    writes_nothing: bool = False
    problems: tuple[Problem, ...] = ()

    def identity(self, code: bytes) -> str:
        return code.hex()

    def load(self, code: bytes) -> FakeObject:
        return FakeObject(self)


def examined(fake: Fake, *, full: bool = False) -> ObjectResult:
    subject = harness.prepare(Doubling(), row(n=4), PLAN, fake, full=full)
    trials, coverage = harness.examine(subject, fake.load(b""))
    return ObjectResult(
        operation="double", target="t", instance="n4", sha256="0" * 64, trials=trials, coverage=coverage
    )


def test_a_right_kernel_passes_and_its_numbers_are_kept() -> None:
    found = examined(Fake())
    assert found.verdict is Verdict.PASSED
    assert [(trial.name, trial.schedules) for trial in found.trials] == [
        ("first", ("lockstep", "serial", "reverse")),
        ("first, in place", ("lockstep",)),
        ("second", ("lockstep",)),
    ]
    assert found.instructions == 50
    assert found.coverage == Covered(executed=5, total=100, missed={"s_nop": 95})
    assert found.worst is not None
    assert found.worst.worst == 0.0
    assert results.parse(results.dump(found)) == found


def test_the_full_matrix_is_every_case_and_alias_under_every_schedule() -> None:
    found = examined(Fake(), full=True)
    assert [trial.name for trial in found.trials] == ["first", "first, in place", "second", "second, in place"]
    assert {trial.schedules for trial in found.trials} == {("lockstep", "serial", "reverse")}


def test_outputs_start_with_another_content_under_every_schedule() -> None:
    fake = Fake()
    loaded = fake.load(b"")
    harness.examine(harness.prepare(Doubling(), row(n=4), PLAN, fake, full=True), loaded)
    assert len({call.fill for call in loaded.calls}) == 3
    found = examined(Fake(writes_nothing=True))
    assert found.verdict is Verdict.FAILED
    assert found.trials[0].outputs[0].wrong == 4
    assert found.trials[0].disagreements


def test_a_result_that_depends_on_the_schedule_is_found_and_shown() -> None:
    found = examined(Fake(spoils=("reverse", "y")))
    assert found.verdict is Verdict.FAILED
    assert all(output.ok for output in found.trials[0].outputs)
    (text,) = found.trials[0].disagreements
    assert text.startswith("1 of 4 elements of y differ between the lockstep and reverse schedules")
    assert text.endswith("under reverse, 1 elements are wrong")
    assert found.trials[1].ok


def test_an_input_that_is_overwritten_is_a_fault_unless_it_is_the_output() -> None:
    found = examined(Fake(spoils=("lockstep", "x")))
    assert found.trials[0].notes == ("the input x was overwritten",)
    assert found.trials[1].notes == ()
    assert found.verdict is Verdict.FAILED


@pytest.mark.parametrize("category", list(Category))
def test_whatever_the_backend_notices_fails_the_test(category: Category) -> None:
    found = examined(Fake(problems=(Problem(category, "kind", "text"),)))
    assert found.verdict is Verdict.FAILED
    assert found.trials[0].problems == (("serial", Problem(category, "kind", "text")),)


def test_cases_depend_on_operation_and_instance_only() -> None:
    one, same, other = (harness.prepare(Doubling(), row(n=n), PLAN, Fake(), full=False) for n in (4, 4, 5))
    arrays = [np.asarray(subject.trials[0].case.arguments["x"]) for subject in (one, same, other)]
    assert (arrays[0] == arrays[1]).all()
    assert (arrays[0] != arrays[2]).any()


def test_a_recipe_without_a_reference_for_an_output_is_refused() -> None:
    class Forgetful(Doubling):
        def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
            return {}

    with pytest.raises(VendorError, match="no reference for output y"):
        harness.prepare(Forgetful(), row(n=4), PLAN, Fake(), full=False)


def test_what_did_not_run_has_not_passed() -> None:
    blank = ObjectResult(operation="o", target="t", instance="i", sha256="")
    assert blank.verdict is Verdict.UNTESTED
    assert ObjectResult(operation="o", target="t", instance="i", sha256="", reason="x").verdict is Verdict.UNTESTED
