# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Adding to and removing from YAML collections in the layout that they have: block or flow, one line or many."""

from __future__ import annotations

from collections.abc import Sequence

import yaml

from vendorctl.workspace.nodes import is_null
from vendorctl.workspace.render import Value, entry_lines, flow_text, item_lines, scalar_text
from vendorctl.workspace.spans import (
    end_of,
    insert_lines,
    is_alone,
    line_end,
    line_start,
    newline_of,
    put,
    remove_lines,
    start_of,
)


def add_key(text: str, mapping: yaml.MappingNode, key: str, value: Value, order: Sequence[str]) -> str:
    """Add a key to a mapping that has some: after the last one that `order` puts before it, else in front.

    A key that `order` does not know comes last, set off by a blank line if the others are.
    """
    last_value = mapping.value[-1][1]
    if mapping.flow_style:
        at = end_of(text, last_value)
        return f"{text[:at]}, {scalar_text(key, None, flow=True)}: {flow_text(value)}{text[at:]}"
    indent = mapping.value[0][0].start_mark.column
    lines = entry_lines(key, value)
    if key not in order:
        gap = [""] if _has_gaps(text, mapping) else []
        return insert_lines(text, end_of(text, last_value), gap + lines, indent)
    earlier = [entry for entry in mapping.value if entry[0].value in order[: order.index(key)]]
    if earlier:
        return insert_lines(text, end_of(text, earlier[-1][1]), lines, indent)
    at = start_of(mapping.value[0][0])
    newline = newline_of(text)
    return text[:at] + "".join(line + newline + " " * indent for line in lines) + text[at:]


def fill(text: str, empty: yaml.Node, key: yaml.Node | None, value: Value) -> str:
    """Give content to an empty value, ``{}`` or ``[]`` that belongs to `key` (None: inside brackets)."""
    lines = [line[2:] for line in entry_lines("", value)[1:]]
    if key is None or not lines or isinstance(value, str):
        return put(text, empty, flow_text(value))
    end = end_of(text, empty)
    rest = text[end : line_end(text, end)]
    cleared = text[: start_of(empty)].rstrip(" ") + rest.rstrip(" ") + text[end + len(rest) :]
    return insert_lines(cleared, start_of(key), lines, key.start_mark.column + 2)


def append(text: str, sequence: yaml.SequenceNode, item: Value) -> str:
    """Add an item at the end of a list that has some."""
    last = sequence.value[-1]
    end = end_of(text, last)
    if not sequence.flow_style:
        return insert_lines(text, end, item_lines(item), sequence.start_mark.column)
    new = scalar_text(item, last.style, flow=True) if isinstance(item, str) and _is_scalar(last) else flow_text(item)
    if not (is_alone(text, start_of(last), end) and last.start_mark.line > sequence.start_mark.line):
        return f"{text[:end]}, {new}{text[end:]}"
    comma = text[end : line_end(text, end)].lstrip().startswith(",")
    longer = insert_lines(text, end, [f"{new}," if comma else new], last.start_mark.column)
    return longer if comma else f"{longer[:end]},{longer[end:]}"


def remove(text: str, collection: yaml.CollectionNode, index: int, key: yaml.Node | None) -> str:
    """Take out one of the children. Without others, the collection that belongs to `key` becomes ``[]`` or ``{}``."""
    spans = [_span(text, child) for child in collection.value]
    start, end = spans[index]
    if len(spans) == 1:
        return _empty(text, collection, start, end, key)
    if not collection.flow_style:
        above = isinstance(collection, yaml.MappingNode)
        return remove_lines(text, _with_comments(text, start) if above else start, end)
    if is_alone(text, start, end) and line_start(text, start) > start_of(collection):
        return remove_lines(text, start, end)
    if index + 1 < len(spans):
        return text[:start] + text[spans[index + 1][0] :]
    return text[: spans[index - 1][1]] + text[end:]


def _empty(text: str, collection: yaml.CollectionNode, start: int, end: int, key: yaml.Node | None) -> str:
    brackets = "[]" if isinstance(collection, yaml.SequenceNode) else "{}"
    if collection.flow_style or key is None:
        return put(text, collection, brackets)
    colon = text.index(":", end_of(text, key)) + 1
    cleared = remove_lines(text, start, end)
    return f"{cleared[:colon]} {brackets}{cleared[colon:]}"


def _span(text: str, child: yaml.Node | tuple[yaml.Node, yaml.Node]) -> tuple[int, int]:
    if isinstance(child, tuple):
        return start_of(child[0]), end_of(text, child[1])
    return start_of(child), end_of(text, child)


def _is_scalar(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and not is_null(node)


def _has_gaps(text: str, mapping: yaml.MappingNode) -> bool:
    """Whether the entries of a block mapping are set off from each other by blank lines."""
    if len(mapping.value) < 2:
        return False
    between = text[end_of(text, mapping.value[-2][1]) : start_of(mapping.value[-1][0])]
    return any(not line.strip() for line in between.split("\n")[1:-1])


def _with_comments(text: str, start: int) -> int:
    """The start of the comment lines directly above `start` that are indented like it."""
    first = line_start(text, start)
    indent = text[first:start]
    while first > 0:
        above = line_start(text, first - 1)
        if not text[above:first].startswith(f"{indent}#"):
            break
        first = above
    return first
