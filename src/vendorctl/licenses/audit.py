# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The licence audit of a workspace: is every file's licence known and permitted, and is every duty met?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from vendorctl.errors import Location, VendorError
from vendorctl.git.tree import Tree
from vendorctl.licenses.check import check_documents, check_object_notices
from vendorctl.licenses.component import licence_ids
from vendorctl.licenses.expressions import canonical
from vendorctl.licenses.facts import scan
from vendorctl.licenses.gather import Gathered, gather
from vendorctl.licenses.licensed import Basis, Licensed, licence_of, workspace_path
from vendorctl.licenses.obligations import Duties, check_texts
from vendorctl.licenses.opinion import second_opinion
from vendorctl.licenses.policy import idle_curations, judge, terms_of
from vendorctl.model import Finding, Json, Report
from vendorctl.paths import display
from vendorctl.proc import Runner
from vendorctl.series.workspace import Standing
from vendorctl.workspace.lock import Lock, LockedUpstream
from vendorctl.workspace.manifest import Manifest

SCHEMA = "vendorctl/audit/1"


def audit(
    root: Path,
    manifest: Manifest,
    lock: Lock | None,
    *,
    runner: Runner | None = None,
    upstream_trees: Mapping[str, Tree] | None = None,
) -> Report:
    """Check every upstream. Offline and read-only.

    `runner` starts `reuse` for a second opinion; None leaves it out, which is counted. `upstream_trees` are whole
    upstream trees at their pins, for those that the cache knows: they tell of a NOTICE that was not selected.
    """
    gathered = gather(root, manifest, lock)
    locked = dict(lock.upstreams) if lock is not None else {}
    findings = list(gathered.findings)
    notes: list[str] = []
    for name in sorted(manifest.upstreams.keys() & locked.keys()):
        findings += judge(manifest.upstreams[name], locked[name], manifest.licenses)
    if lock is not None:
        findings += idle_curations(manifest, lock)
    for component in gathered.components:
        standing = gathered.standings[component.name]
        terms = terms_of(component.upstream, manifest.licenses)
        findings += Duties(component, standing, terms).findings((upstream_trees or {}).get(component.name))
        findings += _recorded_facts(standing)
        if runner is not None:
            findings += _ask_reuse(standing, runner, notes)
    findings += check_texts(licence_ids(gathered.components), gathered.texts)
    findings += check_documents(root, gathered)
    findings += check_object_notices(root, gathered)
    return Report(
        schema=SCHEMA,
        title="audit",
        findings=tuple(findings),
        counts=_counts(gathered, locked, runner),
        notes=tuple(notes),
        data={"upstreams": [_row(manifest, each, locked[each]) for each in sorted(manifest.upstreams.keys() & locked)]},
    )


def _recorded_facts(standing: Standing) -> list[Finding]:
    """Facts in the lock that the file does not state: the lock was edited, or an older version wrote it."""
    found = []
    for file in standing.locked.files:
        if file.mode.is_regular and file.facts.source in {"", "header"}:
            try:
                facts = scan(file.path, standing.blobs[file.blob])
            except KeyError:
                continue
            if facts != file.facts:
                place = Location(workspace_path(standing.upstream.name, file.path))
                said, recorded = (" + ".join(each.expressions) or "no licence" for each in (facts, file.facts))
                message = f"the file says {said}, VENDOR.lock records {recorded}"
                if said == recorded:
                    message = "VENDOR.lock records other copyright lines than the file has"
                hint = f"run `vendorctl sync {standing.upstream.name}`"
                found.append(
                    Finding(rule="VC414", message=message, upstream=standing.upstream.name, location=place, hint=hint)
                )
    return found


def _ask_reuse(standing: Standing, runner: Runner, notes: list[str]) -> list[Finding]:
    name = standing.upstream.name
    trees = [("pristine", standing.applied.trees[0])]
    if standing.series.patches:
        trees.append(("patched", standing.output))
    found: list[Finding] = []
    for title, tree in trees:
        try:
            found += second_opinion(name, title, tree, standing.blobs, runner)
        except VendorError as error:
            notes.append(f"no second opinion on the {title} tree of {name}: {error.message}")
        except KeyError:
            notes.append(f"no second opinion on the {title} tree of {name}: some of its files are not on disk")
    return found


def _counts(gathered: Gathered, locked: Mapping[str, LockedUpstream], runner: Runner | None) -> dict[str, int]:
    """What was checked, and what was skipped: a skip is never a pass."""
    modified = sum(len(component.modified) for component in gathered.components)
    bare = [each for each in gathered.standings.values() if each.dressing.insertions and not each.folder.is_dir()]
    counts = {
        "upstreams": len(gathered.components),
        "files": sum(len(each.files) for each in locked.values()),
        "modified files": modified,
        "patched trees not on disk": len(bare),
        "second opinions skipped": 0 if runner else len(gathered.components),
    }
    return {name: number for name, number in counts.items() if number or name in {"upstreams", "files"}}


def _row(manifest: Manifest, name: str, locked: LockedUpstream) -> Json:
    """The facts of one upstream for the report's table."""
    files = licence_of(locked, manifest.licenses).values()
    judged = [file for file in files if not file.basis.is_exempt]
    numbers = Counter(file.expression or "unknown" for file in judged)
    return {
        "name": name,
        "commit": str(locked.commit),
        "declared": manifest.upstreams[name].license,
        "files": len(locked.files),
        "exempt": len(files) - len(judged),
        "expressions": dict(sorted(numbers.items())),
        "curated": [display(file.file.path) for file in judged if file.basis is Basis.CURATION],
        "untagged": [display(file.file.path) for file in judged if not file.file.facts.expressions],
        "mixed": [display(file.file.path) for file in judged if _is_mixed(file)],
        "patches": len(locked.series),
    }


def _is_mixed(file: Licensed) -> bool:
    return len({canonical(text) for text in file.file.facts.expressions}) > 1
