# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The sample upstream `minikernels` and a downstream team's edits of it: what demo, tests and docs stand on, offline.

`history.write` makes the upstream repository, `edits.all` gives the downstream edits. README.md in this folder
says what each release holds.
"""
