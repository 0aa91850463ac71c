# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The folders of objects in a workspace: what lies beside the manifests, and what git ignores."""

from __future__ import annotations

from pathlib import Path

from vendorctl.kernels.object import manifest
from vendorctl.workspace.transaction import Transaction


def objects_in(folder: Path) -> list[str]:
    """Names of the objects in the folder of one operation and target."""
    return sorted(path.name for path in folder.glob(f"*{manifest.SUFFIX}"))


def stage_ignore(tx: Transaction, root: Path) -> None:
    """Keep objects out of git, manifests in, in a workspace that has no rule of its own in `objects/`."""
    if not (root / manifest.FOLDER / ".gitignore").exists():
        tx.write(f"{manifest.FOLDER}/.gitignore", f"*{manifest.SUFFIX}\n".encode())
