# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The `licenses:` section of VENDOR.yaml held against every pristine file. The lock suffices: no content is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from vendorctl.errors import Location, VendorError
from vendorctl.licenses.expressions import canonical, parse, permits
from vendorctl.licenses.licensed import Basis, Licensed, curations_of, licence_of, workspace_path
from vendorctl.model import Finding, Severity
from vendorctl.paths import display
from vendorctl.workspace.lock import Lock, LockedUpstream
from vendorctl.workspace.manifest import FILE_NAME, Curation, LicensePolicy, Manifest, Upstream


@dataclass(frozen=True, slots=True)
class Terms:
    """What one upstream may contain: `allow` with exceptions (empty: everything), `deny`, and the `declared` ids."""

    allow: tuple[str, ...]
    deny: tuple[str, ...]
    declared: frozenset[str]

    def permit(self, expression: str) -> bool:
        """Whether an expression can be satisfied within the lists."""
        return permits(expression, allow=self.allow, deny=self.deny)


def terms_of(upstream: Upstream, policy: LicensePolicy) -> Terms:
    """The terms of one upstream. Raises VendorError with the place of a malformed expression in VENDOR.yaml."""
    for key, entries in (("allow", policy.allow), ("deny", policy.deny)):
        for entry in entries:
            _checked(entry, policy.places.get(key) or Location(FILE_NAME))
    granted = [each for each in policy.exceptions if each.upstream == upstream.name]
    extra = [_checked(entry, each.location) for each in granted for entry in each.allow]
    declared: Iterable[str] = ()
    if upstream.license is not None:
        declared = parse(_checked(upstream.license, upstream.place("license"))).ids
    return Terms((*policy.allow, *extra) if policy.allow else (), policy.deny, frozenset(declared))


def _checked(expression: str, place: Location) -> str:
    try:
        return parse(expression).text
    except VendorError as error:
        raise VendorError(error.message, location=place, hint="https://spdx.org/licenses lists the ids") from error


def judge(upstream: Upstream, locked: LockedUpstream, policy: LicensePolicy) -> list[Finding]:
    """Everything that is wrong with the licences of one upstream's files, in path order."""
    terms = terms_of(upstream, policy)
    return [
        finding
        for licensed in licence_of(locked, policy).values()
        for finding in _Case(upstream, terms, licensed).findings()
    ]


def idle_curations(manifest: Manifest, lock: Lock) -> list[Finding]:
    """Curations that name no vendored file (error), or say what the file says itself (warning)."""
    used: dict[int, list[Licensed]] = {}
    for locked in lock.upstreams.values():
        licences = licence_of(locked, manifest.licenses)
        for path, curation in curations_of(locked, manifest.licenses).items():
            used.setdefault(id(curation), []).append(licences[path])
    findings = []
    for curation in manifest.licenses.curations:
        files = used.get(id(curation))
        if not files:
            findings.append(_idle(curation, "names no vendored file", Severity.ERROR))
        elif all(_says_the_same(licensed) for licensed in files):
            findings.append(_idle(curation, "says what the file says itself", Severity.WARNING))
    return findings


def _says_the_same(licensed: Licensed) -> bool:
    facts = licensed.file.facts
    own = {canonical(text) for text in facts.expressions}
    return own == {licensed.expression} and licensed.copyrights == facts.copyrights


def _idle(curation: Curation, what: str, severity: Severity) -> Finding:
    return Finding(
        rule="VC408",
        message=f"the curation of {curation.path} {what}",
        severity=severity,
        location=curation.location,
        hint="remove it, or correct its path",
        data={"path": curation.path},
    )


