"""Whether a change of roles would break blindness: who has seen others' votes on an issue may not judge it blind.

The rules, also for former members who return:

- A member who sees blind votes cannot become an annotator while there are any, nor one who sees others' gold answers
  while their round is not closed.
- A member who sees votes can become an adjudicator only once the issues that they did not vote on are decided.
- An annotator in an open round cannot change to roles that see its votes; leading while labeling stays blind.
"""

from collections.abc import Collection
from copy import copy

from django.db.models import Exists, OuterRef, Q, QuerySet

from labeling.models import Decision, Member, ProjectAxis, Role, Round, Vote
from labeling.selectors import visible
from labeling.selectors.axes import settled_by


def why_not(*, member: Member, roles: Collection[str]) -> str:
    """Why the member may not have these roles now, with what to do instead; empty where they may."""
    before, after = copy(member), copy(member)
    # A former member saw votes until they left.
    before.left_at = after.left_at = None
    after.roles = list(roles)
    gained = set(roles) - set(member.roles)
    seen = visible.votes(member=before).exclude(member=member)
    # What was dropped until its round closed is settled for good: nobody votes on it or decides it any more.
    seen = seen.exclude(item__dropped_at__isnull=False, item__round__state=Round.State.CLOSED)
    if member.left_at:
        seen = seen.filter(submitted_at__lte=member.left_at)
    if Role.ANNOTATOR in gained and seen.filter(item__released_at=None).exists():
        return (
            "Who could see votes that are still blind cannot vote beside them. "
            "Close the rounds that have votes first; from then on this person can be an annotator."
        )
    gold = visible.gold_answers(member=before).exclude(given_by=member)
    if Role.ANNOTATOR in gained and gold.exclude(item__round__state=Round.State.CLOSED).exists():
        return (
            "Who could see gold answers cannot vote beside others who do not know which issues have them. "
            "Close the rounds that have any first; from then on this person can be an annotator."
        )
    if Role.ADJUDICATOR in gained and _undecided(seen).exclude(item__votes__member=member).exists():
        return (
            "An adjudicator gives a first opinion without having seen the votes, and this person could see votes that "
            "are not decided yet. Have these decided first, or let somebody else adjudicate."
        )
    # Also before their first vote: whether they have voted is secret from a lead who labels too.
    if visible.is_blind(before) and not visible.is_blind(after) and _labels_in_open_round(before):
        return (
            "This person labels in an open round, and would see the others' votes before their own are in. "
            "Keep the role of annotator until the round is closed; nobody has to continue labeling for that."
        )
    return ""


def _labels_in_open_round(member: Member) -> bool:
    if not member.has(Role.ANNOTATOR):
        return False
    rounds = Round.objects.filter(project=member.project_id, state=Round.State.OPEN)
    return rounds.filter(Q(annotators=None) | Q(annotators=member)).exists()


def _undecided(votes: QuerySet[Vote]) -> QuerySet[Vote]:
    """The votes on items with an axis without a decision in force."""
    decision = Decision.objects.filter(item=OuterRef(OuterRef("item")), axis=OuterRef("pk"), reopened_at=None)
    settled = settled_by(OuterRef("item__round__codebook__number"))
    waiting = ProjectAxis.objects.filter(settled, ~Exists(decision), project=OuterRef("item__round__project"))
    return votes.filter(Exists(waiting))
