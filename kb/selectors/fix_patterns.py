"""Counts of fix patterns from the facts of issues: issues, fixes, and what occurs together with a pattern.

Postgres groups issues by the text of their answers; the nodes above the answers are added here, so that an issue counts
once in a pattern, whatever the number of its answers below it. Pull requests do not count.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from kb.models import HOUSE, Framework, Node
from kb.selectors.codebook import NodeRow, house_rows

# The condition of the index `facts_patterns`, which serves all these statements.
COUNTED = f"f.holder = {HOUSE} AND NOT f.is_pull AND f.fix <> ''"
ISSUES_BY_ANSWER = f"SELECT f.fix, count(*) FROM kb_issuefacts f WHERE {COUNTED} GROUP BY 1"  # noqa: S608
FIXES_BY_ANSWER = f"""
SELECT f.fix, array_agg(x.fix_id), array_agg(k.lines_changed), array_agg(k.files_changed)
FROM kb_issuefacts f JOIN kb_issue_fixes x ON x.issue_id = f.issue_id JOIN kb_fix k ON k.id = x.fix_id
WHERE {COUNTED} AND (%(answers)s::text[] IS NULL OR f.fix = ANY (%(answers)s)) GROUP BY 1
"""  # noqa: S608
# A row is of one framework, one symptom text or one cause text; `grouping` says of which.
COMPANY = f"""
SELECT grouping(f.framework_id, f.symptom, f.cause), coalesce(f.framework_id::text, f.symptom, f.cause),
    count(*) FILTER (WHERE f.fix = ANY (%(answers)s)), count(*)
FROM kb_issuefacts f WHERE {COUNTED} GROUP BY GROUPING SETS ((f.framework_id), (f.symptom), (f.cause))
"""  # noqa: S608
ISSUES_BY_CAUSE = (
    f"SELECT f.cause, f.fix, count(*) FROM kb_issuefacts f WHERE {COUNTED} AND f.cause <> '' GROUP BY 1, 2"  # noqa: S608
)
OF_FRAMEWORK, OF_SYMPTOM, OF_CAUSE = 0b011, 0b101, 0b110


# A framework or a text of answers, the number of its issues with the pattern, and the number of all its issues.
Shared = tuple[str, int, int]


class RealFix(NamedTuple):
    """A fix with its size; None where that is not known."""

    id: int
    lines: int | None
    files: int | None


@dataclass(frozen=True)
class PatternCount:
    """The number of issues with a pattern or one below it, and their distinct fixes."""

    issues: int = 0
    fixes: tuple[RealFix, ...] = ()


@dataclass(frozen=True)
class Overlap:
    """A contingency table: of `of` issues `pattern` have the pattern, `category` the category, and `both` have both."""

    node: NodeRow
    both: int
    pattern: int
    category: int
    of: int


class FrameworkUse(NamedTuple):
    """A framework's issues with the pattern, of those whose fix pattern is known."""

    id: int
    slug: str
    name: str
    issues: int
    of: int


class PatternUse(NamedTuple):
    """The number of issues with the pattern of this id, of those with a cause and a known fix pattern."""

    pattern: int
    issues: int
    of: int


@dataclass(frozen=True)
class PatternFacts:
    """The counts of one pattern. `answers`: the facts' texts with the pattern or one below it."""

    count: PatternCount
    answers: tuple[str, ...] = ()
    all_issues: int = 0
    frameworks: tuple[FrameworkUse, ...] = ()
    symptoms: tuple[Overlap, ...] = ()
    causes: tuple[Overlap, ...] = ()
    companions: tuple[Overlap, ...] = ()


@dataclass(frozen=True)
class House:
    """The house codebook's nodes by id."""

    nodes: Mapping[int, NodeRow] = field(default_factory=dict)

    def implied(self, answers: str) -> frozenset[int]:
        """The ids of the nodes in a text of answers, and of all nodes above them."""
        implied = set()
        for answer in answers.split():
            node = self.nodes.get(int(answer))
            while node:
                implied.add(node.id)
                node = self.nodes.get(node.parent_id) if node.parent_id else None
        return frozenset(implied)


def pattern_counts() -> dict[int, PatternCount]:
    """Issues and fixes by the node id of each house fix pattern with issues; patterns below count, too."""
    house = _house()
    issues: Counter[int] = Counter()
    for answers, count in _rows(ISSUES_BY_ANSWER):
        for pk in house.implied(answers):
            issues[pk] += count
    fixes: dict[int, dict[int, RealFix]] = {}
    for answers, answer_fixes in _fixes_by_answer(None):
        for pk in house.implied(answers):
            fixes.setdefault(pk, {}).update((fix.id, fix) for fix in answer_fixes)
    return {pk: PatternCount(count, tuple(fixes.get(pk, {}).values())) for pk, count in issues.items()}


