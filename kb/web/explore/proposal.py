"""The page on which a reader of the survey proposes a category that it lacks."""

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from kb.http.rates import TooManySentError, count_sending
from kb.http.visitors import address_of
from kb.models import SurveyPlace
from kb.models.proposed_categories import MOST_MEANS, MOST_NAME
from kb.priorities.published import published
from kb.selectors import priorities as read
from kb.services.proposed_categories import MOST_A_DAY, ProposalsFullError, propose_category
from kb.web.explore.survey_form import TrapForm

TOO_MANY = "Too many proposals came from your network today. Keep your text, and send it again tomorrow."
FULL = "Too many proposals wait to be read, so this one was not taken. Keep your text, and send it again later."


class ProposalForm(TrapForm):
    """A category that is missing."""

    field_order = ("group", "name", "means")
    group = forms.ChoiceField(label="Kind", choices=SurveyPlace.Group.choices, initial=SurveyPlace.Group.BUGS)
    name = forms.CharField(label="Name", max_length=MOST_NAME, min_length=3)
    means = forms.CharField(
        label="What it means, and where you meet it",
        max_length=MOST_MEANS,
        min_length=10,
        widget=forms.Textarea(attrs={"rows": 4}),
    )

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["group"].widget.attrs["class"] = "form-select"
        for name in ("name", "means"):
            self.fields[name].widget.attrs["class"] = "form-control"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def propose(request: HttpRequest) -> HttpResponse:
    """The form; sent, it is kept for staff to read."""
    if request.method != "POST":
        return _page(request, ProposalForm())
    form = ProposalForm(request.POST)
    if not form.is_valid():
        return _page(request, form)
    try:
        count_sending(what="proposal", address=address_of(request), most=MOST_A_DAY)
        sent = form.cleaned_data
        propose_category(group=sent["group"], name=sent["name"], means=sent["means"])
    except TooManySentError:
        return _page(request, form, notice=TOO_MANY, status=429)
    except ProposalsFullError:
        return _page(request, form, notice=FULL, status=503)
    return HttpResponseRedirect(f"{reverse('priorities-propose')}?sent=1")


def _page(request: HttpRequest, form: ProposalForm, *, notice: str = "", status: int = 200) -> HttpResponse:
    context = {
        "form": form,
        "notice": notice,
        "sent": "sent" in request.GET,
        "most_a_day": MOST_A_DAY,
        "themes": [(SurveyPlace.Group(group).label, members) for group, members in read.themes().items()],
        "additions": published().additions,
        "trail": [("Priorities", reverse("priorities")), ("Survey", reverse("priorities-survey"))],
    }
    return render(request, "kb/explore/proposal.html", context, status=status)
