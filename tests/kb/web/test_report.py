"""A report holds the chosen charts with tables, method, sources and citation; its file needs nobody."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.support.factories import make_issue, make_label, make_node

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("starter")]
REPORT = "/explore/report/"


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_has_the_usual_charts_unless_others_are_named(client: Client) -> None:
    usual = [part.chart.slug for part in client.get(REPORT).context["parts"]]
    assert usual == ["symptom-cause", "cause-fix", "framework-symptom"]
    for query in ("charts=stage-symptom,year-type", "charts=stage-symptom&charts=year-type"):
        assert [part.chart.slug for part in client.get(f"{REPORT}?{query}").context["parts"]] == [
            "stage-symptom",
            "year-type",
        ]


def test_says_filters_codebook_sources_methods_and_how_to_cite(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(24):
        html = client.get(f"{REPORT}?framework=deepspeed&title=Hangs+of+ours").content.decode()
    text = words(html)
    for part in (
        "Hangs of ours",
        "Framework: DeepSpeed",
        "house, 1.",
        "Not a random sample",
        "Numbers and methods",
        "Method.",
        "Faultbook automated readers",
        "@misc{",
    ):
        assert part in text
    assert html.count('class="chart"') == 3
    assert 'style="' not in html


def test_begins_with_a_title_page_of_key_figures_and_findings(client: Client) -> None:
    response = client.get(f"{REPORT}?title=Ours")
    first = words(response.content.decode().split('class="report-title"')[1].split('class="report-part"')[0])
    for part in ("Ours", "Labelled issues", "Charts 3", "Codebook", "Counted", "All labelled issues"):
        assert part.lower() in first.lower(), part
    for part in response.context["parts"]:
        assert part.about.title in first


def test_a_number_is_that_of_the_charts_page(client: Client) -> None:
    part = client.get(f"{REPORT}?framework=deepspeed&measure=share").context["parts"][0]
    drawn = client.get("/explore/charts/symptom-cause/?framework=deepspeed&measure=share").context["drawn"]
    assert part.drawn.table == drawn.table


class TestFile:
    def test_asks_nobody_for_anything(self, client: Client) -> None:
        response = client.get(f"{REPORT}?framework=deepspeed&format=html")
        assert response.headers["Content-Disposition"] == 'attachment; filename="faultbook-report.html"'
        head, body = response.content.decode().split("<body", 1)
        page = re.sub(r"<script>.*?</script>", "", body, flags=re.DOTALL)
        assert not re.findall(r'(?:src|<link[^>]+href)="[^"]+"', page)
        assert not re.findall(r"@import|url\((?!['\"]?data:)", head)
        assert "Plotly" in body
        assert "@font-face" not in head
        assert '<base href="http://testserver/">' in head

    def test_names_are_text_in_it(self, client: Client) -> None:
        issue = make_issue()
        make_label(issue, make_node("evil", name="</script><script>alert(1)</script>"))
        assert "<script>alert(1)" not in client.get(f"{REPORT}?format=html").content.decode()


def test_a_wrong_filter_is_named_and_nothing_counted(client: Client) -> None:
    for extra in ("", "&format=html"):
        response = client.get(f"{REPORT}?state=opne{extra}")
        assert response.status_code == 400
        assert "opne" in words(response.content.decode())


def test_filters_that_leave_nothing_are_said(client: Client) -> None:
    assert "Nothing to draw" in words(client.get(f"{REPORT}?year=2009").content.decode())
