"""Writing answers to the survey of priorities: sending, changing, withdrawing, leaving out."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from kb.models import Node, SurveyAnswer, SurveyPlace
from kb.priorities.rankings import Ranking, RankingRefusedError, as_ranking

# A class or an office may sit behind one network; somebody who wants to flood the survey is slowed down.
MOST_A_DAY = 60


@dataclass(frozen=True)
class Person:
    """Who answers: the account of somebody who is logged in, and what their browser keeps, if anything."""

    user_id: int | None = None
    token: str = ""

    @property
    def digest(self) -> str:
        """The digest by which the token is known; empty without one."""
        return hashlib.sha256(self.token.encode()).hexdigest() if self.token else ""

    @property
    def rows(self) -> Q:
        """Which answers are theirs. Those of another account are not, whoever sits at the browser now."""
        by_token = Q(token_digest=self.digest, user=None) if self.token else Q(pk__in=())
        if self.user_id is None:
            return Q(token_digest=self.digest) if self.token else Q(pk__in=())
        return Q(user=self.user_id) | by_token


@transaction.atomic
def send_answer(*, person: Person, role: str, experience: str, rankings: Mapping[str, Ranking]) -> SurveyAnswer:
    """Write the person's one answer, in place of the one before. `rankings` holds codes of themes by group.

    Raises `RankingRefusedError` where bugs are not ranked, a theme stands twice or is not offered, and
    `django.db.IntegrityError` for a role or experience that there is not.
    """
    if not rankings.get(SurveyPlace.Group.BUGS):
        raise RankingRefusedError("bugs are not ranked")
    nodes = dict(Node.objects.themes().values_list("code", "pk"))
    for ranking in rankings.values():
        as_ranking(ranking)
        if gone := [code for code in ranking if code not in nodes]:
            raise RankingRefusedError(f"{gone[0]} is not offered")
    answer = _own(person, role, experience)
    answer.places.all().delete()
    SurveyPlace.objects.bulk_create(
        SurveyPlace(answer=answer, group=group, node_id=nodes[code], rank=rank)
        for group, ranking in rankings.items()
        for rank, code in enumerate(ranking, start=1)
    )
    return answer


def _own(person: Person, role: str, experience: str) -> SurveyAnswer:
    """The person's answer, locked; answers given before and after logging in become one."""
    own = list(SurveyAnswer.objects.select_for_update().filter(person.rows).order_by("user_id"))
    for spare in own[1:]:
        spare.delete()
    if own:
        answer = own[0]
        answer.role, answer.experience = role, experience
        answer.user_id = answer.user_id or person.user_id
        answer.save()
        return answer
    known_by = {"user_id": person.user_id} if person.user_id else {"token_digest": person.digest}
    told = {"role": role, "experience": experience}
    # Two sendings at the same moment meet here: the database lets one of them make the row.
    return SurveyAnswer.objects.update_or_create(**known_by, defaults=told)[0]


def withdraw_answer(*, person: Person) -> bool:
    """Delete what the person answered; False where there was nothing."""
    return bool(SurveyAnswer.objects.filter(person.rows).delete()[0])


def exclude_answer(*, answer: SurveyAnswer, because: str) -> None:
    """Leave an answer out of the results, with a reason that the person may read."""
    answer.excluded_because = because.strip()
    answer.excluded_at = timezone.now() if answer.excluded_because else None
    answer.save(update_fields=["excluded_because", "excluded_at", "changed_at"])
