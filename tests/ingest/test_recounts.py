"""Published tables counted again from imported rows, on a small set: every way in which the two counts may part."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ingest.imports.studies.load import import_study
from kb.charts.study_tables import StudyTable, study_tables
from kb.models import Issue, Kind, Node, PublishedCell, PublishedTable, Study
from tests.ingest.small import HEADER, ISSUE, make_small_study, small_mapping
from tests.support.factories import make_repository

pytestmark = pytest.mark.django_db
# A.1: issues 1 and 2, issue 1 a second time; B.1: issue 3, a pull request.
ROWS = (
    f"{ISSUE}1,A.1,A.1,A.1,A.1,Crash - CUDA Error",
    f"{ISSUE}2,A.1,A.1,A.1,A.1,Crash - CUDA Error - Out of Memory",
    f"{ISSUE}3,B.1,B.1,B.1,B.1,Hang",
    f"{ISSUE}1,A.1,A.1,A.1,A.1,Crash - CUDA Error",
)
CELLS = {
    "one": {("A.1", ""): 3, ("B.1", ""): 1, ("", ""): 4},
    "levels": {("S1", ""): 3, ("S1.1", ""): 3, ("S1.1.1", ""): 2, ("S2", ""): 1, ("", ""): 4},
    "crossed": {("A.1", "S1"): 3, ("A.1", "S2"): 0, ("B.1", "S1"): 0, ("B.1", "S2"): 1, ("A.1", ""): 3},
    "frameworks": {("deepspeed", ""): 4},
}
BY = {"one": ("theme", ""), "levels": ("symptom", ""), "crossed": ("theme", "symptom"), "frameworks": ("framework", "")}


@pytest.fixture
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    cache.clear()
    made = make_small_study()
    make_repository()
    for slug, (rows, columns) in BY.items():
        keys = CELLS[slug]
        table = PublishedTable.objects.create(
            study=made, slug=slug, title=f"Table {slug}", place="Page 1", unit="records", trust="primary", rows_by=rows,
            columns_by=columns, row_keys=list(dict.fromkeys(row for row, _ in keys if row)),
            column_keys=["S1", "S2"] if columns else [], total=4, is_recounted=True,
        )  # fmt: skip
        PublishedCell.objects.bulk_create(
            PublishedCell(table=table, row=row, column=column, count=n) for (row, column), n in keys.items()
        )
    yield made
    cache.clear()


@pytest.fixture
def imported(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Study:
    file = tmp_path_factory.mktemp("small") / "small.csv"
    file.write_text("\n".join((HEADER, *ROWS)) + "\n")
    import_study(mapping=small_mapping(), files=[file])
    Issue.objects.filter(ref="3").update(kind=Kind.PULL_REQUEST)
    cache.clear()
    return study


def tables(study: Study) -> dict[str, StudyTable]:
    return {shown.table.slug: shown for shown in study_tables(study=study, is_imported=True)}


def test_rows_count_as_the_study_does_and_issues_as_the_site_does(imported: Study) -> None:
    one = tables(imported)["one"].comparison.cells
    assert {key: cell.recounted for key, cell in one.items()} == CELLS["one"]
    assert {key: cell.issues for key, cell in one.items()} == {("A.1", ""): 2, ("B.1", ""): 0, ("", ""): 2}
    assert tables(imported)["one"].said == "All 3 numbers equal the published ones."


def test_what_stands_below_a_category_counts_for_it(imported: Study) -> None:
    differing = tables(imported)["levels"].comparison.differing
    assert [(cell.key[0], cell.difference) for cell in differing] == [("S1.1.1", -1)]
    assert tables(imported)["levels"].said == ("1 of 5 numbers differ: Out of Memory 2 published, 1 counted.")


def test_two_axes_and_frameworks_are_counted_too(imported: Study) -> None:
    shown = tables(imported)
    assert not shown["crossed"].comparison.differing
    assert len(shown["crossed"].comparison.compared) == 5
    assert shown["frameworks"].comparison.cells["deepspeed", ""].recounted == 4


def test_nothing_is_counted_of_what_is_not_imported(study: Study, client: Client) -> None:
    assert all(not shown.is_imported and not shown.said for shown in tables(study).values())
    html = client.get("/studies/small").content.decode()
    assert "Not imported here, so nothing is counted again." in html
    assert "Counted again" not in html


def test_the_page_shows_categories_that_come_before_the_one_above_them(study: Study, client: Client) -> None:
    Node.objects.filter(axis__scheme__study=study, parent=None).update(position=9)
    response = client.get("/studies/small")
    assert response.status_code == 200
    assert "CUDA Error" in response.content.decode()


def test_the_page_shows_numbers_differences_and_the_reason(imported: Study, client: Client) -> None:
    html = " ".join(client.get("/studies/small").content.decode().split())
    assert "1 of 5 numbers differ: Out of Memory 2 published, 1 counted." in html
    assert "leaves pull requests out" in html
    assert "That makes 2 here instead of 4." in html


def test_the_second_look_asks_for_no_counts(imported: Study, client: Client) -> None:
    with CaptureQueriesContext(connection) as first:
        client.get("/studies/small")
    with CaptureQueriesContext(connection) as second:
        client.get("/studies/small")
    assert any("WITH things" in query["sql"] for query in first)
    assert not any("WITH things" in query["sql"] for query in second)
    assert len(second) <= 14


def test_a_new_label_is_counted_at_once(imported: Study, client: Client, tmp_path: Path) -> None:
    client.get("/studies/small")
    more = tmp_path / "more.csv"
    more.write_text(f"{HEADER}\n{ISSUE}9,A.1,A.1,A.1,A.1,Hang\n")
    import_study(mapping=small_mapping(), files=[more])
    assert tables(imported)["one"].comparison.cells["A.1", ""].recounted == 4


class TestFiles:
    @pytest.mark.usefixtures("imported")
    def test_csv_and_json_hold_the_same_cells(self, client: Client) -> None:
        lines = client.get("/studies/small/tables/levels.csv").content.decode().splitlines()
        found = client.get("/studies/small/tables/levels.json").json()
        assert len(lines) == 1 + len(found["cells"]) == 6
        assert found["cells"][2] == {
            "row": "S1.1.1", "row_name": "Out of Memory", "column": "", "column_name": "Sum", "published": 2,
            "published_percent": None, "doubtful": False, "recounted": 1, "recounted_percent": None, "difference": -1,
            "issues_on_this_site": 1, "unit": "records", "trust": "primary",
        }  # fmt: skip
        assert found["verdict"].startswith("1 of 5")
        assert found["url"].endswith("/studies/small#table-levels")

    def test_a_cell_that_looks_like_a_formula_is_text(self, study: Study, client: Client) -> None:
        for sign in "=+-@":
            Node.objects.filter(axis__scheme__study=study, code="A.1").update(name=f"{sign}HYPERLINK()")
            assert f",'{sign}HYPERLINK()" in client.get("/studies/small/tables/one.csv").content.decode().replace(
                '"', ""
            )

    @pytest.mark.parametrize("path", ["small/tables/nope.csv", "nope/tables/one.json", "small/tables/nope.json"])
    @pytest.mark.usefixtures("study")
    def test_what_there_is_not_is_not_found(self, client: Client, path: str) -> None:
        assert client.get(f"/studies/{path}").status_code == 404


def test_what_was_not_given_is_said_and_compared_with_nothing(imported: Study, client: Client) -> None:
    for slug, rows_by, columns_by, cells in (
        ("two", "framework", "", {("deepspeed", ""): 4, ("vllm", ""): 9, ("", ""): 13}),
        (
            "grid",
            "theme",
            "framework",
            {("A.1", "deepspeed"): 3, ("A.1", "vllm"): 9, ("A.1", ""): 12, ("", "deepspeed"): 4, ("", "vllm"): 9},
        ),
    ):
        table = PublishedTable.objects.create(
            study=imported, slug=slug, title=slug, place="Page 2", unit="records", trust="primary", rows_by=rows_by,
            columns_by=columns_by, row_keys=list(dict.fromkeys(row for row, _ in cells if row)),
            column_keys=["deepspeed", "vllm"] if columns_by else [], total=13, is_recounted=True,
        )  # fmt: skip
        PublishedCell.objects.bulk_create(
            PublishedCell(table=table, row=row, column=column, count=n) for (row, column), n in cells.items()
        )
    shown = {each.table.slug: each for each in study_tables(study=imported, is_imported=True)}
    assert [heading.key for heading in shown["two"].not_given] == ["vllm"]
    assert {cell.key for cell in shown["two"].comparison.compared} == {("deepspeed", "")}
    assert {cell.key for cell in shown["grid"].comparison.compared} == {("A.1", "deepspeed"), ("", "deepspeed")}
    assert not shown["two"].comparison.differing
    assert not shown["grid"].comparison.differing
    assert not shown["one"].not_given
    page = " ".join(client.get(f"/studies/{imported.slug}").content.decode().split())
    assert "Imported in part; not given: vLLM. Sums" in page
    assert "9 published, 0 counted" not in page
