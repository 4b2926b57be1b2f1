"""Writing: rows touched only where they differ, labels of one source, cause links, the codebook's life."""

import datetime as dt
import math

import pytest
from django.apps import apps
from hypothesis import given
from hypothesis import strategies as st

from kb.models import CauseLink, Issue, Label, Node, RepositoryAlias
from kb.services.cause_links import rebuild_cause_links
from kb.services.codebook import NodeSpec, NodeStillLabelledError, save_nodes
from kb.services.issues import link_related, save_curated_issues, save_fixes
from kb.services.labels import refresh_label_terms, replace_labels
from kb.services.repositories import resolve_repository
from kb.services.rows import Changes
from tests.support.factories import (
    events_of,
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
)

pytestmark = pytest.mark.django_db


def spec(code: str, parent: str | None = None, **values: object) -> NodeSpec:
    merged_into = values.pop("merged_into", None)
    fields = {"code": code, "name": code, "definition": f"What {code} means."} | values
    return NodeSpec(code, parent, fields, str(merged_into) if merged_into else None)


class TestNodes:
    def test_saving_twice_changes_nothing(self) -> None:
        axis = make_axis()
        specs = [spec("hang"), spec("hang-start", "hang")]
        assert save_nodes(axis=axis, specs=specs) == Changes(created=2)
        assert save_nodes(axis=axis, specs=specs) == Changes(unchanged=2)
        assert events_of(Node.objects.get(code="hang-start")).count() == 1

    def test_a_node_that_no_file_names_is_retired_not_deleted(self) -> None:
        axis = make_axis()
        save_nodes(axis=axis, specs=[spec("hang"), spec("freeze")])
        save_nodes(axis=axis, specs=[spec("hang")])
        assert Node.objects.get(code="freeze").status == "retired"

    def test_a_node_that_the_file_retires_is_retired_and_can_come_back(self) -> None:
        axis = make_axis()
        retired = NodeSpec("freeze", None, {"code": "freeze", "name": "freeze", "definition": "No."}, is_retired=True)
        for _again in range(2):
            save_nodes(axis=axis, specs=[spec("hang"), retired])
            assert Node.objects.get(code="freeze").status == "retired"
        save_nodes(axis=axis, specs=[spec("hang"), spec("freeze", status="active", merged_into_id=None)])
        assert Node.objects.get(code="freeze").status == "active"

    def test_a_merged_node_points_at_its_successor(self) -> None:
        axis = make_axis()
        save_nodes(axis=axis, specs=[spec("hang"), spec("freeze")])
        merged = [spec("hang"), spec("freeze", merged_into="hang")]
        assert save_nodes(axis=axis, specs=merged).changed == 1
        assert save_nodes(axis=axis, specs=merged).changed == 0
        freeze = Node.objects.get(code="freeze")
        assert (freeze.status, freeze.merged_into) == ("merged", Node.objects.get(code="hang"))

    def test_retiring_a_labelled_node_is_refused_and_nothing_is_changed(self) -> None:
        axis = make_axis()
        save_nodes(axis=axis, specs=[spec("hang"), spec("freeze")])
        make_label(make_issue(), Node.objects.get(code="freeze"))
        with pytest.raises(NodeStillLabelledError, match="freeze"):
            save_nodes(axis=axis, specs=[spec("hang", definition="Changed.")])
        assert Node.objects.get(code="hang").definition == "What hang means."


class TestRepositories:
    def test_an_old_name_counts_on_its_own_host_only(self) -> None:
        repository = make_repository()
        RepositoryAlias.objects.create(repository=repository, host="github.com", full_name="microsoft/DeepSpeed")
        RepositoryAlias.objects.create(repository=repository, host="gitee.com", full_name="mirrors/DeepSpeed")
        assert resolve_repository(url="https://github.com/Microsoft/deepspeed") == repository
        assert resolve_repository(url="https://gitee.com/microsoft/DeepSpeed") is None


