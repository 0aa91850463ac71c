# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The compiler: found and identified, run in children that cannot hurt the parent, their answers checked.

`compile` and `child` are the parent's side. `worker` and `frontend` are the child's side, the only place where recipes
and flydsl run.
"""
