"""What rules suggest is in no count, no answer and no likeness of people's labels, unless somebody asks for it."""

from typing import Any

import pytest
from django.db import IntegrityError
from django.http import QueryDict

from kb.models import CauseLink, Issue, Label, Node, Source
from kb.search import harvest, search, similar_issues
from kb.selectors import codebook, fix_patterns, issues, overview
from kb.services.cause_links import rebuild_cause_links
from kb.services.codebook import NodeSpec, save_nodes
from kb.services.nodes import merge_node, retire_node
from kb.services.sources import ensure_rule_source
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_source

pytestmark = pytest.mark.django_db


@pytest.fixture
def rules() -> Source:
    return ensure_rule_source(name="Faultbook's rules", trust_note="Right in 9 of 10 that were read.")


@pytest.fixture
def hang() -> Node:
    return make_node("hang", name="Hang")


@pytest.fixture
def labelled(hang: Node) -> Issue:
    issue = make_issue(title="Training stops")
    make_label(issue, hang)
    return issue


@pytest.fixture
def suggested(hang: Node, rules: Source) -> Issue:
    issue = make_issue(title="Serving stops")
    make_label(issue, hang, rules, reason="The title says “stops”.")
    return issue


def asked(**params: str) -> QueryDict:
    found = QueryDict(mutable=True)
    found.update(params)
    return found


class TestSearch:
    ASKED: Any = [
        ({"symptom": "hang"}, {"labelled"}),
        ({"node": "house/hang"}, {"labelled"}),
        ({"symptom": "-hang"}, {"suggested"}),
        ({"trust": "rule"}, {"suggested"}),
        ({"trust": "curated"}, {"labelled"}),
        ({"source": "rule"}, {"suggested"}),
        ({"source": "rule", "symptom": "hang"}, {"suggested"}),
        ({"source": "rule", "node": "house/hang"}, {"suggested"}),
        ({"source": "curated", "symptom": "hang"}, {"labelled"}),
    ]

    def test_categories_are_answered_by_people_unless_the_rules_are_asked(
        self, put_issues_in: PutIssuesIn, labelled: Issue, suggested: Issue
    ) -> None:
        names = {labelled.pk: "labelled", suggested.pk: "suggested"}
        put_issues_in()
        for params, wanted in self.ASKED:
            assert {names[row.card.id] for row in search(asked(**params)).rows} == wanted, params

    def test_a_harvest_answers_alike(self, labelled: Issue, suggested: Issue) -> None:
        names = {labelled.pk: "labelled", suggested.pk: "suggested"}
        for params, wanted in self.ASKED:
            found = harvest(asked(**params))
            assert found is not None
            assert {names[issue.pk] for issue in found.issues} == wanted, params

    @pytest.mark.usefixtures("labelled", "suggested")
    def test_facets_count_people_and_tell_suggestions_apart(self, put_issues_in: PutIssuesIn) -> None:
        def counts(**params: str) -> dict[str, dict[str, int]]:
            groups = search(asked(**params)).facets
            return {group.key: {value.value: value.count for value in group.values} for group in groups}

        put_issues_in()
        assert counts()["symptom"] == {"hang": 1}
        assert counts()["trust"] == {"curated": 1, "rule": 1}
        assert counts(source="rule")["symptom"] == {"hang": 1}
        assert "symptom" not in counts(trust="rule")

    def test_a_card_tells_them_apart(self, put_issues_in: PutIssuesIn, suggested: Issue, labelled: Issue) -> None:
        put_issues_in()
        cards = {row.card.id: row.card for row in search(asked()).rows}
        one, other = cards[suggested.pk], cards[labelled.pk]
        assert ([node.code for node in one.suggested], one.symptoms) == (["hang"], ())
        assert [source.slug for source in one.sources] == ["rule"]
        assert (other.suggested, [node.code for node in other.symptoms]) == ((), ["hang"])

    def test_where_people_name_a_symptom_none_is_suggested(
        self, put_issues_in: PutIssuesIn, labelled: Issue, rules: Source
    ) -> None:
        make_label(labelled, make_node("crash"), rules)
        put_issues_in()
        (row,) = search(asked()).rows
        assert (row.card.suggested, [node.code for node in row.card.symptoms]) == ((), ["hang"])

    @pytest.mark.usefixtures("labelled")
    def test_a_suggestion_makes_no_issues_alike(self, suggested: Issue) -> None:
        issue = issues.for_detail().get(pk=suggested.pk)
        assert [one.card.id for one in similar_issues(issue) if one.shared] == []


