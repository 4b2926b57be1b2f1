"""Search among the records of a data file, as a server searches all issues: parse, plan, ask, rank, judge closeness."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kb.core.addresses import parse_issue_address
from kb.core.knowledge.known import Knowledge
from kb.core.knowledge.shape import Record
from kb.core.search.cards import Card, from_json
from kb.core.search.drafts import draft_text
from kb.core.search.filter_values import shown
from kb.core.search.language import MAX_CHARACTERS, BoxFilter, Query, Reference, parse
from kb.core.search.lookup import either
from kb.core.search.pipeline import Row, ask, empty_plan, is_close, ranked
from kb.core.search.plan import Plan
from kb.core.search.ranking import DEPTH, Judged
from kb.core.search.reasons import Reason, reasons
from kb.core.search.same_errors import same_errors
from kb.core.search.values import Candidate, Condition, Request, Sort


class BadFilterError(ValueError):
    """A filter that cannot be used here; the text says why and what would be right."""


@dataclass(frozen=True)
class Found:
    """The best records for a text, of `total` that match; `is_close` is False when none comes near to it."""

    query: Query
    plan: Plan
    rows: tuple[Row, ...]
    total: int
    is_close: bool

    def reasons(self) -> list[Reason]:
        """Why each of them matches, in their order."""
        return reasons(self)


def search(knowledge: Knowledge, text: str, *, limit: int = 10, filters: Iterable[BoxFilter] = ()) -> Found:
    """The records that a text asks for, the best first; `filters` count beside those in the text.

    Raises `BadDataError` and `BadFilterError`.
    """
    query = parse(text, knowledge.box_keys)
    if query.mistakes:
        raise BadFilterError(" ".join(query.mistakes))
    if query.reference:
        return _named(knowledge, query, query.reference)
    return _answered(knowledge, query, tuple(_conditions(knowledge, [*query.filters, *filters])), limit)


def _answered(knowledge: Knowledge, query: Query, conditions: tuple[Condition, ...], limit: int) -> Found:
    request = Request(conditions=conditions, limit=max(DEPTH, limit))
    reply = ask(knowledge.engine, query, request, knowledge.speech)
    judged = ranked(reply.plan, reply.hits.candidates, Sort.RELEVANCE)
    same = same_errors(query, Sort.RELEVANCE, judged, None, knowledge)
    judged = [*same, *(match for match in judged if match not in same)]
    close = bool(same) or is_close(reply, judged, Sort.RELEVANCE, query)
    rows = tuple(Row(from_json(match.candidate.card), match) for match in judged[:limit])
    return Found(query, reply.plan, rows, reply.hits.total, close)


def closest(knowledge: Knowledge, title: str, body: str, limit: int) -> list[Card]:
    """The records that come closest to a draft, all of it taken as words."""
    text = draft_text(title[:MAX_CHARACTERS], body[:MAX_CHARACTERS])
    found = _answered(knowledge, Query(text, words=text, is_paste=True), (), limit) if text else None
    return [row.card for row in found.rows] if found else []


def _named(knowledge: Knowledge, query: Query, reference: Reference) -> Found:
    """The records of the reports that the whole text names."""
    records = [record for record in knowledge.records.values() if _is_named(knowledge, record, reference)]
    rows = [Row(knowledge.card(each.id), Judged(Candidate(each.id, 0.0, b"", b""), 0.0, {})) for each in records]
    return Found(query, empty_plan(knowledge.engine), tuple(rows), len(rows), bool(rows))


def _is_named(knowledge: Knowledge, record: Record, reference: Reference) -> bool:
    if reference.public_id:
        return record.public_id == reference.public_id
    address = parse_issue_address(record.url)
    full_name = address.repository.full_name
    if reference.owner:
        is_repository = knowledge.names["repository"].find(f"{reference.owner}/{reference.name}") == full_name
    else:
        is_repository = full_name.casefold().endswith(f"/{reference.name.casefold()}")
    is_host = reference.host in (None, address.repository.host)
    return is_repository and is_host and address.ref.casefold() == reference.ref.casefold()


def _conditions(knowledge: Knowledge, filters: Iterable[BoxFilter]) -> Iterator[Condition]:
    """Of each key, any of the wanted values and none of the unwanted ones."""
    wanted: dict[str, list[str]] = {}
    unwanted: dict[str, list[str]] = {}
    for each in filters:
        chosen = unwanted if each.value.unwanted else wanted
        chosen.setdefault(each.key, []).append(_value(knowledge, each))
    for key in dict.fromkeys((*wanted, *unwanted)):
        yield Condition(key, tuple(wanted.get(key, ())), tuple(unwanted.get(key, ())))


def _value(knowledge: Knowledge, asked: BoxFilter) -> str:
    """The value under its code. Keys of numbers and dates are the server's alone."""
    text = asked.value.text
    if asked.key not in knowledge.fields.values:
        raise BadFilterError(f"“{asked.key}” cannot be asked offline. Leave it out, or ask a server.")
    known = knowledge.names.get(asked.key)
    if known is None:
        return text
    if value := known.find(text):
        return value
    near = either([shown(each.value) for each in known.nearest(text)])
    raise BadFilterError(f"{shown(text)} is no {asked.key} here." + (f" Nearest: {near}." if near else ""))
