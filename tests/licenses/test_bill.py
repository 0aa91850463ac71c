# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""SBOM and provenance documents: valid for the formats' own tools, readable for others, complete, in order."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from lib4sbom.parser import SBOMParser
from spdx_tools.spdx.model.relationship import RelationshipType
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

from support.licensed_workspace import COMMIT, Files, LicensedWorkspace, header, rules
from support.repo import executable, symlink
from vendorctl.digest import sha256
from vendorctl.errors import VendorError
from vendorctl.kernels.object import manifest as object_manifests
from vendorctl.kernels.object.instance import make
from vendorctl.kernels.object.launch import parse as parse_launch
from vendorctl.licenses.bill import check_bills, publish_bills
from vendorctl.licenses.objects import read_built
from vendorctl.licenses.publish import check_notices, publish_notices
from vendorctl.licenses.texts import shipped
from vendorctl.series.patch import Trailers

APACHE = shipped("Apache-2.0") or b""
PRISTINE: Files = {
    "LICENSE": APACHE,
    "NOTICE": "Notice of up\n",
    "a.py": header() + "x = 1\n",
    "k/b.py": header("MIT") + "b = 1\n",
    "k/tool": executable("#!/bin/sh\n" + header() + "true\n"),
    "k/none.csv": "1\n",
    "k/empty.py": "",
    "link": symlink("a.py"),
    b"caf\xc3\xa9 100%.py": header() + "c = 1\n",
    b"latin-\xe9.py": header() + "c = 1\n",
}
FIRST: Files = {**PRISTINE, "a.py": header() + "x = 2\n"}
SECOND: Files = {**FIRST, "k/b.py": header("MIT") + "b = 2\n", "new.py": header("MIT", "2026 Us") + "n = 1\n"}
THIRD: Files = {**SECOND, "latin.txt": header().encode() + b"\xe9\n"}
TRAILERS = Trailers(
    origin="backport, https://github.com/Example/Up/commit/abc",
    forwarded="https://github.com/Example/Up/pull/7",
    reason="a test",
    other=(("Bug", "https://github.com/Example/Up/issues/3"),),
)


@pytest.fixture
def sample(workspace: Path) -> LicensedWorkspace:
    made = LicensedWorkspace(
        workspace, PRISTINE, (FIRST, SECOND, THIRD), declared="Apache-2.0 AND MIT", trailers=TRAILERS
    )
    made.licenses = (
        f"  curations:\n    - {{path: k/none.csv, sha256: {made.sha256('k/none.csv')}, "
        "expression: LicenseRef-Data, reason: data}\n"
    )
    (workspace / "licenses").mkdir()
    (workspace / "licenses/LicenseRef-Data.txt").write_text("Numbers are free. " * 20)
    return made.published()


def cyclonedx(made: LicensedWorkspace) -> dict[str, Any]:
    value = json.loads((made.root / "sbom/vendored.cdx.json").read_bytes())
    assert isinstance(value, dict)
    return value


def add_objects(made: LicensedWorkspace) -> list[bytes]:
    """An object manifest as the kernels layer writes it, with two objects beside it."""
    folder = made.root / "objects/rmsnorm/gfx942"
    folder.mkdir(parents=True)
    resources = dict.fromkeys(object_manifests.Resources.__slots__, 1)
    launch = parse_launch({"parameters": [], "launches": []})
    contents = [b"first object", b"second object"]
    records = tuple(
        object_manifests.ObjectRecord(
            file=f"{make({'n': number}).name}.hsaco",
            sha256=sha256(content),
            size=len(content),
            instance=make({"n": number}),
            input="ab" * 32,
            accepts=(),
            resources=object_manifests.Resources(**resources),
            launch=launch,
        )
        for number, content in enumerate(contents)
    )
    patch = made.applied.series.patches[0]
    provenance = object_manifests.Provenance(
        upstream="up",
        import_root="",
        sources={"a.py": "cd" * 32},
        pristine={"a.py": made.sha256("a.py")},
        patches={patch.file_name: sha256(patch.raw)},
        recipe="recipes/rmsnorm.py",
        recipe_files={"recipes/rmsnorm.py": "ef" * 32},
        data_files=(),
    )
    manifest = object_manifests.ObjectManifest(
        operation="rmsnorm",
        target="gfx942",
        provenance=provenance,
        toolchain={"flydsl": "0.5.0"},
        environment={"ARCH": "gfx942"},
        declines=(),
        excluded=(),
        objects=records,
    )
    (folder / "manifest.json").write_bytes(object_manifests.dump(manifest))
    return contents


