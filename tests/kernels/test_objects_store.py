# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Objects on remotes of DVC: what was built goes there and comes back, and nothing else ever lands below `objects/`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from support import tinykern
from support.repo import Changes, repo
from support.s3 import BUCKET, S3, s3_server
from support.schemas import faults
from vendorctl.cli import main
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.object import manifest
from vendorctl.kernels.objectstore import dvc, pointer
from vendorctl.kernels.objectstore.pointer import Stored

pytest.importorskip("dvc")

KERNELS = f"""
kernels:
  recipes: [recipes/scale.py]
  targets: [gfx942, gfx11-generic]
  toolchain: {{flydsl: "{importlib.metadata.version("flydsl")}"}}
"""
OBJECTS = {f"objects/scale/{target}/{dtype}.hsaco" for target in tinykern.TARGETS for dtype in ("f16", "f32")}
POINTERS = {f"objects/scale/{target}/objects.dvc" for target in tinykern.TARGETS}
DAMAGED = "objects/scale/gfx942/f16.hsaco"


def dvc_run(root: Path, *arguments: str) -> str:
    environment = {**os.environ, "DVC_NO_ANALYTICS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "dvc", *arguments], cwd=root, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


@dataclass(frozen=True, slots=True)
class Place:
    """A workspace in git with objects, and a folder beside it that is its DVC remote."""

    root: Path
    capsys: pytest.CaptureFixture[str]

    @property
    def remote(self) -> Path:
        return self.root.parent / "remote"

    def run(self, *arguments: str, root: Path | None = None) -> tuple[int, Any]:
        """Exit code and document of a command; the document is as its schema says."""
        self.capsys.readouterr()
        code = main(["-C", str(root or self.root), "--format", "json", *arguments])
        document = json.loads(self.capsys.readouterr().out)
        assert faults(document) == []
        return code, document

    def clone(self, name: str = "clone") -> Path:
        """A clone beside the workspace: it has manifests and pointers, but no objects."""
        folder = self.root.parent / name
        git(self.root.parent, "clone", "-q", str(self.root), name)
        return folder

    def configure(self, config: str) -> None:
        """Make the workspace a DVC repository, as DVC's own commands would, or change its configuration."""
        (self.root / ".dvc").mkdir(exist_ok=True)
        (self.root / ".dvc" / ".gitignore").write_text("/config.local\n/tmp\n/cache\n")
        (self.root / ".dvc" / "config").write_text(config)

    def commit(self) -> None:
        git(self.root, "add", "-A")
        git(self.root, "commit", "-qm", "change")


def remote(name: str, url: str, *, core: str = "") -> str:
    """DVC's configuration with one remote, which is the default."""
    return f"[core]\n    remote = {name}\n{core}['remote \"{name}\"']\n    url = {url}\n"


def rules(document: Any) -> list[str]:
    return sorted({finding["rule"] for finding in document["findings"]})


def objects_in(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.hsaco"))}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a built workspace in git, `ws`, that knows of no object store."""
    folder = tmp_path_factory.mktemp("store")
    files: Changes = {n.removeprefix("patched/"): text for n, text in tinykern.FILES.items() if "patched" in n}
    upstream = repo(folder / "upstream", files)
    root = folder / "ws"
    root.mkdir()
    described = root / "VENDOR.yaml"
    assert main(["-C", str(root), "init"]) == 0
    assert main(["-C", str(root), "add", "tinykern", upstream.path.as_uri(), "--include", "tinykern/**"]) == 0
    described.write_text(described.read_text().replace("    include:", "    output: out\n    include:") + KERNELS)
    tinykern.write_files(root, {"recipes/scale.py": tinykern.RECIPE})
    for command in ("sync", "build"):
        assert main(["-C", str(root), command]) == 0
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "built")
    return folder


@pytest.fixture(scope="module")
def pushed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with its objects in a DVC remote beside it."""
    folder = tmp_path_factory.mktemp("pushed") / "all"
    shutil.copytree(built, folder, symlinks=True)
    root = folder / "ws"
    dvc_run(root, "init", "-q")
    dvc_run(root, "remote", "add", "-q", "--default", "store", "../remote")
    assert main(["-C", str(root), "objects", "push"]) == 0
    git(root, "add", "-A")
    git(root, "commit", "-qm", "pointers")
    return folder


def _place(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    shutil.copytree(folder, tmp_path / "all", symlinks=True)
    return Place(tmp_path / "all" / "ws", capsys)


@pytest.fixture
def fresh(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    return _place(built, tmp_path, capsys)


@pytest.fixture
def kept(pushed: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Place:
    return _place(pushed, tmp_path, capsys)


@pytest.fixture(scope="module")
def server() -> Iterator[S3]:
    with s3_server() as running:
        yield running


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


def test_without_a_dvc_repository_the_command_that_makes_one_is_told(fresh: Place) -> None:
    code, error = fresh.run("objects", "push")
    assert (code, "run `dvc init`" in error["hint"]) == (ExitCode.USAGE, True)
    below = fresh.root / "below"
    assert dvc.init_arguments(fresh.root) == ("init",)
    assert dvc.init_arguments(below) == ("init", "--subdir")
    assert dvc.init_arguments(fresh.root.parent) == ("init", "--no-scm")
    code, error = fresh.run("objects", "push", "--init")
    assert code == ExitCode.USAGE
    assert error["hint"] == "run `dvc remote add --default NAME URL`"
    assert (fresh.root / ".dvc/config").is_file()
    dvc_run(fresh.root, "remote", "add", "-q", "other", "../remote")
    assert "`dvc remote default other`" in fresh.run("objects", "push")[1]["hint"]
    assert "configured: other" in fresh.run("objects", "push", "--remote", "mine")[1]["message"]
    assert fresh.run("objects", "push", "--remote", "other")[0] == 0


def test_outside_git_it_works_as_well_and_with_a_cache_elsewhere(fresh: Place) -> None:
    shutil.rmtree(fresh.root / ".git")
    fresh.configure(remote("store", "../../remote", core="    no_scm = True\n[cache]\n    dir = ../../cache\n"))
    assert fresh.run("objects", "push")[0] == 0
    assert not (fresh.root / ".dvc/cache/files").exists()
    kept = objects_in(fresh.root)
    for name in kept:
        (fresh.root / name).unlink()
    assert fresh.run("objects", "pull")[0] == 0
    assert objects_in(fresh.root) == kept


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


def test_names_that_no_manifest_has_are_refused(kept: Place) -> None:
    for arguments in (["status", "nothing"], ["pull", "--target", "gfx90a"], ["push", "scale", "nothing"]):
        code, error = kept.run("objects", *arguments)
        assert (code, "no manifest is of the" in error["message"]) == (ExitCode.USAGE, True), arguments


def test_a_push_that_fails_leaves_the_pointers_as_they_were(fresh: Place) -> None:
    (fresh.root.parent / "file").write_text("no folder")
    fresh.configure(remote("store", "../../file/remote"))
    code, error = fresh.run("objects", "push")
    assert code == ExitCode.UNREACHABLE, error
    assert "the remote store" in error["message"]
    assert not list(fresh.root.rglob("objects.dvc"))


def test_dvc_itself_restores_what_pointers_name(kept: Place) -> None:
    clone = kept.clone()
    dvc_run(clone, "pull", "-q")
    assert objects_in(clone) == objects_in(kept.root)
    assert json.loads(dvc_run(clone, "status", "--json")) == {}
    assert git(clone, "status", "--porcelain") == ""


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


def test_over_s3_objects_come_back_and_a_damaged_one_is_refused(kept: Place, server: S3) -> None:
    kept.configure(remote("s3", f"s3://{BUCKET}/objects"))
    kept.commit()
    assert kept.run("objects", "push", "--remote", "s3")[0] == 0
    assert len(server.names()) == len(OBJECTS)
    key = f"objects/{Stored.of((kept.root / DAMAGED).read_bytes()).key}"
    sound = server.read(key)
    server.write(key, sound[:-1] + bytes([sound[-1] ^ 1]))
    clone = kept.clone()
    code, document = kept.run("objects", "pull", "--remote", "s3", root=clone)
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC541"])
    assert "gave damaged bytes" in document["findings"][0]["message"]
    assert set(objects_in(clone)) == OBJECTS - {DAMAGED}
    server.delete(key)
    assert kept.run("objects", "push", "--remote", "s3")[0] == 0
    assert server.read(key) == sound
    code, document = kept.run("objects", "pull", "--remote", "s3", root=clone)
    assert (code, document["restored"]) == (0, [DAMAGED])
    assert kept.run("check", "--require", root=clone)[0] == 0


def test_a_remote_that_cannot_be_reached_ends_with_four(kept: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    kept.configure(remote("away", "s3://away/objects"))
    kept.commit()
    clone = kept.clone()
    code, error = kept.run("objects", "pull", "--remote", "away", root=clone)
    assert (code, "the remote away cannot be read" in error["message"]) == (ExitCode.UNREACHABLE, True)
    assert objects_in(clone) == {}


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


def test_objects_of_equal_bytes_are_all_missed_when_the_remote_lacks_them(kept: Place) -> None:
    """DVC names only one of them."""
    same = Stored.of(b"same")
    pointers = {}
    for folder in ("a", "b"):
        (kept.root / folder).mkdir()
        pointers[f"{folder}/objects.dvc"] = {"x.hsaco": same, "y.hsaco": same}
        lines = "".join(f"- {{md5: {same.md5}, size: 4, hash: md5, path: {name}.hsaco}}\n" for name in "xy")
        (kept.root / folder / "objects.dvc").write_text("outs:\n" + lines)
    repository = dvc.open_repository(kept.root, dvc.find_program(os.environ), os.environ)
    assert repository.absent(pointers, "store") == {"a/x.hsaco", "a/y.hsaco", "b/x.hsaco", "b/y.hsaco"}
    (kept.remote / same.key).parent.mkdir(parents=True, exist_ok=True)
    (kept.remote / same.key).write_bytes(b"same")
    assert repository.absent(pointers, "store") == set()


def test_modules_of_the_workspace_are_not_taken_for_those_of_dvc(kept: Place) -> None:
    (kept.root / "dvc.py").write_text("raise SystemExit('this is not DVC')\n")
    assert kept.run("objects", "status", "--in-remote", "--require")[0] == 0


def test_links_that_dvc_would_make_are_files_here(kept: Place) -> None:
    kept.configure(remote("store", "../../remote", core="[cache]\n    type = symlink\n"))
    kept.commit()
    clone = kept.clone()
    assert kept.run("objects", "pull", root=clone)[0] == 0
    assert kept.run("objects", "push", root=clone)[0] == 0
    assert not [path for path in clone.rglob("*.hsaco") if path.is_symlink()]
    assert kept.run("check", "--require", root=clone)[0] == 0


def test_what_is_in_the_cache_of_dvc_needs_no_remote(kept: Place) -> None:
    shutil.rmtree(kept.remote)
    (kept.root / DAMAGED).write_bytes(b"other bytes")
    code, document = kept.run("objects", "pull")
    assert (code, document["restored"]) == (0, [DAMAGED])


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


MD5 = "0" * 32
SOUND = f"meta:\n  vendorctl:\n    objects: x\nouts:\n- md5: {MD5}\n  size: 3\n  hash: md5\n  path: a.hsaco\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a.hsaco", "../a.hsaco"),
        ("a.hsaco", "/etc/a.hsaco"),
        ("a.hsaco", "manifest.json"),
        (MD5, "../" + MD5[3:]),
        (MD5, MD5 + ".dir"),
        ("  hash: md5\n", ""),
        ("hash: md5", "hash: etag"),
        ("size: 3", "size: -3"),
        ("size: 3", "size: [3]"),
        ("outs:", "wrong:"),
        ("outs:\n", f"outs:\n- md5: {MD5}\n  size: 3\n  hash: md5\n  path: a.hsaco\n"),
        ("- md5", "- &a md5"),
        ("meta:", "\x00meta:"),
    ],
)
def test_a_pointer_that_is_not_one_is_refused(old: str, new: str) -> None:
    assert dict(pointer.parse(SOUND.encode(), "p").outs) == {"a.hsaco": Stored(md5=MD5, size=3)}
    assert old in SOUND
    with pytest.raises(VendorError, match="not a pointer to objects"):
        pointer.parse(SOUND.replace(old, new, 1).encode(), "p")
    with pytest.raises(VendorError, match="not a pointer to objects"):
        pointer.parse(b"\xff", "p")


def test_a_broken_pointer_is_said_and_nothing_is_pulled(kept: Place) -> None:
    for name in POINTERS:
        (kept.root / name).write_text(SOUND.replace("a.hsaco", "../../../VENDOR.yaml"))
    kept.commit()
    clone = kept.clone()
    assert {unit["pointer"] for unit in kept.run("objects", "status", root=clone)[1]["units"]} == {"invalid"}
    code, document = kept.run("objects", "pull", root=clone)
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC510"])
    assert "the pointer cannot be read" in document["findings"][0]["message"]


def test_what_no_recipe_builds_any_more_takes_its_pointer_along(kept: Place) -> None:
    described = kept.root / "VENDOR.yaml"
    described.write_text(described.read_text().replace("[gfx942, gfx11-generic]", "[gfx942]"))
    assert main(["-C", str(kept.root), "build"]) == 0
    assert not (kept.root / "objects/scale/gfx11-generic").exists()
    assert kept.run("check", "--require")[0] == 0


def test_dvc_that_is_absent_or_too_old_ends_with_seven(
    kept: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kept.root / DAMAGED).unlink()
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *rest: None if name == "dvc" else find(name, *rest))
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", os.pathsep.join(p for p in path.split(os.pathsep) if not (Path(p) / "dvc").exists()))
    code, error = kept.run("objects", "pull")
    assert (code, error["hint"]) == (ExitCode.TOOL_MISSING, "install it with `pip install 'vendorctl[dvc]'`")
    assert kept.run("objects", "status")[0] == 0  # reading needs no DVC
    script = tmp_path / "bin" / "dvc"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\necho 2.58.2\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    code, error = kept.run("objects", "pull")
    assert (code, "DVC 2.58.2 is too old" in error["message"]) == (ExitCode.TOOL_MISSING, True)
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m dvc "$@"\n')
    assert kept.run("objects", "pull")[0] == 0  # one on PATH will do
