# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""YAML text as nodes, and typed reading of nodes. Every problem is collected with its place; none is guessed away.

Scalars are read as the text that was written: an all-digit commit id never becomes a number, `no` never a boolean.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

import yaml

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.paths import display_text
from vendorctl.workspace.schema import Kind, keys_of

#: No manifest that people edit is larger or deeper; bounds memory and recursion.
MAX_CHARACTERS = 4_000_000
MAX_DEPTH = 20

_LOADER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff\ufffe\uffff]"
)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_NULLS = {"", "~", "null", "Null", "NULL"}


class Problems:
    """What is wrong with one file, in the order in which it was found."""

    def __init__(self, file: str) -> None:
        self.file = file
        self._found: list[VendorError] = []

    def place(self, node: yaml.Node) -> Location:
        """Where a node begins."""
        return Location(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def add(self, place: yaml.Node | Location, message: str, hint: str | None = None) -> None:
        """Note one problem."""
        location = place if isinstance(place, Location) else self.place(place)
        self._found.append(VendorError(message, hint=hint, location=location, code=ExitCode.INVALID))

    def raise_first(self) -> None:
        """Raise the problem that stands first in the file, if there is one; its hint counts and lists the others."""
        if not self._found:
            return
        first, *others = sorted(
            self._found,
            key=lambda error: (error.location.line or 0, error.location.column or 0) if error.location else (),
        )
        if others:
            listed = "".join(f"\n  {error}" for error in others[:9])
            more = f"\n  and {len(others) - 9} more" if len(others) > 9 else ""
            first.hint = "\n".join(filter(None, [first.hint, f"{len(others)} more to correct:{listed}{more}"]))
        raise first


def compose(text: str, file: str) -> yaml.Node | None:
    """The one document of a YAML text as nodes; None when there is nothing but comments.

    Raises VendorError (exit code 3) with line and column for broken YAML, and for what a manifest may not use: aliases,
    anchors, tags, several documents, invisible characters.
    """
    if len(text) > MAX_CHARACTERS:
        raise VendorError(f"{file} has {len(text)} characters; the limit is {MAX_CHARACTERS}", location=Location(file))
    hidden = _FORBIDDEN.search(text)
    if hidden:
        hint = "save the file without a byte order mark" if hidden[0] == "\ufeff" else "remove the character"
        raise _refused(
            f"the character U+{ord(hidden[0]):04X} is not allowed", _locate(text, hidden.start(), file), hint
        )
    try:
        _screen(text, file)
        node: yaml.Node | None = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = Location(file, mark.line + 1, mark.column + 1) if mark else Location(file)
        hint = "indent with spaces" if "\t" in text else "check indentation, quotes and colons at and above this line"
        raise _refused(f"not valid YAML: {error.problem or error.context}", place, hint) from error
    return node


def _screen(text: str, file: str) -> None:
    """Refuse constructs by their events, before composing could expand them."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=_LOADER):
        mark = event.start_mark
        place = Location(file, mark.line + 1, mark.column + 1) if mark else Location(file)
        if isinstance(event, yaml.AliasEvent):
            raise _refused("YAML aliases are not allowed", place, "write the value out")
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
            raise _refused("YAML anchors are not allowed", place, "remove the `&…`")
        if getattr(event, "tag", None) is not None:
            raise _refused("YAML tags are not allowed", place, "remove the `!…`")
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
        if documents > 1:
            raise _refused("more than one YAML document", place, "remove the `---` line")
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > MAX_DEPTH:
            raise _refused("nested too deeply", place, None)


def _refused(message: str, place: Location, hint: str | None) -> VendorError:
    return VendorError(message, location=place, hint=hint, code=ExitCode.INVALID)


def _locate(text: str, index: int, file: str) -> Location:
    return Location(file, text.count("\n", 0, index) + 1, index - text.rfind("\n", 0, index))


def is_plain(node: yaml.Node) -> bool:
    """Whether a node is a scalar without quotes (libyaml gives it the style "", PyYAML's own parser None)."""
    return isinstance(node, yaml.ScalarNode) and not node.style


def is_null(node: yaml.Node) -> bool:
    """Whether a node is an empty value (``key:``), or YAML's null."""
    return is_plain(node) and node.value in _NULLS


def suggestion(word: str, known: Iterable[str], what: str) -> str:
    """A hint for an unknown word: ``did you mean 'softmax'?``, or what there is: ``operations: a, b``."""
    names = sorted(known)
    near = nearest(word, names)
    return f"did you mean {near!r}?" if near else f"{what}: {', '.join(names) or 'none'}"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known name that a mistyped word was probably meant to be."""
    found = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return found[0] if found else None


class Section:
    """A mapping whose keys the schema knows. `where` is its path there, `label` what messages call it.

    Reading a key that has the wrong type notes a problem and gives the empty value, so that the rest is still read.
    """

    def __init__(self, problems: Problems, node: yaml.Node, where: str, label: str) -> None:
        self.problems = problems
        self.node = node
        self.label = label
        self._where = where
        self.nodes: dict[str, yaml.Node] = {}
        self.places: dict[str, Location] = {"": problems.place(node)}
        known = keys_of(where)
        for key, key_node, value in pairs(problems, node, label):
            if key not in known:
                close = nearest(key, known)
                hint = f"did you mean `{close}`?" if close else f"known keys: {', '.join(known)}"
                problems.add(key_node, f"unknown key {display_text(key)!r} in {label}", hint)
                continue
            self.nodes[key] = value
            self.places[key] = problems.place(value) if not is_null(value) else problems.place(key_node)
        for key, facts in known.items():
            if facts.required and key not in self.nodes and isinstance(node, yaml.MappingNode):
                problems.add(node, f"{label} lacks the key {key!r}", facts.doc)

    def text(self, key: str) -> str | None:
        """A one-line text; None when the key is absent or wrong."""
        node = self.nodes.get(key)
        return scalar(self.problems, node, key) if node is not None else None

    def prose(self, key: str) -> str:
        """A text whose line breaks are only layout; empty when the key is absent or wrong."""
        node = self.nodes.get(key)
        return prose(self.problems, node, key) if node is not None else ""

    def number(self, key: str) -> int | None:
        """A whole number that is not negative."""
        node = self.nodes.get(key)
        if node is None:
            return None
        if not is_plain(node) or not _NUMBER.fullmatch(node.value):
            self.problems.add(node, f"{key} must be a {Kind.NUMBER}, written plainly in decimal digits")
            return None
        return int(node.value)

    def items(self, key: str) -> list[yaml.Node]:
        """The nodes of a list; empty when the key is absent, empty or wrong."""
        node = self.nodes.get(key)
        if node is None or is_null(node):
            return []
        if not isinstance(node, yaml.SequenceNode):
            self.problems.add(node, f"{key} must be a list", f"write it as `{key}: [...]`")
            return []
        for index, item in enumerate(node.value):
            self.places[f"{key}[{index}]"] = self.problems.place(item)
        return list(node.value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of one-line texts, none of them twice."""
        found: dict[str, None] = {}
        for item in self.items(key):
            text = scalar(self.problems, item, f"each item of {key}")
            if text is not None and text in found:
                self.problems.add(item, f"{display_text(text)!r} is listed twice in {key}", "remove one")
            elif text is not None:
                found[text] = None
        return tuple(found)

    def text_pairs(self, key: str) -> dict[str, str]:
        """A mapping of free names to one-line texts."""
        node = self.nodes.get(key)
        if node is None or is_null(node):
            return {}
        found: dict[str, str] = {}
        for name, _key_node, value in pairs(self.problems, node, key):
            text = scalar(self.problems, value, f"{key}.{name}")
            if text is not None:
                found[name] = text
                self.places[f"{key}.{name}"] = self.problems.place(value)
        return found

    def section(self, key: str) -> Section | None:
        """A section below this one; None when it is absent or empty."""
        node = self.nodes.get(key)
        if node is None or is_null(node):
            return None
        return Section(self.problems, node, f"{self._where}.{key}".lstrip("."), key)

    def sections(self, key: str) -> list[Section]:
        """A list of sections below this one."""
        return [self.item_section(key, item) for item in self.items(key)]

    def item_section(self, key: str, item: yaml.Node) -> Section:
        """One item of a list as a section."""
        return Section(self.problems, item, f"{self._where}.{key}[]", f"an item of {key}")


def pairs(problems: Problems, node: yaml.Node, label: str) -> list[tuple[str, yaml.Node, yaml.Node]]:
    """Key, key node and value node of a mapping, without the keys that are wrong or repeated."""
    if not isinstance(node, yaml.MappingNode):
        problems.add(node, f"{label} must be a mapping (`key: value` lines)")
        return []
    found: dict[str, tuple[str, yaml.Node, yaml.Node]] = {}
    for key_node, value in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            problems.add(key_node, f"a key in {label} must be text")
        elif key_node.value == "<<":
            problems.add(key_node, "YAML merge keys are not allowed", "write the values out")
        elif key_node.value in found:
            line = found[key_node.value][1].start_mark.line + 1
            message = f"the key {display_text(key_node.value)!r} is given twice in {label}"
            problems.add(key_node, message, f"the first is on line {line}; remove one of them")
        else:
            found[key_node.value] = (key_node.value, key_node, value)
    return list(found.values())


def scalar(problems: Problems, node: yaml.Node, what: str) -> str | None:
    """A one-line text as written, without quotes. Notes a problem and gives None for anything else."""
    if not isinstance(node, yaml.ScalarNode):
        problems.add(node, f"{what} must be text, not a {'list' if isinstance(node, yaml.SequenceNode) else 'mapping'}")
        return None
    text: str = node.value
    if is_null(node) or not text:
        problems.add(node, f"{what} is empty", "give it a value, or remove the key")
        return None
    if _FORBIDDEN.search(text) or not text.isprintable() or text != text.strip():
        problems.add(node, f"{what} must be one line of printable text without blanks at its ends")
        return None
    return text


def prose(problems: Problems, node: yaml.Node, what: str) -> str:
    """Text over one or several lines, with every run of blanks as one space."""
    if not isinstance(node, yaml.ScalarNode) or is_null(node) or not node.value.strip():
        problems.add(node, f"{what} must be a sentence")
        return ""
    text = " ".join(node.value.split())
    if _FORBIDDEN.search(text):
        problems.add(node, f"{what} contains an invisible character")
    return text
