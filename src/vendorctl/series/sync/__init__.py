# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""sync: plan in memory, carry series over, write in one transaction, report."""
