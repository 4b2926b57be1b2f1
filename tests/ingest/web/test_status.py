"""The page about all mirrors says how fresh each is, what it did, what it waits for, and what is wrong."""

import datetime as dt
import re
from unittest.mock import Mock

import pytest
import redis
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from ingest.models import Cursor, KeywordList, Pending, SyncRun
from ingest.selectors import status as selectors
from kb.health import checks as health
from kb.health.heartbeat import record_heartbeat
from tests.ingest.mirrors import make_left_out, make_mirror, make_mirrored, make_run, staff
from tests.kb.web.reading import Page, visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
STATUS, MIRROR = "/status/", "/status/github.com/octo/engine/"
MINUTE = dt.timedelta(minutes=1)
MOST_QUERIES = 10


def status(client: Client) -> Page:
    return visit(client, STATUS)


class TestAllMirrors:
    def test_says_how_fresh_a_mirror_is(self, client: Client) -> None:
        make_mirror()
        assert "the same as GitHub 4 minutes ago" in status(client).words

    def test_says_what_is_held(self, client: Client) -> None:
        mirror = make_mirror()
        for ref in (1, 2):
            make_mirrored(mirror, ref)
        make_mirrored(mirror, 3, kind="pull_request")
        make_mirrored(mirror, 4, deleted_at=timezone.now())
        make_mirrored(mirror, 5, moved_to="https://github.com/a/b/issues/1")
        assert "2 issues 1 pull request" in status(client).words

    def test_says_what_keywords_leave_out(self, client: Client) -> None:
        words = KeywordList.objects.create(name="about-llms", words=["kv cache", "prefill"])
        general = make_mirror(mirror={"keywords": words})
        make_left_out(general, 7)
        make_left_out(general, 8, overruled_at=timezone.now())
        assert "1 excluded" in status(client).words

    def test_says_what_the_last_run_did_and_when_the_next_begins(self, client: Client) -> None:
        make_run(make_mirror(), created=3, updated=1_200, detailed=7)
        words = status(client).words
        assert "checked for changes: 3 new, 1,200 changed, comments and fixes of 7" in words
        assert "in 10 minutes" in words

    def test_counts_the_requests_of_the_last_day_alone(self, client: Client) -> None:
        mirror = make_mirror()
        make_run(mirror, minutes_ago=20, requests=5, not_modified=1, budget_left=4_321)
        make_run(mirror, minutes_ago=10, requests=2, not_modified=2, budget_left=4_319)
        make_run(mirror, minutes_ago=25 * 60, requests=500)
        assert "7 3 answered “nothing new”, 4,319 left this hour" in status(staff()).words
        assert "left this hour" not in status(client).words

    def test_a_late_mirror_stands_first_and_says_why(self, client: Client) -> None:
        make_mirror("a/first")
        make_mirror("z/late", fresh_at=timezone.now() - 46 * MINUTE)
        words = status(client).words
        assert words.index("z/late") < words.index("a/first")
        assert "Late: the copy is older than 45 minutes" in words
        assert "1 late" in words

    @pytest.mark.parametrize(("minutes", "is_late"), [(44, False), (46, True)])
    def test_is_late_above_three_intervals(self, client: Client, minutes: int, is_late: bool) -> None:
        make_mirror(fresh_at=timezone.now() - minutes * MINUTE)
        assert ("Late:" in status(client).words) is is_late

    def test_a_mirror_that_is_off_is_not_late(self, client: Client) -> None:
        make_mirror(mirror={"is_on": False}, fresh_at=timezone.now() - dt.timedelta(days=9))
        words = status(client).words
        assert "Late:" not in words
        assert "Switched off" in words

    def test_says_until_when_the_host_wants_us_to_wait(self, client: Client) -> None:
        until = timezone.now() + 20 * MINUTE
        mirror = make_mirror(resume_at=until)
        make_run(mirror, status="limited", problem="The limit is used up.", advice="Nothing to do.")
        words = status(client).words
        assert (
            f"GitHub allows requests again at {until:%H:%M} UTC" in words or f"{until:%B}, {until:%H:%M} UTC" in words
        )
        assert "The limit is used up." in words
        assert "Nothing to do." not in words

    def test_says_what_went_wrong_and_to_staff_what_to_do(self, client: Client) -> None:
        make_run(make_mirror(), status="failed", problem="GitHub knows no such repository.", advice="Look at its name.")
        words = status(client).words
        assert "The last run failed" in words
        assert "GitHub knows no such repository." in words
        assert "Look at its name." not in words
        assert "GitHub knows no such repository. Look at its name." in status(staff()).words

    def test_says_since_when_every_issue_was_looked_at(self, client: Client) -> None:
        seen = timezone.now() - 3 * MINUTE
        make_mirror(swept_at=seen, looks=[[7, int(seen.timestamp())]], all_seen_by=timezone.now() + 60 * MINUTE)
        said = status(client).words.partition("all seen since ")[2]
        assert f"{seen:%H:%M} UTC" in said[:40]
        assert "; all by" not in said

    @pytest.mark.parametrize("is_first", [True, False])
    def test_says_by_when_every_issue_is_looked_at_where_that_takes_long(self, client: Client, is_first: bool) -> None:
        by, old = timezone.now() + dt.timedelta(days=40), timezone.now() - dt.timedelta(days=30)
        make_mirror(swept_at=None if is_first else old, looks=[[7, int(old.timestamp())]], all_seen_by=by)
        words = status(client).words
        assert ("not all rechecked yet" if is_first else f"all seen since {old.day} {old:%B}") in words
        assert f"; all by {by.day} {by:%B}, {by:%H:%M} UTC" in words

    def test_says_that_a_worker_died_while_the_run_goes_on_that_took_over(self, client: Client) -> None:
        mirror = make_mirror()
        make_run(mirror, status="interrupted", problem="Its worker died; resumed at 12:40:05 UTC.")
        make_run(mirror, minutes_ago=1, status="running", finished_at=None)
        assert "Its worker died; resumed at 12:40:05 UTC." in status(client).words

    def test_a_first_reading_shows_how_far_it_has_come(self, client: Client) -> None:
        mirror = make_mirror(is_complete=False, fresh_at=None, expected=8)
        make_run(mirror, status="running", finished_at=None)
        for ref in (1, 2):
            make_mirrored(mirror, ref)
        page = client.get(STATUS).content.decode()
        assert "2 of 8 issues and pull requests" in page
        assert re.search(r'<progress[^>]*max="100"\s+value="25"', page)

    def test_progress_is_of_this_moment_while_a_run_goes_on(self, client: Client) -> None:
        mirror = make_mirror(is_complete=False, fresh_at=None, expected=8)
        make_run(mirror, status="running", finished_at=None)
        assert "0 of 8" in status(client).words
        make_mirrored(mirror, 1)
        assert "1 of 8" in status(client).words

    def test_what_a_run_brought_is_counted_as_soon_as_it_ended(self, client: Client) -> None:
        mirror = make_mirror()
        assert "0 issues" in status(client).words
        make_mirrored(mirror, 1)
        make_run(mirror, minutes_ago=0, finished_at=timezone.now())
        assert "1 issue" in status(client).words

    def test_says_how_many_comments_are_to_come(self, client: Client) -> None:
        mirror = make_mirror()
        Pending.objects.create(mirror=mirror, issue=make_mirrored(mirror, 1))
        assert "Comments and fixes of 1 issue are still to come." in status(client).words

    def test_the_age_of_the_last_day_is_drawn_and_said(self, client: Client) -> None:
        mirror = make_mirror()
        make_run(mirror, minutes_ago=90, lag_seconds=3_600)
        make_run(mirror, minutes_ago=15, lag_seconds=900)
        page = client.get(STATUS).content.decode()
        assert page.partition('class="age"')[2].count("<rect") == 2
        assert page.count('class="age-late"') == 1
        assert "at most 1 hour old, 1 half hour of 2 late" in page

    def test_without_a_mirror_says_so_and_to_staff_how_to_add_one(self, client: Client) -> None:
        page, own = status(client), status(staff())
        add = reverse("admin:ingest_mirror_add")
        assert "Nothing is mirrored yet." in page.words
        assert add not in page.links
        assert "manage.py sync_repo" in own.words
        assert add in own.links

    @pytest.mark.parametrize(("tokens", "is_told"), [([], True), (["one"], False)])
    def test_a_missing_token_is_told_to_staff(self, settings: Settings, tokens: list[str], is_told: bool) -> None:
        settings.GITHUB_TOKENS = tokens
        words = status(staff()).words
        assert ("60 requests an hour" in words) is is_told
        assert ("GITHUB_TOKEN" in words) is is_told

    def test_says_when_no_worker_is_there_and_to_staff_what_to_do(self, client: Client) -> None:
        make_mirror()
        assert "Copies are not being updated at the moment." in status(client).words
        assert "No worker has reported lately" in status(staff()).words
        record_heartbeat(sent_at=timezone.now().timestamp())
        assert "not being updated" not in status(client).words

    @pytest.mark.parametrize("mirrored", [True, False])
    def test_the_public_reads_of_nothing_that_an_operator_sets(
        self, client: Client, settings: Settings, mirrored: bool
    ) -> None:
        settings.GITHUB_TOKENS = []
        if mirrored:
            make_run(make_mirror(), status="failed", problem="It was down.", advice="Set GITHUB_TOKEN anew.")
        html = client.get(STATUS).content.decode()
        for word in ("manage.py", "make up", "TOKEN", ".env", "/admin/", "token", "Requests in 24 hours"):
            assert word not in html.partition("<main")[2], word

    def test_says_how_many_issues_are_held_and_described_and_whether_the_index_has_them(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        make_issue(1, summary="It fails.", read_on=dt.date(2026, 11, 21))
        make_issue(2)
        words = status(client).words
        assert "Issues 2, 1 of them described" in words
        assert "Last thread read 21 November 2026" in words
        assert "Search index catching up" in words
        search_index()
        assert "Search index complete" in status(client).words

    def test_renews_itself_only_while_something_runs_or_is_about_to(self, client: Client) -> None:
        mirror = make_mirror(due_at=timezone.now())
        assert b'hx-trigger="every 5s"' in client.get(STATUS).content
        Cursor.objects.update(due_at=timezone.now() + MINUTE)
        assert b'hx-trigger="every' not in client.get(STATUS).content
        run = make_run(mirror, status="running", finished_at=None)
        assert b'hx-trigger="every 2s"' in client.get(STATUS).content
        part = client.get(STATUS, headers={"HX-Request": "true"})
        assert b"<html" not in part.content
        assert b'hx-trigger="every 2s"' in part.content
        assert "HX-Request" in part.headers["Vary"]
        SyncRun.objects.filter(pk=run.pk).update(status="done")
        assert b"every 2s" not in client.get(STATUS, headers={"HX-Request": "true"}).content

    def test_is_there_while_the_broker_is_down(self, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        make_mirrored(make_mirror(), 1)
        gone = Mock(get=Mock(side_effect=redis.ConnectionError("gone")))
        monkeypatch.setattr(selectors, "cache", gone)
        monkeypatch.setattr(health, "cache", gone)
        words = status(client).words
        assert "1 issue" in words
        assert "Copies are not being updated" in words

    def test_opens_no_session(self, client: Client) -> None:
        make_mirror()
        response = client.get(STATUS)
        assert not response.cookies
        assert "Cookie" not in response.headers["Vary"]

    @pytest.mark.parametrize("mirrors", [2, 40])
    def test_takes_as_many_queries_for_forty_as_for_two(
        self, client: Client, mirrors: int, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(mirrors):
            mirror = make_mirror(f"octo/engine-{number}")
            make_run(mirror, lag_seconds=60)
            make_run(mirror, minutes_ago=0, status="running", finished_at=None)
            make_mirrored(mirror, 1)
        cache.clear()
        # The totals of the knowledge base are counted once, and remembered.
        with django_assert_max_num_queries(MOST_QUERIES + 1):
            client.get(STATUS)
        with django_assert_max_num_queries(MOST_QUERIES):
            client.get(STATUS)

    def test_is_linked_from_every_page_and_from_about(self, client: Client) -> None:
        assert STATUS in visit(client, "/").links
        assert "the page about the mirrors' status" in visit(client, "/about/").words
