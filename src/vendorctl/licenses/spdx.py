# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An SPDX 2.3 document of everything vendored and built.

What is shipped is a package that is a VARIANT_OF the upstream's; patch files are PATCH_FOR it, in series order; objects
are GENERATED_FROM it. Deterministic: the name space is made from the content, and the creation time that the format
insists on is that of the newest patch.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from vendorctl import __version__
from vendorctl.digest import canonical_json, pretty_json, sha256
from vendorctl.licenses.component import Component, ShippedFile, licence_ids
from vendorctl.licenses.expressions import is_valid, parse
from vendorctl.licenses.markdown import decode
from vendorctl.licenses.objects import Built, BuiltObject
from vendorctl.licenses.purl import repository, web_url
from vendorctl.model import Json
from vendorctl.paths import percent_encode
from vendorctl.series.patch import Patch

PATH = "sbom/vendored.spdx.json"

_DOCUMENT = "SPDXRef-DOCUMENT"
_NONE = "NOASSERTION"
#: The date of a document about nothing: SPDX insists on one.
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def spdx(components: tuple[Component, ...], built: tuple[Built, ...], texts: Mapping[str, bytes]) -> bytes:
    """The document's bytes. `texts` are licence texts by id: SPDX wants those of ids that it does not know."""
    parts = [_Part(component) for component in components]
    objects = [item for each in built for item in each.objects]
    document: dict[str, Json] = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": _DOCUMENT,
        "name": "vendored",
        "creationInfo": {
            "created": _created(components).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": [f"Tool: vendorctl-{__version__}"],
        },
        "packages": [*(package for part in parts for package in part.packages()), *map(_object_package, objects)],
        "files": [file for part in parts for file in part.files()],
        "relationships": [*(row for part in parts for row in part.relations()), *_object_relations(built, parts)],
    }
    if extracted := _extracted(components, texts):
        document["hasExtractedLicensingInfos"] = extracted
    space = f"https://spdx.org/spdxdocs/vendorctl-{sha256(canonical_json(document))}"
    return pretty_json({**document, "documentNamespace": space})


def _created(components: tuple[Component, ...]) -> datetime:
    """The newest date of a patch: a fact of the state, where the clock is none."""
    dates = []
    for patch in (patch for component in components for patch in component.patches):
        try:
            date = parsedate_to_datetime(patch.date)
        except (TypeError, ValueError):
            continue
        dates.append(date.astimezone(UTC) if date.tzinfo else date.replace(tzinfo=UTC))
    return max([_EPOCH, *dates])


def _ref(kind: str, text: str) -> str:
    """An SPDX id: readable where it can be, unique always."""
    readable = re.sub(r"[^A-Za-z0-9.-]+", "-", text).strip("-")[-60:]
    return f"SPDXRef-{kind}-{readable}-{sha256(text.encode())[:12]}"


def _relation(subject: str, kind: str, related: str, comment: str = "") -> Json:
    row: dict[str, Json] = {"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": related}
    return row | {"comment": comment} if comment else row


def _checksums(content: bytes) -> list[Json]:
    # usedforsecurity=False: SPDX 2.3 makes SHA-1 mandatory; SHA-256 stands beside it.
    sha1 = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    return [
        {"algorithm": "SHA1", "checksumValue": sha1},
        {"algorithm": "SHA256", "checksumValue": sha256(content)},
    ]


