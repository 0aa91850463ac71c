# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""From patched kernels to AMD code objects, provably from these sources, with no GPU.

From the bottom up; each package imports only what stands above it here:

    object          what an object is: its row, its target, its ELF, how it is launched, its manifest
    recipe          what people write: how an operation is built and tested
    executor        where work is done: processes of this machine, workers of a cluster
    sources         what a build depends on, and the digest of it
    compiler        a compiler in a child process, from the parent's side and from the child's
    caching         objects that were compiled before, here or elsewhere
    objectstore     objects kept outside of git
    building        the plan of a workspace, carrying it out, and comparing what comes out
    check           the proof, with no compiler, that objects come from these sources
    shipping        shards, descriptors and the page of what is covered
    testing         objects executed and compared with a reference; mutants, bisection, necessity
"""
