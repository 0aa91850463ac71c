# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What a compile reads: which files, which of their bytes count, and the digest of all of it."""
