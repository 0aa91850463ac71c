# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Objects that were compiled before: the user's own cache, and one that machines share."""
