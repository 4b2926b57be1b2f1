"""Dumps of the starter records: what is in them, and that they load where they should."""

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
from faultbook import data
from faultbook.__main__ import main

from kb.exports.dumps.publishing import TABLES, publish
from kb.exports.dumps.versions import versions_in
from kb.models import FormerId, Issue
from kb.starter.load import load_starter
from tests.contracts.osv import OsvDocument

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("starter")]
TODAY = dt.date(2026, 11, 27)


@pytest.fixture
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dump of the starter records, made once: no test that reads it changes them."""
    root = tmp_path_factory.getbasetemp() / "dumps"
    versions = versions_in(root)
    return versions[0].folder if versions else publish(root, today=TODAY, keep=7).folder


def lines(folder: Path, table: str) -> list[dict[str, object]]:
    with zstd.open(folder / "jsonl" / f"{table}.jsonl.zst", "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_a_client_renews_its_data_from_it(dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAULTBOOK_DATA", str(tmp_path))
    assert main(["update", "--file", str(dump / data.NAME)]) == 0
    assert (tmp_path / data.NAME).read_bytes() == (dump / data.NAME).read_bytes()


def test_the_same_knowledge_gives_the_same_bytes_and_no_new_version(dump: Path, tmp_path: Path) -> None:
    second = publish(tmp_path, today=TODAY, keep=7)
    assert (dump / "SHA256SUMS").read_text() == (second.folder / "SHA256SUMS").read_text()
    again = publish(tmp_path, today=TODAY + dt.timedelta(days=1), keep=7)
    assert (again.folder, again.is_new) == (second.folder, False)
    assert {path.name for path in tmp_path.iterdir()} == {second.folder.name, "latest"}


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
    with zstd.open(dump / "jsonl" / "issues.jsonl.zst", "rt", encoding="utf-8") as file:
        issues = pd.read_json(file, lines=True)
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


def test_another_server_gives_the_faults_the_same_ids(dump: Path, tmp_path: Path) -> None:
    ids = dict(Issue.objects.curated().values_list("url", "public_id"))
    with zipfile.ZipFile(dump / "records.zip") as archive:
        names = archive.namelist()
        some = [name for name in names if name.startswith("deepspeedai__deepspeed/")]
        archive.extractall(tmp_path, some)
    assert len(ids) == sum(name.endswith(".yaml") for name in names)
    Issue.objects.all().delete()
    FormerId.objects.all().delete()
    assert load_starter(tmp_path, tmp_path / "no-passes").records == len(some) > 0
    assert all(ids[url] == public_id for url, public_id in Issue.objects.curated().values_list("url", "public_id"))


def test_rows_name_issues_by_what_holds_on_every_server(dump: Path) -> None:
    ids = dict(Issue.objects.curated().values_list("url", "public_id"))
    assert {row["issue"]: row["public_id"] for row in lines(dump, "records")} == ids
    assert not any(column.name in ("id", "pk") for table in TABLES for column in table.columns)
