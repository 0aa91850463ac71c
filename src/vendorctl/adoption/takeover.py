# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Taking a copy over into a workspace: everything is computed and proven in memory, then written in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from vendorctl.adoption.base import Base
from vendorctl.adoption.candidates import read_copy
from vendorctl.adoption.derive import TopicMaker, derive_series
from vendorctl.adoption.search import Found, Origin, UrlOpener, find_bases, search_history
from vendorctl.errors import ExitCode, VendorError
from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.paths import display, reject_reason
from vendorctl.progress import Progress
from vendorctl.series.record import Statement, is_bytecode
from vendorctl.series.recording import locked_series
from vendorctl.series.stack import Applied
from vendorctl.series.store import SERIES_FILE, dump_series_file
from vendorctl.series.sync.ondisk import look
from vendorctl.series.sync.plan import SyncPlan, Tools, UpstreamPlan
from vendorctl.series.sync.write import write_sync
from vendorctl.series.workspace import stand
from vendorctl.vendor.contents import ChainedBlobs, DiskBlobs
from vendorctl.vendor.disk import scan
from vendorctl.vendor.globs import compile_union
from vendorctl.vendor.obtain import obtain
from vendorctl.vendor.placed import load_placed
from vendorctl.workspace.edit import add_upstream
from vendorctl.workspace.lock import Lock, LockedUpstream
from vendorctl.workspace.manifest import Manifest, Upstream
from vendorctl.workspace.parse import parse_manifest
from vendorctl.workspace.render import Value
from vendorctl.workspace.root import patches_dir, vendored_dir
from vendorctl.workspace.transaction import Transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What to take over. `output` is the copy's path from the workspace root when it shall become the output."""

    folder: Path
    origins: tuple[Origin, ...]
    exclude: tuple[str, ...]
    statement: Statement
    topics: TopicMaker
    output: str | None = None
    fetch: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """The part of the copy that comes from one upstream: its base, and the series that gives the part back."""

    found: Found
    base: Base
    upstream: Upstream
    locked: LockedUpstream
    applied: Applied
    blobs: Blobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """A planned take-over. `text` is VENDOR.yaml as it will stand; `skipped` are paths of the copy left out."""

    request: Request
    copy: Tree
    skipped: tuple[bytes, ...]
    text: str
    shares: tuple[Share, ...]


def plan_adoption(
    root: Path, manifest: Manifest, request: Request, open_url: UrlOpener, tools: Tools, progress: Progress
) -> Adoption:
    """Find the origins of a copy and derive what gives it back; neither the copy nor the workspace is touched.

    Raises VendorError: exit code 1 when an origin has nothing in common with the copy, 2 for a copy that cannot be
    taken over or a name that is taken, 4 when an upstream cannot be had.
    """
    _check_names(manifest, request)
    tree, blobs, skipped = _read_folder(request.folder, request.exclude)
    files = read_copy(tree, blobs)
    found = [search_history(origin, open_url(origin.url), files, progress) for origin in request.origins]
    text, shares = manifest.text, []
    for each, base in zip(found, find_bases(found), strict=True):
        text = add_upstream(text, each.origin.name, _fields(each, base, request))
        upstream = parse_manifest(text).upstreams[each.origin.name]
        shares.append(_derive(root / vendored_dir(upstream.name), each, base, upstream, blobs, request, tools))
    together = Tree({path: entry for share in shares for path, entry in share.applied.patched.items()})
    if together != tree:
        raise VendorError("the series together do not give the copy back", code=ExitCode.INTERNAL)
    return Adoption(request=request, copy=tree, skipped=skipped, text=text, shares=tuple(shares))


def write_adoption(tx: Transaction, lock: Lock | None, adoption: Adoption, tools: Tools) -> None:
    """Stage and commit VENDOR.yaml, the lock, pristine files, patches and patched trees.

    The copy itself changes only when it becomes the output, and then only by change notices.
    """
    before = lock or Lock(upstreams={})
    plans = tuple(_plan(tx.root, share, tools) for share in adoption.shares)
    for share in adoption.shares:
        folder = patches_dir(share.upstream.name)
        for patch in share.applied.series.patches:
            tx.write(f"{folder}/{patch.file_name}", patch.raw, expect=None)
        tx.write(f"{folder}/{SERIES_FILE}", dump_series_file(share.applied.series), expect=None)
    locked = {plan.upstream.name: plan.standing.locked for plan in plans}
    plan = SyncPlan(
        manifest=parse_manifest(adoption.text),
        manifest_text=adoption.text,
        before=before,
        lock=Lock(upstreams=dict(sorted({**before.upstreams, **locked}.items()))),
        upstreams=plans,
        halted=(),
        gone=(),
        findings=(),
    )
    write_sync(plan, tx)


