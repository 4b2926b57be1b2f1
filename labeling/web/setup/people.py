"""Who is in the project: the list, invitations by link, roles, removal; one's own name in it, and leaving it."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.models import Member, Role
from labeling.refusals import RefusedError, missing_as_404
from labeling.rights import Right, has_right
from labeling.selectors import invitations, team
from labeling.services import members as services
from labeling.services.people import INVITATION_DAYS, MOST_DAYS, MOST_USES, invite, leave, revoke
from labeling.web.access import page_context, project_action, project_form, project_page
from labeling.web.forms import PlainForm, act_and_redirect, apply_form, posted_data

# The session's key for the link of a new invitation, which is shown once.
LINK_KEY = "labeling_new_link"
SHOWN, TEAM, HIDDEN = "shown", "team", "hidden"
NAMED = (
    (SHOWN, "The team sees my name, and it may appear with published results"),
    (TEAM, "The team sees my name; published results show my pseudonym"),
    (HIDDEN, "The team also sees only my pseudonym"),
)


class RolesForm(PlainForm):
    """What somebody does in the project."""

    roles = forms.TypedMultipleChoiceField(
        choices=Role.choices,
        coerce=Role,
        widget=forms.CheckboxSelectMultiple,
        help_text="Annotators and adjudicators stay blind, even if they lead the project.",
        error_messages={"required": "Choose at least one role."},
    )
    is_senior = forms.BooleanField(
        label="Senior: counts where a round asks for an experienced annotator on every issue", required=False
    )


class InvitationForm(RolesForm):
    """A link for others to join by."""

    uses = forms.IntegerField(
        label="Number of people", min_value=1, max_value=MOST_USES, initial=1,
        help_text="One link can be sent to a whole class; a link for one person is safer.",
    )  # fmt: skip
    days = forms.IntegerField(label="Valid for (days)", min_value=1, max_value=MOST_DAYS, initial=INVITATION_DAYS)
    addressee = forms.CharField(
        label="For", max_length=254, required=False,
        help_text="An e-mail address or a user name, if you like: the invitation then also waits for that person after "
        "log-in, and is mailed without the link where this site sends mail.",
    )  # fmt: skip
    note = forms.CharField(max_length=120, required=False, help_text="A note on who it is for; only leads see it.")


class NameForm(PlainForm):
    """Who may see the member's name."""

    named = forms.ChoiceField(label="Who sees your name", choices=NAMED, widget=forms.RadioSelect)


class LeaveForm(PlainForm):
    """Leaving, with or without one's name."""

    hide = forms.BooleanField(label="Show my pseudonym instead of my name from now on", required=False)


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
        context |= {"invitations": invitations.open_invitations(lead=member), "link": link}
    return render(request, "labeling/setup/people.html", context)


@project_form(Role.LEAD)
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


@project_action(Role.LEAD)
def revocation(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Withdraw an invitation."""
    with missing_as_404():
        withdrawn = invitations.invitation_of(lead=member, pk=pk)

    success = "The invitation is withdrawn: its link no longer works."
    to = reverse("labeling:people", args=[member.project.slug])
    return act_and_redirect(request, lambda: revoke(lead=member, invitation=withdrawn), success, to)


@project_form(Role.LEAD)
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


@project_form(Role.LEAD)
def removal(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """What removing somebody does; on POST, remove them."""
    with missing_as_404():
        other = team.teammate(member=member, pk=pk)

    if request.method == "POST":
        success = f"{other.called} is no longer in the project. Their votes stay; their reservations are released."
        to = reverse("labeling:people", args=[member.project.slug])
        return act_and_redirect(request, lambda: services.remove_member(lead=member, member=other), success, to)
    return render(request, "labeling/setup/remove.html", page_context(member, "people") | {"other": other})


@project_action(Role.LEAD)
def hiding(request: HttpRequest, member: Member, pk: int) -> HttpResponse:
    """Hide the name of somebody who left and asks for it."""
    with missing_as_404():
        other = team.teammate(member=member, pk=pk, may_have_left=True)

    success = f"Their name is hidden: the project shows {other.pseudonym} from now on."
    to = reverse("labeling:people", args=[member.project.slug])
    return act_and_redirect(request, lambda: services.pseudonymise(member=other, by=member), success, to)


@project_form(while_suspended=True)
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
        services.pseudonymise(member=member, by=member, is_pseudonymous=choice == HIDDEN)
        services.show_name(member=member, shows_name=choice == SHOWN)

    if request.method == "POST" and apply_form(form, save):
        messages.success(request, "Saved.")
        return redirect("labeling:me", member.project.slug)
    return render(request, "labeling/setup/me.html", page_context(member, "people") | {"form": form})


@project_form(while_suspended=True)
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
            services.pseudonymise(member=member, by=member)
        messages.success(request, f"You left {member.project.name}. Your votes stay in its results.")
        return redirect("labeling:projects")
    return render(request, "labeling/setup/leave.html", page_context(member, "people") | {"form": form})
