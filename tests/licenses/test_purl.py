# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Package URLs: what each kind of upstream URL becomes, read back by the reference implementation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from packageurl import PackageURL

from support.licensed_workspace import LicensedWorkspace, header
from vendorctl.licenses.purl import package_url, web_url

COMMIT = "a" * 40


@pytest.mark.parametrize(
    ("url", "purl", "web"),
    [
        ("https://github.com/ROCm/FlyDSL.git", f"pkg:github/rocm/flydsl@{COMMIT}", "https://github.com/ROCm/FlyDSL"),
        ("git@github.com:ROCm/FlyDSL.git", f"pkg:github/rocm/flydsl@{COMMIT}", "https://github.com/ROCm/FlyDSL"),
        ("ssh://git@github.com:22/ROCm/a", f"pkg:github/rocm/a@{COMMIT}", "https://github.com/ROCm/a"),
        ("https://bitbucket.org/A/b/", f"pkg:bitbucket/a/b@{COMMIT}", "https://bitbucket.org/A/b"),
        (
            "https://git.example.org/deep/er/Repo.git",
            f"pkg:generic/Repo@{COMMIT}?vcs_url=git%2Bhttps%3A%2F%2Fgit.example.org%2Fdeep%2Fer%2FRepo%40{COMMIT}",
            "https://git.example.org/deep/er/Repo",
        ),
        ("../up.git", f"pkg:generic/up@{COMMIT}", None),
        ("file:///srv/up.git", f"pkg:generic/up@{COMMIT}", None),
    ],
)
def test_urls(workspace: Path, url: str, purl: str, web: str | None) -> None:
    upstream = LicensedWorkspace(workspace, {"a.py": header()}).write().manifest.upstreams["up"]
    made = package_url(replace(upstream, url=url), COMMIT)
    assert made == purl
    assert web_url(url) == web
    parsed = PackageURL.from_string(made)
    assert parsed.version == COMMIT
    assert PackageURL.from_string(parsed.to_string()) == parsed
