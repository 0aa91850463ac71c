# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Generated notices against what generating them again gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from vendorctl.errors import Location
from vendorctl.licenses.component import Component
from vendorctl.licenses.documents import NOTICE, THIRD_PARTY, documents, lost_lines, object_notices
from vendorctl.licenses.gather import Gathered
from vendorctl.licenses.generated import check_generated, read_generated
from vendorctl.licenses.objects import read_built
from vendorctl.licenses.texts import is_full_text
from vendorctl.model import Finding
from vendorctl.workspace.root import LICENSES_FOLDER

COMMAND = "vendorctl licenses"


def check_documents(root: Path, gathered: Gathered) -> list[Finding]:
    """Findings for THIRD_PARTY_LICENSES.md, NOTICE and the texts in licenses/.

    A copyright line that a document lacks or rewords has its own rule; a document wrong in that way gets no other.
    """
    if not gathered.components or not gathered.complete:
        return []
    expected = documents(gathered.components, gathered.texts)
    present = read_generated(root, expected)
    reworded = list(_reworded(gathered.components, present))
    unsound = {finding.location.path for finding in reworded if finding.location}
    unsound |= {path for path in expected if _is_bad_text(path, present)}
    rest = {path: content for path, content in expected.items() if path not in unsound}
    findings = check_generated(rest, present, command=COMMAND, missing="VC432", edited="VC430")
    return [*reworded, *findings]


def check_object_notices(root: Path, gathered: Gathered) -> list[Finding]:
    """Findings for the notices beside built objects; no objects, none needed."""
    if not gathered.complete:
        return []
    expected = object_notices(gathered.components, gathered.texts, read_built(root))
    present = read_generated(root, expected)
    return list(check_generated(expected, present, command=COMMAND, missing="VC436", edited="VC436"))


def _is_bad_text(path: str, present: Mapping[str, bytes]) -> bool:
    """Whether `check_texts` reports this file already, as missing or as no full text."""
    folder, _, name = path.rpartition("/")
    return folder == LICENSES_FOLDER and (
        path not in present or not is_full_text(name.removesuffix(".txt"), present[path])
    )


def _reworded(components: tuple[Component, ...], present: Mapping[str, bytes]) -> Iterator[Finding]:
    """Copyright lines and NOTICE text that the documents on disk do not carry word for word."""
    for path in (THIRD_PARTY, NOTICE):
        for component in components if path in present else ():
            for line in lost_lines(component, path, present[path]):
                yield Finding(
                    rule="VC431",
                    message=f"a notice of {component.name} is missing or reworded: {line}",
                    upstream=component.name,
                    location=Location(path),
                    hint=f"run `{COMMAND}`",
                )
