# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Recipes in the process that tests: each is imported with its helpers, and forgotten afterwards."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vendorctl.kernels import recipe as recipes
from vendorctl.kernels.recipe import Recipe


@contextmanager
def imported(root: Path, path: str) -> Iterator[Recipe]:
    """The recipe at `path` (relative to the workspace `root`), with modules beside it importable meanwhile.

    Two workspaces may have helpers of the same name, so those that were imported are forgotten at the end. Raises
    VendorError as `recipe.load` does.
    """
    folder = (root / path).parent
    before = set(sys.modules)
    bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # a workspace gets no __pycache__ from us
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield recipes.load(root / path)
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = bytecode
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).parent == folder:
                del sys.modules[name]
