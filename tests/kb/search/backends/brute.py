"""The promise in plain Python: what a request finds among documents, and in what order."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from kb.core.search.backend import chosen_sources, conditions_of, without
from kb.core.search.keys import CODE_KEYS
from kb.core.search.values import Condition, Document, Request, Sort, TextQuery


def values_of(document: Document, key: str, sources: Sequence[str]) -> set[str]:
    """The document's values; with chosen sources, the codes that one of these holds."""
    if sources and key in CODE_KEYS:
        starts = [f"{source}|{key}/" for source in sources]
        held = document.values.get("held", ())
        return {value.removeprefix(start) for value in held for start in starts if value.startswith(start)}
    return set(document.values.get(key, ()))


def meets(document: Document, condition: Condition, sources: Sequence[str]) -> bool:
    if condition.low is not None or condition.high is not None:
        number = document.numbers.get(condition.key)
        if number is None or number < (condition.low or 0) or (condition.high is not None and number > condition.high):
            return False
    values = values_of(document, condition.key, sources)
    return (not condition.wanted or bool(values & set(condition.wanted))) and not values & set(condition.unwanted)


def stands(document: Document, words: Sequence[str]) -> bool:
    """Do the words stand together in one text field?"""
    texts = (text.split() for text in document.texts.values())
    return any(
        tuple(text[i : i + len(words)]) == tuple(words) for text in texts for i in range(len(text) - len(words) + 1)
    )


def matches(document: Document, text: TextQuery) -> bool:
    count = sum(any(stands(document, (word,)) for word, _ in wanted.words) for wanted in text.wanted)
    return (
        (not text.wanted or count >= max(1, text.least))
        and all(stands(document, words) for words in text.phrases)
        and not any(stands(document, words) for words in text.unwanted)
    )


def narrowed(documents: Iterable[Document], conditions: Sequence[Condition]) -> list[Document]:
    sources = chosen_sources(conditions)
    return [one for one in documents if all(meets(one, condition, sources) for condition in conditions)]


def expected(documents: Iterable[Document], request: Request) -> tuple[list[int], dict[str, dict[str, int]]]:
    """Ids in order (for relevance: newest first, curated before others), and the facets."""
    matching = [document for document in documents if matches(document, request.text)]
    conditions = conditions_of(request)
    facets = {}
    for group in request.facets:
        others = without(conditions, group)
        sources = chosen_sources(others)
        facets[group] = dict(Counter(v for d in narrowed(matching, others) for v in values_of(d, group, sources)))
    found = sorted(narrowed(matching, conditions), key=lambda document: order_of(document, request.sort))
    return [document.id for document in found], facets


def order_of(document: Document, sort: Sort) -> tuple[int, ...]:
    numbers = document.numbers
    newest = ("opened_at" not in numbers, -numbers.get("opened_at", 0), -document.id)
    if sort is Sort.DISCUSSED:
        return ("comments" not in numbers, -numbers.get("comments", 0), *newest)
    if sort is Sort.QUICKEST:
        return ("open_seconds" not in numbers, numbers.get("open_seconds", 0), *newest)
    if sort is Sort.NEWEST:
        return newest
    return ("true" not in document.values.get("curated", ()), *newest)


def as_the_fallback_reads_it(documents: Iterable[Document], text: TextQuery) -> TextQuery:
    """Every wanted word where all are asked for; of fewer than all, every one, or any when no issue has all."""
    every = replace(text, least=len(text.wanted))
    means_all = text.least > 1 and (
        text.least >= len(text.wanted) or any(matches(document, every) for document in documents)
    )
    return every if means_all else replace(text, least=1)
