# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What licences ask of whoever passes modified files on, checked on the files themselves.

The letters are those of Apache-2.0 section 4, the strictest of the usual ones: (a) a copy of the licence, (b) change
notices in modified files, (c) retained copyright notices, (d) the upstream's NOTICE. MIT and BSD ask for (a) and (c).
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import Location
from vendorctl.git.tree import Mode, Tree
from vendorctl.licenses.comments import comments
from vendorctl.licenses.component import Component, ShippedFile, is_notice_name
from vendorctl.licenses.expressions import is_valid
from vendorctl.licenses.facts import is_notice_file, scan
from vendorctl.licenses.licensed import workspace_path
from vendorctl.licenses.policy import Terms
from vendorctl.licenses.texts import Kind, is_full_text, recognise, shipped
from vendorctl.model import Finding, Severity
from vendorctl.paths import display
from vendorctl.series.dressing import BEGIN, undress
from vendorctl.series.patch import Patch
from vendorctl.series.workspace import Standing
from vendorctl.workspace.root import LICENSES_FOLDER, patched_dir

#: How alike a vanished and a new copyright line are when one is the other reworded.
_REWORDED = 0.6


def check_texts(ids: tuple[str, ...], texts: Mapping[str, bytes]) -> Iterator[Finding]:
    """4(a): a full text for every id. `texts` maps ids to the content of their file in `licenses/`."""
    for spdx_id in ids:
        place = Location(f"{LICENSES_FOLDER}/{spdx_id}.txt")
        known = shipped(spdx_id) is not None
        if spdx_id not in texts:
            hint = "run `vendorctl licenses`" if known else f"put the full text there, e.g. `reuse download {spdx_id}`"
            yield Finding(rule="VC410", message=f"the text of {spdx_id} is missing", location=place, hint=hint)
        elif not is_full_text(spdx_id, texts[spdx_id]):
            found, kind = recognise(texts[spdx_id])
            what = f"the {kind.value} of {found}" if found else "not its text word for word"
            hint = "run `vendorctl licenses`" if known else "put the full text there"
            yield Finding(
                rule="VC411", message=f"this is {what}, not the full text of {spdx_id}", location=place, hint=hint
            )


