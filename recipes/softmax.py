# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Softmax over the last axis, widths fixed at compile time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from recipe_support import blank, block_for, double, expected, normal

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
    storage_dtype,
)

if TYPE_CHECKING:
    import numpy as np

#: 1000 and 50257 / 64 = 785.3 are no multiples of the vector width: they keep the tail code honest.
WIDTHS = (64, 128, 785, 1000, 1024, 2048, 4096)


class Softmax(Recipe):
    """Rows: type and width."""

    operation = "softmax"
    upstream = "minikernels"
    declines = (
        Decline("a width that no object has", "the row is held in registers; widths are baked in"),
        Decline("a mask or a scale", "apply them to the scores first, or use attention_fwd"),
        Decline("rows that are not contiguous", "the kernel addresses a row as row * n"),
    )

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        for dtype in ("f32", "f16", "bf16"):
            for n in WIDTHS:
                yield row(dtype=dtype, n=n)

    def launcher(self, instance: Instance) -> Launcher:
        from minikernels.softmax import build_softmax

        n = instance.number("n")
        launch: Launcher = build_softmax(n, instance.text("dtype"), block=block_for(n))
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        scores = Pointer(instance.text("dtype"))
        return {"x": scores, "out": scores, "rows": 4}

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        yield Constraint(field="dtype", rule="equals", value=instance.text("dtype"), reason="storage type of both")
        yield Constraint(field="n", rule="equals", value=instance.number("n"), reason="the row is held in registers")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        dtype, n = instance.text("dtype"), instance.number("n")
        # Negative scores: a stale partial sum then looks like a larger maximum, which shows a missing barrier.
        yield self._case(instance, "negative scores", normal(rng, (4, n), dtype, spread=3.0, mean=-20.0))
        yield self._case(instance, "one row", normal(rng, (1, n), dtype))
        yield self._case(instance, "no rows", normal(rng, (0, n), dtype))
        yield self._case(instance, "special values", self._special(rng, n, dtype))

    def _case(self, instance: Instance, name: str, x: Any) -> Case:
        arguments = {"x": x, "out": blank(x.shape, instance.text("dtype")), "rows": x.shape[0]}
        return Case(name=name, arguments=arguments, outputs=("out",), inplace=(("out", "x"),))

    def _special(self, rng: np.random.Generator, n: int, dtype: str) -> Any:
        """Equal scores, scores far apart, masked (-inf) places, a NaN."""
        import numpy as np

        rows = rng.standard_normal((4, n))
        rows[0] = 7.0
        rows[1] *= 1e4
        rows[2, : n // 2] = -np.inf
        rows[3, n - 1] = np.nan
        return rows.astype(storage_dtype(dtype))

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        import numpy as np

        x = double(case.arguments["x"])
        with np.errstate(invalid="ignore"):
            e = np.exp(x - x.max(axis=1, initial=-np.inf, keepdims=True))
            p = e / e.sum(axis=1, keepdims=True)
        # Exponents up to 1e4 times f32's rounding of a difference: the error grows with the spread of the row.
        return {"out": expected(p, instance.text("dtype"), factor=2.0)}


RECIPE = Softmax()
