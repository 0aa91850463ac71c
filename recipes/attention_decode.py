# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Attention of one new token over cached keys: partial results per split of the keys, and their merge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from recipe_support import TOLERANCE, blank, double, expected, normal

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
    import numpy.typing as npt

#: (lengths of the sequences, cache size, keys per split, query heads per key head, key heads)
SHAPES = (((64,), 64, 32, 1, 1), ((77, 5), 80, 32, 4, 2), ((1,), 16, 16, 16, 1))


class AttentionDecode(Recipe):
    """Rows: the stage, the type, the head dimension."""

    operation = "attention_decode"
    upstream = "minikernels-next"
    declines = (
        Decline("more than 16 query heads per key head", "they are the 16 columns of one matrix tile"),
        Decline("paged caches", "keys of a sequence are contiguous"),
        Decline("f32 inputs", "the matrix instructions take 16-bit operands"),
    )

    def instances(self, target: Target) -> Iterator[Instance | Excluded]:
        """Both stages for every type and head dimension."""
        for stage in ("split", "merge"):
            for dtype in ("f16", "bf16"):
                for head_dim in (64, 96, 128):
                    yield row(stage=stage, dtype=dtype, d=head_dim)

    def launcher(self, instance: Instance) -> Launcher:
        """`minikernels.decode`."""
        from minikernels.decode import build_decode, build_merge

        build = build_merge if instance.text("stage") == "merge" else build_decode
        launch: Launcher = build(instance.number("d"), instance.text("dtype"))
        return launch

    def arguments(self, instance: Instance) -> Mapping[str, Example]:
        """Partial results are f32, lengths i32."""
        tensor, f32 = Pointer(instance.text("dtype")), Pointer("f32")
        partial: dict[str, Example] = {"acc": f32, "top": f32, "total": f32}
        if instance.text("stage") == "merge":
            return {**partial, "o": tensor, "splits": 2, "group": 1, "kv_heads": 2}
        sizes: dict[str, Example] = {"seq": 64, "split": 32, "splits": 2, "group": 1, "kv_heads": 2}
        tensors = {"q": tensor, "k": tensor, "v": tensor, "lengths": Pointer("i32")}
        return {**tensors, **partial, **sizes, "scale": 0.125, "batch": 1}

    def accepts(self, instance: Instance) -> Iterator[Constraint]:
        """The stage, the type and the head dimension; bounds on heads and keys."""
        yield Constraint("stage", "equals", instance.text("stage"), "split first, then merge")
        yield Constraint("dtype", "equals", instance.text("dtype"), "storage type of q, k, v and o")
        yield Constraint("head_dim", "equals", instance.number("d"), "tiles are unrolled over it")
        if instance.text("stage") == "split":
            yield Constraint("group", "at-least", 1, "a key head serves at least one query head")
            yield Constraint("group", "at-most", 16, "query heads are the columns of one matrix tile")
            yield Constraint("seq", "at-most", (2**31 - 1) // instance.number("d"), "row offsets are 32 bits")

    def cases(self, instance: Instance, rng: np.random.Generator) -> Iterator[Case]:
        """Full, ragged and tiny caches; splits without any key."""
        for lengths, seq, split, group, kv_heads in SHAPES:
            case = self._split_case(instance, rng, lengths, seq, split, group, kv_heads)
            yield case if instance.text("stage") == "split" else self._merge_case(instance, case)

    def _split_case(
        self,
        instance: Instance,
        rng: np.random.Generator,
        lengths: tuple[int, ...],
        seq: int,
        split: int,
        group: int,
        kv_heads: int,
    ) -> Case:
        import numpy as np

        dtype, d, batch = instance.text("dtype"), instance.number("d"), len(lengths)
        splits = -(-seq // split)
        sizes = {"seq": seq, "split": split, "splits": splits, "group": group, "kv_heads": kv_heads, "batch": batch}
        arguments: dict[str, Any] = {
            "q": normal(rng, (batch, kv_heads, group, d), dtype),
            "k": normal(rng, (batch, kv_heads, seq, d), dtype),
            "v": normal(rng, (batch, kv_heads, seq, d), dtype),
            "lengths": np.array(lengths, np.int32),
            "acc": blank((batch, kv_heads, splits, group, d), "f32"),
            "top": blank((batch, kv_heads, splits, group), "f32"),
            "total": blank((batch, kv_heads, splits, group), "f32"),
            "scale": d**-0.5,
        }
        name = f"{lengths} of {seq} keys in {splits} splits, {kv_heads} x {group} heads"
        return Case(name=name, arguments=arguments | sizes, outputs=("acc", "top", "total"))

    def _merge_case(self, instance: Instance, split: Case) -> Case:
        """The exact partial results of a split case, rounded to f32, as inputs."""
        import numpy as np

        acc, top, total = (part.astype(np.float32) for part in _partials(split.arguments))
        batch, kv_heads, splits, group = top.shape
        heads = batch * kv_heads
        arguments = {
            "acc": acc.reshape(heads, splits, group, -1),
            "top": top.reshape(heads, splits, group),
            "total": total.reshape(heads, splits, group),
            "o": blank((heads, group, acc.shape[-1]), instance.text("dtype")),
            "splits": splits,
            "group": group,
            "kv_heads": heads,
        }
        return Case(name=split.name, arguments=arguments, outputs=("o",))

    def reference(self, instance: Instance, case: Case) -> Mapping[str, Expected]:
        """Partial results or the merged output, in float64."""
        import numpy as np

        if instance.text("stage") == "merge":
            acc, top, total = (double(case.arguments[name]) for name in ("acc", "top", "total"))
            weight = np.exp(top - top.max(axis=1, keepdims=True))
            o = (weight[..., None] * acc).sum(axis=1) / (weight * total).sum(axis=1)[..., None]
            return {"o": expected(o, instance.text("dtype"), factor=2.0)}
        acc, top, total = _partials(case.arguments)
        finite = np.abs(top[np.isfinite(top)]).max()
        # Exponentials are rounded to the storage type before they meet v.
        return {
            "acc": Expected(values=acc, tolerance=TOLERANCE[instance.text("dtype")], scale=float(np.abs(acc).max())),
            "top": Expected(values=top, tolerance=5e-6, scale=float(max(finite, 1.0))),
            "total": Expected(values=total, tolerance=1e-4, scale=float(total.max())),
        }


def _partials(arguments: Mapping[str, Any]) -> tuple[npt.NDArray[np.float64], ...]:
    """In float64: acc [batch, kv_heads, splits, group, d], and top and total [batch, kv_heads, splits, group]."""
    import numpy as np

    q, k, v = (double(arguments[name]) for name in ("q", "k", "v"))
    splits, split = arguments["splits"], arguments["split"]
    scores = np.einsum("bhgd,bhjd->bhgj", q, k) * float(np.float32(arguments["scale"]))
    parts = []
    for part in range(splits):
        inside = np.zeros(scores.shape, bool)
        for index, length in enumerate(arguments["lengths"]):
            inside[index, :, :, part * split : min((part + 1) * split, int(length))] = True
        top = np.where(inside, scores, -np.inf).max(axis=-1)
        shift = np.where(np.isfinite(top), top, 0.0)[..., None]
        weight = np.where(inside, np.exp(np.where(inside, scores - shift, 0.0)), 0.0)
        parts.append((np.einsum("bhgj,bhjd->bhgd", weight, v), top, weight.sum(axis=-1)))
    return tuple(np.stack(column, axis=2) for column in zip(*parts, strict=True))


RECIPE = AttentionDecode()
