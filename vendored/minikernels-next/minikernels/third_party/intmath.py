# SPDX-FileCopyrightText: 2024 The intmath authors
# SPDX-License-Identifier: MIT
#
# Permission is hereby granted, free of charge, to any person obtaining a copy of this
# software and associated documentation files (the "Software"), to deal in the Software
# without restriction, including without limitation the rights to use, copy, modify, merge,
# publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons
# to whom the Software is furnished to do so, subject to the following conditions:
#
# The above copyright notice and this permission notice shall be included in all copies or
# substantial portions of the Software.
#
# THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED,
# INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR
# PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE
# FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
# OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
# DEALINGS IN THE SOFTWARE.
"""Integer arithmetic for tile sizes: Python ints in, Python ints out."""


def ceil_div(a, b):
    """Smallest integer that is at least a / b, for b > 0."""
    return -(-a // b)


def round_up(a, multiple):
    """Smallest multiple of `multiple` that is at least `a`."""
    return ceil_div(a, multiple) * multiple


def next_power_of_two(a):
    """Smallest power of two that is at least `a`, for a >= 1."""
    if a < 1:
        raise ValueError(f"{a} is not positive")
    return 1 << (a - 1).bit_length()
