"""Charts in the API: the numbers of their pages, for the same addresses."""

import pytest
from django.test import Client

from kb.charts.catalogue import CHARTS
from tests.support.factories import make_source

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("slug", [chart.slug for chart in CHARTS])
def test_says_what_the_page_says(client: Client, slug: str) -> None:
    query = "?framework=deepspeed,vllm"
    told = client.get(f"/api/v1/charts/{slug}/{query}").json()
    shown = client.get(f"/explore/charts/{slug}/{query}&format=json").json()
    for one, other in zip(told["records"], shown["records"], strict=True):
        url = one.pop("issues_url")
        assert (url or "") == other.pop("query")
        assert one == other
    assert told["counted"]["issues"] == shown["counted"]["issues"]
    # The starter's fixes have no sizes.
    assert told["records"] or slug in ("small-fixes", "effort-spread")
    assert told["sources"] == shown["sources"]
    assert told["page"] == f"http://testserver/explore/charts/{slug}/"


def test_lists_every_chart_with_its_options(client: Client) -> None:
    charts = client.get("/api/v1/charts/").json()["charts"]
    assert [chart["slug"] for chart in charts] == [chart.slug for chart in CHARTS]
    (heat_map,) = [chart for chart in charts if chart["slug"] == "symptom-cause"]
    assert {option["parameter"] for option in heat_map["options"]} == {"measure", "level"}


@pytest.mark.parametrize(
    ("query", "parameter", "says"),
    [
        ("measure=nope", "measure", "Choose one of: count, share, lift."),
        ("state=opne", "state", "opne"),
        ("source=rule", "source", "What rules suggest is not counted"),
        ("levle=2", "levle", "Did you mean level?"),
    ],
)
def test_what_is_wrong_is_named(client: Client, query: str, parameter: str, says: str) -> None:
    make_source("rule", kind="rule")
    answer = client.get(f"/api/v1/charts/symptom-cause/?{query}")
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["parameter"] == parameter
    assert says in error["detail"]


def test_an_unknown_chart_is_not_found(client: Client) -> None:
    assert client.get("/api/v1/charts/no-such-chart/").status_code == 404
