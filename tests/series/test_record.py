# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Recording edits of the patched tree: every kind of change, notices left out, other edits left alone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from support.kinds import KINDS, Kind
from support.repo import Changes
from support.small_workspace import SmallWorkspace, lay_out, notices, relocked
from support.trees import Contents, tree
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.tree import Mode
from vendorctl.model import Severity
from vendorctl.series.authorship import check_author, git_author, mail_date, recording_time
from vendorctl.series.dressing import BEGIN
from vendorctl.series.output import verify_output
from vendorctl.series.record import Statement, plan_record, record
from vendorctl.series.recording import Recording, plan_recording, recording_report, stage_recording
from vendorctl.series.stack import Applied, Series
from vendorctl.series.store import load_series
from vendorctl.series.verify import prove_series
from vendorctl.workspace.lockfile import load_lock
from vendorctl.workspace.transaction import Transaction

SAID = Statement(
    title="Change it", reason="it must change", author="A <a@example.org>", date="Mon, 1 Jan 2024 00:00:00 +0000"
)


def in_memory(kind: Kind) -> None:
    contents: Contents = {}
    old, new = tree(kind.before, contents), tree(kind.after, contents)
    edits = plan_record(old, new, contents)
    patch, applied = record(edits, Applied(Series("up", ()), (old,), {}), SAID)
    assert applied.trees == (old, new)
    assert applied.series.patches == (patch,)
    assert patch.trailers.reason == "it must change"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name.replace(" ", "-"))
def test_every_kind_of_edit_on_disk_is_recorded(kind: Kind, workspace: Path) -> None:
    if any(entry.mode is Mode.GITLINK for entry in tree(kind.before, {}).values()):
        in_memory(kind)
        return
    desk = SmallWorkspace(workspace, kind.before).write()
    after = SmallWorkspace(workspace / "elsewhere", kind.after)
    contents = desk.contents | after.contents
    subprocess.run(["rm", "-rf", str(desk.folder)], check=True)
    lay_out(desk.folder, after.applied.patched, contents)
    recording = commit(desk)
    assert recording.left == ()
    assert recording.after.applied.patched == after.applied.patched
    check_proofs(desk, recording)
    assert load_series(workspace, "up") == recording.after.series


def commit(desk: SmallWorkspace, paths: Sequence[str] = (), said: Statement = SAID) -> Recording:
    recording = plan_recording(desk.root, desk.upstream, load_lock(desk.root), notices, said, paths)
    with Transaction(desk.root, "patch record") as tx:
        stage_recording(tx, recording)
        tx.commit()
    return recording


def check_proofs(desk: SmallWorkspace, recording: Recording) -> None:
    lock = load_lock(desk.root)
    assert lock is not None
    assert lock.upstreams["up"] == relocked(desk.locked, recording.after.applied)
    proof = prove_series(desk.root, lock.upstreams["up"], desk.contents)
    assert [found for found in proof.report.findings if found.severity is Severity.ERROR] == []
    assert proof.applied is not None
    dressing = notices(desk.upstream, lock.upstreams["up"], proof.applied)
    assert verify_output(desk.root, desk.upstream, proof.applied, dressing).findings == ()


@pytest.fixture
def desk(workspace: Path) -> SmallWorkspace:
    before: Changes = {"k/a.py": "one\ntwo\n", "k/b.py": "b\n", "d.json": "{}\n", "run.sh": "#!/bin/sh\n"}
    return SmallWorkspace(workspace, before, ({**before, "k/a.py": "ONE\ntwo\n"},)).write()


def test_notices_never_enter_a_patch_and_are_renewed(desk: SmallWorkspace) -> None:
    file = desk.folder / "k/a.py"
    assert BEGIN in file.read_text()
    file.write_text(file.read_text().replace("two", "TWO"))
    recording = commit(desk)
    assert BEGIN.encode() not in recording.patch.raw
    assert recording.patch.file_name == "0002-change-it.patch"
    assert "Change number 1" in file.read_text()
    assert "# Change it\n" in file.read_text()
    check_proofs(desk, recording)


def test_only_the_named_paths_are_recorded_and_the_rest_stays(desk: SmallWorkspace) -> None:
    (desk.folder / "k/b.py").write_text("B\n")
    (desk.folder / "d.json").write_text("[]\n")
    (desk.folder / "run.sh").unlink()
    recording = commit(desk, ["out/k"])
    assert [change.path for change in recording.patch.changes] == [b"k/b.py"]
    assert recording.left == (b"d.json", b"run.sh")
    assert (desk.folder / "d.json").read_text() == "[]\n"
    assert not (desk.folder / "run.sh").exists()
    report = recording_report(recording, dry_run=False)
    assert report.notes == ("still unrecorded: d.json, run.sh",)
    second = commit(desk, said=replace(SAID, title="The rest"))
    assert second.left == ()
    assert (desk.folder / "d.json.vendorctl-notice").read_text().startswith(BEGIN)
    check_proofs(desk, second)


