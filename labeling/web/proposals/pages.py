"""The proposals of a project, and one of them: what it would do, the ballot, the decision and what follows."""

from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from labeling.models import Member, Proposal, Role
from labeling.refusals import RefusedError
from labeling.selectors import proposals as read
from labeling.selectors.effects import recheck_effect
from labeling.selectors.impact import impact, touched_issues
from labeling.selectors.names import name_of
from labeling.services.codebook_changes import prepare_recheck
from labeling.services.proposals import put_to_vote, vote_on, withdraw
from labeling.web.access import project_page
from labeling.wordings import wording_of

PAGE = 25
REFUSED = 409
VOTERS = (Role.LEAD, Role.ANNOTATOR, Role.ADJUDICATOR)


@require_safe
@project_page()
def proposals(request: HttpRequest, member: Member) -> HttpResponse:
    """What is voted on, one's own drafts, and what was decided."""
    listed = read.listed(member=member)
    mine = set(read.waiting_ballots(member=member).values_list("pk", flat=True))
    on = list(listed.filter(state=Proposal.State.VOTE))
    decided = Paginator(listed.filter(decided_at__isnull=False).order_by("-decided_at"), PAGE)
    page = decided.get_page(request.GET.get("page"))
    own = listed.filter(author=member, state__in=(Proposal.State.DRAFT, Proposal.State.WITHDRAWN))
    context = _frame(member) | {
        "open": [(one, name_of(reader=member, other=one.author), one.pk in mine) for one in on],
        "drafts": list(own[:PAGE]),
        "page": page,
        "page_numbers": decided.get_elided_page_range(page.number),
        "may_propose": member.has(*VOTERS),
    }
    return render(request, "labeling/proposals/list.html", context)


@require_safe
@project_page()
def proposal(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """One proposal."""
    return _show(request, member, _found(member, proposal))


@require_POST
@project_page(*VOTERS)
def putting(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Put it to the vote."""
    found = _found(member, proposal)
    return _do(request, member, found, lambda: put_to_vote(member=member, proposal=found), "It is put to the vote.")


@require_POST
@project_page(*VOTERS)
def balloting(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Vote on it."""
    found = _found(member, proposal)
    said, reason = request.POST.get("agrees", ""), request.POST.get("reason", "")[:5_000]
    try:
        if said not in ("yes", "no"):
            raise RefusedError("Say whether you agree.")
        done = vote_on(member=member, proposal=found, agrees=said == "yes", reason=reason)
    except RefusedError as refused:
        messages.error(request, str(refused))
        ballot = {"agrees": said, "reason": reason}
        return _show(request, member, _found(member, proposal), ballot, status=REFUSED)
    decided = f" That decides it: {done.get_state_display().lower()}." if done.decided_at else ""
    messages.success(request, f"Your ballot is cast.{decided}")
    return redirect("labeling:proposal", member.project.slug, proposal)


@require_POST
@project_page(*VOTERS)
def withdrawing(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Take it back before it is decided."""
    found = _found(member, proposal)
    return _do(request, member, found, lambda: withdraw(author=member, proposal=found), "It is withdrawn.")


@require_POST
@project_page(Role.LEAD)
def rechecking(request: HttpRequest, member: Member, proposal: int) -> HttpResponse:
    """Prepare the round in which the issues it touches are labelled again."""
    found = _found(member, proposal)
    done = "The round is prepared. Open it when you are ready: each issue goes to the people who labelled it."
    return _do(request, member, found, lambda: prepare_recheck(lead=member, proposal=found), done)


def _do(request: HttpRequest, member: Member, found: Proposal, act: Callable[[], object], done: str) -> HttpResponse:
    try:
        act()
        messages.success(request, done)
    except RefusedError as refused:
        messages.error(request, str(refused))
    if not read.listed(member=member).filter(pk=found.pk).exists():
        return redirect("labeling:proposals", member.project.slug)
    return redirect("labeling:proposal", member.project.slug, found.pk)


def _show(
    request: HttpRequest, member: Member, found: Proposal, ballot: dict[str, str] | None = None, status: int = 200
) -> HttpResponse:
    touched = Paginator(touched_issues(member=member, proposal=found), PAGE)
    page = touched.get_page(request.GET.get("page"))
    context = _frame(member) | {
        "proposal": found,
        "author": name_of(reader=member, other=found.author),
        "concerned": read.concerned(proposal=found),
        "wording": [wording_of(values) for values in found.wording],
        "evidence": list(found.evidence.select_related("repository").order_by("url")),
        "impact": impact(member=member, proposal=found),
        "page": page,
        "page_numbers": touched.get_elided_page_range(page.number),
        "electorate": read.electorate(member=member, proposal=found),
        "may": read.may(member=member, proposal=found),
        "own_ballot": read.own_ballot(member=member, proposal=found),
        "ballots": read.ballots(member=member, proposal=found),
        "open_rounds": read.open_rounds(proposal=found),
        "effect": recheck_effect(member=member, proposal=found),
        "ballot": ballot,
    }
    return render(request, "labeling/proposals/proposal.html", context, status=status)


def _found(member: Member, key: int) -> Proposal:
    """Raises Http404 where it is not the member's to see."""
    found = read.listed(member=member).select_related("recheck").filter(pk=key).first()
    if found is None:
        raise Http404
    return found


def _frame(member: Member) -> dict[str, object]:
    return {"member": member, "project": member.project, "here": "proposals"}
