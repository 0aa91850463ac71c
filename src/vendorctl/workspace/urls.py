# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which URLs, refs and globs a manifest may name. Each check gives (message, hint), or None when all is well.

Git itself would accept more: transports that run programs, options in the place of hosts, passwords in the text.
"""

from __future__ import annotations

import re
from typing import TypeAlias
from urllib.parse import urlsplit

Refusal: TypeAlias = "tuple[str, str | None] | None"

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HELPER = re.compile(r"[A-Za-z0-9+.-]*::")
_SCP = re.compile(r"(?:(?P<user>[^/@:]+)@)?(?P<host>\[[0-9A-Fa-f:.]+\]|[^/:@\[\]]+):(?P<path>.*)")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_BAD_REF = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|/\.|\.lock(?:/|$)|^[-./]|[./]$")
_KINDS = "use https://…, ssh://…, user@host:path, file:///…, or a path relative to VENDOR.yaml"


def url_refusal(url: str) -> Refusal:
    """What is wrong with an upstream's URL."""
    if url.startswith("-"):
        return "a URL may not begin with '-', which git would read as an option", _KINDS
    if _HELPER.match(url):
        return "a URL may not name a remote helper (`name::…`), which runs a program", _KINDS
    if "\\" in url or any(char.isspace() for char in url):
        return "a URL may not contain backslashes or blanks", _KINDS
    scheme = _SCHEME.match(url)
    if scheme:
        return _with_scheme(scheme[1].lower(), url)
    if url.startswith("/"):
        return "an absolute path is not a URL", f"write `file://{url}`"
    scp = _SCP.fullmatch(url)
    if scp and "/" not in url[: scp.start("path") - 1]:
        return _scp_like(scp)
    return None


def _with_scheme(scheme: str, url: str) -> Refusal:
    if scheme in {"http", "git", "ftp", "ftps"}:
        return f"{scheme}:// is not protected against tampering on the way", "use https:// or ssh://"
    if scheme not in {"https", "ssh", "file"}:
        return f"{scheme}:// is not supported", _KINDS
    try:
        parts = urlsplit(url)
        _port = parts.port
    except ValueError as error:
        return f"not a valid URL: {error}", None
    if parts.query or parts.fragment:
        return "a repository URL has no query and no fragment", None
    if scheme == "file":
        return (
            None if parts.netloc in {"", "localhost"} and len(parts.path) > 1 else ("file URLs are file:///path", None)
        )
    user, at, host = parts.netloc.rpartition("@")
    if at and (scheme == "https" or ":" in user):
        return "a URL may not contain credentials", "keep them in a git credential helper or an ssh agent"
    if at and not _USER.fullmatch(user):
        return "not a valid user name in the URL", None
    if not _HOST.fullmatch(re.sub(r":[0-9]+\Z", "", host)):
        return "not a valid host name in the URL", None
    if parts.path.strip("/") == "" or parts.path.startswith("/-"):
        return "the URL names no repository", None
    return None


def _scp_like(match: re.Match[str]) -> Refusal:
    if len(match["host"]) == 1:
        return "a drive letter is not a host", _KINDS
    if not _HOST.fullmatch(match["host"]) or (match["user"] and not _USER.fullmatch(match["user"])):
        return "not a valid user or host name in the URL", _KINDS
    if not match["path"] or match["path"].startswith(("-", ":")):
        return "the URL names no repository", _KINDS
    return None


def ref_refusal(ref: str) -> Refusal:
    """What is wrong with the name of a tag or branch (git-check-ref-format(1), and no leading '-')."""
    if _BAD_REF.search(ref) or ref == "@":
        return f"not a possible tag or branch name: {ref!r}", None
    return None


def glob_refusal(glob: str) -> Refusal:
    """What is wrong with an include or exclude glob."""
    if glob.startswith("!"):
        return "a glob may not begin with '!'", "put the glob without '!' under `exclude`"
    if glob.startswith((":", "-")):
        return f"a glob may not begin with {glob[0]!r}", None
    if ".." in glob.split("/"):
        return "a glob may not contain '..'", "globs are matched from the upstream's root"
    if not glob.strip("/"):
        return "the glob matches nothing", "use '**' for everything"
    return None


def cache_refusal(place: str) -> Refusal:
    """What is wrong with the folder or URL of a shared cache."""
    kinds = "use a folder, file:///…, s3://bucket/prefix, gs://bucket/prefix, or another URL of fsspec's"
    if "::" in place or place.startswith("-") or any(char.isspace() for char in place):
        return "a cache is one folder or URL, without blanks", kinds
    scheme = _SCHEME.match(place)
    if scheme is None:
        return None
    try:
        parts = urlsplit(place)
    except ValueError as error:
        return f"not a valid URL: {error}", None
    if "@" in parts.netloc:
        return "a URL in this file may not hold a name or password", "drivers take them from the environment"
    if parts.query or parts.fragment:
        return "the URL of a cache has no query and no fragment", None
    if scheme[1].lower() == "file" and (parts.netloc not in {"", "localhost"} or len(parts.path) < 2):
        return "file URLs are file:///path", None
    return None
