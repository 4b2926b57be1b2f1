"""Rounds: the list, preparing one, its page, opening and closing it."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from labeling.models import MOST_VOTES, Codebook, Member, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors import codebook_history, guidelines, round_lists
from labeling.selectors.gold import may_give, sample_is_told
from labeling.selectors.readers import assisting
from labeling.selectors.repeats import work_standing
from labeling.selectors.round_progress import by_person, progress
from labeling.selectors.rounds import filling, obstacles, rounds_of
from labeling.selectors.screening import screened
from labeling.selectors.shortfall import shortfall
from labeling.selectors.visible import is_blind
from labeling.services import preparation
from labeling.services import rounds as services
from labeling.web.access import Context, page_context, project_action, project_form, project_page, round_of
from labeling.web.forms import PlainForm, act_and_redirect, apply_form, posted_data, redirect_with_errors
from labeling.web.setup import round_texts
from labeling.web.setup.round_forms import RoundForm, initial_of

PAGE = 50
NEW_KINDS = (Round.Kind.SCREENING, Round.Kind.PILOT, Round.Kind.MAIN)


class VotesForm(PlainForm):
    """How many votes every issue gets."""

    wanted = forms.IntegerField(
        label="Votes on every issue from now on", min_value=1, max_value=MOST_VOTES,
        help_text="Issues with released votes do not change.",
    )  # fmt: skip


class DeadlineForm(PlainForm):
    """The deadline; empty for none."""

    deadline = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))


@project_page()
def rounds(request: HttpRequest, member: Member) -> HttpResponse:
    """The project's rounds, the newest first."""
    pages = Paginator(rounds_of(member=member), PAGE)
    page_ = pages.get_page(request.GET.get("page"))
    rounds_progress = progress(member=member, rounds=page_)
    context = page_context(member, "rounds") | {
        "rounds": [(round_, rounds_progress[round_.pk]) for round_ in page_],
        "is_lead": member.has(Role.LEAD),
        "page": page_,
        "page_numbers": pages.get_elided_page_range(page_.number),
    }
    return render(request, "labeling/setup/rounds.html", context)


@project_form(Role.LEAD)
def new(request: HttpRequest, member: Member) -> HttpResponse:
    """Prepare a round."""
    codebook = codebook_history.find(project_id=member.project_id)
    if codebook is None:
        messages.error(request, "Choose the project's axes first: a round needs a codebook.")
        return redirect("labeling:project", member.project.slug)
    last = round_lists.last_number(project_id=member.project_id)
    initial = {
        "kind": Round.Kind.MAIN if last else Round.Kind.PILOT,
        "repeats": member.project.repeats,
        "repeats_after": member.project.repeats_after,
    }
    form = RoundForm(
        posted_data(request), lead=member, codebook=codebook, number=last + 1, kinds=NEW_KINDS, initial=initial
    )  # fmt: skip
    if request.method == "POST" and form.is_valid():
        try:
            round_ = preparation.plan_round(lead=member, plan=form.plan())
        except RefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The round is prepared. Next: give it its issues.")
            return redirect("labeling:sample", member.project.slug, round_.number)
    context = _form_context(member, form, codebook) | {
        "cancel": reverse("labeling:rounds", args=[member.project.slug])
    }  # fmt: skip
    return render(request, "labeling/setup/round_form.html", context)


