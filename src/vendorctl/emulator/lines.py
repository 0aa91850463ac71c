# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Source lines of instructions, where an object carries DWARF line information."""

from __future__ import annotations

import bisect
import io
from dataclasses import dataclass

from vendorctl.emulator.elf import Elf


@dataclass(frozen=True, slots=True)
class LineTable:
    """Image addresses, sorted, and the source place that starts at each."""

    addresses: tuple[int, ...]
    places: tuple[tuple[str, int], ...]

    def find(self, address: int) -> tuple[str, int] | None:
        """(file, line) of the instruction at image address `address`, or None."""
        at = bisect.bisect_right(self.addresses, address) - 1
        if at < 0 or self.places[at][1] == 0:
            return None
        return self.places[at]


def read_lines(data: bytes, elf: Elf) -> LineTable | None:
    """The object's line table, or None when it has none or when it cannot be read: lines are only an aid to people."""
    if elf.section(".debug_line") is None:
        return None
    from elftools.common.exceptions import DWARFError, ELFError
    from elftools.elf.elffile import ELFFile

    try:
        return _read(ELFFile(io.BytesIO(data)))
    # The library raises whatever its parsing stumbles over when debug information is malformed.
    except (
        DWARFError,
        ELFError,
        ArithmeticError,
        AssertionError,
        AttributeError,
        LookupError,
        OSError,
        TypeError,
        ValueError,
    ):
        return None


def _read(elf: object) -> LineTable | None:
    rows: list[tuple[int, str, int]] = []
    dwarf = elf.get_dwarf_info()  # type: ignore[attr-defined]  # pyelftools has no types
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        files = program["file_entry"]
        first = 0 if program["version"] >= 5 else 1
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            name = files[state.file - first].name.decode("utf-8", "replace")
            rows.append((state.address, name, 0 if state.end_sequence else state.line))
    if not rows:
        return None
    rows.sort(key=lambda row: row[0])
    return LineTable(tuple(row[0] for row in rows), tuple((row[1], row[2]) for row in rows))
