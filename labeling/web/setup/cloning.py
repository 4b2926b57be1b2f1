"""The page that begins a project like another one."""

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from labeling.models import Member, Role
from labeling.refusals import RefusedError
from labeling.rights import Right, has_right
from labeling.services.cloning import clone_project
from labeling.web.access import logged_in_user, page_context, project_form
from labeling.web.forms import form_status, posted_data
from labeling.web.setup.project_creation import DescriptionForm


class CloneForm(DescriptionForm):
    """What is new of it."""

    slug = forms.SlugField(
        label="Short name",
        max_length=60,
        required=False,
        help_text="Used in addresses; it cannot be changed later. Left empty, it is made from the name.",
    )
    with_team = forms.BooleanField(
        label="Take the team along",
        required=False,
        help_text="Everybody who is in this project now keeps their roles, and gets a new pseudonym.",
    )


@project_form(Role.LEAD)
def cloning(request: HttpRequest, member: Member) -> HttpResponse:
    """The form for a project like this one. Leads without the right to found projects read how they may get it."""
    if not has_right(logged_in_user(request), Right.FOUND):
        return render(request, "labeling/setup/may_not_found.html", status=403)
    project = member.project
    form = CloneForm(posted_data(request), initial={"name": f"{project.name}, again", "question": project.question})
    if request.method == "POST" and form.is_valid():
        try:
            lead = clone_project(lead=member, **form.cleaned_data)
        except RefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "Project created. Next: look through the guidelines and prepare a pilot.")
            return redirect("labeling:project", lead.project.slug)
    context = page_context(member, "settings") | {"form": form}
    return render(request, "labeling/setup/clone.html", context, status=form_status(form))
