# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Softmax for every width that has no object of its own: the width is a run-time argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from recipe_support import normal
from softmax_cases import softmax_case, softmax_reference, special_scores

from vendorctl.kernels.recipe import (
    Case,
    Constraint,
    Decline,
    Example,
    Excluded,
    Expected,
    Instance,
    Launcher,
    Pointer,
    Recipe,
    Target,
    row,
)

if TYPE_CHECKING:
    import numpy as np

#: Shorter than a vector, no multiple of one, one off a power of two, more than one round of the block.
TEST_WIDTHS = (1, 7, 257, 1023, 2049)


class SoftmaxAny(Recipe):
    """Rows: the type."""

    operation = "softmax_any"
    upstream = "minikernels-next"
    declines = (
        Decline("a mask or a scale", "apply them to the scores first, or use attention_fwd"),
        Decline("rows that are not contiguous", "the kernel addresses a row as row * n"),
    )

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """Every type."""
        for dtype in ("f32", "f16", "bf16"):
            yield row(dtype=dtype)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.softmax_dynamic`."""
        from minikernels.softmax_dynamic import build_softmax_dynamic

        launch: Launcher = build_softmax_dynamic(instance.text("dtype"))
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """x, out, n, rows."""
        scores = Pointer(instance.text("dtype"))
        return {"x": scores, "out": scores, "n": 1000, "rows": 4}

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        """The type, and any width."""
        yield Constraint("dtype", "equals", instance.text("dtype"), "storage type of scores and probabilities")
        yield Constraint("n", "at-least", 1, "an empty row has no softmax")
        yield Constraint("n", "at-most", 2**30, "column indices are 32 bits")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """Awkward widths with negative scores; special values at one of them."""
        dtype = instance.text("dtype")
        for n in TEST_WIDTHS:
            yield self._case(f"width {n}", normal(rng, (2, n), dtype, spread=3.0, mean=-20.0), dtype)
        yield self._case("special values", special_scores(rng, 515, dtype), dtype)
        yield self._case("no rows", normal(rng, (0, 64), dtype), dtype)

    def _case(self, name: str, x: np.ndarray, dtype: str) -> Case:
        case = softmax_case(name, x, dtype)
        return replace(case, arguments={**case.arguments, "n": x.shape[1]})

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """In float64 from the stored values."""
        return softmax_reference(case, instance.text("dtype"))


RECIPE = SoftmaxAny()
