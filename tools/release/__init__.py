# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Releases of vendorctl itself: archives that anyone can build again byte for byte, and what they depend on.

- `export`: the files of a commit, and nothing else that lies around
- `builds`: the wheel and the sdist, built in unlike surroundings and compared
- `contents`: what an archive holds, against what the commit holds
- `locks`: requirements/*.lock as values
- `licences`: requirements/licences.toml, the licence of every locked package and where it may be used
- `bill`: CycloneDX and SPDX documents of vendorctl and its locked dependencies

`python -m release` with this folder's parent on PYTHONPATH is what `make dist` runs.
"""
