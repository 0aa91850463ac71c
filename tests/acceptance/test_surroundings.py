# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The user's git configuration, environment and surroundings change no byte of what whole commands write or prove."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.faults import Snapshot, snapshot
from support.repo import executable, repo, symlink
from support.workspace import Workspace, every_fact, make_workspace
from vendorctl.errors import ExitCode

Original = Callable[[Callable[[Path], Workspace]], Workspace]

#: Arranges the world around a workspace. Returns the file that a program which should not run would leave.
Arrange = Callable[[Workspace, Path, pytest.MonkeyPatch], object]


def unsynced(folder: Path) -> Workspace:
    """An upstream whose files invite conversion: CRLF, `$Id$`, attributes, a name that is quoted, a link."""
    return make_workspace(
        folder,
        {
            "a.py": "x = 1\ny = 2\nz = 3\n",
            "crlf.txt": "one\r\ntwo\r\n",
            "id.txt": "$Id$ $Format:%H$\n",
            ".gitattributes": "* text=auto eol=crlf ident\n*.py diff=evil filter=evil\nid.txt export-subst\n",
            'caf\u00e9 "b".txt': "quoted\n",
            "run.sh": executable("exit\n"),
            "link": symlink("a.py"),
        },
        {"a.py": "x = 1\ny = 2\nz = 3\nw = 4\n"},
        output="out",
    )


def the_story(space: Workspace) -> Snapshot:
    """Sync, record, verify, compare, move the pin, verify again. Returns the workspace after it."""
    space.sync()
    space.record("Change x", {"a.py": "x = 10\ny = 2\nz = 3\n", "new\u00e9.txt": "new\n", "crlf.txt": None})
    assert space.run("verify", "--require").code == 0
    shown = space.run("diff-upstream", "--format", "json")
    assert (shown.code, shown.findings()) == (0, set())
    space.must("sync", "--pin", "up=v2")
    assert space.run("verify", "--require").code == 0
    assert space.run("verify", "--origin").code == 0
    return snapshot(space.root)


