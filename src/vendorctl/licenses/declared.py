# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What an upstream says about files elsewhere than in them: `.license` sidecars, REUSE.toml, `.reuse/dep5`.

Formats: REUSE specification 3.3 and Debian's machine-readable copyright format 1.0. One thing differs from REUSE on
purpose: where such a statement would override what a file says itself, both are kept, so that the contradiction is
seen and decided by a person.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from vendorctl.git.tree import Tree
from vendorctl.licenses.facts import scan
from vendorctl.workspace.lock import LicenseFacts

SIDECAR = b".license"
TOML = b"REUSE.toml"
DEP5 = b".reuse/dep5"

#: What sync calls for each file: its path and content.
Scanner: TypeAlias = Callable[[bytes, bytes], LicenseFacts]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One annotation: the paths that it speaks of, what it says, and whether the file's own words come before it."""

    matches: Callable[[str], bool]
    facts: LicenseFacts
    yields_to_file: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """All such statements of one upstream, the nearest first."""

    sidecars: Mapping[bytes, LicenseFacts]
    statements: tuple[Statement, ...]

    def facts(self, path: bytes, own: LicenseFacts) -> LicenseFacts:
        """The facts of a file whose own header says `own`."""
        sidecar = self.sidecars.get(path)
        if sidecar is not None:
            return _joined(sidecar, own)
        text = path.decode("utf-8", "surrogateescape")
        statement = next((each for each in self.statements if each.matches(text)), None)
        if statement is None:
            return own
        return _filled(own, statement.facts) if statement.yields_to_file else _joined(statement.facts, own)


def declaration_paths(tree: Container[bytes], selected: Iterable[bytes]) -> list[bytes]:
    """Files of the whole upstream tree that may speak about the `selected` ones: fetch these along with them."""
    wanted = {DEP5}
    for path in selected:
        wanted.add(path + SIDECAR)
        folder = path
        while folder:
            folder = folder.rpartition(b"/")[0]
            wanted.add(folder + b"/" + TOML if folder else TOML)
    return sorted(path for path in wanted if path in tree)


def read_declarations(contents: Mapping[bytes, bytes]) -> Declarations:
    """Read the files that `declaration_paths` named.

    A malformed one says nothing, so that files which rely on it show up as files without a licence.
    """
    sidecars: dict[bytes, LicenseFacts] = {}
    statements: list[tuple[int, list[Statement]]] = []
    for path, content in contents.items():
        try:
            if path.endswith(SIDECAR):
                sidecars[path.removesuffix(SIDECAR)] = replace(scan(b"sidecar.txt", content), source="sidecar")
            elif path == DEP5:
                statements.append((-1, _read_dep5(content)))
            else:
                folder = path.rpartition(b"/")[0]
                depth = folder.count(b"/") + 1 if folder else 0
                statements.append((depth, _read_toml(folder.decode(), content)))
        except (ValueError, TypeError, KeyError, AttributeError, IndexError):
            continue
    statements.sort(key=lambda item: -item[0])
    # Within one file the last statement that matches counts.
    ordered = [statement for _depth, group in statements for statement in reversed(group)]
    return Declarations(sidecars=sidecars, statements=tuple(ordered))


def scanner(declarations: Declarations) -> Scanner:
    """A scanner like `facts.scan` that also knows what the upstream declares about each file."""
    return lambda path, content: declarations.facts(path, scan(path, content))


def survey(whole: Tree, selected: Tree, read: Callable[[Sequence[bytes]], Mapping[bytes, bytes]]) -> Scanner:
    """The scanner for one upstream: `whole` is its tree at the pin, `read` gives contents of paths of it."""
    paths = declaration_paths(whole, selected)
    return scanner(read_declarations(read(paths))) if paths else scan


def scan_tree(contents: Mapping[bytes, bytes], declarations: Declarations) -> dict[bytes, LicenseFacts]:
    """The facts of every file of a tree, by path."""
    look = scanner(declarations)
    return {path: look(path, content) for path, content in contents.items()}


def _joined(declared: LicenseFacts, own: LicenseFacts) -> LicenseFacts:
    return replace(
        declared,
        expressions=tuple(dict.fromkeys((*declared.expressions, *own.expressions))),
        copyrights=tuple(dict.fromkeys((*declared.copyrights, *own.copyrights))),
    )


def _filled(own: LicenseFacts, declared: LicenseFacts) -> LicenseFacts:
    """REUSE's `closest`: each kind of fact comes from the file if it has one, else from the statement."""
    expressions = own.expressions or declared.expressions
    copyrights = own.copyrights or declared.copyrights
    if (expressions, copyrights) == (own.expressions, own.copyrights):
        return own
    return LicenseFacts(expressions=expressions, copyrights=copyrights, source=declared.source)


