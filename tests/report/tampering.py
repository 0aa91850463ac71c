# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Documents with one fault each, made from a sound one, for checks that a schema notices each of them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from vendorctl.report.schemas import COMMON, bundled

#: Fits no key of any document.
_WRONG: list[list[Any]] = [[[]]]


def tampered(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The document with one fault each: a key too many, a key of another type, and, at the top, a key too few."""
    for path in closed_objects(bundled(document["schema"]), document):
        yield f"{path}: a key more", changed(document, path, partial(_with, "never heard of", 1))
        for key in at(document, path):
            if (*path, key) != ("schema",):  # without it, nothing says what the document is
                yield f"{path}: another type of {key}", changed(document, path, partial(_with, key, [_WRONG]))
    for key in {*required(document["schema"])} - {"schema"}:
        yield f"no {key}", _without(key, document)


def _with(key: str, value: Any, found: dict[str, Any]) -> dict[str, Any]:
    return found | {key: value}


def _without(key: str, found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name != key}


def required(name: str) -> list[str]:
    """The keys that a document has to have."""
    schema = bundled(name)
    common: list[str] = schema["$defs"][COMMON]["$defs"]["report"]["required"] if "allOf" in schema else []
    return [*schema["required"], *common]


def closed_objects(schema: dict[str, Any], document: Any) -> Iterator[tuple[str | int, ...]]:
    """The places of objects whose keys the schema names: the document, and the first of each list and mapping."""
    whole = schema["$defs"][COMMON]

    def walk(value: Any, rule: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
        while "$ref" in rule:
            rule = whole["$defs"][rule["$ref"].rpartition("/")[2]]
        if isinstance(value, dict):
            if "properties" in rule:
                yield path
            for key, inner in value.items():
                below = rule.get("properties", {}).get(key, rule.get("additionalProperties"))
                if isinstance(below, dict):
                    yield from walk(inner, below, (*path, key))
        elif isinstance(value, list) and value and isinstance(rule.get("items"), dict):
            yield from walk(value[0], rule["items"], (*path, 0))

    yield from walk(document, schema, ())


def at(document: Any, path: tuple[str | int, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def changed(document: Any, path: tuple[str | int, ...], change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """A copy of the document in which the object at `path` is changed."""
    made = copy.deepcopy(document)
    if not path:
        return change(made)
    at(made, path[:-1])[path[-1]] = change(at(made, path))
    return made
