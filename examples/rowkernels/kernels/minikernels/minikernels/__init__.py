# SPDX-FileCopyrightText: 2025 The minikernels authors
# SPDX-License-Identifier: Apache-2.0
"""minikernels: small, plain GPU kernels written in the FlyDSL Python DSL.

A kernel module has `build_*` functions. A builder takes compile-time choices only
(element types, row length, block size) and returns a `@flyc.jit` launch function,
which takes pointers and scalars, never tensors: the kernel-argument segment is a
plain C struct, written down under KERNARG in the builder's docstring.

Importing this package needs no GPU and no compiler; importing a kernel module
needs `flydsl`. The kernels run on any AMD target with 32 or 64 lanes per wave; those on
matrix tiles need gfx90a, gfx942, gfx950, gfx11 or gfx12.
"""
