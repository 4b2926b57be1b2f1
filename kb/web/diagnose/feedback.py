"""What people say of a result: the form's answer, shown before it is stored."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST

from kb.diagnose import feedback as service
from kb.diagnose.signed_data import SealError, unsealed
from kb.http.rates import TooManySentError, count_sending
from kb.http.visitors import address_of
from kb.web.diagnose.sharing import TOO_MANY, hidden_counts, reader_of, refused, unlisted
from kb.web.diagnose.sharing_forms import FeedbackForm


@require_POST
@unlisted
def feedback(request: HttpRequest) -> HttpResponse:
    """Show in words what would be stored; store it when it is sent from there."""
    try:
        data = unsealed(request.POST.get("sealed", ""))
    except SealError as error:
        return refused(request, str(error))
    things = service.things(data)
    if not things:
        return refused(request, "This result names nothing that could be right or wrong.")
    form = FeedbackForm(request.POST, things=things)
    context = {
        "form": form,
        "things": things,
        "sealed": request.POST["sealed"],
        "trail": [("Diagnose", reverse("diagnose"))],
    }
    if not form.is_valid():
        return render(request, "kb/diagnose/feedback.html", context)
    shown = service.preview(data=data, feedback=form.feedback())
    if request.POST.get("do") != "send":
        context |= {"shown": shown, "hidden": hidden_counts(shown.redacted.found)}
        return render(request, "kb/diagnose/feedback.html", context)
    try:
        count_sending(what="feedback", address=address_of(request), most=service.MOST_A_DAY)
    except TooManySentError:
        return refused(request, TOO_MANY, status=429)
    service.send(shown=shown, sender=reader_of(request))
    return render(request, "kb/diagnose/feedback_sent.html", context)
