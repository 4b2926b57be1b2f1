"""The address that GitHub's webhooks call: checks that a delivery is genuine, writes it down, and answers at once.

Nothing is asked of GitHub or of the broker while GitHub waits; the work is done by `ingest.tasks.handle_deliveries`.
"""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from ingest.hosts import webhook
from ingest.services.deliveries import note_delivery
from ingest.sync.wakeups import waker

OFF = "Webhooks are not accepted: GITHUB_WEBHOOK_SECRET is not set."


@csrf_exempt
@require_POST
def github(request: HttpRequest) -> HttpResponse:
    """Take one delivery: 202 when it is kept, 4xx with the reason when it is not."""
    secrets = settings.GITHUB_WEBHOOK_SECRETS
    if not secrets:
        return _say(404, OFF)
    body = _body(request)
    if isinstance(body, HttpResponse):
        return body
    headers = request.headers
    if not webhook.is_genuine(body, signature=headers.get("X-Hub-Signature-256", ""), secrets=secrets):
        return _say(403, "The signature does not match the configured secret.")
    guid, event = headers.get("X-GitHub-Delivery", ""), headers.get("X-GitHub-Event", "")
    if not webhook.GUID.fullmatch(guid):
        return _say(400, "X-GitHub-Delivery is missing or malformed.")
    if event not in webhook.EVENTS:
        return _say(202, "Ignored: only issues, pull requests, comments, labels and repositories are used.")
    try:
        hint = webhook.read_hint(body, event=event, content_type=request.content_type or "")
    except webhook.UnreadableDeliveryError as error:
        return _say(400, str(error))
    is_new = note_delivery(guid=guid, event=event, hint=hint)
    waker.wake()
    return _say(202, "Taken." if is_new else "Taken before.")


def _body(request: HttpRequest) -> bytes | HttpResponse:
    """The raw body; it is read past Django's own limit, which is for forms, once its length is known to be allowed."""
    header = request.META.get("CONTENT_LENGTH") or ""
    if not header.isascii() or not header.isdigit():
        return _say(411, "The body has no Content-Length.")
    length = int(header[:12])
    if length > webhook.MOST_BYTES:
        return _say(413, "The body is larger than 25 MB.")
    body = request.read(length)
    return body if len(body) == length else _say(400, "The body ends too early.")


def _say(status: int, text: str) -> HttpResponse:
    return HttpResponse(f"{text}\n", status=status, content_type="text/plain; charset=utf-8")
