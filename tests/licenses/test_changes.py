# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a bump does to licences: each kind of change by its own rule, moves and unchanged files by none."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.licensed_workspace import OWNER, Files, LicensedWorkspace, header, rules
from vendorctl.git.oid import Oid
from vendorctl.licenses.changes import licence_changes
from vendorctl.licenses.texts import shipped
from vendorctl.workspace.lock import LockedUpstream

OLD: Files = {
    "LICENSE": shipped("Apache-2.0") or b"",
    "a.py": header("Apache-2.0", OWNER, "Copyright (C) 2024, Somebody Else, Inc.") + "a = 1\n",
    "b.py": header() + "b = 1\n",
    "plain.csv": "1\n",
}
NEXT = Oid(b"\x22" * 20)


def locked(root: Path, files: Files, commit: Oid | None = None) -> LockedUpstream:
    made = LicensedWorkspace(root, files)
    return made.locked if commit is None else made.at_commit(commit)


def changes(root: Path, **files: str | bytes | None) -> list[tuple[str, str]]:
    """Findings after setting files (`a_py` stands for a.py; None removes)."""
    state: Files = dict(OLD)
    for name, content in files.items():
        path = name.replace("_", ".", 1)
        if content is None:
            del state[path]
        else:
            state[path] = content
    found = licence_changes(locked(root, OLD), locked(root, state, NEXT))
    assert all(finding.severity.value == "warning" for finding in found)
    return [(finding.rule, finding.data["path"]) for finding in found]  # type: ignore[misc]  # a path is text


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, []),
        ({"b_py": header() + "b = 2\n"}, []),
        ({"c_py": header() + "c = 1\n"}, []),
        ({"c_py": header("GPL-3.0-only") + "c = 1\n"}, [("VC440", "c.py")]),
        ({"c_py": "c = 1\n"}, [("VC442", "c.py")]),
        ({"c_py": ""}, []),
        ({"b_py": header("MIT") + "b = 1\n"}, [("VC441", "b.py")]),
        ({"b_py": f"# {OWNER}\nb = 1\n"}, [("VC442", "b.py")]),
        ({"plain_csv": "2\n"}, []),
        ({"NOTICE": "new\n"}, [("VC443", "NOTICE")]),
        ({"LICENSE": shipped("MIT")}, [("VC445", "LICENSE")]),
        ({"LICENSE": None}, [("VC445", "LICENSE")]),
        ({"COPYING": "x\n"}, [("VC445", "COPYING")]),
        ({"a_py": header() + "a = 1\n"}, [("VC444", "a.py")]),
        ({"b_py": None}, []),
        ({"b_py": None, "moved_py": OLD["b.py"]}, []),
        ({"a_py": None, "moved_py": OLD["a.py"], "c_py": header("ISC")}, [("VC440", "c.py")]),
    ],
)
def test_each_kind_of_change(workspace: Path, files: dict[str, str | bytes | None], expected: list[object]) -> None:
    assert changes(workspace, **files) == expected


def test_the_way_back_tells_the_opposite(workspace: Path) -> None:
    new: Files = {**OLD, "b.py": header("MIT") + "b = 1\n", "NOTICE": "n\n"}
    found = licence_changes(locked(workspace, new), locked(workspace, OLD, NEXT))
    assert [(finding.rule, finding.message) for finding in found] == [
        ("VC441", "changes from MIT to Apache-2.0"),
        ("VC445", "is not there any more"),
    ]


def test_a_gpl_file_that_a_bump_adds_is_refused_by_the_policy(workspace: Path) -> None:
    files: Files = {**OLD, "plain.csv": "", "c.py": header("GPL-3.0-only") + "c = 1\n"}
    made = LicensedWorkspace(workspace, files, licenses="  allow: [Apache-2.0]\n  deny: [GPL-3.0-only]\n").write()
    found = rules(made.audit())
    assert "VC406" in found
    del files["c.py"]
    allowed = LicensedWorkspace(workspace, files, licenses=made.licenses).published()
    assert rules(allowed.audit()) == []
