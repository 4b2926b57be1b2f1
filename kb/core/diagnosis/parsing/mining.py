"""Groups of texts that differ in a few words only, as Drain makes them.

He, Zhu, Zheng, Lyu: Drain, ICWS 2017: a tree by number of words and first word, then the most similar group.
Each text comes once only, already masked, so that thousands of texts are searched for, not millions of lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

ANY = "<*>"
# So many of the words have to be the same; a group is never made of lines that share less.
SIMILAR = 0.7
SHORTEST = 4
MOST_GROUPS = 400
FEW = 8
# What is remembered has an end, however long a log goes on in new words.
MOST_TEXTS, MOST_BRANCHES = 40_000, 40_000


@dataclass(eq=False, slots=True)
class Group:
    """Lines of one kind: `words` with `<*>` where they differ."""

    words: list[str]

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(self.words)


@dataclass
class Branch:
    """Groups of equally many words; of more than a few, also an index of which word stood where in which of them."""

    groups: list[Group] = field(default_factory=list)
    _index: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def add(self, group: Group) -> None:
        """Add a group."""
        self.groups.append(group)
        if len(self.groups) > FEW:
            for number in range(len(self.groups) - 1 if self._index else 0, len(self.groups)):
                for place in enumerate(self.groups[number].words):
                    self._index.setdefault(place, []).append(number)

    def nearest(self, words: Sequence[str], floor: int) -> tuple[Group | None, int]:
        """The first group with the most of these words, if that is more than `floor`, and how many."""
        best, most = None, floor
        for group in self._candidates(words, floor):
            same = sum(map(str.__eq__, group.words, words))
            if same > most:
                best, most = group, same
        return best, most

    def _candidates(self, words: Sequence[str], floor: int) -> Iterator[Group]:
        """The groups that may have more than `floor` of the words.

        Such a group has at least one of any `len(words) - floor` of them, so those with one of the rarest will do.
        """
        if not self._index:
            return iter(self.groups)
        groups = sorted((self._index.get(place, ()) for place in enumerate(words)), key=len)
        rarest = groups[: len(words) - floor]
        return (self.groups[number] for number in sorted(set().union(*rarest)))


@dataclass
class Miner:
    """Puts masked texts together into groups."""

    _exact: dict[str, Group] = field(default_factory=dict)
    _branches: dict[tuple[int, str, str], Branch] = field(default_factory=dict)

    def group(self, masked: str) -> Group:
        """The group of this text; a new one if nothing is like it."""
        group = self._exact.get(masked)
        if group is None:
            group = self._nearest(masked.split(" "))
            if len(self._exact) < MOST_TEXTS:
                self._exact[masked] = group
        return group

    def _nearest(self, words: list[str]) -> Group:
        if len(words) < SHORTEST:
            return Group(words)
        last = words[-1] if "0" in words[-1] else ""
        place = (len(words), words[0], last)
        branch = self._branches.get(place) or Branch()
        best, most = branch.nearest(words, int(SIMILAR * len(words)))
        if best is None:
            best = Group(words)
            if len(branch.groups) < MOST_GROUPS and len(self._branches) < MOST_BRANCHES:
                branch.add(best)
                self._branches[place] = branch
        elif most < len(words):
            for number, word in enumerate(words):
                if best.words[number] != word:
                    best.words[number] = ANY
        return best
