"""What an annotator meets before and beside the labeling page: the next issue, what they label by, their own work."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from kb.web.markup import markdown
from labeling.models import Member, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors import own_work as own
from labeling.selectors import pace
from labeling.selectors.codebooks import frozen_axes
from labeling.selectors.places import labels, standing
from labeling.services.assignment import next_slot
from labeling.web.access import project_page, round_of
from labeling.web.setup import words
from labeling.web.work.axes import in_tree_order

PER_PAGE = 50


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.ANNOTATOR)
def next_issue(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """What comes next in a round, or why nothing does; sent, the next issue is taken."""
    round_ = round_of(member, number)
    if request.method == "POST":
        return _take_next(request, member, round_)
    context = {
        "member": member,
        "project": member.project,
        "here": "work",
        "round": round_,
        "standing": standing(member=member, round_=round_),
        "afterwards": words.afterwards(round_),
        "pace": pace.pace(member=member, round_=round_),
        "last_vote": own.last_vote(member=member, round_=round_),
        "is_late": round_.deadline is not None and timezone.localdate() > round_.deadline,
    }
    return render(request, "labeling/work/next.html", context)


def _take_next(request: HttpRequest, member: Member, round_: Round) -> HttpResponse:
    try:
        slot = next_slot(member=member, round_=round_)
    except RefusedError as refused:
        messages.error(request, str(refused))
        slot = None
    if slot is None:
        return redirect("labeling:next", member.project.slug, round_.number)
    return redirect("labeling:label", member.project.slug, round_.number, slot.item.position)


@require_safe
@project_page()
def guide(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """What a round is labelled by: its version of the guidelines, and every node of its codebook."""
    round_ = round_of(member, number)
    context = {
        "member": member,
        "project": member.project,
        "here": "work",
        "round": round_,
        "guideline": markdown.render(round_.guideline.text) if round_.guideline else "",
        "axes": [(one.axis, list(in_tree_order(one.versions))) for one in frozen_axes(codebook_id=round_.codebook_id)],
    }
    return render(request, "labeling/work/guide.html", context)


@require_safe
@project_page(Role.ANNOTATOR)
def mine(request: HttpRequest, member: Member) -> HttpResponse:
    """The reader's own rounds, drafts, passes and votes."""
    pages = Paginator(own.votes(member=member), PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = {
        "member": member,
        "project": member.project,
        "here": "work",
        "rounds": _own_rounds(member),
        "drafts": own.drafts(member=member)[:PER_PAGE],
        "passes": own.passes(member=member)[:PER_PAGE],
        "votes": [(vote, own.may_take_back(vote)) for vote in page],
        "page": page,
        "page_numbers": pages.get_elided_page_range(page.number, on_each_side=2, on_ends=1),
    }
    return render(request, "labeling/work/mine.html", context)


def _own_rounds(member: Member) -> list[tuple[Round, Any]]:
    """The open rounds that the member labels, with their pace."""
    rounds = Round.objects.filter(project=member.project_id, state=Round.State.OPEN).order_by("number")
    return [(one, pace.pace(member=member, round_=one)) for one in rounds if labels(member=member, round_=one)]
