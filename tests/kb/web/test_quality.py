"""The page on how good Faultbook is: what it says is what was measured, and what was not measured is said, too."""

import csv
import io
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.core.quality.figures import OF_LOGS, SUBJECTS, Figure, figure, measured
from kb.core.quality.published import published
from kb.core.quality.wording import wording
from kb.web.quality.answers import answers
from kb.web.quality.tables import LAYOUTS, as_written, interval_of, tables
from tests.kb.web.reading import visit

pytestmark = pytest.mark.django_db
PAGE = "/about/quality/"
EVERY = [one for of in SUBJECTS for one in measured(of).figures]


class TestWords:
    def test_every_figure_has_its_words(self) -> None:
        words = wording()
        assert {one.name for one in EVERY} <= set(words.measures)
        assert {one.among for one in EVERY} <= set(words.sets)
        assert {one.by for one in EVERY} <= set(words.methods)

    def test_no_words_are_of_nothing(self) -> None:
        words = wording()
        assert {one.name for one in EVERY} == set(words.measures)
        assert {one.among for one in EVERY} == set(words.sets)
        assert {one.by for one in EVERY} == set(words.methods)

    def test_a_share_is_a_percentage_and_a_coefficient_a_number(self) -> None:
        share = Figure(among="real", name="hit_1", value=0.866, n=67, low=0.764, high=0.928)
        number = share.model_copy(update={"name": "f1"})
        assert (as_written(share), interval_of(share)) == ("87 %", "76–93 %")
        assert (as_written(number), interval_of(number)) == ("0.87", "0.76–0.93")


class TestPage:
    def test_begins_with_a_sentence_for_each_table_it_leads_to(self, client: Client) -> None:
        page = visit(client, PAGE)
        slugs = {layout.slug for layout in LAYOUTS}
        for answer in answers():
            assert answer.slug in slugs
            assert " ".join(answer.sentence.split()) in page.words
            assert f"#{answer.slug}" in page.links

    def test_a_sentence_tells_n_and_interval(self) -> None:
        assert [one.slug for one in answers() if not re.search(r"\(\S+–\S+( %)?, n\s=\s[\d,]+\)", one.sentence)] == []

    def test_every_row_says_something(self) -> None:
        rows = [(table.slug, row) for of in SUBJECTS for table in tables(of) for row in table.rows]
        assert rows
        assert [(slug, row) for slug, row in rows if not any(cell.value for cell in row.cells)] == []

    def test_no_row_of_a_table_is_missing(self) -> None:
        for layout in LAYOUTS:
            shown = next(table for table in tables(layout.of) if table.slug == layout.slug)
            assert len([row for row in shown.rows if not row.study]) == len(layout.rows), layout.slug

    def test_what_was_published_stands_below_ours_with_its_study(self, client: Client) -> None:
        page = visit(client, PAGE)
        for words in ("L4", "LogAnomaly", "NeuralLog", "Error_time", "0.873", "65.8 %", "45.2 %"):
            assert words in page.words
        assert "/studies/p4-l4-logs" in page.links

    def test_says_what_was_not_measured(self, client: Client) -> None:
        words = visit(client, PAGE).words
        for gap in wording().not_measured:
            assert " ".join(gap.split()) in words

    def test_asks_the_database_for_next_to_nothing(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(2):
            client.get(PAGE)

    @pytest.mark.parametrize("address", ["/about/", "/diagnose/"])
    def test_is_linked_from_where_people_ask(self, client: Client, address: str) -> None:
        content = client.get(address).content.decode().partition("<footer")[0]
        assert f'href="{PAGE}"' in content


class TestFiles:
    def test_the_csv_holds_every_figure(self, client: Client) -> None:
        text = client.get(PAGE, {"format": "csv"}).content.decode()
        rows = list(csv.DictReader(io.StringIO(text)))
        ours = [row for row in rows if not row["study"]]
        assert len(ours) == len(EVERY)
        assert sum(len(row.figures) for one in published() for row in one.rows) == len(rows) - len(ours)
        f1 = figure(of="diagnosis", name="f1")
        assert {(row["value"], row["n"]) for row in ours if (row["of"], row["among"], row["by"], row["name"]) == (
            "diagnosis", "held_out", "faultbook", "f1",
        )} == {(str(f1.value), str(f1.n))}  # fmt: skip

    def test_the_api_answers_the_same(self, client: Client) -> None:
        answer = client.get("/api/v1/quality/").json()
        told = [one for subject in answer["subjects"] for one in subject["figures"]]
        assert [(one["among"], one["by"], one["name"], one["value"]) for one in told] == [
            (*one.key, one.value) for one in EVERY
        ]
        assert answer["not_measured"] == list(wording().not_measured)

    def test_the_api_answers_for_one_part(self, client: Client) -> None:
        (subject,) = client.get("/api/v1/quality/", {"of": "labels"}).json()["subjects"]
        assert subject["of"] == "labels"
        assert client.get("/api/v1/quality/", {"of": "moon"}).status_code == 400


def test_levels_are_of_the_logs_whoever_reads_them() -> None:
    levels = [one for one in measured("diagnosis").figures if one.name.startswith("level_")]
    assert {one.by for one in levels} == {OF_LOGS}
