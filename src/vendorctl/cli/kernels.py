# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What the commands that compile share: project, toolchain, cache and executor of the workspace at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from vendorctl.cli.session import Session
from vendorctl.kernels.building.project import Project, load_project
from vendorctl.kernels.caching.cache import ObjectCache
from vendorctl.kernels.caching.shared import open_shared
from vendorctl.kernels.compiler.toolchain import Toolchain, locate, locate_linker
from vendorctl.kernels.executor.pool import LOCAL, open_executor, processors
from vendorctl.kernels.executor.work import Executor
from vendorctl.progress import Progress
from vendorctl.upstream.cache import default_folder


@dataclass(frozen=True, slots=True)
class Compiling:
    """Everything that a compile needs from its surroundings."""

    project: Project
    tools: Toolchain
    cache: ObjectCache
    executor: Executor
    progress: Progress
    jobs: int


@contextmanager
def compiling(
    session: Session, *, jobs: int | None, executor: str = LOCAL, any_flydsl: bool = False
) -> Iterator[Compiling]:
    """Open them for the session's workspace; what has not begun when the context is left is given up.

    With `any_flydsl`, the compiler of this environment is neither needed nor compared with the pin.
    """
    project = load_project(session.root())
    tools = locate_linker(os.environ, flydsl="") if any_flydsl else locate(os.environ, pins=project.pins)
    count = jobs or processors()
    places = open_executor(executor, count, session.say)
    cache = object_cache(project)
    try:
        yield Compiling(project, tools, cache, places, session.progress(), count)
    finally:
        places.close()
        for warning in cache.settle():  # of commands that do not report them themselves
            session.say(f"warning: {warning.message}")


def object_cache(project: Project) -> ObjectCache:
    """The user's cache of compiled objects, and the one behind it that VENDOR.yaml may name."""
    return ObjectCache(default_folder(os.environ) / "objects", open_shared(project.cache, project.root, os.environ))
