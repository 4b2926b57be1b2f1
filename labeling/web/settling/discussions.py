"""What a lead does about discussions: end one or all of a round, take an end back, and set how many days there are."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from labeling.models import Member, Role
from labeling.refusals import RefusedError
from labeling.services import discussions as services
from labeling.services.discussions import MOST_DAYS
from labeling.web.access import project_action, round_of
from labeling.web.forms import PlainForm, act_and_redirect
from labeling.web.settling.actions import target_of


class DaysForm(PlainForm):
    """How many days a discussion has; empty for no deadline."""

    days = forms.IntegerField(
        label="Days for a discussion", min_value=1, max_value=MOST_DAYS, required=False,
        help_text="From an issue's release on. Empty: no deadline.",
    )  # fmt: skip


@project_action(Role.LEAD)
def ending(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """End the discussion of an axis."""
    target = target_of(member, number, position, axis)
    return act_and_redirect(
        request, lambda: services.end_discussion(lead=member, item=target.item, axis=target.nodes.axis),
        "The discussion is ended.", target.url(request),
    )  # fmt: skip


@project_action(Role.LEAD)
def resuming(request: HttpRequest, member: Member, number: int, position: int, axis: str) -> HttpResponse:
    """Take the end of a discussion back."""
    target = target_of(member, number, position, axis)
    return act_and_redirect(
        request, lambda: services.resume_discussion(lead=member, item=target.item, axis=target.nodes.axis),
        "The discussion is open again.", target.url(request),
    )  # fmt: skip


@project_action(Role.LEAD)
def ending_all(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """End all discussions of the round that wait for somebody."""
    round_ = round_of(member, number)
    try:
        ended = services.end_discussions(lead=member, round_=round_)
        messages.success(request, f"{ended:,} {'discussion is' if ended == 1 else 'discussions are'} ended.")
    except RefusedError as error:
        messages.error(request, str(error))
    return redirect("labeling:disagreements", member.project.slug, number)


@project_action(Role.LEAD)
def setting_days(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Change how many days the round's discussions have."""
    round_, form = round_of(member, number), DaysForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for error in form.errors.get("days", ())))
        return redirect("labeling:disagreements", member.project.slug, number)
    days = form.cleaned_data["days"]
    success = f"Discussions are due {days} days after an issue's release." if days else "Discussions have no deadline."
    return act_and_redirect(
        request, lambda: services.change_discussion_days(lead=member, round_=round_, days=days), success,
        reverse("labeling:disagreements", args=[member.project.slug, number]),
    )  # fmt: skip
