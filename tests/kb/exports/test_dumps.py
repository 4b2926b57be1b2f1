"""Dumps: what is in them and what never is, that they load where they should, and how versions take turns."""

import datetime as dt
import hashlib
import json
import sqlite3
import subprocess
import sys
import zipfile
from contextlib import closing
from pathlib import Path

import duckdb
import pandas as pd  # type: ignore[import-untyped]
import pytest

from kb.exports.dumps.publishing import TABLES, publish
from kb.exports.dumps.versions import file_in, versions_in
from kb.models import Issue
from tests.contracts.osv import OsvDocument
from tests.support.factories import make_issue

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("starter")]
TODAY = dt.date(2026, 11, 27)
PLANTED = "A sentence that only its author may hand out"


@pytest.fixture
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dump of the starter records, made once: no test that reads it changes them."""
    root = tmp_path_factory.getbasetemp() / "dumps"
    versions = versions_in(root)
    return versions[0].folder if versions else publish(root, today=TODAY, keep=7).folder


def lines(folder: Path, table: str) -> list[dict[str, object]]:
    with zstd.open(folder / "jsonl" / f"{table}.jsonl.zst", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_nothing_that_others_wrote_is_in_any_file(tmp_path: Path) -> None:
    make_issue(
        7, title=f"{PLANTED}: title", body=f"{PLANTED}: body", author="somebody", opened_at="2026-01-02T03:04:05Z"
    )
    folder = publish(tmp_path, today=TODAY, keep=7).folder
    assert any(str(row["url"]).endswith("DeepSpeed/issues/7") for row in lines(folder, "issues"))
    for path in folder.rglob("*"):
        content = b"" if path.is_dir() else path.read_bytes()
        for text in (content, zstd.decompress(content) if path.suffix == ".zst" else b""):
            assert PLANTED.encode() not in text, path


def test_the_same_knowledge_gives_the_same_bytes_and_no_new_version(dump: Path, tmp_path: Path) -> None:
    second = publish(tmp_path, today=TODAY, keep=7)
    assert (dump / "SHA256SUMS").read_text() == (second.folder / "SHA256SUMS").read_text()
    again = publish(tmp_path, today=TODAY + dt.timedelta(days=1), keep=7)
    assert (again.folder, again.is_new) == (second.folder, False)
    assert {path.name for path in tmp_path.iterdir()} == {second.folder.name, "latest"}


def test_new_knowledge_makes_a_version_and_the_oldest_goes(tmp_path: Path) -> None:
    for days in range(3):
        make_issue(title=f"{days}")
        publish(tmp_path, today=TODAY + dt.timedelta(days=days), keep=2)
    names = [version.name for version in versions_in(tmp_path)]
    assert [name[:10] for name in names] == ["2026-11-29", "2026-11-28"]
    assert (tmp_path / "latest").resolve().name == names[0]
    assert file_in(tmp_path, "latest", "SHA256SUMS") is not None
    for name in ("../SHA256SUMS", ".building", "jsonl", "jsonl/../README.md"):
        assert file_in(tmp_path, "latest", name) is None, name


def test_every_form_has_the_same_rows(dump: Path) -> None:
    package = json.loads((dump / "datapackage.json").read_text())
    with closing(sqlite3.connect(dump / "faultbook.sqlite")) as database:
        for table in TABLES:
            rows = lines(dump, table.name)
            path = dump / "parquet" / f"{table.name}.parquet"
            names = [column.name for column in table.columns]
            assert [list(row) for row in rows[:1]] == [names][: len(rows)], table.name
            assert len(duckdb.read_parquet(str(path)).fetchall()) == len(rows), table.name
            counted = database.execute(f"SELECT count(*) FROM [{table.name}]").fetchone()  # noqa: S608
            assert counted == (len(rows),), table.name
            (resource,) = (each for each in package["resources"] if each["path"] == f"parquet/{table.name}.parquet")
            assert [field["name"] for field in resource["schema"]["fields"]] == names


def test_duckdb_and_pandas_load_it_with_types_and_ids(dump: Path) -> None:
    with duckdb.connect() as database:
        found = database.execute(f"""
            SELECT r.public_id, r.recognise, l.node
            FROM '{dump}/parquet/records.parquet' r JOIN '{dump}/parquet/labels.parquet' l USING (public_id)
            WHERE r.public_id = 'FB-000860' AND l.axis = 'symptom' AND l.source = 'curated'
        """).fetchall()  # noqa: S608
    assert [(row[0], row[2]) for row in found] == [("FB-000860", "hang-collective")]
    assert isinstance(found[0][1], list)
    issues = pd.read_json(dump / "jsonl" / "issues.jsonl.zst", lines=True)
    assert issues.set_index("public_id").loc["FB-000860", "framework"] == "deepspeed"


def test_a_day_is_a_day(dump: Path) -> None:
    rows = [row for row in lines(dump, "issues") if row["opened_on"]]
    assert rows
    assert all(row["opened_at"] is None for row in rows), "records know no time of day"


def test_datasette_finds_words_and_counts(dump: Path) -> None:
    command = [
        sys.executable, "-m", "datasette", str(dump / "faultbook.sqlite"), "-m", str(dump / "datasette.json"), "--get",
        "/faultbook/records.json?_search=zero&_facet=severity&_shape=objects&_extra=suggested_facets&_size=5",
    ]  # fmt: skip
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    page = json.loads(answer.stdout)
    assert page["filtered_table_rows_count"] > 10
    assert page["facet_results"]["severity"]["results"]


def test_the_checksums_are_right_and_every_osv_file_has_the_form(dump: Path) -> None:
    for line in (dump / "SHA256SUMS").read_text().splitlines():
        digest, _, name = line.partition("  ")
        assert hashlib.sha256((dump / name).read_bytes()).hexdigest() == digest, name
    with zipfile.ZipFile(dump / "osv.zip") as archive:
        assert archive.namelist()
        for name in archive.namelist():
            document = json.loads(archive.read(name))
            OsvDocument.model_validate(document)
            assert name == f"{document['id']}.json"


def test_rows_name_issues_by_what_holds_on_every_server(dump: Path) -> None:
    ids = dict(Issue.objects.curated().values_list("url", "public_id"))
    assert {row["issue"]: row["public_id"] for row in lines(dump, "records")} == ids
    assert not any(column.name in ("id", "pk") for table in TABLES for column in table.columns)
