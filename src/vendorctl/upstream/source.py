# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""One upstream, read through the cache: commits, trees, blobs, refs and history, downloaded when first needed.

Every object is hashed after it was read. Where the cache turns out to be damaged it is rebuilt and read again, so that
damage costs a download and never reaches a workspace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.answers import id_rows
from vendorctl.git.blobs import StoredBlobs
from vendorctl.git.objects import Commit, DamagedObjectError, object_info, read_blobs, read_commit, read_tree
from vendorctl.git.oid import Oid
from vendorctl.git.program import Git, GitError
from vendorctl.git.tree import Tree
from vendorctl.proc import Runner
from vendorctl.progress import Progress
from vendorctl.upstream.download import Downloader, Refusal, Want
from vendorctl.upstream.refs import RefTable, ResolvedRef, is_full_id, is_id_prefix, parse_advertisement
from vendorctl.upstream.repository import CacheRepository
from vendorctl.upstream.url import redacted

T = TypeVar("T")

#: No file that people vendor comes near; bounds the memory that one content can take.
MAX_FILE_BYTES = 1 << 30

#: Refs of the cache that keep the tips whose whole history was downloaded; later downloads build on them.
_KEPT = "refs/kept"


class Source:
    """An upstream repository as far as it is known here, with the means to learn more unless `offline`.

    Made by `Cache.open`. `git` is bound to the repository of the cache: for exact, read-only commands.
    """

    def __init__(
        self,
        url: str,
        repository: CacheRepository,
        *,
        runner: Runner,
        progress: Progress,
        offline: bool,
        clock: Callable[[], float],
    ) -> None:
        self.url = url
        self.offline = offline
        self.git = Git(git_dir=repository.git_dir, runner=runner)
        self._repository = repository
        self._downloader = Downloader(url, repository, runner=runner, progress=progress)
        self._clock = clock
        self._refs: RefTable | None = None
        self._taken: dict[Oid, Commit] = {}
        self._taken_from = 0

    @property
    def display(self) -> str:
        """The URL for messages, without credentials."""
        return redacted(self.url)

    # -- commits and trees -----------------------------------------------------------------------------------------

    def fetch_commit(self, oid: Oid) -> Commit:
        """The commit, with all its folders (but not its files) in the cache.

        Tried in turn: what the cache has, the commit by its id, a ref that names it, everything the server shows.
        Raises VendorError (exit code 4) when it cannot be had, and (exit code 3) when the id is no commit's.
        """
        if self._taken_from != self._repository.generation:
            self._taken.clear()
        if oid in self._taken:
            return self._taken[oid]
        found = self._cached_commit(oid)
        if found is None:
            self._require_online(f"commit {oid.short}")
            with self._repository.locked():
                self._repository.ensure()
                if not object_info(self.git, [oid]):
                    self._obtain(oid, lambda: bool(object_info(self.git, [oid])))
            # Healing takes the lock, so look again only now.
            found = self._cached_commit(oid)
        if found is None:
            raise self._not_found(oid)
        self._taken_from = self._repository.generation
        self._taken[oid] = found
        return found

    def root_tree(self, commit: Oid) -> Oid:
        """The id of the commit's whole tree."""
        return self.fetch_commit(commit).tree

    def tree(self, commit: Oid) -> Tree:
        """The commit's whole tree, every folder checked against its id."""
        return self._healed(lambda: read_tree(self.git, self.root_tree(commit)))

    # -- blobs -----------------------------------------------------------------------------------------------------

    def blobs(self, oids: Iterable[Oid], describe: Callable[[Oid], str]) -> StoredBlobs:
        """Contents of blobs; those that the cache lacks are downloaded now, in one batch.

        `describe` turns an id into the path to name in a message. Raises VendorError (exit code 4) naming the first
        paths that cannot be had.
        """
        wanted = list(dict.fromkeys(oids))
        sizes = self._sizes(wanted)
        absent = [oid for oid in wanted if oid not in sizes]
        if absent:
            self._require_online(describe(absent[0]))
            self._download_blobs(absent)
            sizes = self._sizes(wanted)
            absent = [oid for oid in wanted if oid not in sizes]
        if absent:
            raise self._no_content([describe(oid) for oid in absent])
        self._refuse_huge(sizes, describe)
        return StoredBlobs({oid: sizes[oid] for oid in wanted}, lambda batch: self._read_blobs(batch, describe))

    def _refuse_huge(self, sizes: Mapping[Oid, int], describe: Callable[[Oid], str]) -> None:
        for oid, size in sizes.items():
            if size > MAX_FILE_BYTES:
                raise VendorError(
                    f"{describe(oid)} of {self.display} has {size} bytes; the limit is {MAX_FILE_BYTES}",
                    hint="leave it out with `exclude:`",
                )

    def _sizes(self, oids: Iterable[Oid]) -> dict[Oid, int]:
        if not self._repository.exists:
            return {}
        return {oid: info.size for oid, info in self._healed(lambda: object_info(self.git, oids)).items()}

    def _read_blobs(self, batch: list[Oid], describe: Callable[[Oid], str]) -> dict[Oid, bytes]:
        contents = self._healed(lambda: read_blobs(self.git, batch))
        absent = [oid for oid in batch if oid not in contents]
        if absent:  # healing replaced the cache, or somebody deleted it
            self._require_online(describe(absent[0]))
            self._download_blobs(absent)
            contents |= read_blobs(self.git, absent)
        absent = [oid for oid in absent if oid not in contents]
        if absent:
            raise self._no_content([describe(oid) for oid in absent])
        return contents

    def _download_blobs(self, oids: Sequence[Oid]) -> None:
        def done() -> bool:
            return len(object_info(self.git, oids)) == len(set(oids))

        with self._repository.locked():
            self._repository.ensure()
            refusal = self._certain(lambda: self._downloader.by_id(oids), done)
            if refusal is not Refusal.NOT_ALLOWED:
                return
            # The server hands out whole snapshots only: take those of the commits in hand, files included.
            for commit in self._taken:
                self._obtain(commit, done, "--no-filter")

    # -- refs ------------------------------------------------------------------------------------------------------

    def refs(self) -> RefTable:
        """What the upstream advertises: asked for once; from the cache when offline.

        Raises VendorError (exit code 4) when it cannot be had.
        """
        if self._refs is None:
            self._refs = self._known_refs() if self.offline else self._advertised_refs()
        if self._refs is None:
            raise VendorError(
                f"offline, and the refs of {self.display} were never looked at",
                hint="run the command once without --offline",
                code=ExitCode.UNREACHABLE,
            )
        return self._refs

    @property
    def knowledge_age(self) -> float | None:
        """Seconds since the refs were last looked at; None when they never were."""
        known = self._refs or self._known_refs()
        return None if known is None else max(0.0, self._clock() - known.time)

    def head(self) -> ResolvedRef:
        """The default branch and its tip. Raises VendorError (exit code 4) when HEAD names no commit."""
        table = self.refs()
        name = table.head if table.head is not None and table.head in table.refs else "HEAD"
        found = table.look_up(name, self.display)
        if found is None:
            raise VendorError(f"{self.display} has no commits on its default branch", code=ExitCode.UNREACHABLE)
        return found

    def resolve(self, name: str) -> ResolvedRef:
        """What a tag, branch, full ref, HEAD, or full or abbreviated commit id stands for.

        Raises VendorError: exit code 2 for an ambiguous name, 4 when nothing is called so (the hint has near names).
        """
        if is_full_id(name):
            return self._resolve_id(Oid.parse(name))
        table = self.refs()
        found = table.look_up(name, self.display)
        if found is not None:
            return found
        if is_id_prefix(name):
            return self._resolve_prefix(name)
        near = table.nearest(name)
        raise VendorError(
            f"{self.display} has no branch or tag {name!r}",
            hint=f"did you mean {' or '.join(near)}?" if near else "list them with: git ls-remote " + self.display,
            code=ExitCode.UNREACHABLE,
        )

    def _resolve_id(self, oid: Oid) -> ResolvedRef:
        cached = self._repository.exists and object_info(self.git, [oid]).get(oid)
        if cached and cached.kind == "commit":
            return ResolvedRef(str(oid), oid, oid)
        table = self.refs()
        tags = (table.peeled[name] for name, value in table.refs.items() if value == oid and name in table.peeled)
        return ResolvedRef(str(oid), oid, self.fetch_commit(next(tags, oid)).oid)

    def _resolve_prefix(self, prefix: str) -> ResolvedRef:
        found = self._commits_like(prefix)
        if not found and not self.offline:
            self.fetch_history(list(self.refs().branches_and_tags().values()))
            found = self._commits_like(prefix)
        if len(found) > 1:
            listing = ", ".join(str(oid) for oid in found[:5])
            raise VendorError(f"{prefix!r} abbreviates several commits: {listing}", code=ExitCode.USAGE)
        if not found:
            raise VendorError(f"{self.display} has no commit {prefix}...", code=ExitCode.UNREACHABLE)
        return ResolvedRef(str(found[0]), found[0], found[0])

    def _commits_like(self, prefix: str) -> list[Oid]:
        advertised = {oid for oid in self.refs().branches_and_tags().values() if str(oid).startswith(prefix)}
        if self._repository.exists:
            listed = self.git.exact("rev-parse", f"--disambiguate={prefix}", check=False).stdout
            info = object_info(self.git, [oid for (oid,) in id_rows(listed)])
            advertised |= {oid for oid, entry in info.items() if entry.kind == "commit"}
        return sorted(advertised)

    def _known_refs(self) -> RefTable | None:
        try:
            return RefTable.from_json(self._repository.refs_file.read_bytes())
        except (OSError, ValueError):
            return None

    def _advertised_refs(self) -> RefTable:
        table = parse_advertisement(self._downloader.advertisement(), int(self._clock()))
        self._repository.write_refs(table.to_json())
        return table

    # -- history ---------------------------------------------------------------------------------------------------

    def fetch_history(self, tips: Sequence[Oid]) -> frozenset[Oid]:
        """Bring every commit and folder (no files) that leads to `tips` into the cache; builds on what is there.

        Returns the tips whose history is complete; those that the upstream no longer has are left out. Raises
        VendorError (exit code 4) when the upstream cannot be reached, or offline, when the cache lacks a history.
        """
        wanted = frozenset(tips)
        absent = sorted(tip for tip in wanted if not self._is_kept(tip))
        if not absent:
            return wanted
        self._require_online(f"the history of {absent[0].short}")
        with self._repository.locked():
            self._repository.ensure()
            wants = [Want(tip, f"{_KEPT}/{tip}") for tip in absent if not self._is_kept(tip)]
            if wants and self._downloader.history(wants) is not None:
                self._history_piecemeal(wants)
        return frozenset(tip for tip in wanted if self._is_kept(tip))

    def leads_to(self, commit: Oid, tips: Iterable[Oid]) -> bool:
        """True when any of `tips` is `commit` or comes after it; their histories must have been fetched."""
        listed = list(tips)
        if commit in listed:
            return True
        if not listed or commit not in object_info(self.git, [commit]):
            return False
        request = "".join([f"{commit}\n", *(f"^{tip}\n" for tip in listed)]).encode("ascii")
        return not self.git.exact("rev-list", "--max-count=1", "--stdin", stdin=request).stdout

    def _history_piecemeal(self, wants: Sequence[Want]) -> None:
        """One refused tip fails a whole request: take what the server shows, then ask for each tip alone."""
        table = self.refs()
        names = sorted(table.branches_and_tags())
        self._downloader.history([Want(table.refs[name]) for name in names])
        shown = object_info(self.git, [table.commit(name) for name in names])
        for want in wants:
            if self.leads_to(want.oid, sorted(shown)):
                self.git.exact("update-ref", str(want.keep), str(want.oid))
            else:
                self._downloader.history([want])

    def _is_kept(self, tip: Oid) -> bool:
        return (self._repository.git_dir / _KEPT / str(tip)).is_file()

    # -- how to get what is not there ------------------------------------------------------------------------------

    def _cached_commit(self, oid: Oid) -> Commit | None:
        if not self._repository.exists:
            return None
        info = self._healed(lambda: object_info(self.git, [oid])).get(oid)
        if info is not None and info.kind != "commit":
            raise VendorError(
                f"{oid} in {self.display} is a {info.kind}, not a commit",
                hint="pin the commit that the tag names" if info.kind == "tag" else None,
            )
        return self._healed(lambda: read_commit(self.git, oid))

    def _obtain(self, commit: Oid, done: Callable[[], bool], *options: str) -> None:
        """Download a commit's snapshot, in the cheapest way that the server allows. Needs the lock."""
        refusal = self._certain(lambda: self._downloader.snapshot([commit], *options), done)
        if done():
            return
        table = self._refs = self._advertised_refs()
        names = table.names_by_commit.get(commit, [])
        if names:
            self._downloader.snapshot([table.refs[names[0]]], *options)
        elif refusal is Refusal.ABSENT:
            return
        if done():
            return
        tips = sorted({table.refs[name] for name in table.branches_and_tags()})
        if options:
            self._downloader.everything(tips)
        else:
            self._downloader.history([Want(tip) for tip in tips])

    def _certain(self, download: Callable[[], Refusal | None], done: Callable[[], bool]) -> Refusal | None:
        """Run a download; when git is content and the objects are not there, once more with a new repository.

        git keeps a damaged pack when a sound one of the same name arrives.
        """
        generation = self._repository.generation
        refusal = download()
        if refusal is None and not done():
            with self._repository.renewed(generation):
                refusal = download()
        return refusal

    def _healed(self, action: Callable[[], T]) -> T:
        """The result of reading the cache; when that fails because of damage, rebuild the cache and read again."""
        generation = self._repository.generation
        try:
            return action()
        except (DamagedObjectError, GitError) as damage:
            if self.offline:
                raise VendorError(
                    f"the cache of {self.display} is damaged: {damage.message}",
                    hint="run the command once without --offline: it is rebuilt",
                    code=ExitCode.UNREACHABLE,
                ) from damage
            with self._repository.locked(), self._repository.renewed(generation):
                pass
        return action()

    def _require_online(self, what: str) -> None:
        if not self.offline:
            return
        age = self.knowledge_age
        looked = "was never looked at" if age is None else f"was last looked at {age / 86400:.1f} days ago"
        raise VendorError(
            f"offline, and the cache lacks {what} of {self.display} (which {looked})",
            hint="run the command once without --offline",
            code=ExitCode.UNREACHABLE,
        )

    def _not_found(self, oid: Oid) -> VendorError:
        return VendorError(
            f"{self.display} does not have commit {oid}",
            hint="it may have been removed by a force push; `vendorctl sync --pin NAME=REF` takes another one",
            code=ExitCode.UNREACHABLE,
        )

    def _no_content(self, paths: Sequence[str]) -> VendorError:
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        return VendorError(
            f"{self.display} does not hand out the content of {', '.join(paths[:3])}{more}",
            hint="a local mirror may be incomplete: use another URL, or exclude the files",
            code=ExitCode.UNREACHABLE,
        )
