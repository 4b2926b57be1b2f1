"""One cause link: how often, how sure, which issues, what staff noted, and what other sources say of the pair."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from kb.charts.figures import few_note, percent, percent_range, times, times_range
from kb.charts.intervals import Interval, wilson
from kb.charts.lift import lift
from kb.models import CauseLink, GoneCauseLink
from kb.selectors import cause_link_page as read
from kb.services.cause_links import NoteChangedError, NoteVersion, note_cause_link, note_version
from kb.web.search.links import pair_url

SHOWN_ISSUES = 20


class NoteForm(forms.Form):
    """A note by staff, and which state of it the writer has seen."""

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
    """Write down what a link says."""
    interval = Interval(link.probability_low, link.probability_high)
    base = link.cause_issues / link.all_issues
    found = lift(both=link.issues, one=link.symptom_issues, other=link.cause_issues, of=link.all_issues)
    return LinkNumbers(
        link=link,
        share=percent(link.probability),
        interval=percent_range(interval),
        few=few_note(link.symptom_issues),
        base=percent(base),
        base_interval=percent_range(wilson(link.cause_issues, link.all_issues)),
        lift=times(found.ratio),
        lift_range=times_range(found.interval),
        issues_url=pair_url(link.symptom, link.cause, link.source),
    )


def may_write_notes(request: HttpRequest) -> bool:
    """Is the reader staff who may write notes? Asked without opening a session where there is no cookie."""
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
    except CauseLink.DoesNotExist:
        return _gone(request, source, symptom, cause)
    if request.method == "POST":
        return _write(request, link)
    return _page(request, link)


def _page(request: HttpRequest, link: CauseLink, typed: str | None = None, refusal: str = "") -> HttpResponse:
    writes = may_write_notes(request)
    said = read.same_pair_elsewhere(symptom=link.symptom, cause=link.cause)
    context = {
        **_both(link),
        "numbers": numbers(link),
        "issues": read.link_issues(link=link, limit=SHOWN_ISSUES),
        "others": [numbers(other) for other in said if other.pk != link.pk],
        "history": read.note_history(link_id=link.pk),
        "writes": writes,
        "refusal": refusal,
    }
    if writes:
        note = link.note if typed is None else typed
        context["form"] = NoteForm(initial={"note": note, "seen": note_version(link=link).event})
    return render(request, "kb/explore/cause_link.html", context, status=409 if refusal else 200)


def _write(request: HttpRequest, link: CauseLink) -> HttpResponse:
    form = NoteForm(request.POST)
    if not form.is_valid():
        wrong = " ".join(str(error) for errors in form.errors.values() for error in errors)
        return _page(request, link, _typed(request), f"Not saved: {wrong}")
    try:
        note_cause_link(link=link, note=form.cleaned_data["note"], seen=NoteVersion(form.cleaned_data["seen"]))
    except NoteChangedError as error:
        names = {"source": link.source.slug, "symptom": link.symptom.code, "cause": link.cause.code}
        try:
            return _page(request, read.link_detail(**names), _typed(request), str(error))
        except CauseLink.DoesNotExist:
            return _gone(request, **names)
    messages.success(request, "The note is saved.")
    return redirect(link)


def _typed(request: HttpRequest) -> str:
    """What somebody wrote in vain: it must not be lost."""
    return request.POST.get("note", "")[:4_000]


def _gone(request: HttpRequest, source: str, symptom: str, cause: str) -> HttpResponse:
    try:
        gone = read.gone_link(source=source, symptom=symptom, cause=cause)
    except GoneCauseLink.DoesNotExist as error:
        raise Http404("No issue of this source has both.") from error
    said = read.same_pair_elsewhere(symptom=gone.symptom, cause=gone.cause)
    refused = request.method == "POST"
    context = {
        **_both(gone),
        "gone": gone,
        "others": [numbers(other) for other in said],
        "history": read.note_history(link_id=gone.link_id),
        "writes": may_write_notes(request),
        "refusal": "Not saved: no issue speaks for this any more." if refused else "",
        "typed": _typed(request),
    }
    return render(request, "kb/explore/cause_link.html", context, status=409 if refused else 200)


def _both(link: CauseLink | GoneCauseLink) -> dict[str, Any]:
    """What the page of a link shows whether or not an issue still speaks for it."""
    trail = [("Symptom × cause map", f"{reverse('chart', args=('symptom-cause',))}?source={link.source.slug}")]
    trail.append((link.symptom.name, link.symptom.get_absolute_url()))
    return {"pair": link, "source": link.source, "symptom": link.symptom, "cause": link.cause, "trail": trail}
