"""Labelling one issue: the page, and what is sent from it. What may be done is for the services to say."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from labeling.ballots import as_value, ballot_of, content_of, hash_of, pairs_of
from labeling.models import Draft, Item, Member, Pass, Role, Round
from labeling.refusals import GoneError, RefusedError
from labeling.selectors import own_work as own
from labeling.services.assignment import next_slot, pass_item, take_item
from labeling.services.voting import (
    IncompleteError,
    OutdatedError,
    as_content,
    save_draft,
    spend_time,
    submit,
    take_back,
)
from labeling.web.access import is_script, item_of, project_page, round_of
from labeling.web.work.ballot_form import ballot_in, number_in, text_in
from labeling.web.work.page import Filled, labeling_page
from labeling.web.work.quotations import locate


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.ANNOTATOR)
def label(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """The page where an issue is labelled; sent, it is a vote, and the next issue follows."""
    item = item_of(round_of(member, number), position)
    if request.method == "POST":
        return _submit(request, member, item)
    return _as_it_is(request, member, item)


@require_POST
@project_page(Role.ANNOTATOR)
def draft(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Save what is filled in. Scripts are answered with the hash of what is kept now; 409 says why it is not kept."""
    item = item_of(round_of(member, number), position)
    filled = _with_quotation(item, _filled(request))
    try:
        saved = save_draft(
            member=member, item=item, content=content_of(filled.ballot), bases=filled.bases,
            active_seconds=filled.active_seconds,
        )  # fmt: skip
    except RefusedError as refused:
        if is_script(request):
            return _refusal(member, item, refused)
        return _again(request, member, item, filled, refused)
    if is_script(request):
        return JsonResponse({"hash": hash_of(ballot_of(saved.content))})
    if filled.faults:
        return _again(request, member, item, replace(filled, active_seconds=0))
    messages.success(request, "Saved.")
    return redirect("labeling:label", member.project.slug, number, position)


