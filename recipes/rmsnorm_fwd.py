# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""RMSNorm forward: y = x * w / sqrt(mean(x^2) + eps), widths fixed at compile time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from recipe_support import TYPE_PAIRS, block_for, normal
from rmsnorm_cases import forward_case, forward_reference, special_rows
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

WIDTHS = (128, 1024, 2048, 4096, 8192)


class RmsnormForward(Recipe):
    """Rows: activation type, weight type, width, and whether 1/rms is stored for the backward pass."""

    operation = "rmsnorm_fwd"
    upstream = "minikernels"
    declines = (
        Decline("rows that are not contiguous", "the kernel addresses a row as row * n"),
        Decline("a width that no object has", "widths are fixed at compile time; rmsnorm_fwd_any takes the others"),
        Decline("f32 values above 1e18 in magnitude", "their squares overflow the f32 sum"),
    )

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """Every pair of types at every width, with and without 1/rms."""
        for dtype, weight in TYPE_PAIRS:
            for n in WIDTHS:
                for inverse in (False, True):
                    yield row(dtype=dtype, weight=weight, n=n, inv_rms=inverse)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.rmsnorm` with the downstream patches: epsilon and the weight's type are arguments."""
        from minikernels.rmsnorm import build_forward

        n = instance.number("n")
        launch: Launcher = build_forward(
            n,
            instance.text("dtype"),
            instance.text("weight"),
            store_inv_rms=instance.flag("inv_rms"),
            block=block_for(n),
        )
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """x, w, y, inv_rms, eps, rows."""
        rows = Pointer(instance.text("dtype"))
        weight = Pointer(instance.text("weight"))
        return {"x": rows, "w": weight, "y": rows, "inv_rms": Pointer("f32"), "eps": 1e-6, "rows": 4}

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        """Both types, the width, and whether 1/rms is wanted."""
        yield Constraint("dtype", "equals", instance.text("dtype"), "storage type of x and y")
        yield Constraint("weight_dtype", "equals", instance.text("weight"), "storage type of w")
        yield Constraint("n", "equals", instance.number("n"), "the row is held in registers")
        yield Constraint("inv_rms", "equals", instance.flag("inv_rms"), "decides whether 1/rms is stored")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """One row, several, none; a large epsilon; spikes; special values."""
        dtype, weight, n = instance.text("dtype"), instance.text("weight"), instance.number("n")
        inverse = instance.flag("inv_rms")
        for name, rows, eps in (
            ("one row", 1, 1e-5),
            ("five rows", 5, 1e-5),
            ("no rows", 0, 1e-5),
            ("large eps", 2, 0.25),
        ):
            yield forward_case(name, normal(rng, (rows, n), dtype), dtype, weight, rng, inv_rms=inverse, eps=eps)
        yield forward_case("spikes", spiked(rng, n, dtype, height=300.0), dtype, weight, rng, inv_rms=inverse)
        yield forward_case("special values", special_rows(rng, n, dtype), dtype, weight, rng, inv_rms=inverse)

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """In float64 from the stored values."""
        return forward_reference(case, instance.text("dtype"))


RECIPE = RmsnormForward()
