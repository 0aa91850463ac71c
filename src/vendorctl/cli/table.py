# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The table of commands: name, module, and the line that `vendorctl --help` shows. One row per command.

Kept apart from the commands so that help and completion import none of them. Module `m` of this package defines
`command`, a click command; a row may name another attribute after a colon.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One command: its name, `module` or `module:attribute` in this package, and its one-line help."""

    name: str
    target: str
    help: str


#: Sections in the order of a maintainer's day.
SECTIONS: dict[str, tuple[Row, ...]] = {
    "Vendor": (
        Row("init", "init", "Start a workspace in this folder."),
        Row("add", "add", "Add an upstream: resolve a ref, propose what to include."),
        Row("adopt", "adopt", "Take over a hand-made copy: find its base commit, derive the patches."),
        Row("sync", "sync", "Make disk agree with VENDOR.yaml; with --pin, move a pin and carry the series over."),
        Row("closure", "closure", "What some files import: the include list that suffices, or what it lacks."),
        Row("verify", "verify", "Prove offline that every byte is accounted for."),
        Row("status", "status", "One screen: pins, drift, patch health, what to do next."),
        Row("outdated", "outdated", "What could be pinned instead, for people and update bots."),
    ),
    "Patch": (
        Row("patch", "patch", "Record, list, show and rework the numbered patches of a series."),
        Row("diff-upstream", "diff_upstream", "Every difference from upstream, with the patch that explains it."),
        Row("submit", "submit", "Send patches upstream: prepare and check them, follow what becomes of them."),
        Row("why", "why", "The upstream commit or the patch that put a line where it is."),
        Row("log", "log", "The history of a pin in this workspace."),
    ),
    "Licences": (
        Row("audit", "audit", "Audit licences and obligations, file by file."),
        Row("licenses", "licenses", "Generate or check the notices that licences require."),
        Row("sbom", "sbom", "Generate or check CycloneDX and SPDX documents."),
    ),
    "Kernels": (
        Row("build", "build", "Compile the patched kernels to AMD code objects, with no GPU."),
        Row("check", "check", "Prove that every object comes from these sources, recipes and toolchain."),
        Row("test", "test", "Run every object and compare it with its reference, with no GPU."),
        Row("bisect", "bisect", "Find the upstream commit or patch that changed how tests end."),
        Row("objects", "objects", "Keep objects outside git: where they are, push them, pull them."),
        Row("pack", "pack", "Pack one shard per device architecture."),
        Row("compat", "compat", "Compile the instance table against several toolchain versions."),
    ),
    "Consume": (
        Row("isolate", "isolate", "Prove that a package imports where its optional toolchain is absent."),
        Row("guard", "guard", "Write the module by which a library refuses a wrong toolchain or target."),
    ),
    "Learn": (
        Row("demo", "demo", "The whole story on a built-in sample upstream, offline."),
        Row("report", "report", "One self-contained page for reviewers."),
        Row("cache", "cache", "Look after the user's cache: what it holds, what can go."),
        Row("help", "help", "Help on a command, a rule or a subject."),
        Row("explain", "explain", "What a rule means, why it matters, how to fix it."),
        Row("schema", "schema", "The JSON schema of a document that vendorctl writes."),
        Row("completion", "completion", "The completion script of a shell."),
    ),
}

#: Every row by command name.
COMMANDS = {row.name: row for rows in SECTIONS.values() for row in rows}
