"""The votes of closed rounds as panels (`kb.audit.panels`), for those who may see all of these votes (`visible`).

Annotators are numbered in the order in which they joined; a panel has neither names nor pseudonyms.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import Aggregate, Count, Max, QuerySet
from django.urls import reverse

from kb.audit.panels import NONE, LabelSet, Panel, Reader
from labeling.ballots import Choice
from labeling.models import IN_WORDS, Decision, Item, Member, ProjectAxis, Round, Vote
from labeling.selectors import visible
from labeling.selectors.subjects import OWN
from labeling.selectors.votes import axis_votes, blind_arm, choice_of

UNDECIDABLE = "cannot be told"
NO_ANSWER = "none of them"
NO_VOTES = "Nobody has voted in this round."
TRUST_NOTE = (
    "Blind votes of a labeling round of this site, with what was decided afterwards. Only its project sees this."
)
FILE_NOTE = "Votes from a file, cast elsewhere, with what was decided afterwards. Only its project sees this."


class RoundPanels:
    """Closed rounds, except for adjudicators, who may still have first opinions to give."""

    def list_sets(self, *, reader: Reader) -> Sequence[LabelSet]:
        """The closed rounds of the reader's projects whose votes the reader may see whole; six statements at most."""
        return _sets([round_ for _, round_ in _rounds(reader)])

    def find_set(self, *, reader: Reader, slug: str) -> LabelSet | None:
        """The one of these with this slug, or None."""
        sets = _sets([round_ for _, round_ in _rounds(reader) if _slug(round_) == slug])
        return sets[0] if sets else None

    def read_panel(self, *, reader: Reader, slug: str, axis: str) -> Panel:
        """The blind votes, and as finals the decisions in force. Raises `Round.DoesNotExist` where these are secret."""
        for member, round_ in _rounds(reader):
            if _slug(round_) == slug:
                return _panel(member, round_, axis)
        raise Round.DoesNotExist


def _rounds(reader: Reader) -> list[tuple[Member, Round]]:
    if reader is None:
        return []
    memberships = Member.objects.filter(user=reader, left_at=None).select_related("project")
    members = {member.project_id: member for member in memberships}
    rounds = Round.objects.filter(project__in=members, state=Round.State.CLOSED).select_related("project")
    pairs = []
    for round_ in rounds.order_by("project__name", "project", "number"):
        member = members[round_.project_id]
        if visible.sees_whole(member=member, round_=round_):
            pairs.append((member, round_))
    return pairs


def _slug(round_: Round) -> str:
    return f"round-{round_.project.slug}-{round_.number}"


def _sets(rounds: list[Round]) -> list[LabelSet]:
    if not rounds:
        return []
    votes = _aggregate_by_round(
        blind_arm(Vote.objects.filter(item__round__in=rounds)), people=Count("member", distinct=True),
        number=Count("pk"), last=Max("pk"),
    )  # fmt: skip
    decisions = _aggregate_by_round(
        Decision.objects.filter(item__round__in=rounds), number=Count("pk"), last=Max("pk"), reopened=Max("reopened_at")
    )
    items = dict(Item.objects.filter(round__in=rounds).order_by().values_list("round").annotate(n=Count("pk")))
    axes: dict[int, list[tuple[str, str]]] = {}
    projects = {round_.project_id for round_ in rounds}
    for axis in ProjectAxis.objects.filter(project__in=projects).exclude(kind__in=IN_WORDS).order_by("position"):
        axes.setdefault(axis.project_id, []).append((axis.code, axis.name))
    sets = []
    for round_ in rounds:
        vote_counts = votes.get(round_.pk, ())
        state = (round_.pk, *vote_counts, *decisions.get(round_.pk, ()))
        sets.append(
            LabelSet(
                slug=_slug(round_),
                name=f"{round_.project.name}: {round_.called}",
                kind="Labeling round",
                axes=tuple(axes.get(round_.project_id, ())),
                items=items.get(round_.pk, 0),
                columns=vote_counts[0] if vote_counts else 0,
                trust="for its project to say",
                trust_note=FILE_NOTE if round_.is_from_file else TRUST_NOTE,
                licence="",
                url="",
                page=reverse("labeling:project", args=(round_.project.slug,)),
                state=":".join(map(str, state)),
                is_public=False,
                no_votes="" if vote_counts else NO_VOTES,
            )
        )
    return sets


def _aggregate_by_round(rows: QuerySet[Any], **aggregates: Aggregate) -> dict[int, tuple[Any, ...]]:
    """Round id -> the aggregates over its rows, in their order."""
    grouped = rows.order_by().values("item__round").annotate(**aggregates)
    return {row[0]: row[1:] for row in grouped.values_list("item__round", *aggregates)}


def _panel(member: Member, round_: Round, axis: str) -> Panel:
    rows = Item.objects.filter(round=round_).order_by("position").values_list(
        "pk", "issue", "own", "issue__repository__framework__name", "issue__kind", "issue__ref", "issue__repository",
        "issue__host_labels", named=True,
    )  # fmt: skip
    items = list(rows)
    votes = [vote for vote in axis_votes(member=member, round_=round_, is_measured=True) if vote.axis == axis]
    people = sorted({vote.member for vote in votes})
    column_of = {pk: column for column, pk in enumerate(people)}
    row_of = {item.pk: row for row, item in enumerate(items)}
    decided: dict[int, str] = {}
    decisions = visible.decisions(member=member).filter(item__round=round_, axis__code=axis, reopened_at=None)
    for decision in decisions.prefetch_related("versions__node"):
        decided[decision.item_id] = _answer_name(choice_of(decision))
    names = sorted({_answer_name(vote.choice) for vote in votes} | set(decided.values()))
    code_of = {name: code for code, name in enumerate(names)}
    cells, finals = np.full((len(items), len(people)), NONE), np.full(len(items), NONE)
    for vote in votes:
        cells[row_of[vote.item], column_of[vote.member]] = code_of[_answer_name(vote.choice)]
    for pk, name in decided.items():
        finals[row_of[pk]] = code_of[name]
    # Own items have no host: their kind is not known, and their ids are below those of issues.
    refs = [item.issue__ref or "" for item in items]
    frameworks = np.array([item.issue__repository__framework__name or OWN for item in items], dtype=str)
    group_names, groups = np.unique(frameworks, return_inverse=True)
    return Panel(
        columns=tuple(f"Annotator {number}" for number in range(1, len(people) + 1)),
        answers=tuple(names),
        families=(axis,) * len(names),
        votes=cells,
        finals=finals,
        groups=np.asarray(groups, dtype=np.int64),
        group_names=tuple(str(name) for name in group_names),
        issues=np.array([item.issue or -item.own for item in items], dtype=np.int64),
        kinds=np.array([Panel.KINDS.index(item.issue__kind or Panel.KINDS[0]) for item in items], dtype=np.int64),
        numbers=np.array([int(ref) if ref.isdecimal() else NONE for ref in refs], dtype=np.int64),
        repositories=np.array([item.issue__repository or NONE for item in items], dtype=np.int64),
        host_labels=tuple(tuple(item.issue__host_labels or ()) for item in items),
    )


def _answer_name(choice: Choice) -> str:
    """An answer as one text; several nodes together are an answer of their own."""
    if choice.is_undecidable:
        return UNDECIDABLE
    return " + ".join(sorted(choice.values)) or NO_ANSWER
