"""A report beside known issues: what each says, taken apart alike, and the measures of how much two of them share.

How sure these measures make it that the fault is the same: `same_fault`. Words weigh by how few issues have them; what
several of the nearest issues say in the same words is a form's, and a line that many have tells of none of them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from kb.core.search.line_weights import LineWeights, line_words
from kb.core.search.normalise import words
from kb.core.search.sections import names_error, split
from kb.core.secrets import mask, without_our_words

MOST_LINES = 8
# What more than so much shared weight of a title or a line would add, nothing more is learnt from.
FULL_TITLE, FULL_LINE = 3.0, 4.0
# Two lines are one if they share so much of the heavier one's weight; other issues that have it are counted up to five.
SAME, MOST_OTHERS = 0.8, 5
# A line of prose that so many of the nearest issues have is their form's.
OF_A_FORM = 3
# Code that raises, and frames of a traceback, say that something failed, not what.
CODE = re.compile(r"^\W*(?:raise |File \"|assert |return |except |self\.|print\(|await )|Traceback \(most recent")


@dataclass(frozen=True)
class Told:
    """What one side says: its titles, the lines that name an error, its prose, the slugs of its frameworks."""

    titles: Sequence[str]
    lines: Sequence[str]
    prose: str
    frameworks: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls, titles: Iterable[str], body: str, *, lines: Sequence[str] = (), frameworks: Iterable[str] = ()
    ) -> "Told":
        """The side with these titles and this text; `lines`: error lines that it is known by."""
        sections = split(body)
        named = [line for line in sections.telling if names_error(line) and not CODE.search(line)]
        telling = [without_our_words(mask(line).text) for line in (*lines, *named[-MOST_LINES:])]
        return cls(tuple(filter(None, titles)), telling, sections.prose, frozenset(frameworks))

    @cached_property
    def title_words(self) -> tuple[frozenset[str], ...]:
        """The words of each title."""
        return tuple(frozenset(words(title)) for title in self.titles)

    @cached_property
    def line_words(self) -> tuple[frozenset[str], ...]:
        """The words of each line by which it is compared."""
        return tuple(line_words(line) for line in self.lines)

    @cached_property
    def words(self) -> frozenset[str]:
        """All its words."""
        return frozenset(words(self.prose)).union(*self.title_words, *self.line_words)

    @cached_property
    def said(self) -> frozenset[str]:
        """Its titles and the lines of its prose, folded."""
        return frozenset(filter(None, map(_folded, (*self.titles, *self.prose.split("\n")))))

    def without(self, forms: Collection[str]) -> "Told":
        """The same without these titles and lines of prose."""
        if self.said.isdisjoint(forms):
            return self
        titles = [title for title in self.titles if _folded(title) not in forms]
        prose = [line for line in self.prose.split("\n") if _folded(line) not in forms]
        return replace(self, titles=titles, prose="\n".join(prose))


@dataclass(frozen=True)
class Pair:
    """What a report and an issue share. `line`: the issue's line that the report has, or empty."""

    measures: Mapping[str, float]
    line: str


def pairs(report: Told, issues: Sequence[Told], weights: LineWeights) -> list[Pair]:
    """The report beside each of the issues that come closest to it."""
    counts = Counter(line for issue in issues for line in issue.said)
    forms = {line for line, count in counts.items() if count >= OF_A_FORM}
    report = report.without(forms)
    near = [_line(report, issue, weights) for issue in issues]
    common = Counter(line.ours for line in near if line.share >= SAME)
    return [
        _pair(report, issue.without(forms), line, common[line.ours] - 1, weights)
        for issue, line in zip(issues, near, strict=True)
    ]


@dataclass(frozen=True)
class _Line:
    """The nearest two lines, by their places; the share of the heavier one's weight, and how much is shared."""

    share: float = 0.0
    shared: float = 0.0
    ours: int = -1
    theirs: int = -1

    @property
    def worth(self) -> float:
        return self.share * min(self.shared, FULL_LINE)


def _line(report: Told, issue: Told, weights: LineWeights) -> _Line:
    best = _Line()
    for ours, own in enumerate(report.line_words):
        own_weight = weights.sum(own)
        for theirs, other in enumerate(issue.line_words):
            if shared := weights.sum(own & other):
                line = _Line(shared / max(own_weight, weights.sum(other)), shared, ours, theirs)
                best = max(best, line, key=lambda each: each.worth)
    return best


def _pair(report: Told, issue: Told, line: _Line, others: int, weights: LineWeights) -> Pair:
    title, title_weight = max(
        (_share(own, other, weights) for own in report.title_words for other in issue.title_words),
        default=(0.0, 0.0),
    )
    ours, theirs = _squares(report.words, weights), _squares(issue.words, weights)
    text = _squares(report.words & issue.words, weights) / ((ours * theirs) ** 0.5 or 1.0)
    told = max((_squares(own & issue.words, weights) / (_squares(own, weights) or 1.0) for own in report.title_words),
               default=0.0)  # fmt: skip
    in_place = not report.frameworks.isdisjoint(issue.frameworks)
    is_same = line.share >= SAME
    measures = {
        "title": min(title_weight / FULL_TITLE, 1.0),
        "title_in_framework": in_place * title * text**0.5,
        "line": line.share,
        "line_of_others": is_same * min(others, MOST_OTHERS) / MOST_OTHERS,
        "text": text,
        "title_told": told,
    }
    return Pair(measures, issue.lines[line.theirs] if is_same else "")


def _share(own: frozenset[str], other: frozenset[str], weights: LineWeights) -> tuple[float, float]:
    """How much of the heavier one two titles share, and the weight of that."""
    shared = _squares(own & other, weights)
    return shared / (max(_squares(own, weights), _squares(other, weights)) or 1.0), shared


def _squares(several: Iterable[str], weights: LineWeights) -> float:
    """The weight of words where rare ones count for much more than common ones."""
    return sum(weights.of(word) ** 2 for word in several)


def _folded(line: str) -> str:
    return " ".join(line.split()).lower()
