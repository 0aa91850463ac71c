# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Which files an object depends on, and which edits of them count."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from kernels.conftest import Built
from support import tinykern
from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.check import check
from vendorctl.kernels.sources.closure import SourceFile, recipe_closure, tree_closure
from vendorctl.kernels.sources.normalform import normal_form
from vendorctl.vendor.rewriting import rewrite_imports

TREE: Mapping[str, str] = {
    "pkg/__init__.py": "",
    "pkg/a.py": "from . import b\nfrom .sub import c\n",
    "pkg/b.py": "import os, pkg.d\n",
    "pkg/d.py": "def late():\n    from pkg.sub.deep import e\n",
    "pkg/sub/__init__.py": "from ..f import name\n",
    "pkg/sub/c.py": "",
    "pkg/sub/deep/e.py": "import pkg.missing\n",
    "pkg/f.py": "name = 1\n",
    "pkg/unused.py": "import pkg.also_unused\n",
    "pkg/also_unused.py": "",
    "other.py": "",
}


def closure_of(root: Path, recipe: str) -> list[str]:
    files = (SourceFile("recipe.py", recipe.encode()),)
    return [file.path for file in tree_closure(root, files, "", ())]


def test_imports_are_followed_at_any_depth(tmp_path: Path) -> None:
    root = tinykern.write_files(tmp_path, TREE)
    wanted = sorted(set(TREE) - {"pkg/unused.py", "pkg/also_unused.py", "other.py"})
    assert closure_of(root, "def f():\n    from pkg.a import x\n") == wanted
    assert closure_of(root, "import pkg.a as shorter\n") == wanted
    assert closure_of(root, "from pkg import f\n") == ["pkg/__init__.py", "pkg/f.py"]
    assert closure_of(root, "import other\n") == ["other.py"]


def test_rewritten_imports_are_read_as_upstreams(tmp_path: Path) -> None:
    """Where the output is kept, and under which package name, changes neither the closure nor a digest."""
    prefixes = {"pkg": "ours.vendored.pkg"}
    rewritten = {path: rewrite_imports(path.encode(), text.encode(), prefixes).decode() for path, text in TREE.items()}
    assert rewritten["pkg/b.py"] == "import os, ours.vendored.pkg.d, ours.vendored.pkg as pkg\n"
    recipe = (SourceFile("recipe.py", b"from pkg.a import x\n"),)
    plain = tree_closure(tinykern.write_files(tmp_path / "plain", TREE), recipe, "", ())
    dressed = tinykern.write_files(tmp_path / "dressed", rewritten)
    assert tree_closure(dressed, recipe, "", (), prefixes) == plain
    assert tree_closure(dressed, recipe, "", ()) != plain


def test_a_recipe_must_import_something_from_its_tree(tmp_path: Path) -> None:
    root = tinykern.write_files(tmp_path, TREE)
    with pytest.raises(VendorError, match="imports nothing"):
        closure_of(root, "import numpy\n")
    with pytest.raises(VendorError, match="cannot parse"):
        closure_of(root, "import (")
    with pytest.raises(VendorError, match="is not there") as missing:
        closure_of(root / "nowhere", "import other\n")
    assert str(tmp_path) not in missing.value.message, "findings name no path of the machine"
    with pytest.raises(VendorError, match="has no folder 'src'"):
        tree_closure(root, (SourceFile("recipe.py", b"import other\n"),), "src", ())


def test_a_link_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    root = tinykern.write_files(tmp_path / "tree", TREE)
    (tmp_path / "secret.py").write_text("")
    (root / "other.py").unlink()
    (root / "other.py").symlink_to(tmp_path / "secret.py")
    with pytest.raises(VendorError, match="leads outside"):
        closure_of(root, "import other\n")


def test_helpers_beside_the_recipe_belong_to_it(tmp_path: Path) -> None:
    files = {"recipes/r.py": "import helper\nimport numpy\n", "recipes/helper.py": "", "recipes/other.py": ""}
    root = tinykern.write_files(tmp_path, files)
    assert [file.path for file in recipe_closure(root, "recipes/r.py")] == ["helper.py", "r.py"]


BASE = 'def f(x):\n    """What it does."""\n    return x + "#1"\n'

#: Edits that cannot reach an object.
SAME: Mapping[str, str] = {
    "comment line": "# a remark\n" + BASE,
    "comment behind code": BASE.replace('"#1"', '"#1"  # why'),
    "blank lines": BASE.replace("\n    return", "\n\n\n    return"),
    "trailing blanks": BASE.replace("def f(x):", "def f(x):   "),
    "docstring": BASE.replace("What it does.", "Something\n\n    # else."),
    "module docstring": '"""New."""\n' + BASE,
    "line ends": BASE.replace("\n", "\r\n"),
    "no final newline": BASE.rstrip("\n"),
}

