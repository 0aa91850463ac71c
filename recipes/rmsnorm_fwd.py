# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""RMSNorm forward: y = x * w / sqrt(mean(x^2) + eps), widths fixed at compile time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from recipe_support import TYPE_PAIRS, blank, block_for, double, expected, normal

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

WIDTHS = (128, 1024, 2048, 4096, 8192)


class RmsnormForward(Recipe):
    """Rows: activation type, weight type, width, and whether 1/rms is stored for the backward pass."""

    operation = "rmsnorm_fwd"
    upstream = "minikernels"
    declines = (
        Decline("rows that are not contiguous", "the kernel addresses a row as row * n"),
        Decline("a width that no object has", "widths are baked in; use rmsnorm_fwd_any for others"),
        Decline("f32 values above 1e18 in magnitude", "their squares overflow the f32 sum"),
    )

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        for dtype, weight in TYPE_PAIRS:
            for n in WIDTHS:
                for inverse in (False, True):
                    yield row(dtype=dtype, weight=f"w_{weight}", n=n, inv_rms=inverse)

    def launcher(self, instance: Instance) -> Launcher:
        from minikernels.rmsnorm import build_forward

        n = instance.number("n")
        launch: Launcher = build_forward(
            n,
            instance.text("dtype"),
            weight_type(instance),
            store_inv_rms=instance.flag("inv_rms"),
            block=block_for(n),
        )
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        activations = Pointer(instance.text("dtype"))
        return {
            "x": activations,
            "w": Pointer(weight_type(instance)),
            "y": activations,
            "inv_rms": Pointer("f32"),
            "eps": 1e-6,
            "rows": 4,
        }

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        yield Constraint(field="dtype", rule="equals", value=instance.text("dtype"), reason="storage type of x and y")
        yield Constraint(field="weight_dtype", rule="equals", value=weight_type(instance), reason="storage type of w")
        yield Constraint(field="n", rule="equals", value=instance.number("n"), reason="the row is held in registers")
        yield Constraint(
            field="inv_rms", rule="equals", value=instance.flag("inv_rms"), reason="decides whether 1/rms is stored"
        )

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        dtype, n = instance.text("dtype"), instance.number("n")
        yield self._case(instance, "one row", normal(rng, (1, n), dtype), rng)
        yield self._case(instance, "five rows", normal(rng, (5, n), dtype), rng)
        yield self._case(instance, "no rows", normal(rng, (0, n), dtype), rng)
        yield self._case(instance, "large epsilon", normal(rng, (2, n), dtype), rng, eps=0.25)
        yield self._case(instance, "special values", special_rows(rng, n, dtype), rng)

    def _case(self, instance: Instance, name: str, x: Any, rng: np.random.Generator, eps: float = 1e-5) -> Case:
        rows, n = x.shape
        outputs = ("y", "inv_rms") if instance.flag("inv_rms") else ("y",)
        arguments = {
            "x": x,
            "w": normal(rng, (n,), weight_type(instance)),
            "y": blank((rows, n), instance.text("dtype")),
            "inv_rms": blank((rows,), "f32"),
            "eps": eps,
            "rows": rows,
        }
        return Case(name=name, arguments=arguments, outputs=outputs, inplace=(("y", "x"),))

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        import numpy as np

        x, w = double(case.arguments["x"]), double(case.arguments["w"])
        # The kernel gets epsilon as f32.
        eps = float(np.float32(case.arguments["eps"]))
        with np.errstate(invalid="ignore", divide="ignore"):
            inverse = 1.0 / np.sqrt((x * x).mean(axis=1) + eps)
            y = x * inverse[:, None] * w
        finite = np.abs(np.where(np.isfinite(y), y, 0.0)).max(axis=1, initial=0.0, keepdims=True)
        results = {"y": expected(y, instance.text("dtype"), scale=np.maximum(finite, 1e-30))}
        if "inv_rms" in case.outputs:
            magnitude = np.maximum(np.abs(np.where(np.isfinite(inverse), inverse, 0.0)), 1e-30)
            results["inv_rms"] = expected(inverse, "f32", scale=magnitude)
        return results


def weight_type(instance: Instance) -> str:
    """The weight's storage type: the column without its prefix, which keeps object names readable."""
    return instance.text("weight").removeprefix("w_")


def special_rows(rng: np.random.Generator, n: int, dtype: str) -> Any:
    """Rows that break careless kernels: zeros, tiny values, values whose squares overflow f16, an infinity, a NaN."""
    import numpy as np

    rows = rng.standard_normal((5, n))
    rows[0] = 0.0
    rows[1] *= 1e-6
    rows[2] = np.clip(rows[2], -3, 3) * 2e4
    rows[3, n // 2] = np.inf
    rows[4, n - 1] = np.nan
    return rows.astype(storage_dtype(dtype))


RECIPE = RmsnormForward()
