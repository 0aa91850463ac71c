# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Softmax over the last axis, widths fixed at compile time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from recipe_support import block_for, normal
from softmax_cases import softmax_case, softmax_reference, special_scores
from spikes import spiked

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

#: 785 and 1000 are no multiples of every vector width: they keep the tail code honest.
WIDTHS = (64, 128, 785, 1000, 1024, 2048, 4096)


class Softmax(Recipe):
    """Rows: type and width."""

    operation = "softmax"
    upstream = "minikernels"
    declines = (
        Decline("a width that no object has", "widths are fixed at compile time; softmax_any takes the others"),
        Decline("a mask or a scale", "apply them to the scores first, or use attention_fwd"),
        Decline("rows that are not contiguous", "the kernel addresses a row as row * n"),
    )

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """Every type at every width."""
        for dtype in ("f32", "f16", "bf16"):
            for n in WIDTHS:
                yield row(dtype=dtype, n=n)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.softmax` with the downstream patch for its missing barrier."""
        from minikernels.softmax import build_softmax

        n = instance.number("n")
        launch: Launcher = build_softmax(n, instance.text("dtype"), block=block_for(n))
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """x, out, rows."""
        scores = Pointer(instance.text("dtype"))
        return {"x": scores, "out": scores, "rows": 4}

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        """The type and the width."""
        yield Constraint("dtype", "equals", instance.text("dtype"), "storage type of scores and probabilities")
        yield Constraint("n", "equals", instance.number("n"), "the row is held in registers")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """Negative scores, which show the race of the missing barrier; one row, none; spikes; special values."""
        dtype, n = instance.text("dtype"), instance.number("n")
        # A stale partial sum then looks like a larger maximum.
        yield softmax_case("negative scores", normal(rng, (4, n), dtype, spread=3.0, mean=-20.0), dtype)
        yield softmax_case("one row", normal(rng, (1, n), dtype), dtype)
        yield softmax_case("no rows", normal(rng, (0, n), dtype), dtype)
        yield softmax_case("spikes", spiked(rng, n, dtype, height=3e4), dtype)
        yield softmax_case("special values", special_scores(rng, n, dtype), dtype)

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """In float64 from the stored values."""
        return softmax_reference(case, instance.text("dtype"))


RECIPE = Softmax()
