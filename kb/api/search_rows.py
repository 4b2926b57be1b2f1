"""Results of a search in their short form, straight from the index's cards.

A page holds hundreds of values that need no validation; serializers would take most of the answer's time.
"""

import math
from collections.abc import Collection
from typing import cast

from rest_framework.request import Request

from kb.api.serializers.search import (
    ResultAnswerData,
    ResultData,
    ResultFixData,
    ResultNodeData,
    ResultSerializer,
    ResultSourceData,
)
from kb.http.site import absolute
from kb.search import Card, CardNode, Reason, Row, SearchResult, passage, reasons

DIGITS = 4
NO_REASON = Reason(title=(), elsewhere=(), alike=(), wanted=0)


def result_rows(result: SearchResult, request: Request, fields: Collection[str] | None = None) -> list[ResultData]:
    """The results of the page; with `fields`, only these keys of each."""
    keys = ResultSerializer.keys() if fields is None else fields
    why = reasons(result) if "why" in keys else [NO_REASON] * len(result.rows)
    words: set[str] = set()
    if "passage" in keys:
        for wanted in result.plan.text.wanted:
            words.update(word for word, _ in wanted.words)
    site = absolute(request, "/").rstrip("/")
    rows = [_result_row(row, site, frozenset(words), reason) for row, reason in zip(result.rows, why, strict=True)]
    if fields is None:
        return rows
    return [cast("ResultData", {key: value for key, value in row.items() if key in fields}) for row in rows]


def _result_row(row: Row, site: str, words: frozenset[str], reason: Reason) -> ResultData:
    card, score, measures = row.card, row.judged.score, row.judged.measures
    has_score = math.isfinite(score) and bool(measures or score)
    fix: ResultFixData | None = None
    if card.fix:
        fix = {"url": card.fix.url, "name": card.fix.name, "lines": card.fix.lines, "is_small": card.fix.small}
    return {
        "id": card.id,
        "public_id": card.public_id or None,
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
        "fix_line": card.fix_line or None,
        "certainty": card.certainty or None,
        "answered_by": _answer_row(card, site),
        "symptoms": _node_rows(card.symptoms, site),
        "causes": _node_rows(card.causes, site),
        "patterns": _node_rows(card.patterns, site),
        "suggested": _node_rows(card.suggested, site),
        "fix": fix,
        "more_fixes": card.more_fixes,
        "sources": _source_rows(card),
        "passage": passage(card.text, words) if words else (),
        "score": round(score, DIGITS) if has_score else None,
        "measures": {name: round(value, DIGITS) for name, value in measures.items()},
        "why": {"title": reason.title, "elsewhere": reason.elsewhere, "alike": reason.alike},
    }


def _answer_row(card: Card, site: str) -> ResultAnswerData | None:
    answer = card.answered_by
    if answer is None:
        return None
    return {
        "page": site + answer.page,
        "name": answer.name,
        "title": answer.title,
        "fix_line": answer.fix_line or None,
    }


def _node_rows(nodes: Collection[CardNode], site: str) -> list[ResultNodeData]:
    return [{"code": node.code, "name": node.name, "page": site + node.url} for node in nodes]


def _source_rows(card: Card) -> list[ResultSourceData]:
    return [
        {
            "slug": source.slug,
            "name": source.name,
            "kind": source.kind,
            "study": source.study or None,
            "confidence": source.confidence,
        }
        for source in card.sources
    ]
