"""Comments of a mirrored issue, links that are no fixes, and what its page says when it was deleted or moved."""

import datetime as dt
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import ClosingReference, Comment, FormerAddress, Issue, RepositoryAlias
from tests.kb.web.reading import Page, visit
from tests.support.factories import make_fix, make_issue, make_repository

pytestmark = pytest.mark.django_db
BEGAN = dt.datetime(2024, 1, 2, 9, 30, tzinfo=dt.UTC)
PULL = "https://github.com/deepspeedai/DeepSpeed/pull/"


@pytest.fixture
def issue() -> Issue:
    return make_issue(7, title="It hangs", node_id="I_7", comment_count=1)


@pytest.fixture
def say(issue: Issue) -> Callable[..., Comment]:
    """Comment on the issue, a minute after the comment before."""

    def say(body: str = "The same here.", **fields: object) -> Comment:
        number = Comment.objects.count()
        moment = BEGAN + dt.timedelta(minutes=number)
        given = {"node_id": f"IC_{number}", "ref": f"{900 + number}", "author": "someone", "created_at": moment}
        Issue.objects.filter(pk=issue.pk).update(comment_count=number + 1)
        return Comment.objects.create(issue=issue, body=body, **{"updated_at": moment} | given | fields)

    return say


def page_of(client: Client, issue: Issue) -> Page:
    return visit(client, issue.get_absolute_url())


