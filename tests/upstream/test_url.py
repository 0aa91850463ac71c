# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which URLs are taken, what they mean, and what is shown of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from vendorctl.errors import ExitCode, VendorError
from vendorctl.upstream.cache import default_folder
from vendorctl.upstream.url import absolute_url, folder_name, local_folder, redacted

BASE = Path("/work space/ws")


@pytest.mark.parametrize(
    ("url", "meaning"),
    [
        ("https://example.org/a/b.git", "https://example.org/a/b.git"),
        ("ssh://git@example.org:22/a.git", "ssh://git@example.org:22/a.git"),
        ("file:///srv/a.git", "file:///srv/a.git"),
        ("git@example.org:a/b.git", "git@example.org:a/b.git"),
        ("example.org:a", "example.org:a"),
        ("/srv/a", "/srv/a"),
        ("../a", "/work space/a"),
        ("./a:b", "/work space/ws/a:b"),
        (".upstreams/x", "/work space/ws/.upstreams/x"),
    ],
)
def test_meaning(url: str, meaning: str) -> None:
    assert absolute_url(url, BASE) == meaning


@pytest.mark.parametrize(
    "url",
    [
        "",
        "--upload-pack=touch /tmp/x",
        "-oProxyCommand=x",
        "ext::sh -c true",
        "fd::3",
        "http://example.org/a",
        "git://example.org/a",
        "ftp://example.org/a",
        "https://example.org/a\nb",
        "a\0b",
        "HTTP+ext://x",
    ],
)
def test_refused(url: str) -> None:
    with pytest.raises(VendorError) as caught:
        absolute_url(url, BASE)
    assert caught.value.code is ExitCode.INVALID


def test_credentials_are_not_shown() -> None:
    url = "https://user:s3cret@example.org/a.git"
    assert redacted(url) == "https://example.org/a.git"
    assert "s3cret" not in folder_name(url)
    with pytest.raises(VendorError) as caught:
        absolute_url("ftp://user:s3cret@example.org/", BASE)
    assert "s3cret" not in str(caught.value)


def test_folder_names_are_readable_safe_and_different() -> None:
    names = [folder_name(url) for url in ("https://a.org/x/Fly.git", "https://b.org/x/Fly.git", "/", "x/../..")]
    assert len(set(names)) == len(names)
    assert names[0].startswith("Fly-")
    assert all("/" not in name and not name.startswith(".") for name in names)


def test_local_folders(tmp_path: Path) -> None:
    assert local_folder(str(tmp_path)) == tmp_path
    assert local_folder(f"file://{tmp_path}") == tmp_path
    assert local_folder(str(tmp_path / "absent")) is None
    assert local_folder("https://example.org/a") is None


def test_the_cache_follows_the_environment() -> None:
    assert default_folder({"VENDORCTL_CACHE": "/c", "XDG_CACHE_HOME": "/x"}) == Path("/c")
    assert default_folder({"XDG_CACHE_HOME": "/x"}) == Path("/x/vendorctl")
    assert default_folder({"XDG_CACHE_HOME": "x"}) == Path.home() / ".cache/vendorctl"
    assert default_folder({}) == Path.home() / ".cache/vendorctl"
