# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""SPDX licence expressions: valid or not, in canonical spelling, and whether a policy can be met.

Parsing is license-expression's; it takes 50 ms to start, so it is imported on first use and every answer is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from threading import Lock
from typing import TYPE_CHECKING, TypeAlias

from vendorctl.errors import VendorError

if TYPE_CHECKING:
    from license_expression import Licensing  # type: ignore[import-untyped]  # ships no types

#: Ids that a project defines for itself (SPDX 2.3, annex D); no list knows them.
_OWN_ID = ("LicenseRef-", "DocumentRef-", "AdditionRef-")

#: What license-expression raises for some malformed expressions, such as ``(OR MIT)``, before it notices them.
_STUMBLES = (AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

#: One way to satisfy an expression: licences that all apply, each with its exception where it has one.
Terms: TypeAlias = "frozenset[str]"

#: Alternatives multiply; an expression with more than this many is refused rather than expanded.
MAX_ALTERNATIVES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """A valid expression: its canonical text and every id it names (exceptions included).

    `parts` all apply; `alternatives` are the ways to satisfy the whole.
    """

    text: str
    parts: tuple[str, ...]
    ids: tuple[str, ...]
    alternatives: tuple[Terms, ...]


#: license-expression fills its tables when it first parses, and other threads would see them half filled.
_PARSING = Lock()


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """Read an expression. Raises VendorError naming what is unknown or malformed.

    Ids are matched without regard to case and written as SPDX lists them; deprecated ids are replaced by their
    successors; ids that start with ``LicenseRef-`` are the project's own, and accepted.
    """
    from license_expression import ExpressionError

    if len(text) > 1000:
        raise VendorError("a licence expression of more than 1,000 characters")
    try:
        with _PARSING:
            licensing = _licensing()
            parsed = licensing.parse(text, validate=False, strict=True)
    # The library stumbles over some malformed expressions, such as `(OR MIT)`, before it notices them.
    except (
        ExpressionError,
        AssertionError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise VendorError(f"not a licence expression: {text!r}") from error
    if parsed is None:
        raise VendorError("an empty licence expression")
    ids = tuple(dict.fromkeys(licensing.license_keys(parsed)))
    unknown = [key for key in licensing.unknown_license_keys(parsed) if not key.startswith(_OWN_ID)]
    if unknown:
        raise VendorError(f"not an SPDX licence id: {', '.join(unknown)}")
    return Expression(text=parsed.render(), parts=tuple(_parts(parsed)), ids=ids, alternatives=_alternatives(parsed))


def is_valid(text: str) -> bool:
    """True when `parse` accepts the expression."""
    try:
        parse(text)
    except VendorError:
        return False
    return True


def canonical(text: str) -> str:
    """The expression as SPDX spells it, or the text itself when it is none."""
    try:
        return parse(text).text
    except VendorError:
        return text


def combine(texts: Iterable[str]) -> str:
    """One expression for things that come together: all apply, each stated once. Nothing gives the empty text."""
    whole = {canonical(text) for text in texts if text}
    if len(whole) == 1:
        return whole.pop()
    parts = sorted({part for text in whole for part in parts_of(text)})
    return " AND ".join(f"({part})" if " OR " in part else part for part in parts)


def parts_of(text: str) -> tuple[str, ...]:
    """What must all be satisfied, in canonical spelling; the text itself when it is no expression."""
    try:
        return parse(text).parts
    except VendorError:
        return (text,)


def permits(text: str, *, allow: Iterable[str], deny: Iterable[str] = ()) -> bool:
    """Whether some way to satisfy the expression uses only allowed and no denied licences.

    An entry of the lists is an id, or a licence with an exception (``Apache-2.0 WITH LLVM-exception``). An id also
    stands for that licence with any exception, unless the other list names the pair. An empty `allow` allows all.
    Raises VendorError when the expression is not valid.
    """
    allowed, denied = {canonical(item) for item in allow}, {canonical(item) for item in deny}
    return any(all(_permitted(term, allowed, denied) for term in terms) for terms in parse(text).alternatives)


def _permitted(term: str, allowed: set[str], denied: set[str]) -> bool:
    licence = term.partition(" WITH ")[0]
    if term in denied or (licence in denied and term not in allowed):
        return False
    return not allowed or term in allowed or licence in allowed


def _parts(node: object) -> Iterator[str]:
    from license_expression import AND

    if isinstance(node, AND):
        for child in node.args:
            yield from _parts(child)
    else:
        yield str(node.render())  # type: ignore[attr-defined]  # node is license-expression's, untyped


def _alternatives(node: object) -> tuple[Terms, ...]:
    """The expression as a choice of sets of terms (disjunctive normal form), smallest first, each once."""
    from license_expression import AND, OR

    if isinstance(node, OR):
        found = {terms for child in node.args for terms in _alternatives(child)}
    elif isinstance(node, AND):
        choices = [_alternatives(child) for child in node.args]
        size = 1
        for choice in choices:
            size *= len(choice)
        if size > MAX_ALTERNATIVES:
            raise VendorError(f"a licence expression with {size} alternatives")
        found = {frozenset().union(*picked) for picked in product(*choices)}
    else:
        found = {frozenset({str(node.render())})}  # type: ignore[attr-defined]  # node is license-expression's, untyped
    return tuple(sorted(found, key=lambda terms: (len(terms), sorted(terms))))


@lru_cache(maxsize=1)
def _licensing() -> Licensing:
    """The SPDX list, without license-expression's aliases for other projects' own ids (LicenseRef-MIT-...)."""
    from license_expression import LicenseSymbol, Licensing, get_spdx_licensing

    symbols = [
        LicenseSymbol(
            symbol.key,
            aliases=tuple(alias for alias in symbol.aliases if not alias.startswith(_OWN_ID)),
            is_exception=symbol.is_exception,
        )
        for symbol in get_spdx_licensing().known_symbols.values()
        if not symbol.key.startswith(_OWN_ID)
    ]
    return Licensing(symbols)
