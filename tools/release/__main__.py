# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""`python -m release DIR`: the archives and bills of HEAD in DIR, once two unlike builds agree on every byte."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from release.bill import Bill, cyclonedx, parts_of, spdx
from release.builds import UNLIKE, Archives, build, differences, wheel_of
from release.contents import sdist_faults, wheel_faults
from release.export import Commit, changed_files, files_of, read_commit
from release.licences import parse_policy
from release.locks import parse_locks
from vendorctl import __version__
from vendorctl.digest import sha256
from vendorctl.errors import VendorError

ROOT = Path(__file__).parent.parent.parent
POLICY = "requirements/licences.toml"


def release(commit: Commit) -> tuple[dict[str, bytes], list[str]]:
    """The files of a release by name, and what is wrong with them; only without a fault may they be published."""
    with tempfile.TemporaryDirectory(prefix="vendorctl-release-") as folder:
        scratch = Path(folder)
        first, second = (build(commit, scratch, around) for around in UNLIKE)
        again = wheel_of(first.sdist, commit, scratch, UNLIKE[1])
        faults = differences(first.wheel, second.wheel) + differences(first.sdist, second.sdist)
        faults += [f"built from the sdist: {fault}" for fault in differences(first.wheel, again)]
        files = files_of(commit)
        faults += wheel_faults(first.wheel, files) + sdist_faults(first.sdist, files)
        archives = _read(first)
    return archives | bills(commit, files, archives), faults


def bills(commit: Commit, files: Mapping[str, bytes], archives: Mapping[str, bytes]) -> dict[str, bytes]:
    """The two bills of materials of a release, by file name. `files` are the commit's, `archives` what was built."""
    policy = parse_policy(files[POLICY].decode("utf-8"), POLICY)
    bill = Bill(
        version=__version__,
        commit=commit.id,
        time=commit.time,
        archives={name: sha256(content) for name, content in archives.items()},
        parts=parts_of(parse_locks(files), policy),
    )
    name = f"vendorctl-{__version__}"
    return {f"{name}.cdx.json": cyclonedx(bill), f"{name}.spdx.json": spdx(bill)}


def _read(archives: Archives) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (archives.wheel, archives.sdist)}


def main() -> int:
    """Write a release, or say why not. Exit codes: 0 written, 1 not reproducible or not as the commit says."""
    parser = argparse.ArgumentParser(prog="release", description=__doc__)
    parser.add_argument("output", type=Path, help="a folder; it gets the files, and SHA256SUMS")
    output: Path = parser.parse_args().output
    try:
        commit = read_commit(ROOT)
        made, faults = release(commit)
        if changed := changed_files(ROOT):
            print(
                f"{len(changed)} files differ from {commit.id[:12]}; this is a release of that commit", file=sys.stderr
            )
    except VendorError as error:
        print(f"{error}\n{error.hint or ''}".rstrip(), file=sys.stderr)
        return int(error.code)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print("nothing was written", file=sys.stderr)
        return 1
    sums = "".join(f"{sha256(content)}  {name}\n" for name, content in sorted(made.items()))
    output.mkdir(parents=True, exist_ok=True)
    for name, content in {**made, "SHA256SUMS": sums.encode()}.items():
        (output / name).write_bytes(content)
    print(sums, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
