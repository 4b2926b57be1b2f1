"""One issue on which annotators differ: its frozen text, the votes side by side, and what can be done about them.

An adjudicator who has not given a first opinion gets the text and the questions, and nothing of the votes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString

from kb.web.markup import markdown, mirrored
from labeling.ballots import Choice
from labeling.models import Decision, Item, Member, Opinion, Post, Role, Round
from labeling.outcomes import same, speaks_for_itself
from labeling.selectors import visible
from labeling.selectors.adjudication import asked_axes, has_voted, opinion_choice
from labeling.selectors.codebooks import AxisNodes, axes_of
from labeling.selectors.dossier import AxisDossier, BlindAnswer, dossier
from labeling.selectors.names import name_of
from labeling.selectors.permissions import SettlingPermissions, settling_permissions
from labeling.web.access import Context, item_of, page_context, project_page, round_of
from labeling.web.comments import thread_of
from labeling.web.settling.forms import FORMS, AxisForm, DecisionForm, initial_choice
from labeling.web.settling.neighbours import neighbours
from labeling.web.settling.passages import COLOURS, Passage, labelled, marked
from labeling.web.work.axes import axes_markup

ACTIONS = ("say", "revise", "stay", "take", "end", "resume", "decide", "accept", "reopen")
# Letters from here on have other meanings on the page.
FIRST_OTHER_KEY = "m"


@dataclass(frozen=True)
class RefusedForms:
    """Forms that were sent and refused, shown again as they were filled in. `refusal`: why, if the forms do not say."""

    forms: Sequence[AxisForm]
    refusal: str = ""

    @property
    def written(self) -> list[str]:
        """The texts that were written, for when the page has no place for the forms any more."""
        texts = []
        for form in self.forms:
            for field in ("reason", "text"):
                text = form.data.get(form.add_prefix(field))
                if text:
                    texts.append(text)
        return texts


@dataclass(frozen=True)
class Card:
    """One annotator's answer, with the labels of its passages."""

    answer: BlindAnswer
    passages: tuple[Passage, ...]

    @property
    def key(self) -> str:
        """The key that takes this answer as the decision; empty where there are too many votes for one each."""
        letter = self.answer.voter.letter.lower()
        return letter if letter < FIRST_OTHER_KEY and len(letter) == 1 else ""

    @property
    def codes(self) -> str:
        """The newest answer, as the page's script reads it."""
        return script_value(self.answer.now.choice)

    @property
    def colour(self) -> int:
        """Which of the colours its passages have."""
        return self.answer.voter.place % COLOURS


@dataclass(frozen=True)
class Panel:
    """One axis with what is on record, and by action the forms that the reader may fill in and their URLs.

    `own`: the reader's answer, where they may still change it; `others`: those of others that differ from it.
    """

    dossier: AxisDossier
    may: SettlingPermissions
    cards: Sequence[Card]
    posts: Sequence[tuple[Post, str, SafeString]]
    opinions: Sequence[tuple[Opinion, str]]
    decision: tuple[Decision, str] | None
    history: Sequence[tuple[Decision, str]]
    nodes: AxisNodes
    addresses: Mapping[str, str]
    forms: Mapping[str, AxisForm]
    own: BlindAnswer | None
    others: Sequence[BlindAnswer]
    is_asked: bool
    opinion: Opinion | None

    @property
    def own_codes(self) -> str:
        """The reader's first opinion, as the page's script reads it; empty where they gave none."""
        return script_value(opinion_choice(self.opinion)) if self.opinion else ""

    @property
    def plain_codes(self) -> str:
        """The answer that can be decided on without typing a reason, as the page's script reads it; empty for none."""
        if self.opinion is None:
            return ""
        votes = [answer.said.choice for answer in self.dossier.answers]
        first = opinion_choice(self.opinion)
        return self.own_codes if self.opinion.reason or speaks_for_itself(first, votes=votes, opinion=first) else ""


