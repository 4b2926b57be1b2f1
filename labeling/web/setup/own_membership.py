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
from labeling.web.access import page_context, project_page
from labeling.web.forms import PlainForm, apply_form, posted_data

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
    named = TEAM
    if member.is_pseudonymous:
        named = HIDDEN
    elif member.shows_name:
        named = SHOWN
    form = NameForm(posted_data(request), initial={"named": named})

    def save() -> None:
        choice = form.cleaned_data["named"]
        pseudonymise(member=member, by=member, is_pseudonymous=choice == HIDDEN)
        show_name(member=member, shows_name=choice == SHOWN)

    if request.method == "POST" and apply_form(form, save):
        messages.success(request, "Saved.")
        return redirect("labeling:me", member.project.slug)
    return render(request, "labeling/setup/me.html", page_context(member, "people") | {"form": form})


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(while_suspended=True)
def leaving(request: HttpRequest, member: Member) -> HttpResponse:
    """What leaving does; on POST, leave."""
    form = LeaveForm(posted_data(request), initial={"hide": member.is_pseudonymous})
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
    return render(request, "labeling/setup/leave.html", page_context(member, "people") | {"form": form})
