# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where the nodes of a YAML text begin and end, and how text is put in or taken out without touching the rest."""

from __future__ import annotations

from typing import TypeAlias

import yaml

#: A piece of text as YAML data: what a comparison before and after an edit looks at.
Data: TypeAlias = "str | list[Data] | dict[str, Data]"


def data_of(node: yaml.Node) -> Data:
    """A node as plain data; every scalar is the text that it reads as."""
    if isinstance(node, yaml.MappingNode):
        return {key.value: data_of(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [data_of(item) for item in node.value]
    return str(node.value)


def start_of(node: yaml.Node) -> int:
    """Index of a node's first character."""
    return node.start_mark.index


def end_of(text: str, node: yaml.Node) -> int:
    """Index after a node's last character.

    A block collection ends with its last leaf: the parser's own mark lies behind the comments that follow.
    """
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return end_of(text, last[1] if isinstance(last, tuple) else last)
    if isinstance(node, yaml.ScalarNode) and node.style in {"|", ">"}:
        return start_of(node) + len(text[start_of(node) : node.end_mark.index].rstrip())
    return node.end_mark.index


def line_start(text: str, index: int) -> int:
    """Index of the first character of the line that `index` is in."""
    return text.rfind("\n", 0, index) + 1


def line_end(text: str, index: int) -> int:
    """Index of the line break (or of the text's end) after `index`."""
    end = text.find("\n", index)
    if end < 0:
        return len(text)
    return end - 1 if end > index and text[end - 1] == "\r" else end


def newline_of(text: str) -> str:
    """The line break that the text uses."""
    return "\r\n" if "\r\n" in text else "\n"


def insert_lines(text: str, after: int, lines: list[str], indent: int) -> str:
    """Put lines below the line that the character before `after` is in, indented by `indent` blanks."""
    at = line_end(text, after)
    newline = newline_of(text)
    block = "".join(newline + (" " * indent + line if line else "") for line in lines)
    return text[:at] + block + text[at:]


def put(text: str, node: yaml.Node, new: str) -> str:
    """Replace the characters of a node; an empty value (``key:``) gets a blank before it."""
    start, end = start_of(node), end_of(text, node)
    return text[:start] + (" " if start == end else "") + new + text[end:]


def remove_lines(text: str, start: int, end: int) -> str:
    """Take out the whole lines from the one `start` is in to the one before `end` is in."""
    first = line_start(text, start)
    last = line_end(text, end)
    if last < len(text):
        last = text.index("\n", last) + 1
    return text[:first] + text[last:]


def is_alone(text: str, start: int, end: int) -> bool:
    """Whether nothing but blanks, a comma and a comment shares the lines of ``text[start:end]``."""
    before = text[line_start(text, start) : start]
    after = text[end : line_end(text, end)].lstrip()
    after = after[1:].lstrip() if after.startswith(",") else after
    return not before.strip() and (not after or after.startswith("#"))
