# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""Every source file says under which licence it may be used."""
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCES = sorted(p for folder in ("minikernels", "tests") for p in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_source_has_a_licence_tag(path):
    tags = [line.partition(": ")[0] for line in path.read_text().splitlines()[:2]]
    assert tags == ["# SPDX-FileCopyrightText", "# SPDX-License-Identifier"]
