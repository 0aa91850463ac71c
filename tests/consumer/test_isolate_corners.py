# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Packages of every unusual make: what they hide from the import system, or from whoever reads their syntax."""

from __future__ import annotations

import py_compile
import shutil
import subprocess
import sysconfig
import textwrap
import venv
from pathlib import Path

import pytest

from consumer.packages import EAGER, LAZY, project
from support.command import Result, call
from vendorctl.proc import run


def isolate(folder: Path, package: str = "rows", *words: str, absent: str = "toolkit") -> Result:
    return call("-C", str(folder), "--format", "json", "isolate", package, "--absent", absent, *words)


def rules(result: Result) -> list[str]:
    return sorted(f"{each['rule']} {each['severity']}" for each in result.json()["findings"])


def chain(result: Result, rule: str) -> list[str]:
    (finding,) = [each for each in result.json()["findings"] if each["rule"] == rule]
    return [f"{step['file']}:{step['line']}" for step in finding["data"]["chain"]]


def init(text: str) -> dict[str, str]:
    return EAGER | {"rows/__init__.py": textwrap.dedent(text)}


# -- what does without, in other words


@pytest.mark.parametrize(
    "text",
    [
        "import contextlib\nwith contextlib.suppress(ImportError):\n    import toolkit\n",
        "from contextlib import suppress\nwith suppress(OSError, ModuleNotFoundError):\n    from rows import kernels\n",
        "try:\n    import toolkit\nexcept:\n    toolkit = None\n",
        "try:\n    import toolkit\nexcept* ImportError:\n    pass\n",
        "from importlib.util import find_spec\nif find_spec('toolkit') is not None:\n    import toolkit.dsl\n",
        "from importlib.util import find_spec\nif find_spec('toolkit'):\n    from rows import kernels\n",
        "import typing as t\nif t.TYPE_CHECKING:\n    import toolkit\nelse:\n    toolkit = None\n",
        "use = lambda: __import__('toolkit')\n",
        "class Late:\n    def use(self):\n        import toolkit\n        return toolkit\n",
        "import sys\nif 'toolkit' in sys.modules:\n    pass\n",
    ],
    ids=range(10),
)
def test_no_leak(tmp_path: Path, text: str) -> None:
    result = isolate(project(tmp_path, init(text)))
    assert (result.code, rules(result)) == (0, []), result.text


# -- what leads to it all the same


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("import importlib\nimportlib.import_module('toolkit.dsl')\n", ["rows/__init__.py:2"]),
        ("from importlib import import_module as load\nload('.kernels', __name__)\n",
         ["rows/__init__.py:2", "rows/kernels.py:1"]),
        ("__import__('toolkit')\n", ["rows/__init__.py:1"]),
        ("exec('import toolkit')\n", ["rows/__init__.py:1", "<string>:1"]),
        ("class Eager:\n    import toolkit\n", ["rows/__init__.py:1", "rows/__init__.py:2"]),
        ("[__import__(name) for name in ['toolkit']]\n", ["rows/__init__.py:1", "rows/__init__.py:1"]),
        ("from . import kernels\n", ["rows/__init__.py:1", "rows/kernels.py:1"]),
        ("from .kernels import *\n", ["rows/__init__.py:1", "rows/kernels.py:1"]),
        ("try:\n    import toolkit\nexcept ImportError as error:\n    raise RuntimeError('no') from None\n",
         ["rows/__init__.py:2"]),
        ("try:\n    import toolkit\nexcept ImportError:\n    import sys\n    sys.exit(3)\n", ["rows/__init__.py:2"]),
        ("import contextlib\nwith contextlib.suppress(KeyError):\n    import toolkit\n", ["rows/__init__.py:3"]),
    ],
    ids=range(11),
)  # fmt: skip
def test_a_leak_and_its_chain(tmp_path: Path, text: str, steps: list[str]) -> None:
    result = isolate(project(tmp_path, init(text)))
    assert result.code == 1
    found = chain(result, "VC601")
    # A comprehension is a frame of its own until Python 3.12.
    assert list(dict.fromkeys(found)) == list(dict.fromkeys(steps))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import importlib, sys\nif sys.platform == 'never':\n    importlib.import_module('toolkit')\n", 3),
        ("import sys\nif sys.platform == 'never':\n    kernels = __import__('toolkit.dsl')\n", 3),
        ("import sys\nfrom importlib import import_module\nif sys.platform == 'never':\n"
         "    load = import_module('.kernels', 'rows')\n", 4),
        ("from typing import TYPE_CHECKING\nimport os\nif not TYPE_CHECKING:\n    if os.name == 'never':\n"
         "        from rows.kernels import *\n", 5),
        ("from sys import platform\nif platform == 'never':\n    import toolkit\n", 3),
        ("import os\nmatch os.name:\n    case 'never':\n        import toolkit\n", 4),
    ],
    ids=range(6),
)  # fmt: skip
def test_a_branch_of_another_machine(tmp_path: Path, text: str, line: int) -> None:
    result = isolate(project(tmp_path, init(text)))
    assert chain(result, "VC602")[0] == f"rows/__init__.py:{line}"


