"""Who is in the project: the list, invitations by link, roles, removal."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.models import Invitation, Member, Role
from labeling.rights import Right, has_right
from labeling.selectors import invitations
from labeling.services import members as services
from labeling.services.people import INVITATION_DAYS, MOST_DAYS, MOST_USES, invite, revoke
from labeling.web.access import project_page
from labeling.web.answers import PlainForm, is_done, said, sent

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
    everybody = Member.objects.filter(project=member.project_id).select_related("user").order_by("joined_at", "pk")
    context = {
        "member": member, "project": member.project, "here": "people",
        "people": [one for one in everybody if one.is_active],
        "gone": [one for one in everybody if not one.is_active],
        "is_lead": member.has(Role.LEAD),
    }  # fmt: skip
    if member.has(Role.LEAD):
        link = request.session.pop(LINK_KEY, None) if request.method == "GET" else None
        context |= {"invitations": invitations.open_ones(lead=member), "link": link}
    return render(request, "labeling/setup/people.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def invitation(request: HttpRequest, member: Member) -> HttpResponse:
    """Make an invitation; its link is shown on the next page, once."""
    form = InvitationForm(sent(request), initial={"roles": [Role.ANNOTATOR]})
    if request.method == "POST" and is_done(form, lambda: _invite(request, member, form)):
        return redirect("labeling:people", member.project.slug)
    context = {
        "member": member, "project": member.project, "here": "people", "form": form,
        "sign_up_open": settings.SIGNUP_OPEN, "invites_newcomers": has_right(member.user, Right.INVITE),
    }  # fmt: skip
    return render(request, "labeling/setup/invite.html", context)


def _invite(request: HttpRequest, lead: Member, form: InvitationForm) -> None:
    _, token = invite(lead=lead, **form.cleaned_data)
    request.session[LINK_KEY] = request.build_absolute_uri(reverse("labeling:join", args=[token]))


@require_POST
@project_page(Role.LEAD)
def revocation(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Withdraw an invitation."""
    found = Invitation.objects.filter(pk=pk, project=member.project_id).first()
    if found is None:
        raise Http404

    def action() -> str:
        revoke(lead=member, invitation=found)
        return "The invitation is withdrawn: its link lets nobody in any more."

    return said(request, action, reverse("labeling:people", args=[member.project.slug]))


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def roles(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Change what somebody does."""
    other = _other(member, pk)
    form = RolesForm(sent(request), initial={"roles": other.roles, "is_senior": other.is_senior})
    if request.method == "POST" and is_done(
        form, lambda: services.change_roles(lead=member, member=other, **form.cleaned_data)
    ):
        messages.success(request, f"The roles of {other.called} are changed.")
        return redirect("labeling:people", member.project.slug)
    context = {"member": member, "project": member.project, "here": "people", "other": other, "form": form}
    return render(request, "labeling/setup/roles.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def removal(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Say what removing somebody does, and do it."""
    other = _other(member, pk)
    if request.method == "POST":
        return said(request, lambda: _remove(member, other), reverse("labeling:people", args=[member.project.slug]))
    context = {"member": member, "project": member.project, "here": "people", "other": other}
    return render(request, "labeling/setup/remove.html", context)


def _remove(lead: Member, other: Member) -> str:
    services.remove_member(lead=lead, member=other)
    return f"{other.called} is not in the project any more. Their votes stay; what was kept for them is free again."


@require_POST
@project_page(Role.LEAD)
def hiding(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Hide the name of somebody who left and asks for it."""
    other = Member.objects.select_related("user").filter(pk=pk, project=member.project_id).first()
    if other is None:
        raise Http404

    def action() -> str:
        services.pseudonymise(member=other, by=member)
        return f"Their name is hidden: the project shows {other.pseudonym} from now on."

    return said(request, action, reverse("labeling:people", args=[member.project.slug]))


def _other(member: Member, pk: int) -> Member:
    found = Member.objects.select_related("user", "project").filter(pk=pk, project=member.project_id, left_at=None)
    if (other := found.first()) is None:
        raise Http404
    return other
