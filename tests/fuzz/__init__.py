# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Every reader of untrusted input, as a function of bytes that must return, or refuse with a VendorError.

One registry (`fuzz.registry`) serves three drivers: pytest with hypothesis (`fuzz.test_targets`), atheris, which looks
for new code paths (`make fuzz`), and the replay of one saved input (`python -m fuzz replay TARGET FILE`).
"""
