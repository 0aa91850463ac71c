# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl isolate` on small libraries, each with one way to let its toolchain leak in, and their cures."""

from __future__ import annotations

from pathlib import Path

import pytest

from consumer.packages import EAGER, LAZY, project
from support.command import Result, call


def isolate(folder: Path, *words: str) -> Result:
    return call("-C", str(folder), "--format", "json", "isolate", "rows", "--absent", "toolkit", *words)


def chain(result: Result, rule: str) -> list[str]:
    """The steps of the one finding of a rule, as file:line."""
    (finding,) = [each for each in result.json()["findings"] if each["rule"] == rule]
    return [f"{step['file']}:{step['line']}" for step in finding["data"]["chain"]]


def rules(result: Result) -> list[str]:
    return [f"{each['rule']} {each['severity']}" for each in result.json()["findings"]]


def test_a_leak_names_the_true_chain_and_what_can_be_lazy(tmp_path: Path) -> None:
    result = isolate(project(tmp_path, EAGER))
    assert result.code == 1, result.text
    assert chain(result, "VC601") == ["rows/__init__.py:1", "rows/norm.py:3", "rows/kernels.py:1"]
    assert result.json()["findings"][0]["data"]["lazy"] == ["norm"]
    assert result.json()["imports"] is False


def test_paths_are_those_of_the_session_folder(tmp_path: Path) -> None:
    files = {f"src/{path}": text for path, text in EAGER.items()}
    assert chain(isolate(project(tmp_path, files)), "VC601")[0] == "src/rows/__init__.py:1"
    files["src/rows/__init__.py"] = "import sys\n\nif sys.platform == 'never':\n    import rows.kernels\n"
    found = chain(isolate(project(tmp_path, files)), "VC602")
    assert found == ["src/rows/__init__.py:4", "src/rows/kernels.py:1"]


def test_a_lazy_package_passes(tmp_path: Path) -> None:
    result = isolate(project(tmp_path, LAZY))
    assert (result.code, rules(result)) == (0, []), result.text
    assert result.json()["imports"] is True


def test_text_shows_the_chain_line_by_line(tmp_path: Path) -> None:
    result = call("-C", str(project(tmp_path, EAGER)), "isolate", "rows", "--absent", "toolkit")
    assert "    rows/__init__.py:1\n    rows/norm.py:3\n    rows/kernels.py:1\n" in result.out
    assert "norm can be made lazy" in result.out


def test_statements_that_the_first_leak_hides_are_found(tmp_path: Path) -> None:
    files = EAGER | {"rows/__init__.py": "from rows.norm import norm\nfrom rows.kernels import launch\n"}
    result = isolate(project(tmp_path, files))
    assert chain(result, "VC602") == ["rows/__init__.py:2", "rows/kernels.py:1"]


def test_a_call_at_import_is_part_of_the_chain(tmp_path: Path) -> None:
    files = {"rows/__init__.py": "def probe():\n    import toolkit\n    return toolkit\n\n\nprobe()\n"}
    assert chain(isolate(project(tmp_path, files)), "VC601") == ["rows/__init__.py:6", "rows/__init__.py:2"]


@pytest.mark.parametrize(
    "guarded",
    [
        "try:\n    import toolkit\nexcept ImportError:\n    toolkit = None\n",
        "try:\n    import rows.kernels\nexcept (ModuleNotFoundError, OSError):\n    pass\n",
        "import importlib.util\nhave = importlib.util.find_spec('toolkit') is not None\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import toolkit\n",
        "def use():\n    import toolkit\n    return toolkit\n",
    ],
)
def test_what_does_without_is_no_leak(tmp_path: Path, guarded: str) -> None:
    result = isolate(project(tmp_path, EAGER | {"rows/__init__.py": guarded}))
    assert (result.code, rules(result)) == (0, []), result.text