@require_POST
@project_page(Role.ANNOTATOR)
def time(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Count time at work in which nothing was filled in; only scripts do."""
    item = item_of(round_of(member, number), position)
    try:
        spend_time(member=member, item=item, active_seconds=number_in(request.POST, "active"))
    except RefusedError as refused:
        return _refusal(member, item, refused)
    return HttpResponse(status=204)


@require_POST
@project_page(Role.ANNOTATOR)
def quotation(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Tell a script where quoted words stand, as the form carries a passage; 409 says why they are not found."""
    item = item_of(round_of(member, number), position)
    found = own.at_work(member=member, item=item)
    try:
        if not (found.slot or found.draft):
            raise RefusedError("This issue is not with you.")
        passage = locate(
            item.snapshot.content, text_in(request.POST, "quotation"), axis=request.POST.get("quotation-axis", "")
        )
    except RefusedError as refused:
        return _refusal(member, item, refused)
    return JsonResponse({"evidence": as_value(passage)})


@require_POST
@project_page(Role.ANNOTATOR)
def pass_on(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Skip the issue, or flag it for the lead; the next one follows."""
    item = item_of(round_of(member, number), position)
    kind = Pass.Kind.FLAG if request.POST.get("kind") == Pass.Kind.FLAG else Pass.Kind.SKIP
    try:
        pass_item(member=member, item=item, kind=kind, reason=request.POST.get("reason", ""))
    except RefusedError as refused:
        messages.error(request, str(refused))
        return redirect("labeling:label", member.project.slug, number, position)
    messages.success(request, f"{kind.label}: {item.snapshot.content['name']}. You find it under “Your work”.")
    return _go_on(member, item.round)


@require_POST
@project_page(Role.ANNOTATOR)
def undo(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Take one's vote back; it is a draft again, and the page is open."""
    item = item_of(round_of(member, number), position)
    vote = own.votes(member=member).filter(item=item).first()
    try:
        if vote is None:
            raise GoneError("There is no vote of yours on this issue to take back.")
        take_back(member=member, vote=vote)
        messages.success(request, "Your vote is taken back. It is a draft again: change it and submit it anew.")
    except GoneError as gone:
        messages.error(request, str(gone))
        return _as_it_is(request, member, item, status=404)
    except RefusedError as refused:
        messages.error(request, str(refused))
    return redirect("labeling:label", member.project.slug, number, position)


@require_POST
@project_page(Role.ANNOTATOR)
def take(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Take this very issue: to go on with a draft, or with what was skipped."""
    item = item_of(round_of(member, number), position)
    try:
        take_item(member=member, item=item)
    except RefusedError as refused:
        messages.error(request, str(refused))
    return redirect("labeling:label", member.project.slug, number, position)


def _as_it_is(request: HttpRequest, member: Member, item: Item, *, status: int = 200) -> HttpResponse:
    """The issue with the member's draft, or why it is not to be labelled by them now."""
    found = own.at_work(member=member, item=item)
    if found.vote or not found.slot:
        return _elsewhere(request, member, item, found, status=status)
    response = labeling_page(request, member, item, found.slot.reserved_until, _kept(found.draft))
    response.status_code = status
    return response


def _submit(request: HttpRequest, member: Member, item: Item) -> HttpResponse:
    filled = _with_quotation(item, _filled(request))
    if filled.faults:
        return _again(request, member, item, filled)
    try:
        submit(
            member=member, item=item, ballot=filled.ballot, bases=filled.bases, active_seconds=filled.active_seconds
        )  # fmt: skip
    except IncompleteError as incomplete:
        return _again(request, member, item, replace(filled, faults=incomplete.faults))
    except RefusedError as refused:
        return _again(request, member, item, filled, refused)
    return _go_on(member, item.round)


def _go_on(member: Member, round_: Round) -> HttpResponse:
    """To the next issue at once, or to where it is said that there is none."""
    try:
        slot = next_slot(member=member, round_=round_)
    except RefusedError:
        slot = None
    if slot is None:
        return redirect("labeling:next", member.project.slug, round_.number)
    return redirect("labeling:label", member.project.slug, round_.number, slot.item.position)


def _again(
    request: HttpRequest, member: Member, item: Item, filled: Filled, refused: RefusedError | None = None
) -> HttpResponse:
    """The page with all that was filled in, and what is wrong with it."""
    found = own.at_work(member=member, item=item)
    if found.vote:
        messages.error(request, str(refused or "You have voted on this issue. Your vote stands."))
        return _elsewhere(request, member, item, found, status=409)
    kept = _kept(found.draft)
    filled = replace(filled, refused=str(refused or ""), kept=pairs_of(kept.ballot), kept_hash=kept.kept_hash)
    if isinstance(refused, OutdatedError):
        if hash_of(filled.ballot) in filled.bases:
            # Nothing was changed in this tab, so there is nothing to choose between.
            filled = kept
            messages.warning(request, f"{refused} Below is what was saved there: look it over, then submit it.")
        else:
            # The page shows both; whoever submits again after that means it.
            filled = replace(filled, bases=kept.bases, is_outdated=True)
    until = found.slot.reserved_until if found.slot else None
    return labeling_page(request, member, item, until, filled)


def _elsewhere(
    request: HttpRequest, member: Member, item: Item, found: own.AtWork, *, status: int = 200
) -> HttpResponse:
    """An issue that is not to be labelled here and now: voted on, given back, or somebody else's."""
    context = {
        "member": member,
        "project": member.project,
        "here": "work",
        "round": item.round,
        "item": item,
        "vote": found.vote,
        "voted_hash": hash_of(ballot_of(as_content(found.vote))) if found.vote else "",
        "may_take_back": found.vote is not None and own.may_take_back(found.vote),
        "draft": found.draft,
        "passed": own.passes(member=member).filter(item=item).first(),
        "is_open": item.round.state == Round.State.OPEN,
    }
    return render(request, "labeling/work/elsewhere.html", context, status=status)


def _kept(draft: Draft | None) -> Filled:
    """What the server keeps."""
    ballot = ballot_of(draft.content if draft else {})
    return Filled(ballot, bases=(hash_of(ballot),), kept_hash=hash_of(ballot))


def _refusal(member: Member, item: Item, refused: RefusedError) -> JsonResponse:
    """Why a script's request is refused; of a draft that has changed elsewhere, what it says now."""
    told: dict[str, Any] = {"reason": str(refused)}
    if isinstance(refused, OutdatedError):
        kept = _kept(own.at_work(member=member, item=item).draft)
        told |= {"hash": kept.kept_hash, "entries": pairs_of(kept.ballot)}
    return JsonResponse(told, status=409)


def _filled(request: HttpRequest) -> Filled:
    data = request.POST
    return Filled(
        ballot=ballot_in(data),
        bases=tuple(data.get("bases", "").split()),
        quotation=data.get("quotation", ""),
        quotation_axis=data.get("quotation-axis", ""),
        active_seconds=number_in(data, "active"),
    )


def _with_quotation(item: Item, filled: Filled) -> Filled:
    """With the pasted quotation among the evidence, or what is wrong with it."""
    if not filled.quotation.strip():
        return filled
    try:
        passage = locate(item.snapshot.content, filled.quotation, axis=filled.quotation_axis)
    except RefusedError as refused:
        return replace(filled, faults={"quotation": str(refused)})
    ballot = replace(filled.ballot, evidence=[*filled.ballot.evidence, passage])
    return replace(filled, ballot=ballot, quotation="")
