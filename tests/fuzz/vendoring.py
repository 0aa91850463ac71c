# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What upstreams and people name: paths, globs, URLs, refs, git's answers, and Python modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from fuzz.scratch import git_that_says
from fuzz.target import Target
from vendorctl.drift.imports import imported_modules
from vendorctl.drift.symbols import compare_symbols, is_semantic
from vendorctl.errors import VendorError
from vendorctl.git.objects import object_info, read_blobs, read_commit, read_tree
from vendorctl.git.oid import hash_blob, hash_object
from vendorctl.git.tree import Entry, Mode, Tree
from vendorctl.paths import (
    MAX_DEPTH,
    MAX_PATH_BYTES,
    case_collisions,
    display,
    percent_decode,
    percent_encode,
    reject_reason,
    symlink_escapes,
)
from vendorctl.submit.formatters import judge_style
from vendorctl.upstream.refs import RefTable, parse_advertisement
from vendorctl.upstream.url import absolute_url, folder_name, redacted
from vendorctl.vendor.globs import compile_glob, compile_union
from vendorctl.vendor.rewriting import restore_imports, rewrite_imports
from vendorctl.vendor.syntax import parse_module

_OID = hash_blob(b"x\n")


def check_path(data: bytes) -> None:
    """A path that is not refused is relative and short; each is spelled in its own way, for people and in files."""
    spelled = percent_encode(data)
    assert percent_decode(spelled) == data
    assert display(data).isprintable()
    path, _, target = data.partition(b"\0")
    case_collisions(data.split(b"\0"))
    if not symlink_escapes(path, target, {b"d": target, path: b"d/.."}):
        assert not target.startswith(b"/")
    if reject_reason(data) is not None:
        raise VendorError("refused")
    names = data.split(b"/")
    assert len(data) <= MAX_PATH_BYTES
    assert len(names) <= MAX_DEPTH
    assert not {b"", b".", b"..", b".git"} & {name.lower() for name in names}
    assert (Path("/r") / data.decode("utf-8", "surrogateescape")).is_relative_to("/r")


def check_glob(data: bytes) -> None:
    """The first line is a glob, the others are paths: alone and in a union it selects the same, in bounded time."""
    first, *rest = data.decode("utf-8", "surrogateescape").split("\n")
    glob, union = compile_glob(first), compile_union(["never/at/all", first])
    for path in [*rest, "a/" * 20 + "a" * 200]:
        name = path.encode("utf-8", "surrogateescape")
        selected = glob.matches(name)
        assert union.matches(name) == selected
        assert glob.matches(name + b"/x") or not selected, "a folder is selected with what is in it"


def check_url(data: bytes) -> None:
    """A URL that is taken is no option and no helper; what is shown has no password, and its folder is one name."""
    text = data.decode("utf-8", "surrogateescape")
    url = absolute_url(text, Path("/base"))
    assert not url.startswith("-")
    assert "/" not in folder_name(url)
    assert folder_name(url) not in {"", ".", ".."}
    assert reject_reason(folder_name(url).encode()) is None
    _, _, rest = redacted(url).partition("://")
    authority = rest.partition("/")[0]
    assert "@" not in authority or any(char.isspace() for char in authority)


def check_refs(data: bytes) -> None:
    """What ls-remote prints becomes names that a ref may have; the table reads back, and every name is found in it."""
    table = parse_advertisement(data, 7)
    assert RefTable.from_json(table.to_json()) == table
    for name in table.refs:
        assert name == "HEAD" or name.startswith("refs/")
        assert not set(name) & set(" ~^:?*[\\\n\r\t")
        try:
            table.look_up(name, "up")
            table.look_up(name.rpartition("/")[2], "up")
        except VendorError as error:
            assert error.hint
    table.nearest(data[:40].decode("utf-8", "replace"))


def check_ref_table(data: bytes) -> None:
    """A damaged table of the cache is refused; one that is taken reads back the same."""
    table = RefTable.from_json(data)
    assert RefTable.from_json(table.to_json()) == table


def check_tree_listing(data: bytes) -> None:
    """What ls-tree prints, about a folder whose object holds the rest: a tree, or a refusal."""
    listing, _, folder = data.partition(b"\xff\xff")
    oid = hash_object(b"tree", folder)

    def answer(args: Sequence[str | bytes], _stdin: bytes) -> bytes:
        if "ls-tree" in args:
            return listing
        if "--batch-check" in args:
            return b"%s tree %d\n" % (str(oid).encode(), len(folder))
        return b"%s tree %d\n%s\n" % (str(oid).encode(), len(folder), folder)

    tree = read_tree(git_that_says(answer), oid)
    assert all(tree[path] for path in tree)


