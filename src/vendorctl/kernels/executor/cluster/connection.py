# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Opens a connection to a cluster, and says in a few seconds why that cannot be done."""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.executor.cluster.address import Address
from vendorctl.kernels.executor.cluster.executor import ClusterExecutor
from vendorctl.kernels.executor.cluster.link import Link
from vendorctl.kernels.executor.cluster.run import Patience

#: Packages whose versions decide whether client, scheduler and workers understand each other.
_MATTERING = ("python", "dask", "distributed", "msgpack", "cloudpickle")
_ENCRYPTED = ("tls", "wss")


def connect(address: Address, say: Callable[[str], object], patience: Patience | None = None) -> ClusterExecutor:
    """An executor on the cluster at `address`. `say` hears of versions that differ, and later of workers' fates.

    Raises VendorError (exit code 7) when `distributed` is not installed, or no scheduler answers.
    """
    patience = patience or Patience()
    try:
        import distributed
    except ImportError:
        raise VendorError(
            "a Dask executor needs the package distributed",
            hint="`pip install 'vendorctl[distributed]'`",
            code=ExitCode.TOOL_MISSING,
        ) from None
    known = _scheduler_of(address)
    security: Any = distributed.Security()  # type: ignore[no-untyped-call]
    if known.partition("://")[0] in _ENCRYPTED and security.get_connection_args("client").get("ssl_context") is None:
        raise VendorError(
            f"{address.spec} is encrypted, and Dask's configuration names no certificates",
            hint="set distributed.comm.tls.ca-file and distributed.comm.tls.client.cert",
            code=ExitCode.TOOL_MISSING,
        )
    with _quiet():
        try:
            client: Any = distributed.Client(known, timeout=patience.connect, set_as_default=False)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, RuntimeError) as error:  # refused, timed out, no such protocol, other certificates
            raise unreachable(address.spec, error) from error
        for line in version_differences(client.get_versions()):
            say(line)
    return ClusterExecutor(Link(client, address.spec), say, patience)


def unreachable(spec: str, error: BaseException) -> VendorError:
    """The error for a scheduler that does not answer."""
    reason = " ".join(str(error).split()) or type(error).__name__
    return VendorError(
        f"no Dask scheduler answers at {spec}: {reason}",
        hint="is it running, reachable from here, and of that protocol? `dask scheduler` prints its address",
        code=ExitCode.TOOL_MISSING,
    )


def version_differences(versions: Mapping[str, Any]) -> Iterator[str]:
    """One line for every process of the cluster whose packages differ from the client's where it matters."""
    mine = versions["client"]["packages"]
    others = {"the scheduler": versions["scheduler"], **versions["workers"]}
    for name, facts in others.items():
        theirs = (facts or {}).get("packages", {})
        found = [
            f"{package} {theirs.get(package)} (here {mine.get(package)})"
            for package in _MATTERING
            if _release(package, theirs.get(package)) != _release(package, mine.get(package))
        ]
        if found:
            yield f"warning: {name} has {', '.join(found)}; Dask may not understand itself"


def _release(package: str, version: object) -> str:
    """What has to be the same: of Python, the minor version."""
    text = str(version or "none")
    return ".".join(text.split(".")[:2]) if package == "python" else text


def _scheduler_of(address: Address) -> str:
    """The scheduler's address as Dask writes it. Raises VendorError (exit code 7) where none is written."""
    import dask.config

    if address.scheduler is not None:
        return address.scheduler
    if address.file is None:
        found = dask.config.get("scheduler-address", None)
        problem = "Dask's configuration names no scheduler"
    else:
        problem = f"{address.file} is no file of a scheduler"
        try:
            found = parse_json(address.file.read_bytes())["address"]
        except (OSError, ValueError, KeyError, TypeError):
            found = None
    if not isinstance(found, str) or not found:
        raise VendorError(
            problem, hint="use --executor dask://HOST:PORT, or see to that file or setting", code=ExitCode.TOOL_MISSING
        )
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """Without Dask's own words on versions and failed connections: ours say the same in one line."""
    logger = logging.getLogger("distributed")
    level = logger.level
    with warnings.catch_warnings(), contextlib.ExitStack() as stack:
        warnings.simplefilter("ignore")
        logger.setLevel(logging.CRITICAL)
        stack.callback(logger.setLevel, level)
        yield
