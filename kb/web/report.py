"""The page that says what a draft of a report still needs. Nothing is stored: it needs no token and no cookie."""

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from kb.core.check.report import ReportCheckData, check_report
from kb.core.check.texts import NotCheckedError, TooMuchError
from kb.core.reports.completeness import form_template, markdown_template
from kb.core.reports.format import report_facts
from kb.core.reports.reading import MOST_CHARACTERS
from kb.core.secrets import mask
from kb.web.parameters import chosen
from kb.web.rates import within_rate

BROKEN = "The draft was cut off on its way. Send it again."
TOO_OFTEN = "You are checking faster than is allowed. Wait a minute, then send this again."
TOO_LONG = "The draft is too long. Attach long logs, and paste what fails first."


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@within_rate("diagnosis", methods=("POST",), refusal=lambda request: _page(request, reason=TOO_OFTEN, status=429))
def report_page(request: HttpRequest) -> HttpResponse:
    """The form, with the template of `?symptom=`; sent, with the answer."""
    if request.method != "POST":
        return _page(request, symptom=chosen(request.GET, "symptom", _choices(), noun="symptom"))
    try:
        symptom = chosen(request.POST, "symptom", _choices(), noun="symptom")
        data = check_report([("draft", request.POST.get("text", ""))], symptom)
    except (RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent):
        return _page(request, reason=TOO_LONG, status=413)
    except TooMuchError as error:
        return _page(request, reason=str(error), status=413)
    except NotCheckedError as error:
        return _page(request, reason=str(error), status=400)
    except (MultiPartParserError, UnreadablePostError):
        return _page(request, reason=BROKEN, status=400)
    return _page(request, data, symptom=symptom)


def _choices() -> list[tuple[str, str]]:
    return [(code, entry.name) for code, entry in report_facts().symptoms.items()]


def _page(
    request: HttpRequest, data: ReportCheckData | None = None, *, symptom: str = "", reason: str = "", status: int = 200
) -> HttpResponse:
    context: dict[str, object] = {
        "reason": reason,
        "data": data,
        "symptom": symptom,
        "symptoms": _choices(),
        "most": MOST_CHARACTERS,
        "text": "",
    }
    if status not in (413, 429) and request.method == "POST":
        # What was pasted is shown again without its secrets.
        context["text"] = mask(request.POST.get("text", "")).text
    if data is not None:
        facts = data["facts"]
        context |= {
            "missing": [fact for fact in facts if fact["needed"] and not fact["found"]],
            "present": [fact for fact in facts if fact["found"]],
            "helpful": [fact for fact in facts if not fact["needed"] and not fact["found"]],
        }
    shown = data["symptom"] if data else symptom
    if shown:
        context |= {"markdown": markdown_template(shown), "form": form_template(shown)}
    response = render(request, "kb/check/report.html", context, status=status)
    if data is not None:
        response["X-Robots-Tag"] = "noindex, nofollow"
    return response
