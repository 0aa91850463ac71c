# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The licence audit of a workspace: is every file's licence known and permitted, and is every duty met?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from vendorctl.errors import Location, VendorError
from vendorctl.git.tree import Tree
from vendorctl.licenses.bill import FOLDER as SBOM_FOLDER
from vendorctl.licenses.bill import bill_findings
from vendorctl.licenses.check import check_documents, check_object_notices
from vendorctl.licenses.component import Component, licence_ids
from vendorctl.licenses.expressions import canonical
from vendorctl.licenses.facts import scan
from vendorctl.licenses.gather import gather
from vendorctl.licenses.licensed import Basis, Licensed, licence_of, workspace_path
from vendorctl.licenses.objects import read_built
from vendorctl.licenses.obligations import Duties, check_texts
from vendorctl.licenses.opinion import second_opinion
from vendorctl.licenses.policy import idle_curations, judge, terms_of
from vendorctl.model import Finding, Json, Report
from vendorctl.paths import display
from vendorctl.proc import Runner
from vendorctl.series.workspace import Standing
from vendorctl.workspace.lock import Lock, LockedFile, LockedUpstream
from vendorctl.workspace.manifest import LicensePolicy, Manifest, Upstream

SCHEMA = "vendorctl/audit/1"

#: Whole upstream trees at their pins, by upstream, for those that are known on this machine.
KnownTrees: TypeAlias = Mapping[str, Tree]


def audit(
    root: Path,
    manifest: Manifest,
    lock: Lock | None,
    *,
    runner: Runner | None = None,
    trees: KnownTrees | None = None,
    require: bool = False,
) -> Report:
    """Check every upstream. Offline and read-only.

    `runner` starts `reuse` for a second opinion; None leaves it out. `trees` tell of a NOTICE that was not selected.
    What is not restored on this machine is a note, and an error when `require` is true; what could not be looked at is
    counted.
    """
    locked = {} if lock is None else {name: lock.upstreams[name] for name in sorted(lock.upstreams)}
    known = [(manifest.upstreams[name], entry) for name, entry in locked.items() if name in manifest.upstreams]
    gathered = gather(root, manifest, lock, require=require)
    inspection = _Inspection(manifest.licenses, runner, trees or {})
    for component in gathered.components:
        inspection.visit(component, gathered.standings[component.name])
    findings = [
        *gathered.findings,
        *(finding for upstream, entry in known for finding in judge(upstream, entry, manifest.licenses)),
        *(idle_curations(manifest, lock) if lock is not None else ()),
        *inspection.findings,
        *check_texts(licence_ids(gathered.components), gathered.texts),
        *check_documents(root, gathered),
        *check_object_notices(root, gathered),
        *(bill_findings(root, gathered, read_built(root)) if (root / SBOM_FOLDER).is_dir() else ()),
    ]
    rows = [_Row.of(upstream, entry, manifest.licenses) for upstream, entry in known]
    inspection.counts["skipped documents"] += not (gathered.complete and gathered.contents)
    counts = {"upstreams": len(gathered.components), "files": sum(len(entry.files) for _upstream, entry in known)}
    return Report(
        schema=SCHEMA,
        title="audit",
        findings=tuple(findings),
        counts=counts | {name: number for name, number in sorted(inspection.counts.items()) if number},
        notes=(*(row.summary() for row in rows), *inspection.notes),
        data={"upstreams": [row.json() for row in rows]},
    )


