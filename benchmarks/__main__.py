# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks [NAME...] [--quick] [--json FILE]`: run the suite, each benchmark in a process of its own.

Peers that PyPI has are installed into a venv under `build/` first. What cannot be measured is said, and never counts
for us. `python -m benchmarks.page FILE` then writes the figures into the documentation.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import peers
from benchmarks.results import SCHEMA
from benchmarks.suite import machine

HERE = Path(__file__).parent
RESULTS = HERE.parent / "build" / "bench" / "results.json"


def benchmarks() -> dict[str, Path]:
    """Name to script, in the order in which they run."""
    return {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}


def run(script: Path, *options: str) -> dict[str, Any]:
    """One benchmark's JSON. A failure stands where the result would be."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, str(script), *options], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        return {"failed": done.returncode}
    result: dict[str, Any] = json.loads(done.stdout)
    return result | {"seconds": round(time.perf_counter() - start, 1)}


def parse(arguments: list[str] | None) -> argparse.Namespace:
    known = benchmarks()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(known)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: a smoke test, whose figures mean nothing")
    parser.add_argument("--json", type=Path, metavar="FILE", default=RESULTS, help=f"default: {RESULTS}")
    options = parser.parse_args(arguments)
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no benchmark named {unknown[0]}; there are {', '.join(known)}")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for and write one JSON file; results of other benchmarks that it holds are kept."""
    options = parse(arguments)
    if not options.quick:
        peers.install()
    kept = json.loads(options.json.read_text())["results"] if options.json.exists() and options.names else {}
    document = {
        "schema": SCHEMA,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "machine": machine(),
        "peers": peers.versions(),
        "quick": options.quick,
        "results": kept,
    }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    for name in options.names or benchmarks():
        print(f"{name} ...", file=sys.stderr, flush=True)
        kept[name] = run(benchmarks()[name], *(["--quick"] if options.quick else []))
        # After each, so that a run that is interrupted leaves what it has.
        options.json.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n")
    print(f"written: {options.json}", file=sys.stderr)
    return int(any("failed" in result for result in kept.values()))


if __name__ == "__main__":
    sys.exit(main())
