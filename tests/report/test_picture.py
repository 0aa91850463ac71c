# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The picture of a report that the README shows is drawn from a report as it is today."""

from __future__ import annotations

import copy
import runpy
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

ROOT = Path(__file__).parent.parent.parent
TOOL = runpy.run_path(str(ROOT / "tools/picture.py"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return TOOL["sample_report"](tmp_path_factory.mktemp("picture"))


def test_the_committed_picture_is_what_a_report_gives(data: Any) -> None:
    assert (ROOT / "docs/images/report.svg").read_text("utf-8") == TOOL["draw"](data), "run `make docs`"


def test_another_report_gives_another_picture(data: Any) -> None:
    other = copy.deepcopy(data)
    other["drift"]["upstreams"]["minikernels"]["patches"][0]["health"] = "conflict"
    assert TOOL["draw"](other) != TOOL["draw"](data)


def test_what_a_report_says_stays_text(data: Any) -> None:
    other = copy.deepcopy(data)
    other["differences"]["upstreams"]["minikernels"]["patches"][0]["title"] = "<script>&</script>"
    root = ET.fromstring(TOOL["draw"](other))
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert "<script>&</script>" in {element.text for element in root.iter()}
