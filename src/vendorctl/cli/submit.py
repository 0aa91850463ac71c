# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl submit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from vendorctl.cli.given import GivenPath
from vendorctl.cli.session import FINDING_FORMATS, options
from vendorctl.errors import ExitCode, VendorError

_FILE = GivenPath(path_type=Path, exists=True, dir_okay=False)
_FOLDER = GivenPath(path_type=Path, file_okay=False)
#: Options that each ask for something else than a submission.
_MODES = ("check", "queue", "sent", "landed", "abort")


@click.command("submit")
@click.argument("words", nargs=-1, metavar="[NAME] [PATCH]...")
@click.option("--onto", metavar="REF", help="Upstream's branch to submit to (default: what the upstream tracks).")
@click.option("--output", type=_FOLDER, metavar="DIR", help="Write mails and the pull-request text to this folder.")
@click.option("--branch", metavar="NAME", help="Make this branch in the clone.")
@click.option("--clone", type=_FOLDER, metavar="DIR", help="A local clone of the upstream, for --branch.")
@click.option("-s", "--signoff", is_flag=True, help="Sign the patches off with your git identity.")
@click.option("--with-needed", "needed", is_flag=True, help="Take along the patches that the chosen ones need.")
@click.option("--style/--no-style", default=True, help="Run upstream's own formatter and linter (default: yes).")
@click.option("--tests-before", type=_FILE, metavar="FILE", help="`test --format json` without the patches.")
@click.option("--tests-after", type=_FILE, metavar="FILE", help="`test --format json` with them.")
@click.option("--objects", type=_FILE, metavar="FILE", help="`diff-upstream --objects --format json`.")
@click.option("--continue", "resume", is_flag=True, help="Go on after editing a conflict's files.")
@click.option("--abort", is_flag=True, help="Remove a conflict's files.")
@click.option("--check", is_flag=True, help="What became of the patches: landed, rewritten, superseded, in conflict.")
@click.option("--record", is_flag=True, help="With --check: state in the patches what has landed.")
@click.option("--queue", is_flag=False, flag_value="age", type=click.Choice(["age", "churn", "cost"]),
              help="List the patches that we carry, the costliest first.")  # fmt: skip
@click.option("--sent", metavar="URL", help="State in the patches that they were sent: the pull request's URL.")
@click.option("--landed", metavar="COMMIT", help="State in the patches that upstream has them since this commit.")
@click.option("--offline", is_flag=True, help="Use the cache only.")
@options(formats=FINDING_FORMATS)
def command(words: tuple[str, ...], **values: Any) -> int:
    """Send patches upstream: carry them to the tip of its branch, check them, write mails or a branch.

    Without PATCH, every patch that waits to be sent. The NAME of the upstream may be left out where there is only one.
    Nothing is written until every check passes; without --output and --branch nothing is written at all. With
    --format markdown, the text of the pull request is printed.
    """
    from vendorctl.cli import submitting

    asked = [name for name in _MODES if values[name]]
    if len(asked) > 1:
        raise VendorError(f"--{asked[0]} and --{asked[1]} exclude each other", code=ExitCode.USAGE)
    if bool(values["branch"]) != bool(values["clone"]):
        raise VendorError("--branch needs --clone, and the other way round", code=ExitCode.USAGE)
    return submitting.run(words, submitting.Options(**values), asked[0] if asked else "submit")
