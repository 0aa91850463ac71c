# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A submission that disputes lines with upstream: what it leaves below ``.vendorctl/submit/<name>/``, and going on.

As with a bump, the files in conflict are laid out to be edited, and going on means planning again with what people
decided. Decisions are kept where bumps keep theirs: what is settled for a submission is settled for the bump that
meets the same lines, and the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vendorctl.digest import parse_json, pretty_json
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.model import Json
from vendorctl.paths import display
from vendorctl.series.bump import Stuck
from vendorctl.series.conflict import describe_commit, explain_conflict, read_files, stage_removal, stage_sides
from vendorctl.series.evidence import Evidence
from vendorctl.series.resolutions import Resolution, conflict_key
from vendorctl.submit.ground import Ground
from vendorctl.workspace.root import STATE_FOLDER
from vendorctl.workspace.transaction import Transaction

_SCHEMA = "vendorctl/submit-conflict/1"
_STATE = "state.json"


def standoff_folder(name: str) -> str:
    """Where a conflict of a submission to upstream `name` is laid out, from the workspace root."""
    return f"{STATE_FOLDER}/submit/{name}"


def stage_standoff(tx: Transaction, ground: Ground, stuck: Stuck, blobs: Blobs, summary: str) -> None:
    """Write the files of a conflict, in place of what an earlier one left."""
    folder = standoff_folder(ground.name)
    stage_removal(tx, tx.root, folder)
    stage_sides(tx, folder, stuck.conflicts, blobs)
    keys: dict[str, Json] = {conflict.path.hex(): conflict_key(conflict) for conflict in stuck.conflicts}
    state: dict[str, Json] = {"schema": _SCHEMA, "patch": stuck.patch.file_name, "conflicts": keys}
    tx.write(f"{folder}/{_STATE}", pretty_json(state))
    tx.write(f"{folder}/SUMMARY.txt", f"{summary}\n".encode())


def stage_end(tx: Transaction, name: str) -> None:
    """Remove the files of a conflict."""
    stage_removal(tx, tx.root, standoff_folder(name))


def summarize(ground: Ground, stuck: Stuck, evidence: Evidence | None) -> str:
    """What is in dispute, since which upstream commit, and what to do: one paragraph for people."""
    causes = "; ".join(explain_conflict(conflict) for conflict in stuck.conflicts)
    series = ground.standing.series.patches
    position = [patch.number for patch in series].index(stuck.patch.number) + 1
    culprit = evidence.broken_by(position) if evidence is not None else None
    since = f" It breaks with upstream commit {describe_commit(culprit)}." if culprit is not None else ""
    return (
        f"Patch {stuck.patch.file_name} ({stuck.patch.title}) does not apply to {ground.tip.short_name} "
        f"({ground.tip.commit.short}) of {ground.name}: {causes}.{since} Nothing in the workspace has changed. Edit "
        f"the files in {standoff_folder(ground.name)}/files until no markers remain, then run the same command with "
        f"`--continue`; `vendorctl submit {ground.name} --abort` gives up."
    )


def read_standoff(root: Path, name: str, stuck: Stuck | None) -> Mapping[str, Resolution]:
    """What people made of the files of the conflict that was shown, by conflict key.

    `stuck` is that conflict, planned again. Raises VendorError: exit code 2 when none waits, 5 when markers remain or
    the conflict is another one by now.
    """
    folder = root / standoff_folder(name)
    try:
        shown = parse_json((folder / _STATE).read_bytes())["conflicts"]
    except FileNotFoundError:
        raise VendorError(f"no submission to {name!r} waits for a decision", code=ExitCode.USAGE) from None
    except (ValueError, KeyError, TypeError) as error:
        raise VendorError(
            f"{standoff_folder(name)}/{_STATE} cannot be read", hint=f"run `vendorctl submit {name} --abort`"
        ) from error
    conflicts = stuck.conflicts if stuck is not None else ()
    if {conflict.path.hex(): conflict_key(conflict) for conflict in conflicts} != shown:
        raise VendorError(
            f"the conflict of {name!r} is not the one that was shown: other patches, another tip, or already decided",
            hint="run the command again without --continue",
            code=ExitCode.CONFLICT,
        )
    found, still_open = read_files(folder / "files", conflicts)
    if still_open:
        raise VendorError(
            f"conflict markers remain in {', '.join(still_open)}",
            hint=f"edit {display(standoff_folder(name).encode())}/files, then run the command again with --continue",
            code=ExitCode.CONFLICT,
        )
    return found