def _read_toml(folder: str, content: bytes) -> list[Statement]:
    document: dict[str, Any] = tomllib.loads(content.decode())
    prefix = _literal(f"{folder}/" if folder else "")
    found = []
    for annotation in document.get("annotations", []):
        globs = [(*prefix, *_toml_glob(glob)) for glob in _texts(annotation["path"])]
        found.append(
            Statement(
                matches=_any_of(globs),
                facts=LicenseFacts(
                    expressions=_texts(annotation.get("SPDX-License" + "-Identifier", [])),
                    copyrights=_texts(annotation.get("SPDX-FileCopyright" + "Text", [])),
                    source="reuse-toml",
                ),
                yields_to_file=annotation.get("precedence", "closest") == "closest",
            )
        )
    return found


def _texts(value: Any) -> tuple[str, ...]:
    """A string or a list of strings, as TOML may have either."""
    items = [value] if isinstance(value, str) else value
    if not all(isinstance(item, str) for item in items):
        raise TypeError("expected a string or a list of strings")
    return tuple(items)


def _toml_glob(glob: str) -> Glob:
    r"""REUSE.toml's globs: ``*`` stays within a folder, ``**`` does not, a backslash escapes."""
    parts = re.findall(r"\\.|\*\*/?|\*|[^*\\]+|\\", glob, re.DOTALL)
    # As the reference implementation has it: a slash behind ** counts as part of what ** matches, so it may be absent.
    special = {"**": _ANYTHING, "**/": _ANYTHING, "*": _NAME_PART}
    tokens: list[str] = []
    for part in parts:
        tokens += [special[part]] if part in special else _literal(part[1:] if part[0] == "\\" and part[1:] else part)
    return tuple(tokens)


def _read_dep5(content: bytes) -> list[Statement]:
    found = []
    for paragraph in re.split(r"\n[ \t]*\n", content.decode()):
        fields = _dep5_fields(paragraph)
        if "files" in fields:
            globs = [_dep5_glob(glob) for glob in fields["files"].split()]
            found.append(
                Statement(
                    matches=_any_of(globs),
                    facts=LicenseFacts(
                        expressions=(fields["license"].splitlines()[0].strip(),),
                        copyrights=tuple(line.strip() for line in fields["copyright"].splitlines() if line.strip()),
                        source="dep5",
                    ),
                    yields_to_file=False,
                )
            )
    return found


def _dep5_fields(paragraph: str) -> dict[str, str]:
    """Deb822 fields: a name, a colon, a value that goes on over indented lines."""
    fields: dict[str, str] = {}
    name = ""
    for line in paragraph.splitlines():
        if line[:1] in {" ", "\t"} and name:
            fields[name] += "\n" + line
        elif ":" in line and not line.startswith("#"):
            name, _, value = line.partition(":")
            name = name.strip().lower()
            fields[name] = value.strip()
    return fields


def _dep5_glob(glob: str) -> Glob:
    """Debian's globs: ``*`` and ``?`` match any character, slashes included."""
    special = {"*": _ANYTHING, "?": _ONE}
    return tuple(special.get(char) or re.escape(char) for char in glob)


#: A glob as regular expressions, one for each literal character or wildcard.
Glob: TypeAlias = "tuple[str, ...]"
_ANYTHING, _NAME_PART, _ONE = ".*", "[^/]*", "."


def _literal(text: str) -> Glob:
    return tuple(re.escape(char) for char in text)


def _any_of(globs: Iterable[Glob]) -> Callable[[str], bool]:
    """Whether a path matches one of the globs.

    Backtracking costs the path's length to the power of the wildcards, and both come from upstream: globs with more
    than two wildcards are matched one character at a time instead.
    """
    quick: list[str] = []
    careful: list[Glob] = []
    for glob in globs:
        if sum(token in {_ANYTHING, _NAME_PART} for token in glob) <= 2:
            quick.append("".join(glob))
        else:
            careful.append(glob)
    pattern = re.compile("|".join(quick), re.DOTALL) if quick else None
    return lambda text: bool(pattern and pattern.fullmatch(text)) or any(_walk(glob, text) for glob in careful)


def _walk(glob: Glob, text: str) -> bool:
    """Match by keeping every place in the glob where the text read so far may have led."""
    live = _skip_wildcards(glob, {0})
    for char in text:
        step = {at + 1 for at in live if at < len(glob) and re.fullmatch(glob[at], char, re.DOTALL)}
        stay = {
            at
            for at in live
            if at < len(glob) and glob[at] in {_ANYTHING, _NAME_PART} and re.fullmatch(glob[at], char, re.DOTALL)
        }
        live = _skip_wildcards(glob, step | stay)
    return len(glob) in live


def _skip_wildcards(glob: Glob, live: set[int]) -> set[int]:
    """The places, and those behind wildcards that match nothing."""
    reached = set(live)
    for at in range(min(live, default=0), len(glob)):
        if at in reached and glob[at] in {_ANYTHING, _NAME_PART}:
            reached.add(at + 1)
    return reached
