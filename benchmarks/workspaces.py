# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Workspaces of any size: upstreams with history, vendored files and patches, the same bytes for the same `Size`.

Upstreams are written through `git fast-import`, a piece at a time: what this process held in memory would count as the
peak of the processes that it starts. Content is Python that looks like kernels, with licence headers.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

#: vendorctl as a user starts it.
VENDORCTL = (sys.executable, "-m", "vendorctl")

_PERSON = b"Bench <bench@example.org>"
_BEGINNING = 1767225600
#: Edits the lines of a file for the commit of that number, and returns the commit's message.
_Edit: TypeAlias = Callable[[list[str], int], str]

_LICENCES = ("Apache-2.0", "Apache-2.0", "Apache-2.0", "MIT", "BSD-3-Clause")
_PATCH_FORMAT = (
    "format-patch", "--quiet", "--full-index", "--binary", "--no-renames", "--zero-commit", "--no-signature",
    "--keep-subject",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much to make; all but `upstreams` is per upstream.

    `files` are vendored (`per_folder` in one folder, `functions` of 190 bytes in each), `patches` change a line each.
    Upstream holds `bulk` MiB that nobody selects, has `history` MiB of older versions behind the pin (tag ``v1``), and
    made `commits` commits since (tag ``v2``), each of which adds one line to a vendored file.
    """

    upstreams: int = 1
    files: int = 470
    patches: int = 20
    functions: int = 30
    per_folder: int = 100
    bulk: int = 0
    history: int = 0
    commits: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What `make` made: a synced workspace at `root`, its upstreams beside it, and the environment for commands."""

    base: Path
    root: Path
    size: Size
    env: dict[str, str]

    @property
    def names(self) -> list[str]:
        """The upstreams."""
        return [name_of(number) for number in range(self.size.upstreams)]

    def upstream(self, name: str) -> Path:
        """The bare repository of an upstream."""
        return self.base / f"{name}.git"


def name_of(number: int) -> str:
    return f"up{number}"


def environment(home: Path) -> dict[str, str]:
    """Hermetic: a home of its own, no user configuration, a cache of its own."""
    home.mkdir(parents=True, exist_ok=True)
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER")
           for what, value in (("NAME", "Bench"), ("EMAIL", "bench@example.org"))}  # fmt: skip
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "VENDORCTL_CACHE": str(home / "cache"),
        "SOURCE_DATE_EPOCH": str(_BEGINNING),
        **who,
    }


def call(*command: str, cwd: Path, env: dict[str, str]) -> bytes:
    """Run a command and return what it printed. Raises RuntimeError with its output when it fails."""
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: {(done.stdout + done.stderr).decode('utf-8', 'replace')[-2000:]}")
    return done.stdout


def make(base: Path, size: Size) -> Made:
    """A synced workspace of this size in `base`, which is made."""
    base = base.resolve()
    base.mkdir(parents=True)
    made = Made(base=base, root=base / "root", size=size, env=environment(base / "home"))
    made.root.mkdir()
    for number, name in enumerate(made.names):
        _make_upstream(made, made.upstream(name), seed=number)
        _write_patches(made, name)
    (made.root / "VENDOR.yaml").write_text(_manifest(made))
    call(*VENDORCTL, "-q", "sync", cwd=made.root, env=made.env)
    return made


def _manifest(made: Made) -> str:
    text = "version: 1\nupstreams:\n"
    for name in made.names:
        pin = call("git", "rev-parse", "v1^{commit}", cwd=made.upstream(name), env=made.env).decode().strip()
        text += f"  {name}:\n    url: ../{name}.git\n    pin: {pin}\n    ref: v1\n    track: main\n"
        text += '    include: ["kernels/**"]\n    license: Apache-2.0 AND MIT AND BSD-3-Clause\n'
    return text + "licenses:\n  allow: [Apache-2.0, MIT, BSD-3-Clause]\n"


def _write_patches(made: Made, name: str) -> None:
    """The series, as git writes it, from the commits of the branch that `_make_upstream` left for it."""
    folder = made.root / "patches" / name
    folder.mkdir(parents=True)
    repository = made.upstream(name)
    if made.size.patches:
        call("git", *_PATCH_FORMAT, "-o", str(folder), "v1..series", cwd=repository, env=made.env)
    files = sorted(path.name for path in folder.iterdir())
    (folder / "series").write_text("".join(f"{file}\n" for file in files))
    call("git", "update-ref", "-d", "refs/heads/series", cwd=repository, env=made.env)


def _make_upstream(made: Made, folder: Path, seed: int) -> None:
    call("git", "init", "-q", "--bare", "-b", "main", str(folder), cwd=made.base, env=made.env)
    for setting in ("allowFilter", "allowAnySHA1InWant"):  # as hosting services have it
        call("git", "config", f"uploadpack.{setting}", "true", cwd=folder, env=made.env)
    stream = _Stream(made.size, seed)
    # Random bytes are there for their size; trying to compress them would take most of the time.
    _import(made, folder, stream.ballast(), compression=0)
    _import(made, folder, stream.release(), compression=-1)


