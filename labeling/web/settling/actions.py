"""What is done about one axis of an issue: discuss, revise, stay, give a first opinion, decide, accept, reopen.

Ending discussions is `discussions`'.

A refused form comes back as it was filled in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html

from labeling.models import Decision, Item, Member, Role
from labeling.refusals import RefusedError
from labeling.selectors.adjudication import Case, asked_axes, decision_in_force, next_case
from labeling.selectors.codebooks import AxisNodes, axes_of
from labeling.selectors.dossier import voter_with
from labeling.services.decisions import accept, adjudicate, reopen
from labeling.services.settling import give_opinions, revise, say, stay, take_answer
from labeling.web.access import project_action
from labeling.web.forms import act_and_redirect, number_from
from labeling.web.settling.disagreement import RefusedForms, item_url, released_item, show
from labeling.web.settling.forms import AxisForm, ChoiceForm, DecisionForm, OpinionForm, PostForm, ReopenForm

Form = TypeVar("Form", bound=AxisForm)
REFUSED = 409
INVALID = 422


@dataclass(frozen=True)
class Target:
    """The axis of an issue that a member acts on."""

    member: Member
    item: Item
    nodes: AxisNodes

    def url(self, request: HttpRequest) -> str:
        """Where the axis stands on the page of its issue."""
        return f"{item_url(request, self.item.round, self.item.position)}#axis-{self.nodes.axis.code}"


@project_action(Role.LEAD, Role.ANNOTATOR)
def saying(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Post to the discussion of an axis."""
    target = target_of(member, number, position, axis)

    def act(form: PostForm) -> str:
        say(member=member, item=target.item, axis=target.nodes.axis, text=form.cleaned_data["text"])
        return "Posted."

    return _do(request, target, PostForm(target.nodes, request.POST), act)


@project_action(Role.LEAD, Role.ANNOTATOR)
def revising(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Revise one's answer after the discussion."""
    target = target_of(member, number, position, axis)

    def act(form: ChoiceForm) -> str:
        revise(member=member, item=target.item, axis=target.nodes.axis, choice=form.choice())
        return "Your revised opinion is shown beside your vote."

    return _do(request, target, ChoiceForm(target.nodes, request.POST), act)


@project_action(Role.LEAD, Role.ANNOTATOR)
def staying(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Stay with one's answer."""
    target = target_of(member, number, position, axis)
    return act_and_redirect(
        request, lambda: stay(member=member, item=target.item, axis=target.nodes.axis),
        f"{target.nodes.axis.name}: you stay with your answer.", target.url(request),
    )  # fmt: skip


@project_action(Role.LEAD, Role.ANNOTATOR)
def taking(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Take the answer of the voter with this letter, as it was on the page."""
    target = target_of(member, number, position, axis)
    letter, revision = request.POST.get("voter", ""), number_from(request.POST.get("revision", ""), 0, digits=18)

    def act() -> None:
        voter = voter_with(reader=member, item=target.item, letter=letter)
        if voter is None:
            raise RefusedError("Nobody with this letter voted on the issue.")
        take_answer(member=member, item=target.item, axis=target.nodes.axis, voter=voter, revision=revision)

    success = f"{target.nodes.axis.name}: you take {letter}'s answer."
    return act_and_redirect(request, act, success, target.url(request))


@project_action(Role.ADJUDICATOR)
def opining(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Give first opinions on all axes that are asked for."""
    item = released_item(member, number, position)
    asked_ids = {axis.pk for axis in asked_axes(adjudicator=member, items=[item.pk])[item.pk]}
    axes = axes_of(codebook=item.round.codebook)
    forms = [OpinionForm(nodes, request.POST) for nodes in axes if nodes.axis.pk in asked_ids]
    if not all(form.is_valid() for form in forms):
        return show(request, member, item, RefusedForms(forms), status=INVALID)
    opinions = {form.axis: (form.choice(), form.cleaned_data["reason"]) for form in forms}
    try:
        if not opinions:
            raise RefusedError("Nothing is left for you to do here.")
        give_opinions(adjudicator=member, item=item, said=opinions)
    except RefusedError as refused:
        return show(request, member, item, RefusedForms(forms, str(refused)), status=REFUSED)
    messages.success(request, "Your first opinion is recorded. These are the votes.")
    return redirect(item_url(request, item.round, item.position))


@project_action(Role.ADJUDICATOR)
def deciding(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Settle an axis as an adjudicator."""
    target = target_of(member, number, position, axis)

    def act(form: DecisionForm) -> str:
        adjudicate(
            adjudicator=member, item=target.item, axis=target.nodes.axis, choice=form.choice(),
            cause=Decision.Cause(form.cleaned_data["cause"]), reason=form.cleaned_data["reason"],
        )  # fmt: skip
        issue = target.item.snapshot.content["name"]
        link = format_html('<a href="{}">Look at it again</a>', target.url(request))
        return format_html("{} of {} is decided. {}", target.nodes.axis.name, issue, link)

    def following() -> str:
        case = next_case(adjudicator=member, after=target.item)
        return _case_url(request, case) if case else target.url(request)

    return _do(request, target, DecisionForm(target.nodes, request.POST), act, following)


@project_action(Role.LEAD, Role.ADJUDICATOR)
def reopening(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Take a decision out of force."""
    target = target_of(member, number, position, axis)

    def act(form: ReopenForm) -> str:
        decision = decision_in_force(member=member, item=target.item, axis=target.nodes.axis)
        if decision is None:
            raise RefusedError("There is no decision here to reopen.")
        reopen(member=member, decision=decision, reason=form.cleaned_data["reason"])
        return f"{target.nodes.axis.name} is open again."

    return _do(request, target, ReopenForm(target.nodes, request.POST), act)


@project_action(Role.LEAD)
def accepting(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Accept what the votes on one axis decide."""
    target = target_of(member, number, position, axis)
    how = request.POST.get("how", "")
    if how not in Decision.How.values:
        how = Decision.How.UNANIMOUS
    try:
        accepted = accept(
            lead=member, round_=target.item.round, how=Decision.How(how), item=target.item, axis=target.nodes.axis
        )
        if not accepted:
            raise RefusedError("The votes no longer decide this, or it is already decided.")
        messages.success(request, f"{target.nodes.axis.name} is decided.")
    except RefusedError as refused:
        messages.error(request, str(refused))
    return redirect(target.url(request))


def _case_url(request: HttpRequest, case: Case) -> str:
    """Where a case is worked on, at the first of its axes."""
    return f"{item_url(request, case.item.round, case.item.position)}#axis-{case.axes[0].code}"


def target_of(member: Member, number: int, position: int, code: str) -> Target:
    """Raises Http404 where there is no such axis, or nothing that the member may read."""
    item = released_item(member, number, position)
    for nodes in axes_of(codebook=item.round.codebook):
        if nodes.axis.code == code:
            return Target(member, item, nodes)
    raise Http404


def _do(
    request: HttpRequest,
    target: Target,
    form: Form,
    act: Callable[[Form], str],
    onward: Callable[[], str] | None = None,
) -> HttpResponse:
    """Run the action and go `onward`, else back to the axis; or show the form again with the reason why not."""
    if not form.is_valid():
        return show(request, target.member, target.item, RefusedForms([form]), status=INVALID)
    try:
        messages.success(request, act(form))
    except RefusedError as refused:
        return show(request, target.member, target.item, RefusedForms([form], str(refused)), status=REFUSED)
    return redirect(onward() if onward else target.url(request))
