# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What must not leave the house, and what upstream will ask for: checks of a submission's text and files.

All of them look at what the submission adds: upstream's own lines are upstream's business.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from vendorctl.errors import Location
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Entry, Tree
from vendorctl.licenses.facts import is_notice_file, scan
from vendorctl.model import Finding, Severity
from vendorctl.paths import display, display_text
from vendorctl.series.dressing import BEGIN, END, SIDECAR_SUFFIX
from vendorctl.series.lines import split_lines
from vendorctl.submit.carrying import Need
from vendorctl.submit.commits import Piece
from vendorctl.workspace.manifest import Upstream
from vendorctl.workspace.root import STATE_FOLDER, patches_dir, vendored_dir

#: Folders that exist on one machine or for one user only.
_MACHINE = r"(?:/home/|/Users/|/root/|[A-Za-z]:\\Users\\)[^\s\"'`:,;)]+|file:///[^\s\"'`,;)]+"


@dataclass(frozen=True)
class Privacy:
    """What counts as private: folders of this workspace, `names` of packages that only exist here, machine paths."""

    upstream: Upstream
    root: str

    def pattern(self) -> re.Pattern[str]:
        """Matches any private text in a line."""
        name, output = self.upstream.name, self.upstream.output or ""
        own = [self.root, f"{STATE_FOLDER}/", vendored_dir(name), f"{patches_dir(name)}/", BEGIN, END]
        packages = [rf"\b{re.escape(target)}\b" for target in self.upstream.rewrite_imports.values()]
        # A single word may be the name of anything; a longer path is ours.
        placed = [rf"(?<![\w/.-]){re.escape(output)}/"] if "/" in output else []
        return re.compile("|".join([*map(re.escape, own), *packages, *placed, _MACHINE]))


def check_needs(name: str, needs: Iterable[Need]) -> Iterator[Finding]:
    """Patches that the chosen ones cannot do without."""
    for need in needs:
        yield Finding(
            rule="VC280" if need.certain else "VC281",
            severity=Severity.ERROR if need.certain else Severity.WARNING,
            message=f"needs {need.needed.file_name} ({need.needed.title}): {need.because}",
            upstream=name,
            location=Location(f"{patches_dir(name)}/{need.patch.file_name}"),
            hint=f"send both: add {need.needed.number} to the command, or give --with-needed",
            data={"patch": need.patch.file_name, "needs": need.needed.file_name, "certain": need.certain},
        )


def check_pieces(name: str, pieces: Sequence[Piece], privacy: Privacy, blobs: Blobs) -> Iterator[Finding]:
    """Private text, missing signatures and licence headers, commit by commit."""
    pattern = privacy.pattern()
    for piece in pieces:
        report = _Reporter(name, piece)
        if not piece.wording.signed:
            yield report.finding("VC283", "nobody signed it off", "--signoff adds your git identity")
        for line in piece.wording.text.splitlines():
            if found := pattern.search(line):
                yield report.finding("VC282", f"its message says `{display_text(found[0])}`", "reword it: `patch edit`")
        for trailer in piece.wording.withheld:
            yield report.finding("VC289", f"the trailer `{display_text(trailer)}:` is not sent", None, Severity.NOTE)
        for path, (old, new) in piece.before.difference(piece.after).items():
            yield from _check_file(report, path, old, new, blobs, pattern)
            yield from _check_header(report, path, old, new, piece, blobs)


@dataclass(frozen=True)
class _Reporter:
    upstream: str
    piece: Piece

    def finding(self, rule: str, message: str, hint: str | None, severity: Severity = Severity.ERROR) -> Finding:
        """A finding about the patch file that a piece comes from."""
        file = self.piece.patch.file_name
        place = Location(f"{patches_dir(self.upstream)}/{file}")
        return Finding(rule=rule, message=message, severity=severity, upstream=self.upstream, location=place, hint=hint)


def _check_file(
    report: _Reporter, path: bytes, old: Entry | None, new: Entry | None, blobs: Blobs, pattern: re.Pattern[str]
) -> Iterator[Finding]:
    """Private text in the lines that a file gains, and files that only make sense here."""
    if path.endswith(SIDECAR_SUFFIX):
        yield report.finding("VC282", f"it adds {display(path)}, a change notice of ours", "drop the file")
    if new is None or not new.mode.is_blob:
        return
    before = Counter(split_lines(blobs[old.oid])) if old is not None and old.mode.is_blob else Counter()
    for number, line in enumerate(split_lines(blobs[new.oid]), start=1):
        if before[line]:
            before[line] -= 1
        elif found := pattern.search(line.decode("utf-8", "replace")):
            text = display_text(found[0])
            yield report.finding("VC282", f"line {number} of {display(path)} says `{text}`", "reword that line")


def _check_header(
    report: _Reporter, path: bytes, old: Entry | None, new: Entry | None, piece: Piece, blobs: Blobs
) -> Iterator[Finding]:
    """A header that gets lost, or that a new file lacks where the files beside it have one."""
    if new is None or not new.mode.is_regular or is_notice_file(path):
        return
    now = scan(path, blobs[new.oid])
    if old is not None and old.mode.is_regular:
        was = scan(path, blobs[old.oid])
        for gone in [*(set(was.expressions) - set(now.expressions)), *(set(was.copyrights) - set(now.copyrights))]:
            yield report.finding("VC284", f"{display(path)} loses `{display_text(gone)}`", "put the line back")
        return
    if now.expressions or now.copyrights or not blobs[new.oid]:
        return
    beside, having = _headers_beside(path, piece.before, blobs)
    if having * 2 > beside:
        yield report.finding(
            "VC284",
            f"{display(path)} has no licence header; {having} of the {beside} files beside it have one",
            "add the header that upstream uses",
        )


def _headers_beside(path: bytes, tree: Tree, blobs: Blobs) -> tuple[int, int]:
    """How many files of the same kind stand in the folder of `path`, and how many of them have a licence header."""
    folder, _, name = path.rpartition(b"/")
    kind = name.rpartition(b".")[2]
    contents: list[tuple[bytes, bytes]] = []
    for other, entry in tree.items():
        if other.rpartition(b"/")[0] == folder and other.rpartition(b".")[2] == kind and entry.mode.is_regular:
            try:
                contents.append((other, blobs[entry.oid]))
            except KeyError:
                continue
    found = [scan(other, content) for other, content in contents if content]
    return len(found), sum(bool(facts.expressions or facts.copyrights) for facts in found)