def _import(made: Made, folder: Path, pieces: Iterator[bytes], *, compression: int) -> None:
    command = ["git", "-c", f"core.compression={compression}", "fast-import", "--quiet", "--depth=0"]
    with subprocess.Popen(command, cwd=folder, env=made.env, stdin=subprocess.PIPE) as importer:
        assert importer.stdin is not None
        for piece in pieces:
            importer.stdin.write(piece)
    if importer.returncode:
        raise RuntimeError(f"git fast-import of {folder} ended with {importer.returncode}")


class _Stream:
    """The history of one upstream in the language of git-fast-import."""

    def __init__(self, size: Size, seed: int) -> None:
        self.size = size
        self.seed = seed
        self.rng = random.Random(seed)
        self.time = _BEGINNING

    def ballast(self) -> Iterator[bytes]:
        """Older versions of what upstream no longer has, then what it has and nobody selects."""
        for number in range(self.size.history):
            yield self._commit("main", f"weights {number}") + _file("weights.bin", self.rng.randbytes(1 << 20))
        yield self._commit("main", "Data") + b"D weights.bin\n"
        for number in range(self.size.bulk):
            yield _file(f"data/blob{number}.bin", self.rng.randbytes(1 << 20))

    def release(self) -> Iterator[bytes]:
        """The release ``v1``, the branch ``series`` from it, and what upstream did up to ``v2``."""
        yield self._commit("main", "Release 1", "from refs/heads/main^0\n")
        for number in range(self.size.files):
            yield _file(self._path(number), _text(self._lines(number)))
        yield b"reset refs/tags/v1\nfrom refs/heads/main\n\n"
        yield from self._edits("series", self.size.patches, self.size.files, self._patched)
        yield from self._edits("main", self.size.commits, 2 * max(1, self.size.patches), self._moved)
        yield b"reset refs/tags/v2\nfrom refs/heads/main\n\n"

    def _edits(self, branch: str, count: int, spread: int, edit: _Edit) -> Iterator[bytes]:
        """Commits on top of ``v1`` that each edit one of the first `spread` files, in turn."""
        changed: dict[int, list[str]] = {}
        for at in range(count):
            number = at % min(spread, self.size.files)
            lines = changed.setdefault(number, self._lines(number))
            subject = edit(lines, at)
            base = "from refs/tags/v1\n" if at == 0 else ""
            yield self._commit(branch, subject, base) + _file(self._path(number), _text(lines))

    def _patched(self, lines: list[str], at: int) -> str:
        """Change a line of a function with an even number."""
        row = _row(2 * (at // self.size.files), self.size.functions)
        lines[row] = lines[row].rstrip("\n") + f"  # local {at}\n"
        return f"change {at}\n\nForwarded: no\nReason: the benchmark needs {self.size.patches} patches"

    def _moved(self, lines: list[str], at: int) -> str:
        """Add a line at the end, far from what patches change."""
        lines.append(f"LIMIT_{at} = {at}\n")
        return f"raise limit {at} (#{at + 1})"

    def _commit(self, branch: str, message: str, base: str = "") -> bytes:
        self.time += 60
        data = message.encode()
        head = f"commit refs/heads/{branch}\n".encode()
        who = b"committer %s %d +0000\ndata %d\n%s\n" % (_PERSON, self.time, len(data), data)
        return head + who + base.encode()

    def _path(self, number: int) -> str:
        return f"kernels/part{number // self.size.per_folder:03d}/kernel{number:05d}.py"

    def _lines(self, number: int) -> list[str]:
        return module(number, self.size.functions, random.Random(f"{self.seed} {number}"))


#: Lines of a header, and of each function with the blank lines before it.
_HEADER, _FUNCTION = 4, 7


def _row(function: int, functions: int) -> int:
    """The line to edit in a function: the third one of its body."""
    return _HEADER + _FUNCTION * (function % functions) + 5


def module(number: int, functions: int, rng: random.Random) -> list[str]:
    """The lines of a kernel: a header with licence and copyright, then functions that differ from file to file."""
    licence = _LICENCES[number % len(_LICENCES)]
    # REUSE-IgnoreStart
    lines = [
        f"# SPDX-FileCopyrightText: 2025 The authors of part {number % 50}\n",
        f"# SPDX-License-Identifier: {licence}\n",
        f'"""Kernel {number}."""\n',
        "import math\n",
    ]
    # REUSE-IgnoreEnd
    for index in range(functions):
        lines += [
            "\n",
            "\n",
            f"def build_{number}_{index}(rows, width={rng.randrange(1, 1000)}):\n",
            f"    lanes = width * {rng.randrange(1, 65)}\n",
            f"    for step in range(math.ceil(rows / lanes)):  # {rng.randrange(10**6)}\n",
            f"        rows -= step * {index}\n",
            f"        yield step * lanes + {rng.randrange(10**6)}\n",
        ]
    return lines


def _text(lines: list[str]) -> bytes:
    return "".join(lines).encode()


def _file(path: str, data: bytes) -> bytes:
    return b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data)
