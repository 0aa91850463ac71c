# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Drift from a pin to a branch, over real repositories: commits, files, symbols, licences, imports, patch health."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from support.chains import Shelf, numbered
from support.repo import Changes, Repo, repo
from vendorctl.drift.changes import FileChangeKind
from vendorctl.drift.health import PatchHealth
from vendorctl.drift.measure import Drift, measure_drift, tracked_ref
from vendorctl.drift.report import drift_report
from vendorctl.drift.status import Row, States, age_words, measure_status, next_steps, status_report, summed_up
from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.tree import Tree
from vendorctl.model import Finding, Report, Severity
from vendorctl.progress import Silent
from vendorctl.report.json import render_json
from vendorctl.series.content import ContentMerger
from vendorctl.series.dressing import Dressing
from vendorctl.series.stack import Applied, Series, apply_series
from vendorctl.series.workspace import Standing
from vendorctl.upstream.cache import Cache
from vendorctl.vendor.contents import ChainedBlobs
from vendorctl.vendor.select import select
from vendorctl.workspace.lock import LicenseFacts, LockedFile, LockedUpstream
from vendorctl.workspace.manifest import Hold, NotTaken, Store, Upstream

PLACE = Location("VENDOR.yaml", 3)
NORM = numbered(40)
Edit = Callable[[dict[str, str]], dict[str, str]]


def tag_scanner(_path: bytes, content: bytes) -> LicenseFacts:
    """Reads one kind of tag: enough to tell that facts changed."""
    tags = [line.split(b": ")[1].decode() for line in content.splitlines() if line.startswith(b"# licence: ")]
    return LicenseFacts(expressions=tuple(tags))


class Bench:
    """An upstream, a cache, and standings of it at a pin with a series over it."""

    def __init__(self, folder: Path, upstream: Repo) -> None:
        self.folder = folder
        self.repo = upstream
        self.cache = self.open_cache()

    def open_cache(self, *, offline: bool = False) -> Cache:
        return Cache(self.folder / "cache", progress=Silent(), offline=offline, clock=lambda: 1_800_000_000.0)

    def standing(self, *edits: Edit, pin: Oid | None = None, **changes: object) -> Standing:
        settings = {"include": ("kernels/**",), "track": "main", **changes}
        manifest = Upstream(
            name="up",
            url=self.repo.git_dir.as_uri(),
            pin=pin or self.repo.commits[0],
            ref=None,
            exclude=(),
            license=None,
            store=Store.FETCH,
            output=None,
            places={"": PLACE},
            **settings,  # type: ignore[arg-type]  # tests give each field its own type
        )
        source = self.cache.open(manifest.url, self.folder)
        source.fetch_commit(manifest.pin)
        tree = select(source.tree(manifest.pin), manifest.include, manifest.exclude).tree
        blobs = source.blobs([entry.oid for entry in tree.values()], str)
        shelf = Shelf({entry.oid: blobs[entry.oid] for entry in tree.values()})
        applied = series_of(shelf, tree, edits)
        files = tuple(
            LockedFile(path=path, mode=entry.mode, blob=entry.oid, sha256="", size=0) for path, entry in tree.items()
        )
        locked = LockedUpstream(
            name="up",
            url=manifest.url,
            commit=manifest.pin,
            root_tree=source.root_tree(manifest.pin),
            ref=None,
            files=files,
            series=(),
            include=manifest.include,
            exclude=(),
        )
        return Standing(
            upstream=manifest,
            locked=locked,
            series=applied.series,
            applied=applied,
            dressing=Dressing({}, {}),
            output=applied.patched,
            folder=self.folder / "out",
            blobs=ChainedBlobs(applied.blobs, shelf.blobs),
        )

    def drift(self, standing: Standing, against: str | None = None, *, offline: bool = False) -> Drift:
        source = self.open_cache(offline=offline).open(standing.upstream.url, self.folder)
        with ContentMerger() as merger:
            tip = tracked_ref(source, standing.upstream, against)
            return measure_drift(standing, source, tip, tag_scanner, merger)


def series_of(shelf: Shelf, pristine: Tree, edits: tuple[Edit, ...]) -> Applied:
    trees = [pristine]
    for edit in edits:
        trees.append(shelf.tree(edit(shelf.files(trees[-1]))))
    patches = [shelf.patch(number, trees[number - 1], trees[number]) for number in range(1, len(trees))]
    return apply_series(pristine, Series("up", tuple(patches)), shelf.blobs)


