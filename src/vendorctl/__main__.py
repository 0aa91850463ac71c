# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m vendorctl`."""

from __future__ import annotations

import sys

from vendorctl.cli import main

sys.exit(main())
