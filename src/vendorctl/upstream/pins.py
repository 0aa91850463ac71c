# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Is what the lock says of a pin still true upstream: the tag unmoved, the commit there, and on its ref?"""

from __future__ import annotations

from vendorctl.errors import Location, VendorError
from vendorctl.git.answers import id_rows
from vendorctl.git.oid import Oid
from vendorctl.model import Finding, Severity
from vendorctl.upstream.refs import RefTable, is_full_id, short_name
from vendorctl.upstream.source import Source
from vendorctl.workspace.lock import FILE_NAME, LockedUpstream


def check_pin(source: Source, locked: LockedUpstream) -> list[Finding]:
    """Compare a locked pin with what the upstream shows now (or, offline, with what the cache last saw).

    Downloads history (no files) only when the pin is not simply the tip of its ref. Raises VendorError (exit code 4)
    when the upstream cannot be reached.
    """
    table = source.refs()
    name = _current_name(table, locked)
    findings = [] if locked.ref is None else _check_ref(source, locked, table, name)
    if locked.commit in table.names_by_commit and (name is None or table.commit(name) == locked.commit):
        return findings
    try:
        reach = _check_reachable(source, locked, table, name)
    except VendorError as error:
        if not source.offline:
            raise
        text = f"whether upstream still leads to commit {locked.commit.short} was not checked: {error.message}"
        return [*findings, _finding(locked, "VC305", text, error.hint or "", Severity.NOTE)]
    # That a moved tag no longer leads to the pin goes without saying.
    return findings + [each for each in reach if each.rule != "VC303" or not findings]


def _check_ref(source: Source, locked: LockedUpstream, table: RefTable, name: str | None) -> list[Finding]:
    """A tag that names another object than when it was taken; a ref that is gone."""
    assert locked.ref is not None
    if is_full_id(locked.ref.name):
        return []
    shown = short_name(locked.ref.name)
    if name is None:
        near = table.nearest(shown)
        hint = f"near names: {', '.join(near)}" if near else "the pin itself stays valid"
        text = f"{source.display} no longer has the ref {shown!r} that the pin came from"
        return [_finding(locked, "VC302", text, hint, Severity.WARNING)]
    if not name.startswith("refs/tags/") or table.refs[name] == locked.ref.oid:
        return []
    now = table.commit(name)
    if now == locked.commit:
        text = f"tag {shown!r} was made anew: it names the same commit, but is another tag object"
        return [_finding(locked, "VC301", text, f"run `vendorctl sync {locked.name}` to record it", Severity.WARNING)]
    text = f"tag {shown!r} was moved: it named commit {locked.commit.short}, and now names {now.short}"
    hint = f"ask upstream why; `vendorctl sync --pin {locked.name}={shown}` takes the new one"
    return [_finding(locked, "VC301", text, hint, Severity.ERROR)]


def _current_name(table: RefTable, locked: LockedUpstream) -> str | None:
    """The full name under which the locked ref is known today; a tag wins over a branch of the same name."""
    return next(iter(table.matches(locked.ref.name)), None) if locked.ref is not None else None


def _check_reachable(source: Source, locked: LockedUpstream, table: RefTable, name: str | None) -> list[Finding]:
    """A pin that its ref does not lead to, or that no branch or tag leads to any more."""
    if name is not None and _leads_to(source, [table.commit(name)], locked.commit):
        return []
    shown = short_name(name) if name else "HEAD"
    if _leads_to(source, list(table.branches_and_tags().values()), locked.commit):
        if name is None:
            return []
        text = f"commit {locked.commit.short} is upstream, but {shown!r} does not lead to it"
        hint = f"name the ref that the pin is on, or run `vendorctl sync --pin {locked.name}={shown}`"
        return [_finding(locked, "VC303", text, hint, Severity.WARNING)]
    twin = _same_tree(source, table, locked.root_tree)
    text = f"commit {locked.commit.short} is on no branch or tag of {source.display} any more (a force push?)"
    if twin is None:
        hint = "the workspace stays valid as it is; pin a commit that is on a branch before upstream deletes this one"
    else:
        text += f"; commit {twin.short} has exactly the same files"
        hint = f"run `vendorctl sync --pin {locked.name}={twin}`: no file changes"
    return [_finding(locked, "VC304", text, hint, Severity.ERROR, twin)]


def _leads_to(source: Source, tips: list[Oid], commit: Oid) -> bool:
    """True when any tip is `commit` or comes after it."""
    return commit in tips or source.leads_to(commit, sorted(source.fetch_history(tips)))


def _same_tree(source: Source, table: RefTable, tree: Oid) -> Oid | None:
    """The newest commit on any branch or tag with this root tree."""
    complete = source.fetch_history(list(table.branches_and_tags().values()))
    if not complete:
        return None
    request = "".join(f"{tip}\n" for tip in sorted(complete)).encode("ascii")
    listing = ("rev-list", "--date-order", "--no-commit-header", "--format=%T %H", "--stdin")
    for found, commit in id_rows(source.git.exact(*listing, stdin=request).stdout, 2):
        if found == tree:
            return commit
    return None


def _finding(
    locked: LockedUpstream, rule: str, text: str, hint: str, severity: Severity, twin: Oid | None = None
) -> Finding:
    return Finding(
        rule=rule,
        message=f"{locked.name}: {text}",
        severity=severity,
        upstream=locked.name,
        location=Location(FILE_NAME),
        hint=hint,
        data={"pin": str(locked.commit), **({"same_tree": str(twin)} if twin else {})},
    )
