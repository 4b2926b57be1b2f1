"""A node's page: what it means, what goes with it and how sure that is, its issues, and who calls it what."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from kb.models import Crosswalk, Issue, Kind, Node
from kb.services.cause_links import rebuild_cause_links
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12


def page(client: Client, node: Node) -> str:
    response = client.get(node.get_absolute_url())
    assert response.status_code == 200
    return response.content.decode()


def words(html: str) -> str:
    """The page's text with its white space evened out; tags stay."""
    return " ".join(html.split())


@pytest.fixture
def cause() -> Node:
    return make_node("mismatch", axis=make_axis("root_cause"), name="Ranks disagree")


def link(symptom: Node, cause: Node, times: int) -> list[Issue]:
    """Issues with both, and the cause links drawn from them."""
    issues = [make_issue() for _ in range(times)]
    for issue in issues:
        make_label(issue, symptom)
        make_label(issue, cause)
    rebuild_cause_links()
    return issues


class TestMeaning:
    def test_shows_the_definition_the_rules_the_examples_and_the_synonyms(self, client: Client) -> None:
        node = make_node(
            include=["Waits."], exclude=["Slow: use slow."], examples=["It sat all night."], aliases=["stuck"]
        )
        html = page(client, node)
        for text in (node.name, node.code, node.definition, "Waits.", "Slow: use slow.", "It sat all night.", "stuck"):
            assert text in html

    def test_shows_text_as_text(self, client: Client) -> None:
        evil = "<script>alert(1)</script>"
        node = make_node(name=evil, definition=evil, include=[evil], exclude=[evil], examples=[evil], aliases=[evil])
        assert evil not in page(client, node)

    def test_leads_up_to_its_ancestors_and_down_to_its_children(self, client: Client) -> None:
        top = make_node("hang")
        middle = make_node("hang-collective", parent=top)
        bottom = make_node("hang-barrier", parent=middle)
        html = page(client, middle)
        assert top.get_absolute_url() in html
        assert bottom.get_absolute_url() in html
        assert "/codebook/#symptom" in html

    def test_lists_its_history(self, client: Client) -> None:
        node = make_node()
        Node.objects.filter(pk=node.pk).update(definition="Better said.")
        html = words(page(client, node))
        assert "changed definition" in html
        assert "entered" in html


class TestLife:
    def test_a_merged_category_says_where_its_issues_went(self, client: Client) -> None:
        target = make_node("hang")
        gone = make_node("freeze", status=Node.Status.MERGED, merged_into=target)
        html = page(client, gone)
        assert "was merged into" in html
        assert target.get_absolute_url() in html
        assert gone.get_absolute_url() in page(client, target)

    def test_a_retired_category_keeps_its_page(self, client: Client) -> None:
        assert "is retired" in page(client, make_node(status=Node.Status.RETIRED))

    @pytest.mark.parametrize(
        "path", ["house/symptom/nope", "house/nope/hang", "nope/symptom/hang", "house/symptom/HANG"]
    )
    def test_an_unknown_one_is_not_found(self, client: Client, path: str) -> None:
        make_node("hang")
        assert client.get(f"/codebook/{path}").status_code == 404


