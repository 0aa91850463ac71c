# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Pointers that are none."""

from __future__ import annotations

import pytest

from support.objectstore import POINTERS, Place, rules
from vendorctl.errors import ExitCode, VendorError
from vendorctl.kernels.objectstore import pointer
from vendorctl.kernels.objectstore.pointer import Stored

MD5 = "0" * 32


SOUND = f"meta:\n  vendorctl:\n    objects: x\nouts:\n- md5: {MD5}\n  size: 3\n  hash: md5\n  path: a.hsaco\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a.hsaco", "../a.hsaco"),
        ("a.hsaco", "/etc/a.hsaco"),
        ("a.hsaco", "manifest.json"),
        (MD5, "../" + MD5[3:]),
        (MD5, MD5 + ".dir"),
        ("  hash: md5\n", ""),
        ("hash: md5", "hash: etag"),
        ("size: 3", "size: -3"),
        ("size: 3", "size: [3]"),
        ("size: 3", f"size: {(64 << 20) + 1}"),
        ("outs:", "wrong:"),
        ("outs:\n", f"outs:\n- md5: {MD5}\n  size: 3\n  hash: md5\n  path: a.hsaco\n"),
        ("- md5", "- &a md5"),
        ("meta:", "\x00meta:"),
    ],
)
def test_a_pointer_that_is_not_one_is_refused(old: str, new: str) -> None:
    assert dict(pointer.parse(SOUND.encode(), "p").outs) == {"a.hsaco": Stored(md5=MD5, size=3)}
    assert old in SOUND
    with pytest.raises(VendorError, match="not a pointer to objects"):
        pointer.parse(SOUND.replace(old, new, 1).encode(), "p")
    with pytest.raises(VendorError, match="not a pointer to objects"):
        pointer.parse(b"\xff", "p")


def test_a_broken_pointer_is_said_and_nothing_is_pulled(kept: Place) -> None:
    for name in POINTERS:
        (kept.root / name).write_text(SOUND.replace("a.hsaco", "../../../VENDOR.yaml"))
    kept.commit()
    clone = kept.clone()
    assert {unit["pointer"] for unit in kept.run("objects", "status", root=clone)[1]["units"]} == {"invalid"}
    code, document = kept.run("objects", "pull", root=clone)
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC510"])
    assert "the pointer cannot be read" in document["findings"][0]["message"]