def settings(text: str) -> Arrange:
    """More lines for the user's own configuration; `{trap}` is a program that would give itself away."""

    def arrange(_space: Workspace, trap: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
        with (Path(os.environ["HOME"]) / ".gitconfig").open("a") as config:
            config.write(text.replace("{trap}", str(trap)).replace("{folder}", str(trap.parent)))

    return arrange


def variables(**values: str) -> Arrange:
    """Environment variables; `{trap}` and `{stray}` (a repository of no concern) are filled in."""

    def arrange(space: Workspace, trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        stray = repo(space.folder / "stray", {"x": "x\n"})
        for name, value in values.items():
            monkeypatch.setenv(name, value.replace("{trap}", str(trap)).replace("{stray}", str(stray.git_dir)))

    return arrange


def attributes(space: Workspace, trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Global attributes that convert everything, and drivers for them."""
    place = Path(os.environ["HOME"]) / "attributes"
    place.write_text("* text eol=crlf diff=evil filter=evil merge=evil ident working-tree-encoding=UTF-16\n")
    settings(
        f"[core]\n\tattributesFile = {place}\n"
        '[diff "evil"]\n\ttextconv = {trap}\n\tcommand = {trap}\n\tbinary = true\n\txfuncname = "^x"\n'
        '[merge "evil"]\n\tdriver = {trap}\n'
        '[filter "evil"]\n\tclean = {trap}\n\tsmudge = {trap}\n\tprocess = {trap}\n\trequired = true\n'
    )(space, trap, monkeypatch)


def inside_another_repository(space: Workspace, trap: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    """The workspace is a subfolder of a repository with hooks, attributes and everything ignored."""
    outer = repo(space.folder, {"README": "outer\n"})
    (outer.git_dir / "info/attributes").write_text("* text eol=crlf filter=evil\n")
    (outer.git_dir / "info/exclude").write_text("*\n")
    outer.git("config", "core.autocrlf", "true")
    outer.git("config", "core.hooksPath", str(trap.parent))
    outer.git("config", "core.fsmonitor", str(trap))
    outer.git("config", "filter.evil.clean", str(trap))


def from_below(_space: Workspace, _trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The caller stands elsewhere, in a folder that is gone."""
    monkeypatch.chdir("/")


SURROUNDINGS: dict[str, Arrange] = {
    "diff settings": settings(
        "[diff]\n\tnoprefix = true\n\trenames = copies\n\tcontext = 0\n\tinterHunkContext = 9\n\talgorithm = patience\n"
        "\tindentHeuristic = false\n\torderFile = /nowhere\n\tsuppressBlankEmpty = true\n\tsubmodule = log\n"
        "\trelative = true\n\twsErrorHighlight = all\n\tcolorMoved = zebra\n"
    ),
    "mnemonic prefixes": settings("[diff]\n\tmnemonicPrefix = true\n"),
    "own prefixes": settings("[diff]\n\tsrcPrefix = old/\n\tdstPrefix = new/\n"),
    "external diff": settings("[diff]\n\texternal = {trap}\n"),
    "line ends and names": settings(
        "[core]\n\tautocrlf = true\n\teol = crlf\n\tsafecrlf = true\n\tquotePath = false\n\tabbrev = 4\n"
        "\twhitespace = cr-at-eol\n\tprecomposeUnicode = true\n\tfileMode = false\n\tsymlinks = false\n"
        "\tignoreCase = true\n[apply]\n\twhitespace = fix\n\tignoreWhitespace = change\n"
    ),
    "attributes and drivers": attributes,
    "signatures and formats": settings(
        "[commit]\n\tgpgSign = true\n[tag]\n\tgpgSign = true\n[gpg]\n\tprogram = {trap}\n[format]\n\tsignOff = true\n"
        "\tsubjectPrefix = EVIL\n\tsignature = evil\n\tattach = yes\n[i18n]\n\tcommitEncoding = latin-1\n"
        "\tlogOutputEncoding = latin-1\n[log]\n\tdate = relative\n\tshowSignature = true\n\tmailmap = true\n"
    ),
    "colours, pagers, hooks": settings(
        "[color]\n\tui = always\n[core]\n\tpager = {trap}\n\teditor = {trap}\n\thooksPath = {folder}\n"
        "\tfsmonitor = {trap}\n[alias]\n\tls-tree = !{trap}\n[advice]\n\tdetachedHead = true\n"
    ),
    "fetch settings": settings(
        "[fetch]\n\tprune = true\n\tpruneTags = true\n\trecurseSubmodules = true\n\tfsckObjects = true\n"
        "[transfer]\n\tfsckObjects = true\n[remote]\n\tpushDefault = x\n"
        "[submodule]\n\trecurse = true\n[gc]\n\tauto = 1\n[maintenance]\n\tauto = true\n"
    ),
    "stray repository variables": variables(
        GIT_DIR="{stray}",
        GIT_INDEX_FILE="{stray}/index2",
        GIT_WORK_TREE="/",
        GIT_OBJECT_DIRECTORY="{stray}/objects",
        GIT_COMMON_DIR="{stray}",
        GIT_NAMESPACE="evil",
        GIT_PREFIX="x/",
    ),
    "programs in variables": variables(
        GIT_EXTERNAL_DIFF="{trap}",
        GIT_PAGER="{trap}",
        PAGER="{trap}",
        GIT_EDITOR="{trap}",
        GIT_DIFF_OPTS="--unified=0",
        GIT_LITERAL_PATHSPECS="1",
        GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="diff.external",
        GIT_CONFIG_VALUE_0="{trap}",
        GIT_CONFIG_PARAMETERS="'diff.noprefix'='true'",
    ),
    "locale": variables(LC_ALL="de_DE.UTF-8", LANG="de_DE", LANGUAGE="de", TZ="Asia/Kathmandu"),
    "plain C locale": variables(LC_ALL="C", LANG="C", PYTHONIOENCODING="ascii"),
    "inside another repository": inside_another_repository,
    "another current folder": from_below,
}


@pytest.fixture
def undisturbed(originals: Original, disk: Path, monkeypatch: pytest.MonkeyPatch) -> Snapshot:
    """The workspace after the story, told in peace."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1704067200")
    told = originals(told_in_peace)
    return snapshot(told.root)


def told_in_peace(folder: Path) -> Workspace:
    space = unsynced(folder)
    the_story(space)
    return space


@pytest.mark.parametrize("name", SURROUNDINGS)
def test_surroundings_change_nothing(
    name: str, disk: Path, tmp_path: Path, undisturbed: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = unsynced(disk / "w")
    witness, trap = set_trap(tmp_path)
    SURROUNDINGS[name](space, trap, monkeypatch)
    assert the_story(space) == undisturbed
    assert not witness.exists(), witness.read_text()


def set_trap(folder: Path) -> tuple[Path, Path]:
    """A program that fails and leaves a file behind, in a folder where it is every hook."""
    witness, trap = folder / "witness", folder / "hooks/trap"
    trap.parent.mkdir()
    trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{witness}'\nexit 1\n")
    trap.chmod(0o755)
    for hook in ("post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "post-merge"):
        (trap.parent / hook).symlink_to(trap)
    return witness, trap


# -- permissions ---------------------------------------------------------------------------------------------------


def test_umask_077(disk: Path, undisturbed: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    space = unsynced(disk / "w")
    assert space.run("sync", prepare=lambda: os.umask(0o077)).code == 0
    assert space.run("verify", prepare=lambda: os.umask(0o077)).code == 0
    # Others may read nothing, as that user wants it; git would see the same modes.
    assert stat.S_IMODE((space.pristine / "a.py").stat().st_mode) == 0o600
    assert stat.S_IMODE((space.pristine / "run.sh").stat().st_mode) == 0o700
    assert space.run("sync").code == 0


@pytest.fixture
def read_only(originals: Original, disk: Path) -> Iterator[Workspace]:
    """A workspace in which nobody may write: as on a read-only mount, or somebody else's."""
    space = originals(told_in_peace).copy(disk / "w")
    folders = [space.root, *(Path(base) for base, _folders, _files in os.walk(space.root))]
    for folder in folders:
        folder.chmod(0o555)
    for file in (path for path in space.root.rglob("*") if path.is_file() and not path.is_symlink()):
        file.chmod(stat.S_IMODE(file.stat().st_mode) & 0o555)
    # The owner's write bit means nothing to git, and nothing to a superuser: take that privilege away as well.
    yield space
    for folder in folders:
        folder.chmod(0o755)


def as_nobody() -> None:
    """Without any privilege, if we have some."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)


def test_a_read_only_workspace_can_be_verified(read_only: Workspace, undisturbed: Snapshot) -> None:
    for folder in (read_only.folder, read_only.folder.parent):
        folder.chmod(0o755)
    before = every_fact(read_only.root)
    assert read_only.run("verify", "--require", prepare=as_nobody).code == 0
    assert read_only.run("diff-upstream", prepare=as_nobody).code == 0
    refused = read_only.run("sync", prepare=as_nobody)
    assert refused.code == ExitCode.INTERNAL
    assert "the workspace cannot be written" in refused.err
    assert every_fact(read_only.root) == before
