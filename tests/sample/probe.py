# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""A recipe that compiles one kernel of every kind that some release or edit of the sample has."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from vendorctl.kernels.recipe import Example, Excluded, Instance, Launcher, Pointer, Recipe, Target

Values: TypeAlias = dict[str, Any]


class Kernel(NamedTuple):
    """A builder, what it is called with, and example arguments: a dtype for a pointer, else a number."""

    module: str
    builder: str
    choices: Values
    arguments: Values


_B: Values = {"x": "bf16", "w": "bf16", "y": "bf16", "inv_rms": "f32"}
_F32_WEIGHTS: Values = _B | {"w": "f32"}
_ROWS: Values = {"rows": 4}
_EPS: Values = {"eps": 1e-5, "rows": 4}
_QKV: Values = dict.fromkeys("qkvo", "bf16") | {"seq": 64, "group": 2, "kv_heads": 2, "scale": 0.125}
_PARTS: Values = {"acc": "f32", "top": "f32", "total": "f32"}
_BACKWARD: Values = _F32_WEIGHTS | {"dy": "bf16", "dx": "bf16", "partial": "f32", "rows": 4, "groups": 2}
_STAGE_ONE: Values = {name: _BACKWARD[name] for name in ("x", "w", "dy", "inv_rms", "dx", "partial", "rows", "groups")}
_DECODE: Values = {"q": "bf16", "k": "bf16", "v": "bf16", "lengths": "i32", **_PARTS}
_DECODE_SIZES: Values = {"seq": 64, "split": 32, "splits": 2, "group": 2, "kv_heads": 2, "scale": 0.125, "batch": 1}

_MERGE: Values = _PARTS | {"o": "bf16", "splits": 2, "group": 2, "kv_heads": 2}

_FORWARD: Values = {"n": 1003, "store_inv_rms": True}
_TYPED: Values = {"in_dtype": "bf16", "out_dtype": "bf16"}
_WEIGHTS: Values = {"weight_dtype": "f32"}
_BAKED: Values = {"dtype": "bf16"}

KERNELS = {
    "forward": Kernel("rmsnorm", "build_forward", _FORWARD | _BAKED, _B | _ROWS),
    "forward-epsilon": Kernel("rmsnorm", "build_forward", _FORWARD | _BAKED, _B | _EPS),
    "forward-weights": Kernel("rmsnorm", "build_forward", _FORWARD | _BAKED | _WEIGHTS, _F32_WEIGHTS | _EPS),
    "forward-typed": Kernel("norm.rmsnorm", "build_forward", _FORWARD | _TYPED, _B | _ROWS),
    "forward-resolved": Kernel("norm.rmsnorm", "build_forward", _FORWARD | _TYPED | _WEIGHTS, _F32_WEIGHTS | _EPS),
    "forward-landed": Kernel("norm.rmsnorm", "build_forward", _FORWARD | _TYPED, _B | _EPS),
    "forward-dynamic": Kernel(
        "norm.rmsnorm_dynamic", "build_forward_dynamic", _TYPED | _WEIGHTS, _F32_WEIGHTS | {"n": 100} | _EPS
    ),
    "backward": Kernel("rmsnorm_backward", "build_backward", {"n": 1003} | _BAKED | _WEIGHTS, _STAGE_ONE),
    "backward-moved": Kernel("norm.rmsnorm_backward", "build_backward", {"n": 1003} | _BAKED | _WEIGHTS, _STAGE_ONE),
    "gradient": Kernel(
        "norm.rmsnorm_backward", "build_weight_gradient", _WEIGHTS, {"partial": "f32", "dw": "f32", "n": 9, "groups": 2}
    ),
    "softmax": Kernel("softmax", "build_softmax", {"n": 1000} | _BAKED, {"x": "bf16", "out": "bf16"} | _ROWS),
    "softmax-dynamic": Kernel(
        "softmax_dynamic", "build_softmax_dynamic", _BAKED, {"x": "bf16", "out": "bf16", "n": 100} | _ROWS
    ),
    "attention": Kernel("attention", "build_attention", {"head_dim": 96} | _BAKED, _QKV),
    "attention-causal": Kernel("attention", "build_attention", {"head_dim": 128, "causal": True} | _BAKED, _QKV),
    "decode": Kernel("decode", "build_decode", {"head_dim": 96} | _BAKED, _DECODE | _DECODE_SIZES),
    "merge": Kernel(
        "decode",
        "build_merge",
        {"head_dim": 96} | _BAKED,
        _PARTS | {"o": "bf16", "splits": 2, "group": 2, "kv_heads": 2},
    ),
    "tile": Kernel("matrix", "build_tile_product", _BAKED, {"a": "bf16", "b": "bf16", "d": "f32"}),
}


class Probe(Recipe):
    """Rows come from the test, which knows what each release has."""

    operation = "probe"
    upstream = "minikernels"

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        yield from ()

    def launcher(self, instance: Instance) -> Launcher:
        kernel = KERNELS[instance.text("kernel")]
        module = importlib.import_module(f"minikernels.{kernel.module}")
        launcher: Launcher = getattr(module, kernel.builder)(**kernel.choices)
        return launcher

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        arguments = KERNELS[instance.text("kernel")].arguments
        return {name: Pointer(value) if isinstance(value, str) else value for name, value in arguments.items()}


RECIPE = Probe()