@dataclass(frozen=True, slots=True)
class Duties:
    """The duties of one component, checked against what is on disk."""

    component: Component
    standing: Standing
    terms: Terms

    def findings(self, upstream_tree: Tree | None = None) -> Iterator[Finding]:
        """Everything missed, in no particular order. `upstream_tree`: the whole tree at the pin, where it is known."""
        for file in self.component.files:
            if file.origin is None:
                yield from self._added(file)
            elif file.patches and file.mode is not Mode.SYMLINK:
                yield from self._retained(file, file.origin)
        yield from self._change_notices()
        yield from self._notice_files()
        yield from self._licence_files(upstream_tree)

    # -- (b) change notices ----------------------------------------------------------------------------------------

    def _change_notices(self) -> Iterator[Finding]:
        dressing = self.standing.dressing
        for path, insertion in dressing.insertions.items():
            content = _read(self.standing.folder, path)
            if content is not None:
                plain = undress(path, content)
                block = content[insertion.offset : insertion.offset + len(content) - len(plain)]
                if plain == content and BEGIN.encode() not in content:
                    yield self._notice("VC420", path, "was modified, but carries no change notice")
                elif block != insertion.text:
                    yield self._notice("VC421", path, "its change notice is not the one that the series gives")
        for path, text in dressing.sidecars.items():
            found = _read(self.standing.folder, path)
            if found is None and self.standing.folder.is_dir():
                yield self._notice("VC420", path, "the change notice of a modified file is missing")
            elif found is not None and found != text:
                yield self._notice("VC421", path, "this change notice is not the one that the series gives")

    def _notice(self, rule: str, path: bytes, message: str) -> Finding:
        name = self.component.name
        place = f"{patched_dir(self.component.upstream)}/{display(path)}"
        hint = f"run `vendorctl sync {name}`; it writes the notices"
        return Finding(rule=rule, message=message, upstream=name, location=Location(place), hint=hint)

    # -- (c) retained notices --------------------------------------------------------------------------------------

    def _retained(self, file: ShippedFile, origin: bytes) -> Iterator[Finding]:
        """Every copyright line and tag of the pristine file is still there, and which patch took it away if not."""
        pristine = self._text(self.standing.applied.trees[0], origin)
        patched = self._text(self.standing.applied.patched, file.path)
        if pristine is None or patched is None:
            return
        before, after = scan(origin, pristine), scan(file.path, patched)
        fresh = [line for line in after.copyrights if line not in before.copyrights]
        for line in before.copyrights:
            if line not in after.copyrights:
                reworded = difflib.get_close_matches(line, fresh, n=1, cutoff=_REWORDED)
                yield self._lost(file, line, reworded[0] if reworded else None)
        if before.expressions != after.expressions:
            was, now = (" + ".join(each.expressions) or "nothing" for each in (before, after))
            patch, number = self._culprit(file, "SPDX-License" + "-Identifier")
            message = f"changes the licence tag of {display(file.path)} from {was} to {now}"
            yield self._patch_finding("VC423", patch, number, message)
        granted = _grant(origin, pristine)
        if granted[0] and granted != _grant(file.path, patched):
            message = f"takes the {granted[1].value} of {granted[0]} out of the header of {display(file.path)}"
            yield self._patch_finding("VC426", file.patches[-1], None, message)

    def _text(self, tree: Tree, path: bytes) -> bytes | None:
        """The content of a regular file; None for other kinds, and where it is not on disk (which `verify` reports)."""
        entry = tree[path]
        try:
            return self.standing.blobs[entry.oid] if entry.mode.is_regular else None
        except KeyError:
            return None

    def _lost(self, file: ShippedFile, line: str, reworded: str | None) -> Finding:
        patch, number = self._culprit(file, line)
        where = display(file.path)
        if reworded is None:
            return self._patch_finding("VC422", patch, number, f"removes a copyright line from {where}: {line}")
        return self._patch_finding(
            "VC425", patch, number, f"rewords a copyright line in {where}", detail=f"- {line}\n+ {reworded}"
        )

    def _culprit(self, file: ShippedFile, line: str) -> tuple[Patch, int | None]:
        """The patch that removed `line` from a file, and where in the patch file."""
        wanted = line.encode()
        for patch in file.patches:
            for change in patch.changes:
                if change.path != file.path and len(patch.changes) > 1:
                    continue
                for hunk in change.hunks:
                    for index, row in enumerate(hunk.lines):
                        if row.sign == b"-" and wanted in row.text:
                            return patch, hunk.patch_line + 1 + index
        return file.patches[-1], None

    def _patch_finding(self, rule: str, patch: Patch, line: int | None, message: str, *, detail: str = "") -> Finding:
        name = self.component.name
        return Finding(
            rule=rule,
            message=message,
            upstream=name,
            location=Location(f"patches/{name}/{patch.file_name}", line),
            hint=f"keep it: `vendorctl patch edit {name} {patch.number}`, or add your own line next to it",
            detail=detail or None,
        )

    # -- files that patches add ------------------------------------------------------------------------------------

    def _added(self, file: ShippedFile) -> Iterator[Finding]:
        if file.basis.is_exempt or not file.mode.is_regular or not self._content(file.path):
            return
        patch, what = file.patches[0], f"adds {display(file.path)}"
        if not is_valid(file.expression):
            says = f"which says {file.expression!r}" if file.expression else "which states no licence"
            yield self._patch_finding("VC424", patch, None, f"{what}, {says}")
        elif not self.terms.permit(file.expression):
            rule = "VC405" if Terms((), self.terms.deny, frozenset()).permit(file.expression) else "VC406"
            yield self._patch_finding(rule, patch, None, f"{what} under {file.expression}, which is not permitted")

    def _content(self, path: bytes) -> bytes:
        return self.standing.blobs[self.standing.applied.patched[path].oid]

    # -- (d) NOTICE, and the upstream's own licence file -----------------------------------------------------------

    def _notice_files(self) -> Iterator[Finding]:
        for origin, descent in self.component.lineage.removed.items():
            if is_notice_name(origin):
                yield self._patch_finding("VC413", descent.patches[-1], None, f"deletes {display(origin)}")
        for file in self.component.modified:
            if file.origin is not None and is_notice_name(file.origin):
                before = self.standing.blobs[self.standing.applied.trees[0][file.origin].oid].splitlines()
                after = set(self._content(file.path).splitlines())
                gone = [line for line in before if line not in after]
                if gone:
                    text = gone[0].decode("utf-8", "replace").strip()
                    yield self._patch_finding(
                        "VC413", file.patches[-1], None, f"drops text from {display(file.path)}: {text}"
                    )

    def _licence_files(self, upstream_tree: Tree | None) -> Iterator[Finding]:
        name, taken = self.component.name, {file.path for file in self.component.locked.files}
        roots = [path for path in upstream_tree or () if b"/" not in path and is_notice_file(path)]
        for path in roots:
            if is_notice_name(path) and path not in taken:
                yield self._not_taken("VC413", f"upstream has {display(path)}, which is not vendored", path)
        if not any(is_notice_file(path) and not is_notice_name(path) for path in taken):
            candidates = [path for path in roots if not is_notice_name(path)]
            message = f"no licence file of {name} is vendored, so its copyright line is not carried"
            yield self._not_taken("VC412", message, candidates[0] if candidates else b"LICENSE", Severity.WARNING)
        for path, text in self.component.texts.items():
            found, kind = recognise(text)
            if kind is Kind.BOILERPLATE:
                yield Finding(
                    rule="VC417",
                    message=f"upstream's licence file is only the boilerplate of {found}, not its text",
                    severity=Severity.NOTE,
                    upstream=name,
                    location=Location(workspace_path(name, path)),
                    hint=f"nothing to do: the full text is {LICENSES_FOLDER}/{found}.txt",
                )

    def _not_taken(self, rule: str, message: str, path: bytes, severity: Severity = Severity.ERROR) -> Finding:
        return Finding(
            rule=rule,
            message=message,
            severity=severity,
            upstream=self.component.name,
            location=self.component.upstream.place("include"),
            hint=f'add "/{display(path)}" to `include:` of {self.component.name} and run `vendorctl sync`',
        )


def _grant(path: bytes, content: bytes) -> tuple[str, Kind]:
    """The licence whose words, rather than whose tag, stand in a file's comments."""
    return recognise(b"\n".join(comments(path, content)))


def _read(folder: Path, path: bytes) -> bytes | None:
    try:
        return (folder / path.decode("utf-8", "surrogateescape")).read_bytes()
    except OSError:
        return None