def test_planning_writes_nothing(desk: SmallWorkspace) -> None:
    (desk.folder / "k/b.py").write_text("B\n")
    before = snapshot(desk.root)
    plan_recording(desk.root, desk.upstream, load_lock(desk.root), notices, SAID)
    assert snapshot(desk.root) == before


def snapshot(root: Path) -> Mapping[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_byte_code_is_not_an_edit(desk: SmallWorkspace) -> None:
    (desk.folder / "k/__pycache__").mkdir()
    (desk.folder / "k/__pycache__/a.cpython-311.pyc").write_bytes(b"\0")
    assert refusal(desk).message.startswith("nothing to record")
    (desk.folder / "k/__pycache__/notes.txt").write_text("mine")
    assert [change.path for change in commit(desk).patch.changes] == [b"k/__pycache__/notes.txt"]


def refusal(desk: SmallWorkspace, paths: Sequence[str] = (), said: Statement = SAID) -> VendorError:
    with pytest.raises(VendorError) as caught:
        plan_recording(desk.root, desk.upstream, load_lock(desk.root), notices, said, paths)
    return caught.value


def test_refusals(desk: SmallWorkspace) -> None:
    assert refusal(desk).code is ExitCode.USAGE
    (desk.folder / "k/b.py").write_text("B\n")
    error = refusal(desk, ["d.json"])
    assert error.message == "nothing to record at d.json"
    assert error.hint == "edited: k/b.py"
    assert "reason" in refusal(desk, said=replace(SAID, reason=" ")).message
    assert "title" in refusal(desk, said=replace(SAID, title="\t")).message
    (desk.folder / "aux.py").write_text("x\n")
    assert "device name" in refusal(desk).message


def test_a_series_that_is_not_locked_must_be_settled_first(desk: SmallWorkspace) -> None:
    (desk.folder / "k/b.py").write_text("B\n")
    patch = desk.patches / desk.applied.series.patches[0].file_name
    patch.write_bytes(patch.read_bytes().replace(b"a test", b"another"))
    error = refusal(desk)
    assert "SHA-256" in error.message
    assert "vendorctl sync up" in (error.hint or "")


def test_a_patched_tree_that_is_not_there(desk: SmallWorkspace) -> None:
    desk.folder.rename(desk.root / "gone")
    assert "is not on disk: out" in refusal(desk).message


def test_an_edit_made_meanwhile_stops_the_recording(desk: SmallWorkspace) -> None:
    file = desk.folder / "k/a.py"
    file.write_text(file.read_text().replace("two", "TWO"))
    recording = plan_recording(desk.root, desk.upstream, load_lock(desk.root), notices, SAID)
    file.write_text(file.read_text().replace("TWO", "THREE"))
    before = snapshot(desk.root)
    with Transaction(desk.root, "patch record") as tx:
        stage_recording(tx, recording)
        with pytest.raises(VendorError):
            tx.commit()
    after = {name: content for name, content in snapshot(desk.root).items() if "/.vendorctl/" not in name}
    assert after == before


def test_the_author_is_gits(home: Path, workspace: Path) -> None:
    assert git_author(workspace, os.environ) == "Downstream Author <downstream@example.org>"
    named = dict(os.environ) | {"GIT_AUTHOR_NAME": "Ä B", "GIT_AUTHOR_EMAIL": "ab@example.org"}
    assert git_author(workspace, named) == "Ä B <ab@example.org>"
    (home / ".gitconfig").write_text("")
    with pytest.raises(VendorError) as caught:
        git_author(workspace, os.environ)
    assert "git config" in (caught.value.hint or "")


@pytest.mark.parametrize("text", ["A", "a@b", "<a@b>", "A <a b@c>", "A <a@b> x", "A\n <a@b>"])
def test_odd_authors_are_refused(text: str) -> None:
    with pytest.raises(VendorError):
        check_author(text)
    assert check_author("A B <a@b>") == "A B <a@b>"


def test_dates_and_times() -> None:
    assert mail_date(0) == "Thu, 1 Jan 1970 00:00:00 +0000"
    assert mail_date(1_709_210_096) == "Thu, 29 Feb 2024 12:34:56 +0000"
    assert recording_time({}, 12.9) == 12
    assert recording_time({"SOURCE_DATE_EPOCH": "77"}, 12.9) == 77
    with pytest.raises(VendorError):
        recording_time({"SOURCE_DATE_EPOCH": "today"}, 0)
