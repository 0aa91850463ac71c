# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The command line. Each command is a module of this package; none is imported before it is called."""

from __future__ import annotations

from vendorctl.cli.boundary import main

__all__ = ["main"]
