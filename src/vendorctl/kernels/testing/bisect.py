# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl bisect`: the upstream commit, or the patch, that changed how an operation's tests end.

At every commit the series is carried over in memory, the objects are compiled aside, and tested. Patches that conflict
there are left out, which the report says. Commits are searched by bisection, patches one by one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.kernels.testing.contrast import Bench
from vendorctl.kernels.testing.results import ObjectResult, Verdict
from vendorctl.kernels.testing.variant import Variant
from vendorctl.model import Json, Report
from vendorctl.series.bump import BumpRequest, plan_bump
from vendorctl.series.content import ContentMerger
from vendorctl.series.history import History, UpstreamCommit
from vendorctl.series.workspace import Standing
from vendorctl.upstream.source import Source
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.vendor.select import on_disk, select

SCHEMA = "vendorctl/bisect/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How the tests ended in one state: verdict and output digest by object, and patches that were left out there."""

    label: str
    verdicts: Mapping[str, Verdict]
    prints: Mapping[str, str]
    left_out: tuple[str, ...] = ()

    def __str__(self) -> str:
        passed = sum(verdict is Verdict.PASSED for verdict in self.verdicts.values())
        unbuilt = sum(verdict is Verdict.UNTESTED for verdict in self.verdicts.values())
        text = f"{passed} of {len(self.verdicts)} objects pass"
        text += f", {unbuilt} cannot be built" if unbuilt else ""
        return text + (f" (without {', '.join(self.left_out)}, in conflict there)" if self.left_out else "")

    def json(self) -> Json:
        """For machines."""
        return {
            "state": self.label,
            "verdicts": {name: verdict.value for name, verdict in self.verdicts.items()},
            "left_out": list(self.left_out),
        }


@dataclass(slots=True)
class Bisection:
    """Tests states of one upstream, each at most once, and remembers them in `tried`."""

    bench: Bench
    standing: Standing
    source: Source
    merger: ContentMerger
    tried: dict[str, Outcome] = field(default_factory=dict)

    def at_commit(self, commit: Oid) -> Outcome:
        """The outcome with the series carried over to `commit`."""
        label = commit.short
        if label not in self.tried:
            tree, blobs, left_out = self._patched(commit)
            self.tried[label] = self._test(Variant(label=label, upstream=self.name, tree=tree, blobs=blobs), left_out)
        return self.tried[label]

    def at_patch(self, count: int) -> Outcome:
        """The outcome at the pin with the first `count` patches of the series."""
        label = f"{count} patches" if count != 1 else "1 patch"
        if label not in self.tried:
            tree, blobs = self.standing.applied.trees[count], self.standing.blobs
            self.tried[label] = self._test(Variant(label=label, upstream=self.name, tree=tree, blobs=blobs), ())
        return self.tried[label]

    @property
    def name(self) -> str:
        """The upstream's name."""
        return self.standing.upstream.name

    def selected(self, commit: Oid) -> Tree:
        """The pristine tree at `commit`."""
        upstream = self.standing.upstream
        return on_disk(select(self.source.tree(commit), upstream.include, upstream.exclude).tree)

    def _patched(self, commit: Oid) -> tuple[Tree, ChainedBlobs, tuple[str, ...]]:
        pristine = self.selected(commit)
        oids = [entry.oid for entry in pristine.values() if entry.mode.is_blob]
        blobs = ChainedBlobs(self.standing.blobs, self.source.blobs(oids, str))
        request = BumpRequest(old=self.standing.applied, new=pristine, blobs=blobs)
        left_out: list[str] = []
        while True:
            plan = plan_bump(request, self.merger)
            if plan.applied is not None:
                return plan.applied.patched, ChainedBlobs(plan.applied.blobs, blobs), tuple(left_out)
            assert plan.stuck is not None
            left_out.append(plan.stuck.patch.file_name)
            request = replace(request, skip=request.skip | {plan.stuck.patch.number})

    def _test(self, variant: Variant, left_out: tuple[str, ...]) -> Outcome:
        layout = self.bench.lay_out(variant)
        results: list[ObjectResult] = list(self.bench.test(layout))
        return Outcome(
            label=variant.label,
            verdicts={result.name: result.verdict for result in results}
            | {f"recipe {recipe}": Verdict.UNTESTED for recipe in layout.refused},
            prints={result.name: "".join(trial.fingerprint for trial in result.trials) for result in results},
            left_out=left_out,
        )


def differ(one: Outcome, other: Outcome) -> str:
    """What differs between two outcomes: `verdicts`, else `results` (output bytes), else nothing."""
    if one.verdicts != other.verdicts:
        return "verdicts"
    return "results" if one.prints != other.prints else ""


def bisect_commits(work: Bisection, history: History) -> Report:
    """The commit between the ends of `history` from which on tests end as they do at its new end."""
    old, new = work.at_commit(history.old), work.at_commit(history.new)
    what = differ(old, new)
    if not what:
        return _report(work, "nothing changed: outputs are the same, bit for bit, at both ends", None)
    paths = sorted({*work.selected(history.old), *work.selected(history.new)})

    def done(commit: Oid) -> bool:
        there = work.at_commit(commit)
        return there.verdicts == new.verdicts if what == "verdicts" else there.prints == new.prints

    found = history.first(paths, done)
    if found is None:
        raise VendorError(
            f"no single commit of {work.name} between {history.old.short} and {history.new.short} changed the {what}",
            hint="try a shorter stretch with --from and --to",
        )
    return _report(work, f"first changed the {what}: {_commit(found)}", found)


def _commit(commit: UpstreamCommit) -> str:
    return f"{commit.oid.short} {commit.subject} ({commit.author}, {commit.date})"


def bisect_patches(work: Bisection) -> Report:
    """Every patch of the series, at the pin, that changes how tests end."""
    patches = work.standing.series.patches
    changes = list(_changing(work))
    if not changes:
        return _report(work, "no patch changes the results", None)
    named = [f"{patches[index].file_name} changes the {what}: {patches[index].title}" for index, what in changes]
    return _report(work, "\n".join(named), None, patches=[patches[index].file_name for index, _ in changes])


def _changing(work: Bisection) -> Iterator[tuple[int, str]]:
    for index in range(len(work.standing.series.patches)):
        what = differ(work.at_patch(index), work.at_patch(index + 1))
        if what:
            yield index, what


def _report(
    work: Bisection, conclusion: str, commit: UpstreamCommit | None, *, patches: list[str] | None = None
) -> Report:
    if not any(outcome.verdicts for outcome in work.tried.values()):
        hint = "look at --test, --target and --instance: no recipe has an object that they all name"
        raise VendorError("no object was tested", hint=hint, code=ExitCode.USAGE)
    lines = [f"{label}: {outcome}" for label, outcome in work.tried.items()]
    return Report(
        schema=SCHEMA,
        title="bisect",
        lines=(*lines, *conclusion.splitlines()),
        counts={"states tested": len(work.tried)},
        data={
            "upstream": work.name,
            "commit": None if commit is None else str(commit.oid),
            "subject": None if commit is None else commit.subject,
            "patches": patches,
            "states": [outcome.json() for outcome in work.tried.values()],
        },
    )
