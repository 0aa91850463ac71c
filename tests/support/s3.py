# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""An S3 server on loopback, in memory: what a real one answers to the clients that DVC and fsspec use."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

BUCKET = "kernels"


class S3:
    """A running server with one bucket."""

    def __init__(self, endpoint: str) -> None:
        import boto3

        self.endpoint = endpoint
        self._client: Any = boto3.client("s3", endpoint_url=endpoint)
        self._client.create_bucket(Bucket=BUCKET)

    def names(self) -> list[str]:
        """Every key of the bucket, sorted."""
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        return sorted(entry["Key"] for page in pages for entry in page.get("Contents", []))

    def read(self, key: str) -> bytes:
        """The bytes under a key."""
        data: bytes = self._client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return data

    def write(self, key: str, data: bytes) -> None:
        """Put bytes under a key."""
        self._client.put_object(Bucket=BUCKET, Key=key, Body=data)

    def delete(self, key: str) -> None:
        """Remove a key."""
        self._client.delete_object(Bucket=BUCKET, Key=key)


@contextmanager
def s3_server() -> Iterator[S3]:
    """Run a server with an empty bucket; while it runs, its address and made-up credentials are in the environment."""
    server_module = pytest.importorskip("moto.server")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # else a line on stderr for every request
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_EC2_METADATA_DISABLED": "true",
        }.items():
            patch.setenv(name, value)
        try:
            running = S3(endpoint)
            for key in running.names():  # moto keeps them for the next server of a process
                running.delete(key)
            yield running
        finally:
            server.stop()
