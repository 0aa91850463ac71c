# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""What travels to where an object is tested: its recipe's files and its bytes, so that nothing else is needed there."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path, PurePosixPath
from typing import TypeVar

from vendorctl import digest
from vendorctl.errors import VendorError
from vendorctl.kernels.compiler import likeness
from vendorctl.kernels.executor.side import SideDiedError
from vendorctl.kernels.executor.work import Items, Place, Tell
from vendorctl.kernels.object.manifest import ObjectRecord
from vendorctl.kernels.recipe import Recipe
from vendorctl.kernels.sources import closure
from vendorctl.kernels.sources.closure import SourceFile
from vendorctl.kernels.testing import harness, results
from vendorctl.kernels.testing.backend import Backend, BackendFactory
from vendorctl.kernels.testing.recipes import imported
from vendorctl.kernels.testing.results import ObjectResult
from vendorctl.kernels.testing.selection import Built
from vendorctl.model import Json

_Kit = TypeVar("_Kit")
_Found = TypeVar("_Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """What tests of one recipe's objects share: the recipe's files by content, the backend, and how much is asked."""

    recipe: str
    files: tuple[SourceFile, ...]
    factory: BackendFactory
    full: bool

    @contextmanager
    def opened(self) -> Iterator[Recipe]:
        """The recipe, imported from a folder that goes when the context is left."""
        with tempfile.TemporaryDirectory(prefix="vendorctl-recipe-") as name:
            root = Path(name)
            for file in self.files:
                path = root / file.path
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
            with imported(root, PurePosixPath(self.recipe).name) as recipe:
                yield recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Specimen:
    """One object to test: its record, and its bytes, which are those that the record names."""

    blank: ObjectResult
    record: ObjectRecord
    code: bytes = field(repr=False)


def kit_for(root: Path, recipe: str, factory: BackendFactory, *, full: bool) -> Kit:
    """The kit of a recipe (relative to the workspace `root`). Raises VendorError when it cannot be read."""
    return Kit(recipe=recipe, files=closure.recipe_closure(root, recipe), factory=factory, full=full)


def blank_result(built: Built) -> ObjectResult:
    """The result of an object before anything was run."""
    return ObjectResult(
        operation=built.operation,
        target=built.target,
        instance=built.record.instance.name,
        sha256=built.record.sha256,
    )


def read_specimen(built: Built) -> Specimen | None:
    """The object, if it is there with the bytes that its manifest records."""
    try:
        code = (built.folder / built.record.file).read_bytes()
    except OSError:
        return None
    if digest.sha256(code) != built.record.sha256:
        return None
    return Specimen(blank=blank_result(built), record=built.record, code=code)


def examine(kit: Kit, specimen: Specimen) -> ObjectResult:
    """Test one object, in whichever process this is. What cannot be tested is a result, too."""
    blank, record = specimen.blank, specimen.record
    try:
        backend = kit.factory()
        with kit.opened() as recipe:
            subject = harness.prepare(recipe, record.instance, record.launch, backend, full=kit.full)
            if not subject.trials:
                return replace(blank, reason="its recipe has no test cases")
            trials, coverage = harness.examine(subject, backend.load(specimen.code))
    except VendorError as error:
        return replace(blank, reason=error.message)
    return replace(blank, trials=trials, coverage=coverage)


def examine_items(place: Place, kit: Kit, items: Items[Specimen], tell: Tell[Mapping[str, Json]]) -> None:
    """Test objects at some place; see `work.Job`. Results travel in their JSON form."""

    def died(specimen: Specimen, why: str) -> ObjectResult:
        return replace(specimen.blank, reason=f"the process that tested it is gone: {why}")

    each_aside(place, examine, kit, items, died, lambda index, result: tell(index, results.dump(result)))


def each_aside(
    place: Place,
    function: Callable[[_Kit, Specimen], _Found],
    kit: _Kit,
    items: Items[Specimen],
    died: Callable[[Specimen, str], _Found],
    tell: Tell[_Found],
) -> None:
    """Call `function(kit, item)` for every item, aside; `died` gives the result of one that ends the process."""
    with place.aside() as call:
        for index, specimen in items:
            try:
                found: _Found = call(function, kit, specimen)
            except SideDiedError as error:
                found = died(specimen, str(error))
            tell(index, found)


def believed(sent: Mapping[str, Json], specimen: Specimen) -> ObjectResult:
    """What arrived as the result of `specimen`; untested when it is none."""
    blank = specimen.blank
    try:
        found = results.parse(sent)
    except (KeyError, TypeError, ValueError, AttributeError):
        return replace(blank, reason="what arrived is no result")
    if replace(found, trials=(), coverage=None, reason="") != blank:
        return replace(blank, reason="what arrived is the result of another object")
    return found


def test_faults(package: str, numpy: str, factory: BackendFactory, backend: str) -> Sequence[str]:
    """Why tests here could end otherwise than with this package, NumPy and version of the backend elsewhere."""
    faults = likeness.package_faults(package)
    try:
        if (found := version("numpy")) != numpy:
            faults += (f"it has NumPy {found}, and {numpy} is needed",)
        if factory().version != backend:
            faults += ("its backend is another version",)
    except (ImportError, VendorError) as error:
        faults += (f"it cannot run objects ({error}): `pip install 'vendorctl[test]'` there",)
    return faults


def backend_facts(backend: Backend) -> tuple[str, str, str]:
    """Package, NumPy and backend version of this machine, as `test_faults` compares them."""
    return likeness.package_identity(), version("numpy"), backend.version
