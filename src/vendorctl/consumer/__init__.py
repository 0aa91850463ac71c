# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The downstream side: libraries that other people import, and what vendored kernels must not do to them."""
