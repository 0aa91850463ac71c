# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Objects outside git: pointers in git, bytes on any remote that DVC knows, proof that what comes is what was built.

A manifest says what an object is (its SHA-256). A pointer beside it says where DVC keeps the bytes (their MD5). Nothing
that a store gives is believed: bytes land below `objects/` only when they are those that the manifest records.
"""
