"""The disagreements of a round: the queue, what can be accepted at once, and what settling did to the agreement."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.models import Acceptance, Decision, Item, Member, ProjectAxis, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors import visible
from labeling.selectors.acceptance import acceptances, preview, ways_of
from labeling.selectors.adjudication import desk
from labeling.selectors.disputes import Agreed, Dispute, Waits, disputes, standing
from labeling.selectors.effects import discussion_effects, effects_wanted, round_causes
from labeling.services.decisions import accept, reopen_acceptance
from labeling.tasks import compare_round
from labeling.web.access import project_page, round_of
from labeling.web.results.queueing import LOOK_AGAIN_SECONDS, is_left_to_workers
from labeling.web.settling.axes_asked import STATES, asked_of, axis_names

PAGE = 50


@dataclass(frozen=True)
class Row:
    """An issue of the queue with its axes in conflict."""

    item: Item
    disputes: tuple[Dispute, ...]


@dataclass(frozen=True)
class Tally:
    """How far a round's disagreements are settled."""

    disputes: int
    decided: int
    waits: tuple[tuple[Waits, int], ...]

    @property
    def percent(self) -> int:
        """How much is decided, 0 to 100."""
        return 100 * self.decided // self.disputes if self.disputes else 100


@require_safe
@project_page()
def rounds(request: HttpRequest, member: Member) -> HttpResponse:
    """The rounds with how far their disagreements are settled."""
    found: dict[int, list[Dispute]] = {}
    for one in disputes(member=member):
        found.setdefault(one.round, []).append(one)
    shown = Round.objects.filter(project=member.project_id, items__released_at__isnull=False).distinct()
    context = {
        "rounds": [(one, _tally(found.get(one.number, []))) for one in shown.order_by("number")],
        "desk": desk(adjudicator=member) if member.has(Role.ADJUDICATOR) else None,
    }
    return render(request, "labeling/settling/rounds.html", _frame(member) | context)


@require_safe
@project_page()
def disagreements(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The queue: released issues, and only the axes in conflict."""
    round_ = round_of(member, number)
    found = standing(member=member, round_=round_)
    every = found.disputes
    axes = axis_names(member)
    asked = asked_of(request.GET, axes.items())
    kept = [one for one in every if asked.keeps(one, member)]
    page = Paginator(list(dict.fromkeys(one.item for one in kept)), PAGE).get_page(request.GET.get("page"))
    context = {
        "round": round_,
        "asked": asked,
        "axes": axes,
        "waits": [(one.value, one.label) for one in Waits if one is not Waits.NOBODY],
        "states": STATES.items(),
        "tally": _tally(every),
        "unanimous": found.agreed.get(number, Agreed(0, 0)),
        "rows": _rows(page, kept),
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number),
        "is_released": Item.objects.filter(round=round_, released_at__isnull=False).exists(),
        "hidden": _hidden(member, round_),
    }
    return render(request, "labeling/settling/disagreements.html", _frame(member) | context)


WAYS = {
    Decision.How.UNANIMOUS: "Accept what is unanimous",
    Decision.How.MAJORITY: "Accept majorities",
    Decision.How.DISCUSSION: "Accept majorities after discussion",
}


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def accepting(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Accept at once what the votes decide: first what will happen, then it happens."""
    round_ = round_of(member, number)
    how = _how(request)
    if request.method == "POST":
        try:
            done = accept(lead=member, round_=round_, how=how)
        except RefusedError as refused:
            messages.error(request, str(refused))
            return redirect("labeling:accept", member.project.slug, number)
        messages.success(request, f"{done} {'answer was' if done == 1 else 'answers were'} accepted.")
        return redirect("labeling:disagreements", member.project.slug, number)
    names = {one.code: one.name for one in ProjectAxis.objects.filter(project=member.project_id)}
    ways = ways_of(round_=round_)
    found = preview(member=member, round_=round_, how=how) if how in ways else None
    context = {
        "round": round_,
        "how": how,
        "ways": [(one, WAYS[one]) for one in ways],
        "is_allowed": how in ways,
        "title": WAYS[how],
        "preview": found,
        "lines": [(capfirst(names[code]), count) for code, count in found.axes.items()] if found else [],
        "acceptances": acceptances(member=member, round_=round_),
    }
    return render(request, "labeling/settling/accept.html", _frame(member) | context)


@require_POST
@project_page(Role.LEAD)
def undoing(request: HttpRequest, member: Member, number: int, acceptance: int) -> HttpResponse:
    """Reopen what was accepted together."""
    round_ = round_of(member, number)
    found = Acceptance.objects.filter(round=round_, number=acceptance).select_related("round").first()
    if found is None:
        raise Http404
    try:
        done = reopen_acceptance(lead=member, acceptance=found, reason=request.POST.get("reason", ""))
        messages.success(request, f"{done} {'decision is' if done == 1 else 'decisions are'} open again.")
    except RefusedError as refused:
        messages.error(request, str(refused))
    return redirect(reverse("labeling:accept", args=[member.project.slug, number]) + f"?how={found.how}")


@require_safe
@project_page()
def effects(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The agreement before and after the discussion, and why annotators differed."""
    round_ = round_of(member, number)
    names = {one.code: one.name for one in ProjectAxis.objects.filter(project=member.project_id)}
    wanted = effects_wanted(member=member, round_=round_)
    comparing = bool(wanted) and is_left_to_workers(wanted, compare_round, member.pk, round_.pk)
    found = [] if comparing else discussion_effects(member=member, round_=round_)
    context = {
        "round": round_,
        "comparing": comparing,
        "changes": [(names[one.axis], one) for one in found if one.issues],
        "causes": round_causes(member=member, round_=round_),
        "hidden": _hidden(member, round_),
    }
    response = render(request, "labeling/settling/effects.html", _frame(member) | context)
    if comparing:
        response["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return response


def _frame(member: Member) -> dict[str, object]:
    return {
        "member": member,
        "project": member.project,
        "here": "disagreements",
        "is_lead": member.has(Role.LEAD),
    }


def _how(request: HttpRequest) -> Decision.How:
    wanted = (request.POST if request.method == "POST" else request.GET).get("how", "")
    return Decision.How(wanted) if wanted in WAYS else Decision.How.UNANIMOUS


def _tally(found: Sequence[Dispute]) -> Tally:
    counts = Counter(one.waits for one in found)
    open_ = [(one, counts[one]) for one in Waits if counts[one] and one is not Waits.NOBODY]
    return Tally(len(found), counts[Waits.NOBODY], tuple(open_))


def _rows(page: Page[int], kept: Sequence[Dispute]) -> list[Row]:
    by_item: dict[int, list[Dispute]] = {pk: [] for pk in page.object_list}
    for one in kept:
        if one.item in by_item:
            by_item[one.item].append(one)
    items = Item.objects.filter(pk__in=by_item).select_related("snapshot").in_bulk()
    return [Row(items[pk], tuple(some)) for pk, some in by_item.items()]


def _hidden(member: Member, round_: Round) -> int:
    """How many released issues wait for a first opinion of the member before they see any vote."""
    if not member.has(Role.ADJUDICATOR):
        return 0
    released = Item.objects.filter(round=round_, released_at__isnull=False)
    return released.exclude(pk__in=visible.released_items(member=member)).count()
