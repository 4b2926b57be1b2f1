"""The categories of one axis as a tree, read from the database: those of a level, and those that an answer implies."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import quote

from django.urls import reverse

from kb.models import Node

LEVELS = (1, 2)
ANY_CODE = "code"


@dataclass(frozen=True)
class Branch:
    """A category: its node and its place in the tree. `distributed`: it occurs only where several processes work."""

    id: int
    parent_id: int | None
    code: str
    name: str
    url: str
    is_active: bool = True
    distributed: bool | None = None


@dataclass(frozen=True)
class Tree:
    """The categories of one axis in their order, parents before their children."""

    branches: Mapping[int, Branch] = field(default_factory=dict)

    @cached_property
    def by_code(self) -> dict[str, Branch]:
        """The categories by their codes."""
        return {branch.code: branch for branch in self.branches.values()}

    def depth(self, branch: Branch) -> int:
        """1 for a root."""
        return 1 if branch.parent_id is None else 1 + self.depth(self.branches[branch.parent_id])

    def shown(self, level: int) -> tuple[Branch, ...]:
        """The categories at this depth, and shallower ones that have nothing below them."""
        parents = {branch.parent_id for branch in self.branches.values() if branch.is_active}
        branches = []
        for branch in self.branches.values():
            depth = self.depth(branch)
            if depth == level or (depth < level and branch.id not in parents):
                branches.append(branch)
        return tuple(branches)

    def above(self, pk: int) -> Iterable[int]:
        """The node itself and all above it; none for a node of another tree."""
        branch = self.branches.get(pk)
        while branch:
            yield branch.id
            branch = self.branches.get(branch.parent_id) if branch.parent_id else None

    def is_within(self, code: str, codes: Iterable[str]) -> bool:
        """Whether the category is one of these or below one of them."""
        if code not in self.by_code:
            return False
        above = {self.branches[pk].code for pk in self.above(self.by_code[code].id)}
        return not above.isdisjoint(codes)

    def implied(self, answers: Iterable[int], shown: frozenset[int]) -> frozenset[int]:
        """Which of the shown categories an issue with these answers belongs to."""
        pks: set[int] = set()
        for answer in answers:
            pks.update(self.above(answer))
        return shown & pks


def trees(scheme: str, axes: Sequence[str]) -> dict[str, Tree]:
    """The trees of these axes of a scheme, by axis; an axis that the scheme lacks has an empty one."""
    nodes = (
        Node.objects.filter(axis__scheme__slug=scheme, axis__code__in=axes)
        .exclude(status=Node.Status.MERGED)
        .order_by("axis__position", "position", "code")
        .values_list("axis__code", "id", "parent_id", "code", "name", "status", "specific_to_distributed")
    )
    branches: dict[str, dict[int, Branch]] = {axis: {} for axis in axes}
    # One address for each axis is looked up, not one for each of some hundred nodes.
    bases = {axis: reverse("node", args=(scheme, axis, ANY_CODE)).removesuffix(ANY_CODE) for axis in axes}
    for axis, pk, parent, code, name, status, distributed in nodes:
        url = bases[axis] + quote(code, safe="")
        branches[axis][pk] = Branch(pk, parent, code, name, url, status == Node.Status.ACTIVE, distributed)
    return {axis: Tree(branches[axis]) for axis in axes}
