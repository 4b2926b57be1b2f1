"""What the facts of issues say of fix patterns: how many issues and fixes each has, and what goes with one.

Postgres groups issues by their answers as given; what these imply is folded here, so that an issue counts once in a
pattern however many of its answers lead there. Pull requests count nowhere.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from kb.models import HOUSE, Framework, Node
from kb.selectors.codebook import NodeRow, house_rows

# As the index `facts_patterns` has it, in which everything below is found.
COUNTED = f"f.holder = {HOUSE} AND NOT f.is_pull AND f.fix <> ''"
ISSUES_BY_ANSWER = f"SELECT f.fix, count(*) FROM kb_issuefacts f WHERE {COUNTED} GROUP BY 1"  # noqa: S608
FIXES_BY_ANSWER = f"""
SELECT f.fix, array_agg(x.fix_id), array_agg(k.lines_changed), array_agg(k.files_changed)
FROM kb_issuefacts f JOIN kb_issue_fixes x ON x.issue_id = f.issue_id JOIN kb_fix k ON k.id = x.fix_id
WHERE {COUNTED} AND (%(answers)s::text[] IS NULL OR f.fix = ANY (%(answers)s)) GROUP BY 1
"""  # noqa: S608
# A row is of one framework, or of one answer: `grouping` tells of what.
COMPANY = f"""
SELECT grouping(f.framework_id, f.symptom, f.cause), coalesce(f.framework_id::text, f.symptom, f.cause),
    count(*) FILTER (WHERE f.fix = ANY (%(answers)s)), count(*)
FROM kb_issuefacts f WHERE {COUNTED} GROUP BY GROUPING SETS ((f.framework_id), (f.symptom), (f.cause))
"""  # noqa: S608
ISSUES_BY_CAUSE = (
    f"SELECT f.cause, f.fix, count(*) FROM kb_issuefacts f WHERE {COUNTED} AND f.cause <> '' GROUP BY 1, 2"  # noqa: S608
)
OF_FRAMEWORK, OF_SYMPTOM, OF_CAUSE = 0b011, 0b101, 0b110


# What issues hold, how many of them carry the pattern, and how many there are.
Shared = tuple[str, int, int]


class RealFix(NamedTuple):
    """A fix and its size, as far as it is known."""

    id: int
    lines: int | None
    files: int | None


@dataclass(frozen=True)
class PatternCount:
    """How many issues carry a pattern or one below it, and their fixes, each once."""

    issues: int = 0
    fixes: tuple[RealFix, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """Of `of` issues that answer both questions, `category` carry the category, `pattern` the pattern, `both` both."""

    node: NodeRow
    both: int
    pattern: int
    category: int
    of: int


class FrameworkUse(NamedTuple):
    """A framework's issues with the pattern, and those whose fix pattern is known at all."""

    id: int
    slug: str
    name: str
    issues: int
    of: int


class PatternUse(NamedTuple):
    """Of `of` issues with a cause and a known fix pattern, so many carry the pattern with this id."""

    pattern: int
    issues: int
    of: int


@dataclass(frozen=True)
class PatternFacts:
    """What is known of one pattern. `answers`: the texts in facts that hold it or a pattern below it."""

    count: PatternCount
    answers: tuple[str, ...] = ()
    all_issues: int = 0
    frameworks: tuple[FrameworkUse, ...] = ()
    symptoms: tuple[Overlap, ...] = ()
    causes: tuple[Overlap, ...] = ()
    companions: tuple[Overlap, ...] = ()


@dataclass(frozen=True)
class House:
    """The house codebook's nodes by id, and which answers imply which of them."""

    nodes: Mapping[int, NodeRow] = field(default_factory=dict)

    def implied(self, answers: str) -> frozenset[int]:
        """The nodes that a text of answers names, and all above them."""
        return frozenset(pk for answer in answers.split() for pk in self._upwards(int(answer)))

    def _upwards(self, pk: int) -> Iterable[int]:
        node = self.nodes.get(pk)
        while node:
            yield node.id
            node = self.nodes.get(node.parent_id) if node.parent_id else None


def pattern_counts() -> dict[int, PatternCount]:
    """Issues and fixes of each house fix pattern that an issue carries, by node id; what is below it included."""
    house = _house()
    issues: Counter[int] = Counter()
    for answers, count in _rows(ISSUES_BY_ANSWER):
        for pk in house.implied(answers):
            issues[pk] += count
    fixes: dict[int, dict[int, RealFix]] = {}
    for answers, found in _fixes_by_answer(None):
        for pk in house.implied(answers):
            fixes.setdefault(pk, {}).update((fix.id, fix) for fix in found)
    return {pk: PatternCount(count, tuple(fixes.get(pk, {}).values())) for pk, count in issues.items()}


