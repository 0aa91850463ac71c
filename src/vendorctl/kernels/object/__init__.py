# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An object, and what is known of it without building it: ELF, row, target, how to launch it, its manifest."""
