# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

# ruff: noqa: E501 - a table of messages reads best with one case on one line

"""VENDOR.yaml: what a good one means, and the exact words and place for every bad one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vendorctl.errors import ExitCode, Location, VendorError
from vendorctl.git.oid import Oid
from vendorctl.workspace.manifest import FILE_NAME, CachePlace, ObjectPolicy, Store
from vendorctl.workspace.parse import load_manifest, parse_manifest
from vendorctl.workspace.schema import SCHEMA, Kind, keys_of

PIN = "421935cc6f09fd9b27d5d5ae52e0960e18834bd5"
SHA = "0" * 64

#: Every key that there is, once.
FULL = f"""\
version: 1
upstreams:
  flydsl:
    url: https://github.com/ROCm/FlyDSL.git   # a comment
    pin: {PIN}
    ref: v0.3.1
    track: main
    include: ["kernels/norm/**", "kernels/common/*.py"]
    exclude: ["**/*_autotune.py"]
    license: Apache-2.0
    store: fetch
    output: src/_vendor/flydsl
    hold:
      - kernels/norm/a.py
      - path: kernels/norm/b.py
        reason: >
          waits for
          a release
    not_taken:
      - {{commit: {PIN}, reason: not for us}}
    rewrite_imports: {{kernels.norm: rowkernels.norm}}
  other:
    url: ../other
    pin: '0000000000000000000000000000000000000001'
    include:
    - "**"
licenses:
  allow: [Apache-2.0, MIT]
  deny: [GPL-3.0-only]
  exceptions:
    - {{upstream: other, allow: [BSD-3-Clause], reason: agreed}}
  curations:
    - path: vendored/other/a.py
      sha256: "{SHA}"
      expression: MIT
      reason: its README says so
      copyrights: [Copyright (c) 2026 Ex Ample]
