"""What the votes of a round decide by its rule: what a lead can accept at once, and what that would do."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from labeling.ballots import Choice
from labeling.models import Acceptance, Decision, Item, Member, Post, Revision, Round, Vote
from labeling.outcomes import How, Outcome, outcome
from labeling.selectors import visible
from labeling.selectors.verdicts import verdicts
from labeling.selectors.votes import all_outcomes, answers_of, with_revisions

Key = tuple[int, str]
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


def decided_by(*, rule: str, blind: How, now: How, is_talked_about: bool) -> Decision.How | None:
    """How the votes on an axis decide it by the round's rule; None where they do not.

    Unanimous answers always; a majority where that is the rule; where discussion comes first, the majority of the
    revised votes, once anybody has said something about it.
    """
    if blind is How.UNANIMOUS:
        return Decision.How.UNANIMOUS
    if rule == Round.Rule.MAJORITY and blind is How.MAJORITY:
        return Decision.How.MAJORITY
    if rule == Round.Rule.DISCUSSION and is_talked_about and now in (How.UNANIMOUS, How.MAJORITY):
        return Decision.How.DISCUSSION
    return None


def acceptance_of(*, round_: Round, number: int) -> Acceptance:
    """An acceptance by its number in the round. Raises Acceptance.DoesNotExist."""
    return Acceptance.objects.select_related("round").get(round=round_, number=number)


def revised_verdicts(*, keys: Collection[Key], revisions: QuerySet[Revision]) -> dict[Key, How]:
    """(item, axis code) -> how far the votes go together after the discussion; votes are read of these items only."""
    if not keys:
        return {}
    items = {item for item, _ in keys}
    votes = answers_of(votes=Vote.objects.filter(item__in=items, item__released_at__isnull=False))
    said: dict[Key, list[Choice]] = {key: [] for key in keys}
    for one in with_revisions(votes=votes, revisions=revisions.filter(item__in=items)):
        if (one.item, one.axis) in said:
            said[one.item, one.axis].append(one.choice)
    return {key: outcome(choices).how for key, choices in said.items()}


def decided_by_votes(
    *, rule: str, blind: Outcome, now: Outcome, is_talked_about: bool
) -> tuple[Decision.How, Outcome] | None:
    """What the votes on an axis decide by the round's rule, and how (`decided_by`); None where they do not."""
    how = decided_by(rule=rule, blind=blind.how, now=now.how, is_talked_about=is_talked_about)
    return None if how is None else (how, now if how is Decision.How.DISCUSSION else blind)


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
    decided = set(in_force.order_by().values_list("item", "axis__code"))
    found = [(axis, votes) for (item, axis), votes in _ready(round_, how).items() if (item, axis) not in decided]
    return Preview(dict(Counter(axis for axis, _ in found)), sum(votes < round_.votes_wanted for _, votes in found))


def _ready(round_: Round, how: Decision.How) -> dict[Key, int]:
    """What `acceptable` finds, (item, axis code) -> number of votes; answers are read only where they were revised."""
    known = verdicts(rounds=[round_.pk]).get(round_.pk, {})
    now: dict[Key, How] = {}
    if how is Decision.How.DISCUSSION:
        talked = _talked_about(round_)
        now = revised_verdicts(keys=talked, revisions=Revision.objects.filter(item__round=round_))
    found = {}
    for pk, item in known.items():
        for axis, said in item.axes.items():
            after = now.get((pk, axis))
            by = decided_by(rule=round_.rule, blind=said.how, now=after or said.how, is_talked_about=after is not None)
            if by in (Decision.How.UNANIMOUS, how):
                found[pk, axis] = said.votes
    return found


def acceptances(*, member: Member, round_: Round) -> Sequence[Acceptance]:
    """What was accepted at once in the round, the newest first; `in_force`: how much of it was not reopened."""
    found = Acceptance.objects.filter(round=round_, round__project=member.project_id)
    return list(found.annotate(in_force=Count("decisions", filter=Q(decisions__reopened_at=None))))


def _talked_about(round_: Round) -> set[tuple[int, str]]:
    """(item, axis code) of what was discussed or revised."""
    said = Post.objects.filter(item__round=round_).values_list("item", "axis__code")
    revised = Revision.objects.filter(item__round=round_).values_list("item", "axis__code")
    return {*said, *revised}
