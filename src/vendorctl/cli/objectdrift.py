# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl diff-upstream --objects`: what the patches do to the compiled objects."""

from __future__ import annotations

from vendorctl.cli.kernels import compiling
from vendorctl.cli.session import Session
from vendorctl.kernels.build import BuildOptions
from vendorctl.kernels.objectdrift import object_drift, pristine_of
from vendorctl.model import Report
from vendorctl.workspace.root import vendored_dir


def object_changes(
    session: Session, names: tuple[str, ...], *, operations: tuple[str, ...], targets: tuple[str, ...]
) -> Report:
    """Compile pristine and patched trees of the named upstreams (or all) and compare their objects."""
    from vendorctl.emulator import decode

    with compiling(session, jobs=None) as work:
        project = work.project
        chosen = names or tuple(project.trees)
        pristine = pristine_of(project, {name: project.root / vendored_dir(name) for name in chosen})
        options = BuildOptions(operations=operations, targets=targets, jobs=work.jobs)
        return object_drift(
            pristine, project, work.tools, work.cache, work.executor, options, decode, progress=work.progress
        )
