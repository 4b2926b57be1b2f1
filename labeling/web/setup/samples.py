"""Drawing the sample: by a search, by a list of addresses, or what a screening kept; and looking at them."""

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from kb.core.secrets import mask_in_place
from labeling.models import Member, Role, Round
from labeling.refusals import RefusedError
from labeling.samples import search_query
from labeling.selectors.draws import Sampling, preview
from labeling.selectors.gold import sample_is_told
from labeling.selectors.own_items import own_items
from labeling.selectors.round_lists import closed_screenings, has_items, sampled_items
from labeling.services import sampling as services
from labeling.services.fill import Given
from labeling.services.rounds import MOST_ITEMS
from labeling.services.sampling import MOST_DRAWN, RejectedLinesError
from labeling.web.access import Context, page_context, project_action, project_page, round_of
from labeling.web.forms import PlainForm, act_and_redirect, number_from
from labeling.web.results.jobs import hand_over
from labeling.web.setup import round_texts

PAGE = 100
DRAWS = (
    ("random", "At random: every issue that the search finds is equally likely."),
    ("stratified", "At random, stratified by framework."),
    ("best", "The first results, in search order. Good for a pilot, not for counting."),
)


class SearchForm(PlainForm):
    """How to draw from a search."""

    search = forms.CharField(
        label="Search",
        required=False,
        max_length=2_000,
        help_text="Words, or the address of a search page with its filters. Empty: all issues.",
    )
    kind = forms.ChoiceField(label="Draw", choices=DRAWS, widget=forms.RadioSelect, initial="random")
    size = forms.IntegerField(label="How many issues", min_value=1, max_value=MOST_DRAWN, initial=50)
    seed = forms.CharField(
        max_length=60,
        required=False,
        help_text="Any word. The same seed draws the same issues; it is published with the results.",
    )
    fresh = forms.BooleanField(label="Exclude issues of the project's other rounds", required=False, initial=True)

    in_text = forms.BooleanField(
        label="Every word must stand in the title or text", required=False,
        help_text="A search also finds by meaning and by what Faultbook says of an issue.",
    )  # fmt: skip
    with_text = forms.BooleanField(label="Leave out issues without report text", required=False)

    def sampling(self) -> Sampling:
        """The sampling as filled in; the form must be valid."""
        values = self.cleaned_data
        return Sampling(
            kind=values["kind"],
            size=values["size"],
            query=search_query(values["search"]),
            seed=values["seed"].strip() if values["kind"] != "best" else "",
            fresh=values["fresh"],
            in_text=values["in_text"],
            with_text=values["with_text"],
        )


class ListForm(PlainForm):
    """A list of addresses."""

    addresses = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 10}),
        help_text="One per line: an issue's address, owner/name#12 on GitHub, or the id of an own item.",
    )
    leave_out = forms.BooleanField(label="Skip lines that cannot be used", required=False)


class OwnForm(PlainForm):
    """How to take the project's own items."""

    draw = forms.ChoiceField(
        label="Take", choices=(("all", "All of them, in the order in which they came."), ("random", "At random.")),
        widget=forms.RadioSelect, initial="all",
    )  # fmt: skip
    size = forms.IntegerField(
        label="How many", min_value=1, max_value=MOST_ITEMS, required=False, help_text="Where they are drawn at random."
    )
    seed = forms.CharField(
        max_length=60, required=False, help_text="Any word; it is published with the results."
    )  # fmt: skip
    fresh = forms.BooleanField(label="Exclude items of the project's other rounds", required=False, initial=True)

    def clean_size(self) -> int | None:
        """How many; there is a number where they are drawn."""
        size: int | None = self.cleaned_data["size"]
        if size is None and self.data.get("draw") == "random":
            raise forms.ValidationError("Say how many.")
        return size


