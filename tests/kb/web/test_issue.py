"""An issue's page: what is known, how it is known, what is not stated, and similar issues.

Its texts, its citation and its old addresses are in `test_issue_texts.py`.
"""

import datetime as dt
import json

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import Issue, Kind
from kb.search import similar_issues
from kb.services.sources import ensure_rule_source
from tests.kb.web.reading import Page, visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_source, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def described() -> Issue:
    """An issue with everything that a record can say."""
    issue = make_issue(
        5030,
        heading="Ranks wait for ever after a rework",
        title="[BUG] hang",
        summary="A run on two nodes stalls.",
        recognise=["Watchdog caught collective operation timeout"],
        resolution="The rework was taken back.",
        workaround="Use the release before.",
        affected_versions=["0.13.0", "0.13.1"],
        fixed_version="0.14.0",
        state="closed",
        opened_at=dt.datetime(2024, 1, 1, tzinfo=dt.UTC),
        closed_at=dt.datetime(2024, 2, 20, tzinfo=dt.UTC),
        comment_count=12,
        evidence=[{"url": "https://github.com/a/b/issues/1", "supports": "cause", "by": "maintainer"}],
        related_urls=["https://github.com/a/b/issues/2"],
        read_on=dt.date(2026, 11, 21),
        read_extent="all comments",
    )
    make_label(issue, make_node("hang", name="Hang"), reason="It says that nothing moves.")
    cause = make_node("order", axis=make_axis("root_cause"), name="Order", definition="Ranks differ in order.")
    make_label(issue, cause, reason="The fix reorders the calls.")
    issue.fixes.add(
        make_fix(
            7, merged_on=dt.date(2024, 2, 19), additions=3, deletions=2, files_changed=1, description="Takes it back."
        )
    )
    return issue


def page_of(client: Client, issue: Issue) -> Page:
    return visit(client, issue.get_absolute_url())


class TestAnswer:
    def test_comes_before_everything_else_in_the_order_symptom_cause_fix_workaround(
        self, client: Client, described: Issue
    ) -> None:
        words = page_of(client, described).words
        parts = [
            "It says that nothing moves.", "Watchdog caught collective operation", "The fix reorders the calls.",
            "Upgrade to Deepspeed 0.14.0 or later.", "The rework was taken back.", "DeepSpeed#7", "Until then",
            "Use the release before.", "What goes wrong", "A run on two nodes stalls.", "Is this yours?",
            "How this is known",
        ]  # fmt: skip
        places = [words.index(part, words.index("Original on GitHub")) for part in parts]
        assert places == sorted(places)

    def test_each_claim_has_its_source_beside_it(self, client: Client, described: Issue) -> None:
        described.evidence += [
            {"url": "https://github.com/a/b/pull/3#discussion_r1", "supports": "resolution", "by": "fix"},
            {"url": "https://github.com/a/b/commit/abcdef0123", "supports": "resolution", "by": "fix"},
            {"url": "https://example.org/guide", "supports": "workaround", "by": "documentation"},
        ]
        described.save()
        words = page_of(client, described).words
        assert "Source of the cause: a/b#1 (maintainer)" in words
        assert "Source of the fix: a/b#3 (fix), a/b@abcdef0 (fix)" in words
        assert "Source of the workaround: example.org/guide (documentation)" in words

    def test_claims_without_a_link_are_named(self, client: Client, described: Issue) -> None:
        words = page_of(client, described).words
        assert "No link is recorded for the workaround." in words
        assert "No link is recorded for the cause." not in words
        described.evidence = []
        described.save()
        assert "No link is recorded for the cause." in page_of(client, described).words
        Issue.objects.filter(pk=described.pk).update(summary="")
        assert "No link is recorded" not in page_of(client, described).words

    def test_an_answer_without_a_reason_shows_what_the_category_means(self, client: Client) -> None:
        issue = make_issue(1)
        make_label(issue, make_node("order", axis=make_axis("root_cause"), definition="Ranks differ in order."))
        assert "Ranks differ in order." in page_of(client, issue).words

    @pytest.mark.parametrize(
        ("resolution", "has_cause", "has_fix", "said"),
        [
            ("", False, False, "Cause and fix Unknown yet"),
            ("", True, False, "Fix Unknown yet"),
            ("", False, True, "Cause Unknown yet"),
            ("A restart.", True, False, ""),
            ("", True, True, ""),
        ],
    )
    def test_what_is_unknown_is_said_once_with_the_closest_solved_issue(
        self, client: Client, resolution: str, has_cause: bool, has_fix: bool, said: str
    ) -> None:
        issue = make_issue(1, summary="It fails.", resolution=resolution)
        hang = make_node("hang", name="Hang")
        make_label(issue, hang)
        if has_cause:
            make_label(issue, make_node("order", axis=make_axis("root_cause")))
        if has_fix:
            issue.fixes.add(make_fix())
        make_label(make_issue(2, heading="A twin, unsolved", summary="It fails."), hang)
        make_label(make_issue(3, heading="A twin, solved", summary="It fails.", resolution="Done."), hang)
        words = page_of(client, issue).words
        assert (f"{said}; closest solved issue: A twin, solved ." in words) is bool(said), words
        assert words.count("Unknown yet") == bool(said)


