# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A workspace whose upstream has moved on, made and driven in this process, so that a bump can be killed at any call.

field = start_field(tmp_path / "field", {"a.py": BASE}, {"a.py": THEIRS_5})
field.add("up", "**")
field.record("up", "a.py", "line_5 =", "mine_5 =")
assert field.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from support.chains import numbered
from support.repo import Changes, Repo, executable, repo, symlink
from vendorctl.cli import main
from vendorctl.errors import ExitCode
from vendorctl.series.dressing import undress
from vendorctl.series.store import load_series

BASE = numbered(30)
OURS_5 = BASE.replace("line_5 = 5", "mine_5 = 5")
THEIRS_5 = BASE.replace("line_5 = 5", "theirs_5 = 5")
RESOLVED = BASE.replace("line_5 = 5", "both_5 = 5")


@dataclass
class Field:
    """A workspace and its upstream, both in `folder`; the upstream's commits are tagged v1, v2, ..."""

    folder: Path
    upstream: Repo

    @property
    def root(self) -> Path:
        """The workspace itself."""
        return self.folder / "workspace"

    @property
    def files(self) -> Path:
        """The files in conflict of the upstream ``up``."""
        return self.conflict("up")

    def conflict(self, name: str) -> Path:
        """The files in conflict of one upstream."""
        return self.root / f".vendorctl/bump/{name}/files"

    def patched(self, name: str) -> Path:
        """The folder of one upstream's patched tree."""
        return self.root / f".vendorctl/patched/{name}"

    def run(self, *arguments: str) -> int:
        """One command on this workspace, in this process."""
        return main(["-C", str(self.root), "-q", *arguments])

    def add(self, name: str, *include: str) -> None:
        """Take files of the upstream's v1 in under a name."""
        globs = [word for glob in include for word in ("--include", glob)]
        assert self.run("add", name, "../upstream", "--ref", "v1", *globs) == 0
        assert self.run("sync", name) == 0

    def record(self, name: str, path: str, old: str, new: str) -> None:
        """Replace a text in a file of the patched tree, and record that as the next patch."""
        file = self.patched(name) / path
        file.write_text(file.read_text().replace(old, new))
        assert self.run("patch", "record", name, "--title", f"Change {file.name}", "--reason", "ours") == 0

    def text(self, path: str = "kernels/a.py") -> str:
        """A file of the patched tree of ``up``, without its change notice."""
        content = (self.patched("up") / path).read_bytes()
        return undress(path.encode(), content).decode()

    def patches(self) -> list[str]:
        """The titles of the series of ``up``."""
        return [patch.title for patch in load_series(self.root, "up").patches]

    def resolve(self, content: str = RESOLVED) -> None:
        """Decide the conflict that moving to v2 makes."""
        (self.files / "kernels/a.py").write_text(content)

    def stop(self) -> None:
        """Move to v2, which conflicts."""
        assert self.run("sync", "--pin", "up=v2") == ExitCode.CONFLICT

    def copy(self, folder: Path) -> Field:
        """The same at another place."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Field(folder, self.upstream)


def start_field(folder: Path, *commits: Changes) -> Field:
    """An upstream with these commits, and a workspace beside it that takes nothing from it yet."""
    folder.mkdir()
    upstream = repo(folder / "upstream", *commits)
    for number, commit in enumerate(upstream.commits, start=1):
        upstream.tag(f"v{number}", commit)
    field = Field(folder, upstream)
    field.root.mkdir()
    assert field.run("init") == 0
    return field


def make_field(folder: Path) -> Field:
    """A workspace with two patches over an upstream that has moved on: v1 to v2 conflicts, v1 to v3 does not."""
    field = start_field(
        folder,
        {"kernels/a.py": BASE, "kernels/b.py": BASE, "kernels/run.sh": executable("x\n"), "kernels/l": symlink("a.py")},
        {"kernels/a.py": THEIRS_5, "kernels/b.py": "# head\n" + BASE},
        {"kernels/a.py": BASE, "kernels/c.py": "c\n", "kernels/run.sh": "x\n"},
    )
    field.add("up", "kernels/**")
    field.record("up", "kernels/a.py", "line_5 =", "mine_5 =")
    field.record("up", "kernels/b.py", "line_20 =", "mine_20 =")
    return field
