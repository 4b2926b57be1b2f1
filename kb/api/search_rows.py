"""Results of a search in their short form, straight from the index's cards. The shape: `serializers.search`.

Hundreds of values make up one answer, and there is nothing to check in them: serializers would take most of its time.
"""

import math
from collections.abc import Collection, Iterator
from typing import Any

import orjson
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from kb.api.serializers.search import ResultSerializer
from kb.http.site import absolute
from kb.search import CardFix, CardNode, CardSource, Reason, Row, SearchResult, passage, reasons

DIGITS = 4


class FastJson(BaseRenderer):
    """JSON, encoded in a tenth of the time."""

    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data: Any, *_args: Any, **_kwargs: Any) -> bytes:
        """The encoded answer; what is no number is null."""
        return orjson.dumps(data, option=orjson.OPT_UTC_Z)


def result_objects(
    result: SearchResult, request: Request, fields: Collection[str] | None = None
) -> list[dict[str, Any]]:
    """The shown results; `fields`: only these keys."""
    keys_in_order = ResultSerializer.keys()
    keys = keys_in_order if fields is None else fields
    whys: Iterator[Reason | None] = iter(reasons(result)) if "why" in keys else iter(())
    words = frozenset(word for one in result.plan.text.wanted for word, _ in one.words) if "passage" in keys else None
    site = absolute(request, "/").rstrip("/")
    rows = [_object(row, site) | _found(row, words, next(whys, None)) for row in result.rows]
    if fields is None:
        return rows
    kept = [key for key in keys_in_order if key in fields]
    return [{key: row[key] for key in kept} for row in rows]


def _object(row: Row, site: str) -> dict[str, Any]:
    """What the card says."""
    card = row.card
    return {
        "id": card.id,
        "url": card.url,
        "page": site + card.page,
        "name": card.name,
        "title": card.title,
        "framework": card.framework,
        "framework_name": card.framework_name,
        "repository": card.repository,
        "kind": card.kind,
        "state": card.state,
        "opened_at": card.opened_at,
        "closed_at": card.closed_at,
        "comments": card.comments,
        "curated": card.curated,
        "resolved": card.resolved,
        "start": card.start or None,
        "symptoms": [_node(node, site) for node in card.symptoms],
        "causes": [_node(node, site) for node in card.causes],
        "patterns": [_node(node, site) for node in card.patterns],
        "suggested": [_node(node, site) for node in card.suggested],
        "fix": _fix(card.fix) if card.fix else None,
        "more_fixes": card.more_fixes,
        "sources": [_source(source) for source in card.sources],
    }


def _found(row: Row, words: frozenset[str] | None, why: Reason | None) -> dict[str, Any]:
    """Why it was found."""
    score, measures = row.judged.score, row.judged.measures
    return {
        "passage": passage(row.card.text, words) if words else [],
        "score": round(score, DIGITS) if math.isfinite(score) and (measures or score) else None,
        "measures": {name: round(value, DIGITS) for name, value in measures.items()},
        "why": {
            "title": why.title if why else (),
            "elsewhere": why.elsewhere if why else (),
            "alike": why.alike if why else (),
        },
    }


def _node(node: CardNode, site: str) -> dict[str, str]:
    return {"code": node.code, "name": node.name, "page": site + node.url}


def _fix(fix: CardFix) -> dict[str, Any]:
    return {"url": fix.url, "name": fix.name, "lines": fix.lines, "is_small": fix.small}


def _source(source: CardSource) -> dict[str, Any]:
    return {
        "slug": source.slug,
        "name": source.name,
        "kind": source.kind,
        "study": source.study or None,
        "confidence": source.confidence,
    }
