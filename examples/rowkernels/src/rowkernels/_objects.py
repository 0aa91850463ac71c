# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The objects of this library: found through their manifests, and checked against them before they are used."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from vendorctl.errors import VendorError
from vendorctl.kernels.object.launch import LaunchPlan
from vendorctl.kernels.object.manifest import ObjectManifest, parse

from rowkernels._errors import ObjectsError

#: In an installation beside this file.
FOLDER = Path(__file__).parent / "objects"


@cache
def manifest(operation: str, target: str) -> ObjectManifest:
    """The manifest of an operation for a target. Raises ObjectsError when it is missing or was edited."""
    file = FOLDER / operation / target / "manifest.json"
    try:
        return parse(file.read_bytes(), str(file))
    except (OSError, VendorError) as error:
        raise ObjectsError(f"no objects of {operation} for {target}: {error}") from error


def find(operation: str, target: str, **row: str | int) -> tuple[bytes, LaunchPlan]:
    """The bytes and the launch plan of one row. Raises ObjectsError when the row or its object is not there."""
    table = manifest(operation, target)
    record = next((each for each in table.objects if each.instance.row == row), None)
    if record is None:
        raise ObjectsError(f"{operation} for {target} has no row {row}")
    try:
        code = (FOLDER / operation / target / record.file).read_bytes()
    except OSError as error:
        raise ObjectsError(f"the installation lacks an object: {error}") from error
    if hashlib.sha256(code).hexdigest() != record.sha256:
        raise ObjectsError(f"{record.file} of {operation} for {target} is not what its manifest says")
    return code, record.launch
