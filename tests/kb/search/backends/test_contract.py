"""Every engine gives the same matches, counts and orders: those of a plain reading of the request."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.core.search.backend import Backend
from kb.core.search.values import Condition, Document, Request, Sort, TextQuery, Wanted
from kb.search.backends.fields import VALUE_KEYS
from tests.kb.search.backends.brute import as_the_fallback_reads_it, expected
from tests.kb.search.backends.corpus import ISSUES, WORDS, requests

pytestmark = pytest.mark.django_db

COMMON = TextQuery((Wanted((("gpu", 1.0),)), Wanted((("kernel", 1.0),))))


@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_any_request_finds_and_counts_what_a_plain_reading_does(
    engine: Backend, corpus: list[Document], data: st.DataObject
) -> None:
    is_fallback = engine.name == "postgres"
    request = data.draw(requests(corpus, phrases=not is_fallback))
    assert engine.supports(request)
    hits = engine.find(request)
    if is_fallback and request.text.wanted:
        request = replace(request, text=as_the_fallback_reads_it(corpus, request.text))
    ids, facets = expected(corpus, request)
    found = [candidate.id for candidate in hits.candidates]
    if request.sort is Sort.RELEVANCE and not request.text.is_empty:
        ranks = [(-candidate.score, -candidate.id) for candidate in hits.candidates]
        assert ranks == sorted(ranks)
        ids, found = sorted(ids), sorted(found)
    assert found == ids
    assert hits.total == len(ids)
    assert {group: dict(counts) for group, counts in hits.facets.items()} == facets


@pytest.mark.parametrize("sort", list(Sort))
@pytest.mark.parametrize("text", [TextQuery(), COMMON])
def test_pages_put_together_are_the_whole(engine: Backend, sort: Sort, text: TextQuery) -> None:
    whole = engine.find(Request(text, sort=sort, limit=ISSUES)).candidates
    pages = [engine.find(Request(text, sort=sort, offset=start, limit=7)).candidates for start in range(0, ISSUES, 7)]
    assert len(whole) > 20
    assert [candidate for page in pages for candidate in page] == list(whole)


def test_a_page_behind_the_last_one_is_empty(engine: Backend) -> None:
    assert engine.find(Request(offset=10_000)).candidates == ()


def test_a_facets_count_is_what_the_click_finds(engine: Backend) -> None:
    asked = Request(COMMON, (Condition("symptom", ("top",)), Condition("state", ("open",))), facets=VALUE_KEYS)
    for group, counts in engine.find(asked).facets.items():
        others = tuple(condition for condition in asked.conditions if condition.key != group)
        for value, count in counts.items():
            clicked = replace(asked, conditions=(*others, Condition(group, (value,))), facets=())
            if group != "source":
                assert engine.find(clicked).total == count, (group, value)


def test_pull_requests_are_left_out_unless_asked_for(engine: Backend) -> None:
    pulls = engine.find(Request(conditions=(Condition("kind", ("pull_request",)),))).total
    others = engine.find(Request()).total
    assert pulls > 0
    assert pulls + others == ISSUES


def test_with_a_source_only_its_codes_count(engine: Backend, corpus: list[Document]) -> None:
    asked = Request(conditions=(Condition("source", ("curated",)), Condition("symptom", ("top",))), limit=ISSUES)
    found = {candidate.id for candidate in engine.find(asked).candidates}
    held = {d.id for d in corpus if "curated|symptom/top" in d.values.get("held", ())}
    borrowed = {
        d.id for d in corpus if "curated" in d.values.get("source", ()) and "top" in d.values.get("symptom", ())
    }
    assert found <= held < borrowed


def test_what_rules_suggest_is_found_by_their_source_alone(engine: Backend, corpus: list[Document]) -> None:
    def found(*conditions: Condition) -> set[int]:
        asked = Request(conditions=(*conditions, Condition("symptom", ("top",))), limit=ISSUES)
        return {candidate.id for candidate in engine.find(asked).candidates}

    suggested = {d.id for d in corpus if "rule|symptom/top" in d.values.get("held", ())}
    labelled = {d.id for d in corpus if "top" in d.values.get("symptom", ())}
    assert suggested - labelled, "some have it from rules only"
    assert found(Condition("source", ("rule",))) <= suggested
    assert found(Condition("source", ("rule",))) - labelled
    assert found() <= labelled


@pytest.mark.parametrize(
    "word",
    [
        "'",
        '"',
        "\\",
        "%",
        "a & | ! b",
        "); DROP TABLE kb_issue; --",
        "\x00",
        "-",
        "😀",
        "*",
        "title:x",
        "",
        "x" * 70_000,
    ],
)
def test_hostile_words_find_nothing_but_never_fail(engine: Backend, word: str) -> None:
    text = TextQuery((Wanted(((word, 1.0),)),), phrases=((word, word),), unwanted=((word,),))
    assert engine.find(Request(text, facets=("state",))).total == 0
    assert engine.find(Request(TextQuery(unwanted=((word,), (word, word))))).total > 0


@pytest.mark.parametrize("value", ['"', "a:b", "x AND y", "\\", "*", "😀", "", "a|b"])
def test_hostile_values_find_nothing_but_never_fail(engine: Backend, value: str) -> None:
    conditions = (Condition("symptom", (value,)), Condition("source", unwanted=(value,)))
    assert engine.find(Request(conditions=conditions, facets=("symptom", "source"))).total == 0


@pytest.mark.parametrize(
    "request_",
    [
        Request(conditions=(Condition("colour", ("red",)),)),
        Request(facets=("colour",)),
        Request(conditions=(Condition("state", low=1),)),
    ],
)
def test_what_no_engine_knows_is_not_supported(engine: Backend, request_: Request) -> None:
    assert not engine.supports(request_)
    with pytest.raises(ValueError, match="no engine knows"):
        engine.find(request_)


def test_size_and_frequencies_count_documents(engine: Backend, corpus: list[Document]) -> None:
    assert engine.size() == len(corpus)
    holding = sum(any("gpu" in text.split() for text in document.texts.values()) for document in corpus)
    found = engine.frequencies(["gpu", "nowhere"])
    assert found["nowhere"] == 0
    assert holding <= found["gpu"] <= holding + 30
    assert {word for word, _ in engine.words_starting("h", 3)} <= set(WORDS) | {"hous", "host"}
