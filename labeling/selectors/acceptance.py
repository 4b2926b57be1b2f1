"""What the votes of a round decide by its rule: what a lead can accept at once, and what that would do."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from labeling.models import Acceptance, Decision, Item, Member, Post, Revision, Round
from labeling.outcomes import How, Outcome
from labeling.selectors import visible
from labeling.selectors.votes import all_outcomes

RULES = {Decision.How.MAJORITY: Round.Rule.MAJORITY, Decision.How.DISCUSSION: Round.Rule.DISCUSSION}


@dataclass(frozen=True)
class Acceptable:
    """An axis of an item that can be accepted, and how it would be decided."""

    item: int
    axis: str
    outcome: Outcome
    how: Decision.How


@dataclass(frozen=True)
class Preview:
    """What accepting would do: axis code -> how many issues it would decide on; `few`: those with too few votes."""

    axes: dict[str, int]
    few: int

    @property
    def total(self) -> int:
        """How many axes of issues would be decided."""
        return sum(self.axes.values())


def rule_refuses(*, round_: Round, how: Decision.How) -> str:
    """Why the round's rule does not allow to accept in this way; empty where it does."""
    if how is Decision.How.UNANIMOUS or RULES.get(how) == round_.rule:
        return ""
    return f"This round's rule is “{round_.get_rule_display()}”: that decides."


def ways_of(*, round_: Round) -> list[Decision.How]:
    """In which ways answers of this round can be accepted at once."""
    return [how for how in (Decision.How.UNANIMOUS, *RULES) if not rule_refuses(round_=round_, how=how)]


def decided_by_votes(
    *, rule: str, blind: Outcome, now: Outcome, is_talked_about: bool
) -> tuple[Decision.How, Outcome] | None:
    """What the votes on an axis decide by the round's rule, and how; None where they do not.

    Unanimous answers always; a majority where that is the rule; where discussion comes first, the majority of the
    revised votes, once anybody has said something about it.
    """
    if blind.how is How.UNANIMOUS:
        return Decision.How.UNANIMOUS, blind
    if rule == Round.Rule.MAJORITY and blind.how is How.MAJORITY:
        return Decision.How.MAJORITY, blind
    if rule == Round.Rule.DISCUSSION and is_talked_about and now.how in (How.UNANIMOUS, How.MAJORITY):
        return Decision.How.DISCUSSION, now
    return None


def acceptable(*, round_: Round, how: Decision.How) -> list[Acceptable]:
    """What the votes on released items decide, decided already or not: unanimous answers, and by `how` what more."""
    blind = {(one.item, one.axis): one.outcome for one in all_outcomes(round_=round_)}
    is_discussed = how is Decision.How.DISCUSSION
    now = (
        {(one.item, one.axis): one.outcome for one in all_outcomes(round_=round_, revised=True)} if is_discussed else {}
    )
    talked = _talked_about(round_) if is_discussed else set()
    found = []
    for key, one in blind.items():
        decided = decided_by_votes(rule=round_.rule, blind=one, now=now.get(key, one), is_talked_about=key in talked)
        if decided and decided[0] in (Decision.How.UNANIMOUS, how):
            found.append(Acceptable(*key, decided[1], decided[0]))
    return found


def preview(*, member: Member, round_: Round, how: Decision.How) -> Preview | None:
    """What accepting would do now. None where the member does not see all votes: the numbers would tell of them."""
    released = Item.objects.filter(round=round_, released_at__isnull=False)
    if released.exclude(pk__in=visible.released_items(member=member)).exists():
        return None
    in_force = visible.decisions(member=member).filter(item__round=round_, reopened_at=None)
    decided = set(in_force.values_list("item", "axis__code"))
    found = [one for one in acceptable(round_=round_, how=how) if (one.item, one.axis) not in decided]
    few = sum(one.outcome.votes < round_.votes_wanted for one in found)
    return Preview(dict(Counter(one.axis for one in found)), few)


def acceptances(*, member: Member, round_: Round) -> Sequence[Acceptance]:
    """What was accepted at once in the round, the newest first; `in_force`: how much of it was not reopened."""
    found = Acceptance.objects.filter(round=round_, round__project=member.project_id)
    return list(found.annotate(in_force=Count("decisions", filter=Q(decisions__reopened_at=None))))


def _talked_about(round_: Round) -> set[tuple[int, str]]:
    """(item, axis code) of what was discussed or revised."""
    said = Post.objects.filter(item__round=round_).values_list("item", "axis__code")
    revised = Revision.objects.filter(item__round=round_).values_list("item", "axis__code")
    return {*said, *revised}
