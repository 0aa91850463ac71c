# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""From a workspace to its objects: what there is to do, doing it, and comparing what comes out."""
