"""One cause link: its numbers, its issues, the note of staff, and what other sources say of the pair."""

from dataclasses import dataclass

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from kb.charts.figures import percent, percent_range, times, times_range
from kb.charts.lift import lift
from kb.charts.samples import small_note, unless_too_few
from kb.charts.shares import Share
from kb.core.intervals import Interval
from kb.models import CauseLink, GoneCauseLink
from kb.selectors import cause_link_page as read
from kb.services.cause_links import NoteChangedError, NoteVersion, note_cause_link, note_version
from kb.web.explore import Context
from kb.web.search.links import pair_url

SHOWN_ISSUES = 20


class NoteForm(forms.Form):
    """A note by staff, and the version of it that the writer has seen."""

    note = forms.CharField(
        max_length=2_000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "class": "form-control"}),
        help_text="Plain text: what a reader should look at first. Empty takes the note away.",
    )
    seen = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def clean_note(self) -> str:
        """The text with one kind of line end."""
        return "\n".join(str(self.cleaned_data["note"]).splitlines())


@dataclass(frozen=True)
class LinkNumbers:
    """A link's numbers in words."""

    link: CauseLink
    share: str
    interval: str
    few: str
    base: str
    base_interval: str
    lift: str
    lift_range: str
    issues_url: str


def numbers(link: CauseLink) -> LinkNumbers:
    """The link's numbers in words."""
    base = Share(link.cause_issues, link.all_issues)
    link_lift = lift(both=link.issues, one=link.symptom_issues, other=link.cause_issues, of=link.all_issues)
    interval = Interval(link.probability_low, link.probability_high)
    of = link.symptom_issues
    return LinkNumbers(
        link=link,
        share=unless_too_few(of, percent(link.probability)),
        interval=unless_too_few(of, percent_range(interval)),
        few=small_note(of),
        base=unless_too_few(base.of, base.percent),
        base_interval=unless_too_few(base.of, base.range),
        lift=unless_too_few(of, times(link_lift.ratio)),
        lift_range=unless_too_few(of, times_range(link_lift.interval)),
        issues_url=pair_url(link.symptom, link.cause, link.source),
    )


def may_write_notes(request: HttpRequest) -> bool:
    """Whether the reader is staff who may write notes. Opens no session where there is no cookie."""
    if not request.COOKIES.get(settings.SESSION_COOKIE_NAME):
        return False
    return bool(request.user.is_staff and request.user.has_perm("kb.change_causelink"))


@require_http_methods(["GET", "HEAD", "POST"])
def cause_link(request: HttpRequest, source: str, symptom: str, cause: str) -> HttpResponse:
    """A link's page; staff write its note by a POST to it."""
    if request.method == "POST" and not may_write_notes(request):
        raise PermissionDenied("Only staff who look after cause links may do this.")
    try:
        link = read.link_detail(source=source, symptom=symptom, cause=cause)
        if request.method != "POST":
            return _page(request, link)
        form = NoteForm(request.POST)
        if not form.is_valid():
            reasons = [" ".join(str(error) for error in errors) for errors in form.errors.values()]
            return _page(request, link, refusal=f"Not saved: {' '.join(reasons)}")
        try:
            note_cause_link(link=link, note=form.cleaned_data["note"], seen=NoteVersion(form.cleaned_data["seen"]))
        except NoteChangedError as error:
            link = read.link_detail(source=source, symptom=symptom, cause=cause)
            return _page(request, link, refusal=str(error))
    except CauseLink.DoesNotExist:
        return _gone_page(request, source, symptom, cause)
    messages.success(request, "The note is saved.")
    return redirect(link)


def _page(request: HttpRequest, link: CauseLink, *, refusal: str = "") -> HttpResponse:
    """The link; after a refusal with the note that was typed, which must not be lost."""
    writes = may_write_notes(request)
    same_pair = read.same_pair_elsewhere(symptom=link.symptom, cause=link.cause)
    context: Context = {
        **_pair_context(link),
        "numbers": numbers(link),
        "issues": read.link_issues(link=link, limit=SHOWN_ISSUES),
        "others": [numbers(other) for other in same_pair if other.pk != link.pk],
        "history": read.note_history(link_id=link.pk),
        "writes": writes,
        "refusal": refusal,
    }
    if writes:
        note = _typed(request) if refusal else link.note
        context["form"] = NoteForm(initial={"note": note, "seen": note_version(link=link).event})
    return render(request, "kb/explore/cause_link.html", context, status=409 if refusal else 200)


def _gone_page(request: HttpRequest, source: str, symptom: str, cause: str) -> HttpResponse:
    try:
        gone = read.gone_link(source=source, symptom=symptom, cause=cause)
    except GoneCauseLink.DoesNotExist as error:
        raise Http404("No issue of this source has both.") from error
    same_pair = read.same_pair_elsewhere(symptom=gone.symptom, cause=gone.cause)
    is_refused = request.method == "POST"
    context = {
        **_pair_context(gone),
        "gone": gone,
        "others": [numbers(other) for other in same_pair],
        "history": read.note_history(link_id=gone.link_id),
        "writes": may_write_notes(request),
        "refusal": "Not saved: no issue speaks for this any more." if is_refused else "",
        "typed": _typed(request),
    }
    return render(request, "kb/explore/cause_link.html", context, status=409 if is_refused else 200)


def _typed(request: HttpRequest) -> str:
    return request.POST.get("note", "")[:4_000]


def _pair_context(link: CauseLink | GoneCauseLink) -> Context:
    """What the page shows of a pair whether or not an issue still has both."""
    chart = f"{reverse('chart', args=('symptom-cause',))}?source={link.source.slug}"
    trail = [("Symptom × cause map", chart), (link.symptom.name, link.symptom.get_absolute_url())]
    return {"pair": link, "source": link.source, "symptom": link.symptom, "cause": link.cause, "trail": trail}
