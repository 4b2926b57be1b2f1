"""Labelling one issue: the page, and what is sent from it. The services decide what may be done."""

from collections.abc import Callable
from dataclasses import replace
from typing import NotRequired, Protocol, TypedDict

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.ballots import as_value, ballot_of, content_of, hash_of, pairs_of
from labeling.models import Draft, Item, Member, Pass, Repeat, Role, Round, Slot
from labeling.refusals import GoneError, RefusedError
from labeling.selectors import own_work
from labeling.selectors.flags import answers_to
from labeling.services.assignment import pass_item, take_item
from labeling.services.repeats import next_work
from labeling.services.voting import (
    IncompleteError,
    OutdatedError,
    as_content,
    save_draft,
    spend_time,
    submit,
    take_back,
)
from labeling.web.access import is_script, item_of, page_context, project_action, project_form, round_of
from labeling.web.forms import number_from
from labeling.web.work.ballot_form import ballot_in, text_in
from labeling.web.work.page import Filled, labeling_page
from labeling.web.work.quotations import locate


class PageAgain(Protocol):
    """Shows the page with all that was filled in, and what is wrong with it."""

    def __call__(
        self, request: HttpRequest, member: Member, item: Item, filled: Filled, refused: RefusedError | None = None
    ) -> HttpResponse:
        """The page."""


class Refusal(TypedDict):
    """Why a script's request is refused, and the draft on the server if that has changed elsewhere."""

    reason: str
    hash: NotRequired[str]
    entries: NotRequired[list[tuple[str, str]]]


