# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Reading an upstream as a command would: tree first, then all its contents."""

from __future__ import annotations

from vendorctl.git.oid import Oid
from vendorctl.upstream.source import Source


def read_all(source: Source, commit: Oid) -> dict[bytes, bytes]:
    tree = source.tree(commit)
    blobs = source.blobs([entry.oid for entry in tree.values()], str)
    return {path: blobs[entry.oid] for path, entry in tree.items()}


#: What `read_all` gives for the second commit of the upstream in `tests/upstream/conftest.py`.
EXPECTED = {b"a.py": b"a2\n", b"d/b.py": b"b1\n", b"run.sh": b"exit\n", b"link": b"a.py"}
