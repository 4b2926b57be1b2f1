"""Rounds: the list, preparing one, its page, opening and closing it."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from labeling.models import MOST_VOTES, Codebook, Member, Role, Round
from labeling.selectors import codebook_history, guidelines
from labeling.selectors.places import standing
from labeling.selectors.round_progress import by_person, progress
from labeling.selectors.rounds import filling, obstacles, rounds_of
from labeling.selectors.screening import screened
from labeling.selectors.visible import is_blind
from labeling.services import preparation as preparing
from labeling.services import rounds as services
from labeling.web.access import project_page, round_of
from labeling.web.answers import PlainForm, is_done, said, sent
from labeling.web.setup import words
from labeling.web.setup.round_forms import RoundForm, initial_of

PAGE = 50
NEW_KINDS = (Round.Kind.SCREENING, Round.Kind.PILOT, Round.Kind.MAIN)


class VotesForm(PlainForm):
    """Another number of votes."""

    wanted = forms.IntegerField(
        label="Votes on every issue from now on", min_value=1, max_value=MOST_VOTES,
        help_text="Issues whose votes are no secret any more stay as they are.",
    )  # fmt: skip


class DeadlineForm(PlainForm):
    """Another deadline, or none."""

    deadline = forms.DateField(required=False, widget=forms.DateInput(attrs={"type": "date"}))


@require_safe
@project_page()
def rounds(request: HttpRequest, member: Member) -> HttpResponse:
    """The project's rounds, the newest first."""
    pages = Paginator(rounds_of(member=member), PAGE)
    shown = pages.get_page(request.GET.get("page"))
    known = progress(member=member, rounds=shown)
    context = _context(member) | {
        "rounds": [(one, known[one.pk]) for one in shown], "is_lead": member.has(Role.LEAD), "page": shown,
        "page_numbers": pages.get_elided_page_range(shown.number),
    }  # fmt: skip
    return render(request, "labeling/setup/rounds.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def new(request: HttpRequest, member: Member) -> HttpResponse:
    """Prepare a round."""
    codebook = codebook_history.find(project_id=member.project_id)
    if codebook is None:
        messages.error(request, "Choose the project's axes first: a round needs a codebook.")
        return redirect("labeling:project", member.project.slug)
    last = Round.objects.filter(project=member.project_id).aggregate(last=Max("number"))["last"] or 0
    form = _form(
        request, member, codebook, last + 1, [*NEW_KINDS], {"kind": Round.Kind.MAIN if last else Round.Kind.PILOT}
    )
    made: list[Round] = []
    if request.method == "POST" and is_done(
        form, lambda: made.append(preparing.plan_round(lead=member, plan=form.plan()))
    ):
        messages.success(request, "The round is prepared. Next: give it its issues.")
        return redirect("labeling:sample", member.project.slug, made[0].number)
    context = _context(member) | {
        "form": form, "codebook": codebook, "guideline": guidelines.newest(project_id=member.project_id),
        "cancel": reverse("labeling:rounds", args=[member.project.slug]),
    }  # fmt: skip
    return render(request, "labeling/setup/round_form.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def edit(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Change a round that is being prepared."""
    round_ = round_of(member, number)
    if round_.state != Round.State.DRAFT:
        messages.error(request, "This round was opened: its settings stand.")
        return redirect("labeling:round", member.project.slug, number)
    codebook = codebook_history.find(project_id=member.project_id) or round_.codebook
    kinds = (Round.Kind.RECHECK,) if round_.kind == Round.Kind.RECHECK else NEW_KINDS
    form = _form(request, member, codebook, number, kinds, initial_of(round_))
    if request.method == "POST" and is_done(
        form, lambda: preparing.change_plan(lead=member, round_=round_, plan=form.plan())
    ):
        messages.success(request, "Saved.")
        return redirect("labeling:round", member.project.slug, number)
    context = _context(member) | {
        "form": form, "codebook": codebook, "guideline": guidelines.newest(project_id=member.project_id),
        "round": round_, "cancel": _address(member, number),
    }  # fmt: skip
    return render(request, "labeling/setup/round_form.html", context)


def _form(
    request: HttpRequest, lead: Member, codebook: Codebook, number: int, kinds: Sequence[str], initial: dict[str, Any]
) -> RoundForm:
    return RoundForm(
        sent(request), lead=lead, codebook=codebook, number=number, kinds=kinds, initial=initial
    )  # fmt: skip


@require_safe
@project_page()
def page(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """A round: its settings, its sample, its progress, and for leads what can be done with it."""
    round_ = round_of(member, number)
    is_lead = member.has(Role.LEAD)
    is_draft = round_.state == Round.State.DRAFT
    excluding = [str(name) for name in _excluding(round_)]
    context = _context(member) | {
        "round": round_,
        "is_lead": is_lead,
        "is_blind": is_blind(member),
        "settings": words.settings(round_, list(round_.annotators.select_related("user")), excluding),
        "sample": words.sample(round_),
        "progress": progress(member=member, rounds=[round_])[round_.pk],
        "people": by_person(member=member, round_=round_),
        "screened": screened(member=member, round_=round_) if round_.kind == Round.Kind.SCREENING else None,
        "standing": standing(member=member, round_=round_) if member.has(Role.ANNOTATOR) else None,
        "afterwards": words.afterwards(round_),
        "obstacles": obstacles(round_=round_) if is_draft and is_lead else [],
        "filling": filling(round_=round_) if is_draft and is_lead else None,
        "votes_form": VotesForm(initial={"wanted": round_.votes_wanted}),
        "deadline_form": DeadlineForm(initial={"deadline": round_.deadline}),
    }
    return render(request, "labeling/setup/round.html", context)


def _excluding(round_: Round) -> list[str]:
    nodes = round_.codebook.entries.filter(node__in=round_.excluding.all())
    return [f"{axis}: {name}" for axis, name in nodes.values_list("version__axis__name", "version__name")]


@require_POST
@project_page(Role.LEAD)
def opening(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Open the round for votes."""
    round_ = round_of(member, number)

    def action() -> str:
        services.open_round(lead=member, round_=round_)
        return f"The round “{round_.name}” is open. Its annotators find their first issue on the project's page."

    return said(request, action, _address(member, number))


@require_http_methods(["GET", "HEAD", "POST"])
@project_page(Role.LEAD)
def closing(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Say what closing does and how many issues lack votes, and close the round."""
    round_ = round_of(member, number)
    if request.method == "POST":
        return said(request, lambda: _close(member, round_), _address(member, number))
    context = _context(member) | {"round": round_, "progress": progress(member=member, rounds=[round_])[round_.pk]}
    return render(request, "labeling/setup/close.html", context)


def _close(member: Member, round_: Round) -> str:
    lacking = services.close_round(lead=member, round_=round_)
    if not lacking:
        return f"The round “{round_.name}” is closed: every issue has its votes."
    return f"The round “{round_.name}” is closed; {lacking:,} of its issues have fewer votes than wanted."


@require_POST
@project_page(Role.LEAD)
def votes(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Want more or fewer votes."""
    round_, form = round_of(member, number), VotesForm(request.POST)

    def action() -> str:
        added = services.change_votes_wanted(lead=member, round_=round_, wanted=form.cleaned_data["wanted"])
        places = f" {abs(added):,} places were {'added' if added > 0 else 'taken away'}." if added else ""
        return f"Every issue has {form.cleaned_data['wanted']} votes from now on.{places}"

    return _by_form(request, form, action, _address(member, number))


@require_POST
@project_page(Role.LEAD)
def deadline(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Move the deadline."""
    round_, form = round_of(member, number), DeadlineForm(request.POST)

    def action() -> str:
        preparing.move_deadline(lead=member, round_=round_, deadline=form.cleaned_data["deadline"])
        return "The deadline is moved." if form.cleaned_data["deadline"] else "The round has no deadline any more."

    return _by_form(request, form, action, _address(member, number))


@require_POST
@project_page(Role.LEAD)
def discarding(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Throw a round away that was never opened."""
    round_ = round_of(member, number)

    def action() -> str:
        preparing.discard_round(lead=member, round_=round_)
        return f"The round “{round_.name}” is thrown away."

    return said(request, action, reverse("labeling:rounds", args=[member.project.slug]))


def _by_form(request: HttpRequest, form: forms.Form, action: Any, to: str) -> HttpResponse:
    if form.is_valid():
        return said(request, action, to)
    for errors in form.errors.values():
        messages.error(request, " ".join(str(error) for error in errors))
    return redirect(to)


def _context(member: Member) -> dict[str, Any]:
    return {"member": member, "project": member.project, "here": "rounds"}


def _address(member: Member, number: int) -> str:
    return reverse("labeling:round", args=[member.project.slug, number])
