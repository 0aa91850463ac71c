# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""vendorctl: vendored code that can be proven."""

__version__ = "0.1.0"
