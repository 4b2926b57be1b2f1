"""The page of checks: the form, and the findings in its place. Nothing is stored: it needs no token and no cookie."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from kb.check.answer import check
from kb.core.advice import snippets
from kb.core.check.schema import CheckData, CheckFindingData
from kb.core.check.terminal import SEVERITIES
from kb.core.check.texts import LARGEST, TOO_LONG, NamedText, NotCheckedError, TooMuchError, text_of
from kb.core.setups.reading import MAX_CHARACTERS
from kb.core.versions import allowed_by, as_version
from kb.diagnose.uploads import Receiver, TooLargeError, form_uploads
from kb.web.issue.answer import link_name
from kb.web.rates import within_rate

PASTED = "pasted"
NOT_TEXT = "“{}” is not text. Give package lists, configurations, scripts and commands."
BROKEN = "The upload was cut off. Send it again."
TOO_OFTEN = "You are checking faster than is allowed. Wait a minute, then send this again."
ON_PYPI = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True)
class Card:
    """A finding with what can be copied, names for its links, and the page of the upgrade to its fixed version."""

    finding: CheckFindingData
    severity: str
    snippets: Sequence[str]
    proof: Sequence[tuple[str, str]]
    upgrade_url: str


@dataclass(frozen=True)
class Group:
    """Findings of one verdict; `is_folded`: only named."""

    title: str
    kind: str
    cards: Sequence[Card]
    total: int
    is_folded: bool = False


@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@within_rate("diagnosis", methods=("POST",), refusal=lambda request: _page(request, reason=TOO_OFTEN, status=429))
def check_page(request: HttpRequest) -> HttpResponse:
    """The form; sent, with the answer."""
    if request.method != "POST":
        return _page(request)
    with Receiver(LARGEST) as receiver:
        request.upload_handlers = [receiver]
        try:
            data = check(_texts(request))
        except (TooLargeError, TooManyFilesSent, TooManyFieldsSent, RequestDataTooBig):
            return _page(request, reason=TOO_LONG, status=413)
        except TooMuchError as error:
            return _page(request, reason=str(error), status=413)
        except NotCheckedError as error:
            return _page(request, reason=str(error), status=400)
        except (MultiPartParserError, UnreadablePostError):
            return _page(request, reason=BROKEN, status=400)
        return _page(request, data)


def _texts(request: HttpRequest) -> list[NamedText]:
    """What was pasted and the files, by name. Raises `NotCheckedError` and what Django raises of a form."""
    texts = [(PASTED, request.POST.get("text", ""))]
    for file in form_uploads(request.FILES.getlist("file")):
        text = text_of(file.stream.read(LARGEST))
        if text is None:
            raise NotCheckedError(NOT_TEXT.format(file.name))
        texts.append((file.name, text))
    return texts


def _page(request: HttpRequest, data: CheckData | None = None, *, reason: str = "", status: int = 200) -> HttpResponse:
    context: dict[str, object] = {"reason": reason, "data": data, "text": "", "largest": MAX_CHARACTERS // 1_000_000}
    if status not in (413, 429) and request.method == "POST":
        context["text"] = request.POST.get("text", "")
    if data is not None:
        context |= {"groups": list(_groups(data)), "counts": data["counts"]}
    response = render(request, "kb/check/check.html", context, status=status)
    if data is not None:
        response["X-Robots-Tag"] = "noindex, nofollow"
    return response


def _groups(data: CheckData) -> Iterator[Group]:
    findings, counts = data["findings"], data["counts"]
    affects = [finding for finding in findings if finding["verdict"] == "affects"]
    may = [finding for finding in findings if finding["verdict"] == "may" and not finding["weak"]]
    weak = [finding for finding in findings if finding["weak"]]
    fixed = [finding for finding in findings if finding["verdict"] == "fixed"]
    groups = (
        Group("Affects you", "affects", list(map(_card, affects)), counts["affects"]),
        Group("May affect you", "may", list(map(_card, may)), len(may)),
        Group("Less certain", "weak", list(map(_card, weak)), counts["weak"], is_folded=True),
        Group("Fixed", "fixed", list(map(_card, fixed)), counts["fixed"], is_folded=True),
    )
    return filter(lambda group: group.total, groups)


def _card(finding: CheckFindingData) -> Card:
    commands = [command] if (command := _upgrade(finding)) else []
    return Card(
        finding=finding,
        severity=SEVERITIES[finding["severity"]],
        snippets=[*commands, *(code for text in finding["advice"] for code in snippets(text))],
        proof=[(link_name(url), url) for url in finding["proof"]],
        upgrade_url=_upgrade_url(finding),
    )


def _upgrade_url(finding: CheckFindingData) -> str:
    """Where the installed version and the first fixed one above it are compared; nowhere if either is not known."""
    allowed, fixed = allowed_by(finding["installed"]), as_version(finding["first_fixed"])
    installed = allowed.exact if allowed else None
    if installed is None or fixed is None or fixed <= installed:
        return ""
    return reverse("upgrade-between", args=(finding["package"], installed, fixed))


def _upgrade(finding: CheckFindingData) -> str:
    """What installs the first fixed version."""
    name, version = finding["package"], finding["first_fixed"]
    return f'pip install "{name}>={version}"' if version and ON_PYPI.fullmatch(name) else ""
