"""One issue on which annotators differ: its frozen text, the votes side by side, and what can be done about them.

An adjudicator who has not given a first opinion gets the text and the questions, and nothing of the votes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from kb.web.markup import markdown, mirrored
from labeling.models import Decision, Item, Member, Opinion, Post, Role
from labeling.selectors import visible
from labeling.selectors.adjudication import asked_axes, desk, has_voted
from labeling.selectors.codebooks import AxisNodes, axes_of
from labeling.selectors.disputes import disputes
from labeling.selectors.dossier import AxisDossier, BlindAnswer, dossier
from labeling.selectors.names import name_of
from labeling.selectors.permissions import May, may
from labeling.web.access import item_of, project_page, round_of
from labeling.web.comments import thread_of
from labeling.web.settling.axes_asked import asked_of, axis_names, neighbours
from labeling.web.settling.forms import FORMS, AxisForm
from labeling.web.settling.passages import COLOURS, Passage, labelled, marked

Axes = Mapping[str, AxisNodes]
ACTIONS = ("say", "revise", "decide", "accept", "reopen")


@dataclass(frozen=True)
class Bound:
    """Forms that were sent and refused: they are shown again as they were filled in. `refusal`: why, if not in them."""

    forms: Sequence[AxisForm]
    refusal: str = ""

    def find(self, axis: AxisNodes, action: str) -> AxisForm | None:
        """The form for this, if it was sent."""
        return next((one for one in self.forms if (one.axis.pk, one.action) == (axis.axis.pk, action)), None)

    @property
    def written(self) -> list[str]:
        """The texts that were written, where the page has no place for the forms any more."""
        names = [(one.data, one.add_prefix(key)) for one in self.forms for key in ("reason", "text")]
        return [data[name] for data, name in names if data.get(name)]


@dataclass(frozen=True)
class Card:
    """One annotator's answer, with the labels of its passages."""

    answer: BlindAnswer
    passages: tuple[Passage, ...]

    @property
    def colour(self) -> int:
        """Which of the colours its passages have."""
        return self.answer.voter.place % COLOURS


@dataclass(frozen=True)
class Panel:
    """One axis with what is on record and the forms that the reader may fill in, by action."""

    dossier: AxisDossier
    may: May
    cards: tuple[Card, ...]
    posts: tuple[tuple[Post, str, SafeString], ...]
    opinions: tuple[tuple[Opinion, str], ...]
    decision: tuple[Decision, str] | None
    history: tuple[tuple[Decision, str], ...]
    nodes: AxisNodes
    addresses: Mapping[str, str]
    forms: Mapping[str, AxisForm] = field(default_factory=dict)


