# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What licence facts, audit and documents cost over many files, side by side with `reuse lint` on the same tree.

Makes `--files` Python modules of about nine kilobytes, most of them with a header, in a temporary folder, and a
workspace of the same files with one patch. Prints one JSON object. Times are seconds; `reuse` uses every processor,
vendorctl one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.licensed_workspace import Files, LicensedWorkspace, header
from vendorctl.licenses.bill import check_bills, publish_bills
from vendorctl.licenses.facts import scan
from vendorctl.licenses.publish import check_notices, publish_notices

_Result = TypeVar("_Result")
_EXPRESSIONS = ("Apache-2.0", "Apache-2.0", "Apache-2.0", "MIT", "BSD-3-Clause")


def timed(function: Callable[[], _Result]) -> tuple[float, _Result]:
    """Elapsed seconds of one run, and its result."""
    start = time.perf_counter()
    result = function()
    return round(time.perf_counter() - start, 3), result


def module(number: int) -> str:
    """A module with a header (one in forty without), functions, docstrings, and now and then a header in a string."""
    draw = random.Random(number)
    top = (
        "" if number % 40 == 0 else header(_EXPRESSIONS[number % 5], f"Copyright (c) 2025 The authors of {number % 50}")
    )
    template = f'TEMPLATE = """\n{header("ISC")}"""\n' if number % 10 == 0 else ""
    body = "".join(
        f'\n\ndef step_{index}(x, y):\n    """Return the sum of {index} terms."""\n'
        + "".join(f"    x = x * {draw.randrange(999)} + y  # keep\n" for _ in range(12))
        + "    return x\n"
        for index in range(20)
    )
    return top + template + body


def read_and_scan(folder: Path) -> int:
    """Read every file and its facts; how many of them state a licence."""
    found = 0
    for file in folder.rglob("*.py"):
        found += bool(scan(os.fsencode(file.relative_to(folder)), file.read_bytes()).expressions)
    return found


def reuse_lint(folder: Path) -> int:
    """Lint with reuse; how many files it finds licensed."""
    command = [sys.executable, "-m", "reuse", "--root", str(folder), "lint", "--json"]
    done = subprocess.run(command, capture_output=True, check=False)
    return int(json.loads(done.stdout)["summary"]["files_with_licensing_info"])


def lay_out(folder: Path, files: Files) -> None:
    for path, text in files.items():
        target = folder / str(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(str(text))


def workspace(root: Path, files: Files) -> LicensedWorkspace:
    """A workspace of these files with one patch."""
    path = next(iter(files))
    patched: Files = {**files, path: str(files[path]) + "\nEXTRA = 1\n"}
    made = LicensedWorkspace(root, files, (patched,), declared="Apache-2.0 AND MIT AND BSD-3-Clause")
    made.licenses = "  allow: [Apache-2.0, MIT, BSD-3-Clause]\n"
    return made.write()


def measure(count: int, scratch: Path) -> dict[str, object]:
    files: Files = {f"kernels/part{number // 100:03d}/module{number}.py": module(number) for number in range(count)}
    tree = scratch / "tree"
    lay_out(tree, files)
    ours, found = timed(lambda: read_and_scan(tree))
    theirs, known = timed(lambda: reuse_lint(tree))
    made = workspace(scratch / "workspace", files)
    audit, report = timed(made.audit)
    return {
        "files": count,
        "bytes": sum(len(str(text)) for text in files.values()),
        "processors": os.cpu_count(),
        "vendorctl": {"read and scan": ours, "files with a licence": found},
        "reuse lint": {"elapsed": theirs, "files with a licence": known},
        "ratio": round(theirs / ours, 1),
        "audit": {"elapsed": audit, "findings": len(report.findings)},
        "licenses": timed(lambda: publish_notices(made.root))[0],
        "licenses --check": timed(lambda: check_notices(made.root))[0],
        "sbom": timed(lambda: publish_bills(made.root))[0],
        "sbom --check": timed(lambda: check_bills(made.root))[0],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=10_000)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(measure(arguments.files, Path(scratch)), indent=2))


if __name__ == "__main__":
    main()
