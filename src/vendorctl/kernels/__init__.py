# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""From patched kernels to AMD code objects, provably from these sources, with no GPU.

A build, step by step, each in the module of its name:

    recipe, instance, target    what people write: operations, rows, architectures
    project, inputs, closure    what a build depends on, and the digest of it
    table, plan                 the rows, and what is already there for each of them
    schedule, pool              spread what is missing over workers
    compile, child              one worker's share, from the parent's side: ask, time, check the answer
    worker, confine, frontend, hostplan
                                the same from the child's side; the only place where recipes and flydsl run
    elf, elfcode, launch        what an object says about itself, and how to launch it
    cache, store, manifest      keep it: per user, in the workspace, and for the record

Later: `check` and `verify` prove, `shard`, `pack`, `descriptors`, `coverage` ship, `compat` and `objectdrift` compare,
`testing` executes.
"""