#: Edits that might, and therefore count.
DIFFERENT: Mapping[str, str] = {
    "value": BASE.replace('"#1"', '"#2"'),
    "blank in a string": BASE.replace('"#1"', '"#1 "'),
    "hash in a string": BASE.replace('"#1"', '"# 1"'),
    "text that is used": BASE.replace('"#1"', '"""a\n\n   b"""'),
    "indentation": BASE.replace("    return", "     return"),
    "name": BASE.replace("f(x)", "g(x)"),
}


@pytest.mark.parametrize("name", SAME)
def test_edits_that_do_not_count(name: str) -> None:
    assert normal_form(SAME[name].encode()) == normal_form(BASE.encode())


@pytest.mark.parametrize("name", DIFFERENT)
def test_edits_that_count(name: str) -> None:
    assert normal_form(DIFFERENT[name].encode()) != normal_form(BASE.encode())


def test_blank_lines_in_a_long_string_count() -> None:
    one, two = 'x = """a\n\nb"""\n', 'x = """a\n\n\nb"""\n'
    assert normal_form(one.encode()) != normal_form(two.encode())
    assert normal_form(b'x = """a  \nb"""\n') != normal_form(b'x = """a\nb"""\n')


#: Pairs of modules that behave differently although they look alike to a careless tool.
LOOKALIKES: Mapping[str, tuple[str, str]] = {
    "code behind a carriage return": ("x = 1  # note\rimport os\n", "x = 1  # note\n"),
    "form feed": ("x = 1\n\x0c# note\ny = 2\n", "x = 1\ny = 2\n# note\n"),
    "separator that is no line end": ("x = '\u2028'\ny = 1  # a\n", "x = '\u2028'\ny = 2  # a\n"),
    "blank line behind a backslash": ("x = f \\\n\n(y)\n", "x = f \\\n(y)\n"),
    "formatted string that runs code": ('f"{launch()}"\nx = 1\n', "x = 1\n"),
    "raw formatted string": ('Rf"{launch()}"\nx = 1\n', "x = 1\n"),
    "statement beside a string": ('"doc"; import os\nx = 1\n', "x = 1\n"),
    "call with a string": ('run("doc")\nx = 1\n', "x = 1\n"),
    "string that is returned": ('def f():\n    return "a"\n', 'def f():\n    return "b"\n'),
    "docstring that is read": ('"""1"""\nx = getattr(f, "__doc__")\n', '"""2"""\nx = getattr(f, "__doc__")\n'),
    "another encoding": ("# coding: latin-1\nx = 1  # a\n", "# coding: latin-1\nx = 1  # b\n"),
    "byte order mark": ("\ufeffx = 1  # a\n", "\ufeffx = 1  # b\n"),
    "comment in a string": ('x = """\n# a\n"""\n', 'x = """\n# b\n"""\n'),
}


@pytest.mark.parametrize("name", LOOKALIKES)
def test_modules_that_behave_differently_never_count_as_the_same(name: str) -> None:
    one, two = LOOKALIKES[name]
    assert normal_form(one.encode()) != normal_form(two.encode())


@pytest.mark.parametrize("word", ["import inspect", "x = f.__doc__", "y = __file__", "z = frame.f_lineno"])
def test_every_byte_of_a_module_that_looks_at_itself_counts(word: str) -> None:
    text = f"{word}\n"
    assert normal_form(text.encode()) == text.encode()
    assert SourceFile("m.py", text.encode()).digest() != SourceFile("m.py", b"# c\n" + text.encode()).digest()


def test_what_is_not_python_counts_as_it_is() -> None:
    for content in (b"\xff\xfe", b"def f(:\n", b'"""open\n', b"x = 1\n\ty = 2\n"):
        assert normal_form(content) == content
    assert SourceFile("table.json", b"{ }").digest() == digest.sha256(b"{ }")


def test_a_comment_only_change_leaves_objects_valid_and_a_compile_proves_it(built: Built, tmp_path: Path) -> None:
    """The claim of `normal_form`, by experiment: forty more lines of comments give the same bytes."""
    source = built.project.root / "patched" / "tinykern" / "scale.py"
    lines = source.read_text().split("\n")
    noisy = "\n".join(f"{line}\n{' ' * (len(line) - len(line.lstrip()))}# {i}" if line else line
                      for i, line in enumerate(lines))  # fmt: skip
    source.write_text("# First.\n" * 10 + noisy.replace('"""y[i] = a * x[i]"""', '"""Scales."""'))
    assert check(built.project, require=True).ok
    assert tinykern.build(built.project, built.cache).report.counts == {"objects": 4, "unchanged": 4}
    before = {path.name: path.read_bytes() for path in built.objects.rglob("*.hsaco")}
    for path in built.objects.rglob("*.hsaco"):
        path.unlink()
    report = tinykern.build(built.project, tmp_path / "no-cache").report
    assert report.counts == {"objects": 4, "compiled": 4}, report.findings
    assert {path.name: path.read_bytes() for path in built.objects.rglob("*.hsaco")} == before
