"""How a member is named in the project, and leaving it."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from labeling.models import Member
from labeling.refusals import RefusedError
from labeling.services.members import pseudonymise, show_name
from labeling.services.people import leave
from labeling.web.access import project_page
from labeling.web.answers import PlainForm, is_done, sent

SHOWN, TEAM, HIDDEN = "shown", "team", "hidden"
NAMED = (
    (SHOWN, "The team sees my name, and it may stand beside published results"),
    (TEAM, "The team sees my name; what is published has my pseudonym"),
    (HIDDEN, "The team, too, sees my pseudonym only"),
)


class NameForm(PlainForm):
    """Who may see the member's name."""

    named = forms.ChoiceField(label="Who sees your name", choices=NAMED, widget=forms.RadioSelect)


class LeaveForm(PlainForm):
    """Leaving, with or without one's name."""

    hide = forms.BooleanField(label="Show my pseudonym instead of my name from now on", required=False)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(while_suspended=True)
def me(request: HttpRequest, member: Member) -> HttpResponse:
    """The member's roles and pseudonym, and who sees their name."""
    named = HIDDEN if member.is_pseudonymous else SHOWN if member.shows_name else TEAM
    form = NameForm(sent(request), initial={"named": named})
    if request.method == "POST" and is_done(form, lambda: _name(member, form.cleaned_data["named"])):
        messages.success(request, "Saved.")
        return redirect("labeling:me", member.project.slug)
    context = {"member": member, "project": member.project, "here": "people", "form": form}
    return render(request, "labeling/setup/me.html", context)


def _name(member: Member, named: str) -> None:
    pseudonymise(member=member, by=member, is_pseudonymous=named == HIDDEN)
    show_name(member=member, shows_name=named == SHOWN)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(while_suspended=True)
def leaving(request: HttpRequest, member: Member) -> HttpResponse:
    """Say what leaving does, and leave."""
    form = LeaveForm(sent(request), initial={"hide": member.is_pseudonymous})
    if request.method == "POST" and form.is_valid():
        try:
            leave(member=member)
        except RefusedError as error:
            messages.error(request, str(error))
            return redirect("labeling:leave", member.project.slug)
        if form.cleaned_data["hide"]:
            pseudonymise(member=member, by=member)
        messages.success(request, f"You left {member.project.name}. Your votes stay in its results.")
        return redirect("labeling:projects")
    context = {"member": member, "project": member.project, "here": "people", "form": form}
    return render(request, "labeling/setup/leave.html", context)
