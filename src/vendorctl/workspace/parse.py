# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""VENDOR.yaml from text to `Manifest`: once, strictly, with the place of every value."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import yaml

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.paths import display_text, reject_reason
from vendorctl.workspace.checks import check_manifest, check_upstream_names
from vendorctl.workspace.manifest import (
    FILE_NAME,
    CachePlace,
    Curation,
    Hold,
    KernelsConfig,
    LicenseException,
    LicensePolicy,
    Manifest,
    NotTaken,
    ObjectPolicy,
    Store,
    Upstream,
)
from vendorctl.workspace.nodes import Problems, Section, compose, is_null, nearest, pairs, scalar
from vendorctl.workspace.urls import Refusal, cache_refusal, glob_refusal, ref_refusal, url_refusal

VERSION = 1

_Check: TypeAlias = Callable[[str], Refusal]

_NO_PIN = Oid(bytes(20))
_SHA256 = re.compile(r"[0-9a-f]{64}")
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TARGET = re.compile(r"gfx[0-9][0-9a-z]*(?:-[0-9]+)*(?:-generic)?")


def load_manifest(root: Path) -> Manifest:
    """Read the VENDOR.yaml of the workspace at `root`. Raises VendorError as `parse_manifest` does, or when absent."""
    try:
        data = (root / FILE_NAME).read_bytes()
    except FileNotFoundError:
        raise VendorError(
            f"there is no {FILE_NAME} in {root}", hint="run `vendorctl init` to start a workspace", code=ExitCode.USAGE
        ) from None
    except OSError as error:
        raise VendorError(f"cannot read {FILE_NAME}: {error.strerror}", location=Location(FILE_NAME)) from error
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line, column = data.count(b"\n", 0, error.start) + 1, error.start - data.rfind(b"\n", 0, error.start)
        raise VendorError(
            "not UTF-8 text", hint="save the file as UTF-8", location=Location(FILE_NAME, line, column)
        ) from error
    return parse_manifest(text)


def parse_manifest(text: str, *, file: str = FILE_NAME) -> Manifest:
    """Read a manifest from its text.

    Raises VendorError (exit code 3) for the first thing that is wrong, with line and column; its hint lists the rest.
    """
    node = compose(text, file)
    if node is None:
        raise VendorError(
            "the manifest is empty",
            hint="begin with `version: 1` and `upstreams: {}`",
            location=Location(file, 1, 1),
            code=ExitCode.INVALID,
        )
    problems = Problems(file)
    top = Section(problems, node, "", "the manifest")
    _check_version(top)
    manifest = Manifest(upstreams=_upstreams(top), licenses=_licenses(top), kernels=_kernels(top), text=text)
    check_manifest(problems, manifest)
    problems.raise_first()
    return manifest


def _check_version(top: Section) -> None:
    version = top.number("version")
    if version is not None and version != VERSION:
        message = f"version {version} is not one that this vendorctl reads (it reads {VERSION})"
        top.problems.add(top.places["version"], message, "update vendorctl")


def _upstreams(top: Section) -> dict[str, Upstream]:
    node = top.nodes.get("upstreams")
    if node is None or is_null(node):
        return {}
    entries = pairs(top.problems, node, "upstreams")
    check_upstream_names(top.problems, [(name, key) for name, key, _value in entries])
    return {name: _upstream(top.problems, name, key, value) for name, key, value in entries}


def _upstream(problems: Problems, name: str, key: yaml.Node, node: yaml.Node) -> Upstream:
    section = Section(problems, node, "upstreams.*", f"upstream {display_text(name)!r}")
    section.places[""] = problems.place(key)
    include = section.texts("include")
    if "include" in section.nodes and not include:
        problems.add(section.places["include"], "include is empty", 'name the files to take, or ["**"] for all')
    return Upstream(
        name=name,
        url=_checked_text(section, "url", url_refusal) or "",
        pin=_oid(section, "pin"),
        ref=_checked_text(section, "ref", ref_refusal),
        track=_checked_text(section, "track", ref_refusal),
        include=_globs(section, "include", include),
        exclude=_globs(section, "exclude", section.texts("exclude")),
        license=section.text("license"),
        store=_store(section),
        output=_path(section, "output"),
        hold=_holds(section),
        not_taken=tuple(_not_taken(entry) for entry in section.sections("not_taken")),
        rewrite_imports=_rewrites(section),
        places=section.places,
    )


def _checked_text(section: Section, key: str, check: _Check) -> str | None:
    text = section.text(key)
    refusal = check(text) if text is not None else None
    if refusal is not None:
        section.problems.add(section.places[key], f"{key}: {refusal[0]}", refusal[1])
    return text


def _globs(section: Section, key: str, globs: tuple[str, ...]) -> tuple[str, ...]:
    for item in section.items(key):
        refusal = glob_refusal(item.value) if isinstance(item, yaml.ScalarNode) and item.value in globs else None
        if refusal is not None:
            section.problems.add(item, f"{key}: {refusal[0]}", refusal[1])
    return globs


