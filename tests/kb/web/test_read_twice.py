"""How a curated record's labels were made: told on the issue's page and by the API, from the kept files."""

import datetime as dt
import shutil
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from kb.models import Issue, Source, TwoReadings
from kb.starter.load import RECORDS, load_starter
from kb.starter.passes import PASSES
from tests.support.factories import make_axis, make_issue, make_label, make_node

pytestmark = pytest.mark.django_db
SAME = {"axis": "symptom", "first": ["hang"], "second": ["hang"], "why": ""}
LATER = {"axis": "fix_pattern", "first": [], "second": [], "why": "A fix was found that takes the change out."}
APART = {"axis": "component", "first": ["launcher"], "second": [], "why": "The launcher's code <is> changed."}


@pytest.fixture
def issue() -> Issue:
    """A described issue that two readers labelled: the same symptom, and a component that only one of them gave."""
    issue = make_issue(heading="Training stalls", summary="It stalls.", read_on=dt.date(2026, 1, 2))
    make_label(issue, make_node("hang", axis=make_axis("symptom")))
    make_label(issue, make_node("launcher", axis=make_axis("component"), name="Launcher"))
    TwoReadings.objects.create(
        issue=issue,
        read_on=dt.date(2026, 2, 3),
        read_extent="description and 2 comments",
        answers=[SAME, APART],
    )
    return issue


def page(client: Client, issue: Issue) -> str:
    return " ".join(client.get(issue.get_absolute_url()).content.decode().split())


def api(client: Client, issue: Issue) -> Any:
    return client.get(f"/api/v1/issues/{issue.pk}/").json()["two_readings"]


def test_the_page_tells_who_read_what_and_where_they_differed(client: Client, issue: Issue) -> None:
    html = page(client, issue)
    assert Source.Kind.CURATED.made in html
    assert "3 February 2026</time>: description and 2 comments." in html
    assert "Both gave the same answer on symptom." in html
    assert "what was kept (1)" in html
    launcher = '<a href="/codebook/house/component/launcher">Launcher</a>'
    assert f"First</span> {launcher} </li>" in html
    assert "Second</span> left open </li>" in html
    assert f"Settled</span> {launcher} – The launcher" in html
    assert "The launcher&#x27;s code &lt;is&gt; changed." in html


def test_the_api_tells_the_same(client: Client, issue: Issue) -> None:
    told = api(client, issue)
    assert told["read_on"] == "2026-02-03"
    assert told["answers"] == [SAME | {"why": None}, APART]


def test_an_answer_that_a_later_reading_gave_is_told_as_such(client: Client, issue: Issue) -> None:
    make_label(issue, make_node("revert", axis=make_axis("fix_pattern"), name="Revert"))
    TwoReadings.objects.filter(issue=issue).update(answers=[SAME, LATER])
    html = page(client, issue)
    assert "Fix pattern was answered again after more had been read:" in html
    assert ">Revert</a> – A fix was found that takes the change out." in html
    assert "Both gave the same answer on symptom." in html
    assert api(client, issue)["answers"] == [SAME | {"why": None}, LATER]


def test_what_was_read_once_says_so(client: Client) -> None:
    once = make_issue(heading="Training stalls", summary="It stalls.")
    make_label(once, make_node("hang", axis=make_axis("symptom")))
    assert "How these labels were made" not in page(client, once)
    assert "Labelled in one pass so far, by an automated reader (a language model)" in page(client, once)
    assert api(client, once) is None


def test_what_nobody_described_says_nothing_of_readings(client: Client) -> None:
    assert "one reader" not in page(client, make_issue())


@pytest.mark.usefixtures("codebook")
class TestLoading:
    """Of the records of one repository; that every kept file is loaded is proved in `kb/test_starter.py`."""

    @pytest.fixture
    def records(self, tmp_path: Path) -> Path:
        root = tmp_path / "records"
        shutil.copytree(RECORDS / "deepspeedai__deepspeed", root / "deepspeedai__deepspeed")
        load_starter(root, PASSES / "deepspeedai__deepspeed")
        assert TwoReadings.objects.exists()
        return root

    @pytest.fixture
    def passes(self, tmp_path: Path) -> Path:
        folder = tmp_path / "passes"
        folder.mkdir()
        return folder

    def test_takes_away_what_left_the_files(self, records: Path, passes: Path) -> None:
        load_starter(records, passes)
        assert not TwoReadings.objects.exists()

    def test_an_unreadable_file_is_told_and_what_was_loaded_stays(self, records: Path, passes: Path) -> None:
        before = TwoReadings.objects.count()
        (passes / "1.yaml").write_text("url: 1\n", encoding="utf-8")
        told = load_starter(records, passes).rejections
        assert "url is a number to YAML: put it in quotes" in [rejection.reason for rejection in told]
        assert TwoReadings.objects.count() == before
