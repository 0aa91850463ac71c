# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Draws docs/images/report.svg from a real report: `python tools/picture.py`, or `make docs`.

The sample upstream is vendored into a temporary folder with its three patches, `vendorctl report` writes the page, and
what the page carries as JSON is drawn here: drift, patches with their health, and hunks with the patch that answers for
each line. The sample is the same everywhere, and nothing that depends on the day is drawn, so the picture is, too.
"""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from vendorctl.sample import edits

FILE = Path(__file__).parent.parent / "docs" / "images" / "report.svg"

_NAME = "minikernels"
_WIDTH, _MARGIN = 900, 28
_LINE = 18
_HEALTH = {"clean": "good", "moved": "good", "already-upstream": "note", "partly-upstream": "warn", "conflict": "bad"}
_STYLE = """\
  .back { fill: #fbfcfd } .panel { fill: #fff; stroke: #d9dee5 } .soft { fill: #56606d }
  text { fill: #1b2026; font: 14px system-ui, sans-serif } .small { font-size: 12px }
  .h1, .big { font-size: 22px; font-weight: 700 } .h2 { font-size: 16px; font-weight: 600 }
  .code { font: 12.5px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
  .good { fill: #1a7032 } .note { fill: #0b5cad } .warn { fill: #8a5300 } .bad { fill: #b3141b }
  .chip { fill: none } .chip.good { stroke: #1a7032 } .chip.note { stroke: #0b5cad }
  .chip.warn { stroke: #8a5300 } .chip.bad { stroke: #b3141b }
  .add { fill: #e2f6e6 } .del { fill: #fde7e7 } .axis { stroke: #56606d; fill: none }
  .line { fill: none; stroke: #3f7fbf; stroke-width: 2 } .area { fill: #dbe9f7 }
  .p1 { fill: #0b5cad } .p2 { fill: #11706b } .p3 { fill: #8a5300 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #111417 } .panel { fill: #191e22; stroke: #343b43 } text { fill: #e6e9ed } .soft { fill: #a3adb9 }
    .good { fill: #6fd38a } .note { fill: #79b8ff } .warn { fill: #f0b45b } .bad { fill: #ff8d8a }
    .chip { fill: none } .chip.good { stroke: #6fd38a } .chip.note { stroke: #79b8ff }
    .chip.warn { stroke: #f0b45b } .chip.bad { stroke: #ff8d8a }
    .add { fill: #15331d } .del { fill: #41201f } .axis { stroke: #a3adb9 }
    .line { stroke: #6aa5dd } .area { fill: #1b3147 }
    .p1 { fill: #79b8ff } .p2 { fill: #6fd3cb } .p3 { fill: #f0b45b }
  }
"""


def sample_report(folder: Path) -> dict[str, Any]:
    """The data of the report page of a workspace below `folder` that vendors the sample upstream with three patches."""
    root = folder / "workspace"
    root.mkdir()
    (folder / "home").mkdir()
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "HOME": str(folder / "home"),
        "VENDORCTL_CACHE": str(folder / "cache"),
        "SOURCE_DATE_EPOCH": "1764547200",
    }

    def run(*words: str) -> None:
        subprocess.run([sys.executable, "-m", *words], cwd=root, env=env, check=True, stdout=subprocess.DEVNULL)

    def vendorctl(*words: str) -> None:
        run("vendorctl", "-q", *words)

    run("vendorctl.sample", str(folder / f"{_NAME}.git"))
    vendorctl("init")
    files = ("--include", "minikernels/**", "--include", "LICENSE", "--include", "NOTICE")
    vendorctl("add", _NAME, f"../{_NAME}.git", "--ref", "v0.1.0", *files)
    vendorctl("sync")
    for edit in edits.all():
        for path, content in edit.files.items():
            (root / ".vendorctl/patched" / _NAME / path).write_bytes(content)
        vendorctl(
            "patch", "record", _NAME, "--title", edit.title, "--reason", edit.reason, "--forwarded", edit.forwarded,
            "--origin", edit.origin, "--author", "Dana Downstream <dana@downstream.example.org>",
        )  # fmt: skip
    for command in (["licenses"], ["sbom"], ["status", "--fetch"]):
        vendorctl(*command)
    vendorctl("report", "--html", str(folder / "page"))
    page = (folder / "page/index.html").read_text("utf-8")
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def draw(data: Mapping[str, Any]) -> str:
    """The picture: what a reviewer sees first on the page."""
    upstream, drift = data["differences"]["upstreams"][_NAME], data["drift"]["upstreams"][_NAME]
    parts = [*_head(data, upstream), *_drift(drift, 150), *_patches(upstream, drift, 150)]
    top = 336
    for file in upstream["files"]:
        drawn, top = _file(file, top)
        parts += drawn
    height = top + 8
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" aria-labelledby="t">\n'
        "<!-- SPDX-FileCopyrightText: 2026 The vendorctl authors\n     SPDX-License-Identifier: Apache-2.0\n"
        "     Drawn by tools/picture.py from a report of the sample; run `make docs`. -->\n"
        '<title id="t">A report: drift, patches, and changed lines with the patch that explains each</title>\n'
        f"<style>\n{_STYLE}</style>\n"
        f'<rect class="back" width="{_WIDTH}" height="{height}" rx="8"/>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, text: object, kind: str = "", anchor: str = "") -> str:
    more = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}" class="{kind}"{more}>{html.escape(str(text))}</text>'


def _head(data: Mapping[str, Any], upstream: Mapping[str, Any]) -> Iterator[str]:
    severities = [finding["severity"] for finding in data["findings"]]
    tiles = (
        (len(data["overview"]), "upstream", "upstreams", ""),
        (len(upstream["patches"]), "patch", "patches", ""),
        (upstream["files_changed"], "file differs", "files differ", ""),
        (severities.count("error"), "error", "errors", "bad" if "error" in severities else "good"),
        (severities.count("warning"), "warning", "warnings", "warn"),
    )
    yield _text(_MARGIN, 46, "Vendored code", "h1")
    for at, (count, one, several, kind) in enumerate(tiles):
        left = _MARGIN + at * 122
        yield f'<rect class="panel" x="{left}" y="64" width="112" height="62" rx="8"/>'
        yield _text(left + 14, 92, count, f"big {kind}")
        yield _text(left + 14, 114, one if count == 1 else several, "soft")


def _drift(drift: Mapping[str, Any], top: int) -> Iterator[str]:
    """Commits on vendored files since the pin, as a staircase."""
    left, right, bottom = _MARGIN + 30, 380, top + 140
    start, end = (datetime.fromisoformat(drift[key]).timestamp() for key in ("pin_date", "tip_date"))
    times = sorted(datetime.fromisoformat(commit["date"]).timestamp() for commit in drift["commits"])
    path = f"M{left},{bottom}"
    for count, time in enumerate(times, 1):
        x = left + (right - left) * (time - start) / (end - start)
        path += f"H{x:.1f}V{bottom - 96 * count / len(times):.1f}"
    path += f"H{right}"
    yield _text(_MARGIN, top + 8, f"{drift['behind']} commits behind {drift['against']}", "h2")
    yield f'<path class="area" d="{path}V{bottom}H{left}Z"/><path class="line" d="{path}"/>'
    yield f'<path class="axis" d="M{left},{bottom - 104}V{bottom}H{right}"/>'
    yield _text(left - 8, bottom - 88, len(times), "soft", "end") + _text(left - 8, bottom + 4, 0, "soft", "end")
    yield _text(left, bottom + 18, drift["pin_date"][:10], "soft")
    yield _text(right, bottom + 18, drift["tip_date"][:10], "soft", "end")


def _patches(upstream: Mapping[str, Any], drift: Mapping[str, Any], top: int) -> Iterator[str]:
    """Number, title, health and reason of each patch."""
    left = 420
    health = {patch["file"]: patch["health"] for patch in drift["patches"]}
    yield _text(left, top + 8, "Patches, and what a bump would make of them", "h2")
    for at, patch in enumerate(upstream["patches"]):
        y, kind = top + 38 + at * 44, _HEALTH[health[patch["file"]]]
        yield _text(left, y, f"{patch['number']:04d}", f"code p{patch['number']}")
        yield _text(left + 42, y, _shortened(patch["title"], 36))
        yield f'<rect class="chip {kind}" x="{_WIDTH - _MARGIN - 120}" y="{y - 14}" width="120" height="19" rx="9"/>'
        yield _text(_WIDTH - _MARGIN - 60, y, health[patch["file"]], f"small {kind}", "middle")
        yield _text(left + 42, y + 18, _shortened(patch["reason"], 62), "soft small")


def _file(file: Mapping[str, Any], top: int) -> tuple[list[str], int]:
    """The first hunk of a file, and where it ends."""
    hunk = file["hunks"][0]
    lines = hunk["lines"][:9]
    wide, high = _WIDTH - 2 * _MARGIN, len(lines) * _LINE + 12
    parts = [
        _text(_MARGIN, top + 12, file["path"], "h2"),
        f'<rect class="panel" x="{_MARGIN}" y="{top + 24}" width="{wide}" height="{high}" rx="6"/>',
    ]
    for at, (number, line) in enumerate(zip(_numbers(hunk), lines, strict=False)):
        y = top + 44 + at * _LINE
        if kind := {"+": "add", "-": "del"}.get(line["sign"]):
            place = f'x="{_MARGIN + 92}" y="{y - 13}" width="{wide - 100}" height="{_LINE}"'
            parts.append(f'<rect class="{kind}" {place}/>')
            parts.append(_text(_MARGIN + 46, y, f"{line['patch']:04d}", f"code p{line['patch']}"))
        parts.append(_text(_MARGIN + 34, y, number, "code soft", "end"))
        parts.append(_text(_MARGIN + 98, y, line["sign"] + line["text"].rstrip(), "code"))
    return parts, top + 24 + high + 26


def _numbers(hunk: Mapping[str, Any]) -> Sequence[int]:
    """The number of each line: before the change for removed lines, after it for the others."""
    before, after, found = hunk["old_start"], hunk["new_start"], []
    for line in hunk["lines"]:
        found.append(before if line["sign"] == "-" else after)
        before += line["sign"] != "+"
        after += line["sign"] != "-"
    return found


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory(prefix="vendorctl-picture-") as folder:
        FILE.write_text(draw(sample_report(Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main()
