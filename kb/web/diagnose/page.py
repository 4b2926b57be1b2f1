"""The page of diagnosis: the form, its answer at once, and jobs for what is too large for that."""

import uuid

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from kb.core.diagnosis.reading.intake import MIB, UnreadableInputError
from kb.diagnose import jobs
from kb.diagnose.immediate import Waiting
from kb.diagnose.request import ask
from kb.diagnose.shares import ShareTakenError
from kb.diagnose.uploads import TooLargeError, text_upload
from kb.http.rates import TooManySentError, count_sending
from kb.http.visitors import address_of, visitor_of
from kb.models import DiagnosisJob
from kb.web.diagnose.example import EXAMPLE
from kb.web.diagnose.form import files_in, receiving
from kb.web.diagnose.result import result_context
from kb.web.diagnose.sharing import reader_of, unlisted
from kb.web.rates import within_rate

AT_ONCE = Waiting(sent=32 * MIB, text=256 * MIB)
MOST_A_DAY = 2_000
TOO_MANY = (
    "Too many logs came from your network today. Try again tomorrow, or run “manage.py diagnose” on your own machine."
)
TOO_OFTEN = "You are sending logs faster than they can be read. Wait a minute, then send this one again."


def refuse(request: HttpRequest, reason: str, status: int) -> HttpResponse:
    """The form again, with what is wrong and what to do."""
    return _form(request, status=status, reason=reason)


def refuse_often(request: HttpRequest) -> HttpResponse:
    """The form again, for somebody who sends logs too often."""
    return refuse(request, TOO_OFTEN, 429)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@within_rate("diagnosis", methods=("POST",), refusal=refuse_often)
@receiving(refuse)
def diagnose(request: HttpRequest) -> HttpResponse:
    """The form; sent, it is answered with the result, or leads to a job. What is answered at once is not stored."""
    is_example = "example" in request.GET
    if request.method != "POST" and not is_example:
        return _form(request, deleted="deleted" in request.GET)
    try:
        files = [text_upload(EXAMPLE, "example.log")] if is_example else files_in(request)
        count_sending(what="diagnose", address=address_of(request), most=MOST_A_DAY)
        answer = ask(files=files, visitor=visitor_of(request), waiting=AT_ONCE, owner=reader_of(request))
    except (UnreadableInputError, ValueError) as error:
        return refuse(request, str(error), 400)
    except TooLargeError as error:
        return refuse(request, str(error), 413)
    except TooManySentError:
        return refuse(request, TOO_MANY, 429)
    except jobs.BusyError as error:
        return refuse(request, str(error), 429)
    except ShareTakenError as error:
        response = refuse(request, str(error), 429)
        response["Retry-After"] = str(error.retry_after)
        return response
    if isinstance(answer, DiagnosisJob):
        return redirect("diagnose-job", answer.pk)
    return render(request, "kb/diagnose/result.html", {**result_context(answer), "is_example": is_example})


@require_safe
@unlisted
def job(request: HttpRequest, job_id: uuid.UUID) -> HttpResponse:
    """How far a job is; when it is done, its result."""
    try:
        row = jobs.find(job_id=job_id)
    except DiagnosisJob.DoesNotExist:
        return render(request, "kb/diagnose/job_gone.html", status=404)
    result = row.result
    if result is not None:
        return render(request, "kb/diagnose/result.html", {**result_context(result), "job": row})
    context = {"job": row, "percent": round(row.progress * 100), "trail": [("Diagnose", reverse("diagnose"))]}
    return render(request, "kb/diagnose/job.html", context)


@require_POST
@unlisted
def forget(request: HttpRequest, job_id: uuid.UUID) -> HttpResponse:  # noqa: ARG001 every view takes a request
    """Stop a job and delete all of it."""
    jobs.delete(job_id=job_id)
    return HttpResponseRedirect(f"{reverse('diagnose')}?deleted=1")


def _form(request: HttpRequest, *, deleted: bool = False, reason: str = "", status: int = 200) -> HttpResponse:
    context = {"deleted": deleted, "reason": reason, "largest": settings.DIAGNOSIS_UPLOAD_MB}
    return render(request, "kb/diagnose/diagnose.html", context, status=status)