@project_form(Role.ANNOTATOR)
def label(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """The page where an issue is labelled; on POST, the vote is cast and the next issue follows."""
    item = item_of(round_of(member, number), position)
    if request.method != "POST":
        return _current_page(request, member, item)
    return send_ballot(request, member, item, submit, _page_again)


@project_action(Role.ANNOTATOR)
def draft(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Save the draft. Scripts get the hash of what is saved, or 409 with the reason why it is not."""
    item = item_of(round_of(member, number), position)
    response = keep_ballot(request, member, item, save_draft, _refusal, _page_again)
    return response or redirect("labeling:label", member.project.slug, number, position)


@project_action(Role.ANNOTATOR)
def time(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Count time at work in which nothing was filled in; only for scripts."""
    item = item_of(round_of(member, number), position)
    try:
        spend_time(member=member, item=item, active_seconds=number_from(request.POST.get("active", ""), 0))
    except RefusedError as refused:
        return _refusal(member, item, refused)
    return HttpResponse(status=204)


@project_action(Role.ANNOTATOR)
def quotation(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Tell a script the passage of a quotation, as the form carries it; 409 says why it is not found."""
    item = item_of(round_of(member, number), position)
    work = own_work.at_work(member=member, item=item)
    if not (work.slot or work.draft):
        return _refusal(member, item, RefusedError("This issue is not reserved for you."))
    content, text = item.snapshot.content, text_in(request.POST, "quotation")
    axis = request.POST.get("quotation-axis", "")
    try:
        passage = locate(content.get("title") or "", content.get("body") or "", text, axis=axis)
    except RefusedError as refused:
        return _refusal(member, item, refused)
    return JsonResponse({"evidence": as_value(passage)})


@project_action(Role.ANNOTATOR)
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
    return redirect_to_next(member, item.round)


@project_action(Role.ANNOTATOR)
def undo(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Take one's vote back; it is a draft again, and the page is open."""
    item = item_of(round_of(member, number), position)
    vote = own_work.vote_on(member=member, item=item)
    try:
        if vote is None:
            raise GoneError("You have no vote on this issue to take back.")
        take_back(member=member, vote=vote)
        messages.success(request, "Your vote is taken back. It is a draft again: change it and submit it again.")
    except GoneError as gone:
        messages.error(request, str(gone))
        return _current_page(request, member, item, status=404)
    except RefusedError as refused:
        messages.error(request, str(refused))
    return redirect("labeling:label", member.project.slug, number, position)


@project_action(Role.ANNOTATOR)
def take(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Take this very issue: to continue a draft, or after it was skipped."""
    item = item_of(round_of(member, number), position)
    try:
        take_item(member=member, item=item)
    except RefusedError as refused:
        messages.error(request, str(refused))
    return redirect("labeling:label", member.project.slug, number, position)


def _current_page(request: HttpRequest, member: Member, item: Item, *, status: int = 200) -> HttpResponse:
    """The issue with the member's draft, or why they may not label it now."""
    work = own_work.at_work(member=member, item=item)
    if work.vote or not work.slot:
        return _not_now_page(request, member, item, work, status=status)
    response = labeling_page(request, member, item, work.slot, _saved_draft(work.draft))
    response.status_code = status
    return response


def _page_again(
    request: HttpRequest, member: Member, item: Item, filled: Filled, refused: RefusedError | None = None
) -> HttpResponse:
    """The page with all that was filled in, and what is wrong with it."""
    work = own_work.at_work(member=member, item=item)
    if work.vote:
        messages.error(request, str(refused or "You have voted on this issue. Your vote stands."))
        return _not_now_page(request, member, item, work, status=409)
    saved = _saved_draft(work.draft)
    if isinstance(refused, OutdatedError) and hash_of(filled.ballot) in filled.bases:
        # Nothing was changed in this tab, so there is nothing to choose between.
        filled = saved
        messages.warning(request, f"{refused} Below is the version saved there: check it, then submit it.")
    else:
        refusal = str(refused or "")
        filled = replace(filled, refused=refusal, kept=pairs_of(saved.ballot), kept_hash=saved.kept_hash)
        if isinstance(refused, OutdatedError):
            # The page shows both; whoever submits it again means it.
            filled = replace(filled, bases=saved.bases, is_outdated=True)
    return labeling_page(request, member, item, work.slot, filled)


def _not_now_page(
    request: HttpRequest, member: Member, item: Item, work: own_work.AtWork, *, status: int
) -> HttpResponse:
    """An issue that cannot be labelled now: voted on, given back, or somebody else's."""
    context = page_context(member, "work") | {
        "round": item.round,
        "item": item,
        "vote": work.vote,
        "voted_hash": hash_of(ballot_of(as_content(work.vote))) if work.vote else "",
        "may_take_back": work.vote is not None and own_work.may_take_back(work.vote),
        "draft": work.draft,
        "flag_answers": answers_to(member=member, item=item),
        "passed": own_work.pass_on(member=member, item=item),
        "is_open": item.round.state == Round.State.OPEN,
    }
    return render(request, "labeling/work/elsewhere.html", context, status=status)


def redirect_to_next(member: Member, round_: Round) -> HttpResponse:
    """To the next issue, new or to be answered again, or to the page that says why there is none."""
    try:
        work = next_work(member=member, round_=round_)
    except RefusedError:
        work = None
    return redirect(address_of_work(member, round_, work))


def address_of_work(member: Member, round_: Round, work: Slot | Repeat | None) -> str:
    """Where the member does this; the page that says what comes next where there is nothing."""
    if work is None:
        return reverse("labeling:next", args=[member.project.slug, round_.number])
    name, item = ("again", work.vote.item) if isinstance(work, Repeat) else ("label", work.item)
    return reverse(f"labeling:{name}", args=[member.project.slug, round_.number, item.position])


def _refusal(member: Member, item: Item, refused: RefusedError) -> JsonResponse:
    return refusal(refused, lambda: _saved_draft(own_work.at_work(member=member, item=item).draft))


def send_ballot(
    request: HttpRequest, member: Member, item: Item, send: Callable[..., object], page_again: PageAgain
) -> HttpResponse:
    """Send what is filled in by a service; the next issue follows, or the page again with what is wrong."""
    filled = filled_in(request, item)
    if filled.faults:
        return page_again(request, member, item, filled)
    try:
        send(member=member, item=item, ballot=filled.ballot, bases=filled.bases, active_seconds=filled.active_seconds)
    except IncompleteError as incomplete:
        return page_again(request, member, item, replace(filled, faults=incomplete.faults))
    except RefusedError as refused:
        return page_again(request, member, item, filled, refused)
    return redirect_to_next(member, item.round)


def keep_ballot(
    request: HttpRequest, member: Member, item: Item, save: Callable[..., Draft | Repeat],
    refusal_of: Callable[[Member, Item, RefusedError], JsonResponse], page_again: PageAgain,
) -> HttpResponse | None:  # fmt: skip
    """Save what is filled in by a service; None where it is saved and the page is to be shown anew."""
    filled = filled_in(request, item)
    try:
        content = content_of(filled.ballot)
        saved = save(
            member=member, item=item, content=content, bases=filled.bases, active_seconds=filled.active_seconds
        )
    except RefusedError as refused:
        if is_script(request):
            return refusal_of(member, item, refused)
        return page_again(request, member, item, filled, refused)
    if is_script(request):
        return JsonResponse({"hash": hash_of(ballot_of(saved.content))})
    if filled.faults:
        return page_again(request, member, item, replace(filled, active_seconds=0))
    messages.success(request, "Saved.")
    return None


def refusal(refused: RefusedError, saved: Callable[[], Filled]) -> JsonResponse:
    """Why a script's request is refused; `saved` is what the server holds."""
    answer = Refusal(reason=str(refused))
    if isinstance(refused, OutdatedError):
        kept = saved()
        answer |= {"hash": kept.kept_hash, "entries": pairs_of(kept.ballot)}
    return JsonResponse(answer, status=409)


def _saved_draft(draft: Draft | None) -> Filled:
    """The draft on the server, which may be empty."""
    ballot = ballot_of(draft.content if draft else {})
    return Filled(ballot, bases=(hash_of(ballot),), kept_hash=hash_of(ballot))


def filled_in(request: HttpRequest, item: Item) -> Filled:
    """The posted ballot; a pasted quotation becomes part of its evidence, or a fault."""
    data = request.POST
    filled = Filled(
        ballot=ballot_in(data),
        bases=tuple(data.get("bases", "").split()),
        quotation=data.get("quotation", ""),
        quotation_axis=data.get("quotation-axis", ""),
        active_seconds=number_from(data.get("active", ""), 0),
    )
    if not filled.quotation.strip():
        return filled
    content = item.snapshot.content
    try:
        passage = locate(
            content.get("title") or "", content.get("body") or "", filled.quotation, axis=filled.quotation_axis
        )
    except RefusedError as refused:
        return replace(filled, faults={"quotation": str(refused)})
    ballot = replace(filled.ballot, evidence=[*filled.ballot.evidence, passage])
    return replace(filled, ballot=ballot, quotation="")