def replacing(path: str, old: str, new: str) -> Edit:
    def edit(files: dict[str, str]) -> dict[str, str]:
        assert old in files[path]
        return {**files, path: files[path].replace(old, new)}

    return edit


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Callable[..., Bench]]:
    def make(*commits: Changes, messages: tuple[str | None, ...] = ()) -> Bench:
        return Bench(tmp_path, repo(tmp_path / "up", *commits, messages=messages))

    yield make


def rules(findings: tuple[Finding, ...]) -> list[str]:
    return sorted(finding.rule for finding in findings)


def test_only_commits_on_vendored_files_count_as_ours(bench: Callable[..., Bench]) -> None:
    made = bench(
        {"kernels/norm.py": NORM, "docs.md": "1"},
        {"docs.md": "2"},
        {"kernels/norm.py": NORM + "x = 1\n"},
        messages=(None, None, "Add x (#12)"),
    )
    drift = made.drift(made.standing())
    assert drift.behind is not None
    assert (drift.behind.total, drift.behind.ahead) == (2, 0)
    assert [(commit.oid, commit.pull_request) for commit in drift.behind.touching] == [(made.repo.commits[2], 12)]
    assert [(change.path, change.added, change.removed) for change in drift.changes] == [(b"kernels/norm.py", 1, 0)]


def test_a_pin_at_the_tip_has_no_drift(bench: Callable[..., Bench]) -> None:
    made = bench({"kernels/norm.py": NORM})
    drift = made.drift(made.standing())
    assert drift.changes == ()
    report = drift_report([drift])
    assert report.findings == ()
    assert "up to date" in report.lines[0]


def test_the_ledger_is_shown_and_not_counted(bench: Callable[..., Bench]) -> None:
    made = bench({"kernels/norm.py": NORM}, {"kernels/norm.py": NORM + "x = 1\n"}, {"kernels/norm.py": NORM + "y\n"})
    unknown = NotTaken(commit=Oid(b"\1" * 20), reason="gone", location=Location("VENDOR.yaml", 9))
    declined = NotTaken(commit=made.repo.commits[1], reason="breaks gfx90a", location=PLACE)
    drift = made.drift(made.standing(not_taken=(declined, unknown)))
    assert drift.behind is not None
    assert [commit.oid for commit in drift.behind.touching] == [made.repo.commits[2]]
    assert [(commit.oid, entry.reason) for commit, entry in drift.behind.not_taken] == [
        (made.repo.commits[1], "breaks gfx90a")
    ]
    report = drift_report([drift])
    assert any("breaks gfx90a" in line for line in report.lines)
    assert rules(report.findings) == ["VC324"]
    assert report.findings[0].location == Location("VENDOR.yaml", 9)


def test_each_patch_has_its_own_health_and_reason(bench: Callable[..., Bench]) -> None:
    made = bench(
        {"kernels/a.py": NORM, "kernels/b.py": NORM, "kernels/c.py": NORM, "kernels/d.py": NORM},
        {"kernels/a.py": "# head\n" + NORM},
        {"kernels/b.py": NORM.replace("line_9 = 9", "line_9 = theirs")},
        {"kernels/c.py": NORM.replace("line_9 = 9", "line_9 = ours")},
        {"kernels/b.py": NORM.replace("line_9 = 9", "line_9 = theirs  # more")},
    )
    edits = [replacing(f"kernels/{name}.py", "line_9 = 9", "line_9 = ours") for name in "abcd"]
    drift = made.drift(made.standing(*edits))
    assert [(each.health, each.commit and each.commit.oid) for each in drift.patches] == [
        (PatchHealth.MOVED, None),
        (PatchHealth.CONFLICT, made.repo.commits[2]),
        (PatchHealth.LANDED, made.repo.commits[3]),
        (PatchHealth.CLEAN, None),
    ]
    report = drift_report([drift])
    assert rules(report.findings) == ["VC240", "VC241"]
    assert report.ok


