# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Stages what a build made: objects and manifests; and the removal of what earlier builds made and nobody needs."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from vendorctl import digest
from vendorctl.kernels.building.plan import PlannedRow, State, Unit
from vendorctl.kernels.building.schedule import log_path
from vendorctl.kernels.caching.cache import write_atomically
from vendorctl.kernels.compiler import toolchain
from vendorctl.kernels.compiler.compile import Compiled, Failed, Outcome
from vendorctl.kernels.compiler.toolchain import Toolchain
from vendorctl.kernels.object import elf, manifest
from vendorctl.kernels.object.folder import objects_in
from vendorctl.kernels.object.instance import Instance
from vendorctl.kernels.object.manifest import ObjectManifest, ObjectRecord, Resources
from vendorctl.kernels.objectstore import pointer
from vendorctl.workspace.root import STATE_FOLDER, ensure_state_folder
from vendorctl.workspace.transaction import Transaction


def stage_unit(tx: Transaction, root: Path, unit: Unit, tools: Toolchain, outcomes: Mapping[Instance, Outcome]) -> bool:
    """Stage a unit's new objects, its manifest, and the removal of objects that no record names.

    `outcomes` are the rows that were compiled or came from the cache; the others must be current. Returns False, with
    nothing staged, when a row has neither.
    """
    records: list[ObjectRecord] = []
    fresh: dict[str, bytes] = {}
    for planned in unit.rows:
        outcome = outcomes.get(planned.row.instance)
        if isinstance(outcome, Compiled):
            record = new_record(planned, outcome)
            fresh[record.file] = outcome.code
        elif outcome is None and planned.state is State.CURRENT and planned.record is not None:
            # The row is equal, but its columns and acceptance rules are written as the recipe has them now.
            record = replace(planned.record, instance=planned.row.instance, accepts=planned.row.accepts)
        else:
            return False
        records.append(record)
    for name, code in fresh.items():
        tx.write(f"{unit.folder}/{name}", code)
    data = manifest.dump(_manifest(unit, tools, records))
    path = root / unit.folder / manifest.FILE_NAME
    if not path.is_file() or path.read_bytes() != data:
        tx.write(f"{unit.folder}/{manifest.FILE_NAME}", data)
    named = {record.file for record in records}
    for leftover in objects_in(root / unit.folder):
        if leftover not in named:
            tx.delete(f"{unit.folder}/{leftover}")
    return True


def new_record(planned: PlannedRow, outcome: Compiled) -> ObjectRecord:
    """The record of an object that was compiled just now."""
    return ObjectRecord(
        file=planned.row.instance.name + manifest.SUFFIX,
        sha256=digest.sha256(outcome.code),
        size=len(outcome.code),
        instance=planned.row.instance,
        input=planned.input,
        accepts=planned.row.accepts,
        resources=Resources.of(elf.parse(outcome.code)),
        launch=outcome.plan,
    )


def _manifest(unit: Unit, tools: Toolchain, records: list[ObjectRecord]) -> ObjectManifest:
    return ObjectManifest(
        operation=unit.table.operation,
        target=unit.target.name,
        provenance=unit.origin,
        toolchain=tools.identity(),
        environment=toolchain.FIXED_ENVIRONMENT,
        declines=unit.table.declines,
        excluded=unit.table.excluded[unit.target.name],
        objects=tuple(records),
    )


def stage_removals(tx: Transaction, root: Path, kept: Iterable[str]) -> list[str]:
    """Stage the removal of every manifest whose folder is not among `kept`, with its objects and their pointer.

    Returns the manifests. Only files that vendorctl writes are removed: a folder without our manifest is left for
    `check` to report.
    """
    folders = set(kept)
    removed = []
    for path in sorted((root / manifest.FOLDER).glob(f"*/*/{manifest.FILE_NAME}")):
        folder = path.parent.relative_to(root).as_posix()
        if folder in folders:
            continue
        kept_in_git = [name for name in (manifest.FILE_NAME, pointer.FILE_NAME) if (path.parent / name).is_file()]
        for name in [*kept_in_git, *objects_in(path.parent)]:
            tx.delete(f"{folder}/{name}")
        removed.append(f"{folder}/{manifest.FILE_NAME}")
    return removed


def write_logs(root: Path, failures: Iterable[tuple[Unit, Failed]]) -> None:
    """Keep one log per failure, in the state folder; those of the build before are removed."""
    shutil.rmtree(root / STATE_FOLDER / "build", ignore_errors=True)
    for unit, failed in failures:
        ensure_state_folder(root)
        text = f"{failed.rule} {failed.reason}\n\n{failed.log}"
        write_atomically(root / log_path(unit, failed.instance), text.encode("utf-8", "replace"))
