# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reports to render: plain ones, huge ones, and ones whose every text tries to get out."""

from __future__ import annotations

from vendorctl.errors import Location
from vendorctl.model import Finding, Json, Report, Severity

#: Text that means something to a terminal, HTML, Markdown, workflow commands, XML or a forge.
HOSTILE = (
    "</script><script>window.owned=1</script><img src=x onerror=window.owned=1>",
    "::error file=x::owned\r\n::set-output name=a::b%0A##[error]owned",
    "```\n</details>\n# owned\n```` @octocat #1 GH-2 https://evil.example www.evil.example :tada: $x$",
    "[owned](https://evil.example) ![owned](https://evil.example/x.png) <b>owned</b> | cell | `code`",
    "\x1b[31mred\x07 \u202egnp.exe]]><failure/> &amp; \u2028 \udcff",
)


def finding(message: str = "wrong", **facts: object) -> Finding:
    """A finding of rule VC101 in ``vendored/up/a.py``."""
    known: dict[str, object] = {"rule": "VC101", "location": Location("vendored/up/a.py", 3), "upstream": "up"}
    return Finding(message=message, **(known | facts))  # type: ignore[arg-type]  # any field, by name


def report(*findings: Finding, **facts: object) -> Report:
    """A report of verify."""
    known: dict[str, object] = {"schema": "vendorctl/verify/1", "title": "verify"}
    return Report(findings=findings, **(known | facts))  # type: ignore[arg-type]  # any field, by name


def hostile_report() -> Report:
    """Every text of every finding tries to get out, and one finding has each severity."""
    found = [
        finding(
            text,
            location=Location(text.replace("\x00", ""), 1, 2),
            hint=text,
            detail=text,
            upstream=text,
            severity=list(Severity)[at % 3],
        )
        for at, text in enumerate(HOSTILE)
    ]
    return report(*found, notes=HOSTILE, lines=HOSTILE, counts={"files": 2})


def difference(path: str, *, number: int | None = 1, title: str = "A patch", text: str = "new") -> dict[str, Json]:
    """One file of a diff-upstream document: a line replaced by a patch, another added by patch 2."""
    by: list[Json] = [{"number": number, "title": title}, {"number": 2, "title": "Second"}]
    lines: list[Json] = [
        {"sign": " ", "text": "before\n", "patch": 0},
        {"sign": "-", "text": "old\n", "patch": number},
        {"sign": "+", "text": f"{text}\n", "patch": number},
        {"sign": "+", "text": "end", "patch": 2},
    ]
    hunk: Json = {"old_start": 1, "old_count": 2, "new_start": 1, "new_count": 3, "patches": by, "lines": lines}
    return {
        "path": path,
        "old_path": path,
        "kind": "modify",
        "old_mode": "100644",
        "new_mode": "100644",
        "binary": False,
        "patches": [],
        "unexplained": number is None,
        "hunks": [hunk],
    }


def patch(number: int, title: str, reason: str = "a reason") -> dict[str, Json]:
    """One patch of a diff-upstream document."""
    return {
        "number": number,
        "file": f"{number:04d}-patch.patch",
        "title": title,
        "reason": reason,
        "origin": "vendor",
        "forwarded": "no",
        "applied_upstream": "",
    }


def differences(files: list[dict[str, Json]], patches: list[dict[str, Json]], name: str = "up") -> dict[str, Json]:
    """The data of a diff-upstream report with one upstream."""
    facts: dict[str, Json] = {
        "commit": "1" * 40,
        "ref": "v1",
        "url": "https://example.org/up.git",
        "materialised": True,
        "files_changed": len(files),
        "lines_added": 2 * len(files),
        "lines_removed": len(files),
        "patches": list(patches),
        "files": list(files),
    }
    return {"against": "pin", "upstreams": {name: facts}}


def diff_report(files: list[dict[str, Json]], patches: list[dict[str, Json]]) -> Report:
    """A report of diff-upstream."""
    data = differences(files, patches)
    return Report(schema="vendorctl/diff-upstream/1", title="diff-upstream", data=data, lines=("everything",))
