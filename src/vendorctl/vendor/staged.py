# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The workspace as the next commit would have it: git's index laid out as files, byte for byte."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.answers import staged_entries
from vendorctl.git.objects import read_objects
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git
from vendorctl.git.tree import Entry, Mode
from vendorctl.paths import display
from vendorctl.proc import Runner, run


def lay_out_staged(root: Path, folder: Path, environ: Mapping[str, str], *, runner: Runner = run) -> None:
    """Write what git has staged of the workspace at `root` to the empty `folder`.

    No filter, line-end conversion or hook of git's applies. `environ` may name another index in GIT_INDEX_FILE, as git
    does while it runs the hooks of ``git commit -a`` or of a commit of some paths. Raises VendorError (exit code 2)
    outside of git, (exit code 1) when the index has conflicts.
    """
    plain = Git(runner=runner)
    found = plain.exact("-C", str(root), "rev-parse", "--absolute-git-dir", "--show-toplevel", check=False)
    if not found.ok:
        raise VendorError(f"{root} is in no git repository: nothing can be staged", code=ExitCode.USAGE)
    git_dir, top = (Path(os.fsdecode(line)) for line in found.stdout.splitlines())
    index = environ.get("GIT_INDEX_FILE")
    git = Git(git_dir, index=top / index if index else None, runner=runner)
    prefix = os.fsencode(root.resolve().relative_to(top.resolve()))
    listed = git.exact("ls-files", "--cached", "--stage", "-z", "--full-name").stdout
    wanted: dict[Oid, list[tuple[Mode, Path]]] = {}
    for path, entry in parse_staged(listed, b"" if prefix == b"." else prefix + b"/"):
        if entry.mode.is_blob:
            wanted.setdefault(entry.oid, []).append((entry.mode, folder / os.fsdecode(path)))
    for oid, content in read_objects(git, "blob", wanted):
        for mode, target in wanted[oid]:
            _write(target, mode, content)


def parse_staged(listed: bytes, prefix: bytes) -> Iterator[tuple[bytes, Entry]]:
    """The rows of ``ls-files --stage -z`` below `prefix`, with paths relative to it.

    Raises VendorError (exit code 1) for a path in conflict.
    """
    for row in staged_entries(listed):
        if not row.path.startswith(prefix):
            continue
        if row.stage:
            raise VendorError(
                f"{display(row.path)} has a merge conflict", hint="resolve it and `git add` it", code=ExitCode.FINDINGS
            )
        yield row.path[len(prefix) :], row.entry


def _write(target: Path, mode: Mode, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is Mode.SYMLINK:
        target.symlink_to(os.fsdecode(content))
        return
    target.write_bytes(content)
    target.chmod(0o755 if mode is Mode.EXECUTABLE else 0o644)