def test_the_formats_own_tools_accept_the_documents(sample: LicensedWorkspace) -> None:
    add_objects(sample)
    publish_bills(sample.root)
    folder = sample.root / "sbom"
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str((folder / "vendored.cdx.json").read_text()) is None
    document = parse_file(str(folder / "vendored.spdx.json"))
    assert [message.validation_message for message in validate_full_spdx_document(document)] == []


def test_the_validators_do_refuse_broken_documents(sample: LicensedWorkspace) -> None:
    value = cyclonedx(sample)
    value["components"][0]["pedigree"]["patches"][0]["type"] = "nonsense"
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(value)) is not None
    path = sample.root / "sbom/vendored.spdx.json"
    value = json.loads(path.read_bytes())
    value["relationships"][0]["relatedSpdxElement"] = "SPDXRef-nowhere"
    path.write_text(json.dumps(value))
    assert validate_full_spdx_document(parse_file(str(path)))


@pytest.mark.parametrize("name", ["vendored.cdx.json", "vendored.spdx.json"])
def test_an_independent_reader_finds_the_component(sample: LicensedWorkspace, name: str) -> None:
    parser = SBOMParser()
    parser.parse_file(str(sample.root / "sbom" / name))
    packages = {(package["name"], package["version"]) for package in parser.get_packages() if package["name"] == "up"}
    assert ("up", str(sample.applied.patched.oid)) in packages
    if parser.get_type() == "spdx":
        assert ("up", str(COMMIT)) in packages
        names = {file["name"] for file in parser.get_files()}
        assert "./vendored/up/a.py" in names and "./vendored/up/latin-%E9.py" in names


def test_the_pedigree_replays_the_series_in_order(sample: LicensedWorkspace) -> None:
    (component,) = cyclonedx(sample)["components"]
    pedigree = component["pedigree"]
    assert pedigree["ancestors"][0]["purl"] == f"pkg:github/example/up@{COMMIT}"
    assert pedigree["commits"] == [{"uid": str(COMMIT), "url": f"https://github.com/Example/Up/commit/{COMMIT}"}]
    patches = sample.applied.series.patches
    assert [each["diff"]["url"] for each in pedigree["patches"]] == [f"patches/up/{p.file_name}" for p in patches]
    assert [each["type"] for each in pedigree["patches"]] == ["backport"] * 3
    assert pedigree["patches"][0]["diff"]["text"]["content"] == patches[0].raw.decode()
    assert pedigree["patches"][2]["diff"]["text"]["encoding"] == "base64"
    resolved = [(each["type"], each["id"]) for each in pedigree["patches"][0]["resolves"]]
    assert resolved == [
        ("enhancement", "https://github.com/Example/Up/pull/7"),
        ("enhancement", "https://github.com/Example/Up/commit/abc"),
        ("defect", "https://github.com/Example/Up/issues/3"),
    ]


def test_every_file_has_the_hash_of_what_is_on_disk(sample: LicensedWorkspace) -> None:
    (component,) = cyclonedx(sample)["components"]
    hashes = {file["name"]: file["hashes"][0]["content"] for file in component["components"]}
    assert len(hashes) == len(sample.applied.patched)
    for name in ("a.py", "k/b.py", "new.py", "k/tool", "k/none.csv"):
        assert hashes[name] == sha256((sample.output / name).read_bytes()), name
    licences = {file["name"]: file.get("licenses") for file in component["components"]}
    assert licences["k/b.py"] == [{"expression": "MIT"}]
    assert licences["k/empty.py"] is None
    assert component["licenses"] == [{"expression": "Apache-2.0 AND LicenseRef-Data AND MIT"}]


