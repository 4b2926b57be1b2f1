"""Dropping an issue from an open round, and putting it back."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.models import Member, Role
from labeling.services import dropping as services
from labeling.web.access import item_of, page_context, project_action, project_form, round_of
from labeling.web.forms import PlainForm, act_and_redirect, apply_form, form_status, posted_data

MOST_CHARACTERS = 500


class DropForm(PlainForm):
    """Why an issue is dropped."""

    reason = forms.CharField(
        max_length=MOST_CHARACTERS,
        help_text="Everybody in the project reads it, and every release says it in METHOD.md. Name no votes.",
    )


@project_form(Role.LEAD)
def drop(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """What dropping an issue does; on POST, drop it."""
    item = item_of(round_of(member, number), position)
    form = DropForm(posted_data(request))
    if request.method == "POST" and apply_form(
        form, lambda: services.drop_item(lead=member, item=item, **form.cleaned_data)
    ):
        messages.success(
            request, f"{item.snapshot.content['name']} is dropped. You can put it back while the round is open."
        )
        return redirect("labeling:round", member.project.slug, number)
    context = page_context(member, "rounds") | {"round": item.round, "item": item, "form": form}
    return render(request, "labeling/setup/drop.html", context, status=form_status(form))


@project_action(Role.LEAD)
def back(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Put a dropped issue back."""
    item = item_of(round_of(member, number), position)
    success = f"{item.snapshot.content['name']} is in the round again, with the votes it had."
    to = reverse("labeling:round", args=[member.project.slug, number])
    return act_and_redirect(request, lambda: services.put_back(lead=member, item=item), success, to)