class TestComments:
    def test_say_who_wrote_what_and_when(self, client: Client, issue: Issue, say: Callable[..., Comment]) -> None:
        say("Try **NCCL_DEBUG=INFO**.", author="a-maintainer", author_association="MEMBER")
        page = page_of(client, issue)
        assert "a-maintainer member 2 Jan 2024, 09:30 Try NCCL_DEBUG=INFO ." in page.words
        assert f"{issue.url}#issuecomment-900" in page.links

    def test_say_when_the_account_is_gone_and_when_the_text_was_changed(
        self, client: Client, issue: Issue, say: Callable[..., Comment]
    ) -> None:
        say(author="", updated_at=BEGAN + dt.timedelta(days=1))
        words = page_of(client, issue).words
        assert "an account that is gone" in words
        assert "edited" in words

    def test_run_nothing_and_load_nothing(self, client: Client, issue: Issue, say: Callable[..., Comment]) -> None:
        say('<script>alert(1)</script><img src="https://example.org/x.png" onerror="x()">')
        page = page_of(client, issue)
        assert page.inline == []
        assert b"<img" not in client.get(issue.get_absolute_url()).content

    def test_the_first_twenty_are_shown_the_rest_page_by_page(
        self, client: Client, issue: Issue, say: Callable[..., Comment]
    ) -> None:
        for number in range(45):
            say(f"Word number {number}.")
        page = page_of(client, issue)
        assert "Word number 19." in page.words
        assert "Word number 20." not in page.words
        address = f"{issue.get_absolute_url()}/comments"
        assert page.links[address] == "Show all comments: 25 more"
        first, second = visit(client, address), visit(client, f"{address}?page=2")
        assert "45 comments" in first.words
        assert "Word number 29." in first.words
        assert "Word number 44." in second.words

    def test_all_comments_are_found_by_old_names_of_the_repository(self, client: Client, issue: Issue) -> None:
        RepositoryAlias.objects.create(repository=issue.repository, host="github.com", full_name="microsoft/DeepSpeed")
        response = client.get("/issues/github.com/microsoft/DeepSpeed/7/comments?page=2")
        assert response.status_code == 301
        assert response.headers["Location"] == f"{issue.get_absolute_url()}/comments?page=2"

    def test_none_are_said_to_be_none(self, client: Client, issue: Issue) -> None:
        assert "No comments are mirrored." in visit(client, f"{issue.get_absolute_url()}/comments").words

    def test_cost_nothing_where_nobody_commented(
        self, client: Client, issue: Issue, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        Issue.objects.update(comment_count=0)
        with django_assert_max_num_queries(12):
            client.get(issue.get_absolute_url())

    def test_cost_two_statements_however_many_there_are(
        self, client: Client, issue: Issue, say: Callable[..., Comment],
        django_assert_max_num_queries: DjangoAssertNumQueries,
    ) -> None:  # fmt: skip
        for _ in range(30):
            say()
        with django_assert_max_num_queries(14):
            client.get(issue.get_absolute_url())

    def test_the_api_gives_them_page_by_page(self, client: Client, issue: Issue, say: Callable[..., Comment]) -> None:
        for number in range(3):
            say(f"Word {number}")
        answer = client.get(f"/api/v1/issues/{issue.pk}/comments/?page_size=2").json()
        assert answer["count"] == 3
        assert [one["body"] for one in answer["results"]] == ["Word 0", "Word 1"]
        assert client.get(answer["next"]).json()["results"][0]["body"] == "Word 2"
        assert client.get("/api/v1/issues/999999/comments/").status_code == 404


class TestLinksThatAreNoFixes:
    @pytest.mark.parametrize(
        ("state", "said"),
        [("open", "under way"), ("closed", "given up"), ("merged", "merged, yet the issue is open")],
    )
    def test_say_how_far_they_came(self, client: Client, issue: Issue, state: str, said: str) -> None:
        ClosingReference.objects.create(issue=issue, url=f"{PULL}12", kind="pull_request", state=state)
        page = page_of(client, issue)
        assert f"deepspeedai/DeepSpeed#12 {said}" in page.words
        assert f"{PULL}12" in page.links

    def test_a_fix_is_not_told_twice(self, client: Client, issue: Issue) -> None:
        issue.fixes.add(make_fix(12))
        ClosingReference.objects.create(issue=issue, url=f"{PULL}12", kind="pull_request", state="merged")
        assert "yet the issue is open" not in page_of(client, issue).words


class TestWhereabouts:
    def test_a_deleted_issue_says_since_when_and_that_its_record_is_kept(self, client: Client, issue: Issue) -> None:
        Issue.objects.update(deleted_at=BEGAN)
        words = page_of(client, issue).words
        assert "GitHub has not shown this issue since 2 January 2024" in words
        assert "are kept" in words

    def test_a_moved_issue_leads_to_where_it_is(self, client: Client, issue: Issue) -> None:
        there = "https://github.com/elsewhere/other/issues/3"
        Issue.objects.filter(pk=issue.pk).update(moved_to=there)
        assert there in page_of(client, issue).links
        kept = make_issue(3, repository=make_repository("elsewhere/other"))
        assert page_of(client, issue).links[kept.get_absolute_url()] == "other#3"

    def test_the_api_says_both(self, client: Client, issue: Issue) -> None:
        address = f"/api/v1/issues/{issue.pk}/"
        before = client.get(address).json()
        assert (before["deleted"], before["moved_to"], before["state_reason"]) == (False, None, None)
        Issue.objects.update(deleted_at=BEGAN, moved_to="https://github.com/a/b/issues/1", state_reason="not_planned")
        after = client.get(address).json()
        assert (after["deleted"], after["moved_to"], after["state_reason"]) == (
            True, "https://github.com/a/b/issues/1", "not_planned",
        )  # fmt: skip


class TestFormerAddresses:
    @pytest.fixture
    def moved(self, issue: Issue) -> Issue:
        """An issue that was number 12 of another repository."""
        repository = make_repository("old-home/Motor")
        url = f"{repository.url}/issues/12"
        FormerAddress.objects.create(issue=issue, repository=repository, ref="12", url=url)
        return issue

    @pytest.mark.parametrize("end", ["", "/comments", "/cite"])
    def test_an_old_address_leads_to_todays_for_ever(self, client: Client, moved: Issue, end: str) -> None:
        response = client.get(f"/issues/github.com/old-home/Motor/12{end}")
        assert (response.status_code, response.headers["Location"]) == (301, moved.get_absolute_url() + end)

    def test_also_when_the_old_repository_was_renamed_later(self, client: Client, moved: Issue) -> None:
        old = FormerAddress.objects.get().repository
        RepositoryAlias.objects.create(repository=old, host="github.com", full_name="older/Motor")
        response = client.get("/issues/github.com/older/Motor/12")
        assert (response.status_code, response.headers["Location"]) == (301, moved.get_absolute_url())

    @pytest.mark.parametrize(
        "text", ["Motor%2312", "old-home/Motor%2312", "https://github.com/old-home/Motor/issues/12"]
    )
    def test_search_jumps_by_old_names_and_addresses(self, client: Client, moved: Issue, text: str) -> None:
        response = client.get(f"/issues/?q={text}")
        assert (response.status_code, response.headers["Location"]) == (302, moved.get_absolute_url())

    def test_what_stands_there_now_comes_first(self, client: Client, moved: Issue) -> None:
        there = make_issue(12, repository=make_repository("old-home/Motor"))
        assert client.get(there.get_absolute_url()).status_code == 200
        assert there != moved
        assert client.get("/issues/?q=Motor%2312").headers["Location"] == there.get_absolute_url()

    def test_the_api_finds_it_by_its_old_address(self, client: Client, moved: Issue) -> None:
        found = client.get("/api/v1/issues/?url=https://github.com/old-home/Motor/issues/12").json()
        assert [one["id"] for one in found["results"]] == [moved.pk]


def test_readers_see_no_button_for_staff(client: Client, issue: Issue) -> None:
    client.force_login(User.objects.create_user("reader"))
    assert b"Fetch again" not in client.get(issue.get_absolute_url()).content