def test_moves_inside_and_out_of_the_selection(bench: Callable[..., Bench]) -> None:
    other = numbered(40, word="other")
    made = bench(
        {"kernels/a.py": NORM, "kernels/b.py": other, "kernels/gone.py": numbered(9, word="gone")},
        {"kernels/a.py": None, "kernels/norm/a.py": NORM + "x\n", "kernels/b.py": None, "lib/b.py": other},
        {"kernels/gone.py": None, "lib/b.py": numbered(40, word="rewritten")},
    )
    drift = made.drift(made.standing(replacing("kernels/a.py", "line_9 = 9", "line_9 = ours")))
    assert [(change.path, change.kind) for change in drift.changes] == [
        (b"kernels/a.py", FileChangeKind.MOVED),
        (b"kernels/b.py", FileChangeKind.REMOVED),
        (b"kernels/gone.py", FileChangeKind.REMOVED),
    ]
    assert [(move.old, move.new) for move in drift.moved_out] == [(b"kernels/b.py", b"lib/b.py")]
    assert rules(drift_report([drift]).findings) == ["VC320", "VC321"]
    assert drift.patches[0].health is PatchHealth.MOVED


def test_licence_notice_and_import_changes_are_warnings(bench: Callable[..., Bench]) -> None:
    made = bench(
        {"kernels/a.py": "# licence: MIT\nimport numpy\n", "NOTICE": "1", "lib/x.py": "", "docs/NOTICE": "1"},
        {"kernels/a.py": "# licence: Apache-2.0\nimport numpy\nimport torch\nfrom lib import x\n", "NOTICE": "2"},
        {"docs/NOTICE": "2"},
    )
    report = drift_report([made.drift(made.standing())])
    messages = {finding.rule: finding.message for finding in report.findings if finding.rule != "VC322"}
    licences = sorted(finding.message for finding in report.findings if finding.rule == "VC322")
    assert licences == ["NOTICE: this licence or notice file changed", "kernels/a.py: licence MIT -> Apache-2.0"]
    assert messages == {"VC323": "kernels/a.py imports lib.x, which is lib/x.py and not vendored"}


def test_packages_that_are_installed_are_no_news(bench: Callable[..., Bench]) -> None:
    made = bench(
        {"kernels/a.py": "import dsl.expr\n", "python/dsl/expr.py": "", "python/dsl/more.py": ""},
        {"kernels/a.py": "import dsl.expr\nimport dsl.more\n"},
    )
    assert made.drift(made.standing()).imports == ()


def test_a_held_path_is_not_changed_but_said(bench: Callable[..., Bench]) -> None:
    made = bench({"kernels/a.py": NORM, "kernels/b.py": NORM}, {"kernels/a.py": "1\n", "kernels/b.py": "2\n"})
    hold = Hold(path="kernels/b.py", reason="slower", location=PLACE)
    drift = made.drift(made.standing(replacing("kernels/b.py", "line_9 = 9", "line_9 = ours"), hold=(hold,)))
    assert drift.held == (b"kernels/b.py",)
    assert [change.path for change in drift.changes] == [b"kernels/a.py"]
    assert drift.patches[0].health is PatchHealth.CLEAN


def test_symbols_tell_meaning_from_layout(bench: Callable[..., Bench]) -> None:
    made = bench(
        {"kernels/a.py": "def f(x):\n    return x\n", "kernels/b.py": "def g(x):\n    return x\n"},
        {"kernels/a.py": "def f(x):\n    return x + 1\n", "kernels/b.py": "# words\ndef g(x):\n    return (x)\n"},
    )
    drift = made.drift(made.standing())
    assert [(change.path, change.semantic) for change in drift.changes] == [
        (b"kernels/a.py", True),
        (b"kernels/b.py", False),
    ]
    lines = drift_report([drift]).lines
    assert any(line.endswith("kernels/a.py: +1 -1: f") for line in lines)
    assert any(line.endswith("kernels/b.py: +2 -1, cosmetic only") for line in lines)


def test_going_back_counts_what_the_pin_is_ahead(bench: Callable[..., Bench]) -> None:
    made = bench({"kernels/a.py": NORM}, {"kernels/a.py": NORM + "x\n"}, {"kernels/a.py": NORM + "y\n"})
    standing = made.standing(pin=made.repo.commits[2])
    drift = made.drift(standing, against=str(made.repo.commits[0]))
    assert drift.behind is not None
    assert (drift.behind.total, drift.behind.ahead) == (0, 2)
    assert "2 commits ahead" in drift_report([drift]).lines[0]


