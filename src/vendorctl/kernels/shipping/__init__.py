# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What consumers get: shards, descriptors, and the page that says what is covered."""