def _plan(root: Path, share: Share, tools: Tools) -> UpstreamPlan:
    standing = stand(root, share.upstream, share.locked, share.applied, tools.dresser, share.blobs)
    placed = load_placed(root, share.upstream.name)
    pristine = scan(root / vendored_dir(share.upstream.name))
    disk = look(standing, pristine, placed)
    return UpstreamPlan(standing=standing, before=None, disk=disk, placed=placed, fetched=True)


def _check_names(manifest: Manifest, request: Request) -> None:
    names = [origin.name for origin in request.origins]
    for name in names:
        if name in manifest.upstreams or names.count(name) > 1:
            raise VendorError(
                f"upstream {name!r} exists already", hint="choose another --upstream", code=ExitCode.USAGE
            )
    for origin in request.origins:
        # Whatever VENDOR.yaml would refuse is refused before a long search, not after it.
        add_upstream(manifest.text, origin.name, {"url": origin.url, "pin": "0" * 40, "include": ["**"]})
    if request.output is not None and len(names) > 1:
        raise VendorError(
            "a folder with files from several upstreams cannot be the output of one of them",
            hint="without --in-place the copy stays as it is, and each upstream gets a patched tree of its own",
            code=ExitCode.USAGE,
        )


def _read_folder(folder: Path, exclude: Sequence[str]) -> tuple[Tree, Blobs, tuple[bytes, ...]]:
    """The files to take over, a way to read them, and what was left out."""
    disk = scan(folder)
    unwanted = compile_union(exclude)
    skipped = [path for path in disk.tree if unwanted.matches(path) or is_bytecode(path) or path.startswith(b".git/")]
    tree = disk.tree.replace(dict.fromkeys(skipped))
    reasons: dict[bytes, str] = {path: reason for path in tree if (reason := reject_reason(path))}
    reasons |= {path: f"it is {what}" for path, what in disk.odd.items() if not unwanted.matches(path)}
    for path, reason in sorted(reasons.items()):
        hint = f"leave it out with --exclude {display(path)}"
        raise VendorError(f"{display(path)} cannot be taken over: {reason}", hint=hint, code=ExitCode.USAGE)
    if not tree:
        raise VendorError(f"there is nothing to take over in {folder}", code=ExitCode.USAGE)
    return tree, DiskBlobs(folder, disk.tree), tuple(skipped)


def _fields(found: Found, base: Base, request: Request) -> Mapping[str, Value]:
    fields: dict[str, Value] = {"url": found.origin.url, "pin": str(base.chosen.commit)}
    names = found.source.refs().names_by_commit.get(base.chosen.commit, [])
    tags = [name.removeprefix("refs/tags/") for name in names if name.startswith("refs/tags/")]
    if tags:
        fields["ref"] = tags[0]
    fields["include"] = [literal_glob(path) for path in sorted(match.path for match in base.matches)]
    if request.fetch:
        fields["store"] = "fetch"
    if request.output is not None:
        fields["output"] = request.output
    return fields


def literal_glob(path: bytes) -> str:
    """The glob that selects exactly this path. Raises VendorError (exit code 2) for a name that is not UTF-8."""
    try:
        text = path.decode("utf-8")
    except UnicodeDecodeError as error:
        raise VendorError(f"{display(path)} is not UTF-8, so no glob can name it", code=ExitCode.USAGE) from error
    escaped = "".join(f"\\{char}" if char in "*?[\\" else char for char in text)
    # Without a slash a glob matches at every depth.
    return escaped if "/" in escaped else f"/{escaped}"


def _derive(
    folder: Path, found: Found, base: Base, upstream: Upstream, copy_blobs: Blobs, request: Request, tools: Tools
) -> Share:
    obtained = obtain(upstream, None, Tree(), folder, lambda _upstream: found.source, tools.surveyor)
    blobs = ChainedBlobs(obtained.blobs, copy_blobs)
    copy = Tree({file.path: file.entry for file in (*(match.file for match in base.matches), *base.unmatched)})
    applied = derive_series(
        upstream.name,
        obtained.locked.tree,
        copy,
        base.matches,
        blobs,
        request.statement,
        request.topics,
        layout=f"Lay the files out as {request.folder.name} has them",
    )
    locked = replace(obtained.locked, series=locked_series(applied))
    return Share(found=found, base=base, upstream=upstream, locked=locked, applied=applied, blobs=blobs)
