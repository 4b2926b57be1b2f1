"""Staff's review of what people say of diagnoses: accepting, declining, taking either back. Nothing else counts."""

from dataclasses import dataclass

import orjson
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from kb.core.addresses import BadAddressError, parse_issue_address
from kb.diagnose.feedback import Excerpt
from kb.models import DiagnosisFeedback, FeedbackDecision, Issue, KnownSignature, Node

State = DiagnosisFeedback.State


class ReviewRefusedError(Exception):
    """The decision cannot be made; says why, in plain words."""


@dataclass(frozen=True)
class Confirmation:
    """What a failure of this signature was: an issue's address, a code of a root cause, or both."""

    issue_url: str = ""
    cause: str = ""


def queue(*, state: str) -> QuerySet[DiagnosisFeedback]:
    """Feedback in this state: new ones from the oldest on, decided ones from the newest on."""
    order = "pk" if state == State.NEW else "-pk"
    return DiagnosisFeedback.objects.filter(state=state).order_by(order)


def excerpt_of(row: DiagnosisFeedback) -> Excerpt:
    """The part of the diagnosis that was stored with it."""
    excerpt: Excerpt = orjson.loads(row.excerpt_text)
    return excerpt


def issues_at(url: str) -> QuerySet[Issue]:
    """The issue of this address, if the knowledge base holds it. Raises `BadAddressError`."""
    address = parse_issue_address(url)
    repository = address.repository
    return Issue.objects.filter(
        repository__host=repository.host, repository__full_name__iexact=repository.full_name, ref=address.ref
    )


def causes_on_offer() -> QuerySet[Node]:
    """Root causes of the house codebook that are in use."""
    return Node.objects.house().filter(axis__code="root_cause", status=Node.Status.ACTIVE).order_by("name", "pk")


@transaction.atomic
def accept(*, pk: int, by: User, confirmed: Confirmation, reason: str = "") -> None:
    """Take it as right; with an issue or a cause, later diagnoses of the same signature show it as seen before.

    Raises `ReviewRefusedError` and `DiagnosisFeedback.DoesNotExist`.
    """
    row = _locked(pk, State.NEW)
    if confirmed.issue_url or confirmed.cause:
        if row.signature_version is None:
            raise ReviewRefusedError(
                "This failure has no signature, so that no later one could be told to be the same."
            )
        KnownSignature.objects.create(
            version=row.signature_version,
            key=row.signature_key,
            text=row.signature_text,
            issue=_issue(confirmed.issue_url),
            cause=_cause(confirmed.cause),
            feedback=row,
            confirmed_by=by,
        )
    _decide(row, State.ACCEPTED, by, reason)


@transaction.atomic
def decline(*, pk: int, by: User, reason: str) -> None:
    """Leave it. Raises `ReviewRefusedError` and `DiagnosisFeedback.DoesNotExist`."""
    if not reason.strip():
        raise ReviewRefusedError("Say why it is declined.")
    _decide(_locked(pk, State.NEW), State.DECLINED, by, reason)


@transaction.atomic
def undo(*, pk: int, by: User, reason: str = "") -> None:
    """Take the decision back: it is new again, and what it confirmed is confirmed no longer.

    Raises `ReviewRefusedError` and `DiagnosisFeedback.DoesNotExist`.
    """
    row = _locked(pk, State.ACCEPTED, State.DECLINED)
    KnownSignature.objects.filter(feedback=row).delete()
    _decide(row, State.NEW, by, reason)


def _locked(pk: int, *states: State) -> DiagnosisFeedback:
    row = DiagnosisFeedback.objects.select_for_update().get(pk=pk)
    if row.state not in states:
        raise ReviewRefusedError(f"Somebody was faster: it is {row.get_state_display().lower()} already.")
    return row


def _decide(row: DiagnosisFeedback, state: State, by: User, reason: str) -> None:
    row.state = state
    row.save(update_fields=["state"])
    FeedbackDecision.objects.create(feedback=row, state=state, by=by, reason=reason.strip())


def _issue(url: str) -> Issue | None:
    if not url:
        return None
    try:
        issue = issues_at(url).first()
    except BadAddressError as error:
        raise ReviewRefusedError(f"The issue: {error}.") from error
    if issue is None:
        raise ReviewRefusedError(
            "The knowledge base does not hold this issue. Download the draft of a record, and confirm it when it is in."
        )
    return issue


def _cause(code: str) -> Node | None:
    if not code:
        return None
    node = causes_on_offer().filter(code=code).first()
    if node is None:
        raise ReviewRefusedError("The house codebook has no such root cause.")
    return node
