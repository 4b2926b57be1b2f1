"""Writing answers to the survey of priorities: sending, changing, withdrawing and excluding them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from kb.models import Node, SurveyAnswer, SurveyPlace
from kb.priorities.rankings import Ranking, RankingRefusedError, as_ranking

# Answers from one network in a day: enough for a class or an office, too few for flooding the survey.
MOST_A_DAY = 60


@dataclass(frozen=True)
class Person:
    """A participant: an account, if logged in, and the token of their browser, if it has one."""

    user_id: int | None = None
    token: str = ""

    @property
    def digest(self) -> str:
        """The stored digest of the token; empty without one."""
        return hashlib.sha256(self.token.encode()).hexdigest() if self.token else ""

    @property
    def rows(self) -> Q:
        """Their answers: those of the account, and those of the browser that belong to no other account."""
        rows = Q(pk__in=())
        if self.token and self.user_id is None:
            rows |= Q(token_digest=self.digest)
        elif self.token:
            rows |= Q(token_digest=self.digest, user=None)
        if self.user_id is not None:
            rows |= Q(user=self.user_id)
        return rows


@transaction.atomic
def send_answer(*, person: Person, role: str, experience: str, rankings: Mapping[str, Ranking]) -> SurveyAnswer:
    """Write the person's one answer, replacing the former one. `rankings`: codes of themes by group.

    Raises `RankingRefusedError` where bugs are not ranked or a theme is repeated or not offered, and
    `django.db.IntegrityError` for an unknown role or experience.
    """
    if not rankings.get(SurveyPlace.Group.BUGS):
        raise RankingRefusedError("bugs are not ranked")
    nodes = dict(Node.objects.themes().values_list("code", "pk"))
    for ranking in rankings.values():
        as_ranking(ranking)
        for code in ranking:
            if code not in nodes:
                raise RankingRefusedError(f"{code} is not offered")
    answer = _save_answer(person, role, experience)
    answer.places.all().delete()
    places = []
    for group, ranking in rankings.items():
        for rank, code in enumerate(ranking, start=1):
            places.append(SurveyPlace(answer=answer, group=group, node_id=nodes[code], rank=rank))
    SurveyPlace.objects.bulk_create(places)
    return answer


def _save_answer(person: Person, role: str, experience: str) -> SurveyAnswer:
    """The person's answer, locked; answers from before and after logging in are merged."""
    answers = list(SurveyAnswer.objects.select_for_update().filter(person.rows).order_by("user_id"))
    for duplicate in answers[1:]:
        duplicate.delete()
    if answers:
        answer = answers[0]
        answer.role, answer.experience = role, experience
        answer.user_id = answer.user_id or person.user_id
        answer.save()
        return answer
    key = {"user_id": person.user_id} if person.user_id else {"token_digest": person.digest}
    # Of two concurrent requests one creates the row, and the other updates it.
    return SurveyAnswer.objects.update_or_create(**key, defaults={"role": role, "experience": experience})[0]


def withdraw_answer(*, person: Person) -> bool:
    """Delete the person's answer; False where there was none."""
    return bool(SurveyAnswer.objects.filter(person.rows).delete()[0])


def exclude_answer(*, answer: SurveyAnswer, because: str) -> None:
    """Exclude an answer from the results, with a reason that the person may read; include it when that is empty."""
    answer.excluded_because = because.strip()
    answer.excluded_at = timezone.now() if answer.excluded_because else None
    answer.save(update_fields=["excluded_because", "excluded_at", "changed_at"])
