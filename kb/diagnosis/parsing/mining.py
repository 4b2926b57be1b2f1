"""Which kind of line a line is: texts that differ in words only are put together, as Drain does.

He, Zhu, Zheng, Lyu: Drain, ICWS 2017: a tree by number of words and first word, then the most similar group.
Each text is asked once only, already masked, so that thousands of texts are searched for, not millions of lines.
"""

from dataclasses import dataclass, field

ANY = "<*>"
# So many of the words have to be the same; a group is never made of lines that share less.
SIMILAR = 0.7
SHORTEST = 4
MOST_GROUPS = 400


@dataclass(eq=False, slots=True)
class Group:
    """Lines of one kind: `words` with `<*>` where they differ."""

    words: list[str]

    @property
    def text(self) -> str:
        """The kind in words."""
        return " ".join(self.words)


@dataclass
class Miner:
    """Puts masked texts together into groups."""

    _exact: dict[str, Group] = field(default_factory=dict)
    _branches: dict[tuple[int, str, str], list[Group]] = field(default_factory=dict)

    def group(self, masked: str) -> Group:
        """The group of this text; a new one if nothing is like it."""
        found = self._exact.get(masked)
        if found is None:
            found = self._exact[masked] = self._nearest(masked.split(" "))
        return found

    def _nearest(self, words: list[str]) -> Group:
        if len(words) < SHORTEST:
            return Group(words)
        branch = self._branches.setdefault((len(words), words[0], words[-1] if "0" in words[-1] else ""), [])
        best, most = None, int(SIMILAR * len(words))
        for group in branch:
            same = sum(map(str.__eq__, group.words, words))
            if same > most:
                best, most = group, same
        if best is None:
            best = Group(words)
            if len(branch) < MOST_GROUPS:
                branch.append(best)
        elif most < len(words):
            best.words = [mine if mine == other else ANY for mine, other in zip(best.words, words, strict=True)]
        return best
