# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Bills of materials of vendorctl itself: CycloneDX 1.6 and SPDX 2.3 documents of all that users may install with it.

Made from the locks alone: no clock, no random id, nothing of the machine. Of each package: the pinned version, the
SHA-256 of every file that may be installed as it, its licence as read for requirements/licences.toml, which extras ask
for it, and what it depends on.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from release.licences import Policy
from release.locks import CORE, ROOT, Locked, user_locks
from vendorctl.digest import canonical_json, pretty_json, sha256
from vendorctl.model import Json

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://cyclonedx.org/schema/bom-1.6.schema.json#vendorctl-release")
_LICENCE = "Apache-2.0"
_NONE = "NOASSERTION"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One pinned package, with the extras (or `core`) that install it and the packages that ask for it."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    expression: str
    extras: tuple[str, ...]
    asked_by: tuple[str, ...]

    @property
    def purl(self) -> str:
        """Its package URL (ECMA-427)."""
        return f"pkg:pypi/{self.name}@{self.version}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What the documents say. `archives` are the released files: name to SHA-256; `time` is the commit's."""

    version: str
    commit: str
    time: int
    archives: Mapping[str, str]
    parts: tuple[Part, ...]

    @property
    def purl(self) -> str:
        """The package URL of this release."""
        return f"pkg:pypi/{ROOT}@{self.version}"


def parts_of(locks: Mapping[str, tuple[Locked, ...]], policy: Policy) -> tuple[Part, ...]:
    """Every package of the locks for users, each pinned version once, by name and version."""
    found: dict[tuple[str, str], list[tuple[str, Locked]]] = {}
    for title in user_locks(locks):
        for row in locks[title]:
            found.setdefault((row.name, row.version), []).append((title, row))
    return tuple(_part(rows, policy) for _, rows in sorted(found.items()))


def _part(rows: list[tuple[str, Locked]], policy: Policy) -> Part:
    _, first = rows[0]
    return Part(
        name=first.name,
        version=first.version,
        marker=first.marker,
        hashes=tuple(sorted({digest for _, row in rows for digest in row.hashes})),
        expression=policy.expressions[first.name],
        extras=tuple(title for title, _ in rows),
        asked_by=tuple(sorted({name for _, row in rows for name in row.asked_by})),
    )


def cyclonedx(bill: Bill) -> bytes:
    """The CycloneDX 1.6 document (ECMA-424)."""
    document: dict[str, Json] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _root(bill)},
        "components": [_component(part) for part in bill.parts],
        "dependencies": [
            {"ref": ref, "dependsOn": [*wanted]} if wanted else {"ref": ref} for ref, wanted in _edges(bill).items()
        ],
    }
    serial = uuid.uuid5(_NAMESPACE, sha256(canonical_json(document)))
    return pretty_json({**document, "serialNumber": f"urn:uuid:{serial}"})


def _root(bill: Bill) -> Json:
    return {
        "type": "application",
        "bom-ref": bill.purl,
        "name": ROOT,
        "version": bill.version,
        "purl": bill.purl,
        "licenses": [{"expression": _LICENCE}],
        "externalReferences": [
            {"type": "distribution", "url": name, "hashes": [{"alg": "SHA-256", "content": digest}]}
            for name, digest in sorted(bill.archives.items())
        ],
        "properties": [{"name": "vendorctl:commit", "value": bill.commit}],
    }


def _component(part: Part) -> Json:
    properties = [("extra", each) for each in part.extras if each != CORE]
    properties += [("marker", part.marker)] if part.marker else []
    return {
        "type": "library",
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "purl": part.purl,
        "scope": "required" if CORE in part.extras else "optional",
        "licenses": [{"expression": part.expression}],
        # One file of these is what a machine installs, so they are no hashes of the component as such.
        "externalReferences": [
            {
                "type": "distribution",
                "url": part.purl,
                "hashes": [{"alg": "SHA-256", "content": digest} for digest in part.hashes],
            }
        ],
        "properties": [{"name": f"vendorctl:{name}", "value": value} for name, value in properties],
    }


def _edges(bill: Bill) -> dict[str, list[str]]:
    """What each package depends on, by purl: vendorctl first. A forked pin depends as its other versions do."""
    purls: dict[str, list[str]] = {ROOT: [bill.purl]}
    for part in bill.parts:
        purls.setdefault(part.name, []).append(part.purl)
    edges: dict[str, list[str]] = {purl: [] for each in purls.values() for purl in each}
    for part in bill.parts:
        for asker in part.asked_by:
            for purl in purls.get(asker, ()):
                edges[purl].append(part.purl)
    return edges


def spdx(bill: Bill) -> bytes:
    """The SPDX 2.3 document (ISO/IEC 5962)."""
    ids = {bill.purl: _spdx_id(ROOT, bill.version)} | {
        part.purl: _spdx_id(part.name, part.version) for part in bill.parts
    }
    direct = {part.purl: part for part in bill.parts}
    relations: list[Json] = [_relation("SPDXRef-DOCUMENT", "DESCRIBES", ids[bill.purl])]
    for purl, wanted in _edges(bill).items():
        for each in wanted:
            optional = purl == bill.purl and CORE not in direct[each].extras
            relations.append(
                _relation(ids[each], "OPTIONAL_DEPENDENCY_OF", ids[purl])
                if optional
                else _relation(ids[purl], "DEPENDS_ON", ids[each])
            )
    document: dict[str, Json] = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{ROOT}-{bill.version}",
        "creationInfo": {
            "created": datetime.fromtimestamp(bill.time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: {ROOT}-{bill.version}"],
        },
        "packages": [_described(bill, ids), *(_package(part, ids) for part in bill.parts)],
        "relationships": relations,
    }
    space = f"https://spdx.org/spdxdocs/{ROOT}-{bill.version}-{sha256(canonical_json(document))}"
    return pretty_json({**document, "documentNamespace": space})


def _described(bill: Bill, ids: Mapping[str, str]) -> Json:
    wheel = [digest for name, digest in sorted(bill.archives.items()) if name.endswith(".whl")]
    return _entry(ROOT, bill.version, ids[bill.purl], bill.purl, _LICENCE, wheel) | {
        "sourceInfo": f"commit {bill.commit}",
        "primaryPackagePurpose": "APPLICATION",
    }


def _package(part: Part, ids: Mapping[str, str]) -> Json:
    extras = ", ".join(each for each in part.extras if each != CORE)
    comment = f"extras: {extras}" if CORE not in part.extras else "installed always"
    entry = _entry(part.name, part.version, ids[part.purl], part.purl, part.expression, part.hashes)
    return entry | {"comment": f"{comment}; where {part.marker}" if part.marker else comment}


def _entry(
    name: str, version: str, identity: str, purl: str, expression: str, hashes: tuple[str, ...] | list[str]
) -> dict[str, Json]:
    return {
        "SPDXID": identity,
        "name": name,
        "versionInfo": version,
        "downloadLocation": _NONE,
        "filesAnalyzed": False,
        "licenseConcluded": expression,
        "licenseDeclared": expression,
        "copyrightText": _NONE,
        "supplier": _NONE,
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest} for digest in hashes],
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl},
        ],
    }


def _spdx_id(name: str, version: str) -> str:
    return f"SPDXRef-Package-{name}-{version}".replace("+", "-").replace("_", "-")


def _relation(subject: str, kind: str, related: str) -> Json:
    return {"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": related}
