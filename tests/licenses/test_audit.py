# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The audit of whole workspaces: a sound one passes, and every fault is caught by its own rule."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from support.licensed_workspace import OWNER, Files, LicensedWorkspace, header, rules
from vendorctl.errors import ExitCode, VendorError
from vendorctl.licenses.audit import audit
from vendorctl.licenses.bill import check_bills, publish_bills
from vendorctl.licenses.publish import check_notices
from vendorctl.licenses.texts import shipped
from vendorctl.proc import run

APACHE = shipped("Apache-2.0") or b""
BOILERPLATE = b'Licensed under the Apache License, Version 2.0 (the "License");\nyou may not use this file except in'
B = header("Apache-2.0", OWNER, "Copyright (C) 2024, Somebody Else, Inc.") + "b = 1\n"

PRISTINE: Files = {
    "LICENSE": APACHE,
    "NOTICE": "The up project\nThis product includes work of The up authors.\n",
    "a.py": header() + "x = 1\ny = 2\nz = 3\n",
    "b.py": B,
    "data.json": "{}\n",
    "empty.py": "",
}
PATCHED: Files = {**PRISTINE, "a.py": header() + "x = 10\ny = 2\nz = 3\n"}
TWICE: Files = {**PATCHED, "a.py": header() + "x = 10\ny = 2\nz = 30\n", "b.py": B + "c = 2\n"}


def curated(workspace: LicensedWorkspace, path: str = "data.json", expression: str = "Apache-2.0") -> str:
    digest = workspace.sha256(path)
    return (
        "  allow: [Apache-2.0, MIT]\n  curations:\n"
        f"    - {{path: vendored/up/{path}, sha256: {digest}, expression: {expression}, reason: no comments in JSON}}\n"
    )


@pytest.fixture
def sound(workspace: Path) -> LicensedWorkspace:
    made = LicensedWorkspace(workspace, PRISTINE, (PATCHED, TWICE))
    made.licenses = curated(made)
    return made.published()


def changed(root: Path, pristine: Files, *states: Files) -> LicensedWorkspace:
    made = LicensedWorkspace(root, pristine, states)
    made.licenses = curated(made)
    return made.published()


def test_a_sound_workspace_passes(sound: LicensedWorkspace) -> None:
    report = sound.audit()
    assert rules(report, errors_only=False) == []
    assert report.exit_code is ExitCode.OK
    assert report.counts["files"] == 6
    assert report.counts["modified files"] == 2
    assert report.data["upstreams"] == [
        {
            "name": "up",
            "commit": "11" * 20,
            "declared": "Apache-2.0",
            "exempt": 3,
            "expressions": {"Apache-2.0": 3},
            "curated": ["data.json"],
            "untagged": ["data.json"],
            "mixed": [],
            "patches": 2,
        }
    ]


def edit(path: str, old: str, new: str) -> Callable[[LicensedWorkspace], None]:
    def apply(made: LicensedWorkspace) -> None:
        file = made.root / path
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), "utf-8")

    return apply


def remove(path: str) -> Callable[[LicensedWorkspace], None]:
    return lambda made: (made.root / path).unlink()


def put(path: str, content: bytes) -> Callable[[LicensedWorkspace], None]:
    def apply(made: LicensedWorkspace) -> None:
        (made.root / path).write_bytes(content)

    return apply


