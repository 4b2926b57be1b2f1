"""Recognise lines that point to more than their record's cause, by the comparison that a diagnosis makes. Pure.

The lines are held against those of all other records and, where they are at hand, against mirrored issues' error lines.
"""

import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick

from kb.core.search.line_weights import LineWeights, is_same_line, line_words
from kb.core.search.normalise import words
from kb.core.search.sections import telling_lines
from kb.starter.consistency import telling_words
from kb.starter.format import Record

# A line that more mirrored issues have, none of which the record names as its fault, points to no one cause.
MOST_ISSUES = 9
# More records of other causes may not show a line; one of a far cause that is recognised by it, too, is enough unless
# more records have the line for this cause.
MOST_OTHERS = 2
# The weight of a line's words below which no other line can be told from it.
LEAST_OWN = 0.6
# Beside the project, where somebody has put them there.
ISSUES = Path(__file__).parents[3] / "shared" / "data" / "issues"
MOST_BODY, NAMED = 20_000, 3
NUMBERS = re.compile(rb"\d+")
# Words are weighed as among so many texts at least: how rare one is in a handful says nothing.
LEAST_TEXTS = 500
Parents = Mapping[tuple[str, str], str | None]


class IssueText(NamedTuple):
    """A mirrored issue's address and text."""

    url: str
    title: str
    body: str


class FailedLine(NamedTuple):
    """A record's recognise line that is refused: its place, and a sentence that says why."""

    record: Record
    number: int
    reason: str


@dataclass(frozen=True)
class _Known:
    """A recognise line as it is compared."""

    record: Record
    number: int
    words: frozenset[str]
    weight: float


def read_issues(folder: Path) -> Iterator[IssueText]:
    """The issues in a folder of dumps in the shape of GitHub's REST API, JSON lines in gzip."""
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                values = json.loads(line)
                yield IssueText(values["html_url"], values["title"] or "", (values["body"] or "")[:MOST_BODY])


def failed_lines(records: Sequence[Record], issues: Sequence[IssueText], parents: Parents) -> Iterator[FailedLine]:
    """The lines that do not recognise; those without a telling word are left to `rules`.

    `parents`: the parent's code of each (axis, code).
    """
    weights = _weights(records, issues)
    lines = _Lines(records, weights)
    by_url = {record.url: record for record in records}
    fitting = lines.of_records(records)
    quoting = lines.in_issues(issues)
    for place, known in enumerate(lines.known):
        record, text = known.record, known.record.recognise[known.number]
        others = [by_url[url] for url in sorted(fitting[place]) if _has_other_cause(record, by_url[url], parents)]
        rivals = [other for other in others if fitting[place][other.url] and _is_far(record, other, parents)]
        alike = len(fitting[place]) - len(others)
        elsewhere = sorted(quoting[place] - _same_fault(record))
        if known.weight < LEAST_OWN and telling_words(text):
            reason = "has too few words of its own: choose a line with more of this fault's words"
        elif len(others) > MOST_OTHERS or (rivals and len(others) > alike):
            causes = ", ".join(f"{other.url} ({_cause_words(other)})" for other in others[:NAMED])
            reason = f"also fits other causes: {causes}; say under neighbours how to tell"
        elif len(elsewhere) > MOST_ISSUES:
            few = ", ".join(elsewhere[:NAMED])
            reason = f"fits {len(elsewhere)} mirrored issues, such as {few}; name those with this fault in same_as"
        else:
            continue
        yield FailedLine(record, known.number, f"recognise: '{text}' {reason}, or move it to also_seen")


def _weights(records: Iterable[Record], issues: Iterable[IssueText]) -> LineWeights:
    """By how many of the records and issues have a word."""
    frequencies: Counter[str] = Counter()
    size = 0
    for text in (*map(_text, records), *(f"{issue.title}\n{issue.body}" for issue in issues)):
        frequencies.update(set(words(text)))
        size += 1
    return LineWeights(frequencies, max(size, LEAST_TEXTS))


