# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The document of `diff-upstream` as Markdown: a table of patches, and every file folded, each hunk with its patch.

A reviewer who opens it in a pull request needs nothing else: what changed, which patch did it, and why.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from vendorctl.model import Json
from vendorctl.report.inert import code, fenced, html, markup
from vendorctl.report.text import escape

#: Owner of a change that no patch records, as readers see it.
_NOBODY = "????"


def patch_tables(upstreams: Mapping[str, Mapping[str, Json]]) -> Iterator[str]:
    """For each upstream that differs, a heading and one row per patch."""
    for name, facts in sorted(upstreams.items()):
        patches = _rows(facts["patches"])
        if not patches and not facts["files"]:
            continue
        pin = code(f"{facts['ref'] or 'commit'} {str(facts['commit'])[:12]}")
        files = f"{facts['files_changed']} file{'s' * (facts['files_changed'] != 1)}"
        size = f"{files}, +{facts['lines_added']} -{facts['lines_removed']}"
        yield f"\n#### {markup(name)} against {pin}: {size}\n\n"
        if patches:
            yield "| patch | what | why | upstream |\n|---|---|---|---|\n"
        for patch in patches:
            status = patch["applied_upstream"] or patch["forwarded"] or "not stated"
            why = markup(str(patch["reason"])) or "not stated"
            yield f"| {_number(patch['number'])} | {markup(str(patch['title']))} | {why} | {code(str(status))} |\n"


def file_blocks(upstreams: Mapping[str, Mapping[str, Json]]) -> Iterator[str]:
    """One folded block per file that differs; those that no patch explains come first, unfolded."""
    rows = [(name, file) for name, facts in sorted(upstreams.items()) for file in _rows(facts["files"])]
    for name, file in sorted(rows, key=lambda row: not row[1]["unexplained"]):
        yield _file(name, file)


def _file(upstream: str, file: Mapping[str, Json]) -> str:
    hunks = _rows(file["hunks"])
    owners = {by["number"] for hunk in hunks for by in _rows(hunk["patches"])} | set(_numbers(file["patches"]))
    by = ", ".join(sorted(_number(owner) for owner in owners))
    path, old = html(str(file["path"])), file["old_path"]
    moved = f" (from <code>{html(str(old))}</code>)" if old not in {None, file["path"]} else ""
    mode = "" if file["old_mode"] in {None, file["new_mode"]} or not file["new_mode"] else ", mode changed"
    summary = f"<code>{path}</code>{moved}: {html(str(file['kind']))}{mode}, {html(upstream)}, by {by}"
    body = "Binary content." if file["binary"] else fenced("\n".join(_hunk_lines(hunks)), "diff")
    unfolded = " open" if file["unexplained"] else ""
    return f"\n<details{unfolded}><summary>{summary}</summary>\n\n{body}\n\n</details>\n"


def _hunk_lines(hunks: Sequence[Mapping[str, Json]]) -> Iterator[str]:
    """Unified hunks, whose patches stand behind ``@@``.

    Where patches alternate, a line that starts with ``#`` says whose turn it is. No line of content can be taken for
    it: those start with a sign.
    """
    for hunk in hunks:
        titles = {by["number"]: f"{_number(by['number'])} {by['title']}" for by in _rows(hunk["patches"])}
        named = escape("; ".join(titles.values()))
        old, new = (f"{hunk[f'{side}_start']},{hunk[f'{side}_count']}" for side in ("old", "new"))
        yield f"@@ -{old} +{new} @@ {named}"
        last: Json = 0
        for line in _rows(hunk["lines"]):
            owner = line["patch"]
            if len(titles) > 1 and owner not in {0, last}:
                yield f"# {escape(titles.get(owner, _number(owner)))}"
            last = last if owner == 0 else owner
            text = str(line["text"])
            yield f"{line['sign']}{escape(text.removesuffix(chr(10)), keep=chr(9))}"
            if not text.endswith("\n"):
                yield "\\ No newline at end of file"


def _number(value: Json) -> str:
    return _NOBODY if value is None else f"{value:04d}" if isinstance(value, int) else str(value)


def _rows(value: Json) -> Sequence[Mapping[str, Json]]:
    assert isinstance(value, Sequence)
    return [row for row in value if isinstance(row, Mapping)]


def _numbers(value: Json) -> Sequence[Json]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()
