# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The workers of a run: who is there, who can do the job, who cannot and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.executor.cluster import node
from vendorctl.kernels.executor.cluster.link import Link
from vendorctl.kernels.executor.cluster.node import Facts

_SHOWN = 3


class Crew:
    """Workers by address. Each is asked once what it has; one that cannot do the job is never given any of it."""

    def __init__(self, link: Link, ask: Callable[[], Sequence[str]], say: Callable[[str], object]) -> None:
        """`ask` is a job's `faults`; `say` hears of workers that are refused."""
        self._link, self._ask, self._say = link, ask, say
        self._threads: dict[str, int] = {}
        self._facts: dict[str, Facts] = {}

    def meet(self, threads: Mapping[str, int]) -> bool:
        """Take note of who is there now; True when somebody new can do the job.

        Raises VendorError (exit code 7) when there are workers, and none of them can.
        """
        self._threads = dict(threads)
        new = [address for address in threads if address not in self._facts]
        for address, answer in self._link.ask(new, node.introduce, self._ask).items():
            if not isinstance(answer, OSError):  # it went away while it was asked
                self._facts[address] = _facts(answer)
        self._tell(address for address in new if address in self.refused)
        return any(address in self.sound for address in new)

    def lost(self, threads: Mapping[str, int]) -> list[str]:
        """Workers that were there, and are not among those of `threads`."""
        return [address for address in self._threads if address not in threads]

    def refuse(self, address: str, faults: Sequence[str]) -> None:
        """A worker says, when it is about to work, that it cannot do the job after all."""
        known = self._facts.get(address)
        if known is None or known.faults != tuple(faults):
            self._facts[address] = Facts(faults=tuple(faults), confined=True)
            self._tell([address])

    @property
    def sound(self) -> list[str]:
        """Workers that are there and can do the job."""
        return [address for address in self._threads if address in self._facts and not self._facts[address].faults]

    @property
    def refused(self) -> list[str]:
        """Workers that are there and cannot."""
        return [address for address in self._threads if address in self._facts and self._facts[address].faults]

    @property
    def places(self) -> int:
        """Threads of those that can."""
        return sum(self._threads[address] for address in self.sound)

    @property
    def unconfined(self) -> set[str]:
        """Workers, also those that left, that can do the job but cannot keep recipes from writing anywhere."""
        return {address for address, facts in self._facts.items() if not facts.faults and not facts.confined}

    def _tell(self, refused: Iterable[str]) -> None:
        """Say who is not used; raise VendorError when that is everybody."""
        if self._threads and len(self.refused) == len(self._threads):
            raise self._nobody()
        for address in refused:
            self._say(f"worker {address} is not used: {'; '.join(self._facts[address].faults)}")

    def _nobody(self) -> VendorError:
        reasons = [f"{address}: {'; '.join(self._facts[address].faults)}" for address in self.refused]
        more = f" | and {len(reasons) - _SHOWN} more" if len(reasons) > _SHOWN else ""
        return VendorError(
            f"no worker of {self._link.spec} can do this: {' | '.join(reasons[:_SHOWN])}{more}",
            hint="install the same vendorctl and the same tools on the workers as here",
            code=ExitCode.TOOL_MISSING,
        )


def _facts(answer: object) -> Facts:
    if isinstance(answer, Facts):
        return answer
    if isinstance(answer, ImportError) or "No module named" in str(answer):  # it cannot even read the question
        fault = f"it has no vendorctl that this one could talk to ({answer})"
    else:
        fault = f"it cannot say what it has: {type(answer).__name__}: {answer}"
    return Facts(faults=(fault,), confined=True)
