"""Published tables: the files are consistent, and loading them is exact and repeatable."""

from pathlib import Path
from shutil import copytree

import pytest
import yaml
from django.db import IntegrityError, transaction

from kb.charts.study_tables import study_tables
from kb.codebook.load import HERE, CodebookInvalidError, load_codebook, read_codebook
from kb.models import FRAMEWORK, REST, PublishedCell, PublishedTable, Study
from tests.support.factories import make_study

TABLES = "studies/tables/p6-open-llm-failures.yaml"


@pytest.mark.django_db
@pytest.mark.usefixtures("codebook")
class TestShipped:
    def test_sums_of_grids_are_the_sums_of_their_cells(self) -> None:
        grids = PublishedTable.objects.exclude(columns_by="")
        assert grids.count() >= 6
        for table in grids:
            cells = {(cell.row, cell.column): cell.count or 0 for cell in table.cells.all()}
            for row in table.row_keys:
                assert cells[row, ""] == sum(cells[row, column] for column in table.column_keys)
            # Printed for all columns or for none.
            summed = [column for column in table.column_keys if ("", column) in cells]
            assert summed in ([], list(table.column_keys))
            for column in summed:
                assert cells["", column] == sum(cells[row, column] for row in table.row_keys)
            assert cells["", ""] == table.total == sum(cells[row, ""] for row in table.row_keys)

    def test_printed_percentages_are_those_of_the_counts(self) -> None:
        cells = PublishedCell.objects.exclude(percent=None).exclude(count=None).select_related("table")
        assert cells.count() > 30
        for cell in cells:
            assert cell.table.total
            off = abs(100 * (cell.count or 0) / cell.table.total - (cell.percent or 0))
            assert off <= 0.5 / 10**cell.table.percent_digits + 1e-9, cell

    def test_the_doubtful_groups_of_the_inference_engines_are_marked(self) -> None:
        table = PublishedTable.objects.get(study__slug="inference-engines", slug="causes")
        assert set(table.cells.filter(is_doubtful=True).values_list("row", flat=True)) == {"IE.R4", "IE.R5", ""}

    def test_frameworks_sums_are_the_samples(self) -> None:
        for table in PublishedTable.objects.filter(rows_by=FRAMEWORK, columns_by="", total__isnull=False):
            assert sum(cell.count or 0 for cell in table.cells.exclude(row="")) == table.total
            assert table.total == table.study.sample_total

    def test_the_rows_of_a_table_with_a_rest_add_up_to_its_sum(self) -> None:
        table = PublishedTable.objects.get(study__slug="p3-training-systems", slug="causes")
        rows = {cell.row: cell for cell in table.cells.exclude(row="")}
        assert rows[REST].count == 137
        assert sum(cell.count or 0 for cell in rows.values()) == table.total == 300
        assert sum(cell.percent or 0 for cell in rows.values()) == pytest.approx(100)

    def test_the_rest_has_a_name_and_the_last_row_but_the_sum(self) -> None:
        shown = study_tables(study=Study.objects.get(slug="p3-training-systems"), is_imported=False)
        assert [line.heading.name for line in shown[0].lines][-2:] == ["All others together", "Sum"]

    def test_percentages_without_counts_end_with_their_average(self) -> None:
        table = PublishedTable.objects.get(study__slug="p5-llm-challenges", slug="false-positives")
        *rates, (row, average) = table.cells.order_by("pk").values_list("row", "percent")
        assert (len(rates), row, average) == (11, "", 11.19)
        assert round(sum(rate or 0 for _, rate in rates) / len(rates), 2) == average
        (shown,) = (
            each for each in study_tables(study=table.study, is_imported=False) if each.table.slug == table.slug
        )
        assert shown.lines[-1].heading.name == "Average"

    def test_loading_again_changes_nothing(self) -> None:
        before = list(PublishedCell.objects.order_by("pk").values_list())
        changes = load_codebook().changes
        assert (changes.created, changes.changed, changes.removed) == (0, 0, 0)
        assert list(PublishedCell.objects.order_by("pk").values_list()) == before


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(copytree(HERE, tmp_path / "codebook", ignore=lambda _folder, names: [n for n in names if ".py" in n]))


def write_tables(root: Path, **changes: object) -> None:
    path = root / TABLES
    file = yaml.safe_load(path.read_text())
    file["tables"][0] |= changes
    path.write_text(yaml.safe_dump(file, sort_keys=False))


@pytest.mark.django_db
@pytest.mark.usefixtures("codebook")
def test_what_leaves_the_file_leaves_the_database(copied: Path) -> None:
    write_tables(copied, slug="renamed", sums=[])
    load_codebook(copied)
    slugs = set(PublishedTable.objects.filter(study__slug="open-llm-failures").values_list("slug", flat=True))
    assert "renamed" in slugs
    assert "causes-by-symptom" not in slugs
    assert not PublishedCell.objects.filter(table__slug="renamed", row="").exclude(column="").exists()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"keys": ["OLF.S01", "OLF.S02", "OLF.S03", "OLF.S04", "OLF.S99"]}, "OLF.S99 is no symptom"),
        ({"rows": "colour"}, "there is no axis colour"),
        ({"sums": [1]}, "another number of cells than of columns"),
        ({"recounted": False}, "either recounted or a reason"),
        ({"average": 9.5}, "either a total or an average"),
        ({"columns": "year"}, "OLF.S01 is no year"),
        ({"from_codebook": True}, "either lines or from_codebook"),
        ({"rest": {"count": 1}}, "a rest stands only in a table of one column"),
    ],
)
def test_a_mistake_is_told(copied: Path, changes: dict[str, object], said: str) -> None:
    write_tables(copied, **changes)
    with pytest.raises(CodebookInvalidError, match=said):
        read_codebook(copied)


@pytest.mark.django_db
def test_a_table_says_why_it_cannot_be_counted_again() -> None:
    study = make_study("p9")
    with pytest.raises(IntegrityError, match="publishedtable_recounted_or_reason"), transaction.atomic():
        PublishedTable.objects.create(study=study, slug="t", rows_by="symptom", row_keys=[], unit="reports")
