# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m fuzz`: hunt for faults, or replay one input."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

_BUILD = Path("build/fuzz")


def main() -> int:
    """The command line. Returns 1 when a target has crashes."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    hunting = commands.add_parser("hunt", help="explore targets (all of them by default)")
    hunting.add_argument("targets", nargs="*")
    hunting.add_argument("--seconds", type=int, default=60, help="processor time for each target (default: 60)")
    hunting.add_argument("--jobs", type=int, default=1, help="how many at a time (default: 1)")
    replaying = commands.add_parser("replay", help="give one saved input to a target, and show what escapes")
    replaying.add_argument("target")
    replaying.add_argument("file", type=Path)
    exploring = commands.add_parser("explore", help="what `hunt` starts for each target")
    exploring.add_argument("target")
    exploring.add_argument("folder", type=Path)
    exploring.add_argument("seconds", type=int)
    exploring.add_argument("seed", type=int)
    words = parser.parse_args()
    if words.command == "explore":
        # Before anything else is imported: only what is imported there is instrumented.
        from fuzz.explore import explore

        explore(words.target, words.folder, words.seconds, words.seed)
    elif words.command == "replay":
        return _replay(words.target, words.file)
    return _hunt(words.targets, words.seconds, words.jobs)


def _hunt(names: list[str], seconds: int, jobs: int) -> int:
    from fuzz.hunt import hunt
    from fuzz.registry import TARGETS, find

    for name in names:
        find(name)
    return int(any(explored.crashes for explored in hunt(names or list(TARGETS), _BUILD, seconds, jobs)))


def _replay(name: str, file: Path) -> int:
    from fuzz.hunt import say
    from fuzz.registry import find
    from fuzz.target import attempt

    taken = attempt(find(name), file.read_bytes())
    say("taken" if taken else "refused, as promised")
    return 0


if __name__ == "__main__":
    sys.exit(main())
