"""Where changes landed in a graph, and which releases contain each commit. Pure."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from packaging.version import Version

from ingest.git.graph import Graph
from kb.core.histories import ReleaseFacts, candidates, judged

# A pull request by its number, else a commit by its place.
Key = tuple[str, int]
ON_TRUNK = 1


@dataclass
class Landings:
    """Where each change landed, and where it was taken back (-1) or given again (+1): places of commits."""

    graph: Graph
    releases: Sequence[ReleaseFacts]
    head: int
    asked: frozenset[int]
    places: dict[Key, list[int]] = field(default_factory=lambda: defaultdict(list))
    undone: dict[Key, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    # What each revert did to which changes.
    effects: dict[int, list[tuple[Key, int]]] = field(default_factory=dict)

    @cached_property
    def judged(self) -> list[ReleaseFacts]:
        """The releases that are asked, in order; the candidates after them."""
        return [*judged(self.releases), *candidates(self.releases)]

    @cached_property
    def finals(self) -> int:
        """How many of these are no candidates."""
        return len(judged(self.releases))

    @cached_property
    def versions(self) -> list[Version]:
        """Their versions."""
        return [release.version for release in self.judged]

    @cached_property
    def masks(self) -> list[int]:
        """Of each commit: bit 0 says that the default branch contains it, bit 1 and on that a release does."""
        marked: dict[int, int] = defaultdict(int)
        marked[self.head] |= ON_TRUNK
        for number, release in enumerate(self.judged, start=1):
            marked[self.graph.places[release.commit]] |= 1 << number
        return self.graph.masks(marked)

    def first_release(self, place: int) -> str | None:
        """The lowest version that has a commit or a copy of it."""
        copies = {place, *self.twins[self.graph.alike[place]]}
        for key in self.keys.get(place, ()):
            copies.update(self.places[key])
        bits = 0
        for copy in copies:
            bits |= self.masks[copy] >> 1 & (1 << self.finals) - 1
        return str(self.versions[lowest(bits)]) if bits else None

    @cached_property
    def landed(self) -> dict[int, int]:
        """The commit of the default branch that brought each of its commits."""
        return self.graph.landings(self.head)

    @cached_property
    def keys(self) -> dict[int, list[Key]]:
        """The changes that each commit lands."""
        keys: dict[int, list[Key]] = defaultdict(list)
        for key, places in self.places.items():
            for place in places:
                keys[place].append(key)
        return keys

    @cached_property
    def merges(self) -> set[int]:
        """Merge commits of pull requests: what they brought belongs to the pull request."""
        graph = self.graph
        return {place for place, message in graph.messages.items() if message.pulls and len(graph.parents[place]) > 1}

    @cached_property
    def by_title(self) -> dict[str, int]:
        """The newest commit with each title."""
        return {title: place for place, title in reversed(list(enumerate(self.graph.titles)))}

    @cached_property
    def twins(self) -> dict[int, list[int]]:
        """Commits by author, author's time and title."""
        twins: dict[int, list[int]] = defaultdict(list)
        for place, alike in enumerate(self.graph.alike):
            twins[alike].append(place)
        return twins


def lowest(bits: int) -> int:
    """The number of the lowest bit; -1 of none."""
    return (bits & -bits).bit_length() - 1