def test_the_report_is_the_same_twice_and_valid_json(bench: Callable[..., Bench]) -> None:
    made = bench({"kernels/a.py": NORM}, {"kernels/a.py": "# \x1b[2J\n" + NORM}, messages=(None, "\x1b[31mred"))
    standing = made.standing(replacing("kernels/a.py", "line_9 = 9", "line_9 = ours"))
    first, second = (render_json(drift_report([made.drift(standing)])) for _ in range(2))
    assert first == second
    data = json.loads(first)
    assert data["schema"] == "vendorctl/drift/1"
    assert data["upstreams"]["up"]["behind"] == 1


def test_offline_works_from_the_cache_and_says_what_it_lacks(bench: Callable[..., Bench]) -> None:
    made = bench({"kernels/a.py": NORM}, {"kernels/a.py": NORM + "x\n"})
    standing = made.standing()
    with pytest.raises(VendorError) as caught:
        made.drift(standing, offline=True)
    assert caught.value.code is ExitCode.UNREACHABLE
    online = made.drift(standing)
    assert made.drift(standing, offline=True).changes == online.changes


def status(made: Bench, standing: Standing, *, offline: bool) -> list[Row]:
    cache = made.open_cache(offline=offline)
    return measure_status(
        [standing.upstream],
        lambda _upstream: standing,
        lambda upstream: cache.open(upstream.url, made.folder),
        lambda _name: None,
        Silent(),
        States(licences={"up": "ok"}),
    )


def test_status_is_one_line_per_upstream_with_the_next_command(bench: Callable[..., Bench]) -> None:
    made = bench({"kernels/a.py": NORM}, {"kernels/a.py": NORM.replace("line_9 = 9", "line_9 = ours")})
    standing = made.standing(replacing("kernels/a.py", "line_9 = 9", "line_9 = ours"))
    unknown = status_report(status(made, standing, offline=True), 1_800_000_000.0)
    assert unknown.counts["unknown"] == 1
    assert unknown.lines[-1] == "next: up: run `vendorctl status --fetch`"
    rows = status(made, standing, offline=False)
    report = status_report(rows, rows[0].drift.pin_time + 3 * 86_400.0 if rows[0].drift else 0.0)
    assert report.lines[0].split() == ["upstream", "pin", "age", "behind", "files", "patches", "licences"]
    assert report.lines[1].split() == [
        *(
            "up",
            made.repo.commits[0].short,
            "3d",
            "1",
            "(1",
            "on",
            "ours)",
            "1",
            "changed",
            "1",
            "already-upstream",
            "ok",
        )
    ]
    assert report.lines[2] == "next: up: `vendorctl sync --pin up=main --drop-merged` (upstream has taken patches)"
    assert report.notes == ("up: last looked at upstream 0min ago",)


def test_an_unreadable_workspace_is_a_row_not_a_crash(bench: Callable[..., Bench]) -> None:
    made = bench({"kernels/a.py": NORM})
    standing = made.standing()

    def load(_upstream: Upstream) -> Standing:
        raise VendorError("not synced", hint="run `vendorctl sync up`")

    rows = measure_status([standing.upstream], load, lambda _u: pytest.fail(), lambda _n: None, Silent(), States())
    assert (rows[0].drift, rows[0].trouble) == (None, "not synced")
    assert next_steps(replace(rows[0])) == ["up: run `vendorctl sync up`"]


def test_findings_are_summed_up_in_a_word() -> None:
    findings = tuple(
        Finding(rule="VC401", message=str(number), severity=severity, upstream=name)
        for number, (name, severity) in enumerate(
            [("a", Severity.ERROR), ("a", Severity.WARNING), ("b", Severity.WARNING), ("b", Severity.WARNING)]
        )
    )
    report = Report(schema="vendorctl/audit/1", title="audit", findings=findings)
    assert summed_up(report, ["a", "b", "c"]) == {"a": "1 error", "b": "2 warnings", "c": "ok"}


@pytest.mark.parametrize(
    ("seconds", "words"), [(-5, "0min"), (59, "0min"), (3599, "59min"), (3600, "1h"), (172_799, "47h"), (172_800, "2d")]
)
def test_ages_are_in_their_largest_unit(seconds: float, words: str) -> None:
    assert age_words(seconds) == words