def pattern_count(*, node: Node) -> PatternCount:
    """The same of one pattern."""
    return _count(_answers(_house(), node))


def pattern_facts(*, node: Node) -> PatternFacts:
    """Everything that the facts say of one pattern; without an issue that carries it, that there is none."""
    house = _house()
    answers = _answers(house, node)
    if not answers.hits:
        return PatternFacts(PatternCount(), all_issues=sum(answers.issues.values()))
    company: dict[int, list[Shared]] = {}
    for what, held, hits, issues in _rows(COMPANY, answers=[*answers.hits]):
        company.setdefault(what, []).append((held, hits, issues))
    return PatternFacts(
        count=_count(answers),
        answers=answers.hits,
        all_issues=sum(answers.issues.values()),
        frameworks=_frameworks(company.get(OF_FRAMEWORK, [])),
        symptoms=_overlaps(house, company.get(OF_SYMPTOM, [])),
        causes=_overlaps(house, company.get(OF_CAUSE, [])),
        companions=_companions(house, node, answers),
    )


def patterns_of_causes(*, codes: Sequence[str]) -> dict[str, tuple[PatternUse, ...]]:
    """By the code of each of these root causes, the patterns that its issues were fixed by, the most frequent first."""
    house = _house()
    ids = {row.id: row.code for row in house.nodes.values() if row.axis == "root_cause" and row.code in codes}
    counts: dict[str, Counter[int]] = {code: Counter() for code in ids.values()}
    known: Counter[str] = Counter()
    for causes, answers, issues in _rows(ISSUES_BY_CAUSE) if ids else ():
        patterns = house.implied(answers)
        for pk in house.implied(causes) & ids.keys():
            known[ids[pk]] += issues
            counts[ids[pk]].update(dict.fromkeys(patterns, issues))
    return {
        code: tuple(
            PatternUse(pk, issues, known[code]) for pk, issues in sorted(found.items(), key=lambda x: (-x[1], x[0]))
        )
        for code, found in counts.items()
    }


@dataclass(frozen=True)
class Answers:
    """Issues by the text of their fix patterns, and those texts that hold one pattern."""

    issues: Mapping[str, int]
    hits: tuple[str, ...]


def _house() -> House:
    return House({row.id: row for row in house_rows()})


def _answers(house: House, node: Node) -> Answers:
    issues = dict(_rows(ISSUES_BY_ANSWER))
    return Answers(issues, tuple(text for text in issues if node.pk in house.implied(text)))


def _count(answers: Answers) -> PatternCount:
    if not answers.hits:
        return PatternCount()
    fixes = {fix.id: fix for _, found in _fixes_by_answer(answers.hits) for fix in found}
    return PatternCount(sum(answers.issues[text] for text in answers.hits), tuple(fixes.values()))


def _fixes_by_answer(answers: Sequence[str] | None) -> Iterable[tuple[str, list[RealFix]]]:
    rows = _rows(FIXES_BY_ANSWER, answers=None if answers is None else [*answers])
    for text, ids, lines, files in rows:
        yield text, [RealFix(*fix) for fix in zip(ids, lines, files, strict=True)]


def _frameworks(rows: Iterable[Shared]) -> tuple[FrameworkUse, ...]:
    used = {int(pk): (hits, issues) for pk, hits, issues in rows if hits}
    uses = [FrameworkUse(row.pk, row.slug, row.name, *used[row.pk]) for row in Framework.objects.filter(pk__in=used)]
    return tuple(sorted(uses, key=lambda use: (-use.issues, use.name)))


def _overlaps(house: House, rows: Iterable[Shared]) -> tuple[Overlap, ...]:
    """The categories of one question that occur with the pattern, most frequent first."""
    both: Counter[int] = Counter()
    category: Counter[int] = Counter()
    answered = [row for row in rows if row[0]]
    for answers, hits, issues in answered:
        for pk in house.implied(answers):
            category[pk] += issues
            both[pk] += hits
    pattern, of = sum(hits for _, hits, _ in answered), sum(issues for *_, issues in answered)
    found = [Overlap(house.nodes[pk], n, pattern, category[pk], of) for pk, n in both.items() if n]
    return tuple(sorted(found, key=lambda row: (-row.both, row.node.name)))


def _companions(house: House, node: Node, answers: Answers) -> tuple[Overlap, ...]:
    """The patterns that occur in the same issues, without those above and below this one."""
    hits = set(answers.hits)
    rows = [(text, issues * (text in hits), issues) for text, issues in answers.issues.items()]
    above = house.implied(str(node.pk))
    return tuple(
        row
        for row in _overlaps(house, rows)
        if row.node.id not in above and node.pk not in house.implied(str(row.node.id))
    )


def _rows(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
