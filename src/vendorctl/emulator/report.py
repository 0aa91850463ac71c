# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a launch reports: what was executed, and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from vendorctl.emulator.findings import Fault, Hazard
from vendorctl.emulator.schedule import Schedule
from vendorctl.errors import ExitCode, VendorError


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """One launch. `instructions` counts every instruction once per wave that executed it, `opcodes` by mnemonic.

    `covered` holds the image addresses of the instructions that were executed. A launch with a `fault` did not
    finish; what it wrote before is in memory.
    """

    kernel: str
    schedule: Schedule
    instructions: int
    opcodes: Mapping[str, int] = field(repr=False)
    covered: frozenset[int] = field(repr=False)
    fault: Fault | None = None
    hazards: tuple[Hazard, ...] = ()

    @property
    def ok(self) -> bool:
        """True when the kernel ended by itself and nothing was found."""
        return self.fault is None and not self.hazards

    @property
    def findings(self) -> tuple[Fault | Hazard, ...]:
        """The fault, if there is one, and all hazards."""
        return ((self.fault,) if self.fault else ()) + self.hazards

    def require(self) -> RunReport:
        """This report. Raises VendorError (exit code 6) with the findings unless it is `ok`."""
        if self.ok:
            return self
        shown = "; ".join(str(finding) for finding in self.findings[:3])
        raise VendorError(
            f"kernel {self.kernel} under the {self.schedule} schedule: {shown}", code=ExitCode.BUILD_FAILED
        )
