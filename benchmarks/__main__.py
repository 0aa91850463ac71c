# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m benchmarks [NAME...] [--json FILE]`: run the suite, each benchmark in a process of its own.

dfetch is installed into a venv under `build/` first, because it is a peer and no dependency. What cannot be measured is
said, and never counts for us.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PEERS = HERE.parent / "build" / "bench-peers"


def benchmarks() -> dict[str, Path]:
    """Name to script, in the order in which they run."""
    return {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}


def peer_programs() -> list[str]:
    """Options that name peers; installs them when they are not there yet."""
    program = PEERS / "bin" / "dfetch"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
        subprocess.run([str(PEERS / "bin" / "pip"), "install", "--quiet", "dfetch"], check=False)
    return ["--dfetch", str(program)] if program.exists() else []


def run(name: str, script: Path) -> Any:
    """One benchmark's JSON; a failure is shown where the result would be."""
    options = peer_programs() if name == "core" else []
    done = subprocess.run([sys.executable, str(script), *options], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.returncode}


def main() -> int:
    """Run what is asked for and print one JSON object."""
    known = benchmarks()
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(known)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the results there")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(known))
    if unknown:
        parser.error(f"no benchmark named {unknown[0]}; there are {', '.join(known)}")
    results = {}
    for name in options.names or known:
        print(f"{name} ...", file=sys.stderr)
        results[name] = run(name, known[name])
    text = json.dumps(results, indent=2, sort_keys=True) + "\n"
    if options.json:
        options.json.write_text(text)
    print(text, end="")
    return int(any(isinstance(value, dict) and "failed" in value for value in results.values()))


if __name__ == "__main__":
    sys.exit(main())