kernels:
  recipes: [recipes/rmsnorm.py]
  targets: [gfx90a, gfx942, gfx950, gfx1151, gfx11-generic, gfx9-4-generic]
  toolchain: {{flydsl: 0.5.0}}
  policy: {{max_spills: 0, max_scratch: 64, max_lds: 65536}}
  cache: {{url: file:///srv/cache, write: no}}
"""


def test_a_full_manifest() -> None:
    manifest = parse_manifest(FULL)
    assert manifest.text == FULL
    flydsl, other = manifest.upstreams["flydsl"], manifest.upstreams["other"]
    assert (flydsl.url, flydsl.pin) == ("https://github.com/ROCm/FlyDSL.git", Oid.parse(PIN))
    assert (flydsl.ref, flydsl.track, flydsl.license) == ("v0.3.1", "main", "Apache-2.0")
    assert (flydsl.include, flydsl.exclude) == (("kernels/norm/**", "kernels/common/*.py"), ("**/*_autotune.py",))
    assert (flydsl.store, flydsl.output) == (Store.FETCH, "src/_vendor/flydsl")
    assert [(hold.path, hold.reason) for hold in flydsl.hold] == [
        ("kernels/norm/a.py", ""),
        ("kernels/norm/b.py", "waits for a release"),
    ]
    assert [(entry.commit, entry.reason) for entry in flydsl.not_taken] == [(Oid.parse(PIN), "not for us")]
    assert flydsl.rewrite_imports == {"kernels.norm": "rowkernels.norm"}
    assert (other.store, other.output, other.hold, other.ref) == (Store.COMMIT, None, (), None)
    assert other.pin == Oid.parse("0" * 39 + "1")
    assert manifest.licenses.allow == ("Apache-2.0", "MIT")
    assert manifest.licenses.exceptions[0].allow == ("BSD-3-Clause",)
    assert manifest.licenses.curations[0].copyrights == ("Copyright (c) 2026 Ex Ample",)
    assert manifest.kernels.toolchain == {"flydsl": "0.5.0"}
    assert manifest.kernels.policy == ObjectPolicy(max_spills=0, max_scratch=64, max_lds=65536)
    assert manifest.kernels.cache == CachePlace(url="file:///srv/cache", write=False)


def test_a_shared_cache_in_short_is_its_url() -> None:
    written = "version: 1\nupstreams: {}\nkernels:\n  cache: s3://bucket/prefix\n"
    assert parse_manifest(written).kernels.cache == CachePlace(url="s3://bucket/prefix", write=True)
    for place in ("../shared", "/srv/cache", "file:///srv/cache", "gs://b/p", "{url: gs://b/p, write: yes}"):
        assert parse_manifest(written.replace("s3://bucket/prefix", place)).kernels.cache is not None
    for place in (
        "simplecache::s3://bucket", "--option", "s3://key:secret@bucket", "file://host/srv", "s3://b?endpoint=x",
        "{write: no}", "{url: s3://b, write: maybe}", "{url: s3://b, secret: x}", "[s3://b]", "",
    ):  # fmt: skip
        with pytest.raises(VendorError):
            parse_manifest(written.replace("s3://bucket/prefix", place))


def test_every_value_has_its_place() -> None:
    manifest = parse_manifest(FULL)
    flydsl = manifest.upstreams["flydsl"]
    assert flydsl.place() == Location(FILE_NAME, 3, 3)
    assert flydsl.place("pin") == Location(FILE_NAME, 5, 10)
    assert flydsl.place("include[1]") == Location(FILE_NAME, 8, 34)
    assert flydsl.place("license") == Location(FILE_NAME, 10, 14)
    assert flydsl.hold[1].location == Location(FILE_NAME, 15, 9)
    assert manifest.upstreams["other"].place("license") == Location(FILE_NAME, 22, 3)
    assert manifest.licenses.curations[0].location == Location(FILE_NAME, 33, 7)
    assert manifest.kernels.places["targets[2]"] == Location(FILE_NAME, 40, 29)


def test_scalars_are_read_as_they_are_written() -> None:
    text = FULL.replace("v0.3.1", "1.10").replace("track: main", "track: no")
    upstream = parse_manifest(text).upstreams["flydsl"]
    assert (upstream.ref, upstream.track) == ("1.10", "no")


@pytest.mark.parametrize("rest", ["", " {}", "  # none yet"])
def test_no_upstreams_yet(rest: str) -> None:
    assert parse_manifest(f"version: 1\nupstreams:{rest}\nlicenses:\n").upstreams == {}


def test_the_sample_uses_every_key_and_the_schema_knows_it() -> None:
    words = FULL.replace("{", "\n").replace(",", "\n").split("\n")
    used = {word.strip().removeprefix("- ").partition(":")[0] for word in words}
    assert {key.name for key in SCHEMA if key.name != "*"} <= used
    assert len({key.path for key in SCHEMA}) == len(SCHEMA)
    assert all(key.doc.endswith((".", ".\n")) for key in SCHEMA)


def _bad(old: str, new: str, message: str, hint: str = "") -> tuple[str, str, str]:
    assert old in FULL
    return FULL.replace(old, new, 1), message, hint


#: What is wrong, the message with its place, and a part of the hint.
BAD = {
    "empty": ("", "VENDOR.yaml:1:1: the manifest is empty", "version: 1"),
    "only comments": ("# x\n", "VENDOR.yaml:1:1: the manifest is empty", "version: 1"),
    "a list": ("- x\n", "VENDOR.yaml:1:1: the manifest must be a mapping (`key: value` lines)", ""),
    "no version": ("upstreams: {}\n", "VENDOR.yaml:1:1: the manifest lacks the key 'version'", "version of this file"),
    "newer": _bad("version: 1", "version: 2", "VENDOR.yaml:1:10: version 2 is not one that this vendorctl reads (it reads 1)", "update"),
    "quoted version": _bad("version: 1", "version: '1'", "VENDOR.yaml:1:10: version must be a whole number, written plainly in decimal digits"),
    "unknown section": _bad("licenses:", "licences:", "VENDOR.yaml:27:1: unknown key 'licences' in the manifest", "did you mean `licenses`?"),
    "unknown key": _bad("    ref:", "    reff:", "VENDOR.yaml:6:5: unknown key 'reff' in upstream 'flydsl'", "did you mean `ref`?"),
    "nothing near": _bad("    ref:", "    zzz:", "VENDOR.yaml:6:5: unknown key 'zzz' in upstream 'flydsl'", "known keys: url, pin"),
    "unknown in a list": _bad("{upstream: other", "{upstrem: other", "VENDOR.yaml:31:7: an item of exceptions lacks the key 'upstream'", "1 more to correct:\n  VENDOR.yaml:31:8: unknown key 'upstrem'"),
    "key twice": _bad("    track: main\n", f"    pin: {PIN}\n", "VENDOR.yaml:7:5: the key 'pin' is given twice in upstream 'flydsl'", "the first is on line 5"),
    "upstream twice": _bad("  other:\n", "  flydsl:\n", "VENDOR.yaml:22:3: the key 'flydsl' is given twice in upstreams", "line 3"),
    "same but for case": _bad("  other:\n", "  FlyDSL:\n", "VENDOR.yaml:22:3: 'FlyDSL' and 'flydsl' are the same folder on some file systems", "rename"),
    "name with slash": _bad("  other:\n", "  a/b:\n", "VENDOR.yaml:22:3: 'a/b' cannot name an upstream: use letters, digits"),
    "name with dots": _bad("  other:\n", "  ..:\n", "VENDOR.yaml:22:3: '..' cannot name an upstream: use letters, digits"),
    "name as option": _bad("  other:\n", "  -x:\n", "VENDOR.yaml:22:3: '-x' cannot name an upstream"),
    "device name": _bad("  other:\n", "  con:\n", "VENDOR.yaml:22:3: 'con' cannot name an upstream: 'con' is a device name on Windows"),
    "lacking": _bad(f"    pin: {PIN}\n", "", "VENDOR.yaml:4:5: upstream 'flydsl' lacks the key 'pin'", "40 lower-case hex digits"),
    "not a mapping": _bad("upstreams:\n", "upstreams: [\n]\nkernels:\n", "VENDOR.yaml:2:12: upstreams must be a mapping"),
    "short pin": _bad(PIN, "421935c", "VENDOR.yaml:5:10: pin must be a full commit id of 40 lower-case hex digits, not '421935c'", "git rev-parse"),
    "upper pin": _bad(PIN, PIN.upper(), f"VENDOR.yaml:5:10: pin must be a full commit id of 40 lower-case hex digits, not '{PIN.upper()}'", "lower case"),
    "null pin": _bad(f"pin: {PIN}", "pin: ~", "VENDOR.yaml:5:10: pin is empty", "give it a value"),
    "empty ref": _bad("ref: v0.3.1", "ref:", "VENDOR.yaml:6:9: ref is empty", "remove the key"),
    "list for text": _bad("ref: v0.3.1", "ref: [v0.3.1]", "VENDOR.yaml:6:10: ref must be text, not a list"),
    "mapping for text": _bad("ref: v0.3.1", "ref: {a: b}", "VENDOR.yaml:6:10: ref must be text, not a mapping"),
    "bad ref": _bad("ref: v0.3.1", "ref: -upload-pack=x", "VENDOR.yaml:6:10: ref: not a possible tag or branch name: '-upload-pack=x'"),
    "bad track": _bad("track: main", "track: a..b", "VENDOR.yaml:7:12: track: not a possible tag or branch name: 'a..b'"),
    "text for list": _bad('["**/*_autotune.py"]', "x", "VENDOR.yaml:9:14: exclude must be a list", "exclude: [...]"),
    "empty include": _bad('["kernels/norm/**", "kernels/common/*.py"]', "[]", "VENDOR.yaml:8:14: include is empty", '["**"]'),
    "include without value": _bad('["kernels/norm/**", "kernels/common/*.py"]', "", "VENDOR.yaml:8:5: include is empty", '["**"]'),
    "number in a list": _bad('"kernels/common/*.py"', "[x]", "VENDOR.yaml:8:34: each item of include must be text, not a list"),
    "listed twice": _bad('"kernels/common/*.py"', '"kernels/norm/**"', "VENDOR.yaml:8:34: 'kernels/norm/**' is listed twice in include"),
    "negated glob": _bad("**/*_autotune.py", "!x", "VENDOR.yaml:9:15: exclude: a glob may not begin with '!'"),
    "upward glob": _bad("kernels/common/*.py", "../*.py", "VENDOR.yaml:8:34: include: a glob may not contain '..'"),
    "store": _bad("store: fetch", "store: fetsh", "VENDOR.yaml:11:12: store must be `commit` or `fetch`, not 'fetsh'", "did you mean `fetch`?"),
    "absolute output": _bad("src/_vendor/flydsl", "/srv/x", "VENDOR.yaml:12:13: output: the path is absolute", "relative path"),
    "escaping output": _bad("src/_vendor/flydsl", "a/../../x", "VENDOR.yaml:12:13: output: the path contains '..'"),
    "git output": _bad("src/_vendor/flydsl", "src/.Git/x", "VENDOR.yaml:12:13: output: '.Git' is git's own folder on some file systems"),
    "output in vendored": _bad("src/_vendor/flydsl", "vendored/x", "VENDOR.yaml:12:13: output 'vendored/x' overlaps 'vendored', which vendorctl keeps itself", "src/_vendor/NAME"),
    "output is patches": _bad("src/_vendor/flydsl", "Patches", "VENDOR.yaml:12:13: output 'Patches' overlaps 'patches', which vendorctl keeps itself"),
    "output in state": _bad("src/_vendor/flydsl", ".vendorctl/tx", "VENDOR.yaml:12:13: output '.vendorctl/tx' overlaps '.vendorctl'"),
    "output is the lock": _bad("src/_vendor/flydsl", "VENDOR.lock", "VENDOR.yaml:12:13: output 'VENDOR.lock' overlaps 'VENDOR.lock'"),
    "outputs nested": _bad("    include:\n    - ", "    output: src/_vendor\n    include:\n    - ", "VENDOR.yaml:25:13: output 'src/_vendor' overlaps the output of 'flydsl'"),
    "recipe in output": _bad("recipes/rmsnorm.py", "src/_vendor/flydsl/r.py", "VENDOR.yaml:39:12: the recipe 'src/_vendor/flydsl/r.py' overlaps the output of 'flydsl', which holds nothing but upstream's files"),
    "hold outside": _bad("- kernels/norm/a.py", "- ../a.py", "VENDOR.yaml:14:9: hold: the path contains '..'"),
    "held twice": _bad("path: kernels/norm/b.py", "path: kernels/norm/a.py", "VENDOR.yaml:15:9: 'kernels/norm/a.py' is held twice"),
    "ledger commit": _bad(f"commit: {PIN}", "commit: v1", "VENDOR.yaml:20:18: commit must be a full commit id of 40 lower-case hex digits, not 'v1'"),
    "ledger reason": _bad(", reason: not for us", "", "VENDOR.yaml:20:9: an item of not_taken lacks the key 'reason'"),
    "module": _bad("rowkernels.norm", "row-kernels", "VENDOR.yaml:21:37: not a Python module name: 'row-kernels'"),
    "exception for nobody": _bad("upstream: other", "upstream: othr", "VENDOR.yaml:31:7: there is no upstream 'othr'", "did you mean `other`?"),
    "curation hash": _bad(f'"{SHA}"', "abc", "VENDOR.yaml:34:15: sha256 must be 64 lower-case hex digits", "sha256sum"),
    "curation path": _bad("vendored/other/a.py", "/a.py", "VENDOR.yaml:33:13: path: the path is absolute"),
    "target": _bad("gfx950", "sm_90", "VENDOR.yaml:40:29: not a target: 'sm_90'", "gfx942"),
    "policy": _bad("max_spills: 0", "max_spills: -1", "VENDOR.yaml:42:24: max_spills must be a whole number, written plainly in decimal digits"),
    "policy bool": _bad("max_spills: 0", "max_spills: true", "VENDOR.yaml:42:24: max_spills must be a whole number, written plainly in decimal digits"),
    "alias": _bad("ref: v0.3.1", "ref: *x", "VENDOR.yaml:6:10: YAML aliases are not allowed"),
    "anchor": _bad("ref: v0.3.1", "ref: &x v0.3.1", "VENDOR.yaml:6:10: YAML anchors are not allowed"),
    "tag": _bad("ref: v0.3.1", "ref: !!python/object:os.system x", "VENDOR.yaml:6:10: YAML tags are not allowed"),
    "merge key": _bad("    ref: v0.3.1", "    <<: {a: b}", "VENDOR.yaml:6:5: YAML merge keys are not allowed"),
    "complex key": _bad("    ref: v0.3.1", "    ? [a]\n    : b", "VENDOR.yaml:6:7: a key in upstream 'flydsl' must be text"),
    "documents": (FULL + "---\na: b\n", "VENDOR.yaml:44:1: more than one YAML document", "---"),
    "syntax": _bad("ref: v0.3.1", "ref: [v0.3.1", "VENDOR.yaml:7:10: not valid YAML: did not find expected ',' or ']'", "check indentation"),
    "tab": _bad("    ref: v0.3.1", "\tref: v0.3.1", "VENDOR.yaml:6:1: not valid YAML: found", "spaces"),
    "control character": _bad("a comment", "a \x1b[31mcomment", "VENDOR.yaml:4:51: the character U+001B is not allowed"),
    "bidi in a comment": _bad("a comment", "a \u202ecomment", "VENDOR.yaml:4:51: the character U+202E is not allowed"),
    "control by escape": _bad("ref: v0.3.1", 'ref: "v\\n1"', "VENDOR.yaml:6:10: ref must be one line of printable text"),
    "byte order mark": ("\ufeff" + FULL, "VENDOR.yaml:1:1: the character U+FEFF is not allowed", "byte order mark"),
    "deep": ("a: " + "[" * 500, "VENDOR.yaml:1:23: nested too deeply", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_manifests_say_what_and_where(name: str) -> None:
    text, message, hint = BAD[name]
    with pytest.raises(VendorError) as error:
        parse_manifest(text)
    assert str(error.value).startswith(message)
    assert hint in (error.value.hint or "")
    assert error.value.code is ExitCode.INVALID


def test_all_problems_are_told_at_once() -> None:
    text = FULL.replace("store: fetch", "store: x").replace("ref: v0.3.1", "ref: ''").replace("gfx942", "mi300")
    with pytest.raises(VendorError) as error:
        parse_manifest(text, file="sub/VENDOR.yaml")
    assert str(error.value) == "sub/VENDOR.yaml:6:10: ref is empty"
    assert error.value.hint == (
        "give it a value, or remove the key\n2 more to correct:\n"
        "  sub/VENDOR.yaml:11:12: store must be `commit` or `fetch`, not 'x'\n"
        "  sub/VENDOR.yaml:40:21: not a target: 'mi300'"
    )


#: One known key of every section, as the full manifest has it.
ONE_KEY = {
    "": "version: 1",
    "upstreams.*": "    url: https",
    "upstreams.*.hold[]": "path: kernels/norm/b.py",
    "upstreams.*.not_taken[]": "commit: ",
    "licenses": "  allow: [Apache-2.0",
    "licenses.exceptions[]": "upstream: other",
    "licenses.curations[]": "path: vendored",
    "kernels": "  recipes: ",
    "kernels.policy": "max_spills: ",
    "kernels.cache": "url: file",
}


def test_the_table_of_sections_is_complete() -> None:
    named = {key.section for key in SCHEMA if key.kind is not Kind.NAMED}
    assert set(ONE_KEY) == named


@pytest.mark.parametrize("section", ONE_KEY)
def test_every_section_refuses_unknown_keys_and_names_the_nearest(section: str) -> None:
    old = ONE_KEY[section]
    key = old.strip().partition(":")[0]
    assert key in keys_of(section)
    with pytest.raises(VendorError) as error:
        parse_manifest(FULL.replace(old, old.replace(f"{key}:", f"{key}x:"), 1))
    assert f"unknown key '{key}x'" in f"{error.value} {error.value.hint}"


URLS = {
    "https://github.com/ROCm/FlyDSL.git": None,
    "https://example.org:8443/a/b": None,
    "ssh://git@example.org:22/a.git": None,
    "git@github.com:ROCm/FlyDSL.git": None,
    "file:///srv/mirrors/a.git": None,
    "../minikernels": None,
    "./up": None,
    "up/stream.git": None,
    "path/with:colon": None,
    "ext::sh -c touch% /tmp/x": "remote helper",
    "fd::17": "remote helper",
    "::x": "remote helper",
    "http://example.org/a": "not protected",
    "git://example.org/a": "not protected",
    "ftp://example.org/a": "not protected",
    "rsync://example.org/a": "not supported",
    "git+ssh://example.org/a": "not supported",
    "--upload-pack=touch /tmp/x": "option",
    "-u:x": "option",
    "ssh://-oProxyCommand=x/a": "host name",
    "git@-oProxyCommand=x:a": "host name",
    "example.org:-x": "names no repository",
    "https://user:secret@example.org/a": "credentials",
    "https://token@example.org/a": "credentials",
    "ssh://git:secret@example.org/a": "credentials",
    "https://example.org": "names no repository",
    "https:///a": "host name",
    "https://example.org/a?token=x": "query",
    "https://example.org:99999/a": "not a valid URL",
    "file://host/a": "file URLs",
    "/srv/mirrors/a": "file:///srv/mirrors/a",
    "C:/mirrors/a": "drive letter",
    "C:\\mirrors\\a": "backslashes",
    "https://example.org/a b": "blanks",
}


@pytest.mark.parametrize("url", URLS)
def test_urls(url: str) -> None:
    text = FULL.replace("https://github.com/ROCm/FlyDSL.git", f"'{url}'", 1)
    reason = URLS[url]
    if reason is None:
        assert parse_manifest(text).upstreams["flydsl"].url == url
        return
    with pytest.raises(VendorError) as error:
        parse_manifest(text)
    assert str(error.value).startswith("VENDOR.yaml:4:10: url: ")
    assert reason in f"{error.value} {error.value.hint}"
    assert "secret" not in f"{error.value} {error.value.hint}"


def test_loading(workspace: Path) -> None:
    with pytest.raises(VendorError) as error:
        load_manifest(workspace)
    assert error.value.hint == "run `vendorctl init` to start a workspace"
    (workspace / FILE_NAME).write_text(FULL)
    assert load_manifest(workspace) == parse_manifest(FULL)
    (workspace / FILE_NAME).write_bytes(b"version: 1\n# caf\xe9\n")
    with pytest.raises(VendorError, match=r"VENDOR\.yaml:2:6: not UTF-8 text"):
        load_manifest(workspace)
    (workspace / FILE_NAME).unlink()
    (workspace / FILE_NAME).mkdir()
    with pytest.raises(VendorError, match=r"cannot read VENDOR\.yaml"):
        load_manifest(workspace)


def test_an_oversized_manifest_is_refused() -> None:
    with pytest.raises(VendorError, match="the limit is"):
        parse_manifest("#" * 5_000_000)


@given(st.data())
def test_no_damage_causes_anything_but_a_vendor_error(data: st.DataObject) -> None:
    text = FULL
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        piece = data.draw(
            st.text(max_size=3)
            | st.sampled_from(["\n", ": ", "- ", "[", "}", "'", '"', "|\n", "? ", "!!x ", "&a ", "*a", "#", "\t"])
        )
        text = text[:at] + piece + text[at + data.draw(st.integers(0, 6)) :]
    try:
        manifest = parse_manifest(text)
    except VendorError as error:
        assert error.location is not None
        assert error.message.isprintable()
    else:
        assert manifest.text == text
