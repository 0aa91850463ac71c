# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A real Dask cluster on loopback: a scheduler and workers, each a process of its own that a test may kill."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import distributed

from vendorctl import proc

_TESTS = Path(__file__).parents[1]


@dataclass
class Cluster:
    """Processes of one cluster; files lie below `folder`."""

    folder: Path
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def scheduler_file(self) -> Path:
        return self.folder / "scheduler.json"

    @property
    def spec(self) -> str:
        """What `--executor` is given."""
        return f"dask+file://{self.scheduler_file}"

    @property
    def address(self) -> str:
        import json

        return str(json.loads(self.scheduler_file.read_text())["address"])

    def start_scheduler(self) -> None:
        self._start("scheduler", "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file",
                    str(self.scheduler_file))  # fmt: skip
        _until(lambda: self.scheduler_file.is_file() and self.scheduler_file.stat().st_size > 0)

    def start_worker(
        self,
        name: str,
        *,
        threads: int = 1,
        environment: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        """`options` are Python's own."""
        self._start(name, "dask_worker", self.address, "--name", name, "--nthreads", str(threads), "--no-nanny",
                    "--local-directory", str(self.folder / name), environment=environment, options=options)  # fmt: skip

    def wait_for_workers(self, count: int) -> dict[str, str]:
        """Address by name, once there are `count` of them."""
        with distributed.Client(self.address, set_as_default=False) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(count, timeout=120)
            found = client.scheduler_info(n_workers=-1)["workers"]
        return {facts["name"]: address for address, facts in found.items()}

    def kill(self, name: str) -> None:
        """End a process as a power cut would."""
        process = self.processes.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text("utf-8", "replace")

    def close(self) -> None:
        for process in self.processes.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        for process in self.processes.values():
            process.wait()
        self.processes.clear()

    def _start(
        self,
        name: str,
        module: str,
        *words: str,
        environment: Mapping[str, str] | None = None,
        options: Sequence[str] = (),
    ) -> None:
        path = os.pathsep.join(filter(None, [str(_TESTS), os.environ.get("PYTHONPATH", "")]))
        with (self.folder / f"{name}.log").open("wb") as log:
            self.processes[name] = proc.start(
                [sys.executable, *options, "-m", f"distributed.cli.{module}", *words, "--no-dashboard"],
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": path, **(environment or {})},
                stderr=log,
            )


def _until(condition: object, seconds: float = 120.0) -> None:
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the cluster did not start"
        time.sleep(0.05)