def drop_change_notice(made: LicensedWorkspace) -> None:
    (made.output / "a.py").write_bytes(made.contents[made.applied.patched[b"a.py"].oid])


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (edit("out/a.py", "# 0002 Change number 2\n", ""), ["VC421"]),
        (edit("out/a.py", "# Commit: 11", "# Commit: 12"), ["VC421"]),
        (edit("out/a.py", "# vendorctl: end of modification notice\n", ""), ["VC421"]),
        (drop_change_notice, ["VC420"]),
        (put("licenses/Apache-2.0.txt", BOILERPLATE), ["VC411"]),
        (put("licenses/Apache-2.0.txt", shipped("MIT") or b""), ["VC411"]),
        (put("licenses/Apache-2.0.txt", APACHE.replace(b"perpetual", b"temporary")), ["VC411"]),
        (remove("licenses/Apache-2.0.txt"), ["VC410"]),
        (put("licenses/Apache-2.0.txt", APACHE + b"\n"), ["VC430"]),
        (edit("THIRD_PARTY_LICENSES.md", "2024, Somebody Else, Inc.", "2024 Somebody Else Inc"), ["VC431"]),
        (edit("THIRD_PARTY_LICENSES.md", "work of The up authors", "work of the up authors"), ["VC431"]),
        (edit("THIRD_PARTY_LICENSES.md", "- 0001 Change number 1", "- 0001 Nothing"), ["VC430"]),
        (edit("NOTICE", "with modifications", "unmodified"), ["VC430"]),
        (edit("NOTICE", "work of The up authors", "work of the up authors"), ["VC431"]),
        (remove("THIRD_PARTY_LICENSES.md"), ["VC432"]),
        (remove("sbom/vendored.spdx.json"), ["VC435"]),
        (edit("sbom/vendored.spdx.json", "Apache-2.0", "MIT"), ["VC433"]),
        (edit("sbom/vendored.cdx.json", '"version": 1', '"version": 2'), ["VC433"]),
        (edit("VENDOR.yaml", "expression: Apache-2.0", "expression: Apache 2"), ["VC403", "VC430", "VC433", "VC433"]),
    ],
)
def test_each_fault_on_disk_has_its_own_rule(
    sound: LicensedWorkspace, damage: Callable[[LicensedWorkspace], None], expected: list[str]
) -> None:
    damage(sound)
    assert sorted(rules(sound.audit())) == sorted(expected)


def test_dropping_a_curation_fails(sound: LicensedWorkspace) -> None:
    sound.licenses = "  allow: [Apache-2.0, MIT]\n"
    report = sound.published().audit()
    assert rules(report) == ["VC401"]
    hint = report.findings[0].hint or ""
    assert sound.sha256("data.json") in hint and "vendored/up/data.json" in hint


def test_a_curation_of_other_content_is_stale(sound: LicensedWorkspace) -> None:
    sound.licenses = sound.licenses.replace(sound.sha256("data.json"), "0" * 64)
    assert rules(sound.published().audit()) == ["VC407", "VC401"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no header\n", ["VC401"]),
        (header("Apache-2.0") + header("MIT"), ["VC402"]),
        (header("Apache 2.0"), ["VC403"]),
        (header("MIT"), ["VC404"]),
        (header("BSD-3-Clause"), ["VC405", "VC404"]),
        (header("GPL-3.0-only"), ["VC406", "VC404"]),
        (header("Apache-2.0 OR GPL-3.0-only"), ["VC404"]),
        (header("Apache-2.0"), []),
        (header("apache-2.0"), []),
    ],
)
def test_policy(workspace: Path, text: str, expected: list[str]) -> None:
    licenses = "  allow: [Apache-2.0, MIT]\n  deny: [GPL-3.0-only]\n"
    made = LicensedWorkspace(workspace, {"LICENSE": APACHE, "c.py": text}, licenses=licenses)
    found = [rule for rule in rules(made.published().audit()) if rule != "VC410"]
    assert sorted(found) == sorted(expected)


def test_an_exception_allows_a_licence_for_one_upstream(workspace: Path) -> None:
    allow = "  allow: [Apache-2.0]\n  exceptions:\n    - {upstream: up, allow: [BSD-3-Clause], reason: agreed}\n"
    files: Files = {"LICENSE": APACHE, "c.py": header("BSD-3-Clause")}
    made = LicensedWorkspace(workspace, files, declared="BSD-3-Clause", licenses=allow)
    assert rules(made.published().audit()) == []
    policy = replace(made.manifest.licenses, exceptions=(replace(made.manifest.licenses.exceptions[0], upstream="x"),))
    report = audit(made.root, replace(made.manifest, licenses=policy), made.lock)
    assert rules(report) == ["VC405"]


