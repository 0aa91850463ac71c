# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A small library whose optional toolchain, `toolkit`, is a module of the test itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

#: The toolchain is there in every one of these projects, so only the probe can make it absent.
TOOLKIT = {"toolkit/__init__.py": "", "toolkit/dsl.py": "jit = staticmethod\n"}
EAGER = {
    "rows/__init__.py": "from rows.norm import norm\nfrom rows.plain import WIDTH\n\n__all__ = ['WIDTH', 'norm']\n",
    "rows/norm.py": "import math\n\nfrom rows import kernels\n\n\ndef norm():\n    return kernels.launch\n",
    "rows/kernels.py": "import toolkit.dsl\n\n\nlaunch = toolkit.dsl.jit\n",
    "rows/plain.py": "WIDTH = 8\n",
}
LAZY = EAGER | {
    "rows/__init__.py": """\
from rows.plain import WIDTH

__all__ = ["WIDTH", "norm"]


def __getattr__(name):
    if name == "norm":
        from rows.norm import norm

        return norm
    raise AttributeError(name)


def __dir__():
    return [*globals(), "norm"]
""",
}


def project(folder: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files and the toolchain."""
    for path, content in {**TOOLKIT, **files}.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, encoding="utf-8")
    return folder
