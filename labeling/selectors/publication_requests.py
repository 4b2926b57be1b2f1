"""Requests to publish and what became of them: for curators, for the project's leads, and for a release's method."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from labeling.models import PublicationRequest, StaffAction
from labeling.selectors.withdrawals import names_of_scope


@dataclass(frozen=True)
class Event:
    """A request or what curators did later, as a record of publications lists it. `scope` and `accepted` in words.

    `answers` were accepted in all, `taken_out` of them to be removed.
    """

    of: PublicationRequest | StaffAction
    is_request: bool
    scope: tuple[str, ...]
    accepted: tuple[str, ...] = ()
    answers: int = 0
    taken_out: int = 0


def waiting_requests() -> QuerySet[PublicationRequest]:
    """The requests that wait for a curator, the oldest first, with their projects and leads."""
    waiting = PublicationRequest.objects.filter(state=PublicationRequest.State.WAITING)
    return waiting.select_related("project", "member__user").order_by("created_at", "pk")


def request_of(*, pk: int) -> PublicationRequest:
    """A request with its project. Raises PublicationRequest.DoesNotExist."""
    return PublicationRequest.objects.select_related("project", "member__user", "decided_by").get(pk=pk)


def history(*, project_id: int) -> list[Event]:
    """The project's requests, and what curators withdrew and allowed again; the newest first."""
    requests = PublicationRequest.objects.filter(project=project_id).select_related("member__user")
    requests = requests.annotate(
        number=Count("answers"), gone=Count("answers", filter=Q(answers__decision=None))
    ).defer("decisions")
    kinds = (StaffAction.Kind.WITHDRAW, StaffAction.Kind.ALLOW)
    actions = list(StaffAction.objects.filter(project=project_id, kind__in=kinds))
    rows = list(requests)
    names = names_of_scope(
        [*(row.scope for row in rows), *(row.accepted_scope for row in rows), *(a.scope for a in actions)]
    )

    def called(scope: Sequence[str]) -> tuple[str, ...]:
        return tuple(names.get(entry, entry) for entry in scope)

    events = [Event(row, True, called(row.scope), called(row.accepted_scope), row.number, row.gone) for row in rows] + [
        Event(action, False, called(action.scope)) for action in actions
    ]
    return sorted(events, key=lambda event: event.of.created_at, reverse=True)
