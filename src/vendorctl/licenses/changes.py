# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a bump does to licences: one locked state of an upstream against the next. No content is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from vendorctl.errors import Location
from vendorctl.git.oid import Oid
from vendorctl.licenses.component import is_notice_name
from vendorctl.licenses.expressions import combine
from vendorctl.licenses.facts import is_notice_file
from vendorctl.licenses.licensed import workspace_path
from vendorctl.model import Finding, Severity
from vendorctl.paths import display
from vendorctl.workspace.lock import LockedFile, LockedUpstream


def licence_changes(old: LockedUpstream, new: LockedUpstream) -> list[Finding]:
    """Findings about the way from `old` to `new`: licences that arrive, change or vanish, notices and licence files.

    They are warnings: whether the new state is permitted is the policy's to say, whether it is intended a person's.
    A file that only moved is compared with itself.
    """
    present = {file.path for file in new.files}
    moved = {file.blob: file for file in old.files if file.path not in present}
    step = _Step(old, new, {file.path: file for file in old.files}, moved)
    findings = [finding for file in new.files for finding in step.file(file)]
    return findings + list(step.gone())


@dataclass(frozen=True)
class _Step:
    old: LockedUpstream
    new: LockedUpstream
    by_path: Mapping[bytes, LockedFile]
    moved: Mapping[Oid, LockedFile]

    @cached_property
    def known(self) -> frozenset[str]:
        """Every licence that the old state had."""
        return frozenset(combine(file.facts.expressions) for file in self.old.files)

    def file(self, file: LockedFile) -> Iterator[Finding]:
        """What happened to one file of the new state."""
        before = self.by_path.get(file.path) or self.moved.get(file.blob)
        if before is not None and before.blob == file.blob:
            return
        if is_notice_file(file.path):
            yield self._legal_text(file, before)
            return
        now = combine(file.facts.expressions)
        was = combine(before.facts.expressions) if before is not None else None
        if before is None:
            yield from self._arrived(file, now)
        elif was and not now:
            yield self._finding("VC442", file, f"no longer says {was}")
        elif was != now:
            yield self._finding("VC441", file, f"changes from {was or 'no licence'} to {now}")
        if before is not None:
            for line in before.facts.copyrights:
                if line not in file.facts.copyrights:
                    yield self._finding("VC444", file, f"loses a copyright line: {line}")

    def _arrived(self, file: LockedFile, now: str) -> Iterator[Finding]:
        if not now and file.size:
            yield self._finding("VC442", file, "is new and states no licence")
        elif now and now not in self.known:
            yield self._finding("VC440", file, f"is new and brings {now}, which no file of {self.new.name} had")

    def _legal_text(self, file: LockedFile, before: LockedFile | None) -> Finding:
        what = "changes" if before is not None else "is new"
        return self._finding("VC443" if is_notice_name(file.path) else "VC445", file, what)

    def gone(self) -> Iterator[Finding]:
        """Licence and notice files that are not there any more."""
        present = {file.path for file in self.new.files}
        for file in self.old.files:
            if is_notice_file(file.path) and file.path not in present:
                yield self._finding("VC445", file, "is not there any more")

    def _finding(self, rule: str, file: LockedFile, message: str) -> Finding:
        return Finding(
            rule=rule,
            message=message,
            severity=Severity.WARNING,
            upstream=self.new.name,
            location=Location(workspace_path(self.new.name, file.path)),
            hint=f"compare {self.old.commit.short} with {self.new.commit.short} upstream",
            data={"path": display(file.path), "from": str(self.old.commit), "to": str(self.new.commit)},
        )