class TestWhatGoesWithIt:
    def test_a_symptom_has_its_causes_with_share_n_interval_and_lift(self, client: Client, cause: Node) -> None:
        symptom, other = make_node("hang"), make_node("crash")
        link(symptom, cause, 12)
        link(other, make_node("typo", axis=make_axis("root_cause")), 12)
        html = words(page(client, symptom))
        assert cause.name in html
        assert "12 of 12" in html
        assert "100 %" in html
        assert "76–100 %" in html
        assert "2.0×" in html
        assert "n = 24 issues" in html

    def test_a_cause_has_the_symptoms_it_shows_as(self, client: Client, cause: Node) -> None:
        symptom = make_node("hang", name="Hangs for ever")
        link(symptom, cause, 2)
        html = page(client, cause)
        assert "Most common symptoms" in html
        assert "Hangs for ever" in html

    def test_few_issues_are_said_to_be_few_in_words(self, client: Client, cause: Node) -> None:
        symptom = make_node("hang")
        link(symptom, cause, 5)
        html = page(client, symptom)
        assert "small sample (n = 5)" in html
        assert "is-weak" in html

    def test_enough_issues_are_not(self, client: Client, cause: Node) -> None:
        symptom = make_node("hang")
        link(symptom, cause, 10)
        html = page(client, symptom)
        assert "small sample" not in html
        assert "is-weak" not in html

    def test_finer_causes_stand_below_their_group(self, client: Client, cause: Node) -> None:
        symptom, finer = make_node("hang"), make_node("order", axis=cause.axis, parent=cause)
        link(symptom, finer, 4)
        link(symptom, cause, 1)
        (table,) = client.get(symptom.get_absolute_url()).context["links"]
        assert [(row.other.code, row.depth, row.issues) for row in table.rows] == [("mismatch", 0, 5), ("order", 1, 4)]

    def test_groups_that_one_issue_speaks_for_are_folded_away(self, client: Client, cause: Node) -> None:
        symptom, rare = make_node("hang"), make_node("typo", axis=cause.axis)
        link(symptom, cause, 4)
        link(symptom, rare, 1)
        (table,) = client.get(symptom.get_absolute_url()).context["links"]
        assert [row.other for row in table.rows] == [cause]
        assert [row.other for row in table.rare] == [rare]
        assert rare.get_absolute_url() in page(client, symptom)

    def test_sources_are_kept_apart_the_most_trusted_first(self, client: Client, cause: Node) -> None:
        symptom, second = make_node("hang"), make_source("second", name="The second source", kind="consensus")
        issue = link(symptom, cause, 2)[0]
        for node in (symptom, cause):
            make_label(issue, node, second)
        rebuild_cause_links()
        tables = client.get(symptom.get_absolute_url()).context["links"]
        assert [(table.source.slug, table.rows[0].issues) for table in tables] == [("second", 1), ("curated", 2)]

    @pytest.mark.usefixtures("starter")
    @pytest.mark.parametrize("path", ["symptom/hang", "symptom/memory", "root_cause/allocation"])
    def test_every_row_opens_exactly_its_issues(self, client: Client, path: str) -> None:
        tables = client.get(f"/codebook/house/{path}").context["links"]
        rows = [row for table in tables for row in (*table.rows, *table.rare)]
        assert len(rows) > 5
        for row in rows:
            assert client.get(row.issues_url).context["result"].total == row.issues, row.issues_url


class TestIssues:
    def test_counts_by_framework_and_links_to_them(self, client: Client) -> None:
        node = make_node("hang")
        for _ in range(2):
            make_label(make_issue(repository=make_repository("vllm-project/vllm", "vllm")), node)
        make_label(make_issue(), node)
        rows = client.get(node.get_absolute_url()).context["frameworks"]
        assert [(row.name, row.issues) for row in rows] == [("Vllm", 2), ("Deepspeed", 1)]
        for row in rows:
            assert client.get(row.url).context["result"].total == row.issues

    def test_shows_the_latest_five_and_a_link_to_all(self, client: Client) -> None:
        node = make_node("hang")
        issues = [make_issue(i, opened_at=f"2024-01-{i:02}T00:00:00Z", heading=f"Heading {i}.") for i in range(1, 8)]
        for issue in issues:
            make_label(issue, node)
        html = page(client, node)
        assert [i for i in range(1, 8) if f"Heading {i}." in html] == [3, 4, 5, 6, 7]
        assert "All 7 issues" in html
        assert "/issues/?symptom=hang" in html

    def test_pull_requests_are_named_but_not_counted(self, client: Client) -> None:
        node = make_node("hang")
        make_label(make_issue(kind=Kind.PULL_REQUEST), node)
        html = words(page(client, node))
        assert "No issue carries this category" in html
        assert "1 pull request" in html
        assert "kind=pull_request" in html


