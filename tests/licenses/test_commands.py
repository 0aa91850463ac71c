# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The commands over a real upstream: sync, licenses, sbom, audit, and a bump that brings another licence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.licensed_workspace import header
from support.repo import repo
from vendorctl.licenses.texts import shipped

APACHE = shipped("Apache-2.0") or b""


def vendorctl(root: Path, *arguments: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "vendorctl", "-C", str(root), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout + done.stderr


def document(root: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    code, text = vendorctl(root, *arguments, "--format", "json")
    value = json.loads(text)
    assert isinstance(value, dict)
    return code, value


def test_from_sync_to_a_denied_licence(workspace: Path, tmp_path: Path) -> None:
    upstream = repo(
        tmp_path / "up",
        {"LICENSE": APACHE, "k/a.py": header() + "a = 1\n", "k/data.csv": "1\n", "REUSE.toml": reuse_toml()},
        {"k/g.py": header("GPL-3.0-only") + "g = 1\n", "NOTICE": "Notice\n"},
    )
    upstream.tag("v1", upstream.commits[0])
    upstream.tag("v2", upstream.commits[1])
    assert vendorctl(workspace, "init")[0] == 0
    url, globs = f"file://{upstream.path}", ("--include", "k/**", "--include", "/LICENSE")
    assert vendorctl(workspace, "add", "up", url, "--ref", "v1", *globs)[0] == 0
    assert vendorctl(workspace, "sync")[0] == 0

    assert vendorctl(workspace, "licenses", "--check")[0] == 1
    assert vendorctl(workspace, "licenses")[0] == 0
    assert vendorctl(workspace, "sbom")[0] == 0
    code, report = document(workspace, "audit")
    assert (code, [each["rule"] for each in report["findings"]]) == (0, ["VC451"])
    assert report["schema"] == "vendorctl/audit/1"
    assert report["upstreams"][0]["expressions"] == {"Apache-2.0": 1, "MIT": 1}

    code, text = vendorctl(workspace, "sync", "--pin", "up=v2")
    assert code == 0 and "VC440" in text
    code, report = document(workspace, "audit", "--no-second-opinion")
    found = {(each["rule"], each["severity"]) for each in report["findings"]}
    assert code == 1
    assert {("VC405", "error"), ("VC413", "error"), ("VC430", "error")} <= found


def reuse_toml() -> str:
    return (
        'version = 1\n\n[[annotations]]\npath = "**/*.csv"\n'
        "SPDX-License" + '-Identifier = "MIT"\nSPDX-FileCopyright' + 'Text = "2026 Data people"\n'
    )
