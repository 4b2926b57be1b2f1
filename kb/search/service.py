"""One search request from start to end: understand, plan, ask an engine, rank, count. Nothing is rendered here.

Which issues match is decided by the text alone, never by the filters, so that a facet's count is what a click finds.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from django.http import QueryDict

from kb.core.search.cards import from_json
from kb.core.search.language import Query, Reference
from kb.core.search.pipeline import Reply, Row, ask, empty_plan, is_close, ranked
from kb.core.search.plan import Plan
from kb.core.search.ranking import DEPTH, Judged
from kb.core.search.same_errors import same_errors
from kb.core.search.values import Condition, Hits, Request, Sort
from kb.health import database
from kb.http.spans import spanned
from kb.models import Issue, Kind
from kb.search import backends
from kb.search.backends import Backend, EngineUnavailableError
from kb.search.documents import documents
from kb.search.error_matches import StoredIssues
from kb.search.groups import GROUP_LABELS, FacetGroup, facet_groups
from kb.search.names import spoken
from kb.search.references import named_issues
from kb.search.request import ParsedSearch, read, sort_of

log = logging.getLogger(__name__)

# Further results are reached by narrowing the search, or by a cursor in the order of ids.
MOST_REACHABLE = 10_000
# `match=any`: one of the words is enough. Otherwise the words say how many are wanted (`plan.least_steps`).
ANY = "any"


class Match(Enum):
    """How the results fit the words: all of them, some, or no words were asked for."""

    ALL = "all"
    SOME = "some"
    NONE = "none"


@dataclass(frozen=True)
class SearchResult:
    """One slice of the ordered matches with everything that a page or the API says about the whole.

    `is_close` is False when nothing found comes near to what was asked. `least`: so many of the `wanted` things stand
    in every match. `named`: the issues that the whole text names; no other one matches then. `engine` names who
    answered; `is_fallback` says that it was not the one that should have. `facets_late`: counting took too long, so no
    facets are known; everything else is complete. `is_degraded`: the database does not answer, so that the index alone
    did; facets may be missing then.
    """

    asked: ParsedSearch
    plan: Plan
    match: Match
    sort: Sort
    rows: tuple[Row, ...]
    total: int
    least: int
    is_close: bool
    facets: tuple[FacetGroup, ...]
    errors: Mapping[str, list[str]]
    engine: str
    named: tuple[Issue, ...] = ()
    is_fallback: bool = False
    facets_late: bool = False
    is_degraded: bool = False

    @property
    def query(self) -> Query:
        """What the box holds."""
        return self.asked.query

    @property
    def wanted(self) -> int:
        """How many things were looked for."""
        return len(self.plan.text.wanted)

    @property
    def reference_note(self) -> str:
        """What there is to say of the issue that the text names, where it is not the one result."""
        reference = self.query.reference
        if reference is None or (len(self.named) == 1 and self.total):
            return ""
        name = f"{reference.name}#{reference.ref}"
        if self.total:
            return f"Several repositories have an issue {name}: put the owner before it, as in owner/{name}."
        return f"The filters leave {name} out." if self.named else f"{name} is not known here."

    @property
    def ids(self) -> tuple[int, ...]:
        """The shown issues, in order."""
        return tuple(row.card.id for row in self.rows)


@dataclass(frozen=True)
class Matches:
    """The ids of a text's matches that the filters leave, the newest `MOST_REACHABLE` of `total`."""

    ids: tuple[int, ...]
    total: int


@dataclass(frozen=True)
class _Answer(Reply):
    """A reply, or the issues that the text names, with who answered."""

    engine: Backend = field(kw_only=True)
    named: tuple[Issue, ...] = ()
    is_fallback: bool = False

    @property
    def match(self) -> Match:
        """How the hits fit the words."""
        text = self.plan.text
        if text.is_empty:
            return Match.NONE
        return Match.ALL if self.least >= len(text.wanted) else Match.SOME


def search(params: QueryDict, *, offset: int = 0, limit: int = 20, with_facets: bool = True) -> SearchResult:
    """Answer `q`, `sort` and every filter of `IssueFilter` (`kb.filters.issues`) in `params`, from result `offset` on.

    A wrong value is reported in `errors`, and then nothing is found. Results beyond `MOST_REACHABLE` are counted, but
    not shown.
    """
    return answer(read(params), offset=offset, limit=limit, with_facets=with_facets)


