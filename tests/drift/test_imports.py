# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Imports that leave the vendored set are found by syntax; the quick look at lines never misses one of them."""

from __future__ import annotations

import pytest

from support.chains import Shelf
from vendorctl.drift.imports import leaving_imports, mentioned_targets

OUTSIDE = {
    "kernels/__init__.py": "",
    "kernels/common/__init__.py": "",
    "kernels/common/mma.py": "",
    "python/pkg/expr/__init__.py": "",
    "python/pkg/expr/arith.py": "",
    "kernels/norm/helper.py": "",
}


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("from kernels.common import mma\n", "kernels/common/mma.py"),
        ("from kernels.common.mma import emit\n", "kernels/common/mma.py"),
        ("import kernels.common.mma as m\n", "kernels/common/mma.py"),
        ("import os, kernels.common.mma\n", "kernels/common/mma.py"),
        ("from ..common import mma\n", "kernels/common/mma.py"),
        ("from ..common.mma import (\n    a,  # why\n    b as c,\n)\n", "kernels/common/mma.py"),
        ("from . import helper\n", "kernels/norm/helper.py"),
        ("import helper\n", "kernels/norm/helper.py"),
        ("def f():\n    if x:\n        from pkg.expr import arith\n", "python/pkg/expr/arith.py"),
        ("from pkg.expr import add\n", "python/pkg/expr/__init__.py"),
        ("from pkg.expr.arith \\\n    import add\n", "python/pkg/expr/arith.py"),
    ],
)
def test_an_import_of_a_file_that_is_not_vendored(source: str, target: str) -> None:
    shelf = Shelf()
    selected = shelf.tree({"kernels/norm/rms.py": source})
    whole = shelf.tree({**OUTSIDE, "kernels/norm/rms.py": source})
    found = leaving_imports(selected, selected, whole, shelf.blobs)
    assert {each.target.decode() for each in found} == {target}


@pytest.mark.parametrize(
    "source",
    [
        "import os\n",
        "from kernels.norm import rms\n",
        '"""\nfrom kernels.common import mma\n"""\n',
        "# from kernels.common import mma\n",
        "from another.package import mma\n",
        "def f(:\n",
    ],
)
def test_what_stays_inside_or_is_no_import(source: str) -> None:
    shelf = Shelf()
    selected = shelf.tree({"kernels/norm/rms.py": source})
    whole = shelf.tree({**OUTSIDE, "kernels/norm/rms.py": source})
    assert leaving_imports(selected, selected, whole, shelf.blobs) == ()


def test_the_quick_look_names_targets_with_their_package() -> None:
    shelf = Shelf()
    files = {"kernels/norm/rms.py": "from pkg.expr import arith\nfrom ..common import mma\n"}
    selected, whole = shelf.tree(files), shelf.tree({**OUTSIDE, **files})
    assert mentioned_targets(selected, selected, whole, shelf.blobs) == {
        b"python/pkg/expr/arith.py": "pkg",
        b"kernels/common/mma.py": "kernels",
    }
