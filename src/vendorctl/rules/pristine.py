# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""VC1xx: the pristine tree and the output on disk."""

from __future__ import annotations

from vendorctl.rules.rule import Rule

#: In numeric order.
PRISTINE = (
    Rule(
        "VC101",
        "pristine-content",
        "A vendored file's bytes differ from upstream's.",
        "Pristine files are never edited; a change that no patch records cannot be reviewed, carried or credited.",
        "Put the edit into the patched tree and run `vendorctl patch record`; `vendorctl sync` restores the file.",
    ),
    Rule(
        "VC102",
        "pristine-mode",
        "A vendored file's mode differs from upstream's.",
        "A lost or added executable bit changes how scripts and hooks run, and is invisible in most diffs.",
        "`vendorctl sync` restores the mode; a wanted change belongs into a patch.",
    ),
    Rule(
        "VC103",
        "pristine-type",
        "A link, a file or a folder stands where upstream has something else.",
        "The content may look equal while every tool that follows links reads other bytes.",
        "Remove what is there and run `vendorctl sync`.",
    ),
    Rule(
        "VC104",
        "pristine-missing",
        "A vendored file is missing.",
        "What is not there is neither built nor licensed as the lock claims.",
        "`vendorctl sync` restores it; to stop vendoring it, change `include:` or `exclude:`.",
    ),
    Rule(
        "VC105",
        "pristine-extra",
        "A file that upstream does not have stands in a pristine folder.",
        "Nothing says where it came from; files that git ignores count as well.",
        "Move it out of `vendored/`; a file that the patched tree needs belongs into a patch.",
    ),
    Rule(
        "VC106",
        "pristine-moved",
        "A vendored file stands at another path.",
        "Hashes over contents alone would call this tree intact, while imports and builds break.",
        "Move it back, or run `vendorctl sync`.",
    ),
    Rule(
        "VC107",
        "pristine-case",
        "A vendored file's name differs from upstream's in letter case only.",
        "It works on one file system and fails on another.",
        "Rename it back, or run `vendorctl sync`.",
    ),
    Rule(
        "VC108",
        "pristine-emptied",
        "A vendored file is empty, and upstream's is not.",
        "An interrupted write or a merge tool lost its content.",
        "`vendorctl sync` restores it once the empty file is removed.",
    ),
    Rule(
        "VC109",
        "pristine-line-endings",
        "A vendored file's line ends were converted.",
        "Usually git's `core.autocrlf` or an editor; patches then no longer apply, and hashes differ.",
        "Set `vendored/** -text` in .gitattributes, remove the file and run `vendorctl sync`.",
    ),
    Rule(
        "VC110",
        "include-unmatched",
        "A glob of `include:` matches nothing in the upstream.",
        "A misspelt or outdated glob silently leaves files out.",
        "Correct the glob; they are matched from the upstream's root.",
    ),
    Rule(
        "VC111",
        "exclude-unmatched",
        "A glob of `exclude:` matches nothing in the upstream.",
        "It may be meant for a file that upstream renamed, which is now vendored.",
        "Correct or remove the glob.",
    ),
    Rule(
        "VC112",
        "unsafe-path",
        "An upstream path must not be written to disk.",
        "It could leave its folder, or reach git's own files, on this or another file system.",
        "Leave it out with `exclude:`, and tell upstream.",
    ),
    Rule(
        "VC113",
        "path-collision",
        "Upstream paths differ only in letter case or Unicode form.",
        "On some file systems one overwrites the other.",
        "Leave one out with `exclude:`.",
    ),
    Rule(
        "VC114",
        "submodule",
        "A selected path is a submodule.",
        "Its commit is recorded, its files are not fetched.",
        "Add the submodule's repository as an upstream of its own when its files are needed.",
    ),
    Rule(
        "VC115",
        "escaping-link",
        "A selected symbolic link leads out of the vendored tree.",
        "It would read, or let a patch write, files outside the workspace.",
        "Leave it out with `exclude:`.",
    ),
    Rule(
        "VC116",
        "lfs-pointer",
        "A selected file is only a Git LFS pointer.",
        "The real content is not in the repository, so the vendored file is of no use.",
        "Leave it out with `exclude:`, or take the real file from a release.",
    ),
    Rule(
        "VC117",
        "pristine-odd",
        "Something that git cannot store stands in a pristine folder.",
        "Pipes, sockets, devices and unreadable files cannot be proven to be anything.",
        "Remove it, or make it readable.",
    ),
    Rule(
        "VC118",
        "empty-folder",
        "An empty folder stands in a pristine folder.",
        "Git cannot store it, so another checkout will not have it.",
        "Remove it.",
    ),
    Rule(
        "VC119",
        "not-restored",
        "An upstream with `store: fetch` has no files on this machine.",
        "What is not restored is not checked.",
        "Run `vendorctl sync`.",
    ),
    Rule(
        "VC120",
        "lock-outdated",
        "VENDOR.yaml and VENDOR.lock disagree.",
        "The lock proves a state that the manifest no longer asks for.",
        "Run `vendorctl sync`.",
    ),
    Rule(
        "VC121",
        "lock-contradiction",
        "VENDOR.lock contradicts itself, the files, or upstream's own objects.",
        "A hash in it was edited, or merged wrongly.",
        "Take a reviewed version of the lock back, or run `vendorctl sync`.",
    ),
    Rule(
        "VC122",
        "stray",
        "A vendored folder, series or lock entry belongs to no upstream of VENDOR.yaml.",
        "What no upstream answers for is proven by nothing, although it stands among proven things.",
        "Remove it, or add the upstream to VENDOR.yaml; `vendorctl sync` removes what it wrote itself.",
    ),
    Rule(
        "VC123",
        "closure-missing",
        "A vendored module imports an upstream file that is not vendored.",
        "It works only where a whole checkout of upstream happens to be on the path; elsewhere the import fails.",
        "Add the file to `include:`; `vendorctl closure NAME --entry GLOB` prints the list that suffices.",
    ),
    Rule(
        "VC124",
        "closure-unused",
        "No entry needs a vendored module.",
        "What is vendored is reviewed, licensed and carried over bumps; what nobody imports costs that for nothing.",
        "Leave it out with `exclude:`, or name what uses it with `--entry`.",
    ),
    Rule(
        "VC125",
        "closure-dynamic",
        "A vendored module imports by a string or a computed name.",
        "No analysis of imports follows it, so the closure may lack what it loads.",
        "Give the files that it loads as entries of their own (`--entry`).",
    ),
    Rule(
        "VC126",
        "closure-unresolved",
        "A module imports something that upstream does not have, or cannot be parsed.",
        "The file is generated, was removed, or the code is written for another Python; the closure may be too small.",
        "Look at the line; where upstream generates the file, a patch can add it.",
    ),
)
