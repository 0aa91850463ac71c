# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`vendorctl diff-upstream --objects`: what patches, or a bump, do to the compiled objects."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from vendorctl.cli.kernels import compiling
from vendorctl.cli.session import Session
from vendorctl.drift.measure import tracked_ref
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.building.build import BuildOptions
from vendorctl.kernels.building.layout import project_at
from vendorctl.kernels.building.objectdrift import object_drift, pristine_of
from vendorctl.kernels.executor.pool import LOCAL
from vendorctl.model import Report
from vendorctl.series.workspace import Standing
from vendorctl.workspace.root import vendored_dir


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildChoice:
    """What to compile (empty: all of it), and where."""

    operations: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    executor: str = LOCAL


def object_changes(
    session: Session,
    names: tuple[str, ...],
    against: str,
    choice: BuildChoice,
    *,
    offline: bool,
) -> Report:
    """Compile two states of the named upstreams (or all) and compare their objects.

    Against `pin`: the pristine and the patched trees. Against `track` or a ref: the patched trees at the pin, and as
    they would be after a bump to it.
    """
    from vendorctl.emulator import decode

    with (
        compiling(session, jobs=None, executor=choice.executor) as work,
        tempfile.TemporaryDirectory(prefix="vendorctl-objects-") as scratch,
    ):
        project = work.project
        chosen = names or tuple(project.trees)
        if against == "pin":
            old = pristine_of(project, {name: project.root / vendored_dir(name) for name in chosen})
            new = project
        else:
            old = project
            new = project_at(project, _bumped(project.root, chosen, against, offline=offline), Path(scratch))
        options = BuildOptions(operations=choice.operations, targets=choice.targets, jobs=work.jobs)
        return object_drift(old, new, work.tools, work.cache, work.executor, options, decode, progress=work.progress)


def _bumped(root: Path, names: tuple[str, ...], against: str, *, offline: bool) -> list[Standing]:
    """The upstreams as a bump would leave them; nothing is written. Raises VendorError (exit code 5) on a conflict."""
    from vendorctl.cli.surroundings import sync_tools
    from vendorctl.series.sync.pins import set_pin
    from vendorctl.series.sync.plan import plan_sync
    from vendorctl.workspace.lockfile import load_lock
    from vendorctl.workspace.parse import load_manifest

    with sync_tools(root, offline=offline) as tools:
        manifest = load_manifest(root)
        for name in names:
            found = tracked_ref(tools.opener(manifest.upstreams[name]), manifest.upstreams[name],
                                None if against == "track" else against)  # fmt: skip
            manifest = set_pin(manifest, name, found.commit, found.short_name if found.kind == "tag" else None)
        plan = plan_sync(root, manifest, load_lock(root), names, tools, edited=True)
        for halted in plan.halted:
            stuck = halted.plan.stuck
            assert stuck is not None
            raise VendorError(
                f"{stuck.patch.file_name} conflicts with {against}, so there is nothing to compile",
                hint=f"`vendorctl diff-upstream {halted.move.upstream.name} --against {against}` shows the conflict",
                code=ExitCode.CONFLICT,
            )
        return [upstream.standing for upstream in plan.upstreams]
