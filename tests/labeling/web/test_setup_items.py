"""The page of a project's own items, the one of a file that waits, and what a round takes of them."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from labeling.exchange import item_intake
from labeling.exchange.item_intake import keep_file, take_file_in
from labeling.models import Item, Job, Member, OwnItem, OwnItemFile, Role, Round
from labeling.services.rounds import open_round, prepare_round
from labeling.services.sampling import fill_from_own
from labeling.tasks import run_job
from tests.labeling.factories import make_member, make_project, take_on

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]
FILE = b"id,title,text,address\na,First,It hangs.,\nb,Second,It crashes.,https://example.org/b\n"


@pytest.fixture
def lead() -> Member:
    return make_project()


@pytest.fixture
def browser(lead: Member, browser_of: BrowserOf) -> Client:
    return browser_of(lead)


def address(lead: Member, name: str, *arguments: object) -> str:
    return reverse(f"labeling:{name}", args=[lead.project.slug, *arguments])


def send(browser: Client, lead: Member, content: bytes) -> str:
    """Upload a file; returns the page that follows."""
    file = SimpleUploadedFile("items.csv", content)
    return browser.post(address(lead, "items"), {"file": file}, follow=True).content.decode()


def put_in(lead: Member, content: bytes = FILE) -> None:
    take_file_in(lead=lead, file=keep_file(lead=lead, content=content, filename="items.csv")[0])


def test_before_anything_is_there_the_page_says_what_to_do(browser: Client, lead: Member) -> None:
    assert "There is no item yet." in browser.get(address(lead, "items")).content.decode()


def test_a_file_is_looked_at_and_then_taken_in_without_its_rejected_rows(browser: Client, lead: Member) -> None:
    page = send(browser, lead, FILE + b"a,again,x,\n")
    assert "Nothing is stored yet" in page
    assert "Line 4: Its id or address is on line 2 already." in page
    number = OwnItemFile.objects.get().pk
    rejected = browser.get(address(lead, "items-rejected", number))
    assert rejected.content.decode() == "line,reason\n4,Its id or address is on line 2 already.\n"
    refused = browser.post(address(lead, "items-file", number), follow=True).content.decode()
    assert "leave them out" in refused
    assert not OwnItem.objects.exists()
    done = browser.post(address(lead, "items-file", number), {"leave_out": "1"}, follow=True).content.decode()
    assert "2 new items are in." in done
    assert "First" in done
    assert browser.get(address(lead, "items-file", number)).status_code == 404


def test_a_file_that_cannot_be_read_is_refused_on_the_form(browser: Client, lead: Member) -> None:
    response = browser.post(address(lead, "items"), {"file": SimpleUploadedFile("items.csv", b"title\nx\n")})
    assert response.status_code == 422
    assert "The first line must name the columns" in response.content.decode()


def test_a_file_that_is_too_large_is_refused_before_it_is_read(
    browser: Client, lead: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_intake, "MOST_BYTES", 10)
    response = browser.post(address(lead, "items"), {"file": SimpleUploadedFile("items.csv", FILE)})
    assert "Upload it in parts." in response.content.decode()


def test_many_items_are_followed_on_their_jobs_page(
    browser: Client, lead: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_intake, "MOST_AT_ONCE", 1)
    send(browser, lead, FILE)
    response = browser.post(address(lead, "items-file", OwnItemFile.objects.get().pk))
    assert response["Location"] == address(lead, "job", Job.objects.get().pk)
    assert "A file is being taken in" in browser.get(address(lead, "items")).content.decode()


def test_a_large_file_is_followed_on_the_page_of_the_job_that_reads_it(
    browser: Client, lead: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(item_intake, "MOST_BYTES_AT_ONCE", 10)
    sent = browser.post(address(lead, "items"), {"file": SimpleUploadedFile("items.csv", FILE)})
    job = Job.objects.get()
    assert sent["Location"] == address(lead, "job", job.pk)
    file = address(lead, "items-file", OwnItemFile.objects.get().pk)
    assert browser.get(file)["Location"] == address(lead, "job", job.pk)
    run_job(job.pk)
    assert f'href="{file}"' in browser.get(address(lead, "job", job.pk)).content.decode()
    assert "This is what the file would give" in browser.get(file).content.decode()


def test_items_are_found_by_id_or_title(browser: Client, lead: Member) -> None:
    put_in(lead)
    page = browser.get(address(lead, "items"), {"q": "SECOND"}).content.decode()
    assert ("Second" in page, "First" in page) == (True, False)
    assert 'href="https://example.org/b"' in page
    assert "No item has this" in browser.get(address(lead, "items"), {"q": "third"}).content.decode()


@pytest.mark.parametrize("extension", ["csv", "jsonl"])
def test_all_are_downloaded_as_a_file_that_comes_in_again(browser: Client, lead: Member, extension: str) -> None:
    put_in(lead)
    response = browser.get(address(lead, "items-export", extension))
    assert f"items.{extension}" in response["Content-Disposition"]
    send(browser, lead, response.getvalue())
    assert OwnItemFile.objects.get().report == {"new": 0, "known": 2, "rejected": 0, "reasons": []}
    assert browser.get(address(lead, "items-export", "xml")).status_code == 404


def test_one_or_all_that_no_round_has_are_deleted(browser: Client, lead: Member) -> None:
    put_in(lead, FILE + b"c,Third,,\n")
    browser.post(address(lead, "delete-items"), {"item": OwnItem.objects.get(key="a").pk})
    assert list(OwnItem.objects.values_list("key", flat=True)) == ["b", "c"]
    browser.post(address(lead, "delete-items"))
    assert not OwnItem.objects.exists()


class TestRounds:
    @pytest.fixture
    def round_(self, lead: Member) -> Round:
        return prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=1)

    def test_a_round_takes_all_or_some_by_a_seed(self, browser: Client, lead: Member, round_: Round) -> None:
        to = address(lead, "own-sample", round_.number)
        assert "no items of its own" in browser.post(to, {"draw": "all"}).content.decode()
        put_in(lead)
        page = browser.post(to, {"draw": "all", "fresh": "on"}, follow=True).content.decode()
        assert "The round has 2 own items." in page
        assert "All 2 of the project" in page
        assert "Say how many." in browser.post(to, {"draw": "random", "seed": "s"}).content.decode()
        assert "needs a seed" in browser.post(to, {"draw": "random", "size": "1"}).content.decode()
        browser.post(to, {"draw": "random", "size": "1", "seed": "s"})
        assert Item.objects.filter(round=round_).count() == 1

    def test_annotators_read_the_text_without_a_host(self, browser_of: BrowserOf, lead: Member, round_: Round) -> None:
        put_in(lead)
        fill_from_own(lead=lead, round_=round_, size=None)
        annotator = make_member(lead.project, Role.ANNOTATOR)
        open_round(lead=lead, round_=round_)
        pages = {}
        for item in Item.objects.filter(round=round_):
            take_on(annotator, item)
            path = address(lead, "label", round_.number, item.position)
            pages[item.subject.short_name] = browser_of(annotator).get(path).content.decode()
        assert "It hangs." in pages["a"]
        assert "The original" not in pages["a"]
        assert 'href="https://example.org/b"' in pages["b"]
        assert all("Fixes" not in page for page in pages.values())

    def test_the_list_of_a_rounds_issues_links_what_has_an_address(
        self, browser: Client, lead: Member, round_: Round
    ) -> None:
        put_in(lead)
        fill_from_own(lead=lead, round_=round_, size=None)
        page = browser.get(address(lead, "sample-issues", round_.number)).content.decode()
        assert '<a href="https://example.org/b">b</a>' in page
        assert "item:a" not in page
