# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Attention forward on matrix instructions: MFMA on gfx9, WMMA on gfx11 and gfx12; grouped-query heads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from recipe_support import blank, double, expected, normal

from vendorctl.kernels.recipe import (
    Case,
    Constraint,
    Decline,
    Example,
    Excluded,
    Expected,
    Instance,
    Launcher,
    Pointer,
    Recipe,
    Target,
    row,
)

if TYPE_CHECKING:
    import numpy as np


class AttentionForward(Recipe):
    """Rows: type, head dimension, mask."""

    operation = "attention_fwd"
    upstream = "minikernels-next"
    declines = (
        Decline("f32 inputs", "the matrix instructions take 16-bit operands"),
        Decline("head dimensions above 128", "upstream takes multiples of 16 up to 128"),
        Decline("masks other than causal, dropout, ALiBi", "not implemented upstream"),
        Decline("a key length that differs from the query length", "use attention_decode for cached keys"),
    )

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """Every type, head dimension and mask."""
        for dtype in ("f16", "bf16"):
            for head_dim in (64, 96, 128):
                for mask in ("full", "causal"):
                    yield row(dtype=dtype, d=head_dim, mask=mask)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.attention`."""
        from minikernels.attention import build_attention

        launch: Launcher = build_attention(
            instance.number("d"), instance.text("dtype"), causal=instance.text("mask") == "causal"
        )
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """Four tensors, three sizes, the scale."""
        tensor = Pointer(instance.text("dtype"))
        return {
            "q": tensor,
            "k": tensor,
            "v": tensor,
            "o": tensor,
            "seq": 64,
            "group": 1,
            "kv_heads": 2,
            "scale": 0.125,
        }

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        """The type, the head dimension and the mask; bounds on the length."""
        causal = instance.text("mask") == "causal"
        yield Constraint("dtype", "equals", instance.text("dtype"), "type of q, k, v and o")
        yield Constraint("head_dim", "equals", instance.number("d"), "tiles are unrolled over it")
        yield Constraint("causal", "equals", causal, "the mask decides the loop's end")
        yield Constraint("seq", "at-least", 1, "an empty row has no softmax")
        yield Constraint("seq", "at-most", (2**31 - 1) // instance.number("d"), "row offsets are 32 bits")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """Whole tiles, a tail with grouped heads, fewer queries than a tile."""
        for seq, group, kv_heads in ((64, 1, 1), (77, 2, 1), (5, 1, 2)):
            yield self._case(instance, rng, seq, group, kv_heads)

    def _case(self, instance: Instance, rng: np.random.Generator, seq: int, group: int, kv_heads: int) -> Case:
        dtype, d = instance.text("dtype"), instance.number("d")
        arguments = {
            "q": normal(rng, (kv_heads, group, seq, d), dtype),
            "k": normal(rng, (kv_heads, seq, d), dtype),
            "v": normal(rng, (kv_heads, seq, d), dtype),
            "o": blank((kv_heads, group, seq, d), dtype),
            "seq": seq,
            "group": group,
            "kv_heads": kv_heads,
            "scale": d**-0.5,
        }
        name = f"{seq} tokens, {kv_heads} key heads, {group} query heads each"
        return Case(name=name, arguments=arguments, outputs=("o",))

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """Softmax and both products in float64 from the stored values."""
        import numpy as np

        q, k, v = (double(case.arguments[name]) for name in ("q", "k", "v"))
        s = np.einsum("hgid,hjd->hgij", q, k) * float(np.float32(case.arguments["scale"]))
        if instance.text("mask") == "causal":
            s = np.where(np.tril(np.ones(s.shape[-2:], bool)), s, -np.inf)
        e = np.exp(s - s.max(axis=-1, keepdims=True))
        o = np.einsum("hgij,hjd->hgid", e / e.sum(axis=-1, keepdims=True), v)
        # Probabilities are rounded to the storage type before the second product, the result once more.
        return {"o": expected(o, instance.text("dtype"), factor=2.0)}


RECIPE = AttentionForward()
