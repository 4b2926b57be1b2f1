"""What claims name is there: house codes, frameworks and filters. No database.

A query that narrows another one may ask for the same filter only by codes below the ones that are asked for there, so
that one address finds exactly these issues.
"""

from collections.abc import Iterator, Sequence

from django.http import QueryDict

from kb.codebook.claims import ClaimFile, ClaimsFile, Measure, OrderMeasure, RatioMeasure, ShareMeasure
from kb.codebook.format import HouseFile, parents_of
from kb.core.frameworks import read_frameworks
from kb.core.search.filter_values import split_values
from kb.core.search.lookup import Lookup, Named
from kb.filters.issues import AXIS_KEYS, IssueFilter
from kb.models import Issue

Parents = dict[tuple[str, str], str | None]
# Their values stand in the database alone.
UNCHECKED = ("repository", "source", "node")


def wrong_claims(files: Sequence[ClaimsFile], house: HouseFile) -> Iterator[str]:
    """One sentence for each code, value or filter that there is not."""
    parents = parents_of(house)
    names = {key: Lookup(Named(code, code) for axis, code in parents if axis == AXIS_KEYS[key]) for key in AXIS_KEYS}
    names["framework"] = Lookup(Named(each.slug, each.slug) for each in read_frameworks().frameworks)
    for file in files:
        for claim in file.claims:
            for problem in _problems(claim, parents, names):
                yield f"{file.study}, claim {claim.slug}: {problem}"


def _problems(claim: ClaimFile, parents: Parents, names: dict[str, Lookup]) -> Iterator[str]:
    measure = claim.measure
    if isinstance(measure, OrderMeasure) and claim.published:
        for code in claim.published.order:
            if parents.get((AXIS_KEYS[measure.by], code), "missing") is not None:
                yield f"{code} is no uppermost code of {measure.by}"
    for query in queries_of(measure):
        yield from _query_problems(query, names)
    if isinstance(measure, ShareMeasure | RatioMeasure):
        narrowing = (measure.part,) if isinstance(measure, ShareMeasure) else (measure.first, measure.second)
        for query in narrowing:
            yield from _narrowing_problems(measure.base, query, parents)


def queries_of(measure: Measure | None) -> tuple[str, ...]:
    """The query strings of a measure, as they are written."""
    if isinstance(measure, ShareMeasure):
        return measure.base, measure.part
    if isinstance(measure, RatioMeasure):
        return measure.base, measure.first, measure.second
    return (measure.base,) if isinstance(measure, OrderMeasure) else ()


def _query_problems(query: str, names: dict[str, Lookup]) -> Iterator[str]:
    params = QueryDict(query)
    for key, texts in params.lists():
        if key not in IssueFilter.base_filters:
            yield f"{key} is no filter on issues"
        elif len(texts) > 1:
            yield f"{key} stands in the query twice: join its values with a comma"
    asked = {key: params[key] for key in params if key in IssueFilter.base_filters and key not in UNCHECKED}
    form = IssueFilter(asked, queryset=Issue.objects.none(), names=names)
    for key, messages in form.errors.items():
        yield f"{key}: {' '.join(str(message) for message in messages)}"


def _narrowing_problems(base: str, query: str, parents: Parents) -> Iterator[str]:
    wide, narrow = QueryDict(base), QueryDict(query)
    for key in narrow:
        if key not in wide:
            continue
        asked = {value.text for value in split_values(wide[key])}
        for value in split_values(narrow[key]):
            above = _above(AXIS_KEYS.get(key, ""), value.text, parents)
            if value.unwanted or not asked & above:
                yield f"{query} asks for other values of {key} than {base}, which it should narrow"


def _above(axis: str, code: str, parents: Parents) -> set[str]:
    """The code and every code above it."""
    codes = {code}
    parent = parents.get((axis, code))
    while parent is not None:
        codes.add(parent)
        parent = parents.get((axis, parent))
    return codes
