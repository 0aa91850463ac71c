# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The program of a process that calls functions for another one; see `side`.

The first message is the import path; every further one is a function with its arguments, answered in order. It ends
with its input.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import IO, Any

_LENGTH = struct.Struct(">Q")


def main() -> None:
    """Answer until stdin ends."""
    requests, replies = _take_pipes()
    path = _receive(requests)
    if path is None:
        return
    sys.path[:] = path
    while (request := _receive(requests)) is not None:
        function, arguments = request
        try:
            answer = (True, function(*arguments))
        # The boundary between the two processes: whatever is raised is raised over there.
        except Exception as error:  # noqa: BLE001
            answer = (False, error)
        data = _dump(answer)
        replies.write(_LENGTH.pack(len(data)) + data)
        replies.flush()


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    """Move the messages away from descriptors 0 and 1, so that code that prints cannot disturb them."""
    requests, replies = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    os.close(null)
    return os.fdopen(requests, "rb"), os.fdopen(replies, "wb")


def _receive(requests: IO[bytes]) -> Any:
    head = requests.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    return pickle.loads(requests.read(*_LENGTH.unpack(head)))  # noqa: S301 -- from the process that started this one


def _dump(answer: tuple[bool, Any]) -> bytes:
    try:
        return pickle.dumps(answer)
    except Exception as error:  # noqa: BLE001 -- an exception or result of foreign code that cannot be pickled
        return pickle.dumps((False, RuntimeError(f"{answer[1]!r} cannot be sent: {error}")))


if __name__ == "__main__":
    main()
