"""The signals that logs are searched for: an overview by stack, and in full those of a family, a stack or words."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.diagnosis.signals.commands import filled
from kb.core.diagnosis.signals.format import FamilyFile, Signal
from kb.core.diagnosis.signals.search import STACKS, families, matching
from kb.core.diagnosis.terminal import STAGES
from kb.models import Node
from kb.web.diagnose.passages import ROLES
from kb.web.parameters import chosen

# More than any family has, so that a link to one of its signals always finds it on the first page.
PER_PAGE = 40
MOST_CHARACTERS = 200
SCOPES = {"rank": "the process that wrote it", "node": "the machine that wrote it", "job": "the job as a whole"}


class Part(NamedTuple):
    """A piece of a check: words, or a command to run. `id`: on the page, of a command that can be copied."""

    text: str
    is_command: bool
    id: str = ""


@dataclass(frozen=True)
class Group:
    """A stack with its families."""

    slug: str
    name: str
    families: Sequence[FamilyFile]


@dataclass(frozen=True)
class ShownSignal:
    """A signal in the words of the page; `checks_in`: what to check instead where a run fails in a stage."""

    signal: Signal
    checks: Sequence[Sequence[Part]]
    checks_in: Sequence[tuple[str, Sequence[Sequence[Part]]]]
    symptom: Node | None
    causes: Sequence[tuple[str, Node | None]]

    @property
    def role(self) -> str:
        """What such a line has to do with a failure."""
        return ROLES[self.signal.role]

    @property
    def scope(self) -> str:
        """Whom it points at."""
        return SCOPES[self.signal.scope]


@require_safe
def signals(request: HttpRequest) -> HttpResponse:
    """The signals: `?q=`, `?stack=` and `?family=` choose among them; without any the page lists the families."""
    by_name = families()
    words = request.GET.get("q", "").replace("\x00", " ").strip()[:MOST_CHARACTERS]
    stack = chosen(request.GET, "stack", STACKS.items(), noun="stack")
    family = chosen(request.GET, "family", [(one.family, one.title) for one in by_name.values()], noun="family")
    found = matching(words, stack, family)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    is_overview = not (words or stack or family)
    context = {
        "words": words,
        "stack": stack,
        "family": family,
        "stacks": STACKS,
        "groups": [
            Group(slug, name, [one for one in by_name.values() if one.stack == slug]) for slug, name in STACKS.items()
        ],
        "title": by_name[family].title if family else STACKS.get(stack, ""),
        "total": len(catalogue().signals),
        "is_overview": is_overview,
        "page": page,
        "page_numbers": page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1),
        "shown": [] if is_overview else _shown(list(page)),
        "trail": [("Diagnose", reverse("diagnose"))],
    }
    return render(request, "kb/diagnose/signals.html", context)


def parts(check: str, name: str = "") -> list[Part]:
    """The check in words and commands, which stand between backticks. `name`: what the commands' ids begin with."""
    pieces = [
        Part(text, bool(number % 2), f"{name}-{number}" if name and number % 2 else "")
        for number, text in enumerate(check.split("`"))
    ]
    return [part for part in pieces if part.text]


def _parts_of(checks: Iterable[str]) -> list[Sequence[Part]]:
    return [parts(filled(check)) for check in checks]


def _shown(found: Collection[Signal]) -> list[ShownSignal]:
    """The signals with their symptoms and causes, by one query."""
    named = Q(axis__code="root_cause", code__in={code for signal in found for code in signal.causes})
    named |= Q(axis__code="symptom", code__in={signal.symptom for signal in found if signal.symptom})
    nodes = Node.objects.house().filter(named).select_related("axis__scheme")
    by_code = {(node.axis.code, node.code): node for node in nodes}
    return [
        ShownSignal(
            signal,
            _parts_of(signal.check),
            [(STAGES[stage], _parts_of(checks)) for stage, checks in signal.check_in.items()],
            by_code.get(("symptom", signal.symptom or "")),
            [(code, by_code.get(("root_cause", code))) for code in signal.causes],
        )
        for signal in found
    ]
