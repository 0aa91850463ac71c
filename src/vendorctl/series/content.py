# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Three-way merge of one file's content: git's own line merge, plus what git leaves to people but is provable.

Two rules go beyond ``git merge-file``. A conflicting region in which one side did a *part* of what the other side did
is no conflict (upstream landed half of a patch, or the patch is half of what upstream did). And a merge that git calls
clean is doubted when it would leave the patch's lines in the file twice.
"""

from __future__ import annotations

import difflib
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from threading import get_ident
from types import TracebackType
from typing import TypeAlias

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.program import Git
from vendorctl.proc import Runner, run
from vendorctl.series.lines import split_lines

#: git's own notion of a binary file: a NUL within this many bytes (``buffer_is_binary`` in xdiff-interface.c).
_BINARY_WINDOW = 8000
_MARKER_SIZE = 7
#: White space and the punctuation that a formatter adds or moves; what is left survives reformatting.
_FORMATTING = b" \t\r\n\f\v,()'\"\\"
#: A run of added text shorter than this (without formatting) occurs by chance and proves nothing.
_TELLING = 16
#: Lines of a region beyond which nobody looks for a part.
_MAX_REGION = 400
#: Two sides that replace the same lines need to share only this much (``x=1``) to be seen as one change.
_SHARED = 3


@dataclass(frozen=True, slots=True)
class Labels:
    """What the three sides of a conflict are called in its markers: by commit and patch."""

    base: str = "base"
    ours: str = "upstream"
    theirs: str = "patch"


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of lines that both sides changed differently: the three texts."""

    base: bytes
    ours: bytes
    theirs: bytes


#: A merged file is a sequence of settled text and regions still in conflict.
Piece: TypeAlias = "bytes | Region"


