# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Lint: a patch that says everything passes; each thing left unsaid is its own finding, with its line."""

from __future__ import annotations

import pytest

from support.trees import Contents, tree
from vendorctl.model import Severity
from vendorctl.series.lint import lint_series
from vendorctl.series.listing import find_patch, list_patches, show_patch
from vendorctl.series.parse import parse_patch
from vendorctl.series.patch import Trailers
from vendorctl.series.stack import Series
from vendorctl.series.write import format_patch


def raw() -> bytes:
    contents: Contents = {}
    return format_patch(
        tree({"a": "x\n"}, contents),
        tree({"a": "y\n"}, contents),
        contents,
        number=1,
        title="Say y",
        body="A body.",
        author="A B <ab@example.org>",
        date="Mon, 1 Jan 2024 00:00:00 +0000",
        trailers=Trailers(origin="vendor", forwarded="no", reason="because"),
    )


def lint(content: bytes) -> list[tuple[str, Severity, int | None]]:
    series = Series("up", (parse_patch("0001-x.patch", content),))
    report = lint_series(series)
    found = []
    for finding in report.findings:
        assert finding.location is not None
        assert finding.location.path == "patches/up/0001-x.patch"
        found.append((finding.rule, finding.severity, finding.location.line))
    return found


def test_a_patch_with_all_facts_passes() -> None:
    assert lint(raw()) == []


ERROR, WARNING = Severity.ERROR, Severity.WARNING


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"Subject: Say y\n", b"", [("VC231", ERROR, None)]),
        (b"Subject: Say", b"Subject: [norm] Say", [("VC231", WARNING, 4)]),
        (b"Subject: Say", b"Subject: " + b"very " * 30, [("VC231", WARNING, 4)]),
        (b"Reason: because\n", b"", [("VC232", ERROR, None)]),
        (b"Reason: because\n", b"Reason:\n", [("VC232", ERROR, None)]),
        (b"Forwarded: no\n", b"", [("VC233", ERROR, None)]),
        (b"Forwarded: no\n", b"Applied-Upstream: v2\n", []),
        (b"Forwarded: no\n", b"Forwarded: maybe\n", [("VC234", ERROR, 9)]),
        (b"Forwarded: no\n", b"Forwarded: https://example.org/pull/1\n", []),
        (b"Forwarded: no\n", b"Forwarded: not-needed\n", []),
        (b"Origin: vendor", b"Origin: the internet", [("VC234", WARNING, 8)]),
        (b"Origin: vendor", b"Origin: backport, https://example.org/1", []),
        (b"A body.", b"A body.\n+++ not a diff", [("VC235", ERROR, 7)]),
        (b"From: A B <ab@example.org>\n", b"", [("VC236", WARNING, None)]),
        (b"Date: Mon, 1 Jan 2024 00:00:00 +0000\n", b"", [("VC236", WARNING, None)]),
        (b"-x\n+y\n", b"-x\n+ x\n", [("VC238", WARNING, 17)]),
    ],
)
def test_each_omission_is_its_own_finding(
    old: bytes, new: bytes, expected: list[tuple[str, Severity, int | None]]
) -> None:
    assert old in raw()
    assert lint(raw().replace(old, new)) == expected


def test_a_patch_without_any_facts() -> None:
    bare = b"--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"
    assert sorted(rule for rule, _, _ in lint(bare)) == ["VC231", "VC232", "VC233", "VC236", "VC237"]


def test_patches_are_found_by_number_file_or_slug() -> None:
    patch = parse_patch("0012-say-y.patch", raw())
    series = Series("up", (patch,))
    for name in ("12", "0012", "say-y", "0012-say-y.patch"):
        assert find_patch(series, name) is patch
    with pytest.raises(Exception, match="has no patch '2'"):
        find_patch(series, "2")
    data = show_patch("up", patch).data
    assert (data["added"], data["removed"], data["reason"]) == (1, 1, "because")
    assert str(data["text"]).encode() == raw()


def test_listing_an_upstream_without_patches(tmp_path) -> None:  # type: ignore[no-untyped-def]
    report = list_patches(tmp_path, ["up"])
    assert (report.lines, report.findings, report.counts) == ((), (), {"patches": 0})
