# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""RMSNorm backward in two stages, without atomics: dx and partial sums of dw, then their sum in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

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

from rmsnorm_shared import GRADIENT_WIDTHS, TYPE_PAIRS, blank, block_for, double, expected, normal

if TYPE_CHECKING:
    import numpy as np


class RmsnormBackward(Recipe):
    """Rows: the stage; for `dx` both types and the width, for `dw` the weight's type."""

    operation = "rmsnorm_backward"
    upstream = "minikernels"
    declines = (Decline("a width that no object has", "the row is held in registers"),)

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """Stage one for each pair of types and each width, stage two for each type of weight."""
        for dtype, weight in TYPE_PAIRS:
            for n in GRADIENT_WIDTHS:
                yield row(stage="dx", dtype=dtype, weight=weight, n=n)
        for weight in ("f32", "f16", "bf16"):
            yield row(stage="dw", weight=weight)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.norm.rmsnorm_backward`."""
        from minikernels.norm.rmsnorm_backward import build_backward, build_weight_gradient

        launch: Launcher
        if instance.text("stage") == "dw":
            launch = build_weight_gradient(instance.text("weight"))
        else:
            n = instance.number("n")
            launch = build_backward(n, instance.text("dtype"), instance.text("weight"), block=block_for(n))
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """Stage one writes dx and partial; stage two adds the rows of partial."""
        weight, f32 = Pointer(instance.text("weight")), Pointer("f32")
        if instance.text("stage") == "dw":
            return {"partial": f32, "dw": weight, "n": 1024, "groups": 2}
        rows = Pointer(instance.text("dtype"))
        return {"x": rows, "w": weight, "dy": rows, "inv_rms": f32, "dx": rows, "partial": f32, "rows": 4, "groups": 2}

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        """The stage and its types; for stage one the width."""
        yield Constraint("stage", "equals", instance.text("stage"), "dx first, then dw")
        yield Constraint("weight_dtype", "equals", instance.text("weight"), "storage type of the weight")
        if instance.text("stage") == "dx":
            yield Constraint("dtype", "equals", instance.text("dtype"), "storage type of x, dy and dx")
            yield Constraint("n", "equals", instance.number("n"), "the row is held in registers")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """One row, more rows than groups, fewer; for stage two a tail and several groups."""
        weight = instance.text("weight")
        if instance.text("stage") == "dw":
            for n, groups in ((1, 1), (257, 3)):
                partial = normal(rng, (groups, n), "f32")
                arguments = {"partial": partial, "dw": blank((n,), weight), "n": n, "groups": groups}
                yield Case(name=f"{groups} groups of {n}", arguments=arguments, outputs=("dw",))
            return
        for rows, groups in ((1, 1), (5, 2), (3, 4)):
            yield self._row_case(instance, rng, rows, groups)

    def _row_case(self, instance: Instance, rng: np.random.Generator, rows: int, groups: int) -> Case:
        import numpy as np

        dtype, n = instance.text("dtype"), instance.number("n")
        x = normal(rng, (rows, n), dtype)
        arguments = {
            "x": x,
            "w": normal(rng, (n,), instance.text("weight")),
            "dy": normal(rng, (rows, n), dtype),
            "inv_rms": (1.0 / np.sqrt((double(x) ** 2).mean(axis=1) + 1e-5)).astype(np.float32),
            "dx": blank((rows, n), dtype),
            "partial": blank((groups, n), "f32"),
            "rows": rows,
            "groups": groups,
        }
        return Case(name=f"{rows} rows in {groups} groups", arguments=arguments, outputs=("dx", "partial"))

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """In float64 from the stored values."""
        import numpy as np

        if instance.text("stage") == "dw":
            partial = double(case.arguments["partial"])
            return {"dw": expected(partial.sum(axis=0), instance.text("weight"), np.abs(partial).sum(axis=0).max())}
        return self._row_reference(instance, case.arguments)

    def _row_reference(self, instance: Instance, arguments: Mapping[str, Any]) -> Mapping[str, Expected]:
        import numpy as np

        x, w, dy = (double(arguments[name]) for name in ("x", "w", "dy"))
        r = double(arguments["inv_rms"])[:, None]
        g = dy * w
        dx = r * (g - x * r * r * (g * x).mean(axis=1, keepdims=True))
        terms, groups = dy * x * r, arguments["groups"]
        partial = np.stack([terms[start::groups].sum(axis=0) for start in range(groups)])
        # The terms of a column cancel, so errors are measured against what was added up.
        return {
            "dx": expected(dx, instance.text("dtype"), np.abs(r * g).max()),
            "partial": expected(partial, "f32", np.abs(terms).sum(axis=0).max()),
        }


RECIPE = RmsnormBackward()
