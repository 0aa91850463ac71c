# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Writes what a build made: objects, manifests, logs; and removes what earlier builds made and nobody needs."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from vendorctl import digest
from vendorctl.kernels import elf, manifest, toolchain
from vendorctl.kernels.cache import write_atomically
from vendorctl.kernels.compile import Compiled, Failed, Outcome
from vendorctl.kernels.instance import Instance
from vendorctl.kernels.manifest import ObjectManifest, ObjectRecord, Resources
from vendorctl.kernels.plan import PlannedRow, State, Unit
from vendorctl.kernels.schedule import log_path
from vendorctl.kernels.toolchain import Toolchain


def write_unit(root: Path, unit: Unit, tools: Toolchain, outcomes: Mapping[Instance, Outcome]) -> bool:
    """Write a unit's new objects, then its manifest, then remove objects that no record names.

    `outcomes` are the rows that were compiled or came from the cache; the others must be current. Returns False, with
    nothing written, when a row has neither.
    """
    records: list[ObjectRecord] = []
    fresh: dict[str, bytes] = {}
    for planned in unit.rows:
        outcome = outcomes.get(planned.row.instance)
        if isinstance(outcome, Compiled):
            record = _new_record(planned, outcome)
            fresh[record.file] = outcome.code
        elif outcome is None and planned.state is State.CURRENT and planned.record is not None:
            # The row is equal, but its columns and acceptance rules are written as the recipe has them now.
            record = replace(planned.record, instance=planned.row.instance, accepts=planned.row.accepts)
        else:
            return False
        records.append(record)
    folder = root / unit.folder
    for name, code in fresh.items():
        write_atomically(folder / name, code)
    _write_changed(folder / manifest.FILE_NAME, manifest.dump(_manifest(unit, tools, records)))
    named = {record.file for record in records}
    for leftover in folder.glob(f"*{manifest.SUFFIX}"):
        if leftover.name not in named:
            leftover.unlink()
    return True


def _write_changed(path: Path, data: bytes) -> None:
    if not path.is_file() or path.read_bytes() != data:
        write_atomically(path, data)


def _new_record(planned: PlannedRow, outcome: Compiled) -> ObjectRecord:
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


def remove_leftovers(root: Path, operations: Iterable[str]) -> list[str]:
    """Remove folders of operations that no recipe builds any more; return their manifests' paths.

    Only files that a build writes are removed: a folder without our manifest is left to `check` to report.
    """
    kept = set(operations)
    removed = []
    for path in sorted((root / manifest.FOLDER).glob(f"*/*/{manifest.FILE_NAME}")):
        if path.parents[1].name in kept:
            continue
        for leftover in path.parent.glob(f"*{manifest.SUFFIX}"):
            leftover.unlink()
        path.unlink()
        removed.append(path.relative_to(root).as_posix())
        for folder in path.parents[:2]:
            if not any(folder.iterdir()):
                folder.rmdir()
    return removed


def write_logs(root: Path, failures: Iterable[tuple[Unit, Failed]]) -> None:
    """Keep one log per failure; those of the build before are removed."""
    shutil.rmtree(root / ".vendorctl" / "build", ignore_errors=True)
    for unit, failed in failures:
        text = f"{failed.rule} {failed.reason}\n\n{failed.log}"
        write_atomically(root / log_path(unit, failed.instance), text.encode("utf-8", "replace"))
