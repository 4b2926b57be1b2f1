"""The page where a lead changes who labels an open round. Leads who label learn no numbers of others' work here."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.models import Member, Role, Round
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors import round_people as selectors
from labeling.selectors.round_progress import by_person
from labeling.selectors.rounds import annotators_of
from labeling.selectors.visible import is_blind
from labeling.services import round_people as services
from labeling.services.round_people import Moved
from labeling.web.access import page_context, project_action, project_form, project_page, round_of
from labeling.web.forms import PlainForm, act_and_redirect, apply_form, form_status, posted_data, redirect_with_errors
from labeling.web.setup.round_forms import Annotators


class People(forms.ModelChoiceField[Member]):
    """One annotator, by the name that the team knows."""

    def label_from_instance(self, obj: Member) -> str:
        """The name, and the mark of a senior."""
        return f"{obj.called} (senior)" if obj.is_senior else obj.called


class AddForm(PlainForm):
    """Whom to add."""

    people = Annotators(label="Annotators to add", queryset=None, widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, round_: Round, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["people"].queryset = selectors.could_join(round_=round_)  # type: ignore[attr-defined]


class OtherForm(PlainForm):
    """Who takes somebody's places."""

    other = People(label="Who takes the places", queryset=None, empty_label="Choose")

    def __init__(self, *args: Any, others: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["other"].queryset = others  # type: ignore[attr-defined]


@project_form(Role.LEAD)
def people(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Who labels the round; on POST, more people do."""
    round_ = round_of(member, number)
    form = AddForm(posted_data(request), round_=round_)
    if request.method == "POST" and apply_form(
        form, lambda: services.add_annotators(lead=member, round_=round_, people=list(form.cleaned_data["people"]))
    ):
        return redirect("labeling:round-people", member.project.slug, number)
    context = page_context(member, "rounds") | {
        "round": round_,
        "people": annotators_of(round_=round_),
        "votes": by_person(member=member, round_=round_),
        "are_chosen": selectors.labels_with(round_=round_),
        "form": form,
    }
    return render(request, "labeling/setup/round_people.html", context, status=form_status(form))


@project_page(Role.LEAD)
def person(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:
    """What can be done with somebody's places: replace the person, hand the places over, take the person out."""
    round_, other = _named(member, number, pk)
    substitutes = selectors.substitutes(round_=round_, person=other)
    context = page_context(member, "rounds") | {
        "round": round_,
        "other": other,
        "replace_form": OtherForm(others=substitutes, prefix="replace"),
        "hand_over_form": OtherForm(others=selectors.others_in(round_=round_, person=other), prefix="hand-over"),
    }
    return render(request, "labeling/setup/round_person.html", context)


@project_action(Role.LEAD)
def remove(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:
    """Take somebody out of the round."""
    round_, other = _named(member, number, pk)
    success = f"{other.called} does not label this round any more. Their votes stay; their other places are free."
    return act_and_redirect(
        request,
        lambda: services.remove_annotator(lead=member, round_=round_, person=other),
        success,
        _url(member, number),
    )


@project_action(Role.LEAD)
def replace(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:
    """Put another annotator in somebody's place."""
    round_, other = _named(member, number, pk)
    form = OtherForm(request.POST, others=selectors.substitutes(round_=round_, person=other), prefix="replace")
    return _move(
        request, member, round_, other, form,
        lambda to: services.replace_annotator(lead=member, round_=round_, person=other, by=to),
    )  # fmt: skip


@project_action(Role.LEAD)
def hand_over(request: HttpRequest, member: Member, number: int, pk: int) -> HttpResponse:
    """Hand somebody's places to another annotator of the round."""
    round_, other = _named(member, number, pk)
    form = OtherForm(request.POST, others=selectors.others_in(round_=round_, person=other), prefix="hand-over")
    return _move(
        request, member, round_, other, form,
        lambda to: services.hand_over(lead=member, round_=round_, person=other, to=to),
    )  # fmt: skip


def _move(
    request: HttpRequest, member: Member, round_: Round, giver: Member, form: OtherForm,
    action: Callable[[Member], Moved],
) -> HttpResponse:  # fmt: skip
    """Give the places to whom the form names, and say how many, unless the reader labels too."""
    if not form.is_valid():
        return redirect_with_errors(request, form, _url(member, round_.number))
    to = form.cleaned_data["other"]
    try:
        moved = action(to)
    except RefusedError as error:
        messages.error(request, str(error))
    else:
        numbers = (
            "" if is_blind(member) else f": {moved.kept:,} kept for {to.called}, {moved.free:,} free for everybody"
        )
        messages.success(request, f"The places of {giver.called} without a vote are handed on{numbers}.")
    return redirect(_url(member, round_.number))


def _named(member: Member, number: int, pk: int) -> tuple[Round, Member]:
    round_ = round_of(member, number)
    with missing_as_404():
        return round_, selectors.person_of(round_=round_, pk=pk)


def _url(member: Member, number: int) -> str:
    return reverse("labeling:round-people", args=[member.project.slug, number])
