"""Answering an issue a second time, on the page of any ballot. What is sent from it is no vote (`services.repeats`)."""

from dataclasses import replace

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from labeling.ballots import ballot_of, hash_of, pairs_of
from labeling.models import Item, Member, Repeat, Role
from labeling.refusals import RefusedError
from labeling.selectors.repeats import open_repeat, repeat_on
from labeling.services.assignment import kept_until
from labeling.services.repeats import save_repeat, skip_repeat, submit_repeat
from labeling.services.voting import OutdatedError
from labeling.web.access import item_of, project_action, project_form, round_of
from labeling.web.forms import number_from
from labeling.web.work.label import keep_ballot, redirect_to_next, refusal, send_ballot
from labeling.web.work.page import Filled, labeling_page


@project_form(Role.ANNOTATOR)
def again(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """The page where an issue is labelled again; on POST, the answers are in and the next issue follows."""
    item = item_of(round_of(member, number), position)
    repeat = _repeat(member, item)
    if request.method != "POST":
        if open_repeat(member=member, round_=item.round) != repeat:
            return redirect("labeling:label", member.project.slug, number, position)
        return _page(request, member, item, _saved(repeat))
    return send_ballot(request, member, item, submit_repeat, _page_again)


@project_action(Role.ANNOTATOR)
def draft(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Keep what is filled in. Scripts get the hash of what is kept, or 409 with the reason why it is not."""
    item = item_of(round_of(member, number), position)
    _repeat(member, item)
    response = keep_ballot(request, member, item, save_repeat, _refusal, _page_again)
    return response or redirect("labeling:again", member.project.slug, number, position)


@project_action(Role.ANNOTATOR)
def time(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Count time at work in which nothing was filled in; only for scripts."""
    item = item_of(round_of(member, number), position)
    _repeat(member, item)
    try:
        save_repeat(member=member, item=item, active_seconds=number_from(request.POST.get("active", ""), 0))
    except RefusedError as refused:
        return _refusal(member, item, refused)
    return HttpResponse(status=204)


@project_action(Role.ANNOTATOR)
def pass_on(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Skip the issue; the next one follows. A flag is a reason, too: the lead reads it in the round's quality."""
    item = item_of(round_of(member, number), position)
    _repeat(member, item)
    try:
        skip_repeat(member=member, item=item, reason=request.POST.get("reason", ""))
    except RefusedError as refused:
        messages.error(request, str(refused))
        return redirect("labeling:again", member.project.slug, number, position)
    messages.success(request, f"Skipped: {item.snapshot.content['name']}.")
    return redirect_to_next(member, item.round)


def _repeat(member: Member, item: Item) -> Repeat:
    """The reader's second answer about the item, in any state. Raises Http404 where none was asked of them."""
    repeat = repeat_on(member=member, item=item)
    if repeat is None:
        raise Http404
    return repeat


def _saved(repeat: Repeat) -> Filled:
    ballot = ballot_of(repeat.content)
    return Filled(ballot, bases=(hash_of(ballot),), kept_hash=hash_of(ballot))


def _page(request: HttpRequest, member: Member, item: Item, filled: Filled) -> HttpResponse:
    return labeling_page(request, member, item, None, filled, again_until=kept_until(item.round))


def _page_again(
    request: HttpRequest, member: Member, item: Item, filled: Filled, refused: RefusedError | None = None
) -> HttpResponse:
    """The page with all that was filled in, and what is wrong with it."""
    repeat = _repeat(member, item)
    if open_repeat(member=member, round_=item.round) != repeat:
        messages.error(request, str(refused or "Your answers are in."))
        return redirect("labeling:label", member.project.slug, item.round.number, item.position)
    saved = _saved(repeat)
    filled = replace(
        filled, refused=str(refused or ""), kept=pairs_of(saved.ballot), kept_hash=saved.kept_hash,
        is_outdated=isinstance(refused, OutdatedError),
    )  # fmt: skip
    if filled.is_outdated:
        # The page shows both; whoever submits it again means it.
        filled = replace(filled, bases=saved.bases)
    return _page(request, member, item, filled)


def _refusal(member: Member, item: Item, refused: RefusedError) -> JsonResponse:
    return refusal(refused, lambda: _saved(_repeat(member, item)))
