"""How many documents match, and how many of them have each value of each group: exact, by pg_search's aggregations."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kb.core.search.backend import chosen_sources, conditions_of, without
from kb.core.search.keys import CODE_KEYS
from kb.core.search.values import Condition, Request
from kb.search.backends.pg_search.query import Query, matching
from kb.search.backends.pg_search.schema import CODES, IN_CODES, ROWS

# More than any group has values, so that none is left out; pg_search takes no more.
MOST_VALUES = 65_000
# Codes that the chosen sources hold, each document once however many of them hold a code.
HELD = f"""
SELECT split_part(code, '/', 1), substr(code, strpos(code, '/') + 1), count(*)
FROM (
    SELECT DISTINCT id, substr(one, strpos(one, '|') + 1) AS code
    FROM {ROWS}, unnest(held) AS one
    WHERE id @@@ %s::jsonb::paradedb.searchqueryinput AND split_part(one, '|', 1) = ANY (%s)
) AS found GROUP BY 1, 2
"""  # noqa: S608

Groups = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Pass:
    """What one aggregation counts: groups over the documents that meet the conditions."""

    query: Query
    sources: tuple[str, ...]
    groups: tuple[str, ...]

    @property
    def held(self) -> tuple[str, ...]:
        """The groups of which only what the chosen sources hold counts."""
        return tuple(group for group in self.groups if self.sources and group in CODE_KEYS)

    def asked(self) -> str:
        """The aggregations, as pg_search takes them."""
        total = {"total": {"value_count": {"field": "id"}}}
        terms = {name: {"terms": {"field": name, "size": MOST_VALUES}} for name in self._columns()}
        return json.dumps(total | terms)

    def read(self, answer: Any) -> tuple[int, Groups]:
        """The number of documents and the counts in pg_search's answer, which is null for an empty index."""
        counted: Groups = {group: {} for group in self.groups}
        if not answer:
            return 0, counted
        for name in self._columns():
            for bucket in answer[name]["buckets"]:
                group, value = bucket["key"].split("=", 1) if name == CODES else (name, bucket["key"])
                if group in counted and group not in self.held:
                    counted[group][value] = int(bucket["doc_count"])
        return int(answer["total"]["value"]), counted

    def _columns(self) -> list[str]:
        groups = [group for group in self.groups if group not in self.held]
        return list(dict.fromkeys(CODES if group in IN_CODES else group for group in groups))


def passes(request: Request, enough: Sequence[int] | None) -> list[Pass]:
    """The passes that answer the request: the first one counts all that matches, the others one group each."""
    conditions = conditions_of(request)
    chosen = {condition.key for condition in conditions} & set(request.facets)

    def count(conditions: tuple[Condition, ...], groups: tuple[str, ...]) -> Pass:
        return Pass(matching(request.text, conditions, enough), chosen_sources(conditions), groups)

    together = count(conditions, tuple(sorted(set(request.facets) - chosen)))
    return [together, *(count(without(conditions, group), (group,)) for group in sorted(chosen))]