def test_a_platform_of_ones_own_is_not_the_machine(tmp_path: Path) -> None:
    text = "class device:\n    platform = ''\nif device.platform == 'gpu':\n    import toolkit\n"
    assert rules(isolate(project(tmp_path, init(text)))) == ["VC602 warning"]


def test_a_star_is_no_name_that_could_be_lazy(tmp_path: Path) -> None:
    result = isolate(project(tmp_path, init("from rows.kernels import *\n")))
    assert result.json()["findings"][0]["data"]["lazy"] == []


# -- packages of other kinds


def test_a_namespace_package_proves_nothing(tmp_path: Path) -> None:
    folder = project(tmp_path, {"space/rows/__init__.py": "import toolkit\n"})
    result = isolate(folder, "space")
    assert result.code == 2
    assert "namespace package" in result.text


def test_a_package_in_a_namespace(tmp_path: Path) -> None:
    folder = project(
        tmp_path, {"space/rows/__init__.py": "from . import deep\n", "space/rows/deep.py": "import toolkit\n"}
    )
    assert chain(isolate(folder, "space.rows"), "VC601") == ["space/rows/__init__.py:1", "space/rows/deep.py:1"]


def test_a_module_brings_the_packages_that_it_lies_in(tmp_path: Path) -> None:
    text = "import sys\nif sys.platform == 'never':\n    import toolkit\n"
    result = isolate(project(tmp_path, init(text)), "rows.plain")
    assert chain(result, "VC602") == ["rows/__init__.py:3"]


def test_a_single_file(tmp_path: Path) -> None:
    assert chain(isolate(project(tmp_path, {"rows.py": "\n\nimport toolkit\n"})), "VC601") == ["rows.py:3"]


def test_a_circle_of_imports(tmp_path: Path) -> None:
    files = {
        "rows/__init__.py": "from rows.first import one\n",
        "rows/first.py": "import rows.second\none = 1\n",
        "rows/second.py": "import rows.first\nimport toolkit\n",
    }
    found = ["rows/__init__.py:1", "rows/first.py:1", "rows/second.py:2"]
    assert chain(isolate(project(tmp_path, files)), "VC601") == found


@pytest.mark.parametrize("name", ["__getattr__", "__dir__"])
def test_a_package_whose_own_hooks_raise(tmp_path: Path, name: str) -> None:
    folder = project(tmp_path, init(f"def {name}(*_):\n    raise SystemExit(7)\n"))
    assert isolate(folder).code == 0
    asked = init(f"import rows\n\n\ndef {name}(*_):\n    import toolkit\n\n\ndir(rows), rows.anything\n")
    assert isolate(project(tmp_path, asked)).code == 1


