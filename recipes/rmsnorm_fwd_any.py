# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""RMSNorm forward for every width that has no object of its own: the width is a run-time argument."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from recipe_support import TYPE_PAIRS, normal
from rmsnorm_cases import forward_case, forward_reference, special_rows

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
TEST_WIDTHS = (1, 3, 100, 1023, 2049, 5120)


class RmsnormForwardAny(Recipe):
    """Rows: activation type, weight type, and whether 1/rms is stored for the backward pass."""

    operation = "rmsnorm_fwd_any"
    upstream = "minikernels-next"
    declines = (
        Decline("rows that are not contiguous", "the kernel addresses a row as row * n"),
        Decline("f32 values above 1e18 in magnitude", "their squares overflow the f32 sum"),
    )

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """Every pair of types, with and without 1/rms."""
        for dtype, weight in TYPE_PAIRS:
            for inverse in (False, True):
                yield row(dtype=dtype, weight=weight, inv_rms=inverse)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.norm.rmsnorm_dynamic`."""
        from minikernels.norm.rmsnorm_dynamic import build_forward_dynamic

        launch: Launcher = build_forward_dynamic(
            instance.text("dtype"),
            weight_dtype=instance.text("weight"),
            store_inv_rms=instance.flag("inv_rms"),
        )
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """x, w, y, inv_rms, n, eps, rows."""
        rows, weight = Pointer(instance.text("dtype")), Pointer(instance.text("weight"))
        return {"x": rows, "w": weight, "y": rows, "inv_rms": Pointer("f32"), "n": 1000, "eps": 1e-6, "rows": 4}

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        """Both types, any width, and whether 1/rms is wanted."""
        yield Constraint("dtype", "equals", instance.text("dtype"), "storage type of x and y")
        yield Constraint("weight_dtype", "equals", instance.text("weight"), "storage type of w")
        yield Constraint("n", "at-least", 1, "the mean of an empty row is undefined")
        yield Constraint("n", "at-most", 2**30, "column indices are 32 bits")
        yield Constraint("inv_rms", "equals", instance.flag("inv_rms"), "decides whether 1/rms is stored")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """Awkward widths; special values at one of them."""
        dtype = instance.text("dtype")
        for n in TEST_WIDTHS:
            yield self._case(instance, f"width {n}", normal(rng, (2, n), dtype), rng)
        yield self._case(instance, "special values", special_rows(rng, 515, dtype), rng)
        yield self._case(instance, "no rows", normal(rng, (0, 64), dtype), rng)

    def _case(self, instance: Instance, name: str, x: np.ndarray, rng: np.random.Generator) -> Case:
        dtype, weight, inverse = instance.text("dtype"), instance.text("weight"), instance.flag("inv_rms")
        case = forward_case(name, x, dtype, weight, rng, inv_rms=inverse)
        return replace(case, arguments={**case.arguments, "n": x.shape[1]})

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """In float64 from the stored values."""
        return forward_reference(case, instance.text("dtype"))


RECIPE = RmsnormForwardAny()
