"""Counts the issues that claims ask for: all queries in one statement, kept until rows change. Reads the database."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from django.db import connection
from django.http import QueryDict

from kb.charts.evidence import gather
from kb.charts.foretelling import foretell
from kb.charts.leave_one_out import Told
from kb.codebook.claims import ClaimFile, OrderMeasure, RatioMeasure, ShareMeasure
from kb.filters.issues import AXIS_KEYS, IssueFilter
from kb.models import Issue
from kb.selectors.remembered import remembered

# The issues over which a symptom tells its cause.
DESCRIBED = "curated=true"
# They change what the filters beside them mean.
INSEPARABLE = ("source", "kind")


@dataclass(frozen=True)
class ClaimCounts:
    """The number of issues by query; the uppermost codes by the key of their axis, code → name.

    `told`: how far symptoms tell causes among described issues.
    """

    issues: Mapping[str, int]
    codes: Mapping[str, Mapping[str, str]]
    told: Told


def count_claims(claims: Sequence[ClaimFile]) -> ClaimCounts:
    """Every count that these claims need."""
    written = sha256("\n".join(claim.model_dump_json(include={"measure"}) for claim in claims).encode()).hexdigest()
    return remembered(f"claims:{written[:16]}", lambda: _count(claims))


def _count(claims: Iterable[ClaimFile]) -> ClaimCounts:
    described = gather(QueryDict(DESCRIBED))
    trees = described.trees(list(AXIS_KEYS.values()))
    codes: dict[str, dict[str, str]] = {}
    for key, axis in AXIS_KEYS.items():
        codes[key] = {branch.code: branch.name for branch in trees[axis].shown(1) if branch.is_active}
    wanted: dict[str, None] = {}
    for claim in claims:
        wanted |= dict.fromkeys(_queries(claim, codes))
    return ClaimCounts(count_issues(wanted), codes, foretell(described).together)


def _queries(claim: ClaimFile, codes: Mapping[str, Mapping[str, str]]) -> list[str]:
    measure = claim.measure
    if isinstance(measure, ShareMeasure):
        return [narrowed(measure.base), narrowed(measure.base, measure.part)]
    if isinstance(measure, RatioMeasure):
        return [narrowed(measure.base, measure.first), narrowed(measure.base, measure.second)]
    if isinstance(measure, OrderMeasure):
        any_code = ",".join(codes[measure.by])
        return [narrowed(measure.base, f"{measure.by}={code}") for code in (*codes[measure.by], any_code)]
    return []


@lru_cache(maxsize=8_192)
def narrowed(base: str, *parts: str) -> str:
    """The address of the issues of `base` that are also in these parts; a part's values stand for the base's."""
    params = QueryDict(base, mutable=True)
    for part in parts:
        for key, text in QueryDict(part).items():
            params[key] = str(text)
    return params.urlencode(safe="/,")


def count_issues(queries: Collection[str]) -> dict[str, int]:
    """The number of issues that each of these addresses finds, pull requests left out as on every page.

    Claims ask for few conditions in many combinations: the issues of each condition are read once, all in one
    statement, and combined here. Raises `ValueError` for an address with a wrong value.
    """
    asked = {query: _conditions(query) for query in queries}
    found = _issues_of(frozenset().union(*asked.values()))
    return {query: len(frozenset.intersection(*map(found.__getitem__, asked[query]))) for query in queries}


def _conditions(query: str) -> frozenset[str]:
    """The parts of an address that are conditions of their own: all of it where labels of one source are asked for."""
    params = QueryDict(query)
    if not params or any(key in params for key in INSEPARABLE):
        return frozenset({query})
    return frozenset(urlencode({key: text}, safe="/,") for key, text in params.items())


def _issues_of(queries: Collection[str]) -> dict[str, frozenset[int]]:
    """The ids of the issues that each address finds."""
    texts: list[str] = []
    values: list[Any] = []
    for query in queries:
        asked = IssueFilter(QueryDict(query), queryset=Issue.objects.all())
        if asked.errors:
            raise ValueError(f"{query}: {dict(asked.errors)}")
        text, given = asked.qs.order_by().values("pk").query.sql_with_params()
        texts.append(f"SELECT {len(texts)}, ARRAY({text})")
        values += given
    if not texts:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(texts), values)
        found = dict(cursor.fetchall())
    return {query: frozenset(found[place]) for place, query in enumerate(queries)}