def pattern_count(*, node: Node) -> PatternCount:
    """Issues and fixes of one pattern, with those of patterns below it."""
    return _count(_answers(_house(), node))


def pattern_facts(*, node: Node) -> PatternFacts:
    """The counts of one pattern; empty without issues."""
    house = _house()
    answers = _answers(house, node)
    if not answers.hits:
        return PatternFacts(PatternCount(), all_issues=sum(answers.issues.values()))
    company: dict[int, list[Shared]] = {OF_FRAMEWORK: [], OF_SYMPTOM: [], OF_CAUSE: []}
    for grouping, text, hits, issues in _rows(COMPANY, answers=[*answers.hits]):
        company[grouping].append((text, hits, issues))
    return PatternFacts(
        count=_count(answers),
        answers=answers.hits,
        all_issues=sum(answers.issues.values()),
        frameworks=_frameworks(company[OF_FRAMEWORK]),
        symptoms=_overlaps(house, company[OF_SYMPTOM]),
        causes=_overlaps(house, company[OF_CAUSE]),
        companions=_companions(house, node, answers),
    )


def patterns_of_causes(*, codes: Sequence[str]) -> dict[str, tuple[PatternUse, ...]]:
    """The fix patterns of these root causes' issues by the cause's code, the most frequent first."""
    house = _house()
    ids = {row.id: row.code for row in house.nodes.values() if row.axis == "root_cause" and row.code in codes}
    if not ids:
        return {}
    counts: dict[str, Counter[int]] = {code: Counter() for code in ids.values()}
    totals: Counter[str] = Counter()
    for causes, answers, issues in _rows(ISSUES_BY_CAUSE):
        patterns = dict.fromkeys(house.implied(answers), issues)
        for pk in house.implied(causes) & ids.keys():
            totals[ids[pk]] += issues
            counts[ids[pk]].update(patterns)
    uses = {}
    for code, patterns in counts.items():
        rows = (PatternUse(pk, issues, totals[code]) for pk, issues in patterns.items())
        uses[code] = tuple(sorted(rows, key=lambda use: (-use.issues, use.pattern)))
    return uses


@dataclass(frozen=True)
class Answers:
    """Issues by the text of their fix patterns, and the texts with one pattern or one below it."""

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
    fixes: dict[int, RealFix] = {}
    for _, answer_fixes in _fixes_by_answer([*answers.hits]):
        fixes.update((fix.id, fix) for fix in answer_fixes)
    return PatternCount(sum(answers.issues[text] for text in answers.hits), tuple(fixes.values()))


def _fixes_by_answer(answers: list[str] | None) -> Iterable[tuple[str, list[RealFix]]]:
    """The fixes of the issues with these texts of answers, or with any when None, by text."""
    for text, ids, lines, files in _rows(FIXES_BY_ANSWER, answers=answers):
        yield text, [RealFix(*fix) for fix in zip(ids, lines, files, strict=True)]


def _frameworks(rows: Iterable[Shared]) -> tuple[FrameworkUse, ...]:
    used = {int(pk): (hits, issues) for pk, hits, issues in rows if hits}
    uses = [FrameworkUse(row.pk, row.slug, row.name, *used[row.pk]) for row in Framework.objects.filter(pk__in=used)]
    return tuple(sorted(uses, key=lambda use: (-use.issues, use.name)))


def _overlaps(house: House, rows: Iterable[Shared]) -> tuple[Overlap, ...]:
    """The categories on one axis that occur with the pattern, the most frequent first."""
    both: Counter[int] = Counter()
    category: Counter[int] = Counter()
    pattern = total = 0
    for answers, hits, issues in rows:
        if not answers:
            continue
        pattern += hits
        total += issues
        for pk in house.implied(answers):
            category[pk] += issues
            both[pk] += hits
    overlaps = [Overlap(house.nodes[pk], n, pattern, category[pk], total) for pk, n in both.items() if n]
    return tuple(sorted(overlaps, key=lambda row: (-row.both, row.node.name)))


def _companions(house: House, node: Node, answers: Answers) -> tuple[Overlap, ...]:
    """The patterns that occur in the same issues, without the node itself and those above and below it."""
    rows = [(text, issues if text in answers.hits else 0, issues) for text, issues in answers.issues.items()]
    ancestors = house.implied(str(node.pk))
    companions = []
    for overlap in _overlaps(house, rows):
        is_below = node.pk in house.implied(str(overlap.node.id))
        if overlap.node.id not in ancestors and not is_below:
            companions.append(overlap)
    return tuple(companions)


def _rows(statement: str, **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
