# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Properties of carrying: any choice of patches, in any order, over any change of upstream's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from submit.standings import bare_standing
from support.chains import Shelf
from vendorctl.git.oid import Oid
from vendorctl.series.content import ContentMerger
from vendorctl.series.patch import Patch
from vendorctl.submit.carrying import Carrier
from vendorctl.submit.ground import Ground
from vendorctl.submit.plan import with_needed
from vendorctl.upstream.refs import ResolvedRef
from vendorctl.upstream.source import Source

LINES = 60
#: Places far enough from each other that their hunks never meet.
PLACES = tuple(range(5, LINES, 10))
PIN = Oid(b"\x11" * 20)
TIP = Oid(b"\x22" * 20)


def text(values: dict[int, str]) -> str:
    return "".join(f"{values.get(number, f'line {number}')}\n" for number in range(LINES))


class Scene:
    """Patches that each set one place, over an upstream that has changed the other lines given."""

    def __init__(self, places: Sequence[int], upstream: dict[int, str]) -> None:
        self.shelf = Shelf()
        self.places = places
        values: dict[int, str] = {}
        states = []
        for number, place in enumerate(places, start=1):
            values[place] = f"patch {number}"
            states.append({"a.txt": text(values)})
        chain = self.shelf.chain({"a.txt": text({})}, *states)
        blobs = self.shelf.blobs | dict(chain.blobs)
        tree = self.shelf.tree({"a.txt": text(upstream)})
        standing = bare_standing(chain, blobs, url="../up", pin=PIN, root_tree=chain.trees[0].oid, include=("**",))
        self.ground = Ground(
            standing=standing,
            source=cast(Source, None),  # carrying never asks it
            tip=ResolvedRef("refs/heads/main", TIP, TIP),
            tree=tree,
            history=None,
            moves=(),
            blobs=blobs | self.shelf.blobs,
        )

    @property
    def patches(self) -> tuple[Patch, ...]:
        return self.ground.standing.series.patches

    def expected(self, chosen: Sequence[Patch], upstream: dict[int, str]) -> str:
        """The tip with the places of the chosen patches set, each to its last chosen one."""
        return text(upstream | {self.places[patch.number - 1]: f"patch {patch.number}" for patch in chosen})


QUIET = st.dictionaries(st.sampled_from(range(0, LINES, 10)), st.sampled_from(["theirs", "theirs too"]), max_size=4)


@settings(max_examples=20)  # each merges dozens of times, with a process for each
@given(order=st.permutations(range(len(PLACES))), count=st.integers(1, len(PLACES)), upstream=QUIET)
def test_independent_patches_go_in_any_order_and_number(order: list[int], count: int, upstream: dict[int, str]) -> None:
    scene = Scene(PLACES, upstream)
    chosen = [scene.patches[index] for index in order[:count]]
    with ContentMerger() as merger:
        carrier = Carrier(scene.ground, merger)
        plan = carrier.plan(chosen)
        assert carrier.needs(chosen) == ()
    assert plan.applied is not None
    made = {**plan.applied.blobs, **scene.shelf.blobs}
    assert made[plan.applied.patched[b"a.txt"].oid].decode() == scene.expected(chosen, upstream)
    assert [outcome.patch.number for outcome in plan.outcomes] == [patch.number for patch in chosen]


@settings(max_examples=20)  # each merges dozens of times, with a process for each
@given(places=st.lists(st.sampled_from(PLACES[:3]), min_size=2, max_size=6), data=st.data(), upstream=QUIET)
def test_what_is_needed_is_found_whole_and_nothing_more(
    places: list[int], data: st.DataObject, upstream: dict[int, str]
) -> None:
    """Patches that set the same place need each other in a chain, and no patch of another place."""
    scene = Scene(places, upstream)
    wanted = data.draw(st.integers(1, len(places)))
    patch = scene.patches[wanted - 1]
    earlier = [number for number, place in enumerate(places[: wanted - 1], start=1) if place == places[wanted - 1]]
    with ContentMerger() as merger:
        carrier = Carrier(scene.ground, merger)
        together = with_needed(carrier, [patch])
        assert [each.number for each in together] == [*earlier, wanted]
        plan = carrier.plan(together)
        alone = carrier.plan([patch])
    assert plan.stuck is None
    assert (alone.stuck is None) == (not earlier)
