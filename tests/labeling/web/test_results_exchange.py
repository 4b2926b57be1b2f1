"""The page of exports and imports: who gets what, and a file on its way in."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks

from labeling.exchange.serialize import WRITERS
from labeling.models import Member, Role, Round, Vote, VoteImport
from labeling.tasks import run_job
from tests.labeling.factories import cast, make_member, make_open_round, make_project
from tests.labeling.results.builders import lead_of, voted_round
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


def address(member: Member, name: str, *more: object) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, *more])


def form(text: str, **fields: str) -> dict[str, Any]:
    upload = SimpleUploadedFile("votes.csv", text.encode())
    values: dict[str, Any] = {"name": "Outside", "format": "long_csv", "file": upload, "axis": "", "leave_out": ""}
    return values | fields


def body(client: Client, url: str) -> str:
    return b"".join(client.get(url).streaming_content).decode()  # type: ignore[attr-defined]


def test_a_lead_takes_a_file_in_after_looking_at_it(
    browser_of: BrowserOf, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    lead = make_project()
    browser = browser_of(lead)
    url = make_issue().url
    text = f"issue,annotator,axis,nodes\n{url},ann,symptom,hang\n{url},ben,symptom,fire\n"
    response = browser.post(address(lead, "exchange"), form(text))
    found = VoteImport.objects.get()
    assert response["Location"] == address(lead, "import", found.pk)
    html = browser.get(response["Location"]).content.decode()
    assert "Nothing is written yet" in html
    assert "Line 3: Symptom: “fire” is not in the codebook." in html
    assert "3,Symptom: “fire”" in browser.get(address(lead, "import-rejected", found.pk)).content.decode()
    assert not Vote.objects.exists()
    with (
        patch.object(run_job, "delay", side_effect=lambda pk: run_job(pk)),
        django_capture_on_commit_callbacks(execute=True),
    ):
        browser.post(address(lead, "import", found.pk), {"person-0": ""})
    assert Vote.objects.count() == 1
    assert "closed and released" in browser.get(address(lead, "import", found.pk)).content.decode()
    assert "imported as round 1" in browser.get(address(lead, "exchange")).content.decode()


def test_an_annotator_of_the_file_can_be_a_member(
    browser_of: BrowserOf, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    lead = make_project()
    member = make_member(lead.project)
    browser = browser_of(lead)
    text = f"issue,annotator,axis,nodes\n{make_issue().url},somebody,symptom,hang\n"
    browser.post(address(lead, "exchange"), form(text))
    with (
        patch.object(run_job, "delay", side_effect=lambda pk: run_job(pk)),
        django_capture_on_commit_callbacks(execute=True),
    ):
        browser.post(address(lead, "import", VoteImport.objects.get().pk), {"person-0": str(member.pk)})
    assert Vote.objects.get().member == member


def test_a_file_of_another_kind_keeps_what_was_filled_in(browser_of: BrowserOf) -> None:
    lead = make_project()
    response = browser_of(lead).post(address(lead, "exchange"), form("nothing"))
    assert response.status_code == 422
    html = response.content.decode()
    assert "must name the columns" in html
    assert 'value="Outside"' in html


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.ADJUDICATOR, Role.OBSERVER])
def test_only_leads_import(browser_of: BrowserOf, role: Role) -> None:
    lead = make_project()
    browser = browser_of(make_member(lead.project, role))
    assert "Check the file" not in browser.get(address(lead, "exchange")).content.decode()
    assert browser.post(address(lead, "exchange"), form("x")).status_code == 403
    browser_of(lead).post(address(lead, "exchange"), form(f"issue,annotator,axis,nodes\n{make_issue().url},a,b,c\n"))
    number = VoteImport.objects.get().pk
    assert browser.get(address(lead, "import", number)).status_code == 403
    assert browser.get(address(lead, "import-rejected", number)).status_code == 403


def test_files_of_another_project_are_not_there(browser_of: BrowserOf) -> None:
    lead, other = make_project(), make_project()
    browser_of(lead).post(address(lead, "exchange"), form(f"issue,annotator,axis,nodes\n{make_issue().url},a,b,c\n"))
    number = VoteImport.objects.get().pk
    assert browser_of(other).get(address(other, "import", number)).status_code == 404
    assert browser_of(other).get(address(lead, "exchange")).status_code == 404


@pytest.mark.parametrize("format_", WRITERS)
def test_before_release_everybody_downloads_their_own_votes_only(browser_of: BrowserOf, format_: str) -> None:
    round_, (one, two) = make_open_round(annotators=2)
    cast(one, round_, symptom=("hang",))
    cast(two, round_, symptom=("crash",))
    text = body(browser_of(one), address(one, "export", format_))
    assert "hang" in text
    assert "crash" not in text
    assert two.pseudonym not in text
    judge = make_member(round_.project, Role.ADJUDICATOR)
    text = body(browser_of(judge), address(judge, "export", format_))
    assert "hang" not in text
    assert "crash" not in text
    observer = make_member(round_.project, Role.OBSERVER)
    assert "crash" in body(browser_of(observer), address(observer, "export", format_))


def test_a_round_that_is_not_there_and_an_unknown_format(browser_of: BrowserOf) -> None:
    lead = lead_of(voted_round())
    browser = browser_of(lead)
    assert browser.get(address(lead, "export", "long_csv") + "?round=9").status_code == 400
    assert browser.get(address(lead, "export", "long_csv") + "?round=x").status_code == 400
    assert browser.get(address(lead, "export", "excel")).status_code == 404


@pytest.mark.parametrize("issues", [1, 6])
def test_an_export_takes_as_many_statements_for_many_issues(
    browser_of: BrowserOf, django_assert_max_num_queries: DjangoAssertNumQueries, issues: int
) -> None:
    lead = lead_of(voted_round(((("hang",), ("crash",)),) * issues))
    browser = browser_of(lead)
    with django_assert_max_num_queries(13):
        assert body(browser, address(lead, "export", "doccano"))
    assert Round.objects.count() == 1