@project_page()
def disagreement(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """The page of one issue."""
    return show(request, member, released_item(member, number, position))


def released_item(member: Member, number: int, position: int) -> Item:
    """A released item whose votes the member may read, or which they adjudicate. Raises Http404."""
    item = item_of(round_of(member, number), position)
    if item.released_at is None:
        raise Http404
    if not visible.sees_votes_on(member=member, item=item) and not member.has(Role.ADJUDICATOR):
        raise Http404
    return item


def show(
    request: HttpRequest, member: Member, item: Item, refused: RefusedForms | None = None, status: int = 200
) -> HttpResponse:
    """The page, with refused forms as they were filled in."""
    axes = {nodes.axis.code: nodes for nodes in axes_of(codebook=item.round.codebook)}
    before, after = _neighbour_urls(request, member, item)
    context = page_context(member, "disagreements") | {
        "round": item.round,
        "item": item,
        "text": item.snapshot.content,
        "thread": thread_of(item.snapshot),
        "query": request.GET.urlencode(),
        "voted": has_voted(member=member, item=item),
        "is_adjudicator": member.has(Role.ADJUDICATOR),
        "bound": refused,
        "before": before,
        "after": after,
    }
    if visible.sees_votes_on(member=member, item=item):
        context |= _record(request, member, item, axes, refused)
        return render(request, "labeling/settling/disagreement.html", context, status=status)
    open_axes = asked_axes(adjudicator=member, items=[item.pk])[item.pk]
    questions = [axes[axis.code] for axis in open_axes if axis.code in axes]
    letters = {markup.code: markup.letter for markup in axes_markup(item.round.codebook_id)}
    context |= {
        "questions": [(nodes, _form(nodes, "opinion", refused), letters[nodes.axis.code]) for nodes in questions],
        "address": item_url(request, item.round, item.position, "opinion"),
        "body": _rendered_body(item),
    }
    return render(request, "labeling/settling/opinion.html", context, status=status)


def script_value(choice: Choice) -> str:
    """An answer in one word for the page's script: its codes in order, or a question mark."""
    return "?" if choice.is_undecidable else " ".join(sorted(choice.codes))


def item_url(request: HttpRequest, round_: Round, position: int, name: str = "disagreement", *, axis: str = "") -> str:
    """The URL of a page or an action of one issue, with the queue's filters in its query."""
    args: list[str | int] = [round_.project.slug, round_.number, position]
    if axis:
        args.append(axis)
    url = reverse(f"labeling:{name}", args=args)
    return f"{url}?{request.GET.urlencode()}" if request.GET else url


def _record(
    request: HttpRequest, member: Member, item: Item, axes: Mapping[str, AxisNodes], refused: RefusedForms | None
) -> Context:
    """Everything on record, and what the reader may add to it."""
    record = dossier(reader=member, item=item)
    passages = labelled(record.passages)
    panels, agreed, texts = [], [], []
    for axis in record.axes:
        code = axis.axis.code
        if not axis.axis.is_settled:
            texts.append(axis)
        elif code in axes and (axis.in_conflict or axis.posts or axis.history):
            urls = {
                action: item_url(request, item.round, item.position, f"axis-{action}", axis=code) for action in ACTIONS
            }
            panels.append(_panel(member, item, axis, axes[code], passages, urls, refused))
        else:
            agreed.append(axis)
    content = item.snapshot.content
    in_title = [passage for passage in passages if passage.evidence.part == "title"]
    in_body = [passage for passage in passages if passage.evidence.part == "body"]
    return {
        "voters": record.voters,
        "panels": panels,
        "agreed": agreed,
        "texts": texts,
        "title": marked(content.get("title", ""), in_title),
        "body": marked(content.get("body", ""), in_body),
        "has_passages": bool(passages),
        "plain": None if passages else _rendered_body(item),
    }


def _panel(
    member: Member, item: Item, record: AxisDossier, nodes: AxisNodes, passages: Sequence[Passage],
    urls: Mapping[str, str], refused: RefusedForms | None,
) -> Panel:  # fmt: skip
    own = next((answer for answer in record.answers if answer.voter.member.pk == member.pk), None)
    allowed = settling_permissions(member=member, round_=item.round, axis=record, has_voted=own is not None)
    actions = {"say": allowed.discuss, "revise": allowed.revise, "decide": allowed.decide, "reopen": allowed.reopen}
    by_evidence = {passage.evidence.pk: passage for passage in passages}
    cards = []
    for answer in record.answers:
        cards.append(Card(answer, tuple(by_evidence[evidence.pk] for evidence in answer.passages)))
    opinion = next((each for each in record.opinions if each.member_id == member.pk), None)
    return Panel(
        dossier=record,
        may=allowed,
        cards=cards,
        posts=[
            (post, name_of(reader=member, other=post.member), markdown.render(post.text)) for post in record.posts
        ],
        opinions=[(each, name_of(reader=member, other=each.member)) for each in record.opinions],
        decision=(record.decision, _decider(member, record.decision)) if record.decision else None,
        history=[(decision, _decider(member, decision)) for decision in record.history],
        nodes=nodes,
        addresses=urls,
        forms={action: _form(nodes, action, refused, opinion) for action, is_allowed in actions.items() if is_allowed},
        own=own if allowed.revise else None,
        others=[] if own is None else [each for each in record.answers if not same(each.now.choice, own.now.choice)],
        is_asked=allowed.revise and any(voter.member.pk == member.pk for voter in record.waits_for),
        opinion=opinion,
    )  # fmt: skip


def _rendered_body(item: Item) -> mirrored.Mirrored | None:
    body = item.snapshot.content.get("body", "")
    return mirrored.render(body) if body else None


def _decider(reader: Member, decision: Decision) -> str:
    """Who decided: the adjudicator, or the lead who accepted the votes' answer; empty where nobody is on record."""
    if decision.adjudicator:
        return name_of(reader=reader, other=decision.adjudicator)
    if decision.acceptance:
        return name_of(reader=reader, other=decision.acceptance.member)
    return ""


def _form(nodes: AxisNodes, action: str, refused: RefusedForms | None, own: Opinion | None = None) -> AxisForm:
    """The refused form for this action on the axis, else a new one; a decision begins with one's first opinion."""
    for form in refused.forms if refused else ():
        if form.axis.pk == nodes.axis.pk and form.action == action:
            return form
    if action == DecisionForm.action and own:
        return DecisionForm(nodes, initial=initial_choice(nodes, opinion_choice(own)))
    return FORMS[action](nodes)


def _neighbour_urls(request: HttpRequest, member: Member, item: Item) -> tuple[str, str]:
    """The URLs of the issues before and after this one; empty where there is none."""
    before, after = (
        "" if position is None else item_url(request, item.round, position)
        for position in neighbours(request, member, item)
    )
    return before, after
