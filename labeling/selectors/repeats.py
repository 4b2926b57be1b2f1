"""Which issue a member answers again, and when; nothing is written here.

The first is due once the member has cast as many votes as must lie between, and one more; the others follow, spread
over as many votes again. Which issue it is, the round's seed draws among those that lie far enough back.
"""

from labeling.models import Item, Member, Repeat, Role, Round, Vote
from labeling.samples import shuffled
from labeling.selectors import visible
from labeling.selectors.places import Prospect, Standing, held_slots, labels, standing
from labeling.selectors.pseudonyms import pseudonyms
from labeling.selectors.votes import blind_arm


def open_repeat(*, member: Member, round_: Round) -> Repeat | None:
    """The issue of the round that the member is answering again."""
    repeats = visible.open_repeats(member=member).filter(vote__item__round=round_)
    return repeats.select_related("vote__item").first()


def repeat_on(*, member: Member, item: Item) -> Repeat | None:
    """The member's second answer about this issue, in any state."""
    return Repeat.objects.filter(vote__member=member, vote__item=item).first()


def work_standing(*, member: Member, round_: Round) -> Standing:
    """Where the member stands in a round: an issue to answer again is as good as a new one."""
    found = standing(member=member, round_=round_)
    if not round_.repeats or found.prospect not in (Prospect.LATER, Prospect.DONE):
        return found
    waits = open_repeat(member=member, round_=round_) is not None
    waits = waits or next_vote(member=member, round_=round_, at_the_end=True) is not None
    return Standing(Prospect.NEXT) if waits else found


def next_vote(*, member: Member, round_: Round, at_the_end: bool = False) -> Vote | None:
    """The vote whose issue the member answers again next, never an assisted one; None where none is due.

    `at_the_end`: there are no new issues for the member, so that nothing has to be waited for.
    """
    if not round_.repeats or round_.state != Round.State.OPEN:
        return None
    if not (member.has(Role.ANNOTATOR) and labels(member=member, round_=round_)):
        return None
    offered = Repeat.objects.filter(vote__member=member, vote__item__round=round_).count()
    votes = Vote.objects.filter(member=member, item__round=round_, item__dropped_at=None).order_by("submitted_at", "pk")
    cast = list(votes.values_list("pk", flat=True))
    if offered >= round_.repeats or (not at_the_end and len(cast) < due_after(round_, offered)):
        return None
    if held_slots(member=member, round_=round_).exists():
        return None
    far_back = blind_arm(votes).filter(pk__in=cast[: max(0, len(cast) - round_.repeats_after)], repeat=None)
    return _drawn(member, round_, list(far_back.filter(item__released_at=None).select_related("item__snapshot")))


def due_after(round_: Round, offered: int) -> int:
    """After how many votes the next issue is answered again, where so many were offered already."""
    return round_.repeats_after + 1 + offered * max(1, round_.repeats_after // max(1, round_.repeats))


def _drawn(member: Member, round_: Round, votes: list[Vote]) -> Vote | None:
    """The first of these by the SHA-256 of seed, “again”, pseudonym in releases, and address, a line break between."""
    by_address = {vote.item.snapshot.content["url"] or vote.item.snapshot.content["name"]: vote for vote in votes}
    if not by_address:
        return None
    pseudonym = pseudonyms(project_id=round_.project_id)[member.pk]
    return by_address[shuffled(by_address, f"{round_.order_seed}\nagain\n{pseudonym}")[0]]
