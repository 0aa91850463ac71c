# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Package URLs of upstreams (ECMA-427): what names a component in SBOMs and vulnerability databases."""

from __future__ import annotations

import re
from urllib.parse import quote

from vendorctl.workspace.manifest import Upstream

#: Hosts with a purl type of their own, whose names are written in lower case.
_HOSTS = {"github.com": "github", "bitbucket.org": "bitbucket"}
_HTTPS = re.compile(r"(?:https|ssh)://(?:[^/@]*@)?(?P<host>[^/:]+)(?::\d+)?/(?P<path>.+)")
_SCP = re.compile(r"(?:[^/@]+@)?(?P<host>[^/:]+):(?P<path>[^/].*)")


def repository(url: str) -> tuple[str, str] | None:
    """Host and path of an https, ssh or scp-like URL, without ``.git``; None for folders on this machine."""
    found = _HTTPS.fullmatch(url) or (_SCP.fullmatch(url) if "://" not in url else None)
    if found is None:
        return None
    return found["host"].lower(), found["path"].strip("/").removesuffix(".git")


def web_url(url: str) -> str | None:
    """The https address of an upstream's repository, or None when it has none."""
    found = repository(url)
    return f"https://{found[0]}/{found[1]}" if found else None


def package_url(upstream: Upstream, commit: str) -> str:
    """The purl of an upstream at a full commit id.

    Forges without a purl type, and folders, become ``pkg:generic``; a forge's URL is kept as ``vcs_url``.
    """
    found = repository(upstream.url)
    if found is None:
        return f"pkg:generic/{quote(upstream.name, safe='')}@{commit}"
    host, path = found
    if host in _HOSTS and path.count("/") == 1:
        return f"pkg:{_HOSTS[host]}/{quote(path.lower(), safe='/')}@{commit}"
    vcs = quote(f"git+https://{host}/{path}@{commit}", safe="")
    return f"pkg:generic/{quote(path.rpartition('/')[2], safe='')}@{commit}?vcs_url={vcs}"
