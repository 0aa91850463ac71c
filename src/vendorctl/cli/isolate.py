# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl isolate`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from vendorctl.cli.given import GivenPath
from vendorctl.cli.output import emit
from vendorctl.cli.session import FINDING_FORMATS, current, options

_FOLDER = GivenPath(path_type=Path, exists=True, file_okay=False)


@click.command("isolate")
@click.argument("package")
@click.option(
    "--absent",
    multiple=True,
    required=True,
    metavar="MODULE[=DIST]",
    help="A module that is not there; DIST is the distribution that provides it. May be repeated.",
)
@click.option("--collect", "tests", multiple=True, metavar="TESTS", help="Tests that must collect all the same.")
@click.option("--before", type=_FOLDER, metavar="DIR", help="Holds PACKAGE as it was: its public names must remain.")
@click.option(
    "--path",
    "search",
    type=_FOLDER,
    multiple=True,
    metavar="DIR",
    help="Where PACKAGE lies (default: src, if there is one, and this folder).",
)
@click.option("--python", "interpreter", default=sys.executable, metavar="EXE", help="The interpreter to import it in.")
@options(formats=FINDING_FORMATS)
def command(
    package: str,
    absent: tuple[str, ...],
    tests: tuple[str, ...],
    before: Path | None,
    search: tuple[Path, ...],
    interpreter: str,
) -> int:
    """Prove that PACKAGE imports, and its tests collect, where some modules are absent.

    Runs the import in a clean child process in which no finder finds these modules. On a leak: the chain of imports,
    line by line, and the public names that could be made lazy. Also reads what other machines would import.
    """
    from vendorctl.consumer.child import Laboratory
    from vendorctl.consumer.isolate import Question, isolate
    from vendorctl.proc import run

    folder = current().folder
    places = search or tuple(path for path in (folder / "src", folder) if path.is_dir())
    pairs = [each.partition("=") for each in absent]
    laboratory = Laboratory(
        run=run,
        python=interpreter,
        folder=folder,
        search=tuple(map(Path.absolute, places)),
        absent=tuple(name for name, _, _ in pairs),
        distributions=tuple(dist for _, _, dist in pairs if dist),
    )
    return emit(isolate(Question(package=package, laboratory=laboratory, tests=tests, before=before)))