@spanned("search")
def answer(
    asked: ParsedSearch,
    *,
    offset: int = 0,
    limit: int = 20,
    with_facets: bool = True,
    with_total: bool = True,
    known: Collection[str] | None = None,
) -> SearchResult:
    """The same for a search that has been understood already, or was put together by us.

    Without `with_total`, nobody reads how many there are, and `total` may be just the number of rows. `known`: the
    pages of the issues that a diagnosis of the text names, the nearest first; they come first here, too.
    """
    sort, sort_errors = sort_of(asked.params.get("sort", ""))
    errors = {**asked.errors, **sort_errors}
    if errors:
        return SearchResult(asked, empty_plan(backends.fallback()), Match.NONE, sort, (), 0, 1, False, (), errors, "")
    groups = tuple(GROUP_LABELS) if with_facets else ()
    request = Request(conditions=asked.conditions, sort=sort, facets=groups, with_total=with_total)
    reply = _answer(asked, request, offset, limit)
    judged = ranked(reply.plan, reply.hits.candidates, sort)
    same = same_errors(asked.query, sort, judged, known, StoredIssues())
    judged = [*same, *(match for match in judged if match not in same)]
    found_close = bool(same or known) or is_close(reply, judged, sort, asked.query)
    # Ranking looks at the first matches as a whole, whichever of them are shown.
    shown = judged[offset:] if _is_ranked(sort, offset) else judged
    return _result(asked, request, reply, _rows(shown[:limit]), is_close=found_close)


def _result(
    asked: ParsedSearch, request: Request, reply: _Answer, rows: Sequence[Row], *, is_close: bool
) -> SearchResult:
    hits = reply.hits
    return SearchResult(
        asked=asked,
        plan=reply.plan,
        match=reply.match,
        sort=request.sort,
        rows=tuple(rows),
        total=hits.total,
        least=reply.least,
        is_close=is_close,
        facets=facet_groups(asked, hits.facets) if request.facets and not hits.facets_late else (),
        errors={},
        engine=reply.engine.name,
        named=reply.named,
        is_fallback=reply.is_fallback,
        facets_late=hits.facets_late,
        is_degraded=not database.answers(),
    )


def matches(asked: ParsedSearch) -> Matches:
    """Every issue that `search` would find, for what counts them and shows none."""
    request = Request(conditions=asked.conditions, sort=Sort.NEWEST, limit=MOST_REACHABLE, with_cards=False)
    hits = _answer(asked, request, 0, MOST_REACHABLE).hits
    return Matches(tuple(candidate.id for candidate in hits.candidates), hits.total)


def _answer(asked: ParsedSearch, request: Request, offset: int, limit: int) -> _Answer:
    """Ask the chosen engine; while it cannot answer, ask Postgres."""
    if _is_ranked(request.sort, offset):
        request = replace(request, offset=0, limit=min(max(DEPTH, offset + limit), MOST_REACHABLE))
    else:
        request = replace(request, offset=offset, limit=max(0, min(limit, MOST_REACHABLE - offset)))
    if asked.query.reference:
        return _named(asked.query.reference, request)
    engine = backends.current()
    try:
        if engine.supports(request):
            return _ask(engine, asked, request)
    except EngineUnavailableError as error:
        log.warning("The search engine %s cannot answer: %s", engine.name, error)
    return replace(_ask(backends.fallback(), asked, request), is_fallback=True)


def _named(reference: Reference, request: Request) -> _Answer:
    """The issues that the text names, as far as the filters leave them; the database knows them before any index."""
    named = tuple(named_issues(reference))
    engine = backends.among([issue.pk for issue in named])
    if not any(condition.key == "kind" for condition in request.conditions):
        # Who names a pull request asks for it.
        request = replace(request, conditions=(*request.conditions, Condition("kind", wanted=tuple(Kind.values))))
    return _Answer(
        empty_plan(backends.fallback()), engine.find(request) if named else Hits((), 0), engine=engine, named=named
    )


def _is_ranked(sort: Sort, offset: int) -> bool:
    return sort is Sort.RELEVANCE and offset < DEPTH


def _ask(engine: Backend, asked: ParsedSearch, request: Request) -> _Answer:
    is_any = asked.params.get("match") == ANY
    reply = ask(engine, asked.query, request, spoken, any_word=is_any)
    return _Answer(reply.plan, reply.hits, reply.least, engine=engine)


def _rows(judged: Sequence[Judged]) -> list[Row]:
    """The results with their cards; an engine without cards has them read from the database."""
    lacking = [match.candidate.id for match in judged if not match.candidate.card]
    read_now = {document.id: document.card for document in documents(lacking)} if lacking else {}
    rows = []
    for match in judged:
        if card := match.candidate.card or read_now.get(match.candidate.id):
            rows.append(Row(from_json(card), match))
    return rows
