"""What people say of a result: the form's answer, shown before it is stored."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_POST

from kb.diagnose import feedback as said
from kb.diagnose.signed_data import SealError, unsealed
from kb.http.rates import TooManySentError, count_sending
from kb.http.visitors import address_of
from kb.web.diagnose.sharing import TOO_MANY, counted, hidden_away, reader_of, refused
from kb.web.diagnose.sharing_forms import FeedbackForm


@require_POST
@hidden_away
def feedback(request: HttpRequest) -> HttpResponse:
    """Show in words what would be stored; store it when it is sent from there."""
    try:
        data = unsealed(request.POST.get("sealed", ""))
    except SealError as error:
        return refused(request, str(error))
    things = said.things(data)
    if not things:
        return refused(request, "This result names nothing that could be right or wrong.")
    form = FeedbackForm(request.POST, things=things)
    context = {"form": form, "sealed": request.POST["sealed"], "trail": [("Diagnose", reverse("diagnose"))]}
    if not form.is_valid():
        return render(request, "kb/diagnose/feedback.html", context | {"things": things})
    shown = said.preview(data=data, said=form.said())
    if request.POST.get("do") != "send":
        found = {kind.value: count for kind, count in shown.redacted.found.items()}
        return render(
            request, "kb/diagnose/feedback.html", context | {"shown": shown, "hidden": counted(found), "things": things}
        )
    try:
        count_sending(what="feedback", address=address_of(request), most=said.MOST_A_DAY)
    except TooManySentError:
        return refused(request, TOO_MANY, status=429)
    said.send(shown=shown, sender=reader_of(request))
    return render(request, "kb/diagnose/feedback_sent.html", context)
