# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Writing and checking the notices of a workspace, also those that travel with built objects."""

from __future__ import annotations

from pathlib import Path

from vendorctl.licenses.check import check_documents, check_object_notices
from vendorctl.licenses.component import licence_ids
from vendorctl.licenses.documents import documents, object_notices
from vendorctl.licenses.gather import Gathered, gather
from vendorctl.licenses.generated import export, write_generated
from vendorctl.licenses.objects import read_built
from vendorctl.licenses.obligations import check_texts
from vendorctl.model import Report
from vendorctl.workspace.lockfile import load_lock
from vendorctl.workspace.parse import load_manifest

SCHEMA = "vendorctl/licenses/1"


def publish_notices(root: Path, *, export_to: Path | None = None) -> Report:
    """Write every notice that is missing or out of date, in one transaction, and copy them to `export_to`.

    Raises VendorError when an upstream cannot be read: half the notices would look like all of them.
    """
    gathered = _load(root)
    gathered.require_complete()
    expected = documents(gathered.components, gathered.texts)
    beside = object_notices(gathered.components, gathered.texts, read_built(root))
    committed = write_generated(root, expected | beside, "licenses")
    if export_to is not None:
        export(expected, export_to)
    texts = {**gathered.texts} | {Path(path).stem: text for path, text in expected.items() if path.endswith(".txt")}
    changed = [path.decode("utf-8", "surrogateescape") for path in committed.changed]
    notes = [f"wrote {path}" for path in changed]
    if export_to is not None:
        notes.append(f"exported {len(expected)} files to {export_to}")
    return Report(
        schema=SCHEMA,
        title="licenses",
        findings=tuple(check_texts(licence_ids(gathered.components), texts)),
        counts={"documents": len(expected) + len(beside), "written": len(changed)},
        notes=tuple(notes),
        data={"documents": sorted(expected | beside), "written": list(changed)},
    )


def check_notices(root: Path, *, require: bool = False) -> Report:
    """Findings for every notice that is missing, edited or reworded. Read-only.

    What is not restored on this machine is a note, and an error when `require` is true.
    """
    gathered = _load(root, require=require)
    findings = [
        *gathered.findings,
        *check_texts(licence_ids(gathered.components), gathered.texts),
        *check_documents(root, gathered),
        *check_object_notices(root, gathered),
    ]
    return Report(
        schema=SCHEMA,
        title="licenses",
        findings=tuple(findings),
        counts={"documents": len(documents(gathered.components, gathered.texts))} if gathered.complete else {},
        notes=() if gathered.complete else ("no document was checked: an upstream is not there",),
    )


def _load(root: Path, *, require: bool = False) -> Gathered:
    return gather(root, load_manifest(root), load_lock(root), require=require)
