# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every key that VENDOR.yaml may have. The parser, its hints and the reference page all come from this one table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What a key holds, in the words of the reference page."""

    TEXT = "text"
    PROSE = "text, may be folded over several lines"
    NUMBER = "whole number"
    TEXTS = "list of texts"
    SECTION = "mapping"
    SECTIONS = "list of mappings"
    NAMED = "mapping by name"
    PAIRS = "mapping of text to text"
    HOLDS = "list of paths, or of mappings"
    PLACE = "text, or a mapping"


@dataclass(frozen=True, slots=True)
class Key:
    """One key. `path` is dotted from the top; `*` is a name that the user chooses, `[]` an item of a list."""

    path: str
    kind: Kind
    doc: str
    required: bool = False
    default: str = ""

    @property
    def section(self) -> str:
        """The path of the section that the key stands in; empty at the top."""
        return self.path.rpartition(".")[0]

    @property
    def name(self) -> str:
        """The key as it is written."""
        return self.path.rpartition(".")[2]


SCHEMA = (
    Key("version", Kind.NUMBER, "The version of this file format: 1.", required=True),
    Key("upstreams", Kind.NAMED, "What is vendored, by a name that becomes a folder below `vendored/`.", required=True),
    Key("licenses", Kind.SECTION, "Which licences are allowed, and what people decided about single files."),
    Key("kernels", Kind.SECTION, "What is built from the patched trees."),
    Key(
        "upstreams.*.url",
        Kind.TEXT,
        "Where the upstream is: https, ssh, file, or a path relative to this file.",
        required=True,
    ),
    Key("upstreams.*.pin", Kind.TEXT, "The commit that is vendored: 40 lower-case hex digits.", required=True),
    Key("upstreams.*.ref", Kind.TEXT, "The tag or branch that the pin came from; a moved tag is a finding."),
    Key(
        "upstreams.*.track",
        Kind.TEXT,
        "The branch or tag that drift is measured against.",
        default="the remote's HEAD",
    ),
    Key(
        "upstreams.*.include",
        Kind.TEXTS,
        "Gitignore-style globs, from the upstream's root, of the files to take.",
        required=True,
    ),
    Key("upstreams.*.exclude", Kind.TEXTS, "Globs of files not to take, among the included ones.", default="[]"),
    Key("upstreams.*.license", Kind.TEXT, "The SPDX expression that the upstream is believed to be under."),
    Key(
        "upstreams.*.store",
        Kind.TEXT,
        "`commit`: pristine files are in git; `fetch`: git holds only the lock, and sync restores them.",
        default="commit",
    ),
    Key(
        "upstreams.*.output",
        Kind.TEXT,
        "A folder that holds the patched tree in git, for import and packaging.",
        default="`.vendorctl/patched/NAME`, outside git",
    ),
    Key("upstreams.*.hold", Kind.HOLDS, "Paths that a bump leaves at their old content.", default="[]"),
    Key("upstreams.*.hold[].path", Kind.TEXT, "The path from the upstream's root.", required=True),
    Key("upstreams.*.hold[].reason", Kind.PROSE, "Why it is held; a hold without a reason is a finding."),
    Key("upstreams.*.not_taken", Kind.SECTIONS, "The ledger: upstream commits deliberately left out.", default="[]"),
    Key("upstreams.*.not_taken[].commit", Kind.TEXT, "The commit: 40 lower-case hex digits.", required=True),
    Key("upstreams.*.not_taken[].reason", Kind.PROSE, "Why it is not taken.", required=True),
    Key(
        "upstreams.*.rewrite_imports",
        Kind.PAIRS,
        "Python package prefixes to replace in the patched tree, old to new.",
        default="{}",
    ),
    Key("licenses.allow", Kind.TEXTS, "SPDX ids that files may be under; without it no list is enforced."),
    Key("licenses.deny", Kind.TEXTS, "SPDX ids that no file may be under.", default="[]"),
    Key("licenses.exceptions", Kind.SECTIONS, "More SPDX ids for one upstream.", default="[]"),
    Key("licenses.exceptions[].upstream", Kind.TEXT, "The upstream's name.", required=True),
    Key("licenses.exceptions[].allow", Kind.TEXTS, "SPDX ids allowed there as well.", required=True),
    Key("licenses.exceptions[].reason", Kind.PROSE, "Why.", required=True),
    Key(
        "licenses.curations",
        Kind.SECTIONS,
        "Decisions about files whose licence facts are missing or wrong, each bound to one content.",
        default="[]",
    ),
    Key("licenses.curations[].path", Kind.TEXT, "The vendored file, from the workspace's root.", required=True),
    Key("licenses.curations[].sha256", Kind.TEXT, "The SHA-256 of the content that was looked at.", required=True),
    Key("licenses.curations[].expression", Kind.TEXT, "The SPDX expression that was found to hold.", required=True),
    Key("licenses.curations[].reason", Kind.PROSE, "How that was found.", required=True),
    Key("licenses.curations[].copyrights", Kind.TEXTS, "Copyright lines that the file itself lacks.", default="[]"),
    Key("kernels.recipes", Kind.TEXTS, "Python files that say how operations are built and tested.", default="[]"),
    Key("kernels.targets", Kind.TEXTS, "GPU architectures and generic families to build for.", default="[]"),
    Key("kernels.toolchain", Kind.PAIRS, "Exact versions of the tools that compile, by name.", default="{}"),
    Key("kernels.policy", Kind.SECTION, "Limits that `check` enforces on built objects."),
    Key("kernels.policy.max_spills", Kind.NUMBER, "The most spilled registers of one kernel."),
    Key("kernels.policy.max_scratch", Kind.NUMBER, "The most scratch memory of one work item, in bytes."),
    Key("kernels.policy.max_lds", Kind.NUMBER, "The most local memory (LDS) of one workgroup, in bytes."),
    Key("kernels.cache", Kind.PLACE, "A cache of built objects that machines share; in short, its `url` alone."),
    Key(
        "kernels.cache.url",
        Kind.TEXT,
        "A folder (relative to this file), `file:///…`, `s3://…`, `gs://…`, or what else fsspec has a driver for.",
        required=True,
    ),
    Key(
        "kernels.cache.write",
        Kind.TEXT,
        "`no`: builds read it and write nothing there. VENDORCTL_CACHE_READONLY (1 or 0) decides otherwise.",
        default="yes",
    ),
)


def keys_of(section: str) -> dict[str, Key]:
    """The keys that a section may have, by name. Empty text: the top of the file."""
    return {key.name: key for key in SCHEMA if key.section == section}
