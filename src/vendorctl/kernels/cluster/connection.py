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

from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.cluster.address import Address
from vendorctl.kernels.cluster.executor import ClusterExecutor
from vendorctl.kernels.cluster.link import Link
from vendorctl.kernels.cluster.run import Patience

#: Packages whose versions decide whether client, scheduler and workers understand each other.
_MATTERING = ("python", "dask", "distributed", "msgpack", "cloudpickle")


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
    known = address.scheduler or (None if address.file else _configured())
    if known is None and not (address.file and address.file.is_file()):
        what = (
            f"there is no scheduler file {address.file}" if address.file else "Dask's configuration names no scheduler"
        )
        raise VendorError(
            what,
            hint="set DASK_SCHEDULER_ADDRESS, or use --executor dask://HOST:PORT",
            code=ExitCode.TOOL_MISSING,
        )
    where = {"address": known} if known else {"scheduler_file": str(address.file)}
    with _quiet():
        try:
            client: Any = distributed.Client(**where, timeout=patience.connect, set_as_default=False)  # type: ignore[no-untyped-call]
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


def _configured() -> str | None:
    import dask.config

    found = dask.config.get("scheduler-address", None)
    return str(found) if found else None


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