def _oid(section: Section, key: str) -> Oid:
    text = section.text(key)
    if text is None:
        return _NO_PIN
    try:
        return Oid.parse(text)
    except ValueError:
        hint = "write it in lower case" if re.fullmatch("[0-9A-Fa-f]{40}", text) else "`git rev-parse REF` prints it"
        message = f"{key} must be a full commit id of 40 lower-case hex digits, not {text!r}"
        section.problems.add(section.places[key], message, hint)
        return _NO_PIN


def _store(section: Section) -> Store:
    text = section.text("store")
    if text is None:
        return Store.COMMIT
    try:
        return Store(text)
    except ValueError:
        close = nearest(text, list(Store))
        hint = f"did you mean `{close}`?" if close else None
        section.problems.add(section.places["store"], f"store must be `commit` or `fetch`, not {text!r}", hint)
        return Store.COMMIT


def _path(section: Section, key: str) -> str | None:
    """A path that stays inside its folder."""
    text = section.text(key)
    if text is not None:
        _check_path(section.problems, section.nodes[key], key, text)
    return text


def _check_path(problems: Problems, node: yaml.Node, key: str, text: str) -> None:
    reason = reject_reason(text.encode("utf-8", "surrogateescape"))
    if reason:
        problems.add(node, f"{key}: {reason}", "give a relative path with '/' between names, and no '.' or '..'")


def _holds(section: Section) -> tuple[Hold, ...]:
    holds: dict[str, Hold] = {}
    for item in section.items("hold"):
        place = section.problems.place(item)
        if isinstance(item, yaml.ScalarNode):
            path, reason = scalar(section.problems, item, "each item of hold"), ""
            if path is not None:
                _check_path(section.problems, item, "hold", path)
        else:
            entry = section.item_section("hold", item)
            path, reason = _path(entry, "path"), entry.prose("reason")
        if path is not None and path in holds:
            section.problems.add(item, f"{display_text(path)!r} is held twice", "remove one")
        elif path is not None:
            holds[path] = Hold(path=path, reason=reason, location=place)
    return tuple(holds.values())


def _not_taken(entry: Section) -> NotTaken:
    return NotTaken(commit=_oid(entry, "commit"), reason=entry.prose("reason"), location=entry.places[""])


def _rewrites(section: Section) -> dict[str, str]:
    found = section.text_pairs("rewrite_imports")
    for old, new in found.items():
        for module in (old, new):
            if not _MODULE.fullmatch(module):
                place = section.places[f"rewrite_imports.{old}"]
                section.problems.add(place, f"not a Python module name: {display_text(module)!r}")
    return found


def _licenses(top: Section) -> LicensePolicy:
    section = top.section("licenses")
    if section is None:
        return LicensePolicy()
    return LicensePolicy(
        allow=section.texts("allow"),
        deny=section.texts("deny"),
        exceptions=tuple(
            LicenseException(
                upstream=entry.text("upstream") or "",
                allow=entry.texts("allow"),
                reason=entry.prose("reason"),
                location=entry.places[""],
            )
            for entry in section.sections("exceptions")
        ),
        curations=tuple(_curation(entry) for entry in section.sections("curations")),
        places=section.places,
    )


def _curation(entry: Section) -> Curation:
    digest = entry.text("sha256") or ""
    if digest and not _SHA256.fullmatch(digest):
        entry.problems.add(
            entry.places["sha256"], "sha256 must be 64 lower-case hex digits", "`sha256sum FILE` prints it"
        )
    return Curation(
        path=_path(entry, "path") or "",
        sha256=digest,
        expression=entry.text("expression") or "",
        reason=entry.prose("reason"),
        copyrights=entry.texts("copyrights"),
        location=entry.places[""],
    )


def _kernels(top: Section) -> KernelsConfig:
    section = top.section("kernels")
    if section is None:
        return KernelsConfig()
    recipes, targets = section.texts("recipes"), section.texts("targets")
    for item in section.items("recipes"):
        if isinstance(item, yaml.ScalarNode) and item.value in recipes:
            _check_path(section.problems, item, "recipes", item.value)
    for item in section.items("targets"):
        if isinstance(item, yaml.ScalarNode) and item.value in targets and not _TARGET.fullmatch(item.value):
            section.problems.add(
                item, f"not a target: {display_text(item.value)!r}", "for example gfx942, gfx11-generic"
            )
    policy = section.section("policy")
    return KernelsConfig(
        recipes=recipes,
        targets=targets,
        toolchain=section.text_pairs("toolchain"),
        policy=ObjectPolicy(
            max_spills=policy.number("max_spills"),
            max_scratch=policy.number("max_scratch"),
            max_lds=policy.number("max_lds"),
        )
        if policy
        else ObjectPolicy(),
        cache=_cache(section),
        places=section.places,
    )


def _cache(section: Section) -> CachePlace | None:
    entry = section.section("cache") if isinstance(section.nodes.get("cache"), yaml.MappingNode) else None
    url = _checked_text(entry or section, "url" if entry else "cache", cache_refusal)
    return CachePlace(url=url, write=entry is None or _yes(entry, "write")) if url is not None else None


def _yes(section: Section, key: str) -> bool:
    """A decision that is yes unless the text says no."""
    text = section.text(key)
    if text not in (None, "yes", "no", "true", "false"):
        section.problems.add(section.places[key], f"{key} must be `yes` or `no`, not {display_text(text or '')!r}")
    return text not in ("no", "false")