@dataclass(frozen=True, slots=True)
class MergedContent:
    """The result for one file.

    `absorbed` counts regions settled because one side's change is a part of the other's; `twice` is the text that a
    clean merge would have left in the file two times, else empty.
    """

    pieces: tuple[Piece, ...]
    labels: Labels = Labels()
    marker_size: int = _MARKER_SIZE
    absorbed: int = 0
    twice: bytes = b""

    @property
    def regions(self) -> tuple[Region, ...]:
        """What is in conflict."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Region))

    @property
    def clean(self) -> bool:
        """True when the content may be used as it is."""
        return not self.regions and not self.twice

    def choose(self, pick: Callable[[Region], bytes]) -> bytes:
        """The content with each region replaced by what `pick` makes of it."""
        return b"".join(pick(piece) if isinstance(piece, Region) else piece for piece in self.pieces)

    def marked(self) -> bytes:
        """The content with conflict markers (diff3 style) around each region."""
        size, names = self.marker_size, self.labels

        def mark(region: Region) -> bytes:
            rows = (
                (b"<", names.ours.encode(), region.ours),
                (b"|", names.base.encode(), region.base),
                (b"=", b"", region.theirs),
            )
            text = b"".join(char * size + (b" " + name if name else b"") + b"\n" + body for char, name, body in rows)
            return text + b">" * size + b" " + names.theirs.encode() + b"\n"

        return self._warning() + self.choose(mark)

    def _warning(self) -> bytes:
        """A marked block on top for text that would stand twice: there is no region to mark."""
        if not self.twice:
            return b""
        ours, theirs, size = self.labels.ours.encode(), self.labels.theirs.encode(), self.marker_size
        note = b"%s already has these lines; keep one copy, then delete this block" % ours
        return b"<" * size + b" " + note + b"\n" + self.twice + b">" * size + b" " + theirs + b"\n"


def is_binary(content: bytes) -> bool:
    """Whether git would treat this content as binary, and so refuse to merge it line by line."""
    return b"\0" in content[:_BINARY_WINDOW]


@dataclass
class ContentMerger:
    """Merges contents with ``git merge-file``. Use it as a context: it owns a folder of temporary files.

    One merger serves a whole bump, in any number of threads; results are kept, so that asking again costs no process.
    """

    runner: Runner = run
    _folder: tempfile.TemporaryDirectory[str] | None = field(default=None, init=False)
    _known: dict[tuple[bytes, bytes, bytes], MergedContent] = field(default_factory=dict, init=False)

    def __enter__(self) -> ContentMerger:
        self._folder = tempfile.TemporaryDirectory(prefix="vendorctl-merge-")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def merge(self, base: bytes, ours: bytes, theirs: bytes, labels: Labels = Labels()) -> MergedContent:
        """Carry the change from `base` to `theirs` over to `ours`. None of the three may be binary."""
        if ours == theirs or base == theirs:
            return MergedContent((ours,), labels)
        if base == ours:
            return MergedContent((theirs,), labels)
        key = (base, ours, theirs)
        if key not in self._known:
            self._known[key] = self._merge(base, ours, theirs)
        found = self._known[key]
        return MergedContent(found.pieces, labels, found.marker_size, found.absorbed, found.twice)

    def _merge(self, base: bytes, ours: bytes, theirs: bytes) -> MergedContent:
        size = _free_marker_size(base, ours, theirs)
        merged, conflicts = self._run(base, ours, theirs, size, "merge")
        if not conflicts:
            twice = added_twice(base, ours, theirs, merged)
            return MergedContent((merged,), marker_size=size, twice=twice)
        # The diff3 style shows the base but settles less than git's merge does, so it only serves to show.
        merged, _ = self._run(base, ours, theirs, size, "diff3")
        open_end = not all(side.endswith(b"\n") for side in (base, ours, theirs))
        pieces, absorbed = _absorb(_pieces(merged, size), open_end=open_end)
        return MergedContent(pieces, marker_size=size, absorbed=absorbed)

    def _run(self, base: bytes, ours: bytes, theirs: bytes, size: int, style: str) -> tuple[bytes, int]:
        if self._folder is None:
            raise VendorError("a content merger is used outside its context", code=ExitCode.INTERNAL)
        folder = Path(self._folder.name) / str(get_ident())
        folder.mkdir(exist_ok=True)
        for name, content in (("ours", ours), ("base", base), ("theirs", theirs)):
            (folder / name).write_bytes(content)
        options = [f"--marker-size={size}", *(["--diff3"] if style == "diff3" else [])]
        git = Git(runner=self.runner, settings={"merge.conflictStyle": "merge"})
        names = [str(folder / name) for name in ("ours", "base", "theirs")]
        done = git.exact("merge-file", "-p", "-q", *options, *names, check=False)
        # The exit status is the number of conflicts, at most 127; above that, git failed.
        if not 0 <= done.status <= 127:
            raise VendorError(f"git merge-file failed: {done.error_text()}", code=ExitCode.INTERNAL)
        return done.stdout, done.status


def _marker(size: int) -> re.Pattern[bytes]:
    """Matches a line that is a conflict marker of this size."""
    return re.compile(rb"^(?:<{%d}|\|{%d}|={%d}|>{%d})(?:[ \r\n]|\Z)" % (size, size, size, size), re.MULTILINE)


def _free_marker_size(*contents: bytes) -> int:
    """The shortest marker that no line of the contents could be taken for."""
    size = _MARKER_SIZE
    while any(_marker(size).search(content) for content in contents):
        size += 1
    return size


def has_markers(content: bytes, size: int = _MARKER_SIZE) -> bool:
    """Whether a line of `content` is a conflict marker of `size` characters."""
    return _marker(size).search(content) is not None


def _pieces(merged: bytes, size: int) -> tuple[Piece, ...]:
    """Cut git's diff3 output at its markers, which no line of the contents resembles."""
    marker = _marker(size)
    sides: dict[bytes, list[bytes]] = {}
    pieces: list[Piece] = []
    into: list[bytes] = []
    for line in split_lines(merged):
        char = line[:1] if marker.match(line) else b""
        if char == b"<":
            pieces.append(b"".join(into))
            sides = {char: [] for char in (b"<", b"|", b"=")}
        elif char == b">":
            ours, base, theirs = (b"".join(sides[side]) for side in (b"<", b"|", b"="))
            pieces.append(Region(base, ours, theirs))
            into = []
            continue
        if char:
            into = sides[char]
        else:
            into.append(line)
    return (*pieces, b"".join(into))


