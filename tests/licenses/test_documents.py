# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Generated notices: what they say, that nothing in them can be misread, and that equal states give equal bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from support.licensed_workspace import OWNER, Files, LicensedWorkspace, header, rules
from support.repo import symlink
from vendorctl.errors import VendorError
from vendorctl.licenses.bill import check_bills, publish_bills
from vendorctl.licenses.documents import THIRD_PARTY
from vendorctl.licenses.publish import check_notices, publish_notices
from vendorctl.licenses.texts import shipped
from vendorctl.series.patch import Trailers

APACHE = shipped("Apache-2.0") or b""
PRISTINE: Files = {
    "LICENSE": APACHE,
    "NOTICE": "Notice of up\n```\nfenced\n````\nend\n",
    "a.py": header() + "x = 1\n",
    "m.py": header("MIT", "Copyright (c) 2024 M, `Inc.` <b>|") + "m = 1\n",
    "data.csv": header() + "1\n",
    "old.py": header() + "old = 1\n",
    "link": symlink("a.py"),
}
PATCHED: Files = {
    **{path: content for path, content in PRISTINE.items() if path != "old.py"},
    "a.py": header() + "x = 2\n",
    "data.csv": header() + "2\n",
    "ours.py": header("MIT", "Copyright (c) 2026 Us") + "o = 1\n",
    "moved.py": PRISTINE["m.py"],
}
del PATCHED["m.py"]


def made(root: Path, **options: object) -> LicensedWorkspace:
    workspace = LicensedWorkspace(root, PRISTINE, (PATCHED,), declared="Apache-2.0 AND MIT", **options)  # type: ignore[arg-type]  # keywords of a dataclass
    digest = workspace.sha256("data.csv")
    workspace.licenses = (
        "  allow: [Apache-2.0, MIT]\n  curations:\n"
        f"    - {{path: data.csv, sha256: {digest}, expression: Apache-2.0, reason: r, copyrights: [2019 D]}}\n"
    )
    return workspace


@pytest.fixture
def sample(workspace: Path) -> LicensedWorkspace:
    return made(workspace).published()


def page(workspace: LicensedWorkspace) -> str:
    return (workspace.root / THIRD_PARTY).read_text("utf-8")


def code_blocks(text: str) -> list[str]:
    return [token.content for token in MarkdownIt().parse(text) if token.type == "fence"]


def test_the_page_names_everything(sample: LicensedWorkspace) -> None:
    text = page(sample)
    for expected in (
        "https://github.com/Example/Up",
        f"- Commit: `{'11' * 20}`",
        f"`pkg:github/example/up@{'11' * 20}`",
        "- Licence: `Apache-2.0 AND MIT`",
        "- 0001 Change number 1 (a test)",
        "- `a.py`: 0001",
        "- `ours.py`: 0001",
        "- `old.py`: 0001",
        "2 files are under `Apache-2.0`.",
        "- `moved.py`",
    ):
        assert expected in text


def test_texts_and_notices_are_verbatim_and_stay_in_their_fences(sample: LicensedWorkspace) -> None:
    notices, up_notice, *texts = code_blocks(page(sample))
    lines = ["2019 D", "Copyright (c) 2024 M, `Inc.` <b>|", OWNER, "Copyright (c) 2026 Us"]
    assert notices.splitlines() == sorted(lines)
    assert up_notice == str(PRISTINE["NOTICE"])
    assert texts == [APACHE.decode().rstrip("\n") + "\n", (shipped("MIT") or b"").decode()]


def test_titles_and_paths_cannot_act_as_markdown_or_html(workspace: Path) -> None:
    title = "Use <script>alert(1)</script> [x](javascript:y) `code` | \u202egnp.exe ![i](u)"
    trailers = Trailers(origin="vendor", forwarded="no", reason="<img src=x> **bold** | end")
    sample = made(workspace, titles=(title,), trailers=trailers).published()
    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(page(sample))
    for forbidden in ("<script", "<img", "<a ", "<strong>", "\u202e"):
        assert forbidden not in html
    assert "&lt;script&gt;" in html


def test_writing_again_changes_nothing_and_check_agrees(sample: LicensedWorkspace) -> None:
    before = {path: path.stat().st_mtime_ns for path in sample.root.rglob("*") if path.is_file()}
    again = publish_notices(sample.root)
    assert again.counts["written"] == 0 and publish_bills(sample.root).counts["written"] == 0
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert check_notices(sample.root).ok and check_bills(sample.root).ok