@dataclass(frozen=True, slots=True)
class _Case:
    """One file before the policy."""

    upstream: Upstream
    terms: Terms
    licensed: Licensed

    def findings(self) -> Iterator[Finding]:
        """The most basic problem first; a file without a usable licence has no others."""
        licensed = self.licensed
        if licensed.curation is not None and licensed.basis is not Basis.CURATION:
            yield self._stale(licensed.curation)
        if licensed.basis.is_exempt:
            return
        unusable = self._unusable()
        if unusable is not None:
            yield unusable
            return
        yield from self._overruled()
        yield from self._not_permitted()
        yield from self._not_declared()

    def _unusable(self) -> Finding | None:
        """The licence is unknown, malformed, or contradicts itself."""
        licensed = self.licensed
        curated = licensed.curation if licensed.basis is Basis.CURATION else None
        texts = (curated.expression,) if curated else licensed.file.facts.expressions
        if not texts:
            return self._finding("VC401", "states no licence", hint=self._how_to_curate())
        for text in texts:
            try:
                parse(text)
            except VendorError as error:
                return self._finding("VC403", error.message, hint=self._how_to_curate())
        if len({parse(text).text for text in texts}) > 1:
            return self._finding("VC402", f"states several licences: {', '.join(texts)}", hint=self._how_to_curate())
        return None

    def _overruled(self) -> Iterator[Finding]:
        """A curation may correct a header, in plain sight; it may not hide what the policy refuses."""
        curation = self.licensed.curation
        if curation is None or self.licensed.basis is not Basis.CURATION:
            return
        known = set(parse(self.licensed.expression).ids)
        hidden = [text for text in self.licensed.file.facts.expressions if not _ids(text) <= known]
        if not hidden:
            return
        refused = [text for text in hidden if _ids(text) and not self.terms.permit(text)]
        yield self._finding(
            "VC409",
            f"says {', '.join(hidden)}, which the curation replaces by {self.licensed.expression}",
            severity=Severity.ERROR if refused else Severity.WARNING,
            hint=f"{', '.join(refused)} is not permitted: exclude the file"
            if refused
            else f"reason: {curation.reason}",
        )

    def _not_permitted(self) -> Iterator[Finding]:
        text = self.licensed.expression
        if not permits(text, allow=(), deny=self.terms.deny):
            yield self._finding("VC406", f"{text} is denied", hint=f"exclude the file from {self.upstream.name}")
        elif not self.terms.permit(text):
            hint = f"exclude the file, or allow {text} for {self.upstream.name} under `licenses: exceptions:`"
            yield self._finding("VC405", f"{text} is not on the allow-list", hint=hint)

    def _not_declared(self) -> Iterator[Finding]:
        """The upstream's `license:` names every licence in it; a curation has its own reason and is not held to it."""
        text, declared = self.licensed.expression, self.terms.declared
        if self.licensed.basis is not Basis.CURATION and declared and not _ids(text) <= declared:
            message = f"says {text}, but VENDOR.yaml declares {self.upstream.name} as {self.upstream.license}"
            yield self._finding("VC404", message, hint="extend `license:` (joined by AND), or curate the file")

    def _stale(self, curation: Curation) -> Finding:
        file = self.licensed.file
        return Finding(
            rule="VC407",
            message=f"the curation of {curation.path} was made for other content",
            upstream=self.upstream.name,
            location=curation.location,
            hint=f"look at the file again; if the decision still holds, its sha256 is now {file.sha256}",
            data={"path": display(file.path), "sha256": file.sha256, "curated": curation.sha256},
        )

    def _how_to_curate(self) -> str:
        file = self.licensed.file
        path = workspace_path(self.upstream.name, file.path)
        return f"find out, then curate it: {{path: {path}, sha256: {file.sha256}, expression: ..., reason: ...}}"

    def _finding(self, rule: str, message: str, *, hint: str, severity: Severity = Severity.ERROR) -> Finding:
        file = self.licensed.file
        return Finding(
            rule=rule,
            message=message,
            severity=severity,
            upstream=self.upstream.name,
            location=Location(workspace_path(self.upstream.name, file.path)),
            hint=hint,
            data={"path": display(file.path), "sha256": file.sha256, "expressions": list(file.facts.expressions)},
        )


def _ids(text: str) -> set[str]:
    """The ids of an expression; nothing for one that is malformed."""
    try:
        return set(parse(text).ids)
    except VendorError:
        return set()