@project_page(Role.LEAD)
def sample(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The ways to give the round its issues; with a search in the URL, what it would draw from."""
    round_ = _draft(member, number)
    form = SearchForm(request.GET) if "kind" in request.GET else _empty_search(member, number)
    population, refusal = None, ""
    if form.is_valid():
        sampling = form.sampling()
        try:
            population = preview(project=member.project, sampling=sampling, other_than=round_)
        except RefusedError as error:
            refusal = str(error)
    context = _context(member, round_, form) | {"found": population, "refused": refusal, "list_form": ListForm()}
    return render(request, "labeling/setup/sample.html", context)


@project_action(Role.LEAD)
def drawing(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Draw the sample from the search."""
    round_, form = _draft(member, number), SearchForm(request.POST)
    data = request.POST.copy()
    data.pop("csrfmiddlewaretoken", None)
    back = f"{_url('sample', member, number)}?{data.urlencode()}"
    if not form.is_valid():
        return redirect(back)
    try:
        filled = services.draw_sample(lead=member, round_=round_, sampling=form.sampling())
    except RefusedError as error:
        messages.error(request, str(error))
        return redirect(back)
    return _redirect_after(request, member, number, filled, f"Drawn from {filled.population:,} issues.")


@project_action(Role.LEAD)
def listing(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Take the listed issues; where lines cannot be taken, show them with the reasons, and the list as it was."""
    round_, form = _draft(member, number), ListForm(request.POST)
    rejected: RejectedLinesError | None = None
    if form.is_valid():
        values = form.cleaned_data
        try:
            filled = services.fill_from_list(
                lead=member, round_=round_, text=values["addresses"], leave_out=values["leave_out"]
            )
        except RejectedLinesError as error:
            rejected = error
        except RefusedError as error:
            form.add_error("addresses", str(error))
        else:
            return _redirect_after(request, member, number, filled, f"The round has {filled.issues:,} issues.")
    context = _context(member, round_, _empty_search(member, number)) | {"list_form": form, "rejected": rejected}
    return render(request, "labeling/setup/sample.html", context)


@project_action(Role.LEAD)
def screened(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Take what a screening round kept."""
    round_ = _draft(member, number)
    screening = round_of(member, number_from(request.POST.get("screening", ""), 0, digits=5))
    try:
        filled = services.fill_from_screening(lead=member, round_=round_, screening=screening)
    except RefusedError as error:
        messages.error(request, str(error))
        return redirect(_url("round", member, number))
    success = f"The round has the {filled.issues:,} issues that “{screening.name}” kept."
    return _redirect_after(request, member, number, filled, success)


@project_action(Role.LEAD)
def own(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Take the project's own items, all or some at random."""
    round_, form = _draft(member, number), OwnForm(request.POST, auto_id="own-%s")
    if form.is_valid():
        values = form.cleaned_data
        size = values["size"] if values["draw"] == "random" else None
        try:
            filled = services.fill_from_own(
                lead=member, round_=round_, size=size, seed=values["seed"], fresh=values["fresh"]
            )
        except RefusedError as error:
            form.add_error(None, str(error))
        else:
            return _redirect_after(request, member, number, filled, f"The round has {filled.issues:,} own items.")
    context = _context(member, round_, _empty_search(member, number)) | {"list_form": ListForm(), "own_form": form}
    return render(request, "labeling/setup/sample.html", context, status=422)


@project_action(Role.LEAD)
def emptying(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """Take the sample away."""
    round_ = _draft(member, number)
    success = "The round no longer has any issues. Draw again."
    to = _url("sample", member, number)
    return act_and_redirect(request, lambda: services.empty_round(lead=member, round_=round_), success, to)


@project_page()
def issues(request: HttpRequest, member: Member, number: int) -> HttpResponse:
    """The round's issues in the order of its sample, without their votes."""
    round_ = round_of(member, number)
    pages = Paginator(sampled_items(round_=round_), PAGE)
    page = pages.get_page(request.GET.get("page"))
    for item in page:
        item.title = mask_in_place(item.title or "").text
    context = page_context(member, "rounds") | {
        "round": round_,
        "page": page,
        "page_numbers": pages.get_elided_page_range(page.number),
        "sample": round_texts.sample(round_, is_told=sample_is_told(member=member, round_=round_)),
        "may_drop": member.has(Role.LEAD) and round_.state == Round.State.OPEN,
    }
    return render(request, "labeling/setup/sample_issues.html", context)


def _draft(member: Member, number: int) -> Round:
    """A round that is being prepared. Raises Http404 for any other."""
    round_ = round_of(member, number)
    if round_.state != Round.State.DRAFT:
        raise Http404
    return round_


def _redirect_after(request: HttpRequest, member: Member, number: int, filled: Given, success: str) -> HttpResponse:
    """To the round with its issues, or to the page of the job that gives it many."""
    if filled.job is not None:
        return hand_over(request, filled.job)
    messages.success(request, success)
    return redirect(_url("round", member, number))


def _empty_search(member: Member, number: int) -> SearchForm:
    return SearchForm(initial={"seed": f"{member.project.slug}-{number}"})


def _context(member: Member, round_: Round, form: SearchForm) -> Context:
    return page_context(member, "rounds") | {
        "round": round_,
        "form": form,
        "screenings": closed_screenings(member=member),
        "own_form": OwnForm(initial={"seed": f"{member.project.slug}-{round_.number}"}, auto_id="own-%s"),
        "own_items": own_items(project_id=member.project_id).count(),
        "has_issues": has_items(round_=round_),
        "sample": round_texts.sample(round_),
    }


def _url(name: str, member: Member, number: int) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, number])
