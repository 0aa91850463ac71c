# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The git program, called in two ways that never mix.

*Exact* calls compute something whose bytes matter: they see no system, global or attribute configuration, no
``GIT_*`` variable of the caller, no time zone and no locale. *Network* calls keep the user's configuration (proxies,
credentials, ``insteadOf``) but never prompt and speak only https, ssh and file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.proc import Completed, Runner, run

#: Transports that a manifest may use.
PROTOCOLS = ("https", "ssh", "file")

#: Variables that bind a git process to a repository of the caller's; a hook or an alias may have left them.
REPOSITORY_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)

#: Settings of calls that reach a remote; the rest is the user's own configuration.
NETWORK_SETTINGS = {
    "core.hooksPath": os.devnull,
    "fetch.recurseSubmodules": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.version": "2",
}

#: Settings that change what plumbing prints or stores even when they come from a repository's own config.
_EXACT_SETTINGS = {
    "core.attributesFile": os.devnull,
    "core.autocrlf": "false",
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "core.quotePath": "true",
    "core.safecrlf": "false",
    "diff.algorithm": "myers",
    "diff.indentHeuristic": "true",
    "diff.mnemonicPrefix": "false",
    "diff.noprefix": "false",
    "diff.renames": "false",
    "diff.suppressBlankEmpty": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
}


class GitError(VendorError):
    """The git program failed; the message holds its own words."""


def exact_environment(base: Mapping[str, str]) -> dict[str, str]:
    """An environment in which git's results depend on its arguments alone."""
    kept = {name: value for name, value in base.items() if not name.startswith("GIT_")}
    return kept | {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",  # git >= 2.45; older ones are stopped by GIT_ALLOW_PROTOCOL
        "GIT_ALLOW_PROTOCOL": "none",
        "LC_ALL": "C",
        "TZ": "UTC",
    }


def network_environment(base: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment without repository variables, prompts, or transports outside `PROTOCOLS`."""
    kept = {name: value for name, value in base.items() if name not in REPOSITORY_VARIABLES}
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ASKPASS": kept.get("GIT_ASKPASS", "true"),
        # OpenSSH >= 8.4: ask this program, which answers nothing, and never the terminal. `-oBatchMode` in
        # GIT_SSH_COMMAND would hide the user's core.sshCommand and GIT_SSH.
        "SSH_ASKPASS": "true",
        "SSH_ASKPASS_REQUIRE": "force",
        "GIT_ALLOW_PROTOCOL": ":".join(PROTOCOLS),
        "LC_ALL": "C",
    }


def _list_item(path: Path) -> str:
    """A path as an entry of a colon-separated list of git's: in quotes, so that it may contain a colon itself."""
    return '"' + str(path).replace("\\", "\\\\").replace('"', '\\"') + '"'


@dataclass(frozen=True, slots=True)
class Git:
    """The git program bound to one repository (`git_dir`), or to none.

    `index` and `objects` give calls their own index file and object directory, so that computing trees never
    touches what a user or the cache owns; `objects` sees the repository's own objects as alternates.
    """

    git_dir: Path | None = None
    index: Path | None = None
    objects: Path | None = None
    runner: Runner = run
    settings: Mapping[str, str] | None = None

    def exact(self, *args: str | bytes, stdin: bytes = b"", check: bool = True, limit: int | None = None) -> Completed:
        """Run a command whose result must depend on its arguments alone.

        Raises GitError (exit code 70) with git's own words when it fails and `check` is true, and OutputLimitError
        (exit code 3) when it writes more than `limit` bytes.
        """
        environment = exact_environment(os.environ)
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = str(self.index)
        if self.objects is not None:
            environment["GIT_OBJECT_DIRECTORY"] = str(self.objects)
            if self.git_dir is not None:
                environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = _list_item(self.git_dir / "objects")
        return self._run(args, environment, {**_EXACT_SETTINGS, **(self.settings or {})}, stdin, check, limit=limit)

    def network(self, *args: str | bytes, stdin: bytes = b"", check: bool = True) -> Completed:
        """Run a command that talks to a remote with the user's own configuration.

        Raises GitError (exit code 4) with git's own words when it fails and `check` is true.
        """
        environment = network_environment(os.environ)
        settings = {**NETWORK_SETTINGS, **(self.settings or {})}
        return self._run(args, environment, settings, stdin, check, failure=ExitCode.UNREACHABLE)

    def _run(
        self,
        args: Sequence[str | bytes],
        environment: Mapping[str, str],
        settings: Mapping[str, str],
        stdin: bytes,
        check: bool,
        failure: ExitCode = ExitCode.INTERNAL,
        limit: int | None = None,
    ) -> Completed:
        command: list[str | bytes] = ["git"]
        if self.git_dir is not None:
            command.append(f"--git-dir={self.git_dir}")
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        # A path of the caller is no repository of ours: run where none can be discovered.
        cwd = self.git_dir if self.git_dir is not None else Path("/")
        bounds = {} if limit is None else {"limit": limit}
        done = self.runner([*command, *args], cwd=cwd, env=environment, stdin=stdin, **bounds)
        if check and not done.ok:
            verb = os.fsdecode(args[0]) if args else ""
            raise GitError(f"git {verb} failed: {done.error_text()}", code=failure)
        return done
