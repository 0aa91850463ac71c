# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""git's own smart HTTP server behind https on the loopback interface, with a certificate made for the occasion."""

from __future__ import annotations

import os
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.repo import Repo


@contextmanager
def https_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch, *, settings: tuple[str, ...] = (), smart: bool = True
) -> Iterator[str]:
    """Serve every repository below `folder`; gives the base URL. `smart=False` serves plain files instead."""
    certificate = _certificate(folder)
    monkeypatch.setenv("GIT_SSL_CAINFO", str(certificate))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(folder, settings, smart))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"https://localhost:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def https_path(made: Repo, folder: Path) -> str:
    """The part of a repository's address after the base URL."""
    return f"/{made.git_dir.relative_to(folder)}"


def _certificate(folder: Path) -> Path:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed: no certificate can be made")
    path = folder / "server.pem"
    key = folder / "key.pem"
    command = [program, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(path)]
    subprocess.run(command, check=True, capture_output=True)
    path.write_text(path.read_text() + key.read_text())
    return path


def _handler(folder: Path, settings: tuple[str, ...], smart: bool) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Hands requests to ``git http-backend`` as a CGI program, or answers with files."""

        def do_GET(self) -> None:
            self._backend() if smart else self._file()

        def do_POST(self) -> None:
            self._backend()

        def _file(self) -> None:
            path = folder / urlsplit(self.path).path.lstrip("/")
            content = path.read_bytes() if path.is_file() else None
            self.send_response(200 if content is not None else 404)
            self.send_header("Content-Length", str(len(content or b"")))
            self.end_headers()
            self.wfile.write(content or b"")

        def _backend(self) -> None:
            parts = urlsplit(self.path)
            environment = {
                **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_COUNT": str(len(settings)),
                "PATH_INFO": parts.path,
                "QUERY_STRING": parts.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            for number, setting in enumerate(settings):
                name, _, value = setting.partition("=")
                environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
            body = self._body()
            environment["CONTENT_LENGTH"] = str(len(body))
            done = subprocess.run(["git", "http-backend"], env=environment, input=body, capture_output=True)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for header, text in headers.items():
                self.send_header(header, text)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", "0")))
            pieces = []
            while size := int(self.rfile.readline(), 16):
                pieces.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(pieces)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler
