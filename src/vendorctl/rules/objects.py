# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""VC5xx: objects and kernel tests."""

from __future__ import annotations

from vendorctl.rules.rule import Rule

#: In numeric order.
OBJECTS = (
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
    Rule(
        "VC530",
        "wrong-result",
        "A kernel's output is further from the float64 reference than its recipe allows, or it overwrote an input.",
        "The object computes something else than its operation.",
        "Run the `vendorctl test` that the finding names; `vendorctl bisect` finds the commit or patch that did it.",
    ),
    Rule(
        "VC531",
        "kernel-fault",
        "A kernel stopped: an access outside its buffers, an unknown instruction, a deadlock, or no end.",
        "On a device this is a memory fault or a hang, or silent damage to memory of others.",
        "The message names the instruction and the nearest buffer; correct the kernel's bounds.",
    ),
    Rule(
        "VC532",
        "race",
        "Two waves touch the same memory, one of them writing, with no barrier between.",
        "Hardware decides who wins; the result is right on one machine and wrong on another.",
        "Put a barrier between the two instructions that the message names.",
    ),
    Rule(
        "VC533",
        "kernel-hazard",
        "A kernel reads a register before waiting for its load, uses a value nothing wrote, or leaves an output unset.",
        "The emulator knows the value, hardware does not promise it.",
        "Wait for the load, initialise the value, or write the whole output.",
    ),
    Rule(
        "VC534",
        "order-dependent",
        "Results differ, bit for bit, between orders in which the waves of a workgroup run.",
        "No order is promised, so the result is not either.",
        "Look for a race in the same report; make the order of additions fixed.",
    ),
    Rule(
        "VC535",
        "untested",
        "An object was not tested: it is not there, its recipe has no case for it, or the backend cannot run it.",
        "What did not run must not look as if it had passed.",
        "Run `vendorctl build`, or give the recipe `cases` and a `reference`.",
    ),
    Rule(
        "VC536",
        "mutant-survived",
        "A deliberately damaged object passed its test.",
        "A test that does not notice the damage would not notice the fault either.",
        "Add a case that reaches the instruction and makes its result matter, or tighten the tolerance.",
    ),
    Rule(
        "VC537",
        "patch-not-needed",
        "Every test passes without the patch.",
        "A patch that fixes nothing the tests can see is a burden, or the tests have a gap.",
        "Add a case that fails without it, or drop it with `vendorctl patch drop`.",
    ),
    Rule(
        "VC538",
        "regression",
        "An object that passed its test before does not pass any more, or does not compile.",
        "The bump would ship a kernel that is known to be wrong.",
        "`vendorctl bisect` finds the upstream commit or patch that did it.",
    ),
)