class TestIssues:
    def test_what_a_host_says_wins_over_a_record(self) -> None:
        issue = make_issue(state="closed", comment_count=7, host_updated_at="2024-01-01T00:00:00Z")
        fields = {
            "repository": issue.repository,
            "ref": issue.ref,
            "url": issue.url,
            "summary": "Ours.",
            "state": "open",
        }
        save_curated_issues(wanted={issue.url: fields})
        issue.refresh_from_db()
        assert (issue.state, issue.summary) == ("closed", "Ours.")

    def test_what_a_record_does_not_say_stays_as_a_study_said_it(self) -> None:
        opened, closed = dt.datetime(2024, 1, 5, 10, tzinfo=dt.UTC), dt.datetime(2024, 2, 1, tzinfo=dt.UTC)
        issue = make_issue(state="closed", opened_at=opened, closed_at=closed, comment_count=7)
        silent = {"summary": "Ours.", "state": "unknown", "opened_at": None, "closed_at": None, "comment_count": None}
        save_curated_issues(wanted={issue.url: silent})
        day_only = silent | {"state": "closed", "opened_at": dt.datetime(2024, 1, 5, tzinfo=dt.UTC)}
        save_curated_issues(wanted={issue.url: day_only})
        issue.refresh_from_db()
        assert (issue.state, issue.opened_at, issue.closed_at, issue.comment_count) == ("closed", opened, closed, 7)

    @pytest.mark.parametrize(
        "said",
        [
            {"state": "open", "opened_at": None, "closed_at": None},
            {"state": "closed", "opened_at": dt.datetime(2024, 3, 1, tzinfo=dt.UTC), "closed_at": None},
        ],
    )
    def test_facts_that_contradict_what_is_known_are_taken_as_a_whole(self, said: dict[str, object]) -> None:
        closed = dt.datetime(2024, 2, 1, tzinfo=dt.UTC)
        issue = make_issue(state="closed", opened_at=closed, closed_at=closed)
        save_curated_issues(wanted={issue.url: said})
        issue.refresh_from_db()
        assert {name: getattr(issue, name) for name in said} == said

    def test_a_record_makes_no_issue_of_a_pull_request(self) -> None:
        pull = make_issue(kind="pull_request")
        save_curated_issues(wanted={pull.url: {"summary": "Ours.", "kind": "issue"}})
        pull.refresh_from_db()
        assert (pull.kind, pull.summary) == ("pull_request", "Ours.")

    def test_an_issue_known_by_another_address_is_found_by_its_number_and_keeps_it(self) -> None:
        issue = make_issue(5030)
        old = "https://github.com/microsoft/DeepSpeed/issues/5030"
        fields = {"url": old, "repository": issue.repository, "ref": "5030", "summary": "Ours."}
        rows, changes = save_curated_issues(wanted={old: fields})
        assert (rows, changes) == ({old: issue}, Changes(changed=1))
        issue.refresh_from_db()
        assert (issue.summary, "deepspeedai" in issue.url) == ("Ours.", True)

    def test_a_fact_that_is_not_stated_leaves_a_known_one_alone(self) -> None:
        fix = make_fix(additions=3, deletions=1)
        save_fixes(wanted={fix.url: {"kind": "pull_request", "description": "Waits.", "additions": None}})
        fix.refresh_from_db()
        assert (fix.additions, fix.description) == (3, "Waits.")

    def test_relatives_are_linked_both_ways_and_never_to_themselves(self) -> None:
        one, two = make_issue(), make_issue()
        for _again in range(2):
            link_related(wanted={one: [two, one]})
        assert list(one.related.all()) == [two]
        assert list(two.related.all()) == [one]


class TestLabels:
    def test_replacing_makes_one_sources_labels_exactly_the_wanted_ones(self) -> None:
        issue, hang, crash, slow = make_issue(), make_node("hang"), make_node("crash"), make_node("slow")
        curated, rule = make_source(), make_source("rule", kind="rule")
        make_label(issue, slow, rule)
        first = replace_labels(source=curated, wanted={issue.pk: {hang: "It waits.", crash: "It dies."}})
        second = replace_labels(source=curated, wanted={issue.pk: {hang: "It waits for ever."}})
        assert (first.added, second.added, second.reworded, second.removed) == (2, 0, 1, 1)
        assert set(issue.labels.values_list("node__code", "source__slug")) == {("hang", "curated"), ("slow", "rule")}

    def test_history_keeps_a_removed_label(self) -> None:
        issue, hang = make_issue(), make_node("hang")
        replace_labels(source=make_source(), wanted={issue.pk: {hang: "It waits."}})
        replace_labels(source=make_source(), wanted={issue.pk: {}})
        events = apps.get_model("kb", "LabelEvent")._default_manager.order_by("pgh_id")
        assert list(events.values_list("pgh_label", flat=True)) == ["insert", "delete"]

    def test_search_terms_are_the_names_and_aliases_of_trusted_house_labels_and_their_parents(self) -> None:
        issue = make_issue()
        hang = make_node("hang", aliases=["stuck", "frozen"])
        middle = make_node("hang-start", parent=hang, aliases=["rendezvous"])
        start = make_node("hang-start-tcp", parent=middle, aliases=["socket"])
        slow = make_node("slow", aliases=["sluggish"])
        make_label(issue, slow, make_source("rule", kind="rule"))
        replace_labels(source=make_source(), wanted={issue.pk: {start: ""}})
        issue.refresh_from_db()
        assert {"stuck", "frozen", "rendezvous", "socket", "Hang"} <= set(issue.label_terms.split())
        assert "sluggish" not in issue.label_terms
        assert refresh_label_terms(issue_ids=[issue.pk]) == 0


class TestCauseLinks:
    def test_counts_are_of_issues_whose_symptom_and_cause_are_known(self) -> None:
        hang, crash = make_node("hang"), make_node("crash")
        causes = make_axis("root_cause")
        race, misuse = make_node("race", axis=causes), make_node("misuse", axis=causes)
        for symptom, cause in [(hang, race), (hang, race), (hang, misuse), (crash, misuse)]:
            issue = make_issue()
            make_label(issue, symptom)
            make_label(issue, cause)
        make_label(make_issue(), hang)  # its cause is not known
        assert rebuild_cause_links() == 3
        link = CauseLink.objects.get(symptom=hang, cause=race)
        assert (link.issues, link.symptom_issues, link.cause_issues, link.all_issues) == (2, 3, 2, 4)
        assert link.probability == pytest.approx(2 / 3)
        assert link.lift == pytest.approx((2 / 3) / (2 / 4))
        assert rebuild_cause_links() == 0

    def test_a_label_counts_for_the_nodes_above_it_once_per_issue(self) -> None:
        hang = make_node("hang")
        start, step = make_node("start", parent=hang), make_node("step", parent=hang)
        cause = make_node("race", axis=make_axis("root_cause"))
        issue = make_issue()
        for node in (start, step, cause):
            make_label(issue, node)
        rebuild_cause_links()
        assert CauseLink.objects.get(symptom=hang, cause=cause).issues == 1

    def test_a_pull_request_is_no_evidence(self) -> None:
        issue = make_issue(kind="pull_request")
        make_label(issue, make_node("hang"))
        make_label(issue, make_node("race", axis=make_axis("root_cause")))
        assert rebuild_cause_links() == 0

    def test_sources_are_never_pooled(self) -> None:
        hang, cause = make_node("hang"), make_node("race", axis=make_axis("root_cause"))
        issue = make_issue()
        make_label(issue, hang, make_source())
        make_label(issue, cause, make_source("rule", kind="rule"))
        assert rebuild_cause_links() == 0

    def test_a_link_without_evidence_goes_and_a_note_stays_with_a_link_that_has_it(self) -> None:
        hang, cause = make_node("hang"), make_node("race", axis=make_axis("root_cause"))
        issues = [make_issue(), make_issue()]
        for issue in issues:
            make_label(issue, hang)
            make_label(issue, cause)
        rebuild_cause_links()
        CauseLink.objects.update(note="Check the stream order first.")
        Label.objects.filter(issue=issues[0]).delete()
        rebuild_cause_links()
        assert CauseLink.objects.get().note == "Check the stream order first."
        Label.objects.all().delete()
        rebuild_cause_links()
        assert not CauseLink.objects.exists()


@given(st.integers(2, 60).flatmap(lambda n: st.tuples(st.integers(1, n - 1), st.just(n))))
def test_the_interval_is_wilsons(counts: tuple[int, int]) -> None:
    """Wilson 1927: the interval's ends are where the score test gives exactly the critical value."""
    issues, total = counts
    z = 1.959963984540054
    share = issues / total
    centre = (share + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    for end in (centre - half, centre + half):
        if 0 < end < 1:
            assert abs(share - end) / math.sqrt(end * (1 - end) / total) == pytest.approx(z)


def test_the_stored_interval_is_wilsons() -> None:
    """3 of 10: 0.1078 to 0.6032 (Newcombe 1998, table I, method 3, gives 0.108 and 0.603)."""
    hang, causes = make_node("hang"), make_axis("root_cause")
    race, other = make_node("race", axis=causes), make_node("other", axis=causes)
    repository = make_repository()
    for i in range(10):
        issue = make_issue(repository=repository)
        make_label(issue, hang)
        make_label(issue, race if i < 3 else other)
    rebuild_cause_links()
    link = CauseLink.objects.get(cause=race)
    assert (round(link.probability_low, 3), round(link.probability_high, 3)) == (0.108, 0.603)
    assert Issue.objects.count() == 10
