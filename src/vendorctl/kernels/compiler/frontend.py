# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""The one module that knows flydsl: import it without torch, compile a launch function, take the object out.

Runs in compiler children only. Verified with flydsl 0.3.4, 0.4.2 and 0.5.0; what differs between them is noted where
it matters. One process compiles for one target, because flydsl reads the target from the environment and caches it.
"""

from __future__ import annotations

import importlib.util
import inspect
import sys
import types
from collections.abc import Mapping
from typing import Any

from vendorctl.kernels.compiler.hostplan import HostParameter, Json, plan_of_module
from vendorctl.kernels.object.target import Target
from vendorctl.kernels.recipe import Example, Launcher, Pointer, Tensor

#: Any address does: nothing is launched. It is a multiple of every alignment that kernels ask for.
_PLACEHOLDER_ADDRESS = 0x10000

_DTYPES = {
    "f16": "Float16",
    "bf16": "BFloat16",
    "f32": "Float32",
    "f64": "Float64",
    "i8": "Int8",
    "i16": "Int16",
    "i32": "Int32",
    "i64": "Int64",
}
_TORCH_DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
_ITEM_SIZES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2, "int16": 2}


class FrontendError(Exception):
    """The compiler, or a recipe's use of it, went wrong in a way that is worth one line to the user."""


class _StandInDtype:
    def __init__(self, name: str) -> None:
        self.name = name
        self.itemsize = _ITEM_SIZES.get(name, 1)

    def __repr__(self) -> str:
        return f"torch.{self.name}"


class _StandInTensor:
    """Shape, strides and type of a contiguous row-major tensor: all that compiling reads of one."""

    def __init__(self, shape: tuple[int, ...], dtype: _StandInDtype) -> None:
        self.shape = shape
        self.dtype = dtype
        self.device = types.SimpleNamespace(type="cuda", index=0)
        self.is_cuda = True

    def stride(self, dim: int | None = None) -> Any:
        strides = [1] * len(self.shape)
        for axis in range(len(self.shape) - 2, -1, -1):
            strides[axis] = strides[axis + 1] * self.shape[axis + 1]
        return tuple(strides) if dim is None else strides[dim]

    def data_ptr(self) -> int:
        return _PLACEHOLDER_ADDRESS

    def element_size(self) -> int:
        return self.dtype.itemsize

    def dim(self) -> int:
        return len(self.shape)


def _stand_in_torch() -> types.ModuleType:
    """A module with the names that `flydsl.compiler.jit_argument` registers argument types under."""
    torch = types.ModuleType("torch")
    names = ("float16", "bfloat16", "float32", "float64", "bool", "uint8", "int8", "int16", "int32", "int64")
    cuda = types.ModuleType("torch.cuda")
    members: dict[str, object] = {name: _StandInDtype(name) for name in names}
    members |= {"Tensor": _StandInTensor, "cuda": cuda}
    for name, member in members.items():
        setattr(torch, name, member)
    stream: object = type("Stream", (), {})
    for name, member in {"Stream": stream, "is_available": lambda: False}.items():
        setattr(cuda, name, member)
    return torch


