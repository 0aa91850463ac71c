# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""VENDOR.yaml as parsed: intent, with the place of every value. `parse` makes these; nothing else does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from vendorctl.errors import Location
from vendorctl.git.oid import Oid

#: The file's name, at the root of a workspace.
FILE_NAME = "VENDOR.yaml"


class Store(StrEnum):
    """Where pristine files live: in the workspace's own git, or fetched again on each machine."""

    COMMIT = "commit"
    FETCH = "fetch"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """A path that a bump leaves at its old blob. `reason` is empty when the short form gave none (a finding)."""

    path: str
    reason: str
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTaken:
    """The ledger: an upstream commit deliberately not taken, and why."""

    commit: Oid
    reason: str
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """One entry of `upstreams:`. `places` locates each key that the file sets, and "" the entry."""

    name: str
    url: str
    pin: Oid
    ref: str | None
    track: str | None
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    license: str | None
    store: Store
    output: str | None
    hold: tuple[Hold, ...] = ()
    not_taken: tuple[NotTaken, ...] = ()
    rewrite_imports: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[str, Location] = field(default_factory=dict)

    def place(self, key: str = "") -> Location:
        """Where `key` stands in the file, else where the entry stands."""
        return self.places.get(key) or self.places.get("") or Location(FILE_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curation:
    """What a person decided about a file whose licence facts are missing or wrong, bound to its exact content."""

    path: str
    sha256: str
    expression: str
    reason: str
    copyrights: tuple[str, ...]
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class LicenseException:
    """Expressions allowed (or, with an empty tuple, nothing more) for one upstream beyond the general allow-list."""

    upstream: str
    allow: tuple[str, ...]
    reason: str
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class LicensePolicy:
    """The `licenses:` section. An empty `allow` means: no allow-list was stated."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    exceptions: tuple[LicenseException, ...] = ()
    curations: tuple[Curation, ...] = ()
    places: Mapping[str, Location] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPolicy:
    """Limits of `kernels: policy:` that `check` enforces on built objects (None: no limit). Sizes in bytes."""

    max_spills: int | None = None
    max_scratch: int | None = None
    max_lds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CachePlace:
    """`kernels: cache:`: a folder or URL that machines share, and whether builds write there."""

    url: str
    write: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelsConfig:
    """The `kernels:` section: which recipes build what for which targets with which toolchain."""

    recipes: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    toolchain: Mapping[str, str] = field(default_factory=dict)
    policy: ObjectPolicy = ObjectPolicy()
    cache: CachePlace | None = None
    places: Mapping[str, Location] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """VENDOR.yaml as a whole. `text` is the exact source, kept for edits that change only a value's characters."""

    upstreams: Mapping[str, Upstream]
    licenses: LicensePolicy
    kernels: KernelsConfig
    text: str
