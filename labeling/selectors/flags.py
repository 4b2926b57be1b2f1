"""Flagged issues: those that wait for a lead's answer, and the answers that an annotator got."""

from django.db.models import QuerySet

from labeling.models import Item, Member, Pass, Round
from labeling.selectors import visible


def open_flags(*, member: Member, round_: Round) -> QuerySet[Pass]:
    """The round's flags without an answer that the member may see, the oldest first."""
    return _flags(member, round_).filter(answered_at=None, taken_back_at=None, item__dropped_at=None)


def answered_flags(*, member: Member, round_: Round) -> QuerySet[Pass]:
    """The round's flags with an answer that the member may see, the newest answer first."""
    return _flags(member, round_).filter(answered_at__isnull=False).order_by("-answered_at", "-pk")


def flag_of(*, member: Member, round_: Round, pk: int) -> Pass:
    """A flag of the round that the member may see. Raises Pass.DoesNotExist."""
    return _flags(member, round_).get(pk=pk)


def answers_to(*, member: Member, item: Item | None = None) -> QuerySet[Pass]:
    """The answers to the member's own flags, on one issue or on all, the newest first."""
    own = visible.passes(member=member).filter(member=member, answered_at__isnull=False)
    own = own.select_related("item__round__project", "item__snapshot").order_by("-answered_at", "-pk")
    return own.filter(item=item) if item else own


def _flags(member: Member, round_: Round) -> QuerySet[Pass]:
    flags = visible.passes(member=member).filter(kind=Pass.Kind.FLAG, item__round=round_)
    return flags.select_related("member__user", "item__snapshot", "item__round").order_by("created_at", "pk")