class Frontend:
    """flydsl, imported for one target. `version` is the version of the package that was found."""

    def __init__(self, target: Target) -> None:
        """Import flydsl; the environment already names the target's chip. Raises FrontendError when it cannot be."""
        self._torch = _import_flydsl()
        self._compiler: Any = importlib.import_module("flydsl.compiler")
        self._expr: Any = importlib.import_module("flydsl.expr")
        self.version = str(importlib.import_module("flydsl").__version__)
        if target.is_generic:
            _register_generic(self._compiler, target)

    def compile(self, launcher: Launcher, arguments: Mapping[str, Example]) -> tuple[bytes, Json]:
        """Compile `launcher` and return the code object with its launch plan as JSON."""
        function = getattr(launcher, "func", None)
        if function is None:
            raise FrontendError("launcher() did not return a @flyc.jit function")
        values, parameters = self._bind(inspect.signature(function), arguments)
        launcher(*values)
        last = getattr(launcher, "_last_compiled", None)
        if last is None:
            raise FrontendError("flydsl compiled nothing: is COMPILE_ONLY understood by this version?")
        return self._take_apart(last[1].ir, parameters)

    def _bind(
        self, signature: inspect.Signature, arguments: Mapping[str, Example]
    ) -> tuple[list[object], list[HostParameter]]:
        values: list[object] = []
        parameters: list[HostParameter] = []
        left = dict(arguments)
        for name, parameter in signature.parameters.items():
            annotation = parameter.annotation
            # With postponed evaluation an annotation is its text.
            if annotation is self._expr.Stream or str(annotation).endswith("Stream") or name == "stream":
                parameters.append(HostParameter(name, "stream"))
                values.append(self._expr.Stream(None))
                continue
            if name not in left:
                raise FrontendError(f"arguments() gives no example for the launch parameter {name!r}")
            example = left.pop(name)
            values.append(self._placeholder(example))
            if "Constexpr" not in repr(annotation):
                parameters.append(_host_parameter(name, example))
        if left:
            raise FrontendError(f"arguments() names {sorted(left)}, which the launch function does not take")
        return values, parameters

    def _placeholder(self, example: Example) -> object:
        if isinstance(example, Pointer):
            element = getattr(self._expr, _named(_DTYPES, example.dtype))
            return self._compiler.from_c_void_p(element, _PLACEHOLDER_ADDRESS, assumed_align=example.align)
        if isinstance(example, Tensor):
            if self._torch is None:
                raise FrontendError("tensor arguments are compiled with the stand-in for torch; uninstall torch here")
            return _StandInTensor(example.shape, getattr(self._torch, _named(_TORCH_DTYPES, example.dtype)))
        return example

    def _take_apart(self, text: str, parameters: list[HostParameter]) -> tuple[bytes, Json]:
        """Find the object and the host function in the compiled module's text."""
        ir: Any = importlib.import_module("flydsl._mlir.ir")
        gpu: Any = importlib.import_module("flydsl._mlir.dialects.gpu")
        context = ir.Context()
        context.enable_multithreading(False)
        context.load_all_available_dialects()
        with context:
            module = ir.Module.parse(text)
            binaries = [op for op in module.body.operations if op.operation.name == "gpu.binary"]
            if len(binaries) != 1:
                raise FrontendError(f"the compiled module has {len(binaries)} device binaries; one is expected")
            objects = ir.ArrayAttr(binaries[0].operation.attributes["objects"])
            # 0.3.4 serialises two objects on RDNA: first with default options, then with those asked for.
            code = bytes(gpu.ObjectAttr(objects[len(objects) - 1]).object)
            return code, plan_of_module(module, parameters)


def _named(names: Mapping[str, str], dtype: str) -> str:
    try:
        return names[dtype]
    except KeyError:
        raise FrontendError(f"unknown element type {dtype!r}; known: {', '.join(names)}") from None


def _host_parameter(name: str, example: Example) -> HostParameter:
    if isinstance(example, Pointer):
        return HostParameter(name, "pointer", example.dtype)
    if isinstance(example, Tensor):
        return HostParameter(name, "tensor", example.dtype, len(example.shape))
    return HostParameter(name, "scalar")


def _import_flydsl() -> types.ModuleType | None:
    """Import flydsl, with a stand-in where torch is absent, and return the stand-in.

    The stand-in is taken out of `sys.modules` again, so that kernel files which try to import torch see that it is
    absent, as they would on a machine without it.
    """
    stand_in = None
    if importlib.util.find_spec("torch") is None:
        stand_in = _stand_in_torch()
        sys.modules["torch"] = stand_in
        sys.modules["torch.cuda"] = stand_in.cuda
    try:
        importlib.import_module("flydsl.compiler")
        importlib.import_module("flydsl.expr")
    except ImportError as error:
        raise FrontendError(f"flydsl cannot be imported: {error}") from error
    finally:
        if stand_in is not None:
            del sys.modules["torch"], sys.modules["torch.cuda"]
    return stand_in


def _register_generic(compiler: Any, target: Target) -> None:
    """Lower for the member chip, and give the family's name to final code generation only.

    The lowering passes reject family names ("Invalid chipset name"); LLVM knows them.
    """
    rocm: Any = importlib.import_module("flydsl.compiler.backends.rocm")
    base: Any = rocm.RocmBackend
    attach, chip, family = "rocdl-attach-target", f"chip={target.chip} ", f"chip={target.name} "

    def rename(part: Any) -> Any:
        return part.replace(chip, family) if isinstance(part, str) and part.startswith(attach) else part

    def pipeline_fragments(self: Any, **hints: Any) -> list[str]:
        return [rename(part) for part in base.pipeline_fragments(self, **hints)]

    def external_binary_pipeline_fragments(self: Any, **hints: Any) -> tuple[list[str], str]:
        before, binary = base.external_binary_pipeline_fragments(self, **hints)
        return [rename(part) for part in before], binary

    def gpu_module_targets(self: Any) -> list[str]:
        return []  # 0.3.4 would attach the member chip as a second target here

    methods = {
        function.__name__: function
        for function in (pipeline_fragments, external_binary_pipeline_fragments, gpu_module_targets)
    }
    compiler.register_backend("rocm", type("GenericRocmBackend", (base,), methods), force=True)