def test_a_handler_that_raises_again_guards_nothing(tmp_path: Path) -> None:
    text = "try:\n    import toolkit\nexcept ImportError:\n    raise\n"
    assert rules(isolate(project(tmp_path, {"rows/__init__.py": text}))) == ["VC601 error"]


@pytest.mark.parametrize(
    ("test", "severity"), [("sys.platform == 'never'", "error"), ("len(sys.argv) > 99", "warning")]
)
def test_branches_that_this_machine_does_not_take_are_read(tmp_path: Path, test: str, severity: str) -> None:
    text = f"import sys\n\nif {test}:\n    from rows import kernels\n"
    result = isolate(project(tmp_path, EAGER | {"rows/__init__.py": text}))
    assert rules(result) == [f"VC602 {severity}"]
    assert chain(result, "VC602") == ["rows/__init__.py:4", "rows/kernels.py:1"]
    assert result.code == (severity == "error")


def test_relative_imports_are_followed(tmp_path: Path) -> None:
    files = {
        "rows/__init__.py": "import sys\n\nif sys.platform == 'never':\n    from .deep import top\n",
        "rows/deep/__init__.py": "from ..other import top\n",
        "rows/other.py": "import toolkit as top\n",
    }
    found = chain(isolate(project(tmp_path, files)), "VC602")
    assert found == ["rows/__init__.py:4", "rows/deep/__init__.py:1", "rows/other.py:1"]


def test_another_failure_is_told_apart(tmp_path: Path) -> None:
    result = isolate(project(tmp_path, {"rows/__init__.py": "import nowhere_to_be_found\n"}))
    assert rules(result) == ["VC604 error"]


def test_output_of_the_package_does_not_disturb(tmp_path: Path) -> None:
    result = isolate(project(tmp_path, {"rows/__init__.py": "import os\nprint('{}')\nos.write(1, b'noise')\n"}))
    assert result.code == 0, result.text


def test_nothing_is_written_beside_the_package(tmp_path: Path) -> None:
    folder = project(tmp_path, LAZY)
    before = sorted(tmp_path.rglob("*"))
    isolate(folder)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_hidden_distribution_is_unknown_to_metadata(tmp_path: Path) -> None:
    text = "import importlib.metadata\n\nimportlib.metadata.version('click')\n"
    folder = project(tmp_path, {"rows/__init__.py": text})
    assert isolate(folder).code == 0
    result = call("-C", str(folder), "--format", "json", "isolate", "rows", "--absent", "click")
    assert rules(result) == ["VC604 error"]
    assert result.json()["providers"] == ["click"]


def test_a_module_that_is_there_all_the_same_is_told(tmp_path: Path) -> None:
    text = "import sys\nimport types\n\nsys.modules['toolkit'] = types.ModuleType('toolkit')\nimport toolkit\n"
    assert "VC607 error" in rules(isolate(project(tmp_path, {"rows/__init__.py": text})))


def test_an_unknown_package_is_a_usage_error(tmp_path: Path) -> None:
    result = call("-C", str(tmp_path), "isolate", "nowhere_at_all", "--absent", "toolkit")
    assert result.code == 2, result.text


def test_an_interpreter_that_does_not_answer_is_a_missing_tool(tmp_path: Path) -> None:
    assert isolate(project(tmp_path, LAZY), "--python", "false").code == 7
    assert isolate(project(tmp_path, LAZY), "--python", "no-such-python").code == 7


def test_public_names_stay_the_same(tmp_path: Path) -> None:
    before = project(tmp_path / "before", EAGER)
    result = isolate(project(tmp_path / "after", LAZY), "--before", str(before))
    assert result.code == 0, result.text
    names = result.json()["names"]
    assert (names["WIDTH"], names["norm"]) == ("present", "waits")
    assert result.json()["counts"]["public names"] == 3  # with the submodule `plain`, which is imported still


