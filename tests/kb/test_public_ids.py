"""Public ids of faults: given once, kept for ever, found however they are spelled."""

from pathlib import Path

import pytest
from django.db import IntegrityError, transaction
from django.test import Client

from kb.core.public_ids import next_public_id, public_id_of
from kb.models import FormerId, Issue
from kb.starter.load import RECORDS, load_starter, read_records
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("FB-000860", "FB-000860"),
        ("fb-860", "FB-000860"),
        (" FB-0A1B2C3D4E5F ", "FB-0a1b2c3d4e5f"),
        ("FB-0000860", None),
        ("FB-abc", None),
        ("860", None),
        ("FB-8٦0", None),
    ],
)
def test_an_id_has_one_spelling_and_is_understood_in_others(typed: str, meant: str | None) -> None:
    assert public_id_of(typed) == meant


def test_the_next_id_follows_the_highest_and_ids_of_servers_do_not_count() -> None:
    assert next_public_id([]) == "FB-000001"
    assert next_public_id(["FB-000007", "FB-000003", "FB-0a1b2c3d4e5f", ""]) == "FB-000008"


def test_who_describes_a_report_gives_it_an_id_that_every_server_would_give() -> None:
    issue = make_issue(7)
    assert issue.public_id == ""
    Issue.objects.filter(pk=issue.pk).update(summary="It waits for ever.")
    issue.refresh_from_db()
    first = issue.public_id
    assert public_id_of(first) == first
    assert len(first) == len("FB-0a1b2c3d4e5f")
    issue.delete()
    assert make_issue(7, summary="It waits.").public_id == first


def test_an_id_outlives_the_words_and_the_issue() -> None:
    issue = make_issue(7, summary="It waits.")
    Issue.objects.filter(pk=issue.pk).update(summary="", public_id="")
    issue.refresh_from_db()
    assert issue.public_id
    gone = issue.public_id
    issue.delete()
    assert FormerId.objects.get().public_id == gone
    with pytest.raises(IntegrityError, match="was given to"), transaction.atomic():
        make_issue(8, public_id=gone, summary="Another fault.")


def test_an_id_of_the_reference_set_takes_the_place_of_a_servers_own_which_still_leads_there(client: Client) -> None:
    issue = make_issue(7, summary="It waits.")
    Issue.objects.filter(pk=issue.pk).update(public_id="FB-000007")
    own = issue.public_id
    assert client.get(f"/issues/{own}").headers["Location"] == "/issues/FB-000007"
    assert client.get(f"/api/v1/issues/{own}/").json()["public_id"] == "FB-000007"
    assert client.get("/issues/FB-000007").status_code == 200


def test_pages_lead_to_the_one_address_of_a_fault(client: Client) -> None:
    issue = make_issue(7, summary="It waits.", public_id="FB-000007")
    for path in ("/issues/fb-7", "/issues/github.com/deepspeedai/DeepSpeed/7"):
        answer = client.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (301, "/issues/FB-000007"), path
    assert client.get("/issues/FB-000007/", follow=True).redirect_chain == [("/issues/FB-000007", 301)]
    assert client.get("/issues/github.com/deepspeedai/DeepSpeed/7/cite").headers["Location"] == "/issues/FB-000007/cite"
    page = client.get("/issues/FB-000007").content.decode()
    assert "<span>FB-000007</span>" in page
    assert "FB-000007" in client.get("/issues/FB-000007/cite?format=bibtex").content.decode()
    assert client.get("/issues/FB-000008").status_code == 404
    assert issue.get_absolute_url() == "/issues/FB-000007"


def test_a_report_that_nobody_described_keeps_its_place_as_its_address(client: Client) -> None:
    issue = make_issue(7, title="It waits")
    assert issue.get_absolute_url() == "/issues/github.com/deepspeedai/DeepSpeed/7"
    assert client.get(issue.get_absolute_url()).status_code == 200


def test_the_api_takes_either_id_and_tells_both(client: Client) -> None:
    issue = make_issue(7, summary="It waits.", public_id="FB-000007")
    other = make_issue(8, title="It waits too")
    by_number = client.get(f"/api/v1/issues/{issue.pk}/").json()
    assert by_number == client.get("/api/v1/issues/FB-000007/").json() == client.get("/api/v1/issues/fb-7/").json()
    assert (by_number["id"], by_number["public_id"]) == (issue.pk, "FB-000007")
    assert client.get(f"/api/v1/issues/{other.pk}/").json()["public_id"] is None
    assert client.get("/api/v1/issues/FB-000007/comments/").status_code == 200
    for path in ("/api/v1/issues/FB-000009/", "/api/v1/issues/FB-000009/comments/", "/api/v1/issues/FB-000009/osv/"):
        assert client.get(path).status_code == 404, path


@pytest.mark.parametrize("typed", ["FB-000007", "fb-7", "https://faultbook.example/issues/FB-000007/"])
def test_the_box_opens_a_fault_by_its_id(client: Client, typed: str) -> None:
    make_issue(7, summary="It waits.", public_id="FB-000007")
    assert client.get("/issues/", {"q": typed}).headers["Location"] == "/issues/FB-000007"


def test_every_record_has_an_id_of_its_own() -> None:
    ids = [record.id for _, record in read_records()[0]]
    assert None not in ids
    assert len(set(ids)) == len(ids)


@pytest.mark.usefixtures("codebook")
def test_an_id_that_another_report_has_or_had_is_refused(tmp_path: Path) -> None:
    source = RECORDS / "deepspeedai__deepspeed" / "860.yaml"
    record = tmp_path / "deepspeedai__deepspeed" / "860.yaml"
    record.parent.mkdir()
    record.write_text(source.read_text("utf-8"), "utf-8")
    make_issue(7, summary="It waits.", public_id="FB-000860")
    (rejection,) = load_starter(tmp_path, tmp_path / "no-passes").rejections
    assert "was given to https://github.com/deepspeedai/DeepSpeed/issues/7" in str(rejection)
    Issue.objects.filter(ref="7").update(public_id="FB-000007")
    assert load_starter(tmp_path, tmp_path / "no-passes").rejections == (rejection,)
