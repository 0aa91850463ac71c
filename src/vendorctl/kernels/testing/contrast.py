# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Two states of an upstream side by side: which objects passed before and fail after, or the other way round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from vendorctl.kernels.testing import variant as variants
from vendorctl.kernels.testing.backend import BackendFactory
from vendorctl.kernels.testing.cache import ResultCache
from vendorctl.kernels.testing.report import findings_of
from vendorctl.kernels.testing.results import ObjectResult, Verdict
from vendorctl.kernels.testing.session import run_tests
from vendorctl.kernels.testing.variant import Layout, Scope, Variant, Workshop
from vendorctl.model import Json


class Turn(StrEnum):
    """What became of one object's test from one state to the other."""

    PASSES = "passes"
    FAILS = "fails"
    REGRESSED = "regressed"
    FIXED = "fixed"
    ONLY_BEFORE = "gone"
    ONLY_AFTER = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """The tests of one object in two states; at least one of the two results is there."""

    before: ObjectResult | None
    after: ObjectResult | None

    @property
    def turn(self) -> Turn:
        """What changed. An object that does not compile any more has regressed."""
        if self.before is None:
            return Turn.ONLY_AFTER if _passes(self.after) else Turn.FAILS
        if self.after is None:
            return Turn.ONLY_BEFORE
        if _passes(self.before):
            return Turn.PASSES if _passes(self.after) else Turn.REGRESSED
        return Turn.FIXED if _passes(self.after) else Turn.FAILS

    @property
    def name(self) -> str:
        """`operation target instance`."""
        shown = self.before or self.after
        assert shown is not None
        return shown.name

    def json(self) -> Json:
        """For machines."""
        return {
            "object": self.name,
            "turn": self.turn.value,
            "before": _facts(self.before),
            "after": _facts(self.after),
        }


def _passes(result: ObjectResult | None) -> bool:
    return result is not None and result.verdict is Verdict.PASSED


def _facts(result: ObjectResult | None) -> Json:
    if result is None:
        return None
    worst = result.worst
    return {
        "sha256": result.sha256 or None,
        "verdict": result.verdict.value,
        "worst": None if worst is None else worst.worst,
        "tolerance": None if worst is None else worst.tolerance,
        "instructions": result.instructions,
        "why": [f"{finding.rule}: {finding.message}" for finding in findings_of(result)],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """How variants are tested: the workshop that compiles them, the backend, the cache, and a scratch folder."""

    shop: Workshop
    factory: BackendFactory
    cache: ResultCache | None
    scratch: Path
    scope: Scope
    full: bool = False

    def test(self, layout: Layout) -> tuple[ObjectResult, ...]:
        """Compile and test everything in a layout."""
        made = variants.make(self.shop, layout)
        results = run_tests(
            self.shop.project.root,
            made.built,
            self.factory,
            full=self.full,
            executor=self.shop.executor,
            cache=self.cache,
            progress=self.shop.progress,
        )
        return (*results, *made.failed)

    def lay_out(self, variant: Variant) -> Layout:
        """Write and plan a variant, in a folder of its own below the scratch folder."""
        number = sum(1 for _ in self.scratch.iterdir())
        return variants.lay_out(self.shop, variant, self.scratch / str(number), self.scope)


def contrast(bench: Bench, before: Variant, after: Variant) -> tuple[Contrast, ...]:
    """Test the objects that differ between two states of one upstream, in both; sorted by name.

    Objects with the same inputs are left out: nothing can have changed for them.
    """
    one, other = variants.affected(bench.lay_out(before), bench.lay_out(after))
    first = _by_name(bench.test(one))
    second = _by_name((*bench.test(other), *_refused(one, other)))
    return tuple(Contrast(before=first.get(name), after=second.get(name)) for name in sorted({*first, *second}))


def _by_name(results: Sequence[ObjectResult]) -> dict[str, ObjectResult]:
    return {result.name: result for result in results}


def _refused(one: Layout, other: Layout) -> Iterator[ObjectResult]:
    """Results of rows whose recipe can be planned in `one` but not in `other`."""
    for unit in one.units:
        reason = other.refused.get(unit.sources.recipe)
        for planned in unit.rows if reason else ():
            yield ObjectResult(
                operation=unit.table.operation,
                target=unit.target.name,
                instance=planned.row.instance.name,
                sha256="",
                reason=f"it cannot be built: {reason}",
            )


def table(contrasts: Sequence[Contrast], before: str, after: str) -> Iterator[str]:
    """The two states side by side for people, one line per object, with what is wrong after."""
    wide = max((len(item.name) for item in contrasts), default=0)
    if contrasts:
        yield f"{'object':{wide}}  {before:>22}  {after:>22}"
    for item in contrasts:
        row = f"{item.name:{wide}}  {_cell(item.before):>22}  {_cell(item.after):>22}  {_shown(item.turn)}"
        yield row.rstrip()
        if item.after is not None and not _passes(item.after):
            yield from (f"    {text}" for text in _reasons(item.after))


def _reasons(result: ObjectResult) -> list[str]:
    """The first finding of each rule."""
    first: dict[str, str] = {}
    for finding in findings_of(result):
        first.setdefault(finding.rule, f"{finding.rule}: {finding.message}")
    return list(first.values())


def _shown(turn: Turn) -> str:
    return "" if turn is Turn.PASSES else turn.value


def _cell(result: ObjectResult | None) -> str:
    if result is None:
        return "-"
    worst = result.worst
    return result.verdict.value if worst is None else f"{result.verdict.value}, error {worst.worst:.1e}"


def turns(contrasts: Sequence[Contrast]) -> dict[str, int]:
    """How many objects took each turn, those that occur."""
    counted = Counter(item.turn for item in contrasts)
    return {turn.value: counted[turn] for turn in Turn if counted[turn]}