def _text(record: Record) -> str:
    lines = (*record.recognise, *record.also_seen)
    return "\n".join((record.title, record.summary, *lines, record.resolution, record.workaround))


class _Lines:
    """All recognise lines, found by their words: a line is held only against those that share some."""

    def __init__(self, records: Iterable[Record], weights: LineWeights) -> None:
        self._weights = weights
        self.known: list[_Known] = []
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for record in records:
            for number, line in enumerate(record.recognise):
                own = line_words(line)
                for word in own:
                    self._by_word[word].append(len(self.known))
                self.known.append(_Known(record, number, own, weights.sum(own)))

    def of_records(self, records: Iterable[Record]) -> dict[int, dict[str, bool]]:
        """By each line's place, the other records that have it, and whether they are recognised by it."""
        fitting: dict[int, dict[str, bool]] = defaultdict(dict)
        for record in records:
            for number, line in enumerate((*record.recognise, *record.also_seen)):
                is_recognised = number < len(record.recognise)
                for place in self._same(line_words(line)):
                    if self.known[place].record.url != record.url:
                        fitting[place][record.url] = is_recognised or fitting[place].get(record.url, False)
        return fitting

    def in_issues(self, issues: Iterable[IssueText]) -> dict[int, set[str]]:
        """By each line's place, the issues that have it: as an error line, or anywhere but for its numbers."""
        quoting: dict[int, set[str]] = defaultdict(set)
        literal = BytesAhoCorasick([_without_numbers(known.record.recognise[known.number]) for known in self.known])
        for issue in issues:
            for place, _, _ in literal.find_matches_as_indexes(_without_numbers(issue.body), overlapping=True):
                quoting[place].add(issue.url)
            for line in telling_lines(issue.body):
                for place in self._same(line_words(line)):
                    quoting[place].add(issue.url)
        return quoting

    def _same(self, line: Collection[str]) -> Iterator[int]:
        shared: dict[int, float] = defaultdict(float)
        for word in line:
            weight = self._weights.of(word)
            for place in self._by_word.get(word, ()) if weight else ():
                shared[place] += weight
        return (place for place, weight in shared.items() if is_same_line(weight, self.known[place].weight))


def _same_fault(record: Record) -> set[str]:
    """The threads that the record says have its fault."""
    duplicates = {line.url for line in record.evidence if line.supports == "duplicate"}
    return {record.url, *record.same_as, *duplicates}


def _told_apart(record: Record) -> set[str]:
    """The threads of the same fault, and those whose difference the record tells."""
    return _same_fault(record) | {neighbour.url for neighbour in record.neighbours}


def _without_numbers(text: str) -> bytes:
    return NUMBERS.sub(b"0", text.lower().encode("utf-8", "surrogatepass"))


def _has_other_cause(record: Record, other: Record, parents: Parents) -> bool:
    """Whether two records tell different causes, neither above the other; an unsettled one is not known to be alike."""
    if other.url in _told_apart(record) or record.url in _told_apart(other):
        return False
    own, theirs = _lineages(record, parents), _lineages(other, parents)
    return not any(first[0] in second or second[0] in first for first in own for second in theirs)


def _is_far(record: Record, other: Record, parents: Parents) -> bool:
    """Whether the causes of two records are in different branches."""
    branches = {lineage[-1] for lineage in _lineages(record, parents)}
    return branches.isdisjoint(lineage[-1] for lineage in _lineages(other, parents))


def _lineages(record: Record, parents: Parents) -> list[list[str]]:
    """Each of the record's causes, with the codes above it up to its branch."""
    lineages = []
    for label in record.labels.root_cause:
        lineage = [label.node]
        while parent := parents.get(("root_cause", lineage[-1])):
            lineage.append(parent)
        lineages.append(lineage)
    return lineages


def _cause_words(record: Record) -> str:
    return " and ".join(label.node for label in record.labels.root_cause) or "no cause settled"
