# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Helpers that tests share. `tests/` is on the path: `from support.repo import repo`."""
