# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The interface that recipes implement: how to build one operation, and how to test what was built.

A recipe is a Python file of the workspace that assigns one `Recipe` subclass instance to the name `RECIPE`. It is
imported in a child process on `build` and `compat`, and in the test process on `test`; it is never imported by
`check`, `pack` or any other command. It must import without flydsl, NumPy or the vendored package present: import
those inside the methods that use them.

    class Scale(Recipe):
        operation = "scale"
        upstream = "minikernels"

        def instances(self, target):
            for dtype in ("f16", "f32"):
                yield row(dtype=dtype)

        def launcher(self, instance):
            from minikernels.scale import build_scale

            return build_scale(instance.text("dtype"))

        def arguments(self, instance):
            return {"x": Pointer(instance.text("dtype")), "n": 1000, "a": 2.0}


    RECIPE = Scale()
"""

from __future__ import annotations

import importlib.util
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from vendorctl.errors import Location, VendorError
from vendorctl.kernels.object.instance import Excluded, Instance, row
from vendorctl.kernels.object.target import Target

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Argument",
    "Case",
    "Constraint",
    "Decline",
    "Example",
    "Excluded",
    "Expected",
    "Instance",
    "Launcher",
    "Pointer",
    "Recipe",
    "Target",
    "Tensor",
    "load",
    "row",
    "storage_dtype",
]

#: A FlyDSL `@flyc.jit` launch function. Its type lives in flydsl, which need not be installed.
Launcher: TypeAlias = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Pointer:
    """Example argument: a global pointer to elements of `dtype` (`f16`, `bf16`, `f32`, `i32`, ...), 16-byte aligned."""

    dtype: str
    align: int = 16


@dataclass(frozen=True, slots=True)
class Tensor:
    """Example argument: a contiguous row-major tensor whose shape and strides stay dynamic."""

    dtype: str
    shape: tuple[int, ...]


#: An example argument: what the launch function is called with in order to be compiled. Values are not baked in,
#: except where the launch function says `Constexpr`.
Example: TypeAlias = "Pointer | Tensor | bool | int | float"

#: A test argument: an array in its storage type, or a number.
Argument: TypeAlias = "npt.NDArray[Any] | bool | int | float"


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on a problem under which an object may be launched.

    `rule` is one of `equals`, `at-least`, `at-most`, `multiple-of`. `field` names what the consumer knows about its
    problem (`dtype`, `n`, `head_dim`, ...); `reason` says why the object needs it.
    """

    field: str
    rule: str
    value: bool | int | str
    reason: str


@dataclass(frozen=True, slots=True)
class Decline:
    """Something the operation does not do on any target: the case, and why."""

    case: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Case:
    """One test input for one instance.

    `arguments` maps every parameter of the launch function, except streams and compile-time constants, to an array
    (C-contiguous, storage type; the test copies it to device memory) or a number. `outputs` names the arrays that the
    kernel writes; their initial contents must not influence the result, so tests may fill them with anything.
    `inplace` pairs an output with the input it may alias; the test then runs the case a second time aliased.
    """

    name: str
    arguments: Mapping[str, Argument]
    outputs: tuple[str, ...]
    inplace: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Expected:
    """The right value of one output, computed in float64.

    `values`: float64, the shape of the output. Where it is NaN or infinite the output must be the same.
    `tolerance`: largest accepted |output - values| in units of `scale`.
    `scale`: the magnitude of what was added up; a number, or an array that broadcasts against `values`.
    """

    values: npt.NDArray[np.float64]
    tolerance: float
    scale: float | npt.NDArray[np.float64] = 1.0


class Recipe(ABC):
    """How to build and test one operation. Subclass it, and assign an instance to `RECIPE` in the recipe file.

    `operation` names the folder below `objects/`. `upstream` is the name in VENDOR.yaml whose patched tree holds the
    kernel; the files of its import closure, found from the imports in the recipe file, are all that a compile sees.
    `import_root` is the folder of the patched tree that imports start from (default: its root).
    `data_files` lists further files of the patched tree that kernels read at build time. `declines` is for consumers.
    """

    operation: ClassVar[str]
    upstream: ClassVar[str]
    import_root: ClassVar[str] = ""
    data_files: ClassVar[tuple[str, ...]] = ()
    declines: ClassVar[tuple[Decline, ...]] = ()

    @abstractmethod
    def instances(self, target: Target) -> Iterable[Instance | Excluded]:
        """Rows to build for `target`; `Excluded(row, reason)` records a row that is left out on purpose."""

    @abstractmethod
    def launcher(self, instance: Instance) -> Launcher:
        """The launch function to compile. Runs in the compiler process; import the vendored package here."""

    @abstractmethod
    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """Example arguments by parameter name, without streams."""

    def accepts(self, instance: Instance) -> Iterable[Constraint]:
        """Problems the object may be used for; by default every column of the row must be equal."""
        for key, value in instance.values:
            yield Constraint(key, "equals", value, "fixed at compile time")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterable[Case]:
        """Test inputs; `rng` is seeded by the test from the instance name, so that cases are reproducible."""
        return ()

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """The float64 reference of every name in `case.outputs`."""
        raise NotImplementedError(f"{self.operation} has no reference")


def storage_dtype(dtype: str) -> np.dtype[Any]:
    """The NumPy type that holds elements of `dtype` (`f32`, `f16`, `bf16`, `i32`, ...). Needs NumPy and ml_dtypes."""
    import numpy as np

    if dtype == "bf16":
        import ml_dtypes

        bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return bfloat16
    return np.dtype(f"{dtype[0]}{int(dtype[1:]) // 8}")


def load(path: Path) -> Recipe:
    """Import the recipe file at `path` and return its `RECIPE`.

    This runs the workspace's own code: call it on `build`, `compat` and `test` only. Raises VendorError when the file
    does not assign a complete recipe; whatever the file itself raises passes through.
    """
    spec = importlib.util.spec_from_file_location(f"vendorctl_recipe_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise VendorError(f"{path.name} is not a Python file", location=Location(str(path)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    recipe = getattr(module, "RECIPE", None)
    if not isinstance(recipe, Recipe):
        raise VendorError(
            f"{path.name} does not assign a Recipe to the name RECIPE",
            hint="end the file with `RECIPE = YourRecipe()`",
            location=Location(str(path)),
        )
    for attribute in ("operation", "upstream"):
        if not isinstance(getattr(recipe, attribute, None), str):
            raise VendorError(f"the recipe in {path.name} has no {attribute!r}", location=Location(str(path)))
    return recipe
