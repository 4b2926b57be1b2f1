"""The proposals of a project, and one of them: what it would do, the ballot, the decision and what follows."""

from collections.abc import Callable
from typing import TypedDict

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from labeling.models import Member, Proposal, Role
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors import proposals as selectors
from labeling.selectors.effects import recheck_effect
from labeling.selectors.impact import impact, touched_issues
from labeling.selectors.names import name_of
from labeling.services.codebook_changes import prepare_recheck
from labeling.services.proposals import put_to_vote, vote_on, withdraw
from labeling.web.access import page_context, project_action, project_page
from labeling.wordings import wording_of

PAGE = 25
REFUSED = 409
VOTERS = (Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)


class SentBallot(TypedDict):
    """A ballot that was refused, to be filled in again."""

    agrees: str
    reason: str


@project_page()
def proposals(request: HttpRequest, member: Member) -> HttpResponse:
    """What is voted on, one's own drafts, and what was decided."""
    waiting = {proposal.pk for proposal in selectors.waiting_ballots(member=member)}
    on_vote = []
    for proposal in selectors.on_vote(member=member):
        on_vote.append((proposal, name_of(reader=member, other=proposal.author), proposal.pk in waiting))
    decided = Paginator(selectors.decided(member=member), PAGE)
    page = decided.get_page(request.GET.get("page"))
    context = page_context(member, "proposals") | {
        "open": on_vote,
        "drafts": list(selectors.own_unsubmitted(member=member)[:PAGE]),
        "page": page,
        "page_numbers": decided.get_elided_page_range(page.number),
        "may_propose": member.has(*VOTERS),
    }
    return render(request, "labeling/proposals/list.html", context)


@project_page()
def proposal(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """One proposal."""
    return _show(request, member, proposal)


@project_action(*VOTERS)
def putting(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Put it to the vote."""
    return _do(request, member, proposal, lambda row: put_to_vote(member=member, proposal=row), "Voting is open.")


@project_action(*VOTERS)
def balloting(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Vote on it."""
    with missing_as_404():
        row = selectors.proposal_of(member=member, pk=proposal)
    agrees, reason = request.POST.get("agrees", ""), request.POST.get("reason", "")[:5_000]
    try:
        if agrees not in ("yes", "no"):
            raise RefusedError("Say whether you agree.")
        row = vote_on(member=member, proposal=row, agrees=agrees == "yes", reason=reason)
    except RefusedError as refused:
        messages.error(request, str(refused))
        return _show(request, member, proposal, SentBallot(agrees=agrees, reason=reason), status=REFUSED)
    result = f" That decides it: {row.get_state_display().lower()}." if row.decided_at else ""
    messages.success(request, f"Your ballot is cast.{result}")
    return redirect("labeling:proposal", member.project.slug, proposal)


@project_action(*VOTERS)
def withdrawing(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Take it back before it is decided."""
    return _do(request, member, proposal, lambda row: withdraw(author=member, proposal=row), "It is withdrawn.")


@project_action(Role.LEAD)
def rechecking(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Prepare the round in which the issues it touches are labelled again."""
    success = "The round is prepared. Open it when you are ready: each issue goes to the people who labelled it."
    return _do(request, member, proposal, lambda row: prepare_recheck(lead=member, proposal=row), success)


def _do(
    request: HttpRequest, member: Member, pk: int, action: Callable[[Proposal], object], success: str
) -> HttpResponse:
    """Run the action, and redirect to the proposal, or to the list where the member may not see it any more."""
    with missing_as_404():
        row = selectors.proposal_of(member=member, pk=pk)
    try:
        action(row)
        messages.success(request, success)
    except RefusedError as refused:
        messages.error(request, str(refused))
    if not selectors.may_see(member=member, proposal=row):
        return redirect("labeling:proposals", member.project.slug)
    return redirect("labeling:proposal", member.project.slug, pk)


def _show(
    request: HttpRequest, member: Member, pk: int, ballot: SentBallot | None = None, status: int = 200
) -> HttpResponse:
    with missing_as_404():
        row = selectors.proposal_of(member=member, pk=pk)
    touched = Paginator(touched_issues(member=member, proposal=row), PAGE)
    page = touched.get_page(request.GET.get("page"))
    context = page_context(member, "proposals") | {
        "proposal": row,
        "author": name_of(reader=member, other=row.author),
        "concerned": selectors.concerned(proposal=row),
        "wording": [wording_of(values) for values in row.wording],
        "evidence": list(selectors.evidence_of(proposal=row)),
        "impact": impact(member=member, proposal=row),
        "page": page,
        "page_numbers": touched.get_elided_page_range(page.number),
        "electorate": selectors.electorate(member=member, proposal=row),
        "may": selectors.permissions(member=member, proposal=row),
        "own_ballot": selectors.own_ballot(member=member, proposal=row),
        "ballots": selectors.ballots(member=member, proposal=row),
        "open_rounds": selectors.open_rounds(proposal=row),
        "effect": recheck_effect(member=member, proposal=row),
        "ballot": ballot,
    }
    return render(request, "labeling/proposals/proposal.html", context, status=status)
