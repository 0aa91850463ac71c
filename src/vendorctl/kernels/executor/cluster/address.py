# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What `--executor` may say: `local`, or where the scheduler of a Dask cluster is.

    dask://HOST:PORT              TCP
    dask+tls://HOST:PORT          another protocol of Dask's: tls, ws, wss, ucx
    dask+file:///PATH/FILE.json   the file that the scheduler writes with --scheduler-file
    dask                          wherever Dask's own configuration says (DASK_SCHEDULER_ADDRESS)

Certificates, timeouts and everything else come from Dask's own configuration.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError

_SPEC = re.compile(r"dask(?:\+(?P<protocol>[a-z]+))?://(?P<rest>\S+)\Z")
_PROTOCOLS = ("tcp", "tls", "ws", "wss", "ucx")
_PORT = re.compile(r"\S+:\d{1,5}/?\Z")


@dataclass(frozen=True, slots=True)
class Address:
    """A scheduler: its address as Dask writes it, or the file that holds it; neither: Dask's configuration knows."""

    spec: str
    scheduler: str | None = None
    file: Path | None = None


def parse_address(spec: str) -> Address:
    """The address that `spec` names. Raises VendorError (exit code 2) for anything else."""
    if spec == "dask":
        return Address(spec)
    match = _SPEC.match(spec)
    if match is not None:
        protocol, rest = match["protocol"] or "tcp", match["rest"]
        if protocol == "file" and rest.startswith("/"):
            return Address(spec, file=Path(rest))
        if protocol in _PROTOCOLS and _PORT.match(rest):
            return Address(spec, scheduler=f"{protocol}://{rest.rstrip('/')}")
    raise VendorError(
        f"unknown executor {spec!r}",
        hint="use `local`, `dask://HOST:PORT`, `dask+tls://HOST:PORT`, `dask+file:///PATH/FILE.json`, or `dask`",
        code=ExitCode.USAGE,
    )