class TestDescribedIssue:
    @pytest.mark.parametrize(
        "text",
        [
            "Ranks wait for ever after a rework",
            "DeepSpeed#5030",
            "A run on two nodes stalls.",
            "Watchdog caught collective operation timeout",
            "The fix reorders the calls.",
            "The rework was taken back.",
            "Use the release before.",
            "merged 19 Feb 2024",
            "+3 −2 in 1 file",
            "small",
            "Takes it back.",
            "closed",
            "50 days",
            "hard",
            "0.13.0, 0.13.1",
            "0.14.0",
            "fixed by deepspeedai/DeepSpeed#7 first released in 0.14.0",
            "read by an automated reader (a language model), one pass so far",
            "by maintainer",
            "Read on 21 November 2026: all comments.",
            "It says that nothing moves.",
            "curated , confidence high",
        ],
    )
    def test_says(self, client: Client, described: Issue, text: str) -> None:
        assert text in page_of(client, described).words

    def test_links_the_original_the_fix_the_evidence_and_the_json(self, client: Client, described: Issue) -> None:
        links = page_of(client, described).links
        assert "Original on GitHub" in links[described.url]
        for url in (
            "https://github.com/deepspeedai/DeepSpeed/pull/7",
            "https://github.com/a/b/issues/1",
            "https://github.com/a/b/issues/2",
            "/codebook/house/root_cause/order",
        ):
            assert url in links
        api = next(url for url, text in links.items() if text.strip() == "JSON")
        assert json.loads(client.get(api).content)["url"] == described.url

    def test_names_the_questions_that_nobody_settled(self, client: Client, described: Issue) -> None:
        make_axis("stage")
        make_axis("hardware")
        assert "Not settled by what was read: stage." in page_of(client, described).words

    def test_keeps_studies_labels_apart_with_their_trust_note(self, client: Client, described: Issue) -> None:
        study = make_study("p9", code="P9")
        source = make_source("p9", kind="study", study=study, confidence="low", trust_note="Two students coded it.")
        node = make_node("deadlock", axis=make_axis("kind", scheme="p9", study=study), name="Deadlock")
        make_label(described, node, source)
        words = page_of(client, described).words
        assert words.index("In the categories of") < words.index("Deadlock") < words.index("Two students coded it.")

    def test_links_relatives_that_are_known_to_their_pages(self, client: Client, described: Issue) -> None:
        other = make_issue(4851, heading="A relative of it")
        described.related.add(other)
        described.related_urls.append(other.url)
        described.save()
        links = page_of(client, described).links
        assert links[other.get_absolute_url()].strip() == "A relative of it"
        assert other.url not in links