@require_safe
@project_page()
def disagreement(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """The page of one issue."""
    return show(request, member, settled_item(member, number, position))


def settled_item(member: Member, number: int, position: int) -> Item:
    """A released item that the member may read, or adjudicate. Raises Http404."""
    item = item_of(round_of(member, number), position)
    if item.released_at is None:
        raise Http404
    if not is_open_to(member, item) and not member.has(Role.ADJUDICATOR):
        raise Http404
    return item


def is_open_to(member: Member, item: Item) -> bool:
    """Are the item's votes no secret for the member any more?"""
    return visible.released_items(member=member).filter(pk=item.pk).exists()


def show(
    request: HttpRequest, member: Member, item: Item, bound: Bound | None = None, status: int = 200
) -> HttpResponse:
    """The page, with a refused form as it was filled in."""
    axes = {one.axis.code: one for one in axes_of(codebook=item.round.codebook)}
    context = {
        "member": member,
        "project": member.project,
        "here": "disagreements",
        "round": item.round,
        "item": item,
        "text": item.snapshot.content,
        "thread": thread_of(item.snapshot.content),
        "query": request.GET.urlencode(),
        "voted": has_voted(member=member, item=item),
        "is_adjudicator": member.has(Role.ADJUDICATOR),
        "bound": bound,
    }
    context |= _neighbours(request, member, item)
    if is_open_to(member, item):
        return render(
            request,
            "labeling/settling/disagreement.html",
            context | _record(request, member, item, axes, bound),
            status=status,
        )
    return render(
        request, "labeling/settling/opinion.html", context | _asked(request, member, item, axes, bound), status=status
    )


def _asked(request: HttpRequest, member: Member, item: Item, axes: Axes, bound: Bound | None) -> dict[str, object]:
    """What an adjudicator is asked before they see anything."""
    asked = asked_axes(adjudicator=member, items=[item.pk])[item.pk]
    shown = [axes[axis.code] for axis in asked if axis.code in axes]
    return {
        "questions": [(one, _form(one, "opinion", bound)) for one in shown],
        "address": opinion_address(request, member, item),
        "body": _rendered(item),
    }


def _record(request: HttpRequest, member: Member, item: Item, axes: Axes, bound: Bound | None) -> dict[str, object]:
    """Everything on record, and what the reader may add to it."""
    found = dossier(reader=member, item=item)
    passages = labelled(found.passages)
    content = item.snapshot.content
    panels = [
        _panel(
            member, item, one, axes[one.axis.code], passages, bound, _addresses(request, member, item, one.axis.code)
        )
        for one in found.axes
        if one.axis.code in axes and (one.in_conflict or one.posts or one.history)
    ]
    shown = {panel.dossier.axis.pk for panel in panels}
    by_part = {part: [one for one in passages if one.evidence.part == part] for part in ("title", "body")}
    return {
        "voters": found.voters,
        "panels": panels,
        "agreed": [one for one in found.axes if one.axis.pk not in shown],
        "title": marked(content.get("title", ""), by_part["title"]),
        "body": marked(content.get("body", ""), by_part["body"]),
        "has_passages": bool(passages),
        "plain": None if passages else _rendered(item),
    }


def _panel(
    member: Member, item: Item, found: AxisDossier, nodes: AxisNodes, passages: Sequence[Passage], bound: Bound | None,
    addresses: Mapping[str, str],
) -> Panel:  # fmt: skip
    voted = any(one.voter.member.pk == member.pk for one in found.answers)
    allowed = may(member=member, round_=item.round, axis=found, has_voted=voted)
    wanted = {"say": allowed.discuss, "revise": allowed.revise, "decide": allowed.decide, "reopen": allowed.reopen}
    by_evidence = {one.evidence.pk: one for one in passages}
    return Panel(
        dossier=found,
        may=allowed,
        cards=tuple(Card(one, tuple(by_evidence[some.pk] for some in one.passages)) for one in found.answers),
        posts=tuple((one, name_of(reader=member, other=one.member), markdown.render(one.text)) for one in found.posts),
        opinions=tuple((one, name_of(reader=member, other=one.member)) for one in found.opinions),
        decision=(found.decision, _decider(member, found.decision)) if found.decision else None,
        history=tuple((one, _decider(member, one)) for one in found.history),
        nodes=nodes,
        addresses=addresses,
        forms={action: _form(nodes, action, bound) for action, is_wanted in wanted.items() if is_wanted},
    )


def _rendered(item: Item) -> mirrored.Mirrored | None:
    body = item.snapshot.content.get("body", "")
    return mirrored.render(body) if body else None


def opinion_address(request: HttpRequest, member: Member, item: Item) -> str:
    """Where first opinions are sent."""
    address = reverse("labeling:opinion", args=[member.project.slug, item.round.number, item.position])
    return f"{address}?{request.GET.urlencode()}" if request.GET else address


def _addresses(request: HttpRequest, member: Member, item: Item, axis: str) -> dict[str, str]:
    """What can be done about an axis -> where it is sent; the filters of the queue are kept."""
    args = [member.project.slug, item.round.number, item.position, axis]
    query = f"?{request.GET.urlencode()}" if request.GET else ""
    return {action: reverse(f"labeling:axis-{action}", args=args) + query for action in ACTIONS}


def _decider(reader: Member, decision: Decision) -> str:
    """Who decided: the adjudicator, or the lead who accepted what the votes say; empty where nobody is on record."""
    who = decision.adjudicator or (decision.acceptance.member if decision.acceptance else None)
    return name_of(reader=reader, other=who) if who else ""


def _form(axis: AxisNodes, action: str, bound: Bound | None) -> AxisForm:
    return (bound and bound.find(axis, action)) or FORMS[action](axis)


def _neighbours(request: HttpRequest, member: Member, item: Item) -> dict[str, object]:
    """Addresses of the issues before and after this one: on the adjudicator's desk, else in the queue as filtered."""
    places = _adjudicators_places if member.has(Role.ADJUDICATOR) else _queued_places
    before, after = neighbours(places(request, member, item, item), item.position)
    if before is None or after is None:
        before, after = neighbours(places(request, member, item, None), item.position)
    return {"before": _address(request, member, item, before), "after": _address(request, member, item, after)}


def _adjudicators_places(_request: HttpRequest, member: Member, item: Item, near: Item | None) -> list[int]:
    waiting = desk(adjudicator=member, near=near)
    ids = [*waiting.opinions, *waiting.decisions]
    return list(Item.objects.filter(pk__in=ids, round=item.round_id).values_list("position", flat=True))


def _queued_places(request: HttpRequest, member: Member, item: Item, near: Item | None) -> list[int]:
    asked = asked_of(request.GET, axis_names(member).items())
    found = disputes(member=member, round_=item.round, near=near)
    return [one.position for one in found if asked.keeps(one, member)]


def _address(request: HttpRequest, member: Member, item: Item, position: int | None) -> str:
    if position is None:
        return ""
    address = reverse("labeling:disagreement", args=[member.project.slug, item.round.number, position])
    return f"{address}?{request.GET.urlencode()}" if request.GET else address
