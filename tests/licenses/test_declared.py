# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What upstreams declare elsewhere than in files: REUSE.toml, sidecars, dep5, and what wins over what."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from support.licensed_workspace import Files, header
from support.trees import tree
from vendorctl.git.oid import Oid
from vendorctl.licenses.declared import declaration_paths, read_declarations, scan_tree, survey
from vendorctl.licenses.opinion import second_opinion
from vendorctl.proc import run
from vendorctl.workspace.lock import LicenseFacts

ID, TEXT = "SPDX-License" + "-Identifier", "SPDX-FileCopyright" + "Text"


def toml(*annotations: tuple[str, str, str]) -> str:
    """REUSE.toml with (path as TOML, expression, precedence) annotations."""
    lines = ["version = 1\n"]
    for path, expression, precedence in annotations:
        lines.append(
            f'[[annotations]]\npath = {path}\nprecedence = "{precedence}"\n'
            f'{ID} = "{expression}"\n{TEXT} = "2026 {expression} people"\n'
        )
    return "\n".join(lines)


def facts_of(files: dict[str, str]) -> dict[str, LicenseFacts]:
    contents = {path.encode(): text.encode() for path, text in files.items()}
    declared = {path: contents[path] for path in declaration_paths(contents, contents)}
    found = scan_tree(contents, read_declarations(declared))
    return {path.decode(): facts for path, facts in found.items()}


def expressions(files: dict[str, str], path: str) -> tuple[tuple[str, ...], str]:
    facts = facts_of(files)[path]
    return facts.expressions, facts.source


@pytest.mark.parametrize(
    ("glob", "path", "matches"),
    [
        ('"*.csv"', "a.csv", True),
        ('"*.csv"', "d/a.csv", False),
        ('"**/*.csv"', "d/e/a.csv", True),
        ('"**/*.csv"', "a.csv", True),
        ('"**"', "d/e/a.csv", True),
        ('"d/**"', "d/a.csv", True),
        ('"d/**"', "dd/a.csv", False),
        ('["x", "d/a.csv"]', "d/a.csv", True),
        ("'a\\*.csv'", "a*.csv", True),
        ("'a\\*.csv'", "ab.csv", False),
        ('"a+(b).csv"', "a+(b).csv", True),
        ('"**/d/**/*.c*"', "x/d/y/a.csv", True),
        ('"**/d/**/*.c*"', "x/e/y/a.csv", False),
    ],
)
def test_globs_of_reuse_toml(glob: str, path: str, matches: bool) -> None:
    found = expressions({"REUSE.toml": toml((glob, "MIT", "closest")), path: "1,2\n"}, path)
    assert found == ((("MIT",), "reuse-toml") if matches else ((), ""))


def test_the_file_comes_before_a_closest_annotation_kind_by_kind() -> None:
    files = {"REUSE.toml": toml(('"**"', "MIT", "closest")), "a.py": f"# {ID}: ISC\n", "b.py": header("Zlib")}
    facts = facts_of(files)
    assert facts["a.py"].expressions == ("ISC",) and facts["a.py"].copyrights == ("2026 MIT people",)
    assert facts["b.py"].expressions == ("Zlib",) and facts["b.py"].source == "header"


@pytest.mark.parametrize("precedence", ["aggregate", "override"])
def test_an_annotation_never_hides_what_the_file_says(precedence: str) -> None:
    found = expressions({"REUSE.toml": toml(('"**"', "MIT", precedence)), "a.py": header("GPL-3.0-only")}, "a.py")
    assert found == (("MIT", "GPL-3.0-only"), "reuse-toml")


def test_the_last_annotation_of_the_nearest_file_counts() -> None:
    files = {
        "REUSE.toml": toml(('"**"', "MIT", "closest"), ('"d/*"', "ISC", "closest")),
        "d/e/REUSE.toml": toml(('"*"', "Zlib", "closest")),
        "d/a": "",
        "d/e/b": "",
        "c": "",
    }
    found = {path: facts.expressions for path, facts in facts_of(files).items() if not path.endswith("toml")}
    assert found == {"c": ("MIT",), "d/a": ("ISC",), "d/e/b": ("Zlib",)}


