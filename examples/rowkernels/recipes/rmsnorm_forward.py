# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""RMSNorm forward for every width; 1/rms is always stored, for the gradients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

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

from rmsnorm_shared import TYPE_PAIRS, blank, double, expected, normal

if TYPE_CHECKING:
    import numpy as np


class RmsnormForward(Recipe):
    """Rows: type of x and y, type of the weight."""

    operation = "rmsnorm_forward"
    upstream = "minikernels"
    declines = (Decline("rows that are not contiguous", "the kernel addresses a row as row * n"),)

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """One for each pair of types."""
        for dtype, weight in TYPE_PAIRS:
            yield row(dtype=dtype, weight=weight)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.norm.rmsnorm_dynamic`."""
        from minikernels.norm.rmsnorm_dynamic import build_forward_dynamic

        launch: Launcher = build_forward_dynamic(
            instance.text("dtype"), weight_dtype=instance.text("weight"), store_inv_rms=True
        )
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """x, w, y, inv_rms, n, eps, rows."""
        rows, weight = Pointer(instance.text("dtype")), Pointer(instance.text("weight"))
        return {"x": rows, "w": weight, "y": rows, "inv_rms": Pointer("f32"), "n": 1000, "eps": 1e-6, "rows": 4}

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        """Both types, and any width."""
        yield Constraint("dtype", "equals", instance.text("dtype"), "storage type of x and y")
        yield Constraint("weight_dtype", "equals", instance.text("weight"), "storage type of the weight")
        yield Constraint("n", "at-least", 1, "the mean of an empty row is undefined")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """A single element, a tail, and more than one round of the block."""
        dtype, weight = instance.text("dtype"), instance.text("weight")
        for n in (1, 100, 2049):
            arguments = {
                "x": normal(rng, (2, n), dtype),
                "w": normal(rng, (n,), weight),
                "y": blank((2, n), dtype),
                "inv_rms": blank((2,), "f32"),
                "n": n,
                "eps": 1e-5,
                "rows": 2,
            }
            yield Case(name=f"width {n}", arguments=arguments, outputs=("y", "inv_rms"))

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """In float64 from the stored values."""
        import numpy as np

        x, w = double(case.arguments["x"]), double(case.arguments["w"])
        inverse = 1.0 / np.sqrt((x * x).mean(axis=1) + 1e-5)
        y = x * inverse[:, None] * w
        return {
            "y": expected(y, instance.text("dtype"), np.abs(y).max()),
            "inv_rms": expected(inverse, "f32", np.abs(inverse)),
        }


RECIPE = RmsnormForward()
