# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The demo's recipe: row softmax of minikernels, in two types, with its test data and its float64 reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from vendorctl.kernels.recipe import (
    Case,
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

#: Largest accepted error, as a part of the largest probability: half an ulp of the storage type, and f32 rounding.
_TOLERANCE = {"f32": 4e-6, "f16": 2.4e-3}


class Softmax(Recipe):
    """Rows: the type. The width is fixed at compile time."""

    operation = "softmax"
    upstream = "minikernels"

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """Two types at a width that is no multiple of a vector."""
        for dtype in ("f32", "f16"):
            yield row(dtype=dtype, n=1000)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.softmax`, from the patched tree."""
        from minikernels.softmax import build_softmax  # type: ignore[import-not-found]  # in no environment of ours

        launch: Launcher = build_softmax(instance.number("n"), instance.text("dtype"), block=256)
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """Scores, probabilities, the number of rows."""
        scores = Pointer(instance.text("dtype"))
        return {"x": scores, "out": scores, "rows": 4}

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """Negative scores, among which a stale partial sum looks like a larger maximum; one row; none; a NaN."""
        n = instance.number("n")
        yield self._case(instance, "negative scores", rng.standard_normal((4, n)) * 3.0 - 20.0)
        yield self._case(instance, "one row", rng.standard_normal((1, n)))
        yield self._case(instance, "no rows", rng.standard_normal((0, n)))
        special = rng.standard_normal((2, n))
        special[0, : n // 2], special[1, n - 1] = -float("inf"), float("nan")
        yield self._case(instance, "special values", special)

    def _case(self, instance: Instance, name: str, values: Any) -> Case:
        import numpy as np

        x = values.astype(storage_dtype(instance.text("dtype")))
        arguments = {"x": x, "out": np.zeros_like(x), "rows": x.shape[0]}
        return Case(name=name, arguments=arguments, outputs=("out",), inplace=(("out", "x"),))

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """Softmax of the stored scores, in float64."""
        import numpy as np

        x = np.asarray(case.arguments["x"]).astype(np.float64)
        with np.errstate(invalid="ignore"):
            e = np.exp(x - x.max(axis=1, initial=-np.inf, keepdims=True))
            p = e / e.sum(axis=1, keepdims=True)
        largest = float(np.nanmax(p, initial=1e-30))
        return {"out": Expected(values=p, tolerance=_TOLERANCE[instance.text("dtype")], scale=largest)}


RECIPE = Softmax()
