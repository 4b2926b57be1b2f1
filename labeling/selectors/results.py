"""Agreement as pages, releases and drift show it: by readable names, over what the reader may see, computed once.

Votes on released items never change, so that a report is kept under a fingerprint of the votes it stands on. Many
votes are measured without intervals first; intervals are asked for in the background (`measured` with samples).
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.postgres.aggregates import StringAgg
from django.core.cache import cache
from django.db.models import CharField, Count, QuerySet
from django.db.models.functions import Cast

from labeling.agreement import SAMPLES, AxisReport, AxisVotes, VoteTable, report_axes, tabulate
from labeling.agreement.votes import Row
from labeling.models import Codebook, Member, NodeVersion, ProjectAxis, Round, Vote
from labeling.selectors import visible
from labeling.selectors.codebooks import axes_of
from labeling.selectors.votes import answers_of

KEPT_SECONDS = 30 * 24 * 3_600
# More than so many are left to the workers: with their intervals they take longer than a page may.
AT_ONCE = 1_000


@dataclass(frozen=True)
class VoteSet:
    """Votes that are measured together: how many, and a fingerprint that another set of votes does not have."""

    votes: QuerySet[Vote]
    number: int
    fingerprint: str
    project_id: int


@dataclass(frozen=True)
class Names:
    """What people read: axis code -> name, (axis code, node code) -> name, member id -> pseudonym."""

    axes: Mapping[str, str]
    nodes: Mapping[tuple[str, str], str]
    people: Mapping[int, str]


@dataclass(frozen=True)
class Measured:
    """The reports of a set of votes; `is_whole` unless its intervals are still to be computed."""

    reports: tuple[AxisReport, ...]
    is_whole: bool


def seen_votes(*, member: Member, round_: Round) -> VoteSet:
    """The blind votes of a round on items that are no secret to the member any more."""
    return vote_set(_open_votes(member).filter(item__round=round_), project_id=member.project_id)


_IDS = StringAgg(Cast("pk", CharField()), ",", order_by="pk")


def vote_set(votes: QuerySet[Vote], *, project_id: int) -> VoteSet:
    """These votes with their fingerprint; one statement."""
    return _vote_set(votes, votes.order_by().aggregate(number=Count("pk"), ids=_IDS), project_id)


def _vote_set(votes: QuerySet[Vote], found: Mapping[str, Any], project_id: int) -> VoteSet:
    return VoteSet(votes, found["number"], hashlib.sha256((found["ids"] or "").encode()).hexdigest(), project_id)


def measured(votes: VoteSet, names: Names, *, samples: int = SAMPLES) -> Measured:
    """The agreement on each axis; with `samples` also of many votes, which takes seconds."""
    if (kept := cache.get(_key(votes, names, SAMPLES))) is not None:
        return Measured(kept, is_whole=True)
    if samples == 0:
        kept = cache.get(_key(votes, names, 0))
        return Measured(kept or _measure(votes, names, 0), is_whole=False)
    return Measured(_measure(votes, names, SAMPLES), is_whole=True)


def known(votes: VoteSet, names: Names) -> Measured | None:
    """The agreement as far as it was measured before; None where it never was."""
    # One after the other: with hundreds of categories each takes a while to read.
    for samples in (SAMPLES, 0):
        if (kept := cache.get(_key(votes, names, samples))) is not None:
            return Measured(kept, is_whole=samples == SAMPLES)
    return None


def quickly_measured(votes: VoteSet, names: Names) -> Measured:
    """The agreement as fast as a page needs it: whole where there are few votes, or where it is known already."""
    return measured(votes, names, samples=SAMPLES if votes.number <= AT_ONCE else 0)


def names_of(*, codebook: Codebook) -> Names:
    """The words of a codebook and the pseudonyms of its project; a name that stands twice gets its code behind it."""
    members = Member.objects.filter(project=codebook.project_id).values_list("pk", "pseudonym")
    axes = axes_of(codebook=codebook)
    nodes: dict[tuple[str, str], str] = {}
    for one in axes:
        often = Counter(version.name for version in one.versions)
        for version in one.versions:
            code = version.node.code
            name = version.name if often[version.name] == 1 else f"{version.name} ({code})"
            nodes[one.axis.code, code] = name
    return Names({one.axis.code: one.axis.name for one in axes}, nodes, dict(members))


def tables(votes: VoteSet, names: Names) -> dict[str, VoteTable]:
    """Axis code -> the very table that is measured: issues (by address) by annotators (by pseudonym)."""
    addresses = dict(votes.votes.order_by().values_list("item", "item__issue__url"))
    rows = _rows(votes, names)
    return {axis: tabulate((addresses[int(str(unit))], who, said) for unit, who, said in some) for axis, some in rows}


def _measure(votes: VoteSet, names: Names, samples: int) -> tuple[AxisReport, ...]:
    reports = report_axes([AxisVotes(axis, rows) for axis, rows in _rows(votes, names)], samples=samples)
    cache.set(_key(votes, names, samples), reports, timeout=KEPT_SECONDS)
    return reports


def _rows(votes: VoteSet, names: Names) -> list[tuple[str, list[Row]]]:
    """(axis code, rows) in the order of the codebook."""
    rows: dict[str, list[Row]] = {}
    for one in answers_of(votes=votes.votes):
        said = frozenset(names.nodes.get((one.axis, code), code) for code in one.choice.codes)
        rows.setdefault(one.axis, []).append((one.item, names.people[one.member], said))
    return [(axis, rows[axis]) for axis in _in_order(rows, votes.project_id)]


def _in_order(axes: Iterable[str], project_id: int) -> list[str]:
    places = dict(ProjectAxis.objects.filter(project=project_id).values_list("code", "position"))
    return sorted(axes, key=lambda code: places[code])


def _key(votes: VoteSet, names: Names, samples: int) -> str:
    words = repr((sorted(names.nodes.items()), sorted(names.people.items())))
    whole = hashlib.sha256(f"{votes.fingerprint}\n{words}".encode()).hexdigest()
    return f"labeling:agreement:2:{whole}:{samples}"


@dataclass(frozen=True)
class Step:
    """The agreement in one round, or by one version of the codebook; no reports where it is still to be measured."""

    name: str
    number: int
    issues: int
    reports: tuple[AxisReport, ...]

    def report(self, axis: str) -> AxisReport | None:
        """The report on an axis; None where nobody was asked."""
        return next((one for one in self.reports if one.axis == axis), None)


def by_round(*, member: Member, only_known: bool = False) -> list[Step]:
    """The agreement in each round that has something to see, in order; known measures are not taken again.

    `only_known`: many votes that were never measured are not measured now either.
    """
    rounds = Round.objects.filter(project=member.project_id).order_by("number")
    seen = _grouped(member, _open_votes(member), "item__round")
    sets = [(one.called, one.number, seen[one.pk]) for one in rounds if one.pk in seen]
    return _steps(sets, only_known=only_known)


def by_codebook(*, member: Member, only_known: bool = False) -> list[Step]:
    """The agreement by each version of the codebook, screening and files left out; otherwise as `by_round`."""
    votes = _open_votes(member).exclude(item__round__kind=Round.Kind.SCREENING).filter(item__round__vote_import=None)
    seen = _grouped(member, votes, "codebook__number")
    sets = [(f"Codebook {number}", number, votes) for number, votes in sorted(seen.items())]
    return _steps(sets, only_known=only_known)


def _steps(sets: list[tuple[str, int, VoteSet]], *, only_known: bool) -> list[Step]:
    if not sets:
        return []
    names = _project_names(sets[0][2].project_id)
    measures = [(name, number, _reports(votes, names, only_known=only_known)) for name, number, votes in sets]
    return [Step(name, number, max((one.units for one in found), default=0), found) for name, number, found in measures]


def _reports(votes: VoteSet, names: Names, *, only_known: bool) -> tuple[AxisReport, ...]:
    if only_known and votes.number > AT_ONCE:
        found = known(votes, names)
        return found.reports if found else ()
    return measured(votes, names, samples=0).reports


def _open_votes(member: Member) -> QuerySet[Vote]:
    """The votes that the member may see on items that are no secret any more."""
    return visible.votes(member=member).filter(item__in=visible.released_items(member=member))


def _grouped(member: Member, votes: QuerySet[Vote], by: str) -> dict[int, VoteSet]:
    """Votes parted by a column; one statement."""
    rows = votes.order_by().values(by).annotate(number=Count("pk"), ids=_IDS)
    return {row[by]: _vote_set(votes.filter(**{by: row[by]}), row, member.project_id) for row in rows}


def _project_names(project_id: int) -> Names:
    """The newest word for everything that ever was in one of the project's codebooks."""
    versions = NodeVersion.objects.filter(axis__project=project_id).order_by("node_id", "-number").distinct("node_id")
    words = {(axis, code): name for axis, code, name in versions.values_list("axis__code", "node__code", "name")}
    often = Counter((axis, name) for (axis, _), name in words.items())
    nodes = {key: name if often[key[0], name] == 1 else f"{name} ({key[1]})" for key, name in words.items()}
    axes = dict(ProjectAxis.objects.filter(project=project_id).values_list("code", "name"))
    return Names(axes, nodes, dict(Member.objects.filter(project=project_id).values_list("pk", "pseudonym")))
