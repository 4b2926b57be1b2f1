"""Gold answers of a round: which issues have them, giving them on an issue, and from a file.

Who may vote in the round sees none of these pages.
"""

from collections.abc import Sequence

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from kb.web.markup import mirrored
from labeling.ballots import Choice
from labeling.exchange.gold import FORMATS, MOST_BYTES, TakenIn, take_in_gold
from labeling.models import Item, Member, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors import gold as selectors
from labeling.selectors.names import name_of
from labeling.selectors.votes import choice_of
from labeling.services import gold as services
from labeling.web.access import item_of, page_context, project_action, project_form, project_page, round_of
from labeling.web.comments import thread_of
from labeling.web.forms import PlainForm, act_and_redirect, form_status, posted_data
from labeling.web.settling.forms import ChoiceForm, initial_choice

PAGE = 50
SHOWN = 200


class GoldForm(ChoiceForm):
    """The right answer on one axis, or none."""

    action = "gold"


class ReasonForm(PlainForm):
    """How the answers are known to be right."""

    reason = forms.CharField(
        label="How these answers are known",
        max_length=services.MOST_REASON,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="For example: agreed by both authors. Annotators read it when the round is closed; releases have it.",
    )


class FileForm(ReasonForm):
    """Gold answers from a file."""

    file = forms.FileField(
        help_text=f"As votes are exported: columns issue, axis and nodes. UTF-8, at most {MOST_BYTES // 1_000_000} MB."
    )
    format = forms.ChoiceField(choices=[(each.value, each.label) for each in FORMATS])
    adds = forms.BooleanField(
        required=False,
        label="Add the issues that are not in the round, and shuffle all",
        help_text="Only while a lead prepares the round, after its other issues were drawn.",
    )
    field_order = ("file", "format", "reason", "adds")


@project_page(Role.LEAD, Role.ADJUDICATOR)
def gold(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The round's issues with their gold answers, and the form for a file."""
    return _page(request, member, _round(member, number), FileForm())


@project_action(Role.LEAD, Role.ADJUDICATOR)
def file(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Take gold answers in from a file; what cannot be taken is told with its reasons."""
    round_ = _round(member, number)
    form = FileForm(request.POST, request.FILES)
    taken = None
    if form.is_valid():
        values = form.cleaned_data
        try:
            taken = take_in_gold(
                member=member, round_=round_, content=values["file"].read(MOST_BYTES + 1), format_=values["format"],
                reason=values["reason"], adds=values["adds"],
            )  # fmt: skip
        except RefusedError as error:
            form.add_error(None, str(error))
    return _page(request, member, _round(member, number), form if taken is None else FileForm(), taken)


@project_form(Role.LEAD, Role.ADJUDICATOR)
def answers(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """The right answers to one issue; on POST, they are given."""
    item = item_of(_round(member, number), position)
    given = list(selectors.gold_on(member=member, item=item))
    choices = {answer.axis_id: choice_of(answer) for answer in given}
    question_forms = []
    for nodes in selectors.askable_axes(round_=item.round):
        initial = initial_choice(nodes, choices[nodes.axis.pk]) if nodes.axis.pk in choices else None
        if initial is not None and not nodes.axis.has_nodes:
            initial["codes"] = choices[nodes.axis.pk].text
        question_forms.append((nodes, GoldForm(nodes, posted_data(request), initial)))
    form = ReasonForm(posted_data(request), initial={"reason": given[0].reason if given else ""})
    if request.method == "POST" and form.is_valid() and all(each.is_valid() for _, each in question_forms):
        said = {each.axis: each.choice() for _, each in question_forms if each.choice() != Choice()}
        try:
            services.give_gold(member=member, item=item, answers=said, reason=form.cleaned_data["reason"])
        except RefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, f"{item.snapshot.content['name']} has its gold answers.")
            return redirect("labeling:gold", member.project.slug, number)
    return _answers_page(request, member, item, form, question_forms, has_gold=bool(given))


@project_action(Role.LEAD, Role.ADJUDICATOR)
def taking_out(request: HttpRequest, member: Member, number: int, position: int) -> HttpResponse:
    """Take an issue's gold answers out."""
    item = item_of(_round(member, number), position)
    return act_and_redirect(
        request,
        lambda: services.take_out_gold(member=member, item=item),
        f"{item.snapshot.content['name']} has no gold answers any more.",
        reverse("labeling:gold", args=[member.project.slug, number]),
    )


def _round(member: Member, number: int) -> Round:
    """The round. Raises PermissionDenied for who may vote in it."""
    round_ = round_of(member, number)
    if not selectors.may_give(member=member, round_=round_):
        raise PermissionDenied
    return round_


def _page(
    request: HttpRequest, member: Member, round_: Round, form: FileForm, taken: TakenIn | None = None
) -> HttpResponse:
    pages = Paginator(selectors.round_items(round_=round_), PAGE)
    page = pages.get_page(request.GET.get("page"))
    rows = selectors.with_gold(member=member, items=list(page.object_list))
    context = page_context(member, "rounds") | {
        "round": round_,
        "form": form,
        "taken": taken,
        "rejected": taken.rejected[:SHOWN] if taken else (),
        "number": selectors.gold_count(member=member, round_=round_),
        "rows": [(row, ", ".join(name_of(reader=member, other=each) for each in row.by)) for row in rows],
        "may_give": round_.state != Round.State.CLOSED,
        "page": page,
        "page_numbers": pages.get_elided_page_range(page.number),
    }
    return render(request, "labeling/setup/gold.html", context, status=form_status(form))


def _answers_page(
    request: HttpRequest, member: Member, item: Item, form: ReasonForm, question_forms: Sequence[object],
    *, has_gold: bool,
) -> HttpResponse:  # fmt: skip
    body = item.snapshot.content.get("body", "")
    context = page_context(member, "rounds") | {
        "round": item.round,
        "item": item,
        "text": item.snapshot.content,
        "body": mirrored.render(body) if body else None,
        "thread": thread_of(item.snapshot),
        "form": form,
        "questions": question_forms,
        "has_gold": has_gold,
        "may_give": item.round.state != Round.State.CLOSED,
    }
    return render(request, "labeling/setup/gold_answers.html", context, status=form_status(form))
