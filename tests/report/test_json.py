# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""JSON documents hold every text as it is, also names that are no UTF-8."""

from __future__ import annotations

import json

from report.samples import HOSTILE, hostile_report
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.report.json import error_document, render_json


def test_hostile_text_comes_back_unchanged() -> None:
    text = render_json(hostile_report())
    text.encode()
    rows = json.loads(text)["findings"]
    assert {row["message"] for row in rows} == set(HOSTILE)
    assert {row["location"]["path"] for row in rows} == set(HOSTILE)


def test_an_error_says_code_place_and_next_step() -> None:
    error = VendorError("no \udcff", hint="look", location=Location("a\udcff", 2), code=ExitCode.CONFLICT)
    document = json.loads(error_document(error))
    assert document == {
        "schema": "vendorctl/error/1",
        "ok": False,
        "code": 5,
        "message": "no \udcff",
        "hint": "look",
        "location": {"path": "a\udcff", "line": 2, "column": None},
    }
