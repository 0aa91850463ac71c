# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Licence facts of many files, side by side with `reuse lint` of the same files; and the documents made of them.

Our scan reads the same headers; `reuse lint` also looks for licence texts and bad expressions. `reuse` uses every
processor, our scan one, so seconds of processor are shown too.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import peers
from benchmarks.results import Result, Table
from benchmarks.suite import PYTHON, in_place, run
from benchmarks.timing import Subject, in_turn
from benchmarks.workspaces import VENDORCTL, Made, Size, call, make

OURS = "our scan"

_SCAN = """
import os, sys
from pathlib import Path
from vendorctl.licenses.facts import scan
files = [path for path in Path().rglob("*.py")]
found = sum(bool(scan(os.fsencode(path), path.read_bytes()).expressions) for path in files)
sys.exit(0 if found == len(files) else "not every file has a licence")
"""


def measure(scratch: Path, *, quick: bool) -> Result:
    made = make(scratch / "ws", Size(files=30 if quick else 5_000, patches=2))
    folder = made.root / "vendored/up0"
    subjects = [Subject(name=OURS, command=[PYTHON, "-c", _SCAN], prepare=lambda: folder, environment=made.env)]
    program = peers.find("reuse")
    subjects += [_reuse(made, folder, program)] if program else []
    scans = in_turn(subjects, 1 if quick else 2, warm=not quick)
    for words in (["licenses"], ["sbom"]):
        call(*VENDORCTL, "-q", *words, cwd=made.root, env=made.env)
    documents = [in_place("vendorctl licenses --check", made, "licenses", "--check"),
                 in_place("vendorctl sbom --check", made, "sbom", "--check"),
                 in_place("vendorctl verify, with these documents", made, "verify")]  # fmt: skip
    return Result(
        size={"files": made.size.files},
        tables={
            "scan": Table(rows=tuple(scans), base=OURS),
            "documents": Table(rows=tuple(in_turn(documents, 1 if quick else 3, warm=not quick))),
        },
        not_measured=peers.missing("reuse"),
    )


def _reuse(made: Made, folder: Path, program: str) -> Subject:
    # Exit code 1: there is no folder LICENSES beside the files, which costs a look and changes nothing else.
    command = [program, "--root", ".", "lint", "--json"]
    subject = Subject(name="reuse lint", command=command, prepare=lambda: folder, environment=made.env)
    return replace(subject, accept=frozenset({0, 1}))


if __name__ == "__main__":
    run(measure, __doc__)