def test_a_submodule_that_was_an_attribute_is_told(tmp_path: Path) -> None:
    before = project(tmp_path / "before", EAGER)
    (finding,) = isolate(project(tmp_path / "after", LAZY), "--before", str(before)).json()["findings"]
    assert (finding["rule"], finding["severity"]) == ("VC605", "warning")
    assert finding["message"].endswith("the submodules kernels")


def test_a_plain_import_is_no_public_name(tmp_path: Path) -> None:
    text = "import os\nimport math as maths\n\n" + EAGER["rows/__init__.py"]
    before = project(tmp_path / "before", EAGER | {"rows/__init__.py": text})
    result = isolate(project(tmp_path / "after", LAZY), "--before", str(before))
    errors = [each["message"] for each in result.json()["findings"] if each["severity"] == "error"]
    assert [message.partition(":")[0] for message in errors] == ["the public name maths is lost"]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('if name == "norm"', 'if name == "gone"', "VC605 error"),
        ('__all__ = ["WIDTH", "norm"]', '__all__ = ["WIDTH"]', "VC605 error"),
        ('[*globals(), "norm"]', "[*globals()]", "VC605 warning"),
    ],
)
def test_a_lost_public_name_is_found(tmp_path: Path, old: str, new: str, expected: str) -> None:
    assert old in LAZY["rows/__init__.py"]
    broken = LAZY | {"rows/__init__.py": LAZY["rows/__init__.py"].replace(old, new)}
    before = project(tmp_path / "before", EAGER)
    found = rules(isolate(project(tmp_path / "after", broken), "--before", str(before)))
    assert sorted(found) == sorted([expected, "VC605 warning"])  # the other one is about the submodules


def test_tests_collect_without_the_toolchain(tmp_path: Path) -> None:
    files = LAZY | {"tests/test_rows.py": "import rows\n\n\ndef test_width():\n    assert rows.WIDTH == 8\n"}
    result = isolate(project(tmp_path, files), "--collect", "tests")
    assert result.code == 0, result.text
    assert result.json()["counts"]["tests collected"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import toolkit\n\n\ndef test_it():\n    pass\n", "cannot be collected"),
        ("import pytest\n\npytest.importorskip('toolkit')\n\n\ndef test_it():\n    pass\n", "1 files skipped"),
        ("", "no test was collected"),
    ],
)
def test_tests_that_do_not_collect_are_found(tmp_path: Path, text: str, said: str) -> None:
    result = isolate(project(tmp_path, LAZY | {"tests/test_rows.py": text}), "--collect", "tests")
    assert rules(result) == ["VC608 error"]
    assert said in result.json()["findings"][0]["message"]


PYPROJECT = """\
[project]
name = "rows"
dependencies = ["click>=8", "Tool.Kit>=1"]

[project.optional-dependencies]
gpu = ["tool-kit>=1"]

[project.entry-points.pytest11]
rows = "rows.plugin"
"""


def test_declarations_that_undo_the_extra_are_found(tmp_path: Path) -> None:
    result = isolate(project(tmp_path, LAZY | {"pyproject.toml": PYPROJECT}), "--absent", "toolkit=tool_kit")
    assert result.findings() == {("VC603", "pyproject.toml"), ("VC606", "pyproject.toml")}
    assert {each["location"]["line"] for each in result.json()["findings"]} == {3, 9}
    assert "'gpu'" in result.text


