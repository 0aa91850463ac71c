# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The generated notices: THIRD_PARTY_LICENSES.md, NOTICE and the texts in licenses/.

Pure: the same components give the same bytes, whatever the machine, locale or day.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vendorctl.licenses.component import Component, ShippedFile, licence_ids
from vendorctl.licenses.licensed import Basis
from vendorctl.licenses.markdown import cell, code, decode, fence, plain
from vendorctl.licenses.objects import FOLDER, Built
from vendorctl.licenses.purl import web_url
from vendorctl.licenses.texts import shipped
from vendorctl.paths import percent_encode
from vendorctl.workspace.root import LICENSES_FOLDER

THIRD_PARTY = "THIRD_PARTY_LICENSES.md"
NOTICE = "NOTICE"

_INTRODUCTION = (
    "# Third-party licences",
    "",
    "This product contains files of the projects below, some of them modified. The page is generated from VENDOR.lock",
    "and patches/ by `vendorctl licenses`; `vendorctl licenses --check` fails when it was edited.",
    "",
)
_IGNORE_START, _IGNORE_END = "<!-- REUSE-Ignore" + "Start -->", "<!-- REUSE-Ignore" + "End -->"


def text_path(spdx_id: str) -> str:
    """Where the text of a licence lies, under the name that REUSE gives it."""
    return f"{LICENSES_FOLDER}/{spdx_id}.txt"


