# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Where work is done: in processes of this machine, or on the workers of a cluster.

What the work is, executors do not know; compiling and testing hand them functions and inputs by content.
"""