def test_a_curation_may_correct_a_header_but_not_hide_a_refused_licence(workspace: Path) -> None:
    made = LicensedWorkspace(workspace, {"LICENSE": APACHE, "c.py": header("MIT")})
    made.licenses = curated(made, "c.py")
    report = made.published().audit()
    assert rules(report) == [] and rules(report, errors_only=False) == ["VC409"]
    hidden = LicensedWorkspace(workspace, {"LICENSE": APACHE, "c.py": header("GPL-3.0-only")})
    hidden.licenses = curated(hidden, "c.py")
    assert rules(hidden.published().audit()) == ["VC409"]


@pytest.mark.parametrize(("path", "severity"), [("vendored/up/gone.py", "error"), ("vendored/up/a.py", "warning")])
def test_curations_that_decide_nothing(sound: LicensedWorkspace, path: str, severity: str) -> None:
    digest = sound.sha256("a.py")
    sound.licenses += f"    - {{path: {path}, sha256: {digest}, expression: Apache-2.0, reason: r}}\n"
    findings = sound.published().audit().findings
    assert [(finding.rule, finding.severity.value) for finding in findings] == [("VC408", severity)]


def without(text: str, line: str) -> str:
    assert line in text
    return text.replace(line, "", 1)


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("b.py", without(B, "# Copyright (C) 2024, Somebody Else, Inc.\n"), "VC422"),
        ("b.py", B.replace("2024, Somebody Else, Inc.", "2024 Somebody Else Inc"), "VC425"),
        ("b.py", B.replace(" Apache-2.0", " MIT"), "VC423"),
        ("new.py", "x = 1\n", "VC424"),
        ("new.py", header("Apache 2"), "VC424"),
        ("new.py", header("BSD-3-Clause"), "VC405"),
        ("NOTICE", "The up project\n", "VC413"),
    ],
)
def test_a_patch_that_breaks_a_duty_is_named(workspace: Path, path: str, text: str, rule: str) -> None:
    report = changed(workspace, PRISTINE, PATCHED, {**PATCHED, path: text}).audit()
    assert rule in rules(report)
    finding = next(finding for finding in report.findings if finding.rule == rule)
    assert finding.location is not None
    assert finding.location.path == "patches/up/0002-change-number-2.patch"
    assert report.exit_code is ExitCode.FINDINGS


def test_the_removed_line_is_found_in_the_patch_file(workspace: Path) -> None:
    line = "# Copyright (C) 2024, Somebody Else, Inc.\n"
    made = changed(workspace, PRISTINE, PATCHED, {**PATCHED, "b.py": without(B, line)})
    finding = next(finding for finding in made.audit().findings if finding.rule == "VC422")
    assert finding.location is not None and finding.location.line is not None
    patch = (made.root / finding.location.path).read_text().splitlines()
    assert patch[finding.location.line - 1] == "-" + line.rstrip()


def test_a_patch_that_deletes_the_notice_is_named(workspace: Path) -> None:
    state: Files = {path: text for path, text in PRISTINE.items() if path != "NOTICE"}
    assert rules(changed(workspace, PRISTINE, state).audit()) == ["VC413"]


def test_moving_and_restoring_lines_within_a_series_is_no_loss(workspace: Path) -> None:
    bare: Files = {**PRISTINE, "b.py": "b = 1\n"}
    assert "VC422" not in rules(changed(workspace, PRISTINE, bare, PATCHED).audit())
    moved: Files = {**{path: text for path, text in PRISTINE.items() if path != "b.py"}, "c.py": PRISTINE["b.py"]}
    assert rules(changed(workspace, PRISTINE, moved).audit()) == []


def test_licence_words_taken_out_of_a_header(workspace: Path) -> None:
    words = "".join(f"# {line}\n" for line in (shipped("MIT") or b"").decode().splitlines()[3:])
    pristine: Files = {"LICENSE": shipped("MIT") or b"", "m.py": f"# {OWNER}\n{words}m = 1\n"}
    state: Files = {**pristine, "m.py": f"# {OWNER}\n# SPDX-License" + "-Identifier: MIT\nm = 2\n"}
    made = LicensedWorkspace(workspace, pristine, (state,), declared="MIT")
    assert rules(made.published().audit()) == ["VC426"]


