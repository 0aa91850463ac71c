# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The licence of every locked package, as somebody read it, and which licences may be used for what.

requirements/licences.toml says both. What a package states about itself is a check on the reading, not a substitute:
half of them state it in prose, some wrongly.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message

from release.locks import Locked
from vendorctl.errors import Location, VendorError
from vendorctl.licenses.expressions import is_valid, parse, permits

#: Classifiers of licences to the ids that they can stand for.
_CLASSIFIERS = {
    "Apache Software License": {"Apache-2.0"},
    "BSD License": {"BSD-2-Clause", "BSD-3-Clause", "0BSD"},
    "CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": {"CC0-1.0"},
    "GNU General Public License v2 (GPLv2)": {"GPL-2.0-only"},
    "GNU General Public License v3 or later (GPLv3+)": {"GPL-3.0-or-later"},
    "ISC License (ISCL)": {"ISC"},
    "MIT License": {"MIT"},
    "Mozilla Public License 2.0 (MPL 2.0)": {"MPL-2.0"},
    "Public Domain": {"Unlicense", "CC0-1.0"},
    "Python Software Foundation License": {"PSF-2.0"},
    "Zope Public License": {"ZPL-2.1"},
}


@dataclass(frozen=True, slots=True)
class Use:
    """A way to use packages: the locks that are for it, and the licences that may be."""

    name: str
    locks: tuple[str, ...]
    allow: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """requirements/licences.toml, parsed. `expressions` has the SPDX expression of each package."""

    uses: tuple[Use, ...]
    expressions: Mapping[str, str]

    def use_of(self, lock: str) -> Use:
        """What a lock is for. Raises VendorError when the file does not say."""
        for use in self.uses:
            if lock in use.locks:
                return use
        raise VendorError(f"no use of requirements/licences.toml names the lock {lock!r}")


def parse_policy(text: str, path: str) -> Policy:
    """The policy in `text`, the content of `path`. Raises VendorError when an expression in it is none."""
    document = tomllib.loads(text)
    uses = tuple(
        Use(name=name, locks=tuple(row["locks"]), allow=tuple(row["allow"])) for name, row in document["use"].items()
    )
    expressions: dict[str, str] = document["packages"]
    for name, expression in expressions.items():
        if not is_valid(expression):
            raise VendorError(f"{name}: {expression!r} is no SPDX expression", location=Location(path))
    return Policy(uses, expressions)


def violations(policy: Policy, locks: Mapping[str, tuple[Locked, ...]]) -> Iterator[str]:
    """Locked packages whose licence nobody read, or may not be used as the lock is used; entries of no package."""
    for title, rows in locks.items():
        use = policy.use_of(title)
        for row in rows:
            text = policy.expressions.get(row.name)
            if text is None:
                yield f"{title}.lock: the licence of {row.name} is not in requirements/licences.toml"
            elif not permits(text, allow=use.allow):
                yield f"{title}.lock: {row.name} is under {text}, which is not for {use.name}"
    known = {row.name for rows in locks.values() for row in rows}
    yield from (f"licences.toml: no lock has {name}" for name in sorted(policy.expressions.keys() - known))


def disagreement(expression: str, stated: Message) -> str | None:
    """In what a package's METADATA is at odds with how its licence was read; None when it agrees, or says nothing."""
    own = stated.get("License-Expression") or (stated.get("License") or "").strip()
    if own and is_valid(own):
        return None if parse(own).text == parse(expression).text else f"it states {own}, not {expression}"
    ids = set(parse(expression).ids)
    for row in stated.get_all("Classifier") or []:
        title = row.rpartition(" :: ")[2]
        if row.startswith("License ::") and title in _CLASSIFIERS and not _CLASSIFIERS[title] & ids:
            return f"it is classified as {title}, not {expression}"
    return None
