"""Who is in the project: the list, invitations by link, roles, removal."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.models import Member, Role
from labeling.rights import Right, has_right
from labeling.selectors import invitations, team
from labeling.services import members as services
from labeling.services.people import INVITATION_DAYS, MOST_DAYS, MOST_USES, invite, revoke
from labeling.web.access import missing_as_404, page_context, project_page
from labeling.web.forms import PlainForm, act_and_redirect, apply_form, posted_data

# The session's key for the link of a new invitation, which is shown once.
LINK_KEY = "labeling_new_link"


class RolesForm(PlainForm):
    """What somebody does in the project."""

    roles = forms.TypedMultipleChoiceField(
        choices=Role.choices,
        coerce=Role,
        widget=forms.CheckboxSelectMultiple,
        help_text="Annotators and adjudicators are blind, also where they lead.",
        error_messages={"required": "Choose at least one role."},
    )
    is_senior = forms.BooleanField(
        label="Senior: counts where a round wants an experienced annotator for every issue", required=False
    )


class InvitationForm(RolesForm):
    """A link for others to join by."""

    uses = forms.IntegerField(
        label="For how many people", min_value=1, max_value=MOST_USES, initial=1,
        help_text="One link can be sent to a whole class; a link for one person is safer.",
    )  # fmt: skip
    days = forms.IntegerField(label="Good for how many days", min_value=1, max_value=MOST_DAYS, initial=INVITATION_DAYS)
    note = forms.CharField(
        max_length=120, required=False, help_text="Whom it is for, in your own words; only leads see it."
    )


@require_safe
@project_page()
def people(request: HttpRequest, member: Member) -> HttpResponse:
    """Members with their roles; for leads also the open invitations."""
    everybody = list(team.team(member=member))
    context = page_context(member, "people") | {
        "people": [person for person in everybody if person.is_active],
        "gone": [person for person in everybody if not person.is_active],
        "is_lead": member.has(Role.LEAD),
    }
    if member.has(Role.LEAD):
        link = request.session.pop(LINK_KEY, None) if request.method == "GET" else None
        context |= {"invitations": invitations.open_ones(lead=member), "link": link}
    return render(request, "labeling/setup/people.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def invitation(request: HttpRequest, member: Member) -> HttpResponse:
    """Make an invitation; its link is shown on the next page, once."""
    form = InvitationForm(posted_data(request), initial={"roles": [Role.ANNOTATOR]})

    def save() -> None:
        _, token = invite(lead=member, **form.cleaned_data)
        request.session[LINK_KEY] = request.build_absolute_uri(reverse("labeling:join", args=[token]))

    if request.method == "POST" and apply_form(form, save):
        return redirect("labeling:people", member.project.slug)
    context = page_context(member, "people") | {
        "form": form,
        "sign_up_open": settings.SIGNUP_OPEN,
        "invites_newcomers": has_right(member.user, Right.INVITE),
    }
    return render(request, "labeling/setup/invite.html", context)


@require_POST
@project_page(Role.LEAD)
def revocation(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Withdraw an invitation."""
    with missing_as_404():
        withdrawn = invitations.invitation_of(lead=member, pk=pk)

    def action() -> str:
        revoke(lead=member, invitation=withdrawn)
        return "The invitation is withdrawn: its link lets nobody in any more."

    return act_and_redirect(request, action, reverse("labeling:people", args=[member.project.slug]))


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def roles(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Change what somebody does."""
    with missing_as_404():
        other = team.teammate(member=member, pk=pk)
    form = RolesForm(posted_data(request), initial={"roles": other.roles, "is_senior": other.is_senior})
    if request.method == "POST" and apply_form(
        form, lambda: services.change_roles(lead=member, member=other, **form.cleaned_data)
    ):
        messages.success(request, f"The roles of {other.called} are changed.")
        return redirect("labeling:people", member.project.slug)
    context = page_context(member, "people") | {"other": other, "form": form}
    return render(request, "labeling/setup/roles.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def removal(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """What removing somebody does; on POST, remove them."""
    with missing_as_404():
        other = team.teammate(member=member, pk=pk)

    def action() -> str:
        services.remove_member(lead=member, member=other)
        return f"{other.called} is not in the project any more. Their votes stay; what was kept for them is free again."

    if request.method == "POST":
        return act_and_redirect(request, action, reverse("labeling:people", args=[member.project.slug]))
    return render(request, "labeling/setup/remove.html", page_context(member, "people") | {"other": other})


@require_POST
@project_page(Role.LEAD)
def hiding(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Hide the name of somebody who left and asks for it."""
    with missing_as_404():
        other = team.teammate(member=member, pk=pk, may_have_left=True)

    def action() -> str:
        services.pseudonymise(member=other, by=member)
        return f"Their name is hidden: the project shows {other.pseudonym} from now on."

    return act_and_redirect(request, action, reverse("labeling:people", args=[member.project.slug]))