def test_an_upstream_notice_that_was_not_selected_is_seen_where_its_tree_is_known(sound: LicensedWorkspace) -> None:
    from support.trees import tree

    whole = tree({**PRISTINE, "NOTICE.txt": "more\n", "COPYING": APACHE}, sound.contents)
    report = audit(sound.root, sound.manifest, sound.lock, trees={"up": whole})
    assert [(finding.rule, finding.message) for finding in report.findings] == [
        ("VC413", "upstream has NOTICE.txt, which is not vendored")
    ]
    assert "unknown upstream trees" not in report.counts
    assert sound.audit().counts["unknown upstream trees"] == 1


def test_a_missing_licence_file_and_a_boilerplate_are_said(workspace: Path) -> None:
    made = LicensedWorkspace(workspace, {"c.py": header()}).published()
    assert rules(made.audit(), errors_only=False) == ["VC412"]
    made = LicensedWorkspace(workspace, {"c.py": header(), "LICENSE": BOILERPLATE}).published()
    assert rules(made.audit(), errors_only=False) == ["VC417"]


def test_facts_in_the_lock_are_compared_with_the_file(sound: LicensedWorkspace) -> None:
    lock = sound.root / "VENDOR.lock"
    lock.write_text(lock.read_text().replace("2024, Somebody Else", "2024, Nobody", 1))
    assert "VC414" in rules(sound.audit())


def test_what_cannot_be_read_is_no_pass(sound: LicensedWorkspace) -> None:
    shutil.rmtree(sound.root / "vendored")
    report = sound.audit()
    assert rules(report) == ["VC416"]
    assert "sync up" in (report.findings[0].hint or "")


def test_the_second_opinion_agrees_and_names_what_it_skips(sound: LicensedWorkspace) -> None:
    report = audit(sound.root, sound.manifest, sound.lock, runner=run)
    assert report.ok
    notes = [finding for finding in report.findings if finding.rule == "VC451"]
    skipped = [sorted(str(path) for path in finding.data["paths"]) for finding in notes]  # type: ignore[union-attr]  # Json
    assert skipped == [["LICENSE", "empty.py"]] * 2
    assert "skipped second opinions" not in report.counts
    assert sound.audit().counts["skipped second opinions"] == 2


def test_the_second_opinion_differs_where_a_string_looks_like_a_header(workspace: Path) -> None:
    text = header() + f'TEMPLATE = """\n{header("MIT")}"""\n'
    made = LicensedWorkspace(workspace, {"LICENSE": APACHE, "t.py": text}).published()
    report = audit(made.root, made.manifest, made.lock, runner=run)
    assert report.ok
    finding = next(finding for finding in report.findings if finding.rule == "VC450")
    assert finding.data["reuse"] == ["Apache-2.0", "MIT"] and finding.data["vendorctl"] == ["Apache-2.0"]


@pytest.mark.parametrize("patched", [False, True])
def test_files_that_are_not_restored_here_are_a_note_and_under_require_an_error(workspace: Path, patched: bool) -> None:
    files: Files = {"LICENSE": APACHE, "a.py": header() + "a = 1\n", "m.py": header("MIT")}
    states: tuple[Files, ...] = ({**files, "a.py": header() + "a = 2\n"},) if patched else ()
    made = LicensedWorkspace(workspace, files, states, store="fetch", declared="Apache-2.0 AND MIT").published()
    assert rules(made.audit(), errors_only=False) == []
    shutil.rmtree(made.root / "vendored")
    report = made.audit()
    assert rules(report) == [] and rules(report, errors_only=False) == ["VC416"]
    assert report.counts["skipped documents"] == 1
    assert rules(made.audit(require=True)) == ["VC416"]
    assert rules(check_notices(made.root, require=True)) == rules(check_bills(made.root, require=True)) == ["VC416"]
    with pytest.raises(VendorError, match="not restored"):
        publish_bills(made.root)
    if not patched:
        # The lock alone tells what the notices must say, so an edit is found all the same.
        edit("THIRD_PARTY_LICENSES.md", "MIT", "ISC")(made)
        assert rules(made.audit()) == ["VC430"]
