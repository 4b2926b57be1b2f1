"""What the form of the page carries, taken from the request: files, a pasted text, healthy logs. Nothing is judged.

A file beyond the limit stops the reading of the request at once, so that what is refused here is refused in words.
"""

import errno
from collections.abc import Callable
from functools import wraps
from typing import cast

from django.conf import settings
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from kb.core.diagnosis.reading.intake import MIB
from kb.diagnose.uploads import Receiver, TooLargeError, Upload, form_uploads, text_upload

PASTED = "pasted.log"
NOTHING = "There is no log yet. Paste one into the box, or choose a file."
ONLY_HEALTHY = "There are only healthy logs. Add the failed run's log: paste it, or choose a file."
LONG_PASTE = "The pasted text is too long for a form. Save it as a file and choose that, or paste only the last part."
BROKEN = "The upload was cut off. Send it again."
NO_ROOM = "No room for uploads right now. Try again in a minute, or send less."
View = Callable[[HttpRequest], HttpResponse]
Refuse = Callable[[HttpRequest, str, int], HttpResponse]


def receiving(refuse: Refuse) -> Callable[[View], View]:
    """Take uploads into one temporary file that goes with the request; `refuse` answers what cannot be taken.

    The check against forged requests reads the form, so it has to come after the receiver and within its limits.
    """

    def decorate(view: View) -> View:
        guarded = csrf_protect(view)

        @wraps(view)
        def received(request: HttpRequest) -> HttpResponse:
            if request.method != "POST":
                return guarded(request)
            with Receiver(settings.DIAGNOSIS_UPLOAD_MB * MIB) as receiver:
                request.upload_handlers = [receiver]
                refusal = _unreadable(request)
                return refuse(request, *refusal) if refusal else guarded(request)

        return cast("View", csrf_exempt(received))

    return decorate


def _unreadable(request: HttpRequest) -> tuple[str, int] | None:
    """Read the form; why it cannot be taken, with the status to answer, if so."""
    try:
        request.POST  # noqa: B018 reading it is what parses the form
    except TooLargeError as error:
        return str(error), 413
    except RequestDataTooBig:
        return LONG_PASTE, 413
    except TooManyFilesSent:
        return f"More than {settings.DATA_UPLOAD_MAX_NUMBER_FILES:,} files. Put them into one archive (tar, zip).", 413
    except (TooManyFieldsSent, MultiPartParserError, UnreadablePostError):
        return BROKEN, 400
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        return NO_ROOM, 429
    return None


def files_in(request: HttpRequest) -> list[Upload]:
    """All that was handed in, the failed run's first. Raises `ValueError`, in words, when there is no log."""
    text = request.POST.get("text", "")
    failed = list(form_uploads(request.FILES.getlist("file")))
    if text.strip():
        failed.append(text_upload(text, PASTED))
    healthy = list(form_uploads(request.FILES.getlist("healthy"), healthy=True))
    if not failed:
        raise ValueError(ONLY_HEALTHY if healthy else NOTHING)
    return failed + healthy
