"""The survey of priorities: its themes, a person's answer, and the results.

Results are cached under a key that changes with the answers and the themes.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.core.cache import cache
from django.db import connection
from django.db.models import Q

from kb.models import Node, Study, SurveyAnswer, SurveyPlace
from kb.priorities.published import published
from kb.priorities.rankings import Ranking
from kb.priorities.survey import Ranked, SurveyResults, tally

CACHE_SECONDS = 300
STATE = """
SELECT count(*) FILTER (WHERE excluded_at IS NULL), count(*) FILTER (WHERE excluded_at IS NOT NULL),
       max(id), max(changed_at)
FROM kb_surveyanswer
"""
RANKINGS = """
SELECT a.role, a.experience, p."group", array_agg(n.code ORDER BY p.rank)
FROM kb_surveyplace p JOIN kb_surveyanswer a ON a.id = p.answer_id JOIN kb_node n ON n.id = p.node_id
WHERE a.excluded_at IS NULL
GROUP BY a.id, p."group"
ORDER BY a.id
"""


class Theme(NamedTuple):
    """A theme that can be ranked."""

    code: str
    name: str
    definition: str

    @property
    def group(self) -> str:
        """Its group: the part of its code before the dot."""
        return self.code.partition(".")[0]


@dataclass(frozen=True)
class OwnAnswer:
    """A person's own answer, as they see it."""

    role: str
    experience: str
    excluded_because: str
    rankings: Mapping[str, Ranking]


def themes() -> Mapping[str, tuple[Theme, ...]]:
    """The themes by group, in the codebook's order; groups without themes are left out."""
    rows = Node.objects.themes().order_by("position").values_list("code", "name", "definition")
    grouped: dict[str, tuple[Theme, ...]] = dict.fromkeys(SurveyPlace.Group.values, ())
    for theme in (Theme(*row) for row in rows):
        if theme.group in grouped:
            grouped[theme.group] += (theme,)
    return {group: members for group, members in grouped.items() if members}


def own_answer(*, rows: Q) -> OwnAnswer | None:
    """The answer among `rows`, an account's before a browser's; None where there is none."""
    answer = SurveyAnswer.objects.filter(rows).order_by("user_id").first()
    if answer is None:
        return None
    rankings: dict[str, Ranking] = {}
    for group, code in answer.places.order_by("group", "rank").values_list("group", "node__code"):
        rankings[group] = (*rankings.get(group, ()), code)
    return OwnAnswer(answer.role, answer.experience, answer.excluded_because, rankings)


def survey_results(*, offered: Mapping[str, Sequence[Theme]]) -> SurveyResults:
    """The results of all answers that are not excluded, for the offered themes."""
    items = {group: tuple(theme.code for theme in members) for group, members in offered.items()}
    with connection.cursor() as cursor:
        cursor.execute(STATE)
        answers, excluded, *changed = cursor.fetchone()
        state = hashlib.sha256(repr((answers, excluded, changed, items)).encode()).hexdigest()
        cached: SurveyResults | None = cache.get(f"survey:results:{state}")
        if cached is not None:
            return cached
        cursor.execute(RANKINGS)
        rankings = [Ranked(role, experience, group, tuple(codes)) for role, experience, group, codes in cursor]
    results = tally(rankings, items, published().orders, answers=answers, excluded=excluded)
    cache.set(f"survey:results:{state}", results, CACHE_SECONDS)
    return results


def published_in() -> Study | None:
    """The study of the published orders; None while the codebook is not loaded."""
    return Study.objects.filter(slug=published().study).first()
