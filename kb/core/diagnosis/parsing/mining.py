"""Which kind of line a line is: texts that differ in words only are put together, as Drain does.

He, Zhu, Zheng, Lyu: Drain, ICWS 2017: a tree by number of words and first word, then the most similar group.
Each text is asked once only, already masked, so that thousands of texts are searched for, not millions of lines.
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
        """The kind in words."""
        return " ".join(self.words)


@dataclass
class Branch:
    """Groups of equally many words, and, of more than a few, where which word once stood in which of them."""

    groups: list[Group] = field(default_factory=list)
    _having: dict[tuple[int, str], list[int]] = field(default_factory=dict)

    def add(self, group: Group) -> None:
        """Another group."""
        self.groups.append(group)
        if len(self.groups) > FEW:
            for number in range(len(self.groups) - 1 if self._having else 0, len(self.groups)):
                for place in enumerate(self.groups[number].words):
                    self._having.setdefault(place, []).append(number)

    def nearest(self, words: Sequence[str], floor: int) -> tuple[Group | None, int]:
        """The first group with the most of these words, if that is more than `floor`, and how many."""
        best, most = None, floor
        for group in self._candidates(words, floor):
            same = sum(map(str.__eq__, group.words, words))
            if same > most:
                best, most = group, same
        return best, most

    def _candidates(self, words: Sequence[str], floor: int) -> Iterator[Group]:
        """Who has more than `floor` of the words has one of any that are more than the others: the rarest are asked."""
        if not self._having:
            return iter(self.groups)
        having = sorted((self._having.get(place, ()) for place in enumerate(words)), key=len)
        rarest = having[: len(words) - floor]
        return (self.groups[number] for number in sorted(set().union(*rarest)))


@dataclass
class Miner:
    """Puts masked texts together into groups."""

    _exact: dict[str, Group] = field(default_factory=dict)
    _branches: dict[tuple[int, str, str], Branch] = field(default_factory=dict)

    def group(self, masked: str) -> Group:
        """The group of this text; a new one if nothing is like it."""
        found = self._exact.get(masked)
        if found is None:
            found = self._nearest(masked.split(" "))
            if len(self._exact) < MOST_TEXTS:
                self._exact[masked] = found
        return found

    def _nearest(self, words: list[str]) -> Group:
        if len(words) < SHORTEST:
            return Group(words)
        place = (len(words), words[0], words[-1] if "0" in words[-1] else "")
        branch = self._branches.get(place) or Branch()
        best, most = branch.nearest(words, int(SIMILAR * len(words)))
        if best is None:
            best = Group(words)
            if len(branch.groups) < MOST_GROUPS and len(self._branches) < MOST_BRANCHES:
                branch.add(best)
                self._branches[place] = branch
        elif most < len(words):
            best.words = [mine if mine == other else ANY for mine, other in zip(best.words, words, strict=True)]
        return best
