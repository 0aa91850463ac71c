# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The proof that a submission applies: `git am` of the very files, on a clean clone of the upstream at its tip.

The clone borrows the cache's objects and checks out the files that the mails touch, nothing more; to `git am`, which
works on the index, it is the whole repository.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from vendorctl.git.oid import Oid
from vendorctl.git.program import Git
from vendorctl.git.scratch import Scratch, scratch_repository
from vendorctl.git.tree import Tree
from vendorctl.proc import Runner, run
from vendorctl.submit.commits import borrow

_SETTINGS = {
    "user.name": "vendorctl",
    "user.email": "vendorctl@localhost",
    "am.threeWay": "false",
    "core.sparseCheckout": "true",
    "core.sparseCheckoutCone": "false",
}
#: What patterns of gitignore(5) give a meaning to.
_SPECIAL = re.compile(rb"[\\*?\[\]!# ]")


def rehearse(
    cache: Git, base: Oid, before: Tree, after: Tree, mails: Mapping[str, bytes], *, runner: Runner = run
) -> str:
    """Apply `mails` in the order of their names; empty when that gives `after`, else what went wrong.

    `before` is the tree of the commit `base`. The cover letter, ``0000-``, is left out as a maintainer would.
    """
    with scratch_repository(runner=runner) as scratch, tempfile.TemporaryDirectory(prefix="vendorctl-am-") as name:
        work = Path(name)
        borrow(scratch, cache)
        git = _check_out(scratch, work, base, before.difference(after))
        files = []
        for number, (mail, content) in enumerate(sorted(mails.items())):
            if not mail.startswith("0000-"):
                # A mail lies outside of the work tree, where it could meet an upstream's file.
                file = _git_dir(git) / f"mail-{number:04d}"
                file.write_bytes(content)
                files.append(str(file))
        done = git.exact(f"--work-tree={work}", "am", "--quiet", "--keep-cr", *files, check=False)
        if not done.ok:
            return done.error_text()
        result = git.exact("rev-parse", "HEAD^{tree}").stdout.decode().strip()
        return "" if result == str(after.oid) else f"it gives tree {result[:12]}, not {after.oid.short}"


def _check_out(scratch: Scratch, work: Path, base: Oid, touched: Iterable[bytes]) -> Git:
    """Set HEAD and index to `base`, and write those of the touched files that exist there below `work`.

    A sparse checkout: marking the other files by hand would make git forget the folders that it knows, and then ask for
    contents that a partial cache lacks.
    """
    git = replace(scratch.git, settings=_SETTINGS)
    folder = _git_dir(git)
    (folder / "HEAD").write_bytes(f"{base}\n".encode())
    (folder / "info").mkdir(exist_ok=True)
    patterns = b"".join(b"/%s\n" % _SPECIAL.sub(rb"\\\g<0>", path) for path in sorted(touched))
    (folder / "info/sparse-checkout").write_bytes(patterns)
    git.exact(f"--work-tree={work}", "read-tree", "-m", "-u", str(base))
    return git


def _git_dir(git: Git) -> Path:
    assert git.git_dir is not None
    return git.git_dir
