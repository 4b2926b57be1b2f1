"""Giving a round its issues: by a search, by a list of addresses, or what a screening kept; and looking at them."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db.models.fields.json import KeyTextTransform
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from kb.core.secrets import mask_in_place
from labeling.models import Item, Member, Role, Round
from labeling.refusals import RefusedError
from labeling.samples import search_query
from labeling.selectors.population import Preview, preview
from labeling.services import sampling as services
from labeling.services.fill import Given
from labeling.services.sampling import MOST_DRAWN, RejectedLinesError, Sampling
from labeling.web.access import project_page, round_of
from labeling.web.answers import PlainForm, said
from labeling.web.results.jobs import hand_over
from labeling.web.setup import words

PAGE = 100
DRAWS = (
    ("random", "At random. Every issue that the search finds is as likely as any other."),
    ("stratified", "At random, with each framework's share of what the search finds."),
    ("best", "The first results, in the search's own order. Good for a pilot, not for counting."),
)


class SearchForm(PlainForm):
    """How to draw from a search."""

    search = forms.CharField(
        label="Search",
        required=False,
        max_length=2_000,
        help_text="Words, or the address of a search page with its filters. Empty: every issue there is.",
    )
    kind = forms.ChoiceField(label="Draw", choices=DRAWS, widget=forms.RadioSelect, initial="random")
    size = forms.IntegerField(label="How many issues", min_value=1, max_value=MOST_DRAWN, initial=50)
    seed = forms.CharField(
        max_length=60,
        required=False,
        help_text="Any word. The same seed draws the same issues again, and it is published with the results.",
    )
    fresh = forms.BooleanField(label="Leave out the issues of the project's other rounds", required=False, initial=True)

    def sampling(self) -> Sampling:
        """What was asked for; the form must be valid."""
        values = self.cleaned_data
        return Sampling(
            kind=values["kind"],
            size=values["size"],
            query=search_query(values["search"]),
            seed=values["seed"].strip() if values["kind"] != "best" else "",
            fresh=values["fresh"],
        )


class ListForm(PlainForm):
    """A list of addresses."""

    addresses = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="One a line: the address of an issue, or owner/name#12 for one on GitHub.",
    )
    leave_out = forms.BooleanField(label="Leave out the lines that cannot be taken", required=False)


@require_safe
@project_page(Role.LEAD)
def sample(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The ways to give the round its issues; with a search in the address, what it would draw from."""
    round_ = _draft(member, number)
    asked = SearchForm(request.GET) if "kind" in request.GET else None
    found, refused = _look(asked, member)
    form = asked or SearchForm(initial={"seed": f"{member.project.slug}-{number}"})
    return render(request, "labeling/setup/sample.html", _context(member, round_, form) | {
        "found": found, "refused": refused, "list_form": ListForm(),
    })  # fmt: skip


def _look(form: SearchForm | None, member: Member) -> tuple[Preview | None, str]:
    if form is None or not form.is_valid():
        return None, ""
    asked = form.sampling()
    try:
        return preview(query=asked.query, project_id=member.project_id, fresh=asked.fresh), ""
    except RefusedError as error:
        return None, str(error)


@require_POST
@project_page(Role.LEAD)
def drawing(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Draw the sample from the search."""
    round_, form = _draft(member, number), SearchForm(request.POST)
    again = f"{_address('sample', member, number)}?{_filled_in(request)}"
    if not form.is_valid():
        return redirect(again)
    try:
        given = services.draw_sample(lead=member, round_=round_, sampling=form.sampling())
    except RefusedError as error:
        messages.error(request, str(error))
        return redirect(again)
    return _given(request, member, number, given, f"Drawn from {given.population:,} issues.")


def _given(request: HttpRequest, member: Member, number: int, given: Given, done: str) -> HttpResponse:
    """To the round with its issues, or to the page of the job that gives it many."""
    if given.job is not None:
        return hand_over(request, given.job)
    messages.success(request, done)
    return redirect(_address("round", member, number))


def _filled_in(request: HttpRequest) -> str:
    """What was filled in, for an address: without the form's own secret."""
    values = request.POST.copy()
    values.pop("csrfmiddlewaretoken", None)
    return values.urlencode()


@require_POST
@project_page(Role.LEAD)
def listing(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Take the listed issues; where lines cannot be taken, show them with the reasons, and the list as it was."""
    round_, form = _draft(member, number), ListForm(request.POST)
    rejected: RejectedLinesError | None = None
    if form.is_valid():
        values = form.cleaned_data
        try:
            given = services.fill_from_list(
                lead=member, round_=round_, text=values["addresses"], leave_out=values["leave_out"]
            )
        except RejectedLinesError as error:
            rejected = error
        except RefusedError as error:
            form.add_error("addresses", str(error))
        else:
            return _given(request, member, number, given, f"The round has {given.issues:,} issues.")
    search = SearchForm(initial={"seed": f"{member.project.slug}-{number}"})
    context = _context(member, round_, search) | {"list_form": form, "rejected": rejected, "found": None}
    return render(request, "labeling/setup/sample.html", context)


@require_POST
@project_page(Role.LEAD)
def screened(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Take what a screening round kept."""
    round_ = _draft(member, number)
    chosen = request.POST.get("screening", "")
    screening = round_of(member, int(chosen)) if chosen.isdecimal() and len(chosen) < 6 else None
    if screening is None:
        raise Http404
    try:
        given = services.fill_from_screening(lead=member, round_=round_, screening=screening)
    except RefusedError as error:
        messages.error(request, str(error))
        return redirect(_address("round", member, number))
    kept = f"The round has the {given.issues:,} issues that “{screening.name}” kept."
    return _given(request, member, number, given, kept)


@require_POST
@project_page(Role.LEAD)
def emptying(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Take the sample away."""
    round_ = _draft(member, number)

    def action() -> str:
        services.empty_round(lead=member, round_=round_)
        return "The round has no issues any more. Draw again."

    return said(request, action, _address("sample", member, number))


@require_safe
@project_page()
def issues(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The round's issues in the order of its sample; what was voted on them is elsewhere."""
    round_ = round_of(member, number)
    items = Item.objects.filter(round=round_).select_related("issue__repository").order_by("position")
    items = items.annotate(title=KeyTextTransform("title", "snapshot__content"))
    pages = Paginator(items, PAGE)
    shown: Page[Any] = pages.get_page(request.GET.get("page"))
    for item in shown:
        item.title = mask_in_place(item.title or "").text
    context = {
        "member": member, "project": member.project, "here": "rounds", "round": round_, "page": shown,
        "page_numbers": pages.get_elided_page_range(shown.number), "sample": words.sample(round_),
    }  # fmt: skip
    return render(request, "labeling/setup/sample_issues.html", context)


def _draft(member: Member, number: int) -> Round:
    """A round that is being prepared. Raises Http404 for any other."""
    found = round_of(member, number)
    if found.state != Round.State.DRAFT:
        raise Http404
    return found


def _context(member: Member, round_: Round, form: SearchForm) -> dict[str, Any]:
    closed = Round.objects.filter(project=member.project_id, kind=Round.Kind.SCREENING, state=Round.State.CLOSED)
    return {
        "member": member, "project": member.project, "here": "rounds", "round": round_, "form": form,
        "screenings": closed.order_by("-number"), "has_issues": round_.items.exists(), "sample": words.sample(round_),
    }  # fmt: skip


def _address(name: str, member: Member, number: int) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, number])
