# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Data for the report page: large, and hostile."""

from __future__ import annotations

from report.samples import HOSTILE, difference, differences, finding, patch
from vendorctl.drift.health import PatchHealth
from vendorctl.model import Finding, Json, Severity
from vendorctl.report.page import PageData

_HEALTHS = tuple(health.value for health in PatchHealth)
_LINES = 12


def large_page(patches: int = 500, files: int = 2000) -> PageData:
    """A page of one upstream with so many patches and files, objects, tests and drift."""
    changed = [_file(at, at % patches + 1) for at in range(files)]
    series = [patch(at, f"Patch number {at}", f"reason {at}") for at in range(1, patches + 1)]
    return _page(
        changed,
        series,
        findings=tuple(
            finding(
                f"finding {at}",
                rule=("VC101", "VC239")[at % 2],
                severity=list(Severity)[at % 3],
                upstream="up",
                detail="@@ -1 +1 @@",
            )
            for at in range(60)
        ),
        drift={"upstreams": {"up": _drift(series)}},
        objects=[
            ["rmsnorm", target, f"f16-{size}", 4096 + size, 32 + size // 64, size, size // 4096]
            for target in ("gfx90a", "gfx942", "gfx950")
            for size in (512, 1024, 2048, 4096, 8192)
        ],
        tests={
            "bins": [0.0, 0.01, 0.1, 0.5, 1.0],
            "summary": [
                {
                    "operation": name,
                    "target": "gfx942",
                    "objects": 5,
                    "passed": passed,
                    "worst": 0.4,
                    "coverage": 0.93,
                    "histogram": [900, 4000, 900, 20, 3, 5 - passed],
                }
                for name, passed in (("rmsnorm", 5), ("softmax", 4))
            ],
        },
    )


def hostile_page() -> PageData:
    """Every text that comes from an upstream, a patch or a finding tries to become more than text."""
    changed = [difference(text, title=text, text=text) for text in HOSTILE]
    series = [{**patch(1, text, text), "file": text, "origin": text, "forwarded": text} for text in HOSTILE]
    commit: dict[str, Json] = {
        "commit": HOSTILE[0],
        "date": "2026-01-02T00:00:00Z",
        "author": HOSTILE[1],
        "subject": HOSTILE[0],
        "pull_request": None,
        "paths": [HOSTILE[0]],
    }
    drift = _drift([]) | {"commits": [commit], "against": HOSTILE[0]}
    found = tuple(
        finding(text, location=None, upstream=text, hint=text, detail=text, severity=Severity.ERROR) for text in HOSTILE
    )
    return _page(
        changed,
        series,
        findings=found,
        drift={"upstreams": {"up": drift}},
        objects=[[HOSTILE[0], HOSTILE[0], HOSTILE[0], 1, 2, 3, 4]],
        tests={},
    )


def _page(
    changed: list[dict[str, Json]],
    series: list[dict[str, Json]],
    *,
    findings: tuple[Finding, ...],
    drift: dict[str, Json],
    objects: list[list[Json]],
    tests: dict[str, Json],
    strings: dict[str, Json] | None = None,
) -> PageData:
    title = HOSTILE[0] if not tests else "Vendored code of a sample"
    return PageData(
        title=title,
        findings=findings,
        overview=[
            {
                "name": "up",
                "pin": "v1 111111111111",
                "age": "120 days",
                "behind": 42,
                "differ": len(changed),
                "patches": len(series),
                "errors": 20,
                "next": "`vendorctl sync --pin up=main` moves it",
                "trouble": None,
            },
            {
                "name": "other",
                "pin": "222222222222",
                "age": "not known",
                "behind": "not known",
                "differ": "not restored",
                "patches": "",
                "errors": 0,
                "next": "run `vendorctl status --fetch`",
                "trouble": title,
            },
        ],
        differences=differences(changed, series),
        strings=strings or {},
        drift=drift,
        audit={"upstreams": [{"name": "up", "declared": "MIT", "expressions": {"MIT": 7, "unknown": 1}}]},
        objects=objects,
        tests=tests,
        documents=[{"path": "sbom/a b.json", "href": "../sbom/a b.json"}],
        dates={f"up/{row['file']}": "Thu, 1 Jan 2026 00:00:00 +0000" for row in series},
    )


def _file(at: int, number: int) -> dict[str, Json]:
    made = difference(f"kernels/part_{at % 40}/file_{at}.py", number=number, title=f"Patch number {number}")
    context: list[Json] = [
        {"sign": " ", "text": f"    value_{row} = compute({row}, 'text')  # step\n", "patch": 0}
        for row in range(_LINES)
    ]
    hunks = made["hunks"]
    assert isinstance(hunks, list)
    for hunk in hunks:
        hunk["lines"] = [*context, *hunk["lines"]]
    return made


def _drift(series: list[dict[str, Json]]) -> dict[str, Json]:
    commits: list[Json] = [
        {
            "commit": f"{at:040x}",
            "date": f"2026-{at % 9 + 1:02}-{at % 27 + 1:02}T00:00:00Z",
            "author": "Ada",
            "subject": f"Change {at}",
            "pull_request": at,
            "paths": ["kernels/a.py"],
        }
        for at in range(1, 43)
    ]
    health: list[Json] = [{"file": row["file"], "health": _HEALTHS[at % 5]} for at, row in enumerate(series)]
    changed: Json = {"path": "kernels/a.py", "kind": "modified", "added": 3, "removed": 1, "semantic": True}
    assert isinstance(changed, dict)
    return {
        "behind": 60,
        "against": "main",
        "pin_date": "2026-01-01T00:00:00Z",
        "tip_date": "2026-10-01T00:00:00Z",
        "commits": commits,
        "files": [{**changed, "symbols": [{"name": "forward", "change": "semantic"}]}],
        "patches": health,
    }
