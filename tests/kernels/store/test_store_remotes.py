# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Remotes on S3, and those that do not answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.objectstore import DAMAGED, OBJECTS, Place, objects_in, remote, rules
from support.s3 import BUCKET, S3, s3_server
from vendorctl.errors import ExitCode
from vendorctl.kernels.objectstore.pointer import Stored


@pytest.fixture(scope="module")
def server() -> Iterator[S3]:
    with s3_server() as running:
        yield running


def test_over_s3_objects_come_back_and_a_damaged_one_is_refused(kept: Place, server: S3) -> None:
    kept.configure(remote("s3", f"s3://{BUCKET}/objects"))
    kept.commit()
    assert kept.run("objects", "push", "--remote", "s3")[0] == 0
    assert len(server.names()) == len(OBJECTS)
    key = f"objects/{Stored.of((kept.root / DAMAGED).read_bytes()).key}"
    sound = server.read(key)
    server.write(key, sound[:-1] + bytes([sound[-1] ^ 1]))
    clone = kept.clone()
    code, document = kept.run("objects", "pull", "--remote", "s3", root=clone)
    assert (code, rules(document)) == (ExitCode.FINDINGS, ["VC541"])
    assert "gave damaged bytes" in document["findings"][0]["message"]
    assert set(objects_in(clone)) == OBJECTS - {DAMAGED}
    server.delete(key)
    assert kept.run("objects", "push", "--remote", "s3")[0] == 0
    assert server.read(key) == sound
    code, document = kept.run("objects", "pull", "--remote", "s3", root=clone)
    assert (code, document["restored"]) == (0, [DAMAGED])
    assert kept.run("check", "--require", root=clone)[0] == 0


def test_a_remote_that_cannot_be_reached_ends_with_four(kept: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_MAX_ATTEMPTS": "1",
    }.items():
        monkeypatch.setenv(name, value)
    kept.configure(remote("away", "s3://away/objects"))
    kept.commit()
    clone = kept.clone()
    code, error = kept.run("objects", "pull", "--remote", "away", root=clone)
    assert (code, "the remote away cannot be read" in error["message"]) == (ExitCode.UNREACHABLE, True)
    assert objects_in(clone) == {}
