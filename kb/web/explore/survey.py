"""The survey: answering it, changing the answer, and taking it back. Results are in `priorities`."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from kb.http.rates import TooManySentError, count_sending
from kb.http.visitors import address_of
from kb.priorities.rankings import MOST_PLACES, RankingRefusedError
from kb.selectors import priorities as read
from kb.services import priorities as write
from kb.web.explore import Context
from kb.web.explore.survey_form import SurveyForm, filled_with
from kb.web.explore.survey_person import forget, new_ticket, person_of, remember, token_in

TICKET = "ticket"
OLD_FORM = "The page was open for more than a day. Nothing is lost: look it over and send it again."
GONE = "A theme was taken out of the codebook in this moment. Look your answer over and send it again."
TOO_MANY = (
    "Too many answers came from your network today, so this one was not taken. What you chose is still here: send it "
    "again tomorrow, or from elsewhere."
)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def survey(request: HttpRequest) -> HttpResponse:
    """The form; sent, it becomes the person's one answer."""
    themes = read.themes()
    if request.method == "POST":
        return _send(request, SurveyForm(request.POST, themes=themes))
    own = read.own_answer(rows=person_of(request).rows)
    return _page(request, SurveyForm(themes=themes, initial=filled_with(own)), own)


@require_POST
def withdraw(request: HttpRequest) -> HttpResponse:
    """Delete the person's answer."""
    gone = write.withdraw_answer(person=person_of(request))
    response = HttpResponseRedirect(f"{reverse('priorities-survey')}?{'withdrawn' if gone else 'nothing'}=1")
    forget(response)
    return response


def _send(request: HttpRequest, form: SurveyForm) -> HttpResponse:
    """Take the answer, or show the form again with what is wrong and all that was chosen."""
    person = person_of(request, request.POST.get(TICKET, ""))
    own = read.own_answer(rows=person.rows)
    if not form.is_valid():
        return _page(request, form, own)
    if person.user_id is None and not person.token:
        return _page(request, form, own, notice=OLD_FORM)
    try:
        count_sending(what="survey", address=address_of(request), most=write.MOST_A_DAY)
        write.send_answer(
            person=person,
            role=form.cleaned_data["role"],
            experience=form.cleaned_data["experience"],
            rankings=form.rankings(),
        )
    except TooManySentError:
        return _page(request, form, own, notice=TOO_MANY, status=429)
    except RankingRefusedError:
        return _page(request, form, own, notice=GONE)
    response = HttpResponseRedirect(f"{reverse('priorities-survey')}?sent=1")
    remember(response, person)
    return response


def _page(
    request: HttpRequest, form: SurveyForm, own: read.OwnAnswer | None, *, notice: str = "", status: int = 200
) -> HttpResponse:
    # A ticket that is still good is kept: sent again, it must stay the same answer.
    ticket = request.POST.get(TICKET, "")
    context: Context = {
        "form": form,
        "notice": notice,
        "own": own,
        "ticket": ticket if token_in(ticket) else new_ticket(),
        "most": MOST_PLACES,
        "most_a_day": write.MOST_A_DAY,
        "trail": [("Priorities", reverse("priorities"))],
        "sent": "sent" in request.GET,
        "withdrawn": "withdrawn" in request.GET,
        "nothing": "nothing" in request.GET,
    }
    return render(request, "kb/explore/survey.html", context, status=status)
