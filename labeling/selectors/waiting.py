"""What waits for a member in a project, counted, each with the name of the page where it is done.

Only what the member themself has to do, so that a count tells nothing of what others said.
"""

from collections import Counter
from dataclasses import dataclass

from django.db.models import Count

from labeling.models import Member, Role, Round, Slot
from labeling.selectors.adjudication import desk
from labeling.selectors.disputes import Waits, standing
from labeling.selectors.proposals import waiting_ballots


@dataclass(frozen=True)
class Waiting:
    """So many things of a kind, done on the page with this address name and arguments.

    `kind`: `discussion`, `acceptance`, `opinion`, `decision`, `ballot` or `recheck`.
    """

    kind: str
    count: int
    address: str
    args: tuple[str | int, ...]


def waiting_for(member: Member) -> list[Waiting]:
    """What waits for the member; kinds of which there is nothing are left out."""
    slug = member.project.slug
    found = [*_disputes(member, slug), *_rechecks(member, slug)]
    if member.has(Role.ADJUDICATOR):
        waiting = desk(adjudicator=member)
        found.append(Waiting("opinion", len(waiting.opinions), "labeling:adjudication", (slug,)))
        found.append(Waiting("decision", len(waiting.decisions), "labeling:adjudication", (slug,)))
    found.append(Waiting("ballot", waiting_ballots(member=member).count(), "labeling:proposals", (slug,)))
    return [one for one in found if one.count]


def _disputes(member: Member, slug: str) -> list[Waiting]:
    """Discussions that want the member's word, and what a lead can accept, by round."""
    discussed = Round.objects.filter(project=member.project_id, rule=Round.Rule.DISCUSSION)
    if not member.has(Role.LEAD) and not (member.has(Role.ANNOTATOR) and discussed.exists()):
        return []
    mine: Counter[int] = Counter()
    accepted: Counter[int] = Counter()
    found = standing(member=member)
    for one in found.disputes:
        mine[one.round] += member.pk in one.missing
        accepted[one.round] += one.waits is Waits.LEAD and member.has(Role.LEAD)
    if member.has(Role.LEAD):
        accepted.update({number: one.open for number, one in found.agreed.items()})
    kinds = (("discussion", mine), ("acceptance", accepted))
    return [
        Waiting(kind, counts[number], "labeling:disagreements", (slug, number))
        for kind, counts in kinds
        for number in sorted(counts)
    ]


def _rechecks(member: Member, slug: str) -> list[Waiting]:
    """Issues that are kept for the member to be labelled again."""
    if not member.has(Role.ANNOTATOR):
        return []
    kept = Slot.objects.filter(only_for=member, vote=None, item__released_at=None)
    rounds = kept.filter(item__round__kind=Round.Kind.RECHECK, item__round__state=Round.State.OPEN)
    counts = rounds.values_list("item__round__number").annotate(found=Count("pk")).order_by("item__round__number")
    return [Waiting("recheck", count, "labeling:next", (slug, number)) for number, count in counts]
