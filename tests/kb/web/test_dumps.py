"""The page of the dumps and their files: whole, in parts, only when they are new; and nothing beside them."""

import datetime as dt
from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from kb.exports.dumps.publishing import publish
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_issue

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(settings: Settings, tmp_path: Path) -> str:
    settings.DUMPS_DIR = tmp_path
    make_axis()
    make_issue(7, summary="It waits.", heading="It waits for ever", public_id="FB-000007")
    (tmp_path / "secret.txt").write_text("not for you", "utf-8")
    return publish(tmp_path, today=dt.date(2026, 11, 27), keep=2).folder.name


def test_without_a_version_the_page_says_so(client: Client, settings: Settings, tmp_path: Path) -> None:
    settings.DUMPS_DIR = tmp_path / "none"
    assert "None has been published here yet" in visit(client, "/dumps/").words
    assert client.get("/dumps/latest/README.md").status_code == 404


def test_the_page_lists_files_with_sizes_and_how_to_cite(client: Client, version: str) -> None:
    page = visit(client, "/dumps/")
    assert f"/dumps/{version}/faultbook.sqlite" in page.links
    assert version in page.words
    assert "Apache License 2.0" in page.words


def test_files_come_whole_in_parts_and_only_when_they_are_new(client: Client, version: str) -> None:
    path = f"/dumps/{version}/parquet/records.parquet"
    whole = client.get(path)
    content = b"".join(whole)
    assert content.startswith(b"PAR1")
    assert whole.headers["Content-Type"] == "application/vnd.apache.parquet"
    part = client.get(path, headers={"Range": "bytes=0-3"})
    assert (part.status_code, b"".join(part)) == (206, b"PAR1")
    assert client.get(path, headers={"If-None-Match": whole.headers["ETag"]}).status_code == 304


def test_the_newest_files_have_addresses_that_stay(client: Client, version: str) -> None:
    for path, name in (("/dumps/latest/README.md", "README.md"), ("/dumps/modified.csv", "modified.csv")):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/dumps/{version}/{name}")
    lines = b"".join(client.get("/dumps/modified.csv", follow=True)).decode().splitlines()
    assert [line.split(",")[0] for line in lines] == ["public_id", "FB-000007"]


@pytest.mark.parametrize(
    "path", ["secret.txt", "../secret.txt", "%2e%2e/secret.txt", "parquet", ".", "parquet/../README.md", "x" * 300]
)
def test_nothing_else_is_served(client: Client, version: str, path: str) -> None:
    assert client.get(f"/dumps/{version}/{path}").status_code == 404
    assert client.get(f"/dumps/{path}").status_code in (301, 404)
