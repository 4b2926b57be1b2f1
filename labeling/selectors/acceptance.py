"""What the votes of a round decide by its rule: the decisions that a lead can accept in bulk, and a preview of them."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from labeling.ballots import Choice
from labeling.models import Acceptance, Decision, Item, Member, Revision, Round, Vote
from labeling.outcomes import How, Outcome, outcome
from labeling.selectors import visible
from labeling.selectors.discussions import Key, round_discussions
from labeling.selectors.verdicts import verdicts
from labeling.selectors.votes import all_outcomes, answers_of, with_revisions

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
    """What accepting would do: axis code -> how many issues it decides; `few` of all these have too few votes."""

    axes: dict[str, int]
    few: int

    @property
    def total(self) -> int:
        """How many axes of issues would be decided."""
        return sum(self.axes.values())


def rule_refuses(*, round_: Round, how: Decision.How) -> str:
    """Why the round's rule does not allow accepting in this way; empty where it does."""
    if how is Decision.How.UNANIMOUS or RULES.get(how) == round_.rule:
        return ""
    return f"This round's rule is “{round_.get_rule_display()}”: that decides."


def ways_of(*, round_: Round) -> list[Decision.How]:
    """The ways in which answers of this round can be accepted in bulk."""
    return [how for how in (Decision.How.UNANIMOUS, *RULES) if not rule_refuses(round_=round_, how=how)]


def decided_by(*, rule: str, blind: How, now: How, is_discussed: bool) -> Decision.How | None:
    """How the votes on an axis decide it by the round's rule; None where they do not.

    Unanimous answers always; a majority where that is the rule; where discussion comes first, the majority of the
    newest answers, once the discussion is over (`discussions`).
    """
    if blind is How.UNANIMOUS:
        return Decision.How.UNANIMOUS
    if rule == Round.Rule.MAJORITY and blind is How.MAJORITY:
        return Decision.How.MAJORITY
    if rule == Round.Rule.DISCUSSION and is_discussed and now in (How.UNANIMOUS, How.MAJORITY):
        return Decision.How.DISCUSSION
    return None


def acceptance_of(*, round_: Round, number: int) -> Acceptance:
    """An acceptance by its number in the round. Raises Acceptance.DoesNotExist."""
    return Acceptance.objects.select_related("round").get(round=round_, number=number)


def revised_verdicts(*, keys: Collection[Key], revisions: QuerySet[Revision]) -> dict[Key, How]:
    """(item, axis code) -> how far the votes agree after the discussion; only these items' votes are read."""
    if not keys:
        return {}
    items = {item for item, _ in keys}
    votes = answers_of(votes=Vote.objects.filter(item__in=items, item__released_at__isnull=False))
    choices_by_key: dict[Key, list[Choice]] = {key: [] for key in keys}
    for vote in with_revisions(votes=votes, revisions=revisions.filter(item__in=items)):
        if (vote.item, vote.axis) in choices_by_key:
            choices_by_key[vote.item, vote.axis].append(vote.choice)
    return {key: outcome(choices).how for key, choices in choices_by_key.items()}


def decided_by_votes(
    *, rule: str, blind: Outcome, now: Outcome, is_discussed: bool
) -> tuple[Decision.How, Outcome] | None:
    """What the votes on an axis decide by the round's rule, and how (`decided_by`); None where they do not."""
    how = decided_by(rule=rule, blind=blind.how, now=now.how, is_discussed=is_discussed)
    if how is None:
        return None
    return how, now if how is Decision.How.DISCUSSION else blind


def acceptable(*, round_: Round, how: Decision.How) -> list[Acceptable]:
    """What the votes on released items decide unanimously or by `how`, whether or not a decision is in force."""
    revised: dict[Key, Outcome] = {}
    over: set[Key] = set()
    if how is Decision.How.DISCUSSION:
        revised = {(row.item, row.axis): row.outcome for row in all_outcomes(round_=round_, revised=True)}
        over = round_discussions(round_=round_).over
    rows = []
    for row in all_outcomes(round_=round_):
        key = (row.item, row.axis)
        now = revised.get(key, row.outcome)
        decided = decided_by_votes(rule=round_.rule, blind=row.outcome, now=now, is_discussed=key in over)
        if decided and decided[0] in (Decision.How.UNANIMOUS, how):
            rows.append(Acceptable(row.item, row.axis, decided[1], decided[0]))
    return rows


def preview(*, member: Member, round_: Round, how: Decision.How) -> Preview | None:
    """What accepting would do now. None where the member does not see all votes, which the numbers would give away."""
    released = Item.objects.filter(round=round_, released_at__isnull=False)
    if released.exclude(pk__in=visible.released_items(member=member)).exists():
        return None
    in_force = visible.decisions(member=member).filter(item__round=round_, reopened_at=None)
    decided = set(in_force.order_by().values_list("item", "axis__code"))
    axes: Counter[str] = Counter()
    few = 0
    for (item, axis), votes in _acceptable_votes(round_, how).items():
        if (item, axis) not in decided:
            axes[axis] += 1
            few += votes < round_.votes_wanted
    return Preview(dict(axes), few)


def _acceptable_votes(round_: Round, how: Decision.How) -> dict[Key, int]:
    """The keys that `acceptable` has -> number of votes, from the cached verdicts; answers are read only if revised."""
    now: dict[Key, How] = {}
    over: set[Key] = set()
    if how is Decision.How.DISCUSSION:
        discussions = round_discussions(round_=round_)
        over = discussions.over
        revisions = Revision.objects.filter(item__round=round_)
        now = revised_verdicts(keys=over & discussions.revised, revisions=revisions)
    votes = {}
    for pk, item in verdicts(rounds=[round_.pk]).get(round_.pk, {}).items():
        for axis, verdict in item.axes.items():
            key = (pk, axis)
            decided = decided_by(
                rule=round_.rule, blind=verdict.how, now=now.get(key, verdict.how), is_discussed=key in over
            )
            if decided in (Decision.How.UNANIMOUS, how):
                votes[key] = verdict.votes
    return votes


def acceptances(*, member: Member, round_: Round) -> Sequence[Acceptance]:
    """The acceptances in the round, the newest first; `in_force`: how many of their decisions were not reopened."""
    rows = Acceptance.objects.filter(round=round_, round__project=member.project_id)
    return list(rows.annotate(in_force=Count("decisions", filter=Q(decisions__reopened_at=None))))
