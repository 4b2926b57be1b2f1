"""What a reader wants to see of the disagreements, as the address says it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from kb.web.parameters import chosen
from labeling.models import Member, ProjectAxis
from labeling.selectors.disputes import Dispute, Waits

STATES = {"open": "Open", "decided": "Decided", "all": "All"}


@dataclass(frozen=True)
class Asked:
    """The filters."""

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


def asked_of(query: QueryDict, axes: Iterable[tuple[str, str]]) -> Asked:
    """The filters of an address; `axes` are the codes and names of those there are. Raises `BadRequest`."""
    return Asked(
        axis=chosen(query, "axis", axes, noun="axis"),
        waits=chosen(query, "waits", Waits.choices, noun="role"),
        state=chosen(query, "state", STATES.items(), noun="state", default="open"),
        mine=query.get("mine") == "1",
    )


def axis_names(member: Member) -> dict[str, str]:
    """The name of each of the project's axes, by code."""
    return dict(ProjectAxis.objects.filter(project=member.project_id).values_list("code", "name"))


def neighbours(positions: Sequence[int], here: int) -> tuple[int | None, int | None]:
    """The places before and after this one, whether or not it is among them itself."""
    before = [one for one in positions if one < here]
    after = [one for one in positions if one > here]
    return (max(before) if before else None), (min(after) if after else None)
