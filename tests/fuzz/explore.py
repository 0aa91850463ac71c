# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One target explored by atheris, in a process of its own: inputs that reach new code are kept and changed further.

A fault does not end the search: the first input of each kind of fault is saved with its traceback, and the rest of the
time is spent looking for others.
"""

from __future__ import annotations

import importlib
import random
import resource
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fuzz.target import Target

#: Memory of one process: what asks for more gets a MemoryError, which no reader promises.
_MEMORY = 4 << 30
#: How much slower code is that counts its own steps.
_PATIENCE = 6.0


def explore(name: str, folder: Path, seconds: int, seed: int) -> None:
    """Look for faults of one target for `seconds`; corpus and crashes live below `folder`. Ends the process."""
    atheris: Any = importlib.import_module("atheris")
    with atheris.instrument_imports(include=["vendorctl", "fuzz.registry"]):
        from fuzz.registry import find
    from fuzz.target import seeds_of

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    target = find(name)
    corpus, crashes = folder / "corpus", folder / "crashes"
    for place in (corpus, crashes):
        place.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(seeds_of(target)):
        (corpus / f"seed-{number}").write_bytes(data[: target.longest])
    options: dict[str, object] = {
        "max_total_time": seconds, "max_len": target.longest, "timeout": int(target.seconds * _PATIENCE * 2) + 5,
        "rss_limit_mb": _MEMORY >> 20, "seed": seed, "print_final_stats": 1, "artifact_prefix": f"{crashes}/",
        # By the clock, which other processes run down as well; the probe counts processor time.
        "report_slow_units": 86_400,
    }  # fmt: skip
    if target.tokens:
        options["dict"] = folder / "words.dict"
        (folder / "words.dict").write_text("".join(f'"{_escaped(token)}"\n' for token in target.tokens))
    flags = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup([sys.argv[0], *flags, str(corpus)], _Probe(target, crashes), custom_mutator=_mutator(target, atheris))
    atheris.Fuzz()


class _Probe:
    """Gives inputs to the target and saves the first of each kind that does harm."""

    def __init__(self, target: Target, crashes: Path) -> None:
        self._target = target
        self._crashes = crashes

    def __call__(self, data: bytes) -> None:
        from fuzz.target import attempt

        try:
            attempt(self._target, data, patience=_PATIENCE)
        except Exception as error:  # noqa: BLE001 - finding whatever escapes is what this is for
            place = self._crashes / signature(error)
            if not place.exists():
                place.write_bytes(data)
                place.with_name(f"{place.name}.txt").write_text("".join(traceback.format_exception(error)))


def signature(error: Exception) -> str:
    """Kind and innermost place of a fault, as a file name: equal for inputs that do the same harm."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/vendorctl/" in frame.filename or "/fuzz/" in frame.filename] or frames
    last = ours[-1]
    return f"{type(error).__name__}-{Path(last.filename).stem}-{last.lineno}"


def _mutator(target: Target, atheris: Any) -> Any:
    """Half of libFuzzer's own changes, half of ours."""
    from fuzz.mutate import mutated, mutated_json
    from fuzz.target import seeds_of

    def change(data: bytes, limit: int, seed: int) -> bytes:
        numbers = random.Random(seed)
        kind = numbers.random()
        if kind < 0.5:
            return bytes(atheris.Mutate(data, limit))
        if target.is_json and kind < 0.85:
            return mutated_json(data, numbers)[:limit]
        return mutated(data, numbers, seeds_of(target), target.tokens)[:limit]

    return change


def _escaped(token: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in token)
