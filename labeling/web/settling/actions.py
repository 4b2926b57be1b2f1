"""What is done about one axis of an issue: discuss, revise, give a first opinion, decide, accept, reopen.

A refused form comes back as it was filled in.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from labeling.models import Decision, Item, Member, Role
from labeling.refusals import RefusedError
from labeling.selectors import visible
from labeling.selectors.adjudication import asked_axes
from labeling.selectors.codebooks import AxisNodes, axes_of
from labeling.services.decisions import accept, adjudicate, reopen
from labeling.services.settling import give_opinions, revise, say
from labeling.web.access import project_page
from labeling.web.settling.disagreement import Bound, settled_item, show
from labeling.web.settling.forms import AxisForm, ChoiceForm, DecisionForm, OpinionForm, PostForm, ReopenForm

Form = TypeVar("Form", bound=AxisForm)
REFUSED = 409
INVALID = 422


@dataclass(frozen=True)
class Place:
    """Where something is done, and by whom."""

    member: Member
    item: Item
    axis: AxisNodes


@require_POST
@project_page(Role.LEAD, Role.ANNOTATOR)
def saying(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Post to the discussion of an axis."""
    place = _place(member, number, position, axis)

    def act(form: PostForm) -> str:
        say(member=member, item=place.item, axis=place.axis.axis, text=form.cleaned_data["text"])
        return "Your post is there."

    return _do(request, place, PostForm(place.axis, request.POST), act)


@require_POST
@project_page(Role.LEAD, Role.ANNOTATOR)
def revising(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Say what one thinks after the discussion."""
    place = _place(member, number, position, axis)

    def act(form: ChoiceForm) -> str:
        revise(member=member, item=place.item, axis=place.axis.axis, choice=form.choice())
        return "What you think now stands beside your vote."

    return _do(request, place, ChoiceForm(place.axis, request.POST), act)


@require_POST
@project_page(Role.ADJUDICATOR)
def opining(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Write first opinions down, on all that is asked."""
    item = settled_item(member, number, position)
    asked = {axis.pk for axis in asked_axes(adjudicator=member, items=[item.pk])[item.pk]}
    axes = [one for one in axes_of(codebook=item.round.codebook) if one.axis.pk in asked]
    forms = [OpinionForm(one, request.POST) for one in axes]
    if not all(form.is_valid() for form in forms):
        return show(request, member, item, Bound(forms), status=INVALID)
    said = {form.axis: (form.choice(), form.cleaned_data["reason"]) for form in forms}
    try:
        if not said:
            raise RefusedError("You are asked nothing here any more.")
        give_opinions(adjudicator=member, item=item, said=said)
    except RefusedError as refused:
        return show(request, member, item, Bound(forms, str(refused)), status=REFUSED)
    messages.success(request, "Your first opinion is written down. These are the votes.")
    return redirect(_page(request, member, item))


@require_POST
@project_page(Role.ADJUDICATOR)
def deciding(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Settle an axis as an adjudicator."""
    place = _place(member, number, position, axis)

    def act(form: DecisionForm) -> str:
        adjudicate(
            adjudicator=member, item=place.item, axis=place.axis.axis, choice=form.choice(),
            cause=Decision.Cause(form.cleaned_data["cause"]), reason=form.cleaned_data["reason"],
        )  # fmt: skip
        return f"{place.axis.axis.name} is decided."

    return _do(request, place, DecisionForm(place.axis, request.POST), act)


@require_POST
@project_page(Role.LEAD, Role.ADJUDICATOR)
def reopening(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Take a decision out of force."""
    place = _place(member, number, position, axis)

    def act(form: ReopenForm) -> str:
        in_force = visible.decisions(member=member).filter(item=place.item, axis=place.axis.axis, reopened_at=None)
        if (decision := in_force.first()) is None:
            raise RefusedError("There is no decision in force here.")
        reopen(member=member, decision=decision, reason=form.cleaned_data["reason"])
        return f"{place.axis.axis.name} is open again."

    return _do(request, place, ReopenForm(place.axis, request.POST), act)


@require_POST
@project_page(Role.LEAD)
def accepting(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Accept what the votes on one axis decide."""
    place = _place(member, number, position, axis)
    wanted = request.POST.get("how", "")
    how = Decision.How(wanted) if wanted in Decision.How.values else Decision.How.UNANIMOUS
    try:
        done = accept(lead=member, round_=place.item.round, how=how, item=place.item, axis=place.axis.axis)
        if not done:
            raise RefusedError("The votes do not decide this any more, or it is decided already.")
        messages.success(request, f"{place.axis.axis.name} is decided.")
    except RefusedError as refused:
        messages.error(request, str(refused))
    return redirect(_back(request, place))


def _place(member: Member, number: int, position: int, axis: str) -> Place:
    """Raises Http404 where there is no such axis, or nothing that the member may read."""
    item = settled_item(member, number, position)
    axes = {one.axis.code: one for one in axes_of(codebook=item.round.codebook)}
    if axis not in axes:
        raise Http404
    return Place(member, item, axes[axis])


def _do(request: HttpRequest, place: Place, form: Form, act: Callable[[Form], str]) -> HttpResponse:
    """Do it and go back to the axis, or show the form again with what keeps it from being done."""
    if not form.is_valid():
        return show(request, place.member, place.item, Bound([form]), status=INVALID)
    try:
        messages.success(request, act(form))
    except RefusedError as refused:
        return show(request, place.member, place.item, Bound([form], str(refused)), status=REFUSED)
    return redirect(_back(request, place))


def _back(request: HttpRequest, place: Place) -> str:
    return f"{_page(request, place.member, place.item)}#axis-{place.axis.axis.code}"


def _page(request: HttpRequest, member: Member, item: Item) -> str:
    address = reverse("labeling:disagreement", args=[member.project.slug, item.round.number, item.position])
    return f"{address}?{request.GET.urlencode()}" if request.GET else address