class TestWhatIsNotStated:
    def test_is_not_printed(self, client: Client) -> None:
        issue = make_issue(1, heading="A fault", summary="It fails.", read_on=dt.date(2026, 11, 21), read_extent="all")
        issue.fixes.add(make_fix())
        page = page_of(client, issue)
        assert "not stated" not in page.words.partition("Faultbook describes issues in its own words")[0]
        for heading in ("Is this yours?", "Symptom", "Until then", "Workaround", "Evidence", "Opened"):
            assert heading not in page.words
        assert "Reading date not stated" in page_of(client, make_issue(2, summary="It fails.")).words

    def test_an_imported_issue_begins_with_solved_ones_like_it(self, client: Client, search_index: PutIssuesIn) -> None:
        make_issue(2, heading="Gradient overflow in the optimizer", summary="It overflows.")
        make_issue(3, heading="Overflow of a gradient in mixed precision", summary="It fails.", resolution="Scaled.")
        issue = make_issue(1, title="overflow of a gradient", body="Overflow of a gradient.")
        search_index()
        words = page_of(client, issue).words
        assert (
            "Nobody has described this issue yet. Its text, mirrored from GitHub, is at the end of this page." in words
        )
        parts = [
            "the closest solved issues",
            "Overflow of a gradient in",
            "Gradient overflow",
            "Read the mirrored text",
        ]
        places = [words.find(part) for part in parts]
        assert -1 not in places, words
        assert places == sorted(places)
        assert "Is this yours?" not in words

    def test_a_suggested_category_finds_solved_ones_and_is_marked(self, client: Client) -> None:
        issue, hang = make_issue(1, title="It stops"), make_node("hang", name="Hang")
        make_label(issue, hang, ensure_rule_source(name="Rules", trust_note=""), reason="The title says so.")
        make_label(make_issue(2, heading="A twin, solved", summary="It fails.", resolution="Done."), hang)
        make_label(make_issue(3, heading="A twin, unsolved", summary="It fails."), hang)
        solved = client.get(issue.get_absolute_url()).context["solved"]
        assert [other.card.title for other in solved] == ["A twin, solved"]
        assert "Shares, as rules suggest: Hang" in page_of(client, issue).words

    def test_an_issue_known_by_its_address_alone_says_so(self, client: Client) -> None:
        assert "Only its address is known." in page_of(client, make_issue(1)).words

    def test_a_pull_request_says_that_it_is_one(self, client: Client) -> None:
        assert "is a pull request, not an issue" in page_of(client, make_issue(1, kind=Kind.PULL_REQUEST)).words

    def test_an_unknown_kind_says_that_it_is_unknown(self, client: Client) -> None:
        assert "is not known yet" in page_of(client, make_issue(1, kind=Kind.UNKNOWN)).words


class TestSimilarIssues:
    def test_share_labels_and_say_which(self, client: Client, described: Issue) -> None:
        twin = make_issue(2, heading="Another fault", summary="It fails.")
        make_label(twin, described.labels.get(node__code="hang").node)
        page = page_of(client, described)
        assert "Another fault" in page.links[twin.get_absolute_url()]
        assert "Shares: Hang" in page.words

    def test_that_share_more_stand_first(self, described: Issue) -> None:
        hang, order = (described.labels.get(node__code=code).node for code in ("hang", "order"))
        one = make_issue(2, heading="Something else", summary="It fails.")
        both = make_issue(3, heading="Something else again", summary="It fails.")
        make_label(one, order)
        make_label(both, hang)
        make_label(both, order)
        assert [other.card.id for other in similar_issues(described)] == [both.pk, one.pk]

    def test_without_labels_say_much_the_same(self, client: Client, search_index: PutIssuesIn) -> None:
        twin = make_issue(2, heading="Gradient overflow in the optimizer", summary="It fails.")
        make_issue(3, heading="Tokenizer is slow", summary="It fails.")
        draft = make_issue(1, title="overflow of a gradient")
        search_index()
        assert [(other.card.id, other.shared) for other in similar_issues(draft)] == [(twin.pk, ())]
        assert "In similar words" in page_of(client, draft).words

    def test_are_never_the_issue_itself(self, search_index: PutIssuesIn) -> None:
        alone = make_issue(1, title="overflow of a gradient")
        search_index()
        assert similar_issues(alone) == []

    def test_are_found_once_for_several_readers(
        self, described: Issue, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        twin = make_issue(2, heading="Another fault", summary="It fails.")
        make_label(twin, described.labels.get(node__code="hang").node)
        found = similar_issues(described)
        assert [other.card.id for other in found] == [twin.pk]
        with django_assert_num_queries(0):
            assert similar_issues(described) == found


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize(("with_index", "most"), [(True, 14), (False, 19)], ids=["with the index", "without it"])
def test_takes_few_queries(
    client: Client,
    django_assert_max_num_queries: DjangoAssertNumQueries,
    search_index: PutIssuesIn,
    with_index: bool,
    most: int,
) -> None:
    if with_index:
        search_index()
    for issue in Issue.objects.order_by("pk")[:8]:
        url = issue.get_absolute_url()
        with django_assert_max_num_queries(most):
            client.get(url)
