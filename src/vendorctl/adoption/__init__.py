# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Taking over hand-made copies: where each file came from, and the series that gives the copy back."""
