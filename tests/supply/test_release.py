# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`make dist`: archives that come out the same anywhere, hold what the commit holds, and bills that tools accept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from spdx_tools.spdx.model.relationship import RelationshipType
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from release.builds import UNLIKE, Archives, build, differences, wheel_of
from release.contents import sdist_faults, wheel_faults
from release.export import changed_files, files_of, read_commit
from support.repo import Changes, executable, repo, symlink
from vendorctl.digest import sha256
from vendorctl.errors import VendorError

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `make dist` writes for this very checkout's HEAD."""
    if not (ROOT / ".git").exists():
        pytest.skip("a release is made from a commit, and this is no git checkout")
    output = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "release", str(output)]
    done = subprocess.run(
        command, cwd=output, env={**os.environ, "PYTHONPATH": str(ROOT / "tools")}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (output / "SHA256SUMS").read_text()
    return output


def only(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def document(folder: Path, kind: str) -> dict[str, Any]:
    value = json.loads(only(folder, f"*.{kind}.json").read_bytes())
    assert isinstance(value, dict)
    return value


def test_a_release_is_complete_and_its_sums_are_right(released: Path) -> None:
    lines = [line.split("  ") for line in (released / "SHA256SUMS").read_text().splitlines()]
    rows = {name: digest for digest, name in lines}
    assert rows == {path.name: sha256(path.read_bytes()) for path in released.iterdir() if path.name != "SHA256SUMS"}
    assert sorted(Path(name).suffixes[-1] for name in rows) == [".gz", ".json", ".json", ".whl"]


def test_its_wheel_works_from_a_zip_alone(released: Path) -> None:
    """Nothing of the checkout is needed: not even its metadata."""
    wheel = only(released, "*.whl")
    site = str(Path(pytest.__file__).parent.parent)
    code = f"import sys; sys.path[:0] = [{str(wheel)!r}, {site!r}]; from vendorctl.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout[:10]) == (0, "vendorctl ")


def test_the_cyclonedx_bill_is_valid_and_names_every_package(released: Path) -> None:
    text = only(released, "*.cdx.json").read_text("utf-8")
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = document(released, "cdx")
    parts = {part["name"]: part for part in bill["components"]}
    assert parts["click"]["scope"] == "required"
    assert parts["tinygrad"]["scope"] == "optional"
    assert {"name": "vendorctl:extra", "value": "report"} in parts["reuse"]["properties"]
    assert "pytest" not in parts
    for part in parts.values():
        assert part["purl"] == f"pkg:pypi/{part['name']}@{part['version']}"
        assert part["licenses"][0]["expression"]
        assert part["externalReferences"][0]["hashes"]
    (root,) = (
        row["dependsOn"] for row in bill["dependencies"] if row["ref"] == bill["metadata"]["component"]["bom-ref"]
    )
    assert {parts["click"]["purl"], parts["reuse"]["purl"]} <= set(root)
    assert parts["smmap"]["purl"] not in root
    archives = {row["url"]: row["hashes"][0]["content"] for row in bill["metadata"]["component"]["externalReferences"]}
    assert archives == {path.name: sha256(path.read_bytes()) for path in released.iterdir() if path.suffix != ".json"
                        and path.name != "SHA256SUMS"}  # fmt: skip


def test_a_broken_bill_would_be_seen(released: Path) -> None:
    bill = document(released, "cdx")
    bill["components"][0]["externalReferences"][0]["hashes"][0]["content"] = "none"
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bill)) is not None


def test_the_spdx_bill_is_valid_and_says_the_same(released: Path) -> None:
    read = parse_file(str(only(released, "*.spdx.json")))
    assert validate_full_spdx_document(read) == []
    named = {(package.name, package.version) for package in read.packages}
    cyclonedx = document(released, "cdx")
    rows = [cyclonedx["metadata"]["component"], *cyclonedx["components"]]
    assert named == {(row["name"], row["version"]) for row in rows}
    names = {package.spdx_id: package.name for package in read.packages} | {"SPDXRef-DOCUMENT": ""}
    facts = {
        (names[row.spdx_element_id], row.relationship_type, names[str(row.related_spdx_element_id)])
        for row in read.relationships
    }
    assert {
        ("reuse", RelationshipType.OPTIONAL_DEPENDENCY_OF, "vendorctl"),
        ("vendorctl", RelationshipType.DEPENDS_ON, "gitpython"),
        ("gitpython", RelationshipType.DEPENDS_ON, "gitdb"),
        ("", RelationshipType.DESCRIBES, "vendorctl"),
    } <= facts


# -- what must be seen -------------------------------------------------------------------------------------------------

PROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "vendorctl"
version = "1.0"
license-files = ["NOTICE", "licenses/Apache-2.0.txt"]
[project.scripts]
vendorctl = "vendorctl.cli:main"
[tool.hatch.build.targets.wheel]
packages = ["src/vendorctl"]
"""
FILES: Changes = {
    "pyproject.toml": PROJECT,
    "NOTICE": "notice\n",
    "licenses/Apache-2.0.txt": "text\n",
    "tool.sh": executable("#!/bin/sh\n"),
    "src/vendorctl/py.typed": "",
    "src/vendorctl/cli/__init__.py": "",
    "src/vendorctl/licenses/LICENSES/Apache-2.0.txt": "text\n",
    "src/vendorctl/report/assets/page.css": "",
    "src/vendorctl/report/assets/page.js": "",
    "src/vendorctl/report/schemas/verify-1.json": "{}\n",
    "src/vendorctl/sample/trees/01/a.py": "",
    "src/vendorctl/sample/edits/01/a.py": "",
}
#: What a build may put into a file without meaning to.
FACTS = {
    "folder": "os.getcwd()",
    "hash": "str(hash('x'))",
    "locale": "os.environ['LC_ALL']",
    "mode": "oct(os.stat('pyproject.toml').st_mode)",
    "time": "str(os.stat('pyproject.toml').st_mtime)",
    "umask": "oct(os.fstat(file.fileno()).st_mode)",
    "zone": "time.tzname[0]",
}
HOOK = f"""\
import os, time
from hatchling.builders.hooks.plugin.interface import BuildHookInterface
class Hook(BuildHookInterface):
    def initialize(self, version, data):
        for name, fact in {FACTS!r}.items():
            with open(f"src/vendorctl/{{name}}.txt", "w") as file:
                file.write(eval(fact))
"""
WITH_HOOK = PROJECT + '[tool.hatch.build.hooks.custom]\npath = "hook.py"\n'


def built(folder: Path, files: Changes) -> tuple[Archives, Archives, dict[str, bytes]]:
    """Both builds of a project of its own, and the commit's files."""
    made = repo(folder / "project", files)
    commit = read_commit(made.path)
    first, second = (build(commit, folder / "scratch", around) for around in UNLIKE)
    return first, second, files_of(commit)


def test_a_sound_project_has_no_fault(tmp_path: Path) -> None:
    first, second, files = built(tmp_path, FILES)
    assert differences(first.wheel, second.wheel) == []
    assert differences(first.sdist, second.sdist) == []
    assert wheel_faults(first.wheel, files) == []
    assert sdist_faults(first.sdist, files) == []
    again = wheel_of(first.sdist, read_commit(tmp_path / "project"), tmp_path / "again", UNLIKE[1])
    assert differences(first.wheel, again) == []


def test_whatever_depends_on_the_machine_is_seen(tmp_path: Path) -> None:
    first, second, files = built(tmp_path, {**FILES, "pyproject.toml": WITH_HOOK, "hook.py": HOOK})
    made = [f"vendorctl/{name}.txt" for name in FACTS]
    assert differences(first.wheel, second.wheel) == [
        f"{first.wheel.name}: {name} differs" for name in ["vendorctl-1.0.dist-info/RECORD", *sorted(made)]
    ]
    assert {f"{first.wheel.name}: {name} is not in the commit" for name in made} == {*wheel_faults(first.wheel, files)}


def test_what_an_archive_lacks_is_seen(tmp_path: Path) -> None:
    excluding = PROJECT + 'exclude = ["*.css", "py.typed"]\n[tool.hatch.build.targets.sdist]\nexclude = ["tool.sh"]\n'
    first, _, files = built(tmp_path, {**FILES, "pyproject.toml": excluding})
    assert wheel_faults(first.wheel, files) == [
        f"{first.wheel.name}: vendorctl/py.typed is missing",
        f"{first.wheel.name}: vendorctl/report/assets/page.css is missing",
        f"{first.wheel.name}: nothing matches vendorctl/py.typed",
        f"{first.wheel.name}: nothing matches vendorctl/report/assets/*.css",
    ]
    assert sdist_faults(first.sdist, files) == [f"{first.sdist.name}: tool.sh is missing"]


def test_a_changed_member_is_seen(tmp_path: Path) -> None:
    first, _, files = built(tmp_path, FILES)
    forged = tmp_path / first.wheel.name
    with zipfile.ZipFile(first.wheel) as old, zipfile.ZipFile(forged, "w") as new:
        for row in old.infolist():
            new.writestr(row, b"evil\n" if row.filename == "vendorctl/py.typed" else old.read(row))
    assert wheel_faults(forged, files) == [
        f"{forged.name}: vendorctl/py.typed has other bytes than in the commit",
        f"{forged.name}: RECORD does not have the hash of vendorctl/py.typed",
    ]
    link = tmp_path / first.sdist.name
    with tarfile.open(link, "w:gz") as archive:
        bad = tarfile.TarInfo("vendorctl-1.0/../x")
        bad.type, bad.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(bad)
    assert f"{link.name}: vendorctl-1.0/../x is no regular file" in sdist_faults(link, files)


def test_only_what_is_committed_gets_in(tmp_path: Path) -> None:
    made = repo(tmp_path / "project", {**FILES, "LICENSES": symlink("licenses")})
    made.checkout()
    (made.path / "src/vendorctl/secret.txt").write_text("s\n")
    (made.path / "NOTICE").write_text("changed\n")
    assert changed_files(made.path) == ["NOTICE", "src/vendorctl/secret.txt"]
    commit = read_commit(made.path)
    archives = build(commit, tmp_path / "scratch", UNLIKE[0])
    assert wheel_faults(archives.wheel, files_of(commit)) == []
    assert sdist_faults(archives.sdist, files_of(commit)) == []


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VendorError, match="not a git repository"):
        read_commit(tmp_path)
