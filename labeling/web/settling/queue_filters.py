"""The filters of the queue of disagreements, as its URL has them."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import QueryDict

from kb.web.parameters import chosen
from labeling.models import Member
from labeling.selectors.disputes import Dispute, Waits

STALLED = "stalled"
STATES = {"open": "Open", STALLED: "Discussion overdue", "decided": "Decided", "all": "All"}


@dataclass(frozen=True)
class QueueFilters:
    """An empty `axis` or `waits` stands for all; `mine`: only what the reader voted on."""

    axis: str
    waits: str
    state: str
    mine: bool

    def matches(self, dispute: Dispute, member: Member) -> bool:
        """Whether the dispute passes every filter."""
        if self.state == STALLED and not dispute.is_stalled:
            return False
        if self.state in ("open", "decided") and (self.state == "decided") != (dispute.waits is Waits.NOBODY):
            return False
        if self.axis and dispute.axis != self.axis:
            return False
        if self.waits and dispute.waits.value != self.waits:
            return False
        return not self.mine or member.pk in dispute.people


def queue_filters(query: QueryDict, axes: Iterable[tuple[str, str]]) -> QueueFilters:
    """Reads the filters; `axes` are the codes and names of the project's axes. Raises BadRequest."""
    return QueueFilters(
        axis=chosen(query, "axis", axes, noun="axis"),
        waits=chosen(query, "waits", Waits.choices, noun="role"),
        state=chosen(query, "state", STATES.items(), noun="state", default="open"),
        mine=query.get("mine") == "1",
    )
