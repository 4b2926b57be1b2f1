"""The disagreements of a round: the queue, what can be accepted at once, and what settling did to the agreement."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst

from labeling.models import Decision, Item, Member, Role, Round
from labeling.refusals import RefusedError, missing_as_404
from labeling.selectors import round_lists
from labeling.selectors.acceptance import acceptance_of, acceptances, preview, ways_of
from labeling.selectors.adjudication import desk
from labeling.selectors.axes import axis_names
from labeling.selectors.disputes import Agreed, Dispute, Waits, disputes, standing
from labeling.selectors.effects import discussion_effects, effects_wanted, round_causes
from labeling.selectors.names import names_by_id
from labeling.services.decisions import accept, reopen_acceptance
from labeling.tasks import compare_round
from labeling.web.access import Context, page_context, project_action, project_form, project_page, round_of
from labeling.web.results.queueing import LOOK_AGAIN_SECONDS, delegate
from labeling.web.settling.discussions import DaysForm
from labeling.web.settling.queue_filters import STATES, queue_filters

PAGE = 50
WAYS = {
    Decision.How.UNANIMOUS: "Accept unanimous votes",
    Decision.How.MAJORITY: "Accept majorities",
    Decision.How.DISCUSSION: "Accept majorities after discussion",
}


@dataclass(frozen=True)
class Row:
    """An issue of the queue with its axes in conflict, each with the names of those whom its discussion waits for."""

    item: Item
    axes: Sequence[tuple[Dispute, str]]


@dataclass(frozen=True)
class Tally:
    """How many of a round's disputes are decided, and how many wait for whom."""

    disputes: int
    decided: int
    waits: Sequence[tuple[Waits, int]]

    @property
    def percent(self) -> int:
        """How much is decided, 0 to 100."""
        return 100 * self.decided // self.disputes if self.disputes else 100


@project_page()
def rounds(request: HttpRequest, member: Member) -> HttpResponse:
    """The rounds with how far their disagreements are settled."""
    by_round: dict[int, list[Dispute]] = {}
    for dispute in disputes(member=member):
        by_round.setdefault(dispute.round, []).append(dispute)
    released = round_lists.rounds_with_released_items(member=member)
    context = _context(member) | {
        "rounds": [(round_, _tally(by_round.get(round_.number, []))) for round_ in released],
        "desk": desk(adjudicator=member) if member.has(Role.ADJUDICATOR) else None,
    }
    return render(request, "labeling/settling/rounds.html", context)


