"""Every filter on every page: a repeat says the same as a comma, and what cannot be used is said."""

from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import resolve, reverse
from pytest_django import Settings

from ingest.web.urls import urlpatterns as ingest_urls
from kb.filters.issues import IssueFilter
from kb.search.names import forget
from kb.search.request import KEYS, ParsedSearch, read
from kb.web.urls import urlpatterns
from labeling.refusals import RefusedError
from labeling.selectors.population import matching
from tests.support.factories import make_source
from tests.support.filter_samples import two_values

pytestmark = pytest.mark.usefixtures("starter", "another_source")

# Pages that count or list issues by the filters of the address, with the name of what they understood.
PAGES = {
    "/issues/": "result",
    "/explore/": "evidence",
    "/explore/embed": "evidence",
    "/explore/charts/symptom-cause/": "evidence",
    "/explore/charts/symptom-cause/embed": "evidence",
    "/explore/given/": "evidence",
    "/explore/effort/": "evidence",
    "/explore/report/": "evidence",
}
UNKNOWN = "no-such-thing"
SIMPLE = sorted(
    one.name for one in (*urlpatterns, *ingest_urls) if one.name and "<" not in str(one.pattern)
)  # fmt: skip


@pytest.fixture
def another_source(starter: None) -> None:
    """The records have one source, and two are wanted."""
    make_source("a-team", kind="consensus")
    forget()


def values() -> dict[str, tuple[str, str]]:
    return {key: two_values(key, one) for key, one in IssueFilter.base_filters.items()}


def understood(client: Client, page: str, query: str) -> ParsedSearch:
    found: Any = client.get(f"{page}?{query}").context[PAGES[page]]
    return found.asked  # type: ignore[no-any-return]


class TestRepeats:
    @pytest.mark.parametrize("page", PAGES)
    def test_say_the_same_as_commas(self, client: Client, page: str) -> None:
        repeated = understood(client, page, "&".join(f"{k}={a}&{k}={b}" for k, (a, b) in values().items()))
        commas = understood(client, page, "&".join(f"{k}={a},{b}" for k, (a, b) in values().items()))
        assert {one.key for one in repeated.terms} == {*KEYS}
        assert repeated.conditions == commas.conditions
        assert repeated.params == commas.params

    def test_narrow_the_results_alike(self, client: Client, settings: Settings) -> None:
        # On a busy machine results would come without facets.
        settings.SEARCH_FACET_MILLISECONDS = 60_000
        for key, (first, second) in values().items():
            found = [
                client.get(f"/issues/?{query}").context["result"]
                for query in (f"{key}={first}&{key}={second}", f"{key}={first},{second}")
            ]
            assert found[0].errors == {}, key
            assert (found[0].ids, found[0].total) == (found[1].ids, found[1].total), key
            links = [[value.toggle_url for group in one.facets for value in group.values] for one in found]
            assert links[0] == links[1], key

    def test_are_one_in_feeds_and_hidden_fields(self, client: Client) -> None:
        assert client.get("/issues/feed.atom?symptom=hang&symptom=crash").status_code == 200
        html = client.get("/issues/?symptom=hang&symptom=crash").content.decode()
        assert '<input type="hidden" name="symptom" value="hang,crash">' in html

    def test_are_one_where_a_sample_is_drawn_from_a_search(self) -> None:
        assert matching(query="symptom=hang&symptom=crash") == matching(query="symptom=hang,crash")
        with pytest.raises(RefusedError):
            matching(query="q=hang&q=crash")

    def test_keep_a_quotation_to_its_own_value(self) -> None:
        asked = read(QueryDict('framework="vllm&framework=deepspeed&framework="a,b"&framework=-jax'))
        assert [str(one.value) for one in asked.terms] == ["vllm", "deepspeed", '"a,b"', "-jax"]

    @pytest.mark.parametrize("name", ["q", "sort", "match", "page"])
    def test_of_what_takes_one_value_are_an_error_of_the_search(self, name: str) -> None:
        assert "Given more than once" in read(QueryDict(f"{name}=1&{name}=2")).errors[name][0]

    @pytest.mark.parametrize("name", SIMPLE)
    def test_of_what_takes_one_value_are_refused_where_it_is_read(self, client: Client, name: str) -> None:
        response = client.get(f"{reverse(name)}?page=1&page=2")
        is_read = "page" in getattr(resolve(reverse(name)).func, "reads", ["page"])
        assert response.status_code == (400 if is_read else 200)
        assert ("“page”: Given more than once" in response.content.decode()) == is_read


class TestUnknownValues:
    @pytest.mark.parametrize("page", PAGES)
    def test_are_said_and_find_nothing(self, client: Client, page: str) -> None:
        response = client.get(f"{page}?" + "&".join(f"{key}={UNKNOWN}" for key in KEYS))
        assert {*response.context[PAGES[page]].errors} == {*KEYS}
        assert response.content.decode().count(f"“{UNKNOWN}” is not") >= len(KEYS)

    @pytest.mark.parametrize(
        ("address", "hint"),
        [
            ("/codebook/?scheme=p1", "P1"),
            ("/studies/compare?a=p1&b=p2-distributed-dl-systems", "p1-distributed-frameworks"),
            ("/studies/compare?a=p1-distributed-frameworks&b=p2-distributed-dl-systems&axis=x", "symptom"),
            ("/playbooks/?sort=x", "issues"),
            ("/explore/report/?charts=symptom-caus", "symptom-cause"),
            ("/explore/priorities/?group=x", "Known are"),
        ],
    )
    def test_are_refused_with_the_nearest(self, client: Client, address: str, hint: str) -> None:
        response = client.get(address)
        assert response.status_code == 400
        assert hint in response.content.decode()