@project_form(Role.LEAD)
def edit(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Change a round that is being prepared."""
    round_ = round_of(member, number)
    if round_.state != Round.State.DRAFT:
        messages.error(request, "This round has been opened: its settings are final.")
        return redirect("labeling:round", member.project.slug, number)
    codebook = codebook_history.find(project_id=member.project_id) or round_.codebook
    kinds = (Round.Kind.RECHECK,) if round_.kind == Round.Kind.RECHECK else NEW_KINDS
    form = RoundForm(
        posted_data(request), lead=member, codebook=codebook, number=number, kinds=kinds, initial=initial_of(round_)
    )  # fmt: skip
    if request.method == "POST" and apply_form(
        form, lambda: preparation.change_plan(lead=member, round_=round_, plan=form.plan())
    ):
        messages.success(request, "Saved.")
        return redirect("labeling:round", member.project.slug, number)
    context = _form_context(member, form, codebook) | {"round": round_, "cancel": _url(member, number)}
    return render(request, "labeling/setup/round_form.html", context)


def _form_context(member: Member, form: RoundForm, codebook: Codebook) -> Context:
    guideline = guidelines.newest(project_id=member.project_id)
    return page_context(member, "rounds") | {"form": form, "codebook": codebook, "guideline": guideline}


@project_page()
def page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """A round: its settings, its sample, its progress, and for leads what can be done with it."""
    round_ = round_of(member, number)
    is_lead = member.has(Role.LEAD)
    is_screening = round_.kind == Round.Kind.SCREENING
    may_open = is_lead and round_.state == Round.State.DRAFT
    annotators = round_lists.chosen_annotators(round_=round_)
    excluding = round_lists.excluding_names(round_=round_)
    is_told = sample_is_told(member=member, round_=round_)
    result = screened(member=member, round_=round_) if is_screening else None
    context = page_context(member, "rounds") | {
        "round": round_,
        "is_lead": is_lead,
        "is_blind": is_blind(member),
        "settings": round_texts.settings(round_, annotators, excluding, assisting(round_=round_)),
        "sample": round_texts.sample(round_, is_told=is_told),
        "is_told": is_told,
        "progress": progress(member=member, rounds=[round_])[round_.pk],
        "people": by_person(member=member, round_=round_),
        "screened": result,
        "shares": round_texts.share_rows(result),
        "gives_gold": round_.state != Round.State.CLOSED and may_give(member=member, round_=round_),
        "shortfall": shortfall(member=member, round_=round_),
        "dropped": round_lists.dropped_items(round_=round_),
        "standing": work_standing(member=member, round_=round_) if member.has(Role.ANNOTATOR) else None,
        "afterwards": round_texts.afterwards(round_),
        "obstacles": obstacles(round_=round_) if may_open else [],
        "filling": filling(round_=round_) if may_open else None,
        "votes_form": VotesForm(initial={"wanted": round_.votes_wanted}),
        "deadline_form": DeadlineForm(initial={"deadline": round_.deadline}),
    }
    return render(request, "labeling/setup/round.html", context)


@project_action(Role.LEAD)
def opening(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Open the round for votes."""
    round_ = round_of(member, number)
    success = f"The round “{round_.name}” is open. Its annotators find their first issue on the project's page."
    to = _url(member, number)
    return act_and_redirect(request, lambda: services.open_round(lead=member, round_=round_), success, to)


@project_form(Role.LEAD)
def closing(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """What closing does and how many issues lack votes; on POST, close the round."""
    round_ = round_of(member, number)
    if request.method == "POST":
        try:
            lacking = services.close_round(lead=member, round_=round_)
            text = f"The round “{round_.name}” is closed: every issue has its votes."
            if lacking:
                text = f"The round “{round_.name}” is closed; {lacking:,} of its issues have fewer votes than wanted."
            messages.success(request, text)
        except RefusedError as error:
            messages.error(request, str(error))
        return redirect("labeling:round", member.project.slug, number)
    round_progress = progress(member=member, rounds=[round_])[round_.pk]
    context = page_context(member, "rounds") | {"round": round_, "progress": round_progress}
    return render(request, "labeling/setup/close.html", context)


@project_action(Role.LEAD)
def votes(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Change how many votes every issue gets."""
    round_, form = round_of(member, number), VotesForm(request.POST)
    if not form.is_valid():
        return redirect_with_errors(request, form, _url(member, number))
    wanted = form.cleaned_data["wanted"]
    try:
        added = services.change_votes_wanted(lead=member, round_=round_, wanted=wanted)
        places = ""
        # Where issues have votes already, fewer places come or go: a lead who labels too must not learn that.
        if added and not is_blind(member):
            places = f" {abs(added):,} places were {'added' if added > 0 else 'taken away'}."
        messages.success(request, f"Every issue has {wanted} votes from now on.{places}")
    except RefusedError as error:
        messages.error(request, str(error))
    return redirect("labeling:round", member.project.slug, number)


@project_action(Role.LEAD)
def deadline(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Move the deadline."""
    round_, form = round_of(member, number), DeadlineForm(request.POST)
    to = _url(member, number)
    if not form.is_valid():
        return redirect_with_errors(request, form, to)
    day = form.cleaned_data["deadline"]
    success = "Deadline changed." if day else "Deadline removed."
    return act_and_redirect(
        request, lambda: preparation.move_deadline(lead=member, round_=round_, deadline=day), success, to
    )


@project_action(Role.LEAD)
def discarding(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Delete a round that was never opened."""
    round_ = round_of(member, number)
    success = f"The round “{round_.name}” is deleted."
    to = reverse("labeling:rounds", args=[member.project.slug])
    return act_and_redirect(request, lambda: preparation.discard_round(lead=member, round_=round_), success, to)


def _url(member: Member, number: int) -> str:
    return reverse("labeling:round", args=[member.project.slug, number])
