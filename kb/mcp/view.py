"""`/mcp`: one JSON-RPC message in, one out. Who may ask, how often and how much; the rest is `exchange`."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, UnreadablePostError
from django.utils.cache import add_never_cache_headers
from django.views.decorators.csrf import csrf_exempt

from kb.core.diagnosis.reading.intake import MIB
from kb.http.rates import count_request
from kb.http.site import absolute
from kb.http.visitors import visitor_of
from kb.mcp.tools import ServerTools

# A log of five megabytes, escaped.
LARGEST = 8 * MIB
PLAIN = "text/plain; charset=utf-8"


# Nothing is changed and nobody is logged in: there is nothing to forge.
@csrf_exempt
def mcp(request: HttpRequest) -> HttpResponse:
    """One message of MCP's streamable HTTP; there are no streams and no sessions."""
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"], "MCP takes POST here, and keeps no sessions.\n", content_type=PLAIN)
    if not _is_own_origin(request):
        return _refusal(403, "Pages of other sites may not ask here.\n")
    counted = count_request("anon", request)
    if counted is not None and not counted.is_allowed:
        response = _refusal(429, f"Too many requests. Try again in {counted.wait} s.\n")
        response["Retry-After"] = str(counted.wait)
        return response
    try:
        body = request.read(LARGEST + 1)
    except UnreadablePostError:
        return _refusal(400, "The request ended early.\n")
    if len(body) > LARGEST:
        return _refusal(413, f"More than {LARGEST // MIB} MB. Give the last part of the log.\n")
    # The SDK is as large as all else: only processes that agents ask load it.
    from kb.mcp.exchange import reply_to

    tools = ServerTools(visitor=visitor_of(request), site=absolute(request, "/").rstrip("/"))
    reply = reply_to(request, body, tools)
    response = HttpResponse(reply.body, status=reply.status)
    del response["Content-Type"]
    for name, value in reply.headers.items():
        if name != "content-length":
            response[name] = value
    for name, value in (counted.headers if counted else {}).items():
        response[name] = value
    add_never_cache_headers(response)
    return response


def _is_own_origin(request: HttpRequest) -> bool:
    """Programs send no Origin. A browser does, and only our own pages may: the protocol asks for it."""
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.get_host()


def _refusal(status: int, words: str) -> HttpResponse:
    response = HttpResponse(words, status=status, content_type=PLAIN)
    add_never_cache_headers(response)
    return response
