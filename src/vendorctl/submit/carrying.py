# SPDX-FileCopyrightText: 2026 The vendorctl authors
# SPDX-License-Identifier: Apache-2.0

"""Chosen patches carried to the tip in the order wanted, without those that were not chosen.

Each is merged three-way as in a bump, so that a patch whose neighbours in the series stay at home still fits. A patch
that does not fit either needs a patch that was left out, which is then named, or disputes lines with upstream.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from vendorctl.git.objects import Blobs
from vendorctl.git.tree import Tree
from vendorctl.paths import display
from vendorctl.series.bump import BumpPlan, BumpRequest, Link, OutcomeKind, links_of, plan_bump
from vendorctl.series.carry import side_labels
from vendorctl.series.content import ContentMerger
from vendorctl.series.merge import Conflict, Settled
from vendorctl.series.patch import Patch
from vendorctl.submit.ground import Ground
from vendorctl.vendor.contents import ChainedBlobs

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Need:
    """`patch` cannot go upstream without `needed`, `because` of this; `certain`: it would not even apply."""

    patch: Patch
    needed: Patch
    because: str
    certain: bool


@dataclass(frozen=True)
class Carrier:
    """Carries patches of one series to its ground. `resolve` offers recorded decisions about conflicts."""

    ground: Ground
    merger: ContentMerger
    resolve: Callable[[Conflict], Settled | None] = lambda _conflict: None

    def plan(self, patches: Sequence[Patch], *, halt: bool = True) -> BumpPlan:
        """What carrying these patches, in this order, gives."""
        ground = self.ground
        old, new = ground.standing.locked.commit, ground.tip.commit
        request = BumpRequest(
            old=ground.standing.applied,
            new=ground.tree,
            blobs=ground.blobs,
            moves=ground.moves,
            labels=lambda patch: side_labels(old, new, patch),
            resolve=lambda _patch, conflict: self.resolve(conflict),
            halt=halt,
            links=tuple(self._links[patch.number] for patch in patches),
        )
        return plan_bump(request, self.merger)

    @cached_property
    def _links(self) -> dict[int, Link]:
        return {link.patch.number: link for link in links_of(self.ground.standing.applied)}

    def needs(self, chosen: Sequence[Patch]) -> tuple[Need, ...]:
        """What the chosen patches need of those left out, by patch and then by what is needed.

        Certain needs are found by carrying: the fewest earlier patches with which a patch fits that does not fit
        without. The others are names that a patch uses and another one introduces.
        """
        found: dict[tuple[int, int], Need] = {}
        for index, outcome in enumerate(self.plan(chosen, halt=False).outcomes):
            patch = outcome.patch
            if outcome.kind is OutcomeKind.CONFLICT:
                for needed in self._fewest(patch, chosen[:index], self._left_out(patch, chosen)):
                    why = f"it changes lines that {needed.file_name} made"
                    found[patch.number, needed.number] = Need(patch, needed, why, True)
            for needed, name in self._names(patch, self._left_out(patch, chosen)):
                why = f"it uses `{name}`, which {needed.file_name} introduces"
                found.setdefault((patch.number, needed.number), Need(patch, needed, why, False))
        return tuple(found[key] for key in sorted(found))

    def _left_out(self, patch: Patch, chosen: Iterable[Patch]) -> list[Patch]:
        """Patches before this one that were not chosen, in series order."""
        taken = {each.number for each in chosen}
        series = self.ground.standing.series.patches
        return [each for each in series if each.number < patch.number and each.number not in taken]

    def _fewest(self, patch: Patch, before: Sequence[Patch], candidates: list[Patch]) -> list[Patch]:
        """The fewest of the candidates with which `patch` fits; none when it does not fit even with all of them."""
        needed = [each for each in candidates if self._paths(each) & self._paths(patch)]
        if not needed or not self._fits(patch, before, needed):
            return []
        for each in list(reversed(needed)):
            fewer = [other for other in needed if other is not each]
            if self._fits(patch, before, fewer):
                needed = fewer
        return needed

    def _fits(self, patch: Patch, before: Sequence[Patch], added: Sequence[Patch]) -> bool:
        order = sorted([*before, *added], key=lambda each: each.number)
        return self.plan([*order, patch], halt=False).outcomes[-1].kind is not OutcomeKind.CONFLICT

    def _paths(self, patch: Patch) -> set[bytes]:
        """Every path that a patch names."""
        both = [path for change in patch.changes for path in (change.path, change.old_path)]
        return {path for path in both if path is not None}

    def _names(self, patch: Patch, left_out: Iterable[Patch]) -> Iterable[tuple[Patch, str]]:
        """The first name, by left-out patch, that `patch` writes and only that patch introduces."""
        written = {word for line in added_lines(patch) for word in _WORD.findall(line)}
        ground, blobs = self.ground, ChainedBlobs(self.ground.standing.applied.blobs, self.ground.blobs)
        for other in left_out:
            link = self._links[other.number]
            here = {path for path in link.before.difference(link.after) if path.endswith(b".py")}
            made = definitions(link.after, here, blobs) - definitions(link.before, here, blobs)
            upstream = definitions(ground.tree, here, blobs)
            for name in sorted((made - upstream) & written)[:1]:
                yield other, name


def added_lines(patch: Patch) -> list[str]:
    """The text of every line that a patch adds, without line ends."""
    lines = (line for change in patch.changes for hunk in change.hunks for line in hunk.lines)
    return [display(line.text.rstrip(b"\r\n")) for line in lines if line.sign == b"+"]


def definitions(tree: Tree, paths: Iterable[bytes], blobs: Blobs) -> set[str]:
    """Names of functions, classes and module variables that these Python files define; unreadable files define none."""
    names: set[str] = set()
    for path in paths:
        entry = tree.get(path)
        if entry is None or not entry.mode.is_regular:
            continue
        try:
            module = ast.parse(blobs[entry.oid])
        except (SyntaxError, ValueError, RecursionError, KeyError):
            continue
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(node.name)
        for statement in module.body:
            if isinstance(statement, ast.Assign):
                names |= {target.id for target in statement.targets if isinstance(target, ast.Name)}
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                names.add(statement.target.id)
    return names
