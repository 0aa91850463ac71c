# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Edits of VENDOR.yaml by the tool. Each replaces, adds or removes the characters of one value and nothing else.

Comments, quoting, order, blank lines and line ends survive. Every result is parsed again: its data must be that of
before with exactly the wanted change, and it must be a valid manifest; else there is an error and no result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import yaml

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.workspace import layout
from vendorctl.workspace.manifest import FILE_NAME, Manifest
from vendorctl.workspace.nodes import compose, is_null
from vendorctl.workspace.parse import parse_manifest
from vendorctl.workspace.render import Value, scalar_text
from vendorctl.workspace.schema import keys_of
from vendorctl.workspace.spans import Data, data_of, put

#: Keys and list positions from the top of the file: ``("upstreams", "flydsl", "include", 0)``.
NodePath: TypeAlias = "tuple[str | int, ...]"


def set_value(manifest: Manifest, upstream: str, key: str, value: str) -> str:
    """The manifest's text with one key of an upstream set: replaced in its quoting style, or added in its place.

    Raises VendorError when the result would not be a valid manifest.
    """
    return set_at(manifest.text, ("upstreams", upstream, key), value)


def append_item(manifest: Manifest, upstream: str, key: str, item: Value) -> str:
    """The manifest's text with one more item in a list of an upstream (`include`, `hold`, `not_taken`, ...)."""
    return append_at(manifest.text, ("upstreams", upstream, key), item)


def remove_item(manifest: Manifest, upstream: str, key: str, index: int) -> str:
    """The manifest's text without one item of a list of an upstream."""
    return remove_at(manifest.text, ("upstreams", upstream, key, index))


def add_upstream(text: str, name: str, fields: Mapping[str, Value]) -> str:
    """The text with one more upstream, after the others, its keys in the schema's order."""
    order = list(keys_of("upstreams.*"))
    ordered = {key: fields[key] for key in sorted(fields, key=order.index)}
    return set_at(text, ("upstreams", name), ordered)


def remove_upstream(text: str, name: str) -> str:
    """The text without an upstream and the comment lines that stand directly above it."""
    return remove_at(text, ("upstreams", name))


def append_curation(manifest: Manifest, fields: Mapping[str, Value]) -> str:
    """The manifest's text with one more entry of `licenses.curations`."""
    top = compose(manifest.text, FILE_NAME)
    if _child(top, "licenses") is None:
        return set_at(manifest.text, ("licenses",), {"curations": [fields]})
    return append_at(manifest.text, ("licenses", "curations"), fields)


def set_at(text: str, path: NodePath, value: Value) -> str:
    """Replace the text at `path`, or add the last key of `path` to the mapping that the rest leads to.

    Raises VendorError when there is no such mapping or the result is not valid, ValueError for a collection at `path`.
    """
    node = _find(text, path)
    if node is not None and not is_null(node):
        if not isinstance(node, yaml.ScalarNode) or not isinstance(value, str):
            raise ValueError(f"{_dotted(path)} holds more than one value: append or remove items")
        parent = _find(text, path[:-1])
        flow = isinstance(parent, yaml.CollectionNode) and bool(parent.flow_style)
        new = put(text, node, scalar_text(value, node.style, flow=flow))
    elif node is not None and isinstance(value, str):
        new = put(text, node, scalar_text(value, None, flow=True))
    else:
        new = _add(text, path, value)
    return _verified(text, new, path, lambda data: _set(data, path, _as_data(value)))


def append_at(text: str, path: NodePath, item: Value) -> str:
    """Add an item to the list at `path`, which is made when it is absent. Raises VendorError as `set_at` does."""
    node = _find(text, path)
    if node is None:
        new = _add(text, path, [item])
    elif isinstance(node, yaml.SequenceNode) and node.value:
        new = layout.append(text, node, item)
    else:
        new = layout.fill(text, node, _block_key(text, path), [item])
    return _verified(text, new, path, lambda data: _append(data, path, _as_data(item)))


def remove_at(text: str, path: NodePath) -> str:
    """Remove the item or key at `path`; an emptied list or mapping becomes ``[]`` or ``{}``. Raises as `set_at`."""
    parent = _find(text, path[:-1])
    if _find(text, path) is None or not isinstance(parent, yaml.CollectionNode):
        raise _impossible(path, "there is no such entry")
    last = path[-1]
    index = last if isinstance(last, int) else [key.value for key, _value in parent.value].index(last)
    new = layout.remove(text, parent, index, _block_key(text, path[:-1]))
    return _verified(text, new, path, lambda data: _remove(data, path))


