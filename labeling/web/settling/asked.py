"""What a reader wants to see of the disagreements, as the address says it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import QueryDict

from labeling.models import Member
from labeling.selectors.disputes import Dispute, Waits

STATES = {"open": "Open", "decided": "Decided", "all": "All"}


@dataclass(frozen=True)
class Asked:
    """The filters; a value that is not known is no filter."""

    axis: str
    waits: str
    state: str
    mine: bool

    def keeps(self, dispute: Dispute, member: Member) -> bool:
        """Is the axis asked for?"""
        is_decided = dispute.waits is Waits.NOBODY
        return (
            (self.state == "all" or is_decided is (self.state == "decided"))
            and self.axis in ("", dispute.axis)
            and self.waits in ("", dispute.waits.value)
            and (not self.mine or member.pk in dispute.people)
        )


def asked_of(query: QueryDict) -> Asked:
    """The filters of an address."""
    state, waits = query.get("state", ""), query.get("waits", "")
    return Asked(
        axis=query.get("axis", ""),
        waits=waits if waits in Waits.values else "",
        state=state if state in STATES else "open",
        mine=query.get("mine") == "1",
    )


def neighbours(positions: Sequence[int], here: int) -> tuple[int | None, int | None]:
    """The places before and after this one, whether or not it is among them itself."""
    before = [one for one in positions if one < here]
    after = [one for one in positions if one > here]
    return (max(before) if before else None), (min(after) if after else None)
