# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Git servers of different manners, without a network: an ssh program that serves a folder of this machine.

Seen from the client everything is as with a real server: only what `git upload-pack` allows can be had.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from support.repo import Repo

#: Settings of a server that hands out objects by id, in parts.
GENEROUS = ("uploadpack.allowFilter=true", "uploadpack.allowAnySHA1InWant=true")


class Server:
    """Serves repositories as ``ssh://server.example.org/<path>``; `requests` lists what was asked so far."""

    def __init__(self, folder: Path, settings: tuple[str, ...], protocol: int) -> None:
        self._log = folder / "requests"
        options = " ".join(f"-c {shlex.quote(setting)}" for setting in settings)
        forget = "unset GIT_PROTOCOL\n" if protocol == 0 else ""
        script = folder / "ssh"
        script.write_text(
            f'#!/bin/sh\n{forget}while [ $# -gt 1 ]; do shift; done\necho "$1" >> {shlex.quote(str(self._log))}\n'
            f"[ -f {shlex.quote(str(folder / 'down'))} ] && echo 'connection refused' >&2 && exit 255\n"
            f'eval "set -- $1"\nshift\nexec git {options} upload-pack "$@"\n'
        )
        script.chmod(0o755)
        self.command = str(script)
        self._down = folder / "down"

    @property
    def requests(self) -> int:
        """How many connections were made."""
        return len(self._log.read_text().splitlines()) if self._log.exists() else 0

    def url(self, made: Repo) -> str:
        """The address of a repository."""
        return f"ssh://server.example.org{made.git_dir}"

    def stop(self) -> None:
        """Refuse connections from now on."""
        self._down.touch()


def serve(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, settings: tuple[str, ...] = GENEROUS, protocol: int = 2
) -> Server:
    """Start answering; `settings` configure the server's git, protocol 0 makes it as strict as servers used to be."""
    folder.mkdir(parents=True, exist_ok=True)
    server = Server(folder, settings, protocol)
    monkeypatch.setenv("GIT_SSH_COMMAND", shlex.quote(server.command))
    monkeypatch.setenv("GIT_SSH_VARIANT", "simple")
    return server
