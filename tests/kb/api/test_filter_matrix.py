"""Every filter of every list: a repeat says the same as a comma, and what is not known is refused with what is."""

from typing import Any

import pytest
from django.test import Client

from kb.search.names import forget
from tests.support.factories import make_source
from tests.support.filter_samples import filtered_lists, takes_several, two_values

pytestmark = pytest.mark.usefixtures("starter", "another_source")

LISTS = filtered_lists()
UNKNOWN = "no-such-thing"


@pytest.fixture
def another_source(starter: None) -> None:
    """The records have one source, and two are wanted."""
    make_source("a-team", kind="consensus")
    forget()


def found(client: Client, address: str) -> Any:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == 200, (address, response.content)
    answer = response.json()
    return {key: answer[key] for key in ("count", "results", "counted", "records", "facets") if key in answer}


def refused(client: Client, address: str) -> dict[str, str]:
    response = client.get(f"/api/v1/{address}")
    assert response.status_code == 400, (address, response.content[:500])
    return {error["parameter"]: error["detail"] for error in response.json()["errors"]}


def test_every_list_is_here() -> None:
    assert {path.split("/")[0] for path in LISTS} == {
        "issues", "search", "charts", "fixes", "repositories", "nodes", "crosswalks", "cause-links",
    }  # fmt: skip


@pytest.mark.parametrize("path", LISTS)
class TestEveryFilter:
    def test_says_the_same_repeated_as_with_a_comma(self, client: Client, path: str) -> None:
        fields = "?fields=url&" if path.startswith("issues") else "?"
        for key, one in LISTS[path].base_filters.items():
            if not takes_several(one):
                continue
            first, second = two_values(key, one)
            repeated = found(client, f"{path}{fields}{key}={first}&{key}={second}")
            assert repeated == found(client, f"{path}{fields}{key}={first},{second}"), key

    def test_that_takes_one_value_is_refused_when_repeated(self, client: Client, path: str) -> None:
        single = [key for key, one in LISTS[path].base_filters.items() if not takes_several(one)]
        for key in [*single, *([] if path.startswith("charts") else ["page"])]:
            assert "Given more than once" in refused(client, f"{path}?{key}=1&{key}=1")[key]

    def test_refuses_what_is_not_known_and_says_what_is(self, client: Client, path: str) -> None:
        for key, one in LISTS[path].base_filters.items():
            if not takes_several(one):
                continue
            for value in (UNKNOWN, f"{two_values(key, one)[0]},{UNKNOWN}"):
                said = refused(client, f"{path}?{key}={value}")[key]
                assert UNKNOWN in said, key
                assert any(hint in said for hint in ("Nearest: ", "Known are", "Choose one of: ", "give ")), said


class TestExamples:
    def test_a_studys_code_leads_to_its_scheme(self, client: Client) -> None:
        assert "Nearest: " in (said := refused(client, "crosswalks/?scheme=p1")["scheme"])
        assert "(p1-distributed-frameworks)" in said

    @pytest.mark.parametrize("name", ["q", "sort", "match", "facets", "page_size", "url"])
    def test_a_search_takes_one_of_each(self, client: Client, name: str) -> None:
        assert "Given more than once" in refused(client, f"issues/?{name}=a&{name}=b")[name]

    def test_keys_of_a_result_may_be_repeated_too(self, client: Client) -> None:
        (first, *_) = client.get("/api/v1/schemes/?fields=slug&fields=name").json()["results"]
        assert set(first) == {"slug", "name"}

    def test_a_facets_link_holds_each_filter_once(self, client: Client) -> None:
        answer = client.get("/api/v1/search/?framework=vllm&framework=deepspeed").json()
        urls = [value["toggle_url"] for group in answer["facets"] for value in group["values"]]
        assert urls
        assert all(url.count("framework=") <= 1 for url in urls)
        assert any("framework=vllm,deepspeed&" in url for url in urls)

    def test_a_cursor_belongs_to_both_ways_of_saying_it(self, client: Client) -> None:
        page = client.get("/api/v1/nodes/?axis=symptom&axis=root_cause&cursor=&page_size=5").json()
        rest = page["next"].replace("axis=symptom&axis=root_cause", "axis=symptom,root_cause")
        assert client.get(rest).json()["results"] == client.get(page["next"]).json()["results"]
