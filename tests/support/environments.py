# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Virtual environments that hold a wheel and what its metadata asks for, and nothing else; made offline in a second.

What is installed beside the tests is linked in, package by package, so an environment has the very versions that
everything else is tested with.
"""

from __future__ import annotations

import email
import importlib.metadata
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from support.command import Result


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment; `python` runs in it and sees nothing of the one that the tests run in."""

    folder: Path

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def run(self, *words: str, env: Mapping[str, str] | None = None) -> Result:
        """Run its interpreter with `words`."""
        environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", **(env or {})}
        environment.pop("PYTHONPATH", None)
        done = subprocess.run([str(self.python), *words], env=environment, capture_output=True, text=True)
        return Result(done.returncode, done.stdout, done.stderr)

    def vendorctl(self, root: Path, *words: str) -> Result:
        """Run its vendorctl in the folder `root`."""
        return self.run("-m", "vendorctl", "-C", str(root), *words)


def environment(folder: Path, wheel: Path, *extras: str) -> Environment:
    """A new environment in `folder` with `wheel` and what it asks for under `extras`."""
    venv.EnvBuilder(symlinks=True).create(folder)
    (site,) = (folder / "lib").glob("python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for name in closure(requirements(wheel), extras):
        _link(importlib.metadata.distribution(name), site)
    return Environment(folder)


def build_wheel(root: Path, output: Path) -> Path:
    """The wheel of the project at `root`, as it is on disk."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(output)]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    (wheel,) = output.glob("*.whl")
    return wheel


def requirements(wheel: Path) -> list[Requirement]:
    """What a wheel's metadata asks for."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        message = email.message_from_bytes(archive.read(name))
    return [Requirement(text) for text in message.get_all("Requires-Dist") or ()]


def closure(asked: Iterable[Requirement], extras: Iterable[str] = ()) -> list[str]:
    """Names of all packages that are reached from `asked` on this interpreter, under `extras`, sorted."""
    pending = [each for each in asked if applies(each, extras)]
    seen: set[tuple[str, str]] = set()
    while pending:
        each = pending.pop()
        key = (canonicalize_name(each.name), ",".join(sorted(each.extras)))
        if key not in seen:
            seen.add(key)
            further = map(Requirement, importlib.metadata.requires(each.name) or ())
            pending += [row for row in further if applies(row, each.extras)]
    return sorted({name for name, _ in seen})


def applies(requirement: Requirement, extras: Iterable[str]) -> bool:
    """Whether a requirement counts on this interpreter, with one of `extras` or with none."""
    marker = requirement.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ("", *extras))


def _link(distribution: importlib.metadata.Distribution, site: Path) -> None:
    """Link the top-level names of an installed package into `site`; its scripts stay where they are."""
    tops = {Path(str(file)).parts[0] for file in distribution.files or ()} - {"..", "__pycache__"}
    for top in tops:
        source, place = Path(str(distribution.locate_file(top))), site / top
        if source.is_dir() and place.is_dir():  # two packages share a namespace
            raise AssertionError(f"{top} is there already; link what is below it")
        place.symlink_to(source)