def test_an_absent_submodule_of_a_module_that_is_there(tmp_path: Path) -> None:
    result = isolate(project(tmp_path, init("from toolkit import dsl\n")), absent="toolkit.dsl")
    assert chain(result, "VC601") == ["rows/__init__.py:1"]


def test_a_part_of_the_standard_library_can_be_absent(tmp_path: Path) -> None:
    result = isolate(project(tmp_path, init("import json\n")), absent="json")
    assert rules(result) == ["VC601 error"]
    assert isolate(project(tmp_path, init("import math\n")), absent="json").code == 0


def test_a_failure_after_a_caught_attempt_shows_the_attempt(tmp_path: Path) -> None:
    text = "try:\n    import toolkit\nexcept ImportError:\n    pass\n\ntoolkit.jit\n"
    (finding,) = isolate(project(tmp_path, init(text))).json()["findings"]
    assert (finding["rule"], finding["location"]["line"]) == ("VC604", 2)
    assert "NameError" in finding["message"]
    assert "asked for toolkit" in finding["hint"]


# -- tricks with the import system


@pytest.mark.parametrize(
    "text",
    [
        "import sys\nsys.meta_path.clear()\nfrom importlib.machinery import PathFinder\n"
        "sys.meta_path.append(PathFinder)\nimport toolkit\n",
        "import importlib.util, sys\nfrom importlib.machinery import PathFinder\n"
        "spec = PathFinder.find_spec('toolkit')\n"
        "toolkit = importlib.util.module_from_spec(spec)\nsys.modules['toolkit'] = toolkit\n",
        "import sys\nfrom importlib.machinery import PathFinder\nsys.meta_path.insert(0, PathFinder)\nimport toolkit\n",
    ],
    ids=["cleared", "by hand", "in front"],
)
def test_a_way_around_is_noticed(tmp_path: Path, text: str) -> None:
    result = isolate(project(tmp_path, init(text)))
    assert "VC607 error" in rules(result), result.text


def test_a_hook_that_only_watches_changes_nothing(tmp_path: Path) -> None:
    text = """\
        import sys

        class Watch:
            def find_spec(self, name, path=None, target=None):
                return None

        sys.meta_path.insert(0, Watch())
        from rows import kernels
        """
    found = chain(isolate(project(tmp_path, init(text))), "VC601")
    assert found == ["rows/__init__.py:8", "rows/kernels.py:1"]


def test_a_lazy_loader_of_the_standard_library(tmp_path: Path) -> None:
    text = """\
        import importlib.util
        import sys

        def lazily(name):
            spec = importlib.util.find_spec(name)
            spec.loader = importlib.util.LazyLoader(spec.loader)
            module = sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module

        kernels = lazily("rows.kernels")
        """
    assert isolate(project(tmp_path, init(text))).code == 0
    touched = init(textwrap.dedent(text) + "kernels.launch\n")
    assert chain(isolate(project(tmp_path, touched)), "VC601")[-1] == "rows/kernels.py:1"


@pytest.fixture
def interpreter(tmp_path: Path) -> Path:
    """A virtual environment of its own, whose packages the test writes."""
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    return tmp_path / "venv/bin/python"


def site(interpreter: Path) -> Path:
    (found,) = interpreter.parent.parent.glob("lib/python*/site-packages")
    return found


def test_an_installed_package_is_read_as_well(tmp_path: Path, interpreter: Path) -> None:
    files = init("import sys\nif sys.platform == 'never':\n    from rows import kernels\n")
    project(site(interpreter), files)
    empty = tmp_path / "empty"
    empty.mkdir()
    result = isolate(empty, "rows", "--python", str(interpreter))
    assert rules(result) == ["VC602 error"]
    assert chain(result, "VC602")[0].endswith("site-packages/rows/__init__.py:3")


