"""Set-based writing in `kb.services.bulk`: whose word counts, and what the stage covers."""

import datetime as dt

import pytest
from django.db import DatabaseError, connection, transaction

from kb.models import Issue, Kind, Label, Node, Source, State
from kb.services import bulk
from kb.services.bulk import IncomingIssue
from kb.services.rows import Changes
from tests.support.factories import make_issue, make_label, make_node, make_repository, make_source, make_study

MONDAY = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


def incoming(entry: int, ref: str, **fields: object) -> IncomingIssue:
    repository = make_repository()
    url = f"{repository.url}/issues/{ref}"
    values = {"entry": entry, "line": entry, "repository_id": repository.pk, "ref": ref, "url": url, "kind": "issue"}
    return IncomingIssue(**values | fields)  # type: ignore[arg-type]


def write(*rows: IncomingIssue, authority: bulk.Authority = "study") -> Changes:
    bulk.open_stage()
    bulk.stage_issues(rows=rows)
    return bulk.write_staged_issues(authority=authority)


def stage_labels(*pairs: tuple[int, int | None]) -> None:
    bulk.copy_rows(table="staged_label", columns=("issue_id", "node_id"), rows=pairs)


@pytest.fixture
def source(db: None) -> Source:
    return make_source("set", kind=Source.Kind.STUDY, study=make_study())


@pytest.mark.django_db
class TestIssues:
    def test_get_ids_in_the_order_of_the_file(self) -> None:
        assert write(*(incoming(n, ref) for n, ref in enumerate(["9", "3", "5"], 1))) == Changes(3, 0, 0)
        assert list(Issue.objects.order_by("pk").values_list("ref", flat=True)) == ["9", "3", "5"]

    def test_keep_their_state_when_a_newer_copy_tells_none(self) -> None:
        issue = make_issue(1, state="closed", opened_at=MONDAY, closed_at=MONDAY)
        newer = MONDAY + dt.timedelta(days=1)
        write(incoming(1, "1", updated_at=newer, title="Stuck"), authority="host")
        issue.refresh_from_db()
        assert (issue.state, issue.closed_at, issue.title) == ("closed", MONDAY, "Stuck")
        write(incoming(1, "1", updated_at=newer, opened_at=newer), authority="host")
        issue.refresh_from_db()
        assert (issue.state, issue.opened_at, issue.closed_at) == ("unknown", newer, None)

    def test_use_up_no_ids_when_they_are_known(self) -> None:
        write(incoming(1, "1"))
        assert write(incoming(1, "1"), incoming(2, "2")) == Changes(1, 0, 1)
        first, second = Issue.objects.order_by("pk")
        assert second.pk == first.pk + 1

    def test_are_found_by_address_even_under_another_repository(self) -> None:
        other = make_repository("microsoft/DeepSpeed")
        known = make_issue(1, repository=other, url=f"{make_repository().url}/issues/1")
        assert write(incoming(1, "1")) == Changes(0, 0, 1)
        assert Issue.objects.get().pk == known.pk

    def test_learn_their_kind_from_a_study_only_while_nobody_knows_it(self) -> None:
        for known, said, expected in (
            (Kind.UNKNOWN, "issue", "issue"),
            (Kind.ISSUE, "pull_request", "issue"),
            (Kind.PULL_REQUEST, "unknown", "pull_request"),
        ):
            issue = make_issue(kind=known)
            write(incoming(1, issue.ref, kind=said))
            issue.refresh_from_db()
            assert issue.kind == expected

    def test_learn_facts_from_a_study_only_while_nobody_said_any(self) -> None:
        silent, told = make_issue(), make_issue(state=State.OPEN, opened_at=MONDAY)
        later = MONDAY + dt.timedelta(days=1)
        write(*(incoming(n, i.ref, state="closed", closed_at=later) for n, i in enumerate((silent, told), 1)))
        silent.refresh_from_db()
        told.refresh_from_db()
        assert (silent.state, silent.closed_at) == ("closed", later)
        assert (told.state, told.closed_at, told.opened_at) == ("open", None, MONDAY)

    def test_are_written_within_a_transaction_only(self) -> None:
        connection.in_atomic_block, before = False, connection.in_atomic_block
        try:
            with pytest.raises(transaction.TransactionManagementError, match="needs a transaction"):
                bulk.open_stage()
        finally:
            connection.in_atomic_block = before


class TestLabels:
    def test_become_those_of_the_stage_for_covered_issues_only(self, source: Source) -> None:
        stale, kept, fresh = make_node("stale"), make_node("kept"), make_node("fresh")
        covered, emptied, other = make_issue(), make_issue(), make_issue()
        for issue, node in ((covered, stale), (covered, kept), (emptied, kept), (other, stale)):
            make_label(issue, node, source)
        ids = set(Label.objects.filter(node=kept, issue=covered).values_list("pk", flat=True))
        bulk.open_stage()
        stage_labels((covered.pk, None), (emptied.pk, None), (covered.pk, kept.pk), (covered.pk, fresh.pk))
        assert bulk.write_staged_labels(source=source) == bulk.LabelCounts(added=1, removed=2)
        left = set(Label.objects.values_list("issue", "node__code"))
        assert left == {(covered.pk, "kept"), (covered.pk, "fresh"), (other.pk, "stale")}
        assert set(Label.objects.filter(node=kept).values_list("pk", flat=True)) == ids

    def test_of_other_sources_stay(self, source: Source) -> None:
        label = make_label(make_issue(), make_node())
        bulk.open_stage()
        stage_labels((label.issue_id, None))
        assert bulk.write_staged_labels(source=source).removed == 0
        assert Label.objects.filter(pk=label.pk).exists()

    def test_are_refused_on_a_retired_node(self, source: Source) -> None:
        node, issue = make_node(status=Node.Status.RETIRED), make_issue()
        bulk.open_stage()
        stage_labels((issue.pk, node.pk))
        with pytest.raises(DatabaseError, match="retired"), transaction.atomic():
            bulk.write_staged_labels(source=source)

    def test_are_remembered_in_the_history(self, source: Source) -> None:
        node, issue = make_node(), make_issue()
        bulk.open_stage()
        stage_labels((issue.pk, node.pk))
        bulk.write_staged_labels(source=source)
        assert Label.objects.get().events.count() == 1  # type: ignore[attr-defined]
