# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl demo`: the whole story on the built-in sample upstream, with real commands and their real output."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from vendorctl.cli.given import GivenPath
from vendorctl.cli.session import current, options
from vendorctl.cli.story import Story
from vendorctl.errors import ExitCode


@click.command("demo")
@click.argument("folder", required=False, type=GivenPath(path_type=Path, file_okay=False))
@options(formats=("text",))
def command(folder: Path | None) -> int:
    """Vendor a kernel library, patch it, prove it, catch a tampering; all offline.

    With FOLDER, the workspace is kept there to play with.
    """
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="vendorctl-demo-") as scratch:
            return _tell(Path(scratch), kept=False)
    if folder.exists() and any(folder.iterdir()):
        raise click.UsageError(f"{folder} is not empty")
    folder.mkdir(parents=True, exist_ok=True)
    return _tell(folder.absolute(), kept=True)


def _tell(folder: Path, *, kept: bool) -> int:
    from vendorctl.cli.chapters import CHAPTERS
    from vendorctl.sample import history

    os.environ["VENDORCTL_CACHE"] = str(folder / "cache")  # the demo's downloads stay in the demo
    history.write(folder / "minikernels.git")
    workspace = folder / "downstream"
    workspace.mkdir()
    story = Story(workspace, color=current().use_color(terminal=True))
    for chapter in CHAPTERS:
        chapter(story)
    story.close(kept=kept)
    return ExitCode.OK
