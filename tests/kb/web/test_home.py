"""The home page: the way in, what is in it, and where its numbers come from."""

import datetime as dt
import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import CauseLink, Issue, Kind
from kb.selectors import overview
from kb.selectors.issues import newest_fixes
from kb.services.cause_links import rebuild_cause_links
from tests.kb.web.reading import visit
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_repository

pytestmark = pytest.mark.django_db


class TestWayIn:
    def test_has_one_search_box_that_works_without_scripts(self, client: Client) -> None:
        html = client.get("/").content.decode()
        assert len(re.findall(r'<form[^>]*action="/issues/"[^>]*method="get"', html)) == 1
        assert visit(client, "/").inputs == {"q": ""}

    @pytest.mark.usefixtures("starter")
    def test_every_example_finds_something(self, client: Client) -> None:
        examples = [url for url in visit(client, "/").links if url.startswith("/issues/?q=")]
        assert len(examples) >= 3
        for url in examples:
            assert "No issue matches" not in visit(client, url).words

    def test_says_what_to_do_when_nothing_is_in_it(self, client: Client) -> None:
        words = visit(client, "/").words
        assert "Too few described issues to say yet" in words
        assert "load_starter" in words


class TestCounts:
    def test_pull_requests_are_kept_apart_from_issues(self, client: Client) -> None:
        make_issue(kind=Kind.ISSUE)
        make_issue(kind=Kind.UNKNOWN)
        make_issue(kind=Kind.PULL_REQUEST, summary="Described, but no issue.")
        counts = overview.counts()
        assert (counts.issues, counts.unknown_kind, counts.pull_requests, counts.curated) == (2, 1, 1, 0)
        words = visit(client, "/").words
        assert "of all 2 issues 1 may be pull requests; 1 known pull requests are not counted" in words

    def test_say_plainly_how_many_are_described_and_how_many_merely_mirrored(self, client: Client) -> None:
        make_issue(summary="It fails.", resolution="Done.")
        for _ in range(3):
            make_issue()
        page = visit(client, "/")
        said = "1 issue is described in plain words, 1 with a known resolution; 3 are merely mirrored"
        assert said in page.words
        assert page.words.index("For example") < page.words.index(said) < page.words.index("Most common causes")
        for url, n in (("/issues/?curated=true", 1), ("/issues/?curated=false", 3)):
            assert str(n) in page.links[url]
            assert re.search(rf"\b{n} issues?\b", visit(client, url).words)

    def test_are_by_framework_the_largest_first(self, client: Client) -> None:
        vllm = make_repository("vllm-project/vllm", "vllm")
        make_issue(repository=vllm)
        make_issue(repository=vllm)
        make_issue()
        assert [(row.slug, row.issues) for row in overview.counts().frameworks] == [("vllm", 2), ("deepspeed", 1)]
        assert visit(client, "/").links["/issues/?framework=vllm"] == "Vllm"

    def test_are_counted_anew_when_an_issue_comes(self) -> None:
        make_issue()
        assert overview.counts().issues == 1
        make_issue()
        assert overview.counts().issues == 2

    def test_are_remembered_while_nothing_changes(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        make_issue()
        overview.counts()
        with django_assert_num_queries(1):
            overview.counts()

    @pytest.mark.usefixtures("starter")
    def test_lists_are_remembered_too_until_rows_come(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        before = overview.front()
        assert before.links
        assert before.fixes
        with django_assert_num_queries(1):
            assert overview.front() == before
        CauseLink.objects.all().delete()
        assert overview.front().links == []

    @pytest.mark.usefixtures("starter")
    def test_a_number_beside_a_link_is_what_the_link_shows(self, client: Client) -> None:
        page = visit(client, "/")
        for url, text in page.links.items():
            if url.startswith("/issues/") and text.strip().isdigit():
                assert re.search(rf"\b{text.strip()}\b issues?", visit(client, url).words), url


class TestCauses:
    @pytest.mark.usefixtures("starter")
    def test_come_by_symptom_with_share_n_and_interval_and_lead_to_their_issues(self, client: Client) -> None:
        groups = client.get("/").context["symptoms"]
        assert len(groups) == 5
        assert [group.of for group in groups] == sorted((group.of for group in groups), reverse=True)
        page = visit(client, "/")
        for group in groups:
            assert f"{group.symptom.name} n = {group.of}" in page.words
            assert [line.issues for line in group.causes] == sorted(
                (line.issues for line in group.causes), reverse=True
            )
            for line in group.causes:
                assert f"{line.share} ( {line.interval}; {line.issues} of {group.of})".replace("( ", "(") in page.words
                assert re.search(rf"\b{line.issues} issues?\b", visit(client, line.url).words), line.url

    @pytest.mark.parametrize(
        ("n", "said"), [(4, None), (5, "small sample (n = 5)"), (9, "small sample (n = 9)"), (10, "")]
    )
    def test_of_few_issues_are_marked_and_of_too_few_not_drawn(self, client: Client, n: int, said: str | None) -> None:
        hang, race = make_node("hang", name="Hang"), make_node("race", axis=make_axis("root_cause"), name="Race")
        for _ in range(n):
            issue = make_issue()
            make_label(issue, hang)
            make_label(issue, race)
        rebuild_cause_links()
        words = visit(client, "/").words
        assert (f"Hang n = {n}" in words) is (said is not None)
        assert (f"{said}" in words) if said else ("small sample" not in words)

    @pytest.mark.usefixtures("starter")
    def test_are_between_groups_of_the_codebook(self) -> None:
        links = overview.commonest_links()
        assert links
        assert all(link.symptom.parent_id is None and link.cause.parent_id is None for link in links)


class TestNews:
    def test_the_fix_that_was_merged_last_stands_first(self, client: Client) -> None:
        for number, day in ((1, dt.date(2024, 1, 1)), (2, dt.date(2025, 1, 1)), (3, None)):
            issue = make_issue(number, heading=f"The fault number {number}", summary="It fails.")
            issue.fixes.add(make_fix(number, merged_on=day))
        words = visit(client, "/").words
        positions = [words.index(f"deepspeedai/DeepSpeed#{number}") for number in (2, 1, 3)]
        assert positions == sorted(positions)

    def test_a_fix_of_an_issue_that_nobody_described_is_not_news(self, client: Client) -> None:
        make_issue().fixes.add(make_fix(77))
        assert "DeepSpeed#77" not in visit(client, "/").words

    def test_a_described_pull_request_is_no_news(self) -> None:
        make_issue(1, summary="It fails.", kind=Kind.PULL_REQUEST).fixes.add(make_fix(77))
        assert newest_fixes() == []


@pytest.mark.usefixtures("starter")
def test_takes_at_most_12_queries(client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    assert Issue.objects.count() >= 80
    with django_assert_max_num_queries(12):
        client.get("/")