def test_an_editable_installation(tmp_path: Path, interpreter: Path) -> None:
    project(tmp_path / "src-of-it", EAGER)
    (site(interpreter) / "rows.pth").write_text(f"{tmp_path / 'src-of-it'}\n")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert chain(isolate(empty, "rows", "--python", str(interpreter)), "VC601")[-1].endswith("rows/kernels.py:1")


def test_a_pth_file_that_imports_it_first_is_told(tmp_path: Path, interpreter: Path) -> None:
    project(site(interpreter), {})
    (site(interpreter) / "early.pth").write_text("import toolkit\n")
    result = isolate(project(tmp_path / "work", LAZY), "rows", "--python", str(interpreter))
    assert rules(result) == ["VC607 error"]


EXTENSION = """
#include <Python.h>
static struct PyModuleDef native = {PyModuleDef_HEAD_INIT, "native", NULL, -1, NULL};
PyMODINIT_FUNC PyInit_native(void)
{
    PyObject *needed = PyImport_ImportModule("toolkit");
    if (needed == NULL)
        return NULL;
    Py_DECREF(needed);
    return PyModule_Create(&native);
}
"""


def test_a_compiled_extension_that_needs_it(tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    headers = sysconfig.get_path("include")
    if compiler is None or not Path(headers, "Python.h").is_file():
        pytest.skip("no C compiler, or no headers of Python")
    folder = project(tmp_path, init("from rows import native\n"))
    source = tmp_path / "native.c"
    source.write_text(EXTENSION)
    target = folder / f"rows/native{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run([compiler, "-shared", "-fPIC", f"-I{headers}", str(source), "-o", str(target)], check=True)
    assert chain(isolate(folder), "VC601")[0] == "rows/__init__.py:1"
    assert isolate(folder, absent="another").code == 0


def test_a_module_without_source_that_needs_it(tmp_path: Path) -> None:
    """Its bytecode alone, as some products ship it."""
    folder = project(tmp_path, init("from rows import native\n") | {"rows/native.py": "import toolkit\n"})
    py_compile.compile(str(folder / "rows/native.py"), str(folder / "rows/native.pyc"), doraise=True)
    (folder / "rows/native.py").unlink()
    found = chain(isolate(folder), "VC601")
    assert (found[0], Path(found[-1]).name) == ("rows/__init__.py:1", "native.py:1")


# -- usage


@pytest.mark.parametrize("name", ["", "rows/__init__.py", "-rows", "a..b"])
def test_what_is_no_module_name(tmp_path: Path, name: str) -> None:
    assert call("-C", str(project(tmp_path, LAZY)), "isolate", "rows", f"--absent={name}").code == 2


@pytest.mark.parametrize(("package", "absent"), [("rows", "rows"), ("rows.plain", "rows")])
def test_the_package_itself_cannot_be_absent(tmp_path: Path, package: str, absent: str) -> None:
    assert isolate(project(tmp_path, LAZY), package, absent=absent).code == 2


# -- public names


NAMES = {
    "rows/__init__.py": """\
from rows.norm import *
from rows.plain import *
from typing import TYPE_CHECKING
import sys
if TYPE_CHECKING:
    from rows.types import Plan
if sys.platform == "never":
    def only_there(): ...
try:
    from rows.kernels import launch
except ImportError:
    pass
scratch = 1
del scratch
""",
    "rows/norm.py": "__all__ = ['scale']\nscale = hidden = 1\n",
    "rows/plain.py": "from rows.deep import *\nWIDTH = 8\n_private = 1\n",
    "rows/deep.py": "depth = 3\n",
}


def test_a_package_keeps_its_own_names(tmp_path: Path) -> None:
    folder = project(tmp_path, NAMES)
    result = isolate(folder, "rows", "--before", str(folder))
    assert (result.code, rules(result)) == (0, []), result.text
    assert {"scale", "hidden", "WIDTH", "depth", "sys", "Plan", "scratch"} & set(result.json()["names"]) == {
        "scale", "WIDTH", "depth"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "new", "lost"),
    [
        ("rows/__init__.py", "from rows.norm import *\n", "import rows.norm\n", "scale"),
        ("rows/plain.py", "from rows.deep import *\n", "import rows.deep\n", "depth"),
        ("rows/plain.py", "WIDTH = 8", "width = 8", "WIDTH"),
    ],
)
def test_a_name_that_a_star_brought_is_missed(tmp_path: Path, file: str, old: str, new: str, lost: str) -> None:
    assert old in NAMES[file]
    before = project(tmp_path / "before", NAMES)
    after = project(tmp_path / "after", NAMES | {file: NAMES[file].replace(old, new)})
    result = isolate(after, "rows", "--before", str(before))
    errors = [each["message"] for each in result.json()["findings"] if each["severity"] == "error"]
    assert [message.partition(":")[0] for message in errors] == [f"the public name {lost} is lost"]


