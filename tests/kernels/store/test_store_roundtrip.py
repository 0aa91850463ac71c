# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What was built goes to a remote of DVC and comes back, and it is said where everything is."""

from __future__ import annotations

import os
import select
import shutil
import time
from dataclasses import replace

from support.command import start
from support.interruptions import held_at_step
from support.objectstore import DAMAGED, OBJECTS, Place, git, objects_in, remote, rules
from vendorctl.cli import main
from vendorctl.errors import ExitCode
from vendorctl.kernels.object import manifest


def test_a_clone_without_objects_is_told_the_command_that_restores_them(kept: Place) -> None:
    clone = kept.clone()
    code, document = kept.run("check", root=clone)
    assert code == 0
    assert [(finding["rule"], finding["severity"]) for finding in document["findings"]] == [("VC510", "warning")]
    command = document["findings"][0]["hint"]
    assert command == "vendorctl objects pull scale"
    assert kept.run("check", "--require", root=clone)[0] == ExitCode.FINDINGS
    code, document = kept.run(*command.split()[1:], root=clone)
    assert (code, set(document["restored"])) == (0, OBJECTS)
    assert kept.run("check", "--require", root=clone)[0] == 0
    assert objects_in(clone) == objects_in(kept.root)
    assert git(clone, "status", "--porcelain") == ""
    code, document = kept.run("objects", "pull", root=clone)
    assert (code, document["counts"]) == (0, {"objects": 4, "already here": 4, "restored": 0, "refused": 0})


def test_status_tells_what_is_recorded_present_and_kept(kept: Place) -> None:
    code, document = kept.run("objects", "status", "--in-remote", "--require")
    assert (code, document["remote"]) == (0, "store")
    assert document["counts"] == {
        "recorded": 4, "present": 4, "missing": 0, "damaged": 0, "extra": 0, "in remote": 4,
    }  # fmt: skip
    (kept.root / DAMAGED).write_bytes(b"other bytes")
    (kept.root / DAMAGED).with_name("stray.hsaco").write_bytes(b"")
    (kept.root / "objects/scale/gfx11-generic/f32.hsaco").unlink()
    shutil.rmtree(kept.remote)
    shutil.rmtree(kept.root / ".dvc/cache")
    code, document = kept.run("objects", "status", "--remote", "store")
    assert code == ExitCode.FINDINGS
    assert rules(document) == ["VC510", "VC511", "VC513", "VC540"]
    assert document["counts"] == {
        "recorded": 4, "present": 2, "missing": 1, "damaged": 1, "extra": 1, "in remote": 0,
    }  # fmt: skip
    row = next(unit for unit in document["units"] if unit["target"] == "gfx942")
    assert (row["damaged"], row["extra"], row["pointer"], row["in_remote"]) == (1, 1, "matches", 0)


def test_what_is_not_kept_anywhere_is_a_warning_until_it_is_required(fresh: Place) -> None:
    code, document = fresh.run("objects", "status")
    assert (code, rules(document)) == (0, ["VC540"])
    assert {unit["pointer"] for unit in document["units"]} == {"none"}
    assert fresh.run("objects", "status", "--require")[0] == ExitCode.FINDINGS
    clone = fresh.clone()
    code, document = fresh.run("objects", "pull", root=clone)
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC510"])
    assert document["findings"][0]["hint"] == "vendorctl build --op scale --target gfx11-generic"
    assert fresh.run("check", root=clone)[1]["findings"][0]["hint"] == "vendorctl build --op scale"


def test_a_manifest_without_objects_needs_no_pointer(fresh: Place) -> None:
    fresh.configure(remote("store", "../../remote"))
    folder = fresh.root / "objects/scale/gfx942"
    found = manifest.parse((folder / "manifest.json").read_bytes(), "m")
    (folder / "manifest.json").write_bytes(manifest.dump(replace(found, objects=())))
    for path in folder.glob("*.hsaco"):
        path.unlink()
    assert fresh.run("objects", "push")[1]["pointers"] == ["objects/scale/gfx11-generic/objects.dvc"]
    code, document = fresh.run("objects", "status", "--in-remote", "--require")
    assert (code, document["counts"]["recorded"], document["counts"]["in remote"]) == (0, 2, 2)


def test_pushes_at_once_come_one_after_the_other(fresh: Place) -> None:
    fresh.configure(remote("store", "../../remote"))
    running = [start("-C", str(fresh.root), "objects", "push") for _ in range(2)]
    results = [each.wait() for each in running]
    assert [result.code for result in results] == [0, 0], [result.text for result in results]
    assert sum("waiting for `vendorctl objects push`" in result.err for result in results) == 1
    assert fresh.run("objects", "status", "--in-remote", "--require")[0] == 0
    assert not list(fresh.root.glob("objects/*/*/sending.dvc"))


def test_a_build_waits_for_a_push(fresh: Place) -> None:
    """It would take objects away that the push is about to send."""
    fresh.configure(remote("store", "../../remote"))
    (until, let_go), (begun, told) = os.pipe(), os.pipe()
    hold = held_at_step("write the journal", until=until, told=told)
    pushing = start("-C", str(fresh.root), "objects", "push", prepare=hold)
    assert select.select([begun], [], [], 60)[0]
    described = fresh.root / "VENDOR.yaml"
    described.write_text(described.read_text().replace("[gfx942, gfx11-generic]", "[gfx942]"))
    building = start("-C", str(fresh.root), "build", "-j1")
    while "waiting for `vendorctl objects push`" not in building.said():
        assert os.waitid(os.P_PID, building.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None, building.wait().text
        time.sleep(0.05)
    assert objects_in(fresh.root).keys() == OBJECTS
    os.write(let_go, b"x")
    assert (pushing.wait().code, building.wait().code) == (0, 0)
    assert {path for path in OBJECTS if "gfx942" in path} == objects_in(fresh.root).keys()


def test_names_that_no_manifest_has_are_refused(kept: Place) -> None:
    for arguments in (["status", "nothing"], ["pull", "--target", "gfx90a"], ["push", "scale", "nothing"]):
        code, error = kept.run("objects", *arguments)
        assert (code, "no manifest is of the" in error["message"]) == (ExitCode.USAGE, True), arguments


def test_what_is_in_the_cache_of_dvc_needs_no_remote(kept: Place) -> None:
    shutil.rmtree(kept.remote)
    (kept.root / DAMAGED).write_bytes(b"other bytes")
    code, document = kept.run("objects", "pull")
    assert (code, document["restored"]) == (0, [DAMAGED])


def test_what_no_recipe_builds_any_more_takes_its_pointer_along(kept: Place) -> None:
    described = kept.root / "VENDOR.yaml"
    described.write_text(described.read_text().replace("[gfx942, gfx11-generic]", "[gfx942]"))
    assert main(["-C", str(kept.root), "build"]) == 0
    assert not (kept.root / "objects/scale/gfx11-generic").exists()
    assert kept.run("check", "--require")[0] == 0