@project_page()
def disagreements(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The queue: released issues, and only the axes in conflict."""
    round_ = round_of(member, number)
    state = standing(member=member, round_=round_)
    axes = axis_names(project_id=member.project_id)
    filters = queue_filters(request.GET, axes.items())
    by_item: dict[int, list[Dispute]] = {}
    for dispute in state.disputes:
        if filters.matches(dispute, member):
            by_item.setdefault(dispute.item, []).append(dispute)
    page = Paginator(list(by_item), PAGE).get_page(request.GET.get("page"))
    items = round_lists.items_by_id(item_ids=list(page))
    context = _context(member) | {
        "round": round_,
        "asked": filters,
        "axes": axes,
        "waits": [(waits.value, waits.label) for waits in Waits if waits is not Waits.NOBODY],
        "states": STATES.items(),
        "tally": _tally(state.disputes),
        "unanimous": state.agreed.get(number, Agreed(0, 0)),
        "rows": _rows(member, [(items[pk], by_item[pk]) for pk in page]),
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number),
        "is_released": round_lists.has_released_items(round_=round_),
        "hidden": _hidden_count(member, round_),
        "is_discussing": round_.rule == Round.Rule.DISCUSSION,
        "discussing": sum(bool(dispute.missing) for dispute in state.disputes),
        "stalled": sum(dispute.is_stalled for dispute in state.disputes),
        "days_form": DaysForm(initial={"days": round_.discussion_days}),
    }
    return render(request, "labeling/settling/disagreements.html", context)


@project_form(Role.LEAD)
def accepting(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Accept at once what the votes decide: a preview first, then it is done."""
    round_ = round_of(member, number)
    data = request.POST if request.method == "POST" else request.GET
    value = data.get("how", "")
    how = Decision.How(value) if value in WAYS else Decision.How.UNANIMOUS
    if request.method == "POST":
        try:
            accepted = accept(lead=member, round_=round_, how=how)
        except RefusedError as refused:
            messages.error(request, str(refused))
            return redirect("labeling:accept", member.project.slug, number)
        messages.success(request, f"{accepted} {'answer was' if accepted == 1 else 'answers were'} accepted.")
        return redirect("labeling:disagreements", member.project.slug, number)
    ways = ways_of(round_=round_)
    change = preview(member=member, round_=round_, how=how) if how in ways else None
    lines = []
    if change is not None:
        names = axis_names(project_id=member.project_id)
        lines = [(capfirst(names[code]), count) for code, count in change.axes.items()]
    context = _context(member) | {
        "round": round_,
        "how": how,
        "ways": [(way, WAYS[way]) for way in ways],
        "is_allowed": how in ways,
        "title": WAYS[how],
        "preview": change,
        "lines": lines,
        "acceptances": acceptances(member=member, round_=round_),
    }
    return render(request, "labeling/settling/accept.html", context)


@project_action(Role.LEAD)
def undoing(request: HttpRequest, member: Member, number: int, acceptance: int) -> HttpResponse:
    """Reopen what was accepted together."""
    with missing_as_404():
        row = acceptance_of(round_=round_of(member, number), number=acceptance)
    try:
        reopened = reopen_acceptance(lead=member, acceptance=row, reason=request.POST.get("reason", ""))
        messages.success(request, f"{reopened} {'decision is' if reopened == 1 else 'decisions are'} open again.")
    except RefusedError as refused:
        messages.error(request, str(refused))
    return redirect(reverse("labeling:accept", args=[member.project.slug, number]) + f"?how={row.how}")


@project_page()
def effects(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The agreement before and after the discussion, and why annotators differed."""
    round_ = round_of(member, number)
    cache_key = effects_wanted(member=member, round_=round_)
    is_comparing = bool(cache_key) and delegate(cache_key, compare_round, member.pk, round_.pk)
    changes = [] if is_comparing else discussion_effects(member=member, round_=round_)
    names = axis_names(project_id=member.project_id)
    context = _context(member) | {
        "round": round_,
        "comparing": is_comparing,
        "changes": [(names[change.axis], change) for change in changes if change.issues],
        "causes": round_causes(member=member, round_=round_),
        "hidden": _hidden_count(member, round_),
    }
    response = render(request, "labeling/settling/effects.html", context)
    if is_comparing:
        response["Refresh"] = str(LOOK_AGAIN_SECONDS)
    return response


def _rows(reader: Member, disputes_by_item: Sequence[tuple[Item, Sequence[Dispute]]]) -> list[Row]:
    ids: set[int] = set()
    for _, item_disputes in disputes_by_item:
        ids.update(*(dispute.missing for dispute in item_disputes))
    names = names_by_id(reader=reader, ids=ids)
    rows = []
    for item, item_disputes in disputes_by_item:
        axes = [
            (dispute, ", ".join(name for pk, name in names.items() if pk in dispute.missing))
            for dispute in item_disputes
        ]
        rows.append(Row(item, axes))
    return rows


def _context(member: Member) -> Context:
    return page_context(member, "disagreements") | {"is_lead": member.has(Role.LEAD)}


def _tally(disputes_: Sequence[Dispute]) -> Tally:
    counts = Counter(dispute.waits for dispute in disputes_)
    waiting = [(waits, counts[waits]) for waits in Waits if counts[waits] and waits is not Waits.NOBODY]
    return Tally(len(disputes_), counts[Waits.NOBODY], waiting)


def _hidden_count(member: Member, round_: Round) -> int:
    """How many released issues wait for the member's first opinion before they see any vote."""
    if not member.has(Role.ADJUDICATOR):
        return 0
    return round_lists.hidden_item_count(member=member, round_=round_)
