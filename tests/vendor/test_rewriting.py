# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Import prefixes are replaced without touching anything else, bind the same names, and can be put back."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.workspace import Workspace, make_workspace
from vendorctl.errors import VendorError
from vendorctl.vendor.rewriting import restore_imports, rewrite_imports

PREFIXES = {"kern": "ours.vendored.kern", "lib.tools": "ours.tools"}

CASES = [
    ("from kern import a\n", "from ours.vendored.kern import a\n"),
    ("from kern.norm.rms import (  # why\n    a,\n    b as c,\n)\n",
     "from ours.vendored.kern.norm.rms import (  # why\n    a,\n    b as c,\n)\n"),
    ("from  kern . norm import a\n", None),
    ("from \\\n  kern.norm import a\n", "from \\\n  ours.vendored.kern.norm import a\n"),
    ("import kern\n", "import ours.vendored.kern as kern\n"),
    ("import kern.norm  # keep\n", "import ours.vendored.kern.norm, ours.vendored.kern as kern  # keep\n"),
    ("import os, kern.a as x, kern.b\n",
     "import os, ours.vendored.kern.a as x, ours.vendored.kern.b, ours.vendored.kern as kern\n"),
    ("def f():\n\tif x: import kern; import kern.a as a\n",
     "def f():\n\tif x: import ours.vendored.kern as kern; import ours.vendored.kern.a as a\n"),
    ("s = 'é'; from kern import a\n", "s = 'é'; from ours.vendored.kern import a\n"),
    ("import importlib\nm = importlib.import_module('kern.a')\n",
     "import importlib\nm = importlib.import_module('ours.vendored.kern.a')\n"),
    ("from lib.tools.x import y\nfrom lib import tools\n", "from ours.tools.x import y\nfrom lib import tools\n"),
    ("import lib.tools.x as t\n", "import ours.tools.x as t\n"),
    ("import lib.tools.x\n", None),
    ("from . import kern\nfrom .kern import a\nkern.x()\n", "from . import kern\nfrom .kern import a\nkern.x()\n"),
    ("from kernel import a\nimport kern2.x\n", "from kernel import a\nimport kern2.x\n"),
    ("# from kern import a\ntext = 'import kern'\n", "# from kern import a\ntext = 'import kern'\n"),
    ("from kern import a\r\nimport kern.b as b\r\n",
     "from ours.vendored.kern import a\r\nimport ours.vendored.kern.b as b\r\n"),
    ("\ufefffrom kern import a\n", "\ufefffrom ours.vendored.kern import a\n"),
    ("from kern import (\n", "from kern import (\n"),
    ("from ours.vendored.kern import a\nfrom kern import b\n", None),
]  # fmt: skip


@pytest.mark.parametrize(("before", "after"), CASES)
def test_only_module_names_change_and_they_come_back(before: str, after: str | None) -> None:
    content = before.encode()
    if after is None:
        with pytest.raises(VendorError):
            rewrite_imports(b"a.py", content, PREFIXES)
        return
    result = rewrite_imports(b"a.py", content, PREFIXES)
    assert result.decode() == after
    assert restore_imports(b"a.py", result, PREFIXES) == content


def test_other_files_and_no_prefixes_change_nothing() -> None:
    text = b"from kern import a\n"
    assert rewrite_imports(b"a.txt", text, PREFIXES) == text
    assert rewrite_imports(b"a.py", text, {}) == text
    assert restore_imports(b"a.txt", b"from ours.tools import a\n", PREFIXES) == b"from ours.tools import a\n"


NAMES = st.sampled_from(["kern", "kern.a", "kern.a.b", "lib.tools", "lib.tools.q", "lib", "os", "ours", "kernel"])
STATEMENTS = st.one_of(
    st.builds("from {} import x, y as z".format, NAMES),
    st.builds("import {} as name".format, NAMES),
    st.builds("import {}".format, st.sampled_from(["kern", "kern.a", "kern.a.b", "os", "ours", "kernel"])),
    st.builds("import {}, {} as w, os".format, st.sampled_from(["kern", "kern.a", "os"]), NAMES),
    st.just("from . import kern"),
    st.just("value = kern.a.b"),
)


@given(st.lists(STATEMENTS, max_size=8), st.sampled_from(["\n", "\r\n", "; "]))
def test_rewriting_is_undone_exactly(statements: list[str], ending: str) -> None:
    content = (ending.join(statements) + "\n").encode()
    result = rewrite_imports(b"a.py", content, PREFIXES)
    assert restore_imports(b"a.py", result, PREFIXES) == content
    assert b"from kern" not in result


def test_rewritten_modules_bind_the_same_names(tmp_path: Path) -> None:
    """Python runs the result where only the new package exists."""
    package = tmp_path / "ours/vendored/kern/norm"
    package.mkdir(parents=True)
    (package / "rms.py").write_text("value = 7\n")
    source = b"import kern.norm.rms\nimport kern.norm.rms as r\nfrom kern.norm import rms\nimport kern\n"
    source += b"print(kern.norm.rms.value + r.value + rms.value)\n"
    (tmp_path / "run.py").write_bytes(rewrite_imports(b"run.py", source, PREFIXES))
    done = subprocess.run([sys.executable, "run.py"], cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"21\n")


NORM = "from kern.common import tile\nimport kern.common.shapes as s\n\n\ndef build():\n    return tile(s)\n"


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    """A workspace whose output is the package `ours.kern`."""
    made = make_workspace(
        tmp_path,
        {"kern/norm.py": NORM, "kern/common.py": "def tile(x):\n    return x\n"},
        {"kern/common.py": "import kern.norm as n\n"},
        output="ours",
        rewrite_imports="{kern: ours.kern}",
    )
    made.sync()
    return made


def test_the_output_is_rewritten_and_the_patches_are_not(space: Workspace) -> None:
    assert "from ours.kern.common import tile\nimport ours.kern.common.shapes as s\n" in space.text("kern/norm.py")
    assert (space.pristine / "kern/norm.py").read_text() == NORM
    assert space.must("verify").code == 0
    edited = space.text("kern/norm.py").replace(
        "return tile(s)", "from ours.kern.common import other\n    return other"
    )
    space.record("Use other", {"kern/norm.py": edited})
    (patch,) = space.patches.glob("*.patch")
    assert "+    from kern.common import other\n" in patch.read_text()
    assert "ours" not in patch.read_text().partition("---")[2]
    assert space.must("verify").code == 0
    assert space.must("sync", "--locked").code == 0
    space.must("sync", "--pin", "up=v2")
    assert space.text("kern/common.py") == "import ours.kern.norm as n\n"
    assert space.must("verify", "--require").code == 0
    assert space.must("diff-upstream").code == 0


def test_an_edit_of_a_rewritten_file_is_still_an_edit(space: Workspace) -> None:
    file = space.patched / "kern/norm.py"
    file.write_text(file.read_text().replace("from ours.kern.common", "from elsewhere.common"))
    assert space.run("verify").code == 1
    assert space.run("sync").code == 1
    assert "elsewhere" in file.read_text()


def test_a_changed_prefix_rewrites_the_output_again(space: Workspace) -> None:
    space.describe(space.upstream.commits[0], rewrite_imports="{kern: another.kern}")
    space.sync()
    assert "from another.kern.common import tile\n" in space.text("kern/norm.py")
    space.describe(space.upstream.commits[0])
    space.sync()
    assert space.text("kern/norm.py") == NORM
