# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Globs for `include:` and `exclude:`: the pattern language of gitignore(5), compiled to regular expressions.

A glob selects a path when it matches the path itself or a folder above it.

- ``*`` and ``?`` match anything but ``/``; ``[a-z]``, ``[!a-z]`` and ``[[:digit:]]`` one byte that is not ``/``.
- ``**/`` at the start or after a slash matches any number of folders, also none; ``/**`` at the end everything inside.
  Any other ``**`` is a ``*``.
- A glob with a slash at its start or inside is anchored at the upstream's root; any other one matches at every depth.
- A slash at the end makes the glob match folders (and submodules) only.
- A backslash takes the next character literally. Letter case counts.

Unlike in a gitignore file, ``!`` at the start is an error, and neither ``#`` nor blanks at the end mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from vendorctl.errors import Location, VendorError

#: The ASCII classes that ``[[:name:]]`` may use.
_CLASSES = {
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb" \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"!-~",
    b"lower": rb"a-z",
    b"print": rb" -~",
    b"punct": rb"!-/:-@\[-`{-~",
    b"space": rb" \t\n\r\f\v",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}


@dataclass(frozen=True, slots=True)
class Glob:
    """One compiled glob: its text, and the expression that a selected path matches as a whole."""

    text: str
    pattern: re.Pattern[bytes]

    def matches(self, path: bytes) -> bool:
        """True when the glob selects the path. A submodule's path is given with a slash at its end."""
        return self.pattern.fullmatch(path) is not None


def compile_glob(text: str, *, location: Location | None = None) -> Glob:
    """Compile one glob. Raises VendorError (exit code 3) when it can never match or means something else in git."""
    return Glob(text, re.compile(_expression(text, location), re.DOTALL))


def compile_union(globs: Iterable[str]) -> Glob:
    """One glob that selects what any of `globs` selects (nothing, when there are none)."""
    parts = [_expression(text, None) for text in globs]
    return Glob("", re.compile(b"|".join(parts) if parts else rb"(?!)", re.DOTALL))


def _expression(text: str, location: Location | None) -> bytes:
    if text.startswith("!"):
        raise VendorError(
            f"a glob cannot be negated: {text!r}",
            hint="name what shall stay out under `exclude:`; write \\! for a name that starts with !",
            location=location,
        )
    glob = text.encode("utf-8", "surrogateescape")
    folders_only = glob.endswith(b"/") and not glob.endswith(b"\\/")
    glob = glob[:-1] if folders_only else glob
    anchored = b"/" in glob
    glob = glob[1:] if glob.startswith(b"/") else glob
    problem = "it is empty" if not glob else "it has an empty path component" if _has_empty_name(glob) else ""
    try:
        body = _body(glob, anywhere=not anchored)
    except ValueError as error:
        problem = problem or str(error)
        body = b""
    if problem:
        raise VendorError(f"the glob {text!r} matches nothing: {problem}", location=location)
    below = rb"/.*" if folders_only else rb"(?:/.*)?"
    return rb"(?:%s%s)" % (body, below)


def _has_empty_name(glob: bytes) -> bool:
    return glob.startswith(b"/") or glob.endswith(b"/") or b"//" in glob


class _Body:
    """The expression of a glob under construction, which takes time in proportion to a path's length, whatever it is.

    A glob with several stars can match in very many ways, and upstream chooses the paths. But the first way is as good
    as any: what stands between two stars has a fixed length, so its first occurrence leaves the most for the rest.
    Atomic groups (``(?>...)``) hold on to it instead of trying the others.
    """

    def __init__(self, *, anywhere: bool) -> None:
        self._done: list[bytes] = []
        self._deep = anywhere
        self._names: list[bytes] = []
        self._chunks = [b""]

    def add(self, expression: bytes) -> None:
        """Exactly one byte of a name."""
        self._chunks[-1] += expression

    def star(self) -> None:
        """Any part of a name."""
        self._chunks.append(b"")

    def slash(self) -> None:
        """The end of a name that another follows."""
        self._end_name()
        self._names.append(b"/")

    def folders(self) -> None:
        """Any number of folders, in place of a name with its slash."""
        self._end_part()
        self._deep = True

    def _end_name(self) -> None:
        first, *others = self._chunks
        if others:
            first += b"".join(rb"(?>[^/]*?%s)" % chunk for chunk in others[:-1])
            first = rb"(?>%s[^/]*%s(?=/|\Z))" % (first, others[-1])
        self._names.append(first)
        self._chunks = [b""]

    def _end_part(self, boundary: bytes = b"") -> None:
        """End the names that stand together between two runs of folders."""
        part = b"".join(self._names) + boundary
        self._names = []
        if part:
            self._done.append(rb"(?>(?:[^/]*+/)*?%s)" % part if self._deep else part)
            self._deep = False

    def end(self) -> bytes:
        """The expression for a path that ends here or, being a folder, goes on."""
        self._end_name()
        self._end_part(rb"(?=/|\Z)")
        return b"".join(self._done)

    def end_inside(self) -> bytes:
        """The expression for everything in the folder that was named last."""
        self._end_part()
        return b"".join(self._done) + rb".+"


def _body(glob: bytes, *, anywhere: bool) -> bytes:
    """The expression for a glob without its outer slashes; `anywhere`: below any folder.

    Raises ValueError for an unfinished bracket or escape.
    """
    body = _Body(anywhere=anywhere)
    at = 0
    while at < len(glob):
        if glob[at] == ord("*"):
            end = at + len(glob[at:]) - len(glob[at:].lstrip(b"*"))
            # Two or more stars are special between slashes only.
            special = end - at > 1 and (at == 0 or glob[at - 1 : at] == b"/")
            if special and glob[end : end + 1] == b"/":
                body.folders()
                end += 1
            elif special and at and end == len(glob):
                return body.end_inside()
            else:
                body.star()
            at = end
        elif glob[at] == ord("?"):
            body.add(rb"[^/]")
            at += 1
        elif glob[at] == ord("["):
            expression, at = _bracket(glob, at + 1)
            body.add(expression)
        else:
            at += glob[at] == ord("\\")
            if at == len(glob):
                raise ValueError("it ends in a backslash")
            if glob[at] == ord("/"):
                body.slash()
            else:
                body.add(re.escape(glob[at : at + 1]))
            at += 1
    return body.end()


def _bracket(glob: bytes, at: int) -> tuple[bytes, int]:
    """The expression for a bracket whose first byte is at `at`, and where the glob goes on.

    As in git's wildmatch.c: ``]`` first is literal, ranges compare bytes, a reversed range is its first byte.
    """
    negated = glob[at : at + 1] in {b"!", b"^"}
    at += negated
    start = at
    allowed: list[bytes] = []
    while glob[at : at + 1] != b"]" or at == start:
        if glob.startswith(b"[:", at) and b":]" in glob[at + 2 :]:
            end = glob.index(b":]", at + 2)
            name = glob[at + 2 : end]
            if name not in _CLASSES:
                raise ValueError(f"there is no class [:{name.decode('utf-8', 'replace')}:]")
            allowed.append(_CLASSES[name])
            at = end + 2
            continue
        first, at = _bracket_byte(glob, at)
        last = first
        if glob[at : at + 1] == b"-" and glob[at + 1 : at + 2] not in {b"]", b""}:
            last, at = _bracket_byte(glob, at + 1)
        allowed.append(rb"\x%02x-\x%02x" % (first, max(first, last)))
    return (b"[^/%s]" if negated else b"(?!/)[%s]") % b"".join(allowed), at + 1


def _bracket_byte(glob: bytes, at: int) -> tuple[int, int]:
    at += glob[at : at + 1] == b"\\"
    if at >= len(glob):
        raise ValueError("a bracket is not closed")
    return glob[at], at + 1
