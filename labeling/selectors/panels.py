"""The votes of closed rounds as panels (`kb.audit.panels`), for those who may see all of these votes (`visible`).

Annotators are numbered in the order in which they joined: neither name nor pseudonym goes there.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import Count, Max
from django.urls import reverse

from kb.audit.panels import NONE, LabelSet, Panel, Reader
from labeling.ballots import Choice
from labeling.models import Decision, Item, Member, ProjectAxis, Round, Vote
from labeling.selectors import visible
from labeling.selectors.votes import axis_votes

UNDECIDABLE = "cannot be told"
NO_ANSWER = "none of them"
NO_VOTES = "Nobody has voted in this round."
TRUST_NOTE = (
    "Blind votes of a labeling round of this site, with what was decided afterwards. Only its project sees this."
)
FILE_NOTE = "Votes from a file, cast elsewhere, with what was decided afterwards. Only its project sees this."


class RoundPanels:
    """Closed rounds; open ones never, and none for who may still have an opinion of their own to give."""

    def list_sets(self, *, reader: Reader) -> Sequence[LabelSet]:
        """The closed rounds of the reader's projects whose votes the reader may see whole; six statements at most."""
        return _sets([round_ for _, round_ in _rounds(reader)])

    def find_set(self, *, reader: Reader, slug: str) -> LabelSet | None:
        """The one of this slug among them."""
        wanted = [round_ for _, round_ in _rounds(reader) if _slug(round_) == slug]
        return next(iter(_sets(wanted)), None)

    def read_panel(self, *, reader: Reader, slug: str, axis: str) -> Panel:
        """The blind votes; final is what is decided now. Raises `Round.DoesNotExist` for who may not see them."""
        for member, round_ in _rounds(reader):
            if _slug(round_) == slug:
                return _panel(member, round_, axis)
        raise Round.DoesNotExist


def _rounds(reader: Reader) -> list[tuple[Member, Round]]:
    if reader is None:
        return []
    members = {
        one.project_id: one for one in Member.objects.filter(user=reader, left_at=None).select_related("project")
    }
    rounds = Round.objects.filter(project__in=members, state=Round.State.CLOSED).select_related("project")
    found = [(members[one.project_id], one) for one in rounds.order_by("project__name", "project", "number")]
    return [(member, one) for member, one in found if visible.sees_whole(member=member, round_=one)]


def _slug(round_: Round) -> str:
    return f"round-{round_.project.slug}-{round_.number}"


def _sets(rounds: list[Round]) -> list[LabelSet]:
    if not rounds:
        return []
    votes = _by_round(Vote, rounds, people=Count("member", distinct=True), number=Count("pk"), last=Max("pk"))
    settled = {"number": Count("pk"), "last": Max("pk"), "reopened": Max("reopened_at")}
    decided = _by_round(Decision, rounds, **settled)
    items = dict(Item.objects.filter(round__in=rounds).order_by().values_list("round").annotate(n=Count("pk")))
    axes: dict[int, list[tuple[str, str]]] = {}
    for axis in ProjectAxis.objects.filter(project__in={one.project_id for one in rounds}).order_by("position"):
        axes.setdefault(axis.project_id, []).append((axis.code, axis.name))
    return [
        LabelSet(
            slug=_slug(one),
            name=f"{one.project.name}: {one.called}",
            kind="Labeling round",
            axes=tuple(axes.get(one.project_id, ())),
            items=items.get(one.pk, 0),
            columns=votes[one.pk][0] if one.pk in votes else 0,
            trust="for its project to say",
            trust_note=FILE_NOTE if one.is_from_file else TRUST_NOTE,
            licence="",
            url="",
            page=reverse("labeling:project", args=(one.project.slug,)),
            state=":".join(map(str, (one.pk, *votes.get(one.pk, ()), *decided.get(one.pk, ())))),
            is_public=False,
            no_votes="" if one.pk in votes else NO_VOTES,
        )
        for one in rounds
    ]


def _by_round(model: type[Vote] | type[Decision], rounds: list[Round], **counted: Any) -> dict[int, tuple[Any, ...]]:
    rows = (
        model._default_manager.filter(item__round__in=rounds)
        .order_by()
        .values("item__round")
        .annotate(**counted)
        .values_list("item__round", *counted)
    )
    return {row[0]: row[1:] for row in rows}


def _panel(member: Member, round_: Round, axis: str) -> Panel:
    items = list(
        Item.objects.filter(round=round_)
        .order_by("position")
        .values_list(
            "pk", "issue", "issue__repository__framework__name", "issue__kind", "issue__ref", "issue__repository",
            "issue__host_labels",
        )
    )  # fmt: skip
    votes = [one for one in axis_votes(member=member, round_=round_) if one.axis == axis]
    people = sorted({one.member for one in votes})
    column, place = {pk: n for n, pk in enumerate(people)}, {row[0]: n for n, row in enumerate(items)}
    finals = _decided(member, round_, axis)
    names = sorted({_said(one.choice) for one in votes} | set(finals.values()))
    code = {name: n for n, name in enumerate(names)}
    given, settled = np.full((len(items), len(people)), NONE), np.full(len(items), NONE)
    for one in votes:
        given[place[one.item], column[one.member]] = code[_said(one.choice)]
    for item, answer in finals.items():
        settled[place[item]] = code[answer]
    groups, group_of = np.unique(np.array([row[2] for row in items], dtype=str), return_inverse=True)
    return Panel(
        columns=tuple(f"Annotator {number}" for number in range(1, len(people) + 1)),
        answers=tuple(names),
        families=(axis,) * len(names),
        votes=given,
        finals=settled,
        groups=np.asarray(group_of, dtype=np.int64),
        group_names=tuple(str(name) for name in groups),
        issues=np.array([row[1] for row in items], dtype=np.int64),
        kinds=np.array([Panel.KINDS.index(row[3]) for row in items], dtype=np.int64),
        numbers=np.array([int(row[4]) if row[4].isdecimal() else NONE for row in items], dtype=np.int64),
        repositories=np.array([row[5] for row in items], dtype=np.int64),
        host_labels=tuple(tuple(row[6]) for row in items),
    )


def _decided(member: Member, round_: Round, axis: str) -> dict[int, str]:
    """Item -> what is decided of it now."""
    decisions = visible.decisions(member=member).filter(item__round=round_, axis__code=axis, reopened_at=None)
    return {
        one.item_id: _said(Choice(tuple(version.node.code for version in one.versions.all()), one.is_undecidable))
        for one in decisions.prefetch_related("versions__node")
    }


def _said(choice: Choice) -> str:
    """An answer as one text; several nodes together are an answer of their own."""
    return UNDECIDABLE if choice.is_undecidable else " + ".join(sorted(choice.codes)) or NO_ANSWER
