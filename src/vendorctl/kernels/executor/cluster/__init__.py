# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Compiling and testing on a Dask cluster, whoever started it and however.

- `address`: what `--executor` may say. `connection`: opens it, and says plainly why not.
- `node`: what runs on a worker: carries pieces out, and answers when it is asked what is finished.
- `executor`: `work.Executor` over a cluster; `run` is one job there, with `crew`, the workers, `ledger`, which item is
  where and what came of it, `listener`, who asks them, and `link`, what is asked of Dask.

Results do not wait for their piece to end: the client asks every second what is finished and keeps it, so that a worker
that dies takes at most the last second's work with it. The cluster is trusted to run code, as Dask's own protocol
requires; what it sends is checked all the same.
"""
