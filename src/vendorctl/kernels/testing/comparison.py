# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An output against its reference, element by element, in units of what the recipe tolerates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from vendorctl.kernels.recipe import Expected

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from vendorctl.kernels.testing.backend import Array

#: Upper bounds of the histogram's bins, as parts of the tolerance; the first bin holds exact values only, and one
#: more bin takes what is above the last bound or not finite where it should be.
BINS = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputError:
    """How far one output is from its reference.

    `worst` is the largest |output - reference| in units of the reference's scale, `tolerance` the largest accepted
    (same unit). `histogram` counts elements by error as a part of the tolerance (see `BINS`). `wrong` counts those
    above it, and those that are NaN or infinite where the reference is not, or the reverse; `first` shows one.
    """

    name: str
    elements: int
    worst: float
    tolerance: float
    histogram: tuple[int, ...]
    wrong: int
    first: str = ""

    @property
    def ok(self) -> bool:
        """True when every element is right."""
        return self.wrong == 0

    @property
    def part(self) -> float:
        """The worst error as a part of the tolerance; where nothing but exact values will do, 0 or infinite."""
        if self.tolerance == 0:
            return math.inf if self.worst else 0.0
        return self.worst / self.tolerance


def compare(name: str, actual: Array, expected: Expected) -> OutputError:
    """Compare `actual` (storage type, any shape) with `expected` (the same shape)."""
    import numpy as np

    values = np.asarray(expected.values, np.float64)
    if actual.shape != values.shape:
        return OutputError(name=name, elements=actual.size, worst=0.0, tolerance=expected.tolerance,
                           histogram=(0,) * (len(BINS) + 1), wrong=max(actual.size, 1),
                           first=f"shape {actual.shape}, expected {values.shape}")  # fmt: skip
    with np.errstate(invalid="ignore"):  # bfloat16's cast warns of signalling NaNs
        got = actual.astype(np.float64)
    both = np.isfinite(values) & np.isfinite(got)
    scale = np.broadcast_to(np.asarray(expected.scale, np.float64), values.shape)
    with np.errstate(all="ignore"):
        error = np.where(both, np.abs(got - values) / scale, 0.0)
        same = np.where(both, error <= expected.tolerance, (got == values) | (np.isnan(got) & np.isnan(values)))
    wrong = int((~same).sum())
    return OutputError(
        name=name,
        elements=int(values.size),
        worst=float(error.max(initial=0.0)),
        tolerance=float(expected.tolerance),
        histogram=_histogram(error, same, expected.tolerance),
        wrong=wrong,
        first=_show(got, values, ~same) if wrong else "",
    )


def _histogram(error: npt.NDArray[np.float64], same: npt.NDArray[np.bool_], tolerance: float) -> tuple[int, ...]:
    import numpy as np

    bins = np.searchsorted(np.array(BINS) * tolerance, error.reshape(-1), side="left")
    bins = np.where(same.reshape(-1), np.minimum(bins, len(BINS) - 1), len(BINS))
    return tuple(int(count) for count in np.bincount(bins, minlength=len(BINS) + 1))


def _show(got: npt.NDArray[np.float64], want: npt.NDArray[np.float64], bad: npt.NDArray[np.bool_]) -> str:
    import numpy as np

    where = tuple(int(index) for index in np.argwhere(bad)[0])
    return f"[{', '.join(map(str, where))}] is {got[where]:.9g}, should be {want[where]:.9g}"
