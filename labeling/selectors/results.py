"""Agreement reports with readable names over the votes that the reader may see, for pages, releases and drift.

Votes on released items never change, so that a report is cached under the fingerprint of its votes. Many votes are
measured without intervals first; the workers compute the intervals (`measured` with samples).
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.postgres.aggregates import StringAgg
from django.core.cache import cache
from django.db.models import CharField, Count, Q, QuerySet
from django.db.models.functions import Cast

from labeling.agreement import SAMPLES, AxisReport, AxisVotes, VoteTable, report_axes, tabulate
from labeling.agreement.votes import Row
from labeling.models import IN_WORDS, Answer, Codebook, Member, NodeVersion, ProjectAxis, Round, Vote
from labeling.selectors import visible
from labeling.selectors.axes import measures_of
from labeling.selectors.codebooks import axes_of
from labeling.selectors.subjects import url_of_item
from labeling.selectors.votes import answers_of, blind_arm

KEPT_SECONDS = 30 * 24 * 3_600
# The intervals of more votes than these take longer than a page may, and are left to the workers.
AT_ONCE = 1_000


@dataclass(frozen=True)
class VoteSet:
    """Votes that are measured together: how many, and the SHA-256 of their ids."""

    votes: QuerySet[Vote]
    number: int
    fingerprint: str
    project_id: int


@dataclass(frozen=True)
class Names:
    """Readable names: axis code -> name, (axis code, node code) -> name, member id -> pseudonym."""

    axes: Mapping[str, str]
    nodes: Mapping[tuple[str, str], str]
    people: Mapping[int, str]


@dataclass(frozen=True)
class Measured:
    """The reports of a set of votes; `is_whole` unless its intervals are still to be computed."""

    reports: tuple[AxisReport, ...]
    is_whole: bool


def seen_votes(*, member: Member, round_: Round) -> VoteSet:
    """The blind votes of a round on released items that the member may see."""
    return vote_set(_open_votes(member).filter(item__round=round_), project_id=member.project_id)


def assisted_votes(*, member: Member, round_: Round) -> int:
    """How many votes these leave out because their ballots showed suggestions."""
    released = visible.released_items(member=member).filter(dropped_at=None, round=round_)
    return visible.votes(member=member).filter(item__in=released, slot__is_assisted=True).count()


_IDS = StringAgg(Cast("pk", CharField()), ",", order_by="pk")


def vote_set(votes: QuerySet[Vote], *, project_id: int) -> VoteSet:
    """These votes with their fingerprint; one statement."""
    counts = votes.order_by().aggregate(number=Count("pk"), ids=_IDS)
    return VoteSet(votes, counts["number"], _fingerprint(counts["ids"]), project_id)


def _fingerprint(ids: str | None) -> str:
    return hashlib.sha256((ids or "").encode()).hexdigest()


def measured(votes: VoteSet, names: Names, *, samples: int = SAMPLES) -> Measured:
    """The agreement on each axis, with intervals unless `samples` is 0; of many votes these take seconds."""
    reports = cache.get(_cache_key(votes, names, SAMPLES))
    if reports is not None:
        return Measured(reports, is_whole=True)
    if samples == 0:
        reports = cache.get(_cache_key(votes, names, 0))
        return Measured(reports or _measure(votes, names, 0), is_whole=False)
    return Measured(_measure(votes, names, SAMPLES), is_whole=True)


def known(votes: VoteSet, names: Names) -> Measured | None:
    """The agreement from the cache, with intervals if they are there; None where it was never measured."""
    # One after the other: with hundreds of categories a report takes a while to read.
    for samples in (SAMPLES, 0):
        reports = cache.get(_cache_key(votes, names, samples))
        if reports is not None:
            return Measured(reports, is_whole=samples == SAMPLES)
    return None


def quickly_measured(votes: VoteSet, names: Names) -> Measured:
    """The agreement as fast as a page needs it: with intervals where there are few votes, or where they are cached."""
    return measured(votes, names, samples=SAMPLES if votes.number <= AT_ONCE else 0)


def names_of(*, codebook: Codebook) -> Names:
    """The names in a codebook and the pseudonyms of its project; a name that occurs twice on an axis gets its code."""
    axes = axes_of(codebook=codebook)
    nodes = {}
    for each in axes:
        for version in each.versions:
            nodes[each.axis.code, version.node.code] = version.name
    return _names(codebook.project_id, {each.axis.code: each.axis.name for each in axes}, nodes)


def _names(project_id: int, axes: Mapping[str, str], nodes: Mapping[tuple[str, str], str]) -> Names:
    occurrences = Counter((axis, name) for (axis, _), name in nodes.items())
    unique = dict(nodes)
    for (axis, code), name in nodes.items():
        if occurrences[axis, name] > 1:
            unique[axis, code] = f"{name} ({code})"
    return Names(axes, unique, dict(Member.objects.filter(project=project_id).values_list("pk", "pseudonym")))


def tables(votes: VoteSet, names: Names) -> dict[str, VoteTable]:
    """Axis code -> the very table that is measured: issues (by address) by annotators (by pseudonym)."""
    addresses = dict(votes.votes.order_by().values_list("item", url_of_item("item__")))
    measures = measures_of(project_id=votes.project_id)
    by_axis = {}
    for axis, rows in _rows(votes, names):
        if not measures[axis].is_measured:
            continue
        by_axis[axis] = tabulate((addresses[int(str(item))], annotator, answer) for item, annotator, answer in rows)
    return by_axis


def _measure(votes: VoteSet, names: Names, samples: int) -> tuple[AxisReport, ...]:
    measures = measures_of(project_id=votes.project_id)
    axes = []
    for axis, rows in _rows(votes, names):
        measure = measures[axis]
        order = tuple(names.nodes.get((axis, code), code) for code in measure.order)
        if measure.is_measured:
            axes.append(AxisVotes(axis, rows, order, measure.is_number))
    reports = report_axes(axes, samples=samples)
    cache.set(_cache_key(votes, names, samples), reports, timeout=KEPT_SECONDS)
    return reports


def _rows(votes: VoteSet, names: Names) -> list[tuple[str, list[Row]]]:
    """(axis code, rows) in the order of the codebook."""
    rows: dict[str, list[Row]] = {}
    for vote in answers_of(votes=votes.votes):
        answer = frozenset(names.nodes.get((vote.axis, code), code) for code in vote.choice.values)
        rows.setdefault(vote.axis, []).append((vote.item, names.people[vote.member], answer))
    positions = dict(ProjectAxis.objects.filter(project=votes.project_id).values_list("code", "position"))
    return [(axis, rows[axis]) for axis in sorted(rows, key=lambda code: positions[code])]


def _cache_key(votes: VoteSet, names: Names, samples: int) -> str:
    words = repr((sorted(names.nodes.items()), sorted(names.people.items())))
    digest = hashlib.sha256(f"{votes.fingerprint}\n{words}".encode()).hexdigest()
    return f"labeling:agreement:3:{digest}:{samples}"


@dataclass(frozen=True)
class TextShare:
    """How many votes answer a question in words; such answers have no coefficient."""

    axis: str
    name: str
    votes: int
    answered: int


def text_shares(*, votes: VoteSet) -> list[TextShare]:
    """The shares of each question that is answered in words, in the order of the codebook; one statement."""
    answers = Answer.objects.filter(vote__in=votes.votes, axis__kind__in=IN_WORDS).order_by("axis__position")
    counts = answers.values_list("axis__code", "axis__name").annotate(
        votes=Count("pk"), answered=Count("pk", filter=Q(is_undecidable=False))
    )
    return [TextShare(*row) for row in counts]


@dataclass(frozen=True)
class Step:
    """The agreement in one round, or by one version of the codebook; no reports where it is still to be measured."""

    name: str
    number: int
    issues: int
    reports: tuple[AxisReport, ...]

    def report(self, axis: str) -> AxisReport | None:
        """The report on an axis; None where it has no votes."""
        for report in self.reports:
            if report.axis == axis:
                return report
        return None


def by_round(*, member: Member, only_known: bool = False) -> list[Step]:
    """The agreement in each round with votes that the member may see, in order, from the cache where it is there.

    `only_known`: many votes that are not in the cache are not measured now.
    """
    rounds = Round.objects.filter(project=member.project_id).order_by("number")
    sets = _grouped(member, _open_votes(member), "item__round")
    steps = [(round_.called, round_.number, sets[round_.pk]) for round_ in rounds if round_.pk in sets]
    return _steps(steps, only_known=only_known)


def by_codebook(*, member: Member, only_known: bool = False) -> list[Step]:
    """The agreement by each version of the codebook, screening and files left out; otherwise as `by_round`."""
    votes = _open_votes(member).exclude(item__round__kind=Round.Kind.SCREENING).filter(item__round__vote_import=None)
    sets = _grouped(member, votes, "codebook__number")
    return _steps([(f"Codebook {number}", number, sets[number]) for number in sorted(sets)], only_known=only_known)


def _steps(sets: list[tuple[str, int, VoteSet]], *, only_known: bool) -> list[Step]:
    if not sets:
        return []
    # The newest name of every node that ever was in one of the project's codebooks.
    project_id = sets[0][2].project_id
    versions = NodeVersion.objects.filter(axis__project=project_id).order_by("node_id", "-number").distinct("node_id")
    nodes = {(axis, code): name for axis, code, name in versions.values_list("axis__code", "node__code", "name")}
    axes = dict(ProjectAxis.objects.filter(project=project_id).values_list("code", "name"))
    names = _names(project_id, axes, nodes)
    steps = []
    for name, number, votes in sets:
        is_left_to_workers = only_known and votes.number > AT_ONCE
        result = known(votes, names) if is_left_to_workers else measured(votes, names, samples=0)
        reports = result.reports if result else ()
        issues = max((report.units for report in reports), default=0)
        steps.append(Step(name, number, issues, reports))
    return steps


def _open_votes(member: Member) -> QuerySet[Vote]:
    """The blind votes that the member may see on released items; none on dropped ones, and no assisted ones."""
    released = visible.released_items(member=member).filter(dropped_at=None)
    return blind_arm(visible.votes(member=member).filter(item__in=released))


def _grouped(member: Member, votes: QuerySet[Vote], column: str) -> dict[int, VoteSet]:
    """Value of the column -> its votes; one statement."""
    rows = votes.order_by().values_list(column).annotate(number=Count("pk"), ids=_IDS)
    sets = {}
    for value, number, ids in rows:
        sets[value] = VoteSet(votes.filter(**{column: value}), number, _fingerprint(ids), member.project_id)
    return sets
