# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m vendorctl.sample FOLDER`: write the sample upstream's repository to FOLDER."""

from __future__ import annotations

import sys
from pathlib import Path

from vendorctl.sample import history

if len(sys.argv) != 2:
    sys.exit("usage: python -m vendorctl.sample FOLDER")
history.write(Path(sys.argv[1]).absolute())
