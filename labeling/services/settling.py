"""Discussing disagreements, revising votes, and adjudicators' first opinions. The blind votes stay as they are.

Decisions themselves are made in `decisions`.
"""

from collections.abc import Mapping, Sequence

from django.db import transaction

from labeling.ballots import Ballot, Choice, faults, number_in
from labeling.models import (
    Decision,
    DiscussionEnd,
    Item,
    Member,
    NodeVersion,
    Opinion,
    Post,
    ProjectAxis,
    Revision,
    Role,
    Vote,
)
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import axes_of, ballot_axes, versions_by_code
from labeling.selectors.votes import NewestAnswer, newest_answer
from labeling.services.people import require

MOST_CHARACTERS = 10_000


@transaction.atomic
def say(*, member: Member, item: Item, axis: ProjectAxis, text: str) -> Post:
    """Post to the discussion of an axis; the item's annotators may, and leads."""
    _require_participant(member, item)
    _lock(item)
    require_undecided(item, axis)
    require_going_on(item, axis)
    if not 0 < len(text.strip()) <= MOST_CHARACTERS:
        raise RefusedError(f"Write between 1 and {MOST_CHARACTERS:,} characters.")
    return Post.objects.create(item=item, axis=axis, member=member, text=text.strip())


@transaction.atomic
def revise(*, member: Member, item: Item, axis: ProjectAxis, choice: Choice) -> Revision:
    """Record an annotator's answer after the discussion; only the item's voters may."""
    _require_voter(member, item, axis)
    versions = tuple(chosen_versions(item, axis, choice))
    answer = NewestAnswer(versions, choice.is_undecidable, number_in(choice.text), revision=0)
    return _write_revision(member, item, axis, answer)


@transaction.atomic
def stay(*, member: Member, item: Item, axis: ProjectAxis) -> Revision:
    """Record that a voter stays with the answer that they have now."""
    _require_voter(member, item, axis)
    answer = newest_answer(member=member, item=item, axis=axis)
    return _write_revision(member, item, axis, answer, kind=Revision.Kind.STAY)


@transaction.atomic
def take_answer(*, member: Member, item: Item, axis: ProjectAxis, voter: Member, revision: int) -> Revision:
    """Record that a voter takes another voter's newest answer, as they saw it.

    `revision`: the id of that answer's revision, or 0 for a blind vote. Raises RefusedError where it is not the newest
    any more.
    """
    _require_voter(member, item, axis)
    if voter.pk == member.pk:
        raise RefusedError("This answer is yours. Choose “I stay” to keep it.")
    answer = newest_answer(member=voter, item=item, axis=axis)
    if answer.revision != revision:
        raise RefusedError("This answer was changed a moment ago. Look at the new one, then choose again.")
    return _write_revision(member, item, axis, answer, kind=Revision.Kind.TAKE, taken_from=voter)


@transaction.atomic
def give_opinion(*, adjudicator: Member, item: Item, axis: ProjectAxis, choice: Choice, reason: str = "") -> Opinion:
    """Record an adjudicator's first opinion, given before they see any vote; it is given once and never changes."""
    require_independent(adjudicator, item)
    # Of two requests at once, the second is told that the opinion is written down.
    _lock(item)
    require_undecided(item, axis)
    if Opinion.objects.filter(item=item, axis=axis, member=adjudicator).exists():
        raise RefusedError("Your first opinion is already recorded and cannot be changed.")
    versions = chosen_versions(item, axis, choice)
    opinion = Opinion.objects.create(
        item=item, axis=axis, member=adjudicator, is_undecidable=choice.is_undecidable,
        number=number_in(choice.text), reason=reason.strip(),
    )  # fmt: skip
    opinion.versions.set(versions)
    return opinion


@transaction.atomic
def give_opinions(*, adjudicator: Member, item: Item, said: Mapping[ProjectAxis, tuple[Choice, str]]) -> list[Opinion]:
    """Record first opinions on several axes, each an answer and a reason, which may be empty: all of them, or none."""
    return [
        give_opinion(adjudicator=adjudicator, item=item, axis=axis, choice=choice, reason=reason)
        for axis, (choice, reason) in said.items()
    ]


def chosen_versions(item: Item, axis: ProjectAxis, choice: Choice) -> Sequence[NodeVersion]:
    """The node versions that a choice names in the round's codebook. Raises RefusedError for an incomplete choice.

    Texts are not settled: they stand beside one another.
    """
    if not axis.is_settled:
        raise RefusedError(f"{axis.name} is answered in words: the answers stand side by side, and none is decided on.")
    axes = [each for each in axes_of(codebook=item.round.codebook) if each.axis.pk == axis.pk]
    problems = faults(Ballot({axis.code: choice}, confidence=3), ballot_axes(axes), ())
    if problems:
        raise RefusedError(" ".join(problems.values()))
    versions = versions_by_code(axes)[axis.code]
    return [versions[code] for code in choice.codes]


def _write_revision(
    member: Member, item: Item, axis: ProjectAxis, answer: NewestAnswer,
    *, kind: Revision.Kind = Revision.Kind.OWN, taken_from: Member | None = None,
) -> Revision:  # fmt: skip
    revision = Revision.objects.create(
        item=item, axis=axis, member=member, kind=kind, taken_from=taken_from, is_undecidable=answer.is_undecidable,
        number=answer.number,
    )  # fmt: skip
    revision.versions.set(answer.versions)
    return revision


def _lock(item: Item) -> None:
    """So that nothing is decided, and no answer changed, while somebody writes on the item."""
    Item.objects.select_for_update(no_key=True).get(pk=item.pk)


def _require_voter(member: Member, item: Item, axis: ProjectAxis) -> None:
    """Lock the item. Raises RefusedError unless this member may give a new answer on the axis now."""
    if not Vote.objects.filter(item=item, member=member).exists():
        raise RefusedError("Only annotators who voted on this issue can revise their vote.")
    _require_participant(member, item)
    _lock(item)
    require_undecided(item, axis)
    require_going_on(item, axis)


def _require_participant(member: Member, item: Item) -> None:
    if item.round.project_id != member.project_id:
        raise RefusedError("This issue belongs to another project.")
    require(member, Role.LEAD, Role.ANNOTATOR)
    if item.released_at is None:
        raise RefusedError("This issue is still blind: it can be discussed once it is released.")
    has_voted = Vote.objects.filter(item=item, member=member).exists()
    if not has_voted and not member.has(Role.LEAD):
        raise RefusedError("Only the lead and annotators who voted on this issue discuss it.")


def require_independent(adjudicator: Member, item: Item) -> None:
    """Raises RefusedError unless this adjudicator may adjudicate this item."""
    if item.round.project_id != adjudicator.project_id:
        raise RefusedError("This issue belongs to another project.")
    require(adjudicator, Role.ADJUDICATOR)
    if item.released_at is None:
        raise RefusedError("This issue still waits for votes.")
    if Vote.objects.filter(item=item, member=adjudicator).exists():
        raise RefusedError("You voted on this issue, so someone else has to adjudicate it.")


def require_undecided(item: Item, axis: ProjectAxis) -> None:
    """Raises RefusedError where a decision is in force."""
    if Decision.objects.filter(item=item, axis=axis, reopened_at=None).exists():
        raise RefusedError("This is decided. A lead can reopen it, with a reason.")


def require_going_on(item: Item, axis: ProjectAxis) -> None:
    """Raises RefusedError where the lead ended the discussion."""
    if DiscussionEnd.objects.filter(item=item, axis=axis, taken_back_at=None).exists():
        raise RefusedError("The lead ended this discussion. Ask them to take that back if something is missing.")