def check_commit(data: bytes) -> None:
    """A commit object with any content: its facts, or a refusal."""
    oid = hash_object(b"commit", data)

    def answer(args: Sequence[str | bytes], _stdin: bytes) -> bytes:
        head = b"%s commit %d\n" % (str(oid).encode(), len(data))
        return head if "--batch-check" in args else head + data + b"\n"

    commit = read_commit(git_that_says(answer), oid)
    assert commit is not None
    assert commit.oid == oid
    assert "\n" not in commit.subject


def check_batch(data: bytes) -> None:
    """Whatever a damaged repository makes cat-file say, a content comes back only when it has its id."""
    about, _, contents = data.partition(b"\xff\xff")

    def answer(args: Sequence[str | bytes], _stdin: bytes) -> bytes:
        return about if "--batch-check" in args else contents

    git = git_that_says(answer)
    object_info(git, [_OID])
    for oid, content in read_blobs(git, [_OID]).items():
        assert hash_blob(content) == oid


def check_style(data: bytes) -> None:
    """Whatever an upstream configures, and whatever its tools say, each tool gives a verdict or a reason for none."""
    configuration, _, said = data.partition(b"\xff\xff")
    contents = {hash_blob(content): content for content in (configuration, b"x = 1\n", b"x = 2\n")}
    settings = Entry(Mode.FILE, hash_blob(configuration))
    before, after = (
        Tree({b"pyproject.toml": settings, b"a.py": Entry(Mode.FILE, hash_blob(content))})
        for content in (b"x = 1\n", b"x = 2\n")
    )
    runner = git_that_says(lambda _args, _stdin: said).runner
    for verdict in judge_style(before, after, contents, lambda name: f"/nowhere/{name}", runner=runner):
        assert verdict.tool
        assert not (verdict.skipped and verdict.faults)
        assert verdict.faults == tuple(sorted(verdict.faults))


def check_python(data: bytes) -> None:
    """Python of any upstream: analysed or left alone; imports that are rewritten are put back byte for byte."""
    old, _, new = data.partition(b"\xff\xff")
    for content in (old, new):
        module = parse_module(content)
        assert module is None or isinstance(module, ast.Module)
        imported_modules("kernels/norm/a.py", content)
    assert compare_symbols(old, old) in {None, ()}
    is_semantic(compare_symbols(old, new))
    prefixes = {"kernels": "mine.kernels", "kernels.norm": "other"}
    rewritten = rewrite_imports(b"kernels/norm/a.py", old, prefixes)
    assert restore_imports(b"kernels/norm/a.py", rewritten, prefixes) == old
    assert (parse_module(rewritten) is None) == (parse_module(old) is None)


def _trees() -> Iterator[bytes]:
    raw = b"100644 a.py\0" + _OID.raw + b"40000 d\0" + _OID.raw
    row = b"100644 blob " + str(_OID).encode() + b"\ta.py\0"
    yield row + b"\xff\xff" + raw
    yield row + b"120000 blob " + str(_OID).encode() + b"\td/l\0160000 commit " + str(_OID).encode() + b"\ts\0\xff\xff"
    yield b"100644 blob " + str(_OID).encode() + b"\ta.py\0\xff\xff100644 a.py\0" + _OID.raw


def _commits() -> Iterator[bytes]:
    oid = str(_OID).encode()
    yield (
        b"tree " + oid + b"\nparent " + oid + b"\nauthor J <j@x> 1700000000 +0100\ncommitter J <j@x> 1700000000 +0100\n"
        b"gpgsig -----BEGIN\n line\n\nSubject\n\nBody\n"
    )


_PYTHON = b'''"""Doc."""
import os, kernels.norm.b as b
import kernels.norm.a as n
from kernels import x, y as z
from . import b
from ..common import *
importlib.import_module("kernels.norm")


@decorated
def f(a: int = 1, *, b=None) -> int:
    """Doc."""
    return lambda x: (yield)


class C(Base):
    x: int = 0

    async def m(self): ...
'''