class _Part:
    """The entries of one component."""

    def __init__(self, component: Component) -> None:
        self.component = component
        self.shipped = _ref("Package", component.name)
        self.pristine = _ref("Upstream", component.name)
        # Links are text in git and nothing on their own; submodules have no content here.
        self.regular = [file for file in component.files if file.mode.is_regular]
        self.contents = {file.path: component.content(file.path) for file in self.regular}

    def packages(self) -> Iterator[Json]:
        """What is shipped, and what it was taken from."""
        component = self.component
        location = self._location()
        yield {
            "SPDXID": self.pristine,
            "name": component.name,
            "versionInfo": str(component.locked.commit),
            "downloadLocation": location,
            "filesAnalyzed": False,
            "licenseConcluded": _NONE,
            "licenseDeclared": component.upstream.license or _NONE,
            "copyrightText": _NONE,
            "supplier": _NONE,
            "externalRefs": [_purl(component.purl)],
        }
        yield {
            "SPDXID": self.shipped,
            "name": component.name,
            "versionInfo": component.version,
            "downloadLocation": _NONE if component.patches else location,
            "filesAnalyzed": bool(self.regular),
            **({"packageVerificationCode": {"packageVerificationCodeValue": self._code()}} if self.regular else {}),
            **({"licenseInfoFromFiles": self._ids()} if self.regular else {}),
            "licenseConcluded": component.expression or _NONE,
            "licenseDeclared": component.upstream.license or _NONE,
            "copyrightText": "\n".join(component.copyrights) or _NONE,
            "supplier": _NONE,
            "externalRefs": [_purl(component.own_purl)],
            "primaryPackagePurpose": "SOURCE",
            "sourceInfo": f"{len(component.files)} files of commit {component.locked.commit}"
            + (f", with {len(component.patches)} patches" if component.patches else ""),
            "attributionTexts": [decode(text) for _path, text in sorted(component.notices.items())],
        }

    def _location(self) -> str:
        found, url = repository(self.component.locked.url), web_url(self.component.locked.url)
        return f"git+{url}.git@{self.component.locked.commit}" if found and url else _NONE

    def _code(self) -> str:
        """SPDX 2.3, 7.9: the SHA-1 of all files' SHA-1s, sorted, joined."""
        sums = sorted(hashlib.sha1(text, usedforsecurity=False).hexdigest() for text in self.contents.values())
        return hashlib.sha1("".join(sums).encode(), usedforsecurity=False).hexdigest()

    def _ids(self) -> list[Json]:
        found = {part for file in self.regular if is_valid(file.expression) for part in _info(file.expression)}
        return [*sorted(found)] or [_NONE]

    def files(self) -> Iterator[Json]:
        """The shipped files, then the patches in series order."""
        for file in self.regular:
            yield self._file(file)
        for patch in self.component.patches:
            yield {
                "SPDXID": self._patch_ref(patch),
                "fileName": f"./patches/{self.component.name}/{patch.file_name}",
                "fileTypes": ["SOURCE"],
                "checksums": _checksums(patch.raw),
                "licenseConcluded": _NONE,
                "licenseInfoInFiles": [_NONE],
                "copyrightText": _NONE,
                "comment": patch.title,
            }

    def _file(self, file: ShippedFile) -> Json:
        valid = is_valid(file.expression)
        described: dict[str, Json] = {
            "SPDXID": self._file_ref(file),
            "fileName": f"./vendored/{self.component.name}/{percent_encode(file.path)}",
            "checksums": _checksums(self.contents[file.path]),
            "licenseConcluded": file.expression if valid else _NONE,
            "licenseInfoInFiles": [*_info(file.expression)] if valid else [_NONE],
            "copyrightText": "\n".join(file.copyrights) or "NONE",
        }
        if file.modified or file.origin is None:
            numbers = ", ".join(f"{patch.number:04d}" for patch in file.patches)
            described["comment"] = f"modified by {numbers}" if file.origin is not None else f"added by {numbers}"
        return described

    def _file_ref(self, file: ShippedFile) -> str:
        return _ref("File", f"{self.component.name}/{percent_encode(file.path)}")

    def _patch_ref(self, patch: Patch) -> str:
        return _ref("Patch", f"{self.component.name}/{patch.file_name}")

    def relations(self) -> Iterator[Json]:
        """The document describes what is shipped; that is a variant of upstream, patched in this order."""
        yield _relation(_DOCUMENT, "DESCRIBES", self.shipped)
        yield _relation(self.shipped, "VARIANT_OF", self.pristine)
        for file in self.regular:
            yield _relation(self.shipped, "CONTAINS", self._file_ref(file))
        count = len(self.component.patches)
        for position, patch in enumerate(self.component.patches, 1):
            comment = f"{position} of {count}, in this order: {patch.title}"
            yield _relation(self._patch_ref(patch), "PATCH_FOR", self.pristine, comment)


def _info(expression: str) -> tuple[str, ...]:
    """The licences in a file, one by one; an exception stands with its licence."""
    return tuple(sorted({term for terms in parse(expression).alternatives for term in terms}))


def _purl(purl: str) -> Json:
    return {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}


def _object_package(item: BuiltObject) -> Json:
    """An object as a package: SPDX asks for the SHA-1 of files, which manifests do not record, but not of packages."""
    return {
        "SPDXID": _ref("Object", item.path),
        "name": item.path.rpartition("/")[2],
        "packageFileName": f"./{item.path}",
        "downloadLocation": _NONE,
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": item.sha256}],
        "primaryPackagePurpose": "FILE",
        "licenseConcluded": _NONE,
        "licenseDeclared": _NONE,
        "copyrightText": _NONE,
        "supplier": _NONE,
    }


def _object_relations(built: tuple[Built, ...], parts: list[_Part]) -> Iterator[Json]:
    shipped = {part.component.name: part.shipped for part in parts}
    for each in built:
        if each.upstream in shipped:
            for item in each.objects:
                yield _relation(_ref("Object", item.path), "GENERATED_FROM", shipped[each.upstream])


def _extracted(components: tuple[Component, ...], texts: Mapping[str, bytes]) -> list[Json]:
    own = [spdx_id for spdx_id in licence_ids(components) if spdx_id.startswith("LicenseRef-")]
    return [
        {"licenseId": spdx_id, "name": spdx_id, "extractedText": decode(texts.get(spdx_id, b"")) or _NONE}
        for spdx_id in own
    ]