@dataclass(slots=True)
class _Inspection:
    """Looks at the contents of one component after the other; counts what it sees, and what it cannot see."""

    policy: LicensePolicy
    runner: Runner | None
    trees: KnownTrees
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def visit(self, component: Component, standing: Standing) -> None:
        terms, tree = terms_of(component.upstream, self.policy), self.trees.get(component.name)
        self.findings += Duties(component, standing, terms).findings(tree)
        self.counts["modified files"] += len(component.modified)
        self.counts["unknown upstream trees"] += tree is None
        self.counts["absent patched trees"] += bool(component.modified) and not standing.folder.is_dir()
        self._recorded_facts(standing)
        self._second_opinion(standing)

    def _recorded_facts(self, standing: Standing) -> None:
        """Facts in the lock that the file does not state: the lock was edited, or an older version wrote it."""
        for file in standing.locked.files:
            if not file.mode.is_regular or file.facts.source not in {"", "header"}:
                continue
            try:
                content = standing.blobs[file.blob]
            except KeyError:
                self.counts["absent files"] += 1
                continue
            if scan(file.path, content) != file.facts:
                self.findings.append(_other_facts(standing.upstream.name, file, content))

    def _second_opinion(self, standing: Standing) -> None:
        name = standing.upstream.name
        trees = {"pristine": standing.applied.trees[0]}
        if standing.series.patches:
            trees["patched"] = standing.output
        for title, tree in trees.items():
            if self.runner is None:
                self.counts["skipped second opinions"] += 1
                continue
            try:
                self.findings += second_opinion(name, title, tree, standing.blobs, self.runner)
            except (VendorError, KeyError) as error:
                self.counts["skipped second opinions"] += 1
                reason = error.message if isinstance(error, VendorError) else "some of its files are not on disk"
                self.notes.append(f"no second opinion on the {title} tree of {name}: {reason}")


def _other_facts(upstream: str, file: LockedFile, content: bytes) -> Finding:
    said, recorded = (" + ".join(each.expressions) or "no licence" for each in (scan(file.path, content), file.facts))
    if said == recorded:
        message = "VENDOR.lock records other copyright lines than the file has"
    else:
        message = f"the file says {said}, VENDOR.lock records {recorded}"
    place = Location(workspace_path(upstream, file.path))
    hint = f"restore VENDOR.lock from git, or delete its entry and run `vendorctl sync {upstream}`"
    return Finding(rule="VC414", message=message, upstream=upstream, location=place, hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """The facts of one upstream, for the report."""

    name: str
    commit: str
    declared: str | None
    exempt: int
    numbers: Mapping[str, int]
    curated: tuple[str, ...]
    untagged: tuple[str, ...]
    mixed: tuple[str, ...]
    patches: int

    @classmethod
    def of(cls, upstream: Upstream, locked: LockedUpstream, policy: LicensePolicy) -> _Row:
        files = licence_of(locked, policy).values()
        judged = [file for file in files if not file.basis.is_exempt]
        return cls(
            name=upstream.name,
            commit=str(locked.commit),
            declared=upstream.license,
            exempt=len(files) - len(judged),
            numbers=Counter(file.expression or "unknown" for file in judged),
            curated=tuple(display(file.file.path) for file in judged if file.basis is Basis.CURATION),
            untagged=tuple(display(file.file.path) for file in judged if not file.file.facts.expressions),
            mixed=tuple(display(file.file.path) for file in judged if _is_mixed(file)),
            patches=len(locked.series),
        )

    def summary(self) -> str:
        """One line: how many files are under which licence, and how many of these a person decided."""
        ordered = sorted(self.numbers.items(), key=lambda item: (-item[1], item[0]))
        parts = [f"{number} {expression}" for expression, number in ordered]
        parts += [f"{self.exempt} without need of one"] if self.exempt else []
        curated = f"; {len(self.curated)} curated" if self.curated else ""
        return f"{self.name} {self.commit[:12]}: {', '.join(parts)}{curated}; {self.patches} patches"

    def json(self) -> dict[str, Json]:
        """The row as data."""
        return {
            "name": self.name,
            "commit": self.commit,
            "declared": self.declared,
            "exempt": self.exempt,
            "expressions": dict(sorted(self.numbers.items())),
            "curated": list(self.curated),
            "untagged": list(self.untagged),
            "mixed": list(self.mixed),
            "patches": self.patches,
        }


def _is_mixed(file: Licensed) -> bool:
    return len({canonical(text) for text in file.file.facts.expressions}) > 1