def test_plugins_in_a_conftest_are_found(tmp_path: Path) -> None:
    files = LAZY | {"pyproject.toml": "", "tests/conftest.py": "pytest_plugins = ['other', 'rows.plugin']\n"}
    result = isolate(project(tmp_path, files))
    assert (result.code, result.findings()) == (0, {("VC606", "tests/conftest.py")})


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("setup.cfg", "[options]\ninstall_requires =\n    click\n    tool-kit>=1\n"),
        ("pyproject.toml", "[tool.poetry.dependencies]\npython = '^3.11'\nclick = '*'\ntool_kit = '^1'\n"),
        ("pyproject.toml", "[project.optional-dependencies]\nall = ['toolkit>=1']\n[project]\n"
                           "dependencies = ['toolkit>=1; sys_platform == \"linux\"']\n"),
    ],
    ids=["setup.cfg", "Poetry", "marker"],
)  # fmt: skip
def test_a_hard_dependency_is_found_wherever_it_stands(tmp_path: Path, file: str, text: str) -> None:
    name = "toolkit" if "toolkit" in text else "tool_kit"
    folder = project(tmp_path, LAZY | {"setup.cfg": "", "pyproject.toml": "", file: text})
    result = isolate(folder, "--absent", f"other={name}")
    (finding,) = result.json()["findings"]
    assert (finding["rule"], finding["location"]) == ("VC603", {"path": file, "line": 4, "column": None})
    assert ('where sys_platform == "linux"' in finding["message"]) == ("sys_platform" in text)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("pyproject.toml", "[project]\ndependencies = ['toolkit>=1; extra == \"gpu\"']\n"),
        ("pyproject.toml", "[tool.poetry.dependencies]\ntoolkit = {version = '^1', optional = true}\n"),
        ("setup.cfg", "[options.extras_require]\ngpu = toolkit\n"),
    ],
    ids=["extra", "Poetry", "setup.cfg"],
)
def test_an_optional_dependency_is_none(tmp_path: Path, file: str, text: str) -> None:
    folder = project(tmp_path, LAZY | {"setup.cfg": "", "pyproject.toml": "", file: text})
    assert rules(isolate(folder, "--absent", "toolkit=toolkit")) == []


@pytest.mark.parametrize(
    ("file", "text", "line"),
    [
        ("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-q -p rows.plugin'\n", 2),
        ("pyproject.toml", "[tool.pytest]\naddopts = ['-p', 'rows.plugin']\n", 2),
        ("pytest.ini", "[pytest]\naddopts =\n    -q\n    -p rows.plugin\n", 4),
        ("tox.ini", "[pytest]\naddopts = -prows.plugin\n", 2),
        ("setup.cfg", "[tool:pytest]\naddopts = -p rows.plugin\n", 2),
        ("setup.cfg", "[options.entry_points]\npytest11 =\n    rows = rows.plugin\n", 3),
        ("conftest.py", "pytest_plugins: list[str] = [\n    'rows.plugin',\n]\n", 2),
    ],
    ids=range(7),
)
def test_a_plugin_is_found_wherever_it_is_declared(tmp_path: Path, file: str, text: str, line: int) -> None:
    result = isolate(project(tmp_path, LAZY | {file: text}))
    (finding,) = result.json()["findings"]
    assert (finding["rule"], finding["location"]) == ("VC606", {"path": file, "line": line, "column": None})
    blocked = text.replace("-p rows", "-p no:rows").replace("-prows", "-pno:rows").replace("'rows.", "'no:rows.")
    if "-p" in text:
        assert rules(isolate(project(tmp_path, LAZY | {file: blocked}))) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tool = 1\n", "pyproject.toml:1: `tool` is not a table"),
        ("\n[project]\ndependencies = 'click'\n", "pyproject.toml:3: `project.dependencies` is not a list of"),
        ("[project]\ndependencies = ['x', 1]\n", "pyproject.toml:2: `project.dependencies` is not a list of strings"),
        (
            "[project.entry-points]\npytest11 = 'x'\n",
            "pyproject.toml:2: `project.entry-points.pytest11` is not a table",
        ),
        ("[tool.pytest]\naddopts = 1\n", "pyproject.toml:2: `tool.pytest.addopts` is not a list of strings"),
        (f"x = {'[' * 5000}", "pyproject.toml: nested too deeply to be read"),
        ("x = ", "pyproject.toml: not TOML: "),
    ],
    ids=range(7),
)
def test_a_declaration_of_another_shape_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    result = isolate(project(tmp_path, LAZY | {"pyproject.toml": text}))
    assert result.code == 3
    assert f"error: {message}" in result.err