class TestStudies:
    def make_study_node(self, **fields: object) -> Node:
        study = make_study("p9", code="P9", title="A study of hangs", sample_total=300)
        return make_node("P9.S1", axis=make_axis(scheme="p9", study=study), name="Stall", **fields)

    @pytest.mark.parametrize(
        ("relation", "sentence"),
        [
            ("exact", "means the same as"),
            ("close", "is close to"),
            ("broad", "is narrower than"),
            ("narrow", "is broader than"),
        ],
    )
    def test_the_crosswalk_is_said_in_plain_words_from_both_sides(
        self, client: Client, relation: str, sentence: str
    ) -> None:
        house, theirs = make_node("hang"), self.make_study_node(published_count=19, published_trust="primary")
        Crosswalk.objects.create(from_node=theirs, to_node=house, relation=relation)
        ours, study = words(page(client, house)), words(page(client, theirs))
        assert f">Stall</a> {sentence} this" in ours
        assert f"<strong>Stall</strong> {sentence}" in study
        assert "19" in ours
        assert "primary" in ours
        assert "A study of hangs" in ours

    def test_a_published_number_has_its_basis_and_trust(self, client: Client) -> None:
        node = self.make_study_node(
            published_count=40,
            published_percent=13.3,
            percent_of="300 reports",
            published_trust="secondary",
            note="Rounded.",
        )
        html = words(page(client, node))
        for text in ("40", "13.3 % of 300 reports", "Seen in somebody else", "Rounded."):
            assert text in html

    def test_what_was_not_published_is_said_to_be_not_found(self, client: Client) -> None:
        assert words(page(client, self.make_study_node())).count("not found") == 2

    def test_a_missing_crosswalk_has_its_reason(self, client: Client) -> None:
        assert "Too vague to place." in page(client, self.make_study_node(no_crosswalk_reason="Too vague to place."))


class TestFixPatterns:
    @pytest.mark.usefixtures("codebook")
    def test_lead_to_the_playbook_and_say_how_large_fixes_are(self, client: Client) -> None:
        node = Node.objects.get(code="add-guard", axis__scheme__slug="house")
        for lines in (4, 16, 17, 18, 30):
            issue = make_issue()
            make_label(issue, node)
            issue.fixes.add(make_fix(additions=lines, deletions=0))
        html = words(page(client, node))
        assert "/playbooks/add-guard" in html
        assert "median <strong>17 changed lines</strong>" in html
        assert "small sample (n = 5)" in html


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize(
    "path",
    [
        "house/symptom/hang",
        "house/root_cause/communication",
        "house/fix_pattern/coordination",
        "p5-llm-challenges/theme/C.3",
    ],
)
def test_takes_few_queries(client: Client, path: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        assert client.get(f"/codebook/{path}").status_code == 200
    assert len(queries) <= MOST_QUERIES


class TestHints:
    def test_a_cause_says_what_test_and_log_tell_it_and_how_little_shows_it(self, client: Client) -> None:
        known = make_issue(54059, repository=make_repository("pytorch/pytorch"))
        html = words(page(client, make_node("collective-mismatch", axis=make_axis("root_cause"))))
        for text in ("A test that catches it", "A log that tells it", "No GPU, 2 processes.", known.get_absolute_url()):
            assert text in html

    def test_a_finer_cause_without_its_own_shows_those_above_it(self, client: Client) -> None:
        axis = make_axis("root_cause")
        above = make_node("hardware", axis=axis, name="Hardware")
        html = words(page(client, make_node("gamma-rays", axis=axis, parent=above)))
        assert "Hints of the broader category" in html
        assert f'href="{above.get_absolute_url()}#hints"' in html

    def test_a_symptom_shows_only_how_it_is_shown(self, client: Client) -> None:
        html = page(client, make_node("hang"))
        assert "Show it with little" in html
        assert "A test that catches it" not in html

    def test_another_axis_has_none(self, client: Client) -> None:
        assert 'id="hints"' not in page(client, make_node("hang", axis=make_axis("stage")))
