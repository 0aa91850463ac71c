# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Upstream URLs as people write them: which are allowed, what a relative one means, how to show one."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from vendorctl.errors import Location, VendorError
from vendorctl.git.program import PROTOCOLS

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
#: ``[user@]host:path``, which git takes for ssh; a colon after a slash belongs to a path instead.
_SCP_LIKE = re.compile(r"[^/:\s]+:(?!:).*")
#: ``transport::address`` makes git run a helper program of that name.
_HELPER = re.compile(r"[A-Za-z0-9]+::")
#: Up to the last ``@`` before the path: a password may hold one.
_CREDENTIALS = re.compile(r"(?<=://)[^/\s]*@")
#: Characters of a URL's last part that the name of its folder repeats.
_LONGEST_STEM = 100
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def absolute_url(url: str, base: Path, *, location: Location | None = None) -> str:
    """The URL that git is given: as written when it has a scheme or a host, else a path made absolute from `base`.

    Raises VendorError (exit code 3) for what git would read as an option or a program to run, for transports other
    than https, ssh and file, and for control characters.
    """
    if not url or _CONTROL.search(url):
        raise VendorError(f"not a usable URL: {url!r}", location=location)
    if url.startswith("-") or _HELPER.match(url):
        raise VendorError(
            f"git would take {url!r} for an option or a program to run",
            hint="use an https, ssh or file URL, or a path (./name)",
            location=location,
        )
    scheme = _SCHEME.match(url)
    if scheme:
        if scheme[1].lower() not in PROTOCOLS:
            raise VendorError(
                f"the transport {scheme[1]!r} of {redacted(url)} is not allowed",
                hint=f"use one of: {', '.join(PROTOCOLS)}",
                location=location,
            )
        return url
    if _SCP_LIKE.fullmatch(url):
        return url
    return os.path.normpath(base / url)


def redacted(url: str) -> str:
    """The URL without user name, password or token, for messages and logs."""
    return _CREDENTIALS.sub("", url)


def folder_name(url: str) -> str:
    """A file name for what belongs to an absolute URL: readable, and different for different URLs."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", redacted(url).rstrip("/").removesuffix(".git").rpartition("/")[2])
    digest = hashlib.sha256(url.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return f"{stem.strip('.-')[:_LONGEST_STEM] or 'upstream'}-{digest}"


def local_folder(effective_url: str) -> Path | None:
    """The folder on this machine that git would read for a URL after ``insteadOf``, or None for any other."""
    path = effective_url.removeprefix("file://")
    return Path(path) if path.startswith("/") and Path(path).is_dir() else None
