# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The one list of rules. It feeds every output format, `vendorctl explain`, and the reference page.

Numbers are stable: a rule that is no longer raised keeps its number. VC1xx pristine tree, VC2xx patches, VC3xx pins
and upstream, VC4xx licences, VC5xx objects and kernel tests.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rule:
    """What a finding's rule id stands for: a short name, what is wrong, why it matters, how to fix it."""

    id: str
    name: str
    summary: str
    why: str
    fix: str


_ALL = (
    # -- VC1xx: the pristine tree and the output on disk -----------------------------------------------------------
    Rule(
        "VC101",
        "pristine-content",
        "A vendored file's bytes differ from upstream's.",
        "Pristine files are never edited; a change that no patch records cannot be reviewed, carried or credited.",
        "Put the edit into the patched tree and run `vendorctl patch record`; `vendorctl sync` restores the file.",
    ),
    # -- VC2xx: patches. 201-209 the folder, 210-214 application, 215-224 the lock, 225-230 output, 231-239 lint ------
    Rule(
        "VC201",
        "patch-file-missing",
        "`series` lists a patch file that is not there.",
        "A tool that skips a missing patch ships code without a fix that everybody believes is in.",
        "Restore the file from version control; `vendorctl patch drop` removes a patch on purpose.",
    ),
    Rule(
        "VC202",
        "patch-file-unlisted",
        "A patch file is not listed in `series`.",
        "quilt and gbp apply what `series` lists; they would build another tree than vendorctl.",
        "Add its line to `series`, or move the file out of the folder.",
    ),
    Rule(
        "VC203",
        "series-order",
        "`series` is not a plain list of the patch files in number order.",
        "The number is the order; two orders for one series give two trees.",
        "Sort the lines by number; `vendorctl patch move` changes the order of patches.",
    ),
    Rule(
        "VC204",
        "patch-number-twice",
        "Two patch files have the same number.",
        "Which one comes first would be a matter of chance; both are left out until this is settled.",
        "Rename one of them, and its line in `series`.",
    ),
    Rule(
        "VC205",
        "patch-number-gap",
        "A number is not used.",
        "A reader cannot tell a dropped patch from a lost one without the history.",
        "Nothing needs to be done when the patch was dropped on purpose.",
    ),
    Rule(
        "VC206",
        "patch-file-name",
        "Something in the series folder is no patch file with a name of the form NNNN-slug.patch.",
        "Order and identity of a patch come from its file name.",
        "Rename the file, and its line in `series`, or move it elsewhere.",
    ),
    Rule(
        "VC207",
        "patch-unreadable",
        "A patch file cannot be read as a patch.",
        "A reader that guesses would apply something else than what was reviewed.",
        "Restore the file from version control.",
    ),
    Rule(
        "VC210",
        "patch-already-applied",
        "A patch does not apply, because its effect is there already.",
        "A change that is applied twice, or credited to the wrong side, is worse than a missing one.",
        "Drop the patch: upstream, or an earlier patch of the series, has it.",
    ),
    Rule(
        "VC211",
        "patch-drifted",
        "A patch was made for another content than the one it meets.",
        "Lines that moved or differ may mean another thing; placing the hunk by guess edits look-alike code.",
        "`vendorctl patch refresh` rewrites the patch by a three-way merge and shows what changed.",
    ),
    Rule(
        "VC212",
        "patch-broken",
        "A patch contradicts itself: no content could make it apply and give what it states.",
        "The file was edited by hand or damaged on its way.",
        "Restore the file from version control, or record the change again.",
    ),
    Rule(
        "VC215",
        "patch-edited",
        "A patch file's bytes are not those in VENDOR.lock.",
        "A change that nobody recorded would ship under the title of one that was reviewed.",
        "Restore the file; to change a patch use `vendorctl patch edit`, or run `vendorctl sync` to accept it.",
    ),
    Rule(
        "VC216",
        "patch-removed",
        "A patch of VENDOR.lock is gone.",
        "Its modification is no longer made, and nothing says why.",
        "Restore the file; `vendorctl patch drop` removes a patch on purpose.",
    ),
    Rule(
        "VC217",
        "patch-not-locked",
        "A patch is not in VENDOR.lock.",
        "The lock says what was verified; this patch was not.",
        "Run `vendorctl sync` to take it into the lock, or remove the file.",
    ),
    Rule(
        "VC218",
        "patch-renumbered",
        "A patch of VENDOR.lock has another file name.",
        "The number is the order, and other documents refer to patches by it.",
        "Rename the file back; `vendorctl patch move` renumbers on purpose.",
    ),
    Rule(
        "VC219",
        "patch-reordered",
        "The patches of the series are in another order than in VENDOR.lock.",
        "Patches that touch the same lines give another result in another order.",
        "Restore the files; `vendorctl patch move` reorders on purpose.",
    ),
    Rule(
        "VC220",
        "patch-duplicated",
        "A patch file is a byte-for-byte copy of another one of the series.",
        "One modification is one patch; the second copy can only fail or do harm.",
        "Remove the copy, and its line in `series`.",
    ),
    Rule(
        "VC221",
        "patch-tree",
        "The tree after a patch is not the one that VENDOR.lock records.",
        "Files and patches are as locked, so the lock itself was edited or merged by hand.",
        "Restore VENDOR.lock from version control, or run `vendorctl sync`.",
    ),
    Rule(
        "VC225",
        "output-content",
        "A file of the patched tree differs from pristine plus series.",
        "What is imported and shipped must be exactly what was reviewed.",
        "`vendorctl patch record` makes a patch of the edit; `vendorctl sync` restores the file when it is unedited.",
    ),
    Rule(
        "VC226",
        "output-missing",
        "A file of the patched tree is missing on disk.",
        "What is imported and shipped must be exactly what was reviewed.",
        "`vendorctl sync` restores it; `vendorctl patch record` records a deletion.",
    ),
    Rule(
        "VC227",
        "output-extra",
        "A file is in the patched tree that neither upstream nor a patch put there.",
        "It would ship without a licence, a history or a review.",
        "`vendorctl patch record` makes a patch of it; otherwise move it elsewhere.",
    ),
    Rule(
        "VC228",
        "output-mode",
        "A file of the patched tree has another mode or type than pristine plus series.",
        "Modes and links are part of what upstream released.",
        "`vendorctl patch record` makes a patch of it; `vendorctl sync` restores it.",
    ),
    Rule(
        "VC229",
        "output-notice",
        "The change notice in a file of the patched tree is missing, old or edited.",
        "Apache-2.0 section 4(b) wants modified files to say so, and the notice to be true.",
        "`vendorctl sync` writes the notices again.",
    ),
    Rule(
        "VC230",
        "output-absent",
        "The patched tree is not on disk.",
        "Nothing could be checked; that is no pass.",
        "`vendorctl sync` writes it.",
    ),
    Rule(
        "VC231",
        "patch-untitled",
        "A patch has no title, or one that tools shorten or change.",
        "The title is what notices, reports and upstream reviewers show.",
        "`vendorctl patch edit` with a title of one line, without brackets in front.",
    ),
    Rule(
        "VC232",
        "patch-without-reason",
        "A patch does not say why it is needed (`Reason:`).",
        "In a year nobody remembers, and nobody dares to drop it.",
        "Add `Reason: one line on why this is local` to the last paragraph of its message.",
    ),
    Rule(
        "VC233",
        "patch-without-status",
        "A patch does not say whether it was sent upstream (`Forwarded:` or `Applied-Upstream:`).",
        "A modification that nobody tracks is carried for ever.",
        "Add `Forwarded: no`, `Forwarded: not-needed` or the URL of the pull request to its last paragraph.",
    ),
    Rule(
        "VC234",
        "patch-odd-status",
        "A recorded fact of a patch has a value that other tools do not understand.",
        "DEP-3 readers, notices and reports sort patches by these values.",
        "`Forwarded:` is no, not-needed or a URL; `Origin:` is vendor, upstream, backport, other or a URL.",
    ),
    Rule(
        "VC235",
        "patch-message-line",
        "A line of a patch's message would be taken for part of a mail or a diff.",
        "git am, quilt and patch would cut the message there, or try to apply it.",
        "Indent the line or word it differently.",
    ),
    Rule(
        "VC236",
        "patch-without-author",
        "A patch does not say who made it, or when.",
        "git am refuses it, and nobody can be asked.",
        "Add `From: Name <mail>` and `Date:` lines at its top.",
    ),
    Rule(
        "VC237",
        "patch-without-ids",
        "A patch does not state full object ids.",
        "Without them it applies wherever its lines happen to fit; with them, only to the content it was made for.",
        "`vendorctl patch refresh` writes it again in full.",
    ),
    Rule(
        "VC238",
        "patch-only-space",
        "A change of a patch only touches white space.",
        "Such changes conflict at every bump and are hard to justify.",
        "Drop the change, unless the white space matters (say so in the message).",
    ),
    # -- VC5xx: objects and kernel tests -----------------------------------------------------------------------------
    Rule(
        "VC501",
        "compile-failed",
        "A recipe or the compiler raised an error for an instance.",
        "An instance that does not compile is missing from every shard that should hold it.",
        "Read the log that the finding names; `vendorctl build --op OP --target TARGET` repeats the compile.",
    ),
    Rule(
        "VC502",
        "compiler-died",
        "The compiler process crashed, ran out of time or memory, or sent nonsense.",
        "LLVM ends the whole process on an instruction it cannot select; the instance has no object.",
        "Read the log that the finding names; change the kernel, or exclude the row in the recipe with a reason.",
    ),
    Rule(
        "VC503",
        "compiler-complained",
        "The compiler printed an error but still returned an object.",
        "Too much LDS, or a missing library function, gives an object that cannot run; it is never kept.",
        "Read the log that the finding names and change the kernel.",
    ),
    Rule(
        "VC504",
        "object-unsound",
        "The compiler returned an object that is not one for the target asked for, or does not fit its launch plan.",
        "An object with another target's stamp is refused by the loader, or worse, run.",
        "Check the toolchain with `vendorctl compat`; report it with the log that the finding names.",
    ),
    Rule(
        "VC505",
        "not-reproducible",
        "The same inputs gave other bytes than the manifest records.",
        "Then the manifest cannot prove where an object came from.",
        "Compare the toolchain with the manifest's; `vendorctl build --force` accepts the new bytes.",
    ),
    Rule(
        "VC506",
        "wrote-outside",
        "A recipe or kernel tried to write outside its private folder.",
        "Building must not change the workspace, or depend on what an earlier build left behind.",
        "Remove the write; use the folder that TMPDIR names for scratch files.",
    ),
    Rule(
        "VC510",
        "object-missing",
        "An object that a manifest lists is not there.",
        "A release without it would silently fall back or fail at run time.",
        "Run `vendorctl build`; it restores exactly the recorded bytes.",
    ),
    Rule(
        "VC511",
        "object-content",
        "An object's bytes are not those its manifest records.",
        "What would ship is not what was built and tested.",
        "Run `vendorctl build`; it replaces the file from the cache or compiles it again.",
    ),
    Rule(
        "VC512",
        "object-stale",
        "A source, recipe, patch or tool changed since an object was built.",
        "The object no longer comes from the state that is reviewed.",
        "Run `vendorctl build` and commit the manifests.",
    ),
    Rule(
        "VC513",
        "object-foreign",
        "A file or folder below objects/ belongs to no manifest, recipe or target.",
        "What nobody built on purpose must not be packed.",
        "Run `vendorctl build`, which removes what it once made, or delete it.",
    ),
    Rule(
        "VC514",
        "object-stamp",
        "An object's ELF header or metadata names another target, or other kernels, than its manifest.",
        "A renamed object of another architecture passes a check of its file name only.",
        "Run `vendorctl build`.",
    ),
    Rule(
        "VC515",
        "manifest-invalid",
        "An object manifest is malformed, was edited by hand, or lies in another folder than it says.",
        "Nothing that it claims can be relied on.",
        "Restore it from git, or run `vendorctl build`.",
    ),
    Rule(
        "VC516",
        "manifest-missing",
        "A recipe has no manifest for a configured target.",
        "An empty shard must not pass for a complete one.",
        "Run `vendorctl build`.",
    ),
    Rule(
        "VC517",
        "object-policy",
        "An object spills registers, or uses more scratch memory or LDS, than VENDOR.yaml allows.",
        "Spilling kernels work, and are several times slower than reviewers believe.",
        "Change the kernel or its block size, or raise the limit under kernels.policy with a reason in the commit.",
    ),
    Rule(
        "VC518",
        "toolchain-pin",
        "Objects were built with another toolchain or environment than VENDOR.yaml pins.",
        "The compiler decides the bytes; two compilers in one release cannot be reproduced together.",
        "Install the pinned version and run `vendorctl build`.",
    ),
    Rule(
        "VC520",
        "shard-invalid",
        "A shard is missing, damaged, or does not hold exactly the objects that its architecture should have.",
        "The census is the last guard before packaging.",
        "Run `vendorctl pack`.",
    ),
    Rule(
        "VC521",
        "generated-stale",
        "A descriptor or the coverage page is not what generating it again gives.",
        "Consumers would select kernels by rules that no longer hold.",
        "Run `vendorctl pack`.",
    ),
)

#: Every rule by id, in numeric order.
RULES = {rule.id: rule for rule in sorted(_ALL, key=lambda rule: rule.id)}
