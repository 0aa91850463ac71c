# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""How one workgroup shares out one row of a matrix. Plain Python, decided at compile time."""


def check_block(block):
    """Reject workgroup sizes that compile but cannot be launched, or that split a wave."""
    if not 0 < block <= 1024 or block % 64:
        raise ValueError(f"block size {block} is not a multiple of 64 between 64 and 1024")


class RowPlan:
    """Which thread reads which elements of a row of `n`.

    The row is `full` groups of `vec` elements and then `tail` single elements, with
    0 <= tail < vec. Group g belongs to thread g % block, in round g // block; tail
    element j belongs to thread j, after all rounds.
    """

    def __init__(self, n, vec, block):
        if n < 1:
            raise ValueError(f"a row has at least one element, not {n}")
        check_block(block)
        self.n, self.vec, self.block = n, vec, block
        self.full, self.tail = divmod(n, vec)
        self.rounds = -(-self.full // block)

    def round_is_partial(self, r):
        """True when some thread has no group in round r, so that the access needs a guard."""
        return (r + 1) * self.block > self.full

    def elements_of(self, thread):
        """Row indices that `thread` reads, in the order in which it reads them."""
        indices = []
        for r in range(self.rounds):
            group = thread + r * self.block
            if group < self.full:
                indices.extend(range(group * self.vec, (group + 1) * self.vec))
        if thread < self.tail:
            indices.append(self.full * self.vec + thread)
        return indices