def test_a_change_of_state_makes_every_document_stale(sample: LicensedWorkspace) -> None:
    (sample.root / "patches/up/series").write_text("")
    (sample.root / "patches/up/0001-change-number-1.patch").unlink()
    assert set(rules(check_notices(sample.root))) == {"VC430"}
    assert rules(check_bills(sample.root)) == ["VC433", "VC433"]


def test_generated_bytes_do_not_depend_on_the_machine(sample: LicensedWorkspace, tmp_path: Path) -> None:
    names = [THIRD_PARTY, "NOTICE", "licenses/MIT.txt", "sbom/vendored.cdx.json", "sbom/vendored.spdx.json"]
    expected = {name: (sample.root / name).read_bytes() for name in names}
    for name in names:
        (sample.root / name).unlink()
    home = tmp_path / "elsewhere"
    home.mkdir()
    (home / ".gitconfig").write_text("[diff]\n noprefix = true\n[core]\n autocrlf = true\n quotePath = false\n")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LC_ALL": "tr_TR.UTF-8",
        "LANG": "de_DE.ISO-8859-1",
        "TZ": "Asia/Kathmandu",
        "SOURCE_DATE_EPOCH": "1",
        "PYTHONHASHSEED": "7",
        "PYTHONUTF8": "0",
        "COLUMNS": "40",
    }
    for command in ("licenses", "sbom"):
        arguments = [sys.executable, "-m", "vendorctl", "-C", str(sample.root), command]
        subprocess.run(arguments, cwd=home, env=environment, check=True, capture_output=True)
    assert {name: (sample.root / name).read_bytes() for name in names} == expected


def test_export_copies_every_document(sample: LicensedWorkspace, tmp_path: Path) -> None:
    target = tmp_path / "share/doc/product"
    report = publish_notices(sample.root, export_to=target)
    found = sorted(path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file())
    assert found == report.data["documents"] == ["NOTICE", THIRD_PARTY, "licenses/Apache-2.0.txt", "licenses/MIT.txt"]
    assert (target / THIRD_PARTY).read_bytes() == (sample.root / THIRD_PARTY).read_bytes()
    with pytest.raises(VendorError, match="cannot write"):
        publish_notices(sample.root, export_to=sample.root / "NOTICE" / "under-a-file")


def test_a_text_that_vendorctl_does_not_ship_comes_from_the_workspace(workspace: Path) -> None:
    files: Files = {"LICENSE": APACHE, "own.py": header("LicenseRef-Ours")}
    sample = LicensedWorkspace(workspace, files, declared="LicenseRef-Ours", licenses="  allow: [LicenseRef-Ours]\n")
    assert rules(publish_notices(sample.write().root)) == ["VC410"]
    own = "You may use this file for whatever you like, and so on. " * 5
    (workspace / "licenses").mkdir(exist_ok=True)
    (workspace / "licenses/LicenseRef-Ours.txt").write_text(own)
    assert rules(publish_notices(workspace)) == []
    assert own.strip() in page(sample)
    publish_bills(workspace)
    assert '"licenseId": "LicenseRef-Ours"' in (workspace / "sbom/vendored.spdx.json").read_text()
    assert sample.audit().ok


def test_half_a_workspace_is_not_published(sample: LicensedWorkspace) -> None:
    (sample.root / "vendored/up/a.py").write_text("edited\n")
    before = page(sample)
    for publish in (publish_notices, publish_bills):
        with pytest.raises(VendorError) as raised:
            publish(sample.root)
        assert raised.value.hint
    assert page(sample) == before
    assert rules(check_notices(sample.root)) == ["VC416"]


def test_the_change_notice_names_upstream_commit_path_and_modifications(sample: LicensedWorkspace) -> None:
    lines = (sample.output / "a.py").read_text().splitlines()
    assert lines[:7] == [
        "# vendorctl: this file was modified",
        "# Upstream: https://github.com/Example/Up.git",
        f"# Commit: {'11' * 20}",
        "# Path: a.py",
        "# Modifications, each a patch in patches/up:",
        "# 0001 Change number 1",
        "# vendorctl: end of modification notice",
    ]
    sidecar = (sample.output / "data.csv.vendorctl-notice").read_text()
    assert "Path: data.csv\n" in sidecar and "0001 Change number 1\n" in sidecar


@pytest.mark.parametrize("path", ["ours.py", "moved.py", "LICENSE"])
def test_files_that_are_ours_or_unmodified_carry_no_notice(sample: LicensedWorkspace, path: str) -> None:
    assert b"this file was modified" not in (sample.output / path).read_bytes()
    assert not (sample.output / f"{path}.vendorctl-notice").exists()


def test_pristine_files_never_carry_a_notice(sample: LicensedWorkspace) -> None:
    assert (sample.root / "vendored/up/a.py").read_text() == PRISTINE["a.py"]
