# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An edit of VENDOR.yaml changes one value's characters; everything that a person wrote around it stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from vendorctl.errors import ExitCode, VendorError
from vendorctl.workspace.edit import (
    add_upstream,
    append_at,
    append_curation,
    append_item,
    remove_at,
    remove_item,
    remove_upstream,
    set_at,
    set_value,
)
from vendorctl.workspace.manifest import Manifest, Upstream
from vendorctl.workspace.parse import parse_manifest

OLD, NEW = "1" * 40, "2" * 40

SAMPLE = f"""\
# What we take, and why.
version: 1

upstreams:
  # The main one.
  flydsl:
    url: https://github.com/ROCm/FlyDSL.git   # https, ssh, file
    pin: {OLD}   # always 40 hex digits

    ref: 'v0.3.1'            # a moved tag is a finding
    include: ["kernels/norm/**", "kernels/common/*.py"]   # globs
    exclude:
      # generated
      - "**/*_autotune.py"
      - '*.md'   # docs
    hold: []   # nothing yet

  # The second.
  aiter: {{url: ../aiter, pin: {OLD}, include: ['**']}}
licenses:
  allow: [
    MIT,         # permissive
    Apache-2.0,  # more words
  ]
  curations: []            # path + sha256
"""


def _changed(old: str, new: str) -> tuple[str, str]:
    """The one stretch in which two texts differ, in each of them."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return old[start : len(old) - end], new[start : len(new) - end]


def _line(text: str, word: str) -> str:
    return next(line for line in text.splitlines() if word in line)


@pytest.fixture
def manifest() -> Manifest:
    return parse_manifest(SAMPLE)


def test_a_pin_changes_its_forty_characters(manifest: Manifest) -> None:
    new = set_value(manifest, "flydsl", "pin", NEW)
    assert _changed(SAMPLE, new) == (OLD, NEW)
    new = set_value(manifest, "aiter", "pin", NEW)
    assert new == SAMPLE.replace(f"../aiter, pin: {OLD}", f"../aiter, pin: {NEW}")


def test_quotes_stay_as_they_are_where_the_value_allows(manifest: Manifest) -> None:
    assert "    ref: 'v0.4.0'            # a moved" in set_value(manifest, "flydsl", "ref", "v0.4.0")
    assert "    url: ../up   # https" in set_value(manifest, "flydsl", "url", "../up")
    assert '    url: "#odd"   # https' in set_value(manifest, "flydsl", "url", "#odd")
    text = set_at(SAMPLE, ("upstreams", "flydsl", "exclude", 1), "it's/*")
    assert "      - 'it''s/*'   # docs" in text


def test_an_absent_key_gets_its_place_in_the_order(manifest: Manifest) -> None:
    text = set_value(manifest, "flydsl", "track", "main")
    lines = text.splitlines()
    at = lines.index("    track: main")
    assert lines[at - 1].startswith("    ref:")
    assert lines[:at] + lines[at + 1 :] == SAMPLE.splitlines()
    text = set_value(manifest, "flydsl", "output", "src/_vendor/flydsl")
    assert (
        text.splitlines().index("    output: src/_vendor/flydsl")
        == SAMPLE.splitlines().index("      - '*.md'   # docs") + 1
    )
    assert f"pin: {OLD}, include: ['**'], ref: v1}}" in set_value(manifest, "aiter", "ref", "v1")


def test_a_key_before_all_others() -> None:
    text = f"upstreams:\n  up:\n    pin: {OLD}\n    include: ['*']\n    url: x\nversion: 1\n"
    text = text.replace("    url: x\n", "    url: x\n    exclude: [a]\n")
    assert set_at(text, ("licenses",), {"deny": ["GPL-3.0-only"]}) == text + 'licenses:\n  deny: ["GPL-3.0-only"]\n'
    without = "kernels:\n  cache: x\nversion: 1\nupstreams: {}\n"
    assert set_at(without, ("kernels", "recipes"), ["r.py"]) == without.replace(
        "  cache", '  recipes: ["r.py"]\n  cache'
    )


def test_lists_grow_in_their_own_layout(manifest: Manifest) -> None:
    text = append_item(manifest, "flydsl", "include", "kernels/new/**")
    assert '["kernels/norm/**", "kernels/common/*.py", "kernels/new/**"]   # globs' in text
    text = append_item(manifest, "flydsl", "exclude", "*.txt")
    assert "      - '*.md'   # docs\n      - \"*.txt\"\n    hold" in text
    text = append_item(manifest, "flydsl", "hold", "a.py")
    assert '    hold: ["a.py"]   # nothing yet\n' in text
    text = append_item(manifest, "flydsl", "hold", {"path": "a.py", "reason": "Waits for #12: see there"})
    assert '    hold:   # nothing yet\n      - path: a.py\n        reason: "Waits for #12: see there"\n\n' in text
    text = append_item(manifest, "flydsl", "not_taken", {"commit": NEW, "reason": "Not for us"})
    assert f"\n    not_taken:\n      - commit: {NEW}\n        reason: Not for us\n" in text
    assert "include: ['**', 'x']}" in append_item(manifest, "aiter", "include", "x")


def test_many_lines_of_a_bracketed_list() -> None:
    text = set_at(SAMPLE, ("licenses", "allow", 0), "BSD-3-Clause")
    assert "    BSD-3-Clause,         # permissive\n" in text
    assert "    Apache-2.0,  # more words\n    ISC,\n  ]\n" in append_at(SAMPLE, ("licenses", "allow"), "ISC")
    assert "  allow: [\n    Apache-2.0,  # more words\n  ]\n" in remove_at(SAMPLE, ("licenses", "allow", 0))
    assert "  allow: [\n    MIT,         # permissive\n  ]\n" in remove_at(SAMPLE, ("licenses", "allow", 1))
    open_end = SAMPLE.replace("Apache-2.0,  # more", "Apache-2.0  # more")
    assert "    Apache-2.0,  # more words\n    ISC\n  ]\n" in append_at(open_end, ("licenses", "allow"), "ISC")


def test_items_and_upstreams_go(manifest: Manifest) -> None:
    assert 'include: ["kernels/common/*.py"]   # globs' in remove_item(manifest, "flydsl", "include", 0)
    assert 'include: ["kernels/norm/**"]   # globs' in remove_item(manifest, "flydsl", "include", 1)
    text = remove_item(manifest, "flydsl", "exclude", 1)
    assert '      - "**/*_autotune.py"\n    hold' in text
    text = remove_item(parse_manifest(text), "flydsl", "exclude", 0)
    assert "    exclude: []\n      # generated\n    hold" in text
    text = remove_upstream(SAMPLE, "aiter")
    assert "# The second." not in text
    assert "# The main one." in text
    text = remove_upstream(text, "flydsl")
    assert "upstreams: {}\n" in text
    assert parse_manifest(text).upstreams == {}


def test_the_last_item_that_is_needed_cannot_go(manifest: Manifest) -> None:
    with pytest.raises(VendorError, match="include is empty") as error:
        remove_item(manifest, "aiter", "include", 0)
    assert error.value.code is ExitCode.INVALID


FIELDS = {"include": ["**"], "url": "../new", "pin": NEW}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "version: 1\nupstreams: {}\n",
            f'version: 1\nupstreams:\n  new:\n    url: ../new\n    pin: {NEW}\n    include: ["**"]\n',
        ),
        (
            "version: 1\nupstreams:  # none yet\n",
            f'version: 1\nupstreams:  # none yet\n  new:\n    url: ../new\n    pin: {NEW}\n    include: ["**"]\n',
        ),
        (
            "version: 1\nupstreams:",
            f'version: 1\nupstreams:\n  new:\n    url: ../new\n    pin: {NEW}\n    include: ["**"]',
        ),
        (
            "version: 1\r\nupstreams: {}\r\n",
            f'version: 1\r\nupstreams:\r\n  new:\r\n    url: ../new\r\n    pin: {NEW}\r\n    include: ["**"]\r\n',
        ),
        (
            f"version: 1\nupstreams:\n    one:\n        url: x\n        pin: {OLD}\n        include: [a]\n\n# end\n",
            f"version: 1\nupstreams:\n    one:\n        url: x\n        pin: {OLD}\n        include: [a]\n"
            f'    new:\n      url: ../new\n      pin: {NEW}\n      include: ["**"]\n\n# end\n',
        ),
        (
            f"{{version: 1, upstreams: {{one: {{url: x, pin: {OLD}, include: [a]}}}}}}\n",
            f"{{version: 1, upstreams: {{one: {{url: x, pin: {OLD}, include: [a]}}, "
            f'new: {{url: ../new, pin: {NEW}, include: ["**"]}}}}}}\n',
        ),
    ],
    ids=["braces", "nothing", "no line end", "crlf", "indented", "flow"],
)
def test_adding_an_upstream(text: str, expected: str) -> None:
    assert add_upstream(text, "new", FIELDS) == expected


def test_adding_keeps_blank_lines_between_upstreams() -> None:
    text = SAMPLE.replace("  # The second.\n", "")
    added = add_upstream(text, "new", FIELDS)
    assert "include: ['**']}\n\n  new:\n    url: ../new\n" in added


def test_a_curation(manifest: Manifest) -> None:
    fields = {
        "path": "vendored/a.py",
        "sha256": "0" * 64,
        "expression": "MIT",
        "reason": "Says so",
        "copyrights": ["Ex"],
    }
    text = append_curation(manifest, fields)
    assert "  curations:            # path + sha256\n    - path: vendored/a.py\n" in text
    again = append_curation(parse_manifest(text), {**fields, "path": "vendored/b.py"})
    assert [curation.path for curation in parse_manifest(again).licenses.curations] == [
        "vendored/a.py",
        "vendored/b.py",
    ]
    bare = parse_manifest("version: 1\nupstreams: {}\n")
    assert append_curation(bare, fields).startswith("version: 1\nupstreams: {}\nlicenses:\n  curations:\n    - path: ")


def test_what_cannot_be_edited_says_so(manifest: Manifest) -> None:
    with pytest.raises(VendorError, match=r"cannot edit upstreams\.none\.pin"):
        set_value(manifest, "none", "pin", NEW)
    with pytest.raises(VendorError, match="pin must be a full commit id"):
        set_value(manifest, "flydsl", "pin", "short")
    with pytest.raises(VendorError, match="no such entry"):
        remove_upstream(SAMPLE, "none")
    with pytest.raises(ValueError, match="more than one value"):
        set_value(manifest, "flydsl", "include", "x")


def test_folded_text_is_replaced_whole() -> None:
    text = SAMPLE.replace(
        "    hold: []   # nothing yet\n",
        "    hold:\n      - path: a.py\n        reason: >\n          waits for\n          a release\n\n"
        "        # after\n",
    )
    new = set_at(text, ("upstreams", "flydsl", "hold", 0, "reason"), "Done: really")
    assert '        reason: "Done: really"\n\n        # after\n' in new


# -- properties -------------------------------------------------------------------------------------------------------

_words = st.text(alphabet="abcxyz019._-", min_size=1, max_size=8).filter(
    lambda word: word[0].isalnum() and word[-1].isalnum()
)
_texts = st.text(
    alphabet=st.characters(
        codec="utf-8", exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"], exclude_characters="#"
    )
    | st.just(" "),
    min_size=1,
    max_size=12,
).filter(lambda text: text == text.strip())
_globs = st.lists(_words.map(lambda word: f"{word}/**"), min_size=1, max_size=4, unique=True)
_comments = st.sampled_from(["", "   # note", "  # ] } , : - \"'"])


def _scalar(draw: st.DrawFn, value: str) -> str:
    plain = value[0].isalnum() and all(char.isalnum() or char in "._-/" for char in value) and value.isascii()
    return draw(st.sampled_from([f"'{value}'", f'"{value}"', *([value] if plain else [])]))


def _list(draw: st.DrawFn, key: str, items: list[str], indent: str) -> str:
    layout = draw(st.sampled_from(["line", "block", "indentless", "lines"]))
    texts = [_scalar(draw, item) for item in items]
    note = draw(_comments)
    if layout == "line":
        return f"{indent}{key}: [{', '.join(texts)}]{note}\n"
    if layout == "lines":
        end = draw(st.sampled_from([",", ""]))
        rows = [
            f"{indent}  {text}{',' if n + 1 < len(texts) else end}{draw(_comments)}\n" for n, text in enumerate(texts)
        ]
        return f"{indent}{key}: [{note}\n{''.join(rows)}{indent}]\n"
    step = "  " if layout == "block" else ""
    return f"{indent}{key}:{note}\n" + "".join(f"{indent}{step}- {text}{draw(_comments)}\n" for text in texts)


@st.composite
def _manifests(draw: st.DrawFn) -> str:
    """Manifests as different people write them."""
    indent = draw(st.sampled_from(["  ", "    "]))
    blank = draw(st.sampled_from(["", "\n", "\n# a remark\n", "\n  # an indented remark\n"]))
    text = f"# head\nversion: 1{draw(_comments)}\nupstreams:{draw(_comments)}\n"
    for name in draw(st.lists(_words, min_size=1, max_size=3, unique_by=str.lower)):
        keys = [
            f"{indent * 2}url: {_scalar(draw, '../' + name)}{draw(_comments)}\n",
            f"{indent * 2}pin: {_scalar(draw, OLD)}{draw(_comments)}\n",
            _list(draw, "include", draw(_globs), indent * 2),
        ]
        if draw(st.booleans()):
            keys.append(f"{indent * 2}ref: {_scalar(draw, draw(_words))}{draw(_comments)}\n")
        if draw(st.booleans()):
            keys.append(_list(draw, "exclude", draw(_globs), indent * 2))
        text += f"{blank}{indent}{name}:{draw(_comments)}\n" + "".join(draw(st.permutations(keys)))
    if draw(st.booleans()):
        text += "\nlicenses:  # policy\n  allow: [MIT]\n# tail\n"
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


def _content(manifest: Manifest) -> Mapping[str, Upstream]:
    """The upstreams without their places, which move when lines do."""
    return {name: replace(upstream, places={}) for name, upstream in manifest.upstreams.items()}


def _comments_of(text: str) -> list[str]:
    return [line.partition(" #")[2] if " #" in line else line for line in text.splitlines() if "#" in line]


def _manifest(text: str) -> Manifest:
    try:
        return parse_manifest(text)
    except VendorError:
        assume(False)  # two random names met
        raise


@given(_manifests(), st.data())
def test_setting_a_text_changes_that_value_and_no_other_character(text: str, data: st.DataObject) -> None:
    before = _manifest(text)
    name = data.draw(st.sampled_from(sorted(before.upstreams)))
    key, value = data.draw(
        st.sampled_from([("pin", NEW), ("ref", "v9"), ("license", "MIT OR X"), ("store", "fetch"), ("url", "host:a")])
        | st.tuples(st.just("license"), _texts)
    )
    new = set_value(before, name, key, value)
    after = parse_manifest(new)
    changes: dict[str, Any] = {key: getattr(after.upstreams[name], key)}
    assert str(changes[key]) == value
    expected = dict(_content(before))
    expected[name] = replace(expected[name], **changes)
    assert _content(after) == expected
    assert after.licenses.allow == before.licenses.allow
    assert _comments_of(new) == _comments_of(text)
    removed, added = _changed(text, new)
    assert "#" not in removed
    assert "\n" not in removed
    if key in before.upstreams[name].places:
        assert "\n" not in added
        assert len(new.splitlines()) == len(text.splitlines())
    else:
        assert removed == ""
        assert len(new.splitlines()) == len(text.splitlines()) + 1


@given(_manifests(), _words, st.data())
def test_appending_adds_one_item(text: str, word: str, data: st.DataObject) -> None:
    before = _manifest(text)
    name = data.draw(st.sampled_from(sorted(before.upstreams)))
    item = f"new/{word}"
    new = append_item(before, name, "include", item)
    after = parse_manifest(new)
    expected = dict(_content(before))
    expected[name] = replace(expected[name], include=(*expected[name].include, item))
    assert _content(after) == expected
    assert _comments_of(new) == _comments_of(text)
    # Where an item gains a comma before its comment, two places change around that comment.
    removed, _added = _changed(text, new)
    assert not removed or removed.lstrip().startswith("#")
    index = len(after.upstreams[name].include) - 1
    assert _content(parse_manifest(remove_item(after, name, "include", index))) == _content(before)


@given(_manifests(), st.data())
def test_removing_takes_one_item(text: str, data: st.DataObject) -> None:
    before = _manifest(text)
    name = data.draw(st.sampled_from(sorted(before.upstreams)))
    globs = before.upstreams[name].include
    assume(len(globs) > 1)
    index = data.draw(st.integers(0, len(globs) - 1))
    new = remove_item(before, name, "include", index)
    expected = dict(_content(before))
    expected[name] = replace(expected[name], include=globs[:index] + globs[index + 1 :])
    assert _content(parse_manifest(new)) == expected
    _removed, added = _changed(text, new)
    assert added == ""


@given(_manifests(), st.data())
def test_upstreams_come_and_go(text: str, data: st.DataObject) -> None:
    before = _manifest(text)
    assume("brandnew" not in before.upstreams)
    added = add_upstream(text, "brandnew", FIELDS)
    assert list(parse_manifest(added).upstreams) == [*before.upstreams, "brandnew"]
    assert _comments_of(added) == _comments_of(text)
    removed = remove_upstream(added, "brandnew")
    assert _content(parse_manifest(removed)) == _content(before)
    name = data.draw(st.sampled_from(sorted(before.upstreams)))
    left = parse_manifest(remove_upstream(text, name))
    assert _content(left) == {key: value for key, value in _content(before).items() if key != name}