def test_relations_of_the_spdx_document(sample: LicensedWorkspace) -> None:
    add_objects(sample)
    publish_bills(sample.root)
    document = parse_file(str(sample.root / "sbom/vendored.spdx.json"))
    found: dict[RelationshipType, list[Any]] = {}
    for relation in document.relationships:
        found.setdefault(relation.relationship_type, []).append(relation)
    assert len(found[RelationshipType.VARIANT_OF]) == 1
    comments = [relation.comment for relation in found[RelationshipType.PATCH_FOR]]
    assert [comment.split(",")[0] for comment in comments] == ["1 of 3", "2 of 3", "3 of 3"]
    assert len(found[RelationshipType.GENERATED_FROM]) == 2
    assert document.creation_info.created.isoformat() == "2024-01-03T00:00:00"


def test_another_order_of_patches_has_its_own_rule(sample: LicensedWorkspace) -> None:
    path = sample.root / "sbom/vendored.cdx.json"
    value = cyclonedx(sample)
    value["components"][0]["pedigree"]["patches"].reverse()
    path.write_text(json.dumps(value))
    assert rules(check_bills(sample.root)) == ["VC434"]
    assert "VC434" in rules(sample.audit())
    value["components"][0]["pedigree"]["patches"].pop()
    path.write_text(json.dumps(value))
    assert rules(check_bills(sample.root)) == ["VC433"]


@pytest.mark.parametrize("content", ["", "[]", '{"components": [{"pedigree": 3}]}', "\x00"])
def test_a_document_of_another_kind_is_stale(sample: LicensedWorkspace, content: str) -> None:
    (sample.root / "sbom/vendored.cdx.json").write_text(content)
    assert rules(check_bills(sample.root)) == ["VC433"]


def test_objects_and_their_provenance(sample: LicensedWorkspace) -> None:
    contents = add_objects(sample)
    assert rules(check_bills(sample.root)) == ["VC435", "VC433", "VC433"]
    publish_bills(sample.root)
    assert check_bills(sample.root).ok
    components = {component["bom-ref"]: component for component in cyclonedx(sample)["components"]}
    listed = [file["hashes"][0]["content"] for file in components["objects/rmsnorm/gfx942"]["components"]]
    assert sorted(listed) == sorted(map(sha256, contents))
    depends = {row["ref"]: row["dependsOn"] for row in cyclonedx(sample)["dependencies"]}
    assert depends["objects/rmsnorm/gfx942"] == ["upstream:up"]

    statement = json.loads((sample.root / "sbom/provenance/rmsnorm-gfx942.intoto.json").read_bytes())
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert sorted(each["digest"]["sha256"] for each in statement["subject"]) == sorted(map(sha256, contents))
    definition = statement["predicate"]["buildDefinition"]
    assert definition["externalParameters"]["recipe"] == "recipes/rmsnorm.py"
    uris = {each["uri"]: each["digest"] for each in definition["resolvedDependencies"]}
    assert uris[f"pkg:github/example/up@{COMMIT}"] == {"gitCommit": str(COMMIT)}
    patch = sample.applied.series.patches[0]
    assert uris[f"patches/up/{patch.file_name}"] == {"sha256": sha256(patch.raw)}


def test_objects_travel_with_their_notices(sample: LicensedWorkspace) -> None:
    add_objects(sample)
    assert rules(check_notices(sample.root)) == ["VC436", "VC436"]
    assert "VC436" in rules(sample.audit())
    publish_notices(sample.root)
    assert check_notices(sample.root).ok
    beside = sample.root / "objects/rmsnorm/THIRD_PARTY_LICENSES.md"
    assert beside.read_bytes() == (sample.root / "THIRD_PARTY_LICENSES.md").read_bytes()
    beside.write_text("reworded\n")
    assert rules(check_notices(sample.root)) == ["VC436"]


@pytest.mark.parametrize("damage", ["{", '{"schema": "other"}', "[]"])
def test_an_unreadable_manifest_stops_the_command(sample: LicensedWorkspace, damage: str) -> None:
    add_objects(sample)
    (sample.root / "objects/rmsnorm/gfx942/manifest.json").write_text(damage)
    with pytest.raises(VendorError, match=r"objects/rmsnorm/gfx942/manifest\.json"):
        read_built(sample.root)


def test_an_unpatched_component_is_upstream_itself(workspace: Path) -> None:
    made = LicensedWorkspace(workspace, {"LICENSE": APACHE, "a.py": header()}).published()
    (component,) = cyclonedx(made)["components"]
    assert component["purl"] == f"pkg:github/example/up@{COMMIT}"
    assert component["version"] == str(COMMIT)
    assert "patches" not in component["pedigree"]
