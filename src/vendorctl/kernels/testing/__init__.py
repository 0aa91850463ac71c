# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Tests of built objects: cases from recipes, run on a backend, compared with float64 references.

- `backend`: what a backend must be able to do (a protocol; the emulator and HIP implement it elsewhere).
- `trials`: which calls one instance is tested with, and under which schedules.
- `comparison`: an output against its reference: worst error, histogram.
- `results`: what one instance's test found, as plain values and JSON.
- `harness`: tests one instance. `session`: tests many, in parallel, with a cache. `report`, `junit`: shows them.
"""
