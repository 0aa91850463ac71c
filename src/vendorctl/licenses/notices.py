# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Change notices: what a modified file says about itself, as Apache-2.0 section 4(b) and other licences require.

Every modified upstream file carries one, whatever its licence: a reader then never has to know which licences ask for
it. Files that patches add are ours, and files that were only moved are unmodified: neither gets one.
"""

from __future__ import annotations

from collections.abc import Mapping

from vendorctl.git.tree import Mode
from vendorctl.licenses.lineage import Descent, lineage
from vendorctl.paths import percent_encode
from vendorctl.series.dressing import Dressing, Insertion, notice_block, notice_sidecar, sidecar_path
from vendorctl.series.stack import Applied
from vendorctl.workspace.lock import LockedUpstream
from vendorctl.workspace.manifest import Upstream


def notices_for(upstream: Upstream, locked: LockedUpstream, applied: Applied) -> Dressing:
    """The change notices of one patched tree: a comment block, or a sidecar where the format has no comments.

    Pure: upstream, lock and series decide every byte. Symbolic links carry none; their text is a path.
    """
    found = lineage(applied)
    commits = {file.path: str(file.held_from or locked.commit) for file in locked.files}
    insertions: dict[bytes, Insertion] = {}
    sidecars: dict[bytes, bytes] = {}
    for path in sorted(found.modified):
        entry = applied.patched[path]
        content = applied.blobs.get(entry.oid)
        if content is None or entry.mode is Mode.SYMLINK:
            continue
        lines = notice_lines(upstream, found.touched[path], commits)
        block = notice_block(path, content, lines)
        if block is not None:
            insertions[path] = block
        else:
            sidecars[sidecar_path(path)] = notice_sidecar(lines)
    return Dressing(insertions, sidecars, upstream.rewrite_imports)


def notice_lines(upstream: Upstream, descent: Descent, commits: Mapping[bytes, str]) -> list[str]:
    """What the notice of one file says: upstream, commit and path of the original, and each numbered modification."""
    assert descent.origin is not None
    return [
        f"Upstream: {upstream.url}",
        f"Commit: {commits[descent.origin]}",
        f"Path: {percent_encode(descent.origin)}",
        f"Modifications, each a patch in patches/{upstream.name}:",
        *(f"{patch.number:04d} {patch.title}" for patch in descent.patches),
    ]