def _absorb(pieces: Sequence[Piece], *, open_end: bool) -> tuple[tuple[Piece, ...], int]:
    """Settle each region in which one side's change is a part of the other's; count them.

    With `open_end` a region at the end of the file stays: there git prints a line end that not every side has.
    """
    settled: list[Piece] = []
    count = 0
    for number, piece in enumerate(pieces):
        at_end = not any(pieces[number + 1 :])
        wider = None
        if isinstance(piece, Region) and not (open_end and at_end):
            wider = _wider_side(piece)
        settled.append(piece if wider is None else wider)
        count += wider is not None
    return tuple(settled), count


def _wider_side(region: Region) -> bytes | None:
    base, ours, theirs = split_lines(region.base), split_lines(region.ours), split_lines(region.theirs)
    if _is_part(base, ours, theirs):
        return region.theirs
    if _is_part(base, theirs, ours):
        return region.ours
    return None


def _is_part(base: list[bytes], some: list[bytes], full: list[bytes]) -> bool:
    """Whether `some` is `base` with a part of the steps that lead from `base` to `full`.

    Then `full` includes everything that `some` changes, and in the same places. What `some` adds must be telling: two
    sides that only removed lines did the same when `full` only removes lines too.
    """
    if len(base) + len(full) > _MAX_REGION:
        return False
    ends = {0}
    for was, now in _steps(base, full):
        reached = ((start, option) for start in ends for option in _mixtures(was, now))
        ends = {start + len(option) for start, option in reached if some[start : start + len(option)] == option}
    if len(some) not in ends:
        return False
    added = b"".join((Counter(some) - Counter(base)).elements())
    adds_more = bool(Counter(full) - Counter(base))
    return len(added.translate(None, _FORMATTING)) >= _SHARED or not adds_more


def _steps(base: list[bytes], full: list[bytes]) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """From `base` to `full` in the smallest steps that are certain: line by line where the counts agree."""
    for tag, low, high, start, end in difflib.SequenceMatcher(None, base, full, autojunk=False).get_opcodes():
        was, now = base[low:high], full[start:end]
        if tag == "equal" or (was and now and len(was) != len(now)):
            yield was, now
        else:
            yield from (([one] if was else [], [two] if now else []) for one, two in zip_longest(was, now))


def _mixtures(was: list[bytes], now: list[bytes]) -> Iterator[list[bytes]]:
    """What a part of one step can look like: its beginning made and the rest not, or the other way round."""
    yield was
    yield now
    for count in range(1, len(now)):
        for kept in range(1, len(was)):
            yield now[:count] + was[kept:]
            yield was[:kept] + now[count:]


def added_twice(base: bytes, ours: bytes, theirs: bytes, merged: bytes) -> bytes:
    """The text that `theirs` added, that upstream also added, and that `merged` would hold once more; else empty.

    Compared without white space and the punctuation that formatters move. Only a merge in which at least half of what
    the patch adds would stand twice is reported: a single common line is no sign of a landed patch.
    """
    known = set(split_lines(base))
    runs: list[bytes] = [b""]
    for line in split_lines(theirs):
        if line in known:
            runs.append(b"")
        else:
            runs[-1] += line
    bare = {text: text.translate(None, _FORMATTING) for text in {base, ours, merged, *runs}}
    telling = [run for run in runs if len(bare[run]) >= _TELLING]
    doubled = [
        run
        for run in telling
        if bare[base].count(bare[run]) < bare[ours].count(bare[run]) < bare[merged].count(bare[run])
    ]
    weight = sum(len(bare[run]) for run in doubled)
    return b"".join(doubled) if doubled and 2 * weight >= sum(len(bare[run]) for run in telling) else b""
