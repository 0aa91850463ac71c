# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# mypy: disable-error-code=no-any-return
# (see arrays.py)

"""Which bits of a result are known when some bits of the operands never were given a value.

Most operations are strict: one unknown bit makes the whole result unknown. Operations made of bit operators are
evaluated once more on `Tracked` values, whose operators compute exactly which result bits depend on unknown ones,
so that masking, shifting and packing of half-initialised registers raises no alarm.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from vendorctl.emulator.arrays import ALL_ONES, I16, I32, I64, UNSIGNED, Array, bits
from vendorctl.emulator.integers import permute_bytes

#: (operand values, known bits of each operand, width of the result) -> known bits of the result, all unsigned.
Rule: TypeAlias = Callable[[Sequence[Array], Sequence[Array], int], Array]
_SIGNED = {16: I16, 32: I32, 64: I64}


class Tracked:
    """A value of which only some bits are known. Mixes with NumPy values, whose bits are all known."""

    __slots__ = ("known", "value")
    __array_ufunc__ = None  # NumPy scalars on the left must leave the operation to this class

    def __init__(self, value: Array, known: Array) -> None:
        self.value, self.known = value, known

    @staticmethod
    def of(value: Any) -> Tracked:
        """`value` itself, or a fully known one."""
        if isinstance(value, Tracked):
            return value
        array = np.asarray(value)
        return Tracked(array, np.full(array.shape, ALL_ONES[array.dtype.itemsize * 8]))

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type of the value."""
        return self.value.dtype

    @property
    def _ones(self) -> Any:
        return ALL_ONES[self.value.dtype.itemsize * 8]

    def __and__(self, other: Any) -> Tracked:
        a, b = self, Tracked.of(other)
        known = (a.known & b.known) | (a.known & ~bits(a.value)) | (b.known & ~bits(b.value))
        return Tracked(a.value & b.value, known)

    def __or__(self, other: Any) -> Tracked:
        a, b = self, Tracked.of(other)
        known = (a.known & b.known) | (a.known & bits(a.value)) | (b.known & bits(b.value))
        return Tracked(a.value | b.value, known)

    def __xor__(self, other: Any) -> Tracked:
        b = Tracked.of(other)
        return Tracked(self.value ^ b.value, self.known & b.known)

    def __invert__(self) -> Tracked:
        return Tracked(~self.value, self.known)

    def __add__(self, other: Any) -> Tracked:
        b = Tracked.of(other)
        return Tracked(self.value + b.value, self._below_first_unknown(b))

    def __sub__(self, other: Any) -> Tracked:
        b = Tracked.of(other)
        return Tracked(self.value - b.value, self._below_first_unknown(b))

    def __mul__(self, other: Any) -> Tracked:
        b = Tracked.of(other)
        return Tracked(self.value * b.value, self._below_first_unknown(b))

    def _below_first_unknown(self, other: Tracked) -> Array:
        """Carries only travel upwards, so the bits below the lowest unknown one are known."""
        both = np.asarray(self.known & other.known)
        return both & ~(both + both.dtype.type(1))

    def __lshift__(self, count: Any) -> Tracked:
        by = Tracked.of(count)
        amount = bits(by.value)
        vacated = ~(self._ones << amount)
        return Tracked(self.value << by.value, self._if_known(by, (self.known << amount) | vacated))

    def __rshift__(self, count: Any) -> Tracked:
        by = Tracked.of(count)
        amount = bits(by.value)
        if self.value.dtype.kind == "i":  # the sign fills the vacated bits, known if the sign is
            signed = _SIGNED[self.value.dtype.itemsize * 8]
            known = bits(np.asarray(self.known).view(signed) >> amount.astype(signed))
        else:
            known = (self.known >> amount) | ~(self._ones >> amount)
        return Tracked(self.value >> by.value, self._if_known(by, known))

    def _if_known(self, count: Tracked, known: Array) -> Array:
        return np.where(count.known == count._ones, known, known.dtype.type(0))  # the same class

    def __rand__(self, other: Any) -> Tracked:
        return self & other

    def __ror__(self, other: Any) -> Tracked:
        return self | other

    def __rxor__(self, other: Any) -> Tracked:
        return self ^ other

    def __radd__(self, other: Any) -> Tracked:
        return self + other

    def __rmul__(self, other: Any) -> Tracked:
        return self * other

    def __rsub__(self, other: Any) -> Tracked:
        return Tracked.of(other) - self

    def __rlshift__(self, other: Any) -> Tracked:
        return Tracked.of(other) << self

    def __rrshift__(self, other: Any) -> Tracked:
        return Tracked.of(other) >> self

    def astype(self, dtype: Any) -> Tracked:
        """The value in another integer type; new upper bits of a zero extension are known."""
        size, old = np.dtype(dtype).itemsize * 8, self.value.dtype.itemsize * 8
        known = bits(np.asarray(self.known)).astype(UNSIGNED[size])
        if size > old:
            known = known | ~UNSIGNED[size](int(ALL_ONES[old]))
        return Tracked(self.value.astype(dtype), known)

    def view(self, dtype: Any) -> Tracked:
        """The same bits as another type of the same width."""
        return Tracked(self.value.view(dtype), self.known)


def strict(_values: Sequence[Array], known: Sequence[Array], width: int) -> Array:
    """Everything is known where every operand is known entirely, nothing elsewhere."""
    complete: Any = True
    for mask in known:
        complete = complete & (mask == ALL_ONES[mask.dtype.itemsize * 8])
    return np.where(complete, ALL_ONES[width], UNSIGNED[width](0))


def copied(_values: Sequence[Array], known: Sequence[Array], _width: int) -> Array:
    """The result is the first operand, unchanged."""
    return known[0]


def by_operators(function: Callable[..., Any]) -> Rule:
    """The rule of an operation whose `function` uses nothing but operators, `astype` and `view` on its operands."""

    def rule(values: Sequence[Array], known: Sequence[Array], width: int) -> Array:
        result = Tracked.of(function(*(Tracked(value, mask) for value, mask in zip(values, known, strict=True))))
        return bits(np.asarray(result.known)).astype(UNSIGNED[width], copy=False)

    return rule


def permuted(values: Sequence[Array], known: Sequence[Array], width: int) -> Array:
    """The rule of `permute_bytes`: known bytes move as the bytes themselves do; constant zero bytes are known."""
    selector = values[2]
    moved = permute_bytes(known[0], known[1], selector)
    for position in range(4):
        zero = ((selector >> selector.dtype.type(8 * position)) & selector.dtype.type(255)) == 12
        moved = moved | np.where(zero, np.uint32(0xFF << (8 * position)), np.uint32(0))
    return np.where(known[2] == ALL_ONES[32], moved, UNSIGNED[width](0))
