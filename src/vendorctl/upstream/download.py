# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Downloads into the cache, with progress, through GitPython.

What is wanted travels on git's standard input and is made of object ids alone; every argument is a constant of this
module, and the environment limits git to the transports of `git.program`. GitPython therefore never sees text from a
manifest or from an upstream.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.oid import Oid
from vendorctl.git.program import NETWORK_SETTINGS, Git, GitError, network_environment
from vendorctl.proc import Runner
from vendorctl.progress import Progress, Task
from vendorctl.upstream.repository import CacheRepository
from vendorctl.upstream.url import local_folder, redacted

#: Options of every download: nothing but the objects, and no trace of it in the repository but those.
_ALWAYS = ("--progress", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--stdin")

#: How a repository on this machine is served, without touching it: by object id, in parts, packed for speed rather than
#: for size (a tenth of a second instead of four for 470 files), and never downloading what it lacks itself.
_LOCAL_UPLOAD_PACK = (
    "GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none git -c uploadpack.allowFilter=true"
    " -c uploadpack.allowAnySHA1InWant=true -c pack.window=0 -c pack.compression=1 upload-pack"
)

#: After how many absent objects the rest of a batch is given up.
_MOST_ABSENT = 20


class Refusal(Enum):
    """Why a download failed, as far as git's words tell; each reason has its own way on."""

    ABSENT = "the server does not have an object that was asked for"
    NOT_ALLOWED = "the server does not hand out objects by id, or not in parts"
    DAMAGED = "the cache itself is damaged"
    UNREACHABLE = "the server could not be reached, or closed the connection"


#: git's words, in the order in which they are tried. Sources: upload-pack.c, promisor-remote.c, packfile.c, shallow.c,
#: fetch-pack.c, remote-curl.c.
_WORDS = (
    (Refusal.ABSENT, r"not our ref|from promisor remote"),
    (
        Refusal.DAMAGED,
        r"packfile|index file|loose object|corrupt|inflate|bad object|unable to read|not a git repository|bad config"
        r"|bad shallow|did not send all necessary objects|hash mismatch|pack has bad",
    ),
    (
        Refusal.NOT_ALLOWED,
        r"unadvertised object|couldn't find remote ref|not support|shallow|filter|expected 'acknowledgments'",
    ),
)
#: What git adds to the reason of every failure.
_BOILERPLATE = frozenset(
    {
        "fatal: Could not read from remote repository.",
        "Please make sure you have the correct access rights",
        "and the repository exists.",
    }
)
_PLAIN_SERVER = "dumb http transport"
_ABSENT_ID = re.compile(r"(?:not our ref|could not fetch) ([0-9a-f]{40})")

#: git's own number for "all of it"; with any depth git asks the server even when it has the commits already.
_ALL_DEPTHS = "--depth=2147483647"


class FetchError(VendorError):
    """A download that failed; `refusal` says why and `absent` names ids that the server said it lacks."""

    def __init__(self, message: str, *, refusal: Refusal, absent: tuple[Oid, ...] = ()) -> None:
        super().__init__(message, code=ExitCode.UNREACHABLE)
        self.refusal = refusal
        self.absent = absent


@dataclass(frozen=True, slots=True)
class Want:
    """An object to download; with `keep`, a ref of the cache that shall name it from then on."""

    oid: Oid
    keep: str | None = None

    def refspec(self) -> str:
        """The line that git reads."""
        return f"+{self.oid}:{self.keep}" if self.keep else str(self.oid)


class Downloader:
    """Brings objects of one upstream into its repository of the cache. Every method but `advertisement` needs the lock.

    Methods return None when git succeeded, and why not when the server refused; what was obtained is for the caller to
    see in the repository. They raise VendorError (exit code 4) when the server cannot be reached.
    """

    def __init__(self, url: str, repository: CacheRepository, *, runner: Runner, progress: Progress) -> None:
        self._url = url
        self._repository = repository
        self._runner = runner
        self._progress = progress

    def snapshot(self, oids: Sequence[Oid], *options: str) -> Refusal | None:
        """Commits (or tags) alone, without what led to them, and without files unless ``--no-filter`` is given."""
        return self._try([Want(oid) for oid in oids], "--depth=1", *options)

    def by_id(self, oids: Sequence[Oid]) -> Refusal | None:
        """Objects of any type, all in one request; those that the server lacks are left out."""
        wanted = list(oids)
        refusal: Refusal | None = None
        for _ in range(_MOST_ABSENT):
            try:
                if wanted:
                    self._fetch([Want(oid) for oid in wanted])
            except FetchError as failure:
                refusal = self._refused(failure)
                if not set(failure.absent) & set(wanted):
                    return refusal
                # One absent object fails the whole request, and the server names only the first.
                wanted = [oid for oid in wanted if oid not in failure.absent]
            else:
                break
        return refusal

    def history(self, wants: Sequence[Want]) -> Refusal | None:
        """Commits with all commits and folders, but no files, that led to them."""
        # The depth undoes what `snapshot` cut off; and a server of plain files refuses it, where it would otherwise
        # make git call itself for what was promised, without end.
        return self._try(wants, _ALL_DEPTHS, negotiation="default")

    def everything(self, oids: Sequence[Oid]) -> Refusal | None:
        """What leads to `oids` with all files, whatever is there already: for servers that refuse all else."""
        return self._try([Want(oid) for oid in oids], _ALL_DEPTHS, "--no-filter")

    def advertisement(self) -> bytes:
        """What ``git ls-remote --symref`` prints."""
        git = Git(runner=self._runner)
        try:
            return git.network("ls-remote", "--symref", "--", self._url).stdout
        except GitError as error:
            raise unreachable(self._url, error.message) from error

    @cached_property
    def _upload_pack(self) -> str | None:
        """For a repository on this machine (also by the user's ``insteadOf``): how to serve it; None for others."""
        effective = Git(runner=self._runner).network("ls-remote", "--get-url", "--", self._url).stdout
        folder = local_folder(os.fsdecode(effective).rstrip("\n"))
        return _LOCAL_UPLOAD_PACK if folder is not None else None

    def _try(self, wants: Sequence[Want], *options: str, negotiation: str = "noop") -> Refusal | None:
        try:
            self._fetch(wants, *options, negotiation=negotiation)
        except FetchError as failure:
            return self._refused(failure)
        return None

    def _refused(self, failure: FetchError) -> Refusal:
        if _PLAIN_SERVER in failure.message:
            raise VendorError(
                f"{redacted(self._url)} is served as plain files, not by git",
                hint="make a mirror with `git clone --mirror` and use its path as the URL",
                code=ExitCode.UNREACHABLE,
            )
        if failure.refusal in {Refusal.ABSENT, Refusal.NOT_ALLOWED}:
            return failure.refusal
        raise unreachable(self._url, failure.message) from failure

    def _fetch(self, wants: Sequence[Want], *options: str, negotiation: str = "noop") -> None:
        """One request; when the repository of the cache turns out to be damaged, once more with a new one."""
        settings = {
            # Given here and not in the repository's configuration: see CacheRepository.
            "remote.origin.promisor": "true",
            "remote.origin.partialclonefilter": "blob:none",
            # A snapshot or a blob is wanted whole: telling the server what is there could only make it send less.
            "fetch.negotiationAlgorithm": negotiation,
        }
        if self._upload_pack:
            settings["remote.origin.uploadpack"] = self._upload_pack
        title = f"fetch {redacted(self._url)}"
        generation = self._repository.generation
        try:
            task = self._progress.task(title)
            fetch(self._repository.git_dir, wants, options=options, settings=settings, task=task)
        except FetchError as failure:
            if failure.refusal is not Refusal.DAMAGED:
                raise
            with self._repository.renewed(generation):
                task = self._progress.task(title)
                fetch(self._repository.git_dir, wants, options=options, settings=settings, task=task)


def unreachable(url: str, words: str) -> VendorError:
    """The error for an upstream that does not answer, with git's own words."""
    told = "; ".join(line for line in words.splitlines() if line and line not in _BOILERPLATE)
    return VendorError(
        f"cannot fetch from {redacted(url)}: {redacted(told)}",
        hint="check the URL, your access and the network; --offline works with what the cache has",
        code=ExitCode.UNREACHABLE,
    )


def fetch(
    git_dir: Path,
    wants: Iterable[Want],
    *,
    options: Sequence[str],
    settings: Mapping[str, str],
    task: AbstractContextManager[Task],
) -> None:
    """Download objects from the remote ``origin`` of a bare repository.

    `options` are constants such as ``--depth=1``; `settings` go to git as ``-c`` options. Raises FetchError.
    """
    with tempfile.TemporaryFile() as request, task as running:
        request.write("".join(f"{want.refspec()}\n" for want in wants).encode("ascii"))
        request.seek(0)
        command = ["git", f"--git-dir={git_dir}"]
        for name, value in {**NETWORK_SETTINGS, **settings}.items():
            command += ["-c", f"{name}={value}"]
        failure = _execute(git_dir, [*command, "fetch", *_ALWAYS, *options, "origin"], request, running)
    if failure is not None:
        raise _failed(failure)


def _execute(git_dir: Path, command: list[str], request: Any, task: Task) -> str | None:
    """Run git through GitPython; None when it succeeded, else what it said."""
    # GitPython takes a tenth of a second to import, and most commands never download.
    from git import cmd, exc

    lines = _listener(task)
    client = cmd.Git(git_dir)
    client.update_environment(**_environment(git_dir))
    # errors="replace": a server's messages are bytes of any kind, and must not kill the thread that reads them.
    process = client.execute(command, istream=request, as_process=True, universal_newlines=True, errors="replace")
    try:
        cmd.handle_process_output(process, None, lines.new_message_handler(), finalizer=None, decode_streams=False)
        process.wait()
    except exc.CommandError:
        return "\n".join([*lines.error_lines, *lines.other_lines]) or "git said nothing"
    return None


def _environment(git_dir: Path) -> dict[str, str]:
    """Variables that GitPython puts over the caller's own; it can add variables, but not take one away."""
    environment = network_environment(os.environ)
    own = {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": "",
        "GIT_COMMON_DIR": str(git_dir),
        "GIT_DIR": str(git_dir),
        "GIT_INDEX_FILE": str(git_dir / "index"),
        "GIT_NAMESPACE": "",
        "GIT_OBJECT_DIRECTORY": str(git_dir / "objects"),
        "GIT_PREFIX": "",
        "GIT_SHALLOW_FILE": str(git_dir / "shallow"),
        "GIT_WORK_TREE": str(git_dir),
    }
    return environment | {name: value for name, value in own.items() if name in os.environ}


def _listener(task: Task) -> Any:
    """GitPython's reader of progress lines, telling `task`."""
    from git.util import RemoteProgress

    class Listener(RemoteProgress):
        """Counts received objects; everything else is only named."""

        done = 0

        def update(self, op_code: int, cur_count: Any, max_count: Any = None, message: str = "") -> None:
            if op_code & self.OP_MASK != self.RECEIVING:
                return
            if max_count:
                task.expect(int(max_count))
            count = int(cur_count or 0)
            task.advance(max(0, count - self.done), note=message)
            self.done = max(self.done, count)

    return Listener()


def _failed(words: str) -> FetchError:
    absent = tuple(Oid.parse(found) for found in _ABSENT_ID.findall(words))
    reason = next((refusal for refusal, pattern in _WORDS if re.search(pattern, words)), Refusal.UNREACHABLE)
    return FetchError(words, refusal=reason, absent=tuple(dict.fromkeys(absent)))