class TestCounts:
    @pytest.mark.usefixtures("suggested")
    def test_a_nodes_issues_are_those_of_people(self, hang: Node, labelled: Issue) -> None:
        assert codebook.issue_counts(scheme=hang.axis.scheme) == {hang.pk: 1}
        assert list(codebook.labelled_issues(node=hang)) == [labelled]

    def test_a_patterns_fixes_are_those_of_people(self, rules: Source) -> None:
        pattern = make_node("guard", axis=make_axis("fix_pattern"))
        issue = make_issue()
        issue.fixes.add(make_fix(additions=1, deletions=1))
        make_label(issue, pattern, rules)
        assert fix_patterns.pattern_counts() == {}

    def test_a_suggestion_closes_no_gap_and_is_no_news(self, rules: Source) -> None:
        issue = make_issue(summary="Ours.")
        make_label(issue, make_node("race", axis=make_axis("root_cause")), rules)
        quality = overview.quality()
        assert (quality.gaps.no_cause, quality.last_label) == (1, None)
        assert [(row.source.slug, row.labels) for row in quality.sources] == [("rule", 1)]

    def test_cause_links_are_drawn_for_who_asks_for_them(self, suggested: Issue, rules: Source) -> None:
        make_label(suggested, make_node("race", axis=make_axis("root_cause")), rules)
        assert rebuild_cause_links() == 0
        assert rebuild_cause_links(source=rules) == 1
        rebuild_cause_links()
        assert not CauseLink.objects.exists()


class TestReading:
    def test_labels_and_suggestions_are_two_things(self, suggested: Issue) -> None:
        issue = issues.for_detail().get(pk=suggested.pk)
        assert issues.labels_by_axis(issue, house=True) == ()
        (group,) = issues.suggestions(issue)
        assert (group.axis.code, [label.node.code for label in group.labels]) == ("symptom", ["hang"])

    def test_what_somebody_has_answered_is_suggested_no_more(self, suggested: Issue) -> None:
        make_label(suggested, make_node("crash"))
        issue = issues.for_detail().get(pk=suggested.pk)
        assert issues.suggestions(issue) == ()


class TestCodebook:
    def test_suggestions_keep_no_node_in_use(self, hang: Node, suggested: Issue) -> None:
        retire_node(node=hang)
        assert not Label.objects.filter(issue=suggested).exists()

    def test_a_file_that_retires_a_node_takes_its_suggestions_away(self, hang: Node, suggested: Issue) -> None:
        spec = NodeSpec("crash", None, {"code": "crash", "name": "Crash", "definition": "It ends."})
        save_nodes(axis=hang.axis, specs=[spec])
        hang.refresh_from_db()
        assert (hang.status, suggested.labels.count()) == ("retired", 0)

    def test_merging_moves_them(self, hang: Node, suggested: Issue) -> None:
        other = make_node("standstill")
        assert merge_node(node=hang, into=other) == 1
        assert list(suggested.labels.values_list("node__code", "source__slug")) == [("standstill", "rule")]


class TestSource:
    def test_there_is_one_and_it_is_called_rule(self, rules: Source) -> None:
        assert (rules.slug, rules.kind) == ("rule", "rule")
        with pytest.raises(IntegrityError, match="source_rule_is_one"):
            make_source("another", kind="rule")

    def test_nothing_else_is_called_so(self) -> None:
        with pytest.raises(IntegrityError, match="source_rule_is_one"):
            make_source("rule", kind="curated")

    def test_what_is_said_about_it_follows(self, rules: Source) -> None:
        again = ensure_rule_source(name="Faultbook's rules", trust_note="Right in 8 of 10.")
        rules.refresh_from_db()
        assert (again, rules.trust_note) == (rules, "Right in 8 of 10.")
