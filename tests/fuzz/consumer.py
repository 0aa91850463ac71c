# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a project declares about itself: pyproject.toml, setup.cfg and the files of pytest."""

from __future__ import annotations

from fuzz.scratch import root_with
from fuzz.target import Target
from vendorctl.consumer.declared import early_plugins, find_project, hard_requirements

#: Between the files of one input, in the order of `_FILES`.
_NEXT = b"\n=====\n"
_FILES = ("pyproject.toml", "setup.cfg", "pytest.ini", "conftest.py")


def check_project(data: bytes) -> None:
    """Whatever is found was looked for, and stands on a line of the file that is named."""
    texts = dict(zip(_FILES, [*data.split(_NEXT, len(_FILES) - 1), b"", b"", b""], strict=False))
    root = root_with({f"project/{name}": text for name, text in texts.items()}) / "project"
    project = find_project(root)
    hard = hard_requirements(project, ["tool_kit", "x"])
    assert {each.distribution for each in hard} <= {"tool-kit", "x"}
    plugins = early_plugins(project, "rows")
    assert all(each.module.partition(".")[0] == "rows" for each in plugins)
    for place in [*(each.location for each in hard), *(each.location for each in plugins)]:
        assert place.path in texts
        assert place.line is None or 1 <= place.line <= len(texts[place.path].decode("utf-8", "replace").splitlines())


_PYPROJECT = b"""[project]
dependencies = ["tool-kit>=1; python_version < '4'", "click"]
[project.optional-dependencies]
gpu = ["Tool.Kit"]
[project.entry-points.pytest11]
rows = "rows.plugin:main"
[tool.poetry.dependencies]
x = {version = "^1", optional = true}
tool_kit = "*"
[tool.poetry.extras]
all = ["x"]
[tool.pytest.ini_options]
addopts = "-q -p rows.plugin"
"""
_SETUP = b"""[options]
install_requires =
    tool-kit>=1
    x; extra == "gpu"
[options.extras_require]
gpu = tool_kit
[options.entry_points]
pytest11 =
    rows = rows.plugin
[tool:pytest]
addopts = -p rows.plugin -p no:rows
"""
_REST = (b"[pytest]\naddopts = -p=rows.early\n", b"pytest_plugins = ['other', 'rows.plugin']\n")

TARGETS = (
    Target(
        name="project",
        check=check_project,
        seeds=lambda: [
            _PYPROJECT,
            _NEXT + _SETUP,
            _NEXT.join((b"", b"", *_REST)),
            _NEXT.join((_PYPROJECT, _SETUP, *_REST)),
        ],
        tokens=(
            _NEXT,
            b"[project]\n",
            b"[tool.pytest]\naddopts = ",
            b'["',
            b"{",
            b"= 1\n",
            b"[[x]]\n",
            b"[DEFAULT]\n",
            b"%(x)s",
            b"-p ",
            b"rows.",
            b"dependencies = ",
            b"pytest_plugins: x = ",
        ),
    ),
)
