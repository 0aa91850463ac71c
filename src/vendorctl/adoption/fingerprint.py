# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""How alike two files are, measured fast enough to compare one file with every version of many others.

The measure is Dice's coefficient over two multisets at once: the lines of a file, and its pairs of neighbouring lines
(so that the order of lines counts). Blanks at line ends, line endings and blank lines do not count: copies change them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

#: What similarities are counted in: thousandths, as whole numbers, so that sums are exact on every machine.
FULL = 1000

#: A file with fewer lines than this says nothing about where it came from.
TRIVIAL_LINES = 3

_Pair: TypeAlias = "tuple[bytes, bytes]"


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What is compared of one content. `lines` is how many lines that are not blank it has."""

    lines: int
    _features: Counter[bytes | _Pair]

    @property
    def trivial(self) -> bool:
        """True for contents that are too short to be recognised."""
        return self.lines < TRIVIAL_LINES

    def distinct_lines(self) -> set[bytes]:
        """Every line that occurs, once."""
        return {feature for feature in self._features if isinstance(feature, bytes)}

    def similarity(self, other: Fingerprint) -> int:
        """From 0 (nothing in common) to FULL (the same lines in the same order)."""
        total = self._features.total() + other._features.total()
        if not total:
            return FULL
        small, large = sorted((self._features, other._features), key=len)
        common = sum(min(count, large[feature]) for feature, count in small.items() if feature in large)
        return 2 * FULL * common // total


def fingerprint(content: bytes) -> Fingerprint:
    """The fingerprint of a file's content."""
    lines = _lines(content)
    features: Counter[bytes | _Pair] = Counter(lines)
    features.update(pairwise(lines))
    return Fingerprint(len(lines), features)


def distinct_lines(content: bytes) -> set[bytes]:
    """The lines that a fingerprint of `content` is made of, at a fraction of its price."""
    return set(_lines(content))


def _lines(content: bytes) -> list[bytes]:
    return [line for line in (raw.rstrip() for raw in content.split(b"\n")) if line]