def documents(components: tuple[Component, ...], own_texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """Every generated file by workspace path.

    `own_texts` are the texts already in `licenses/`, by id: the only source for ids that vendorctl has no text of, and
    ignored for the others.
    """
    texts = licence_texts(components, own_texts)
    return {
        THIRD_PARTY: third_party(components, texts),
        NOTICE: notice(components),
        **{text_path(spdx_id): content for spdx_id, content in texts.items()},
    }


def licence_texts(components: tuple[Component, ...], own_texts: Mapping[str, bytes]) -> dict[str, bytes]:
    """The text of every licence in use, by id; an id without any text is left out (`obligations` reports it)."""
    found = {spdx_id: shipped(spdx_id) or own_texts.get(spdx_id) for spdx_id in licence_ids(components)}
    return {spdx_id: text for spdx_id, text in found.items() if text is not None}


def third_party(components: tuple[Component, ...], texts: Mapping[str, bytes]) -> bytes:
    """THIRD_PARTY_LICENSES.md: one section per component, then each licence text once."""
    lines = ["# Third-party licences", ""]
    lines += [
        "This product contains files of the projects below, some of them modified. `vendorctl licenses` generates"
    ]
    lines += ["this page from VENDOR.lock and patches/; `vendorctl licenses --check` fails when it was edited.", ""]
    lines += [_IGNORE_START, ""]
    lines += _overview(components)
    for component in components:
        lines += _Section(component).lines()
    lines += ["## Licence texts", ""]
    for spdx_id, text in texts.items():
        lines += [f"### {plain(spdx_id)}", "", fence(decode(text))]
    lines += [_IGNORE_END]
    return ("\n".join(lines) + "\n").encode()


def notice(components: tuple[Component, ...]) -> bytes:
    """NOTICE: who the work contains, and the upstreams' own NOTICE texts verbatim."""
    blocks = []
    for component in components:
        head = (
            f"This product includes files of {component.name}, {_address(component)}, commit {component.locked.commit}"
        )
        blocks.append(head + (", with modifications.\n" if component.modified else ".\n"))
        for path, content in sorted(component.notices.items()):
            blocks.append(f"{percent_encode(path)} of {component.name}:\n\n{decode(content).rstrip()}\n")
    tail = f"Copyright lines, modifications and licence texts: {THIRD_PARTY}\n"
    return "\n".join([*blocks, tail]).encode()


def object_notices(
    components: tuple[Component, ...], texts: Mapping[str, bytes], built: tuple[Built, ...]
) -> dict[str, bytes]:
    """The notices that lie beside built objects, by workspace path: for each operation, those of what it was made from.

    An operation's folder may be passed on alone, so each has its own copy.
    """
    by_name = {component.name: component for component in components}
    sources: dict[str, set[str]] = {}
    for each in built:
        sources.setdefault(f"{FOLDER}/{each.operation}", set()).add(each.upstream)
    found: dict[str, bytes] = {}
    for folder, names in sorted(sources.items()):
        used = tuple(by_name[name] for name in sorted(names) if name in by_name)
        found[f"{folder}/{THIRD_PARTY}"] = third_party(used, licence_texts(used, texts))
        found[f"{folder}/{NOTICE}"] = notice(used)
    return found


def lost_lines(component: Component, path: str, document: bytes) -> list[str]:
    """Lines that the document at `path` must carry word for word, and does not.

    THIRD_PARTY_LICENSES.md carries every copyright line and NOTICE text, NOTICE the latter.
    """
    wanted = [line for _path, text in sorted(component.notices.items()) for line in decode(text).split("\n")]
    if path == THIRD_PARTY:
        wanted = [*component.copyrights, *wanted]
    present = {line.strip() for line in decode(document).split("\n")}
    return [line.strip() for line in wanted if line.strip() and line.strip() not in present]


def _address(component: Component) -> str:
    return web_url(component.upstream.url) or component.upstream.url


def _overview(components: tuple[Component, ...]) -> list[str]:
    lines = ["| component | commit | licence | files | modified |", "|---|---|---|---:|---:|"]
    for each in components:
        numbers = f"{len(each.files)} | {len(each.modified)}"
        licence = cell(each.expression or "unknown")
        lines.append(f"| {cell(each.name)} | {cell(str(each.locked.commit))} | {licence} | {numbers} |")
    return [*lines, ""]


class _Section:
    """One component's part of the page."""

    def __init__(self, component: Component) -> None:
        self.component = component

    def lines(self) -> list[str]:
        """The section, as lines."""
        parts = [self._facts, self._exceptions, self._copyrights, self._notices, self._modifications]
        return [f"## {plain(self.component.name)}", "", *(line for part in parts for line in part())]

    def _facts(self) -> Iterator[str]:
        component = self.component
        ref = component.locked.ref
        yield f"- Upstream: {code(_address(component))}"
        yield f"- Commit: {code(str(component.locked.commit))}" + (f" ({code(ref.name)})" if ref else "")
        yield f"- Package URL: {code(component.purl)}"
        yield f"- Licence: {code(component.expression or 'unknown')}"
        yield ""

    def _exceptions(self) -> Iterator[str]:
        """Files under another licence than most, each named."""
        groups: dict[str, list[ShippedFile]] = {}
        for file in self.component.files:
            if not file.basis.is_exempt:
                groups.setdefault(file.expression, []).append(file)
        ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
        if not ordered:
            return
        main, files = ordered[0]
        yield f"{len(files)} files are under {code(main or 'an unknown licence')}."
        for expression, others in ordered[1:]:
            yield f"Under {code(expression or 'an unknown licence')}:"
            yield ""
            for file in others:
                yield f"- {code(percent_encode(file.path))}" + (" (curated)" if file.basis is Basis.CURATION else "")
        yield ""

    def _copyrights(self) -> Iterator[str]:
        if self.component.copyrights:
            yield "### Copyright notices"
            yield ""
            yield fence("\n".join(self.component.copyrights))

    def _notices(self) -> Iterator[str]:
        for path, content in sorted(self.component.notices.items()):
            yield f"### {plain(percent_encode(path))}"
            yield ""
            yield fence(decode(content))

    def _modifications(self) -> Iterator[str]:
        component = self.component
        if not component.patches:
            return
        yield "### Modifications"
        yield ""
        for patch in component.patches:
            reason = f" ({plain(patch.trailers.reason)})" if patch.trailers.reason else ""
            yield f"- {patch.number:04d} {plain(patch.title)}{reason}"
        yield ""
        yield from self._listed("Modified files:", component.modified)
        yield from self._listed("Added files:", component.added)
        if component.lineage.removed:
            yield "Files left out:"
            yield ""
            for path, descent in component.lineage.removed.items():
                yield f"- {code(percent_encode(path))}: {descent.patches[-1].number:04d}"
            yield ""

    def _listed(self, title: str, files: tuple[ShippedFile, ...]) -> Iterator[str]:
        """Files with the numbers of the patches that touched them."""
        if files:
            yield title
            yield ""
            for file in files:
                numbers = ", ".join(f"{patch.number:04d}" for patch in file.patches)
                yield f"- {code(percent_encode(file.path))}{_moved(file)}: {numbers}"
            yield ""


def _moved(file: ShippedFile) -> str:
    moved = file.origin is not None and file.origin != file.path
    return f" (from {code(percent_encode(file.origin or b''))})" if moved else ""
