"""Votes with all that is on record of them, as programs read them."""

from django.db.models import Prefetch, QuerySet

from labeling.models import Answer, AnswerNode, Evidence, Item, Member, Vote
from labeling.selectors import visible


def vote_records(
    *, member: Member, round_number: int | None = None, item: Item | None = None, own_only: bool = False
) -> QuerySet[Vote]:
    """The votes that the member may see, with answers and passages, as they were cast; four statements in all."""
    votes = visible.votes(member=member)
    if round_number is not None:
        votes = votes.filter(item__round__number=round_number)
    if item is not None:
        votes = votes.filter(item=item)
    if own_only:
        votes = votes.filter(member=member)
    votes = votes.select_related("item__round", "item__issue", "item__own", "member", "codebook", "slot")
    votes = votes.defer(
        "item__issue__body", "item__issue__search_vector", "item__issue__label_terms", "item__own__body"
    )
    return _with_answers(votes).order_by("submitted_at", "pk")


def own_vote_record(*, member: Member, item: Item) -> Vote:
    """The member's vote on the item; neither of the two is read again. Raises Vote.DoesNotExist."""
    own = visible.votes(member=member).filter(item=item, member=member)
    vote = _with_answers(own.select_related("codebook", "slot")).get()
    vote.item, vote.member = item, member
    return vote


def _with_answers(votes: QuerySet[Vote]) -> QuerySet[Vote]:
    nodes = Prefetch("nodes", AnswerNode.objects.select_related("version__node"))
    answers = Prefetch("answers", Answer.objects.select_related("axis").prefetch_related(nodes))
    evidence = Prefetch("evidence", Evidence.objects.select_related("axis"))
    return votes.prefetch_related(answers, evidence)
