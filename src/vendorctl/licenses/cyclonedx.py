# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A CycloneDX 1.6 document (ECMA-424) of everything vendored and built.

Each upstream is a component with a pedigree: the ancestor it was taken from, and its patches in series order with their
differences. Deterministic: no time, and a serial number made from the content.
"""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Iterator
from urllib.parse import quote

from vendorctl import __version__
from vendorctl.digest import canonical_json, pretty_json, sha256
from vendorctl.licenses.component import Component, ShippedFile
from vendorctl.licenses.expressions import is_valid
from vendorctl.licenses.objects import Built
from vendorctl.licenses.purl import web_url
from vendorctl.model import Json
from vendorctl.paths import percent_encode
from vendorctl.series.patch import Patch

PATH = "sbom/vendored.cdx.json"

#: Name space of the serial numbers (RFC 9562, version 5).
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://cyclonedx.org/schema/bom-1.6.schema.json#vendorctl")
_URL = re.compile(r"https?://[^\s,]+")
_ROOT = "vendored"


def cyclonedx(components: tuple[Component, ...], built: tuple[Built, ...]) -> bytes:
    """The document's bytes."""
    document: dict[str, Json] = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "tools": {"components": [{"type": "application", "name": "vendorctl", "version": __version__}]},
            "component": {"type": "application", "bom-ref": _ROOT, "name": _ROOT},
        },
        "components": [*map(_component, components), *_objects(built)],
        "dependencies": _dependencies(components, built),
    }
    serial = uuid.uuid5(_NAMESPACE, sha256(canonical_json(document)))
    return pretty_json({**document, "serialNumber": f"urn:uuid:{serial}"})


def reference(component: Component) -> str:
    """How other entries refer to a component."""
    return f"upstream:{component.name}"


def _component(component: Component) -> Json:
    described: dict[str, Json] = {
        "type": "library",
        "bom-ref": reference(component),
        "name": component.name,
        "version": component.version,
        "purl": component.own_purl,
        "licenses": _licenses(component.expression),
        "copyright": "\n".join(component.copyrights),
        "pedigree": _pedigree(component),
        "externalReferences": [{"type": "vcs", "url": component.locked.url}] if web_url(component.locked.url) else [],
        "properties": [
            {"name": "vendorctl:commit", "value": str(component.locked.commit)},
            {"name": "vendorctl:pristine-tree", "value": str(component.locked.tree.oid)},
            {"name": "vendorctl:patched-tree", "value": str(component.tree.oid)},
            *({"name": f"vendorctl:sha256:{p.file_name}", "value": sha256(p.raw)} for p in component.patches),
        ],
        "components": [_file(component, file) for file in component.files],
    }
    return {name: value for name, value in described.items() if value not in ("", [])}


def _licenses(expression: str) -> list[Json]:
    return [{"expression": expression}] if is_valid(expression) else []


def _file(component: Component, file: ShippedFile) -> Json:
    described: dict[str, Json] = {
        "type": "file",
        "bom-ref": f"{reference(component)}/{percent_encode(file.path)}",
        "name": percent_encode(file.path),
        "hashes": [{"alg": "SHA-256", "content": file.sha256}] if file.sha256 else [],
        "licenses": _licenses(file.expression),
        "copyright": "\n".join(file.copyrights),
        "properties": list(_file_properties(file)),
    }
    return {name: value for name, value in described.items() if value not in ("", [])}


def _file_properties(file: ShippedFile) -> Iterator[Json]:
    if file.origin is None:
        yield {"name": "vendorctl:origin", "value": "added by a patch"}
    elif file.origin != file.path:
        yield {"name": "vendorctl:origin", "value": percent_encode(file.origin)}
    if file.patches:
        numbers = " ".join(f"{patch.number:04d}" for patch in file.patches)
        yield {"name": "vendorctl:patches", "value": numbers}


# -- pedigree ----------------------------------------------------------------------------------------------------------


def _pedigree(component: Component) -> Json:
    """Where a component comes from and what was done to it, in the order in which it was done."""
    commit, web = str(component.locked.commit), web_url(component.locked.url)
    taken: dict[str, Json] = {"uid": commit}
    if web:
        taken["url"] = f"{web}/commit/{commit}"
    ancestor: dict[str, Json] = {
        "type": "library",
        "bom-ref": f"{reference(component)}@pristine",
        "name": component.name,
        "version": commit,
        "purl": component.purl,
    }
    pedigree: dict[str, Json] = {"ancestors": [ancestor], "commits": [taken]}
    if component.patches:
        pedigree["patches"] = [_patch(component, patch) for patch in component.patches]
        pedigree["notes"] = "The patches apply in the order given, each exactly onto what the one before it leaves."
    return pedigree


def _patch(component: Component, patch: Patch) -> Json:
    url = f"patches/{component.name}/{quote(patch.file_name)}"
    described: dict[str, Json] = {"type": _patch_type(patch), "diff": {"text": _attachment(patch.raw), "url": url}}
    if resolves := list(_resolves(patch)):
        described["resolves"] = resolves
    return described


def _patch_type(patch: Patch) -> str:
    """CycloneDX's word for a patch's `Origin:`."""
    origin = patch.trailers.origin.partition(",")[0].strip().lower()
    return {"backport": "backport", "upstream": "cherry-pick"}.get(origin, "unofficial")


def _attachment(raw: bytes) -> Json:
    try:
        return {"contentType": "text/x-patch", "content": raw.decode()}
    except UnicodeDecodeError:
        return {"contentType": "text/x-patch", "encoding": "base64", "content": base64.b64encode(raw).decode()}


def _resolves(patch: Patch) -> Iterator[Json]:
    """Issues and pull requests that the trailers name; a patch that fixes a bug names it in `Bug:` or `Fixes:`."""
    trailers = patch.trailers
    named = [("enhancement", text) for text in (trailers.forwarded, trailers.origin)]
    named += [("defect", text) for name, text in trailers.other if name.lower() in {"bug", "fixes", "closes"}]
    for kind, text in named:
        for url in _URL.findall(text):
            yield {"type": kind, "id": url, "name": patch.title, "references": [url]}


# -- objects -----------------------------------------------------------------------------------------------------------


def _objects(built: tuple[Built, ...]) -> Iterator[Json]:
    for each in built:
        yield {
            "type": "application",
            "bom-ref": each.folder,
            "name": f"{each.operation} for {each.target}",
            "properties": [
                {"name": "vendorctl:operation", "value": each.operation},
                {"name": "vendorctl:target", "value": each.target},
            ],
            "components": [
                {
                    "type": "file",
                    "bom-ref": item.path,
                    "name": item.path,
                    "hashes": [{"alg": "SHA-256", "content": item.sha256}],
                    "properties": [{"name": "vendorctl:input", "value": item.input}],
                }
                for item in each.objects
            ],
        }


def _dependencies(components: tuple[Component, ...], built: tuple[Built, ...]) -> list[Json]:
    """The whole depends on everything, and objects on the upstream that they were compiled from."""
    known = {component.name: reference(component) for component in components}
    top = [*known.values(), *(each.folder for each in built)]
    rows: list[Json] = [{"ref": _ROOT, "dependsOn": [*top]}]
    rows += [{"ref": each.folder, "dependsOn": [known[each.upstream]]} for each in built if each.upstream in known]
    return rows
