# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An environment that knows nothing of the machine's user: own HOME, no system git configuration, UTC, C locale."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

#: Variables of the caller that change what vendorctl, git or Python do, removed before every test.
_REMOVED = ("SOURCE_DATE_EPOCH", "NO_COLOR", "FORCE_COLOR", "EMAIL", "PYTHONSTARTUP", "SSH_ASKPASS", "PAGER")
_REMOVED_PREFIXES = ("GIT_", "VENDORCTL_", "XDG_", "LC_")


def hermetic_environment(home: Path, base: Mapping[str, str]) -> dict[str, str]:
    """`base` without anything that could leak into a result, and with `home` as the user's only folder.

    `home` gets a git configuration with a downstream author, so that commits made by the code under test have one.
    """
    home.mkdir(parents=True, exist_ok=True)
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Downstream Author\n\temail = downstream@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    kept = {
        name: value for name, value in base.items() if name not in _REMOVED and not name.startswith(_REMOVED_PREFIXES)
    }
    return kept | {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "VENDORCTL_CACHE": str(home / ".cache" / "vendorctl"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CEILING_DIRECTORIES": str(home.parent),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


def configure(home: Path, text: str) -> None:
    """Add lines to the git configuration of a private HOME."""
    with (home / ".gitconfig").open("a") as file:
        file.write(text)