def test_sidecars() -> None:
    files = {
        "a.bin": "\0",
        "a.bin.license": f"{TEXT}: 2026 A\n\n{ID}: MIT\n",
        "b.py": header("ISC"),
        "b.py.license": f"{ID}: MIT\n",
    }
    assert expressions(files, "a.bin") == (("MIT",), "sidecar")
    assert facts_of(files)["a.bin"].copyrights == (f"{TEXT}: 2026 A",)
    assert expressions(files, "b.py") == (("MIT", "ISC"), "sidecar")


def test_dep5() -> None:
    dep5 = (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
        "Files: *\nCopyright: 2026 A\nLicense: MIT\n\n"
        "Files: data/*.csv\n other?.txt\nCopyright: 2025 B\n 2026 C\nLicense: ISC\n the text of it\n"
    )
    files = {".reuse/dep5": dep5, "x/y.bin": "\0", "data/a/b.csv": "1", "other1.txt": "t", "other.txt": "t"}
    facts = facts_of(files)
    assert facts["x/y.bin"].expressions == ("MIT",) and facts["x/y.bin"].source == "dep5"
    assert facts["data/a/b.csv"] == LicenseFacts(expressions=("ISC",), copyrights=("2025 B", "2026 C"), source="dep5")
    assert facts["other1.txt"].expressions == ("ISC",) and facts["other.txt"].expressions == ("MIT",)


@pytest.mark.parametrize(
    "content",
    [
        "not toml",
        "[[annotations]]\n",
        "annotations = 3",
        "[[annotations]]\npath = 3\n",
        f'[[annotations]]\npath = "**"\n{ID} = 7\n',
        "\xff",
    ],
)
def test_a_malformed_declaration_says_nothing(content: str) -> None:
    assert expressions({"REUSE.toml": content, "a.csv": "1"}, "a.csv") == ((), "")


def test_only_what_may_speak_about_the_selected_files_is_read() -> None:
    contents: dict[Oid, bytes] = {}
    names = [
        "REUSE.toml",
        "k/REUSE.toml",
        "other/REUSE.toml",
        "k/n/a.py",
        "k/n/a.py.license",
        "k/b.py.license",
        ".reuse/dep5",
    ]
    whole = tree(dict.fromkeys(names, "x"), contents)
    chosen = tree({"k/n/a.py": "x"}, contents)
    asked: list[bytes] = []

    def read(paths: object) -> dict[bytes, bytes]:
        assert isinstance(paths, list)
        asked.extend(paths)
        return dict.fromkeys(paths, b"")

    survey(whole, chosen, read)
    assert asked == [b".reuse/dep5", b"REUSE.toml", b"k/REUSE.toml", b"k/n/a.py.license"]
    assert survey(chosen, chosen, read)(b"a.py", header("MIT").encode()).expressions == ("MIT",)


def test_hostile_globs_cost_no_more_than_the_path() -> None:
    glob = '"' + "**a" * 30 + '"'
    started = time.process_time()
    assert expressions({"REUSE.toml": toml((glob, "MIT", "closest")), "a" * 200 + "/b": "1"}, "a" * 200 + "/b")[0] == ()
    assert time.process_time() - started < 5


def test_reuse_reads_the_same_from_every_kind_of_declaration(tmp_path: Path) -> None:
    files: Files = {
        "REUSE.toml": toml(('"data/**/*.csv"', "MIT", "closest"), ('["x*.bin", "y.bin"]', "ISC", "closest")),
        "data/a/b.csv": "1\n",
        "data/c.csv": "1\n",
        "x1.bin": "1\n",
        "y.bin": "1\n",
        "z.bin": "1\n",
        "s.bin": "1\n",
        "s.bin.license": f"{TEXT}: 2026 A\n{ID}: Zlib\n",
        "a.py": header("Apache-2.0"),
    }
    contents: dict[Oid, bytes] = {}
    made = tree(files, contents)
    found = second_opinion("up", "pristine", made, contents, run)
    assert [(finding.rule, finding.message) for finding in found if finding.rule != "VC451"] == []
