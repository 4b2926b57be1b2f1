"""What an annotator meets before and beside the labeling page: the next issue, what they label by, their own work."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone

from kb.web.markup import markdown
from labeling.models import Member, Role
from labeling.refusals import RefusedError
from labeling.selectors import own_work
from labeling.selectors.codebooks import frozen_axes
from labeling.selectors.flags import answers_to
from labeling.selectors.pace import pace
from labeling.selectors.repeats import work_standing
from labeling.selectors.round_lists import rounds_to_label
from labeling.services.repeats import next_work
from labeling.web.access import page_context, project_form, project_page, round_of
from labeling.web.setup import round_texts
from labeling.web.work.axes import in_tree_order
from labeling.web.work.label import address_of_work

PER_PAGE = 50


@project_form(Role.ANNOTATOR)
def next_issue(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """What comes next in a round, or why nothing does; on POST, the next issue is taken."""
    round_ = round_of(member, number)
    if request.method == "POST":
        try:
            work = next_work(member=member, round_=round_)
        except RefusedError as refused:
            messages.error(request, str(refused))
            work = None
        return redirect(address_of_work(member, round_, work))
    context = page_context(member, "work") | {
        "round": round_,
        "standing": work_standing(member=member, round_=round_),
        "afterwards": round_texts.afterwards(round_),
        "pace": pace(member=member, round_=round_),
        "last_vote": own_work.last_vote(member=member, round_=round_),
        "is_late": round_.deadline is not None and timezone.localdate() > round_.deadline,
    }
    return render(request, "labeling/work/next.html", context)


@project_page()
def guide(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """What a round is labelled by: its version of the guidelines, and every node of its codebook."""
    round_ = round_of(member, number)
    axes = frozen_axes(codebook_id=round_.codebook_id)
    context = page_context(member, "work") | {
        "round": round_,
        "guideline": markdown.render(round_.guideline.text) if round_.guideline else "",
        "axes": [(nodes.axis, in_tree_order(nodes.versions)) for nodes in axes],
    }
    return render(request, "labeling/work/guide.html", context)


@project_page(Role.ANNOTATOR)
def mine(request: HttpRequest, member: Member) -> HttpResponse:
    """The reader's own rounds, drafts, passes and votes."""
    pages = Paginator(own_work.votes(member=member), PER_PAGE)
    page = pages.get_page(request.GET.get("page"))
    context = page_context(member, "work") | {
        "rounds": [(round_, pace(member=member, round_=round_)) for round_ in rounds_to_label(member=member)],
        "drafts": own_work.drafts(member=member)[:PER_PAGE],
        "passes": own_work.passes(member=member)[:PER_PAGE],
        "flag_answers": answers_to(member=member)[:PER_PAGE],
        "votes": [(vote, own_work.may_take_back(vote)) for vote in page],
        "page": page,
        "page_numbers": pages.get_elided_page_range(page.number, on_each_side=2, on_ends=1),
    }
    return render(request, "labeling/work/mine.html", context)