# -- collection


def test_a_conftest_that_imports_the_package_is_shown(tmp_path: Path) -> None:
    files = EAGER | {"tests/conftest.py": "import rows\n", "tests/test_rows.py": "def test_it():\n    pass\n"}
    result = isolate(project(tmp_path, files), "rows", "--collect", "tests")
    (finding,) = [each for each in result.json()["findings"] if each["rule"] == "VC608"]
    assert "pytest did not start" in finding["message"]
    assert "No module named 'toolkit'" in finding["message"]
    assert finding["detail"].splitlines()[-4:] == [
        "tests/conftest.py:1", "rows/__init__.py:1", "rows/norm.py:3", "rows/kernels.py:1"
    ]  # fmt: skip
    assert "_pytest" not in finding["detail"]


def test_a_plugin_that_a_conftest_names_is_shown(tmp_path: Path) -> None:
    files = EAGER | {
        "conftest.py": "pytest_plugins = ['rows.plugin']\n",
        "rows/plugin.py": "",
        "tests/test_rows.py": "def test_it():\n    pass\n",
    }
    result = isolate(project(tmp_path, files), "rows", "--collect", "tests")
    assert rules(result) == ["VC601 error", "VC606 error", "VC608 error"]
    assert "kernels.py:1" in result.text


@pytest.mark.parametrize(
    ("files", "tests", "said"),
    [
        ({"pytest.ini": "[pytest]\naddopts = --no-such-option\n"}, "tests", "unrecognized arguments: --no-such-option"),
        ({}, "nowhere", "file or directory not found: nowhere"),
        ({"tests/conftest.py": "raise KeyError('of its own')\n"}, "tests", "KeyError: 'of its own'"),
    ],
    ids=["option", "path", "conftest"],
)
def test_a_session_that_does_not_start_says_why(tmp_path: Path, files: dict[str, str], tests: str, said: str) -> None:
    whole = LAZY | {"tests/test_rows.py": "def test_it():\n    pass\n"} | files
    result = isolate(project(tmp_path, whole), "rows", "--collect", tests)
    (finding,) = result.json()["findings"]
    assert finding["rule"] == "VC608"
    assert finding["message"].startswith(f"pytest did not start: {said}")


def test_tests_that_run_in_other_processes_are_collected_in_this_one(tmp_path: Path) -> None:
    files = LAZY | {"pytest.ini": "[pytest]\naddopts = -n 2\n", "tests/test_rows.py": "import toolkit\n"}
    assert rules(isolate(project(tmp_path, files), "rows", "--collect", "tests")) == ["VC608 error"]


@pytest.mark.parametrize("python", ["3.9", "3.10", "3.12", "3.13"])
def test_other_interpreters(tmp_path: Path, python: str) -> None:
    found = shutil.which(f"python{python}")
    if found is None or run([found, "--version"], cwd=tmp_path).status:
        pytest.skip(f"no Python {python}")
    result = isolate(project(tmp_path, EAGER), "rows", "--python", found)
    assert chain(result, "VC601") == ["rows/__init__.py:1", "rows/norm.py:3", "rows/kernels.py:1"]
