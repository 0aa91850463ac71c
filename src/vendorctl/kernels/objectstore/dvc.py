# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The DVC program: found, told apart by version, and used for what it is good at, which is moving bytes.

Only transfers are left to DVC: `push` and `fetch` between its local cache and a remote. vendorctl itself writes
pointers, fills the cache and takes bytes out of it, because DVC would replace files below `objects/` by links where
its `cache.type` says so, and its exit status is 0 also when files could not be had.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.metadata
import importlib.util
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from vendorctl import proc
from vendorctl.digest import parse_json
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.caching.cache import UnusableError, read_bounded, write_atomically
from vendorctl.kernels.objectstore.pointer import Stored
from vendorctl.progress import Progress, Silent

INSTALL_HINT = "install it with `pip install 'vendorctl[dvc]'`"
#: The first version whose caches and remotes are laid out as `Stored.key` says.
_FIRST = 3
_VERSION = re.compile(r"(\d+)\.\d+\S*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """DVC as it is called, with its version."""

    command: tuple[str, ...]
    version: str


def find_program(environment: Mapping[str, str], runner: proc.Runner = proc.run) -> Program:
    """DVC of this environment, else the one on PATH.

    Raises VendorError (exit code 7) when there is none, or only one that is too old.
    """
    if importlib.util.find_spec("dvc") is not None:
        # Without -P, Python would look for DVC in the workspace first.
        command: tuple[str, ...] = (sys.executable, "-P", "-m", "dvc")
        text = importlib.metadata.version("dvc")
    elif found := shutil.which("dvc", path=environment.get("PATH")):
        command = (found,)
        done = runner([found, "--version"], env=_quiet(environment))
        text = (done.stdout if done.ok else done.stderr).decode("utf-8", "replace")
    else:
        raise VendorError("DVC is not installed, and objects are kept with it", hint=INSTALL_HINT,
                          code=ExitCode.TOOL_MISSING)  # fmt: skip
    version = _VERSION.search(text)
    if version is None:
        raise VendorError(f"DVC does not start: {text.strip()}", hint=INSTALL_HINT, code=ExitCode.TOOL_MISSING)
    if int(version[1]) < _FIRST:
        message = f"DVC {version[0]} is too old: {_FIRST}.0 or newer is needed"
        raise VendorError(message, hint=INSTALL_HINT, code=ExitCode.TOOL_MISSING)
    return Program(command=command, version=version[0])


def _quiet(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's environment, because credentials come from there, with DVC's usage statistics switched off."""
    return {**environment, "DVC_NO_ANALYTICS": "1", "PYTHONIOENCODING": "utf-8"}


def repository_around(root: Path) -> Path | None:
    """The DVC repository that `root` is in."""
    return next((folder for folder in (root, *root.parents) if (folder / ".dvc").is_dir()), None)


def init_arguments(root: Path) -> tuple[str, ...]:
    """How `dvc` is called in `root` to make it a DVC repository: at the top of git's, below it, or without git."""
    if (root / ".git").exists():
        return ("init",)
    below = any((folder / ".git").exists() for folder in root.parents)
    return ("init", "--subdir") if below else ("init", "--no-scm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """How a run of DVC ended. Its status says little; what arrived has to be looked at."""

    ok: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DvcCache:
    """DVC's local cache: files named by their MD5, which DVC believes once they are there and cannot be written."""

    folder: Path

    def read(self, stored: Stored) -> bytes | None:
        """The bytes of an object; None when they are not there, or damaged."""
        try:
            data = read_bounded(self.folder / stored.key, stored.size)
        except (OSError, UnusableError):
            return None
        return data if Stored.of(data) == stored else None

    def drop_damaged(self, stored: Stored) -> bool:
        """Remove a file that is not what its name says; True when there was one.

        DVC never looks at a file of its cache again, so a damaged one would keep a sound one from being fetched.
        """
        path = self.folder / stored.key
        with contextlib.suppress(OSError):
            with path.open("rb") as file:
                name = hashlib.file_digest(file, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()
            if name != stored.md5:
                path.unlink()
                return True
        return False

    def add(self, objects: Iterable[tuple[Stored, bytes]]) -> None:
        """Put objects there, unless they are."""
        for stored, data in objects:
            if self.read(stored) is None:
                path = self.folder / stored.key
                write_atomically(path, data)
                path.chmod(0o444)  # what DVC takes as the mark of a file that it need not hash again


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Names of the remotes, which of them is the default, and the local cache, which workspaces may share."""

    remotes: tuple[str, ...]
    default: str | None
    cache: DvcCache

    def remote(self, wanted: str | None) -> str:
        """The name of the remote to use: `wanted`, else the default one.

        Raises VendorError (exit code 2), which names those that are configured, when it is not.
        """
        chosen = wanted or self.default
        if chosen in self.remotes:
            return str(chosen)
        known = f"configured: {', '.join(self.remotes)}" if self.remotes else "none is configured"
        add = f"`dvc remote add {'' if wanted else '--default '}{wanted or 'NAME'} URL`"
        if wanted is None and self.remotes:
            add = f"`dvc remote default {self.remotes[0]}`, or use --remote"
        what = f"DVC has no remote {wanted!r}" if wanted else "DVC has no default remote"
        raise VendorError(f"{what} ({known})", hint=f"run {add}", code=ExitCode.USAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """The DVC repository around a workspace. Paths given to it are relative to `root`, the workspace."""

    root: Path
    program: Program
    environment: Mapping[str, str]
    runner: proc.Runner = proc.run
    progress: Progress = field(default_factory=Silent)

    def _run(self, *arguments: str) -> proc.Completed:
        with self.progress.task(f"dvc {arguments[0]}"):  # DVC's own bars are for terminals
            return self.runner([*self.program.command, *arguments], cwd=self.root, env=_quiet(self.environment))

    def _need(self, *arguments: str, code: ExitCode = ExitCode.INVALID) -> str:
        done = self._run(*arguments)
        if not done.ok:
            raise VendorError(f"`dvc {arguments[0]}` failed: {_last_words(done)}", code=code)
        return done.stdout.decode("utf-8", "replace")

    def init(self) -> None:
        """Make the workspace a DVC repository."""
        self._need(*init_arguments(self.root), "--quiet")

    def settings(self) -> Settings:
        """What DVC's configuration files say together, of this repository, its user and the machine."""
        # `dvc remote list` is wrapped like prose; this is not. It may hold secrets, so little is kept of it.
        listed = self._need("config", "--list").splitlines()
        found = dict(line.partition("=")[::2] for line in listed)
        if "cache.dir" in found:
            cache = self.root / self._need("cache", "dir").strip()
        else:
            cache = (repository_around(self.root) or self.root) / ".dvc" / "cache"
        return Settings(
            remotes=tuple(sorted({key[7:].rpartition(".")[0] for key in found if key.startswith("remote.")})),
            default=found.get("core.remote"),
            cache=DvcCache(folder=cache),
        )

    def push(self, pointers: Sequence[str], remote: str) -> Transfer:
        """Send what pointers name from the cache to a remote. What is there already is not sent again."""
        return self._transfer("push", pointers, remote)

    def fetch(self, pointers: Sequence[str], remote: str) -> Transfer:
        """Bring what pointers name from a remote into the cache."""
        return self._transfer("fetch", pointers, remote)

    def _transfer(self, verb: str, pointers: Sequence[str], remote: str) -> Transfer:
        done = self._run(verb, "--remote", remote, "--", *pointers)
        return Transfer(ok=done.ok, text=_last_words(done))

    def absent(self, pointers: Mapping[str, Mapping[str, Stored]], remote: str) -> frozenset[Stored]:
        """Objects that a remote does not have. `pointers` maps paths of pointers to their outputs.

        Raises VendorError (exit code 4) when the remote cannot be asked.
        """
        text = self._need("status", "--cloud", "--json", "--remote", remote, "--", *pointers, code=ExitCode.UNREACHABLE)
        try:
            states = parse_json(text.strip().splitlines()[-1])
            # "deleted" means that only the remote has it, which is fine.
            named = {path for path, state in states.items() if state in ("new", "missing")}
        except (IndexError, ValueError, AttributeError) as error:
            raise VendorError(f"DVC {self.program.version} answered `status` with something else than JSON") from error
        outs = {
            f"{path.rpartition('/')[0]}/{file}": out for path, each in pointers.items() for file, out in each.items()
        }
        try:
            return frozenset(outs[path] for path in named)
        except KeyError as error:
            message = f"DVC {self.program.version} lacks {error}, which no pointer names"
            raise VendorError(message, code=ExitCode.UNREACHABLE) from error


def open_repository(
    root: Path,
    program: Program,
    environment: Mapping[str, str],
    *,
    init: bool = False,
    progress: Progress | None = None,
) -> Repository:
    """The DVC repository around a workspace; with `init`, it is made where there is none.

    Raises VendorError (exit code 2) with the command that makes one.
    """
    found = Repository(root=root, program=program, environment=environment, progress=progress or Silent())
    if repository_around(root) is None:
        if not init:
            command = " ".join(("dvc", *init_arguments(root)))
            raise VendorError(
                "the workspace is in no DVC repository",
                hint=f"run `{command}` (push: or use --init), then `dvc remote add --default NAME URL`",
                code=ExitCode.USAGE,
            )
        found.init()
    return found


def _last_words(done: proc.Completed) -> str:
    """What DVC said last: its errors, else its warnings, without the advertisement after them."""
    text = (done.stderr + b"\n" + done.stdout).decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR:").strip() for line in lines if line.startswith("ERROR:")]
    return "; ".join(dict.fromkeys(errors)) or "; ".join(lines[-3:]) or f"exit status {done.status}"