TARGETS = (
    Target(
        name="path",
        check=check_path,
        seeds=lambda: [
            b"a/b.py",
            b"deep/er/and/deeper",
            b"a b/c+d.py",
            "caf\u00e9/\u202e".encode(),
            b"link\0d/../../x",
            b"A/x\0a/y",
        ],
        tokens=(b"..", b"/", b".git", b"git~1", b"\xe2\x80\x8c", b"CON", b"%41", b"\\", b":", b"\0", b"C:"),
        longest=2500,
    ),
    Target(
        name="glob",
        check=check_glob,
        seeds=lambda: [
            b"**/*.py\na/b.py\nb.py",
            b"/a/**\na/b/c",
            b"[!a-c]x[[:digit:]]?/\ndx1y/z",
            b"a\\*b\na*b",
            b"*a*b*\nxaxbx",
        ],
        tokens=(b"**/", b"/**", b"*", b"?", b"[!", b"[[:alpha:]]", b"\\", b"]", b"\n", b"*a*a*a*a*a*b", b"**/a/**/a/"),
        longest=600,
        seconds=1.0,
    ),
    Target(
        name="url",
        check=check_url,
        seeds=lambda: [
            b"https://u:p@example.org/x.git",
            b"git@example.org:x/y",
            b"../up",
            b"file:///srv/x",
            b"ssh://h/x",
        ],
        tokens=(b"ext::", b"--upload-pack=", b"@", b"://", b"..", b"%2e", b":", b"http://"),
        longest=512,
    ),
    Target(
        name="refs",
        check=check_refs,
        seeds=lambda: [
            b"ref: refs/heads/main\tHEAD\n"
            + b"".join(
                str(_OID).encode() + b"\t" + name + b"\n"
                for name in (b"HEAD", b"refs/heads/main", b"refs/tags/v1", b"refs/tags/v1^{}")
            )
        ],
        tokens=(str(_OID).encode(), b"refs/heads/", b"refs/tags/", b"^{}", b"\t", b"ref: ", b"..", b"\xe2\x80\xa8"),
    ),
    Target(
        name="ref-table",
        check=check_ref_table,
        seeds=lambda: [
            parse_advertisement(
                str(_OID).encode() + b"\trefs/tags/v1\n" + str(_OID).encode() + b"\trefs/tags/v1^{}\n", 3
            ).to_json()
        ],
        refusals=(ValueError,),
        is_json=True,
    ),
    Target(
        name="tree",
        check=check_tree_listing,
        seeds=_trees,
        tokens=(b"\xff\xff", b"40000 ", b"160000 commit ", b"\0", b"\t", b"d/", b"../"),
    ),
    Target(
        name="commit",
        check=check_commit,
        seeds=_commits,
        tokens=(b"tree ", b"parent ", b"author ", b"committer ", b"\n\n", b">"),
    ),
    Target(
        name="batch",
        check=check_batch,
        seeds=lambda: [
            str(_OID).encode() + b" blob 2\n\xff\xff" + str(_OID).encode() + b" blob 2\nx\n\n",
            str(_OID).encode() + b" missing\n",
        ],
        tokens=(b" missing\n", b" blob ", b"\xff\xff", str(_OID).encode()),
        refusals=(VendorError,),
    ),
    Target(
        name="style",
        check=check_style,
        seeds=lambda: [
            b'[tool.ruff]\nline-length = 100\n\xff\xff[{"filename":"a.py","code":"E501","message":"long"}]',
            b"[tool.black]\n[tool.isort]\n[tool.mypy]\nplugins = 'x'\n",
        ],
        tokens=(b"[tool.ruff]", b"[tool.flake8]", b"\xff\xff", b"[[", b"{", b'"filename"', b'"code":null', b"ruff 0.4"),
    ),
    Target(
        name="python",
        check=check_python,
        seeds=lambda: [
            _PYTHON + b"\xff\xff" + _PYTHON.replace(b"= 1", b"= 2"),
            b"import kernels.a as k\n",
            b"x = 1;from kernels.norm import y;y=2\n",
        ],
        tokens=(
            b"import kernels",
            b"from kernels.norm import ",
            b"mine.kernels",
            b" as ",
            b"\\\n",
            b";",
            b"\f",
            b"\r",
            b"(",
            b"# coding: latin-1\n",
            b"\xef\xbb\xbf",
            b"if x:\n  ",
            b"match x:\n  case 1:\n    ",
            b"lambda: ",
            b"not ",
        ),
    ),
)