def _add(text: str, path: NodePath, value: Value) -> str:
    """Add a key that is absent (or has an empty value) to its mapping, which may be empty as well."""
    parent, key = _find(text, path[:-1]), path[-1]
    if not isinstance(key, str):
        raise _impossible(path, "there is no such item")
    node = _child(parent, key)
    if node is not None:
        return layout.fill(text, node, _block_key(text, path), value)
    if isinstance(parent, yaml.MappingNode) and parent.value:
        order = [] if path[:-1] == ("upstreams",) else list(keys_of(_schema_path(path[:-1])))
        return layout.add_key(text, parent, key, value, order)
    if parent is not None and (isinstance(parent, yaml.MappingNode) or is_null(parent)):
        return layout.fill(text, parent, _block_key(text, path[:-1]), {key: value})
    raise _impossible(path, "there is no mapping to add it to")


def _verified(old: str, new: str, path: NodePath, change: Callable[[Data], Data]) -> str:
    """`new`, once it is certain that it says what `old` said with `change` made."""
    before, after = compose(old, FILE_NAME), compose(new, FILE_NAME)
    assert before is not None
    if after is None or data_of(after) != change(data_of(before)):
        raise _impossible(path, "its layout is too unusual")
    parse_manifest(new)
    return new


def _impossible(path: NodePath, why: str) -> VendorError:
    return VendorError(
        f"cannot edit {_dotted(path)}: {why}",
        hint=f"make the change in {FILE_NAME} by hand, then run the command again",
        location=Location(FILE_NAME),
        code=ExitCode.INVALID,
    )


def _dotted(path: NodePath) -> str:
    return ".".join(map(str, path))


def _schema_path(path: NodePath) -> str:
    """A path as the schema writes it: user-chosen names as ``*``, list positions as ``[]``."""
    parts = ["*" if index == 1 and path[0] == "upstreams" else str(part) for index, part in enumerate(path)]
    named = [f".{part}" if isinstance(path[index], str) else "[]" for index, part in enumerate(parts)]
    return "".join(named).lstrip(".")


def _find(text: str, path: NodePath) -> yaml.Node | None:
    node = compose(text, FILE_NAME)
    for part in path:
        node = _child(node, part)
    return node


def _child(node: yaml.Node | None, part: str | int) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        found: yaml.Node = node.value[part]
        return found
    return None


def _block_key(text: str, path: NodePath) -> yaml.Node | None:
    """The key node that the value at `path` belongs to; None inside brackets and for list items."""
    parent = _find(text, path[:-1]) if path else None
    if not isinstance(parent, yaml.MappingNode) or parent.flow_style:
        return None
    return next((key for key, _value in parent.value if key.value == path[-1]), None)


def _as_data(value: Value) -> Data:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {key: _as_data(item) for key, item in value.items()}
    return [_as_data(item) for item in value]


def _set(data: Data, path: NodePath, value: Data) -> Data:
    if not path:
        return value
    part, rest = path[0], path[1:]
    if isinstance(data, list) and isinstance(part, int):
        return [*data[:part], _set(data[part], rest, value), *data[part + 1 :]]
    entries = data if isinstance(data, dict) else {}
    return {**entries, str(part): _set(entries.get(str(part), {}), rest, value)}


def _append(data: Data, path: NodePath, item: Data) -> Data:
    here = _get(data, path)
    return _set(data, path, [*here, item] if isinstance(here, list) else [item])


def _remove(data: Data, path: NodePath) -> Data:
    *above, last = path
    parent = _get(data, tuple(above))
    if isinstance(parent, list) and isinstance(last, int):
        return _set(data, tuple(above), [*parent[:last], *parent[last + 1 :]])
    assert isinstance(parent, dict)
    return _set(data, tuple(above), {key: value for key, value in parent.items() if key != last})


def _get(data: Data, path: NodePath) -> Data | None:
    here: Data | None = data
    for part in path:
        if isinstance(here, list) and isinstance(part, int):
            here = here[part]
        else:
            here = here.get(str(part)) if isinstance(here, dict) else None
    return here
