"""Staff's page of the most wanted: who may see it, what it joins, and what can be done from it."""

import datetime as dt
from pathlib import Path

import pytest
import yaml
from django.contrib.auth.models import Permission, User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import MissedSearch
from kb.starter import wanted
from kb.starter.demand import read_demand
from tests.support.factories import make_issue, make_other_report, make_repository

pytestmark = pytest.mark.django_db
THREAD = "https://github.com/vllm-project/vllm/issues/{}"
DAY = dt.date(2026, 1, 2)
ENTRY = "- {{asked: {}, framework: {}, kind: hang, seen: {}, threads: [{}], line: {}}}\n"
LISTED = (
    ENTRY.format("vllm hangs at start with two cards", "vllm", 7, f"{THREAD.format(7)}, {THREAD.format(8)}", '""')
    + ENTRY.format("vllm gives gibberish", "vllm", 3, THREAD.format(9), '""')
    + ENTRY.format("sglang answers slowly", "sglang", 2, THREAD.format(10), '"slow <b>"')
)


@pytest.fixture(autouse=True)
def _listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of three faults in place of the project's own."""
    path = tmp_path / "demand.yaml"
    path.write_text(LISTED, encoding="utf-8")
    entries = read_demand(path).entries
    assert len(entries) == 3
    monkeypatch.setattr(wanted, "_listed", lambda: entries)


@pytest.fixture
def staff() -> Client:
    editor = User.objects.create_user("rae", is_staff=True)
    editor.user_permissions.add(Permission.objects.get(codename="change_missedsearch"))
    browser = Client()
    browser.force_login(editor)
    return browser


def search(words: str, searches: int = 1) -> MissedSearch:
    return MissedSearch.objects.create(words=words, searches=searches, first_on=DAY, last_on=DAY)


def asked(**options: str) -> list[tuple[str, int]]:
    rows = wanted.most_wanted(**options)  # type: ignore[arg-type]
    return [(row.fault.asked if row.fault else row.search.words if row.search else "", row.demand) for row in rows]


class TestMostWanted:
    def test_faults_and_searches_stand_in_one_order_and_what_asks_for_the_same_is_added(self) -> None:
        search("two cards vllm hangs", 2)
        search("colossal zeppelin burns", 5)
        search("vllm hangs", 4)
        assert asked() == [
            ("vllm hangs at start with two cards", 9),
            ("colossal zeppelin burns", 5),
            ("vllm hangs", 4),
            ("vllm gives gibberish", 3),
            ("sglang answers slowly", 2),
        ]
        assert asked(framework="sglang") == [("sglang answers slowly", 2)]

    def test_a_fault_with_a_record_is_not_wanted(self) -> None:
        repository = make_repository("vllm-project/vllm", "vllm")
        record = make_issue(8, repository=repository, summary="Described.")
        make_other_report(record, make_issue(9, repository=repository))
        assert asked() == [("sglang answers slowly", 2)]


class TestPage:
    def test_it_is_for_staff_who_may_and_nobody_else(self, staff: Client) -> None:
        row = search("colossal zeppelin burns")
        nobody, reader, clerk = Client(), Client(), Client()
        reader.force_login(User.objects.create_user("ada"))
        clerk.force_login(User.objects.create_user("bob", is_staff=True))
        record = f"/wanted/record.yaml?url={THREAD.format(7)}"
        for address in ("/wanted/", "/wanted/wanted.csv", record, f"/wanted/{row.pk}/demand.yaml"):
            assert [one.get(address).status_code for one in (nobody, reader, clerk, staff)] == [403, 403, 403, 200]
        for one in (nobody, reader, clerk):
            assert one.post(f"/wanted/{row.pk}/hide/").status_code == 403
        row.refresh_from_db()
        assert not row.is_hidden

    def test_it_shows_faults_and_searches_and_takes_few_queries(
        self, staff: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        search('zeppelin "burns" <i>')
        with django_assert_max_num_queries(10):
            text = staff.get("/wanted/").content.decode()
        assert "vllm hangs at start with two cards" in text
        assert f'href="{THREAD.format(7)}"' in text
        assert "zeppelin &quot;burns&quot; &lt;i&gt;" in text
        assert "slow &lt;b&gt;" in text
        assert staff.get("/wanted/?framework=nosuch").status_code == 400

    def test_hidden_searches_stand_apart_and_can_be_shown_again(self, staff: Client) -> None:
        row = search("colossal zeppelin burns")
        staff.post(f"/wanted/{row.pk}/hide/", {"do": "hide"})
        assert "zeppelin" not in staff.get("/wanted/").content.decode()
        assert "zeppelin" in staff.get("/wanted/?shown=hidden").content.decode()
        staff.post(f"/wanted/{row.pk}/hide/", {"do": "show"})
        assert "zeppelin" in staff.get("/wanted/").content.decode()
        assert staff.get(f"/wanted/{row.pk}/hide/").status_code == 405

    def test_it_says_when_nothing_is_wanted(self, staff: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(wanted, "_listed", tuple)
        assert "Nothing is wanted." in staff.get("/wanted/").content.decode()
        assert "No search is hidden." in staff.get("/wanted/?shown=hidden").content.decode()

    def test_a_record_begins_as_a_file_and_another_address_is_refused_in_words(self, staff: Client) -> None:
        response = staff.get("/wanted/record.yaml", {"url": THREAD.format(7) + "#issuecomment-1"})
        assert response["Content-Disposition"] == 'attachment; filename="7.yaml"'
        assert yaml.safe_load(response.content)["url"] == THREAD.format(7)
        refused = staff.get("/wanted/record.yaml", {"url": "https://example.org/"}, follow=True)
        assert "Give an issue" in refused.content.decode()

    def test_a_search_becomes_a_list_entry_for_somebody_to_finish(self, staff: Client) -> None:
        row = search('zeppelin: "burns" often')
        (entry,) = yaml.safe_load(staff.get(f"/wanted/{row.pk}/demand.yaml").content)
        assert (entry["asked"], entry["threads"]) == (row.words, [])
        assert staff.get("/wanted/999999/demand.yaml").status_code == 404

    def test_all_of_it_leaves_as_csv(self, staff: Client) -> None:
        search("=zeppelin burns", 4)
        lines = staff.get("/wanted/wanted.csv").content.decode().splitlines()
        assert lines[0].startswith("asked,line,framework,kind,threads_seen,searches,")
        assert lines[1].startswith("vllm hangs at start with two cards,,vllm,hang,7,0,")
        assert lines[2].startswith("'=zeppelin burns,,,,,4,2026-01-02,")
