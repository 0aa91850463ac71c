# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What is not as a manifest records is neither sent nor taken, and the pointers stay as they were."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from support.objectstore import DAMAGED, OBJECTS, POINTERS, Place, objects_in, remote, rules
from vendorctl.errors import ExitCode
from vendorctl.kernels.object import manifest
from vendorctl.kernels.objectstore import dvc, pointer
from vendorctl.kernels.objectstore.pointer import Stored


@pytest.mark.parametrize("harm", [lambda path: path.unlink(), lambda path: path.write_bytes(b"other bytes")])
def test_what_is_not_as_recorded_is_never_pushed(fresh: Place, harm: Callable[[Path], object]) -> None:
    fresh.configure(remote("store", "../../remote"))
    harm(fresh.root / DAMAGED)
    code, document = fresh.run("objects", "push", "scale")
    assert code == ExitCode.FINDINGS
    assert rules(document) in (["VC510"], ["VC511"])
    assert not fresh.remote.exists()
    assert not list(fresh.root.rglob("objects.dvc"))
    # The other target is whole, and can be asked for.
    code, document = fresh.run("objects", "push", "scale", "--target", "gfx11-generic")
    assert (code, document["pointers"]) == (0, ["objects/scale/gfx11-generic/objects.dvc"])


def test_a_damaged_file_in_a_folder_remote_is_refused(kept: Place) -> None:
    stored = Stored.of((kept.root / DAMAGED).read_bytes())
    path = kept.remote / stored.key
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    clone = kept.clone()
    code, document = kept.run("objects", "pull", root=clone)
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC541"])
    assert [finding["location"]["path"] for finding in document["findings"]] == [DAMAGED]
    assert set(objects_in(clone)) == OBJECTS - {DAMAGED}
    assert kept.run("check", "--require", root=clone)[0] == ExitCode.FINDINGS
    # Where the object is, a push sends it again; the clone goes on where it stopped.
    assert kept.run("objects", "push")[0] == 0
    code, document = kept.run("objects", "pull", root=clone)
    assert (code, document["restored"]) == (0, [DAMAGED])
    assert kept.run("check", "--require", root=clone)[0] == 0


def test_damage_in_the_cache_of_dvc_does_not_land_and_does_not_stay(kept: Place) -> None:
    stored = Stored.of((kept.root / DAMAGED).read_bytes())
    sound = objects_in(kept.root)
    path = kept.root / ".dvc/cache" / stored.key
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    path.chmod(0o444)  # DVC believes it now
    (kept.root / DAMAGED).unlink()
    code, document = kept.run("objects", "pull")
    assert (code, document["restored"]) == (0, [DAMAGED])
    assert objects_in(kept.root) == sound
    # What is as its name says stays, whatever size a pointer claims: other workspaces may share the cache.
    cache = dvc.DvcCache(folder=kept.root / ".dvc/cache")
    wrong = Stored(md5=stored.md5, size=stored.size + 1)
    assert (cache.read(wrong), cache.drop_damaged(wrong), cache.read(stored)) == (None, False, sound[DAMAGED])


def test_a_push_that_fails_leaves_the_pointers_as_they_were(fresh: Place) -> None:
    (fresh.root.parent / "file").write_text("no folder")
    fresh.configure(remote("store", "../../file/remote"))
    code, error = fresh.run("objects", "push")
    assert code == ExitCode.UNREACHABLE, error
    assert "the remote store" in error["message"]
    assert not list(fresh.root.rglob("objects.dvc"))


def test_a_pointer_of_another_build_brings_nothing_that_is_not_recorded(kept: Place) -> None:
    for unit in sorted((kept.root / "objects/scale").iterdir()):
        found = manifest.parse((unit / "manifest.json").read_bytes(), "m")
        first, second = found.objects
        swapped = {
            first.file: pointer.Stored.of((unit / second.file).read_bytes()),
            second.file: pointer.Stored.of((unit / first.file).read_bytes()),
        }
        (unit / "objects.dvc").write_bytes(pointer.dump(found, swapped))
    code, document = kept.run("objects", "status", "--require")
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC540"])
    assert {unit["pointer"] for unit in document["units"]} == {"other"}
    kept.commit()
    clone = kept.clone()
    code, document = kept.run("objects", "pull", root=clone)
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC541"])
    assert len(document["findings"]) == len(OBJECTS)
    assert "names other bytes than the manifest" in document["findings"][0]["message"]
    assert objects_in(clone) == {}
    # A push writes the right ones.
    assert set(kept.run("objects", "push")[1]["pointers"]) == POINTERS
    assert kept.run("objects", "status", "--require")[0] == 0


def test_a_pointer_that_names_another_size_brings_nothing(kept: Place) -> None:
    """Whoever writes pointers cannot make anybody take more than the manifest records, nor ask for it."""
    unit = (kept.root / DAMAGED).parent
    found = manifest.parse((unit / "manifest.json").read_bytes(), "m")
    large = bytes(1 << 20)
    stored = {record.file: Stored.of((unit / record.file).read_bytes()) for record in found.objects}
    (unit / "objects.dvc").write_bytes(pointer.dump(found, stored | {"f16.hsaco": Stored.of(large)}))
    place = kept.remote / Stored.of(large).key
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(large)
    for name in objects_in(kept.root):
        (kept.root / name).unlink()
    shutil.rmtree(kept.root / ".dvc/cache")
    code, document = kept.run("objects", "pull", "--target", "gfx942")
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC541"])
    assert "names other bytes than the manifest" in document["findings"][0]["message"]
    assert set(objects_in(kept.root)) == {"objects/scale/gfx942/f32.hsaco"}
    # An object that is larger than recorded is not read to find that out.
    os.truncate(kept.root / "objects/scale/gfx942/f32.hsaco", 1 << 40)
    code, document = kept.run("objects", "status", "--target", "gfx942")
    assert (code, document["counts"]["damaged"]) == (ExitCode.FINDINGS, 1)


def test_what_an_interrupted_push_left_is_said_and_removed_by_the_next(fresh: Place) -> None:
    fresh.configure(remote("store", "../../remote"))
    left = fresh.root / "objects/scale/gfx942" / pointer.SENDING_NAME
    left.write_bytes(pointer.dump_sending({"f16.hsaco": Stored(md5="0" * 32, size=3)}))
    for command in (("check",), ("objects", "status")):
        code, document = fresh.run(*command)
        told = next(finding for finding in document["findings"] if finding["rule"] == "VC513")
        assert (code, told["location"]["path"]) == (ExitCode.FINDINGS, f"objects/scale/gfx942/{left.name}")
        assert told["hint"] == "run it again: vendorctl objects push"
    assert fresh.run("objects", "push")[0] == 0
    assert not left.exists()
    assert fresh.run("check", "--require")[0] == 0
