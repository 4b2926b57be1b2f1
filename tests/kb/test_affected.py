"""What is known of versions: read in few queries, kept until it changes."""

import datetime as dt

import pytest
from django.core.cache import cache
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from kb.core.setups.known_faults import Severity
from kb.models import AffectedRange, History, Issue, Source
from kb.selectors.affected import known
from tests.support.factories import make_issue, make_label, make_node, make_repository, make_source

pytestmark = pytest.mark.django_db
RECORD, HISTORY = AffectedRange.Origin.RECORD, AffectedRange.Origin.HISTORY


def make_range(issue: Issue, **fields: object) -> AffectedRange:
    values = {"origin": RECORD, "package": "deepspeed", "fixed": "0.15.1", "fixed_by": "git"} | fields
    return AffectedRange.objects.create(issue=issue, **values)


def test_a_fault_has_the_ranges_of_its_record_and_of_the_history() -> None:
    issue = make_issue(heading="It hangs", affects_when="zero_stage == 3", workaround="Turn it off.")
    make_range(issue, fixed="", introduced="0.12.0", introduced_by="reported", reported=["0.12.0", "a nightly"])
    make_range(issue, origin=HISTORY, introduced="0.14.0", introduced_by="lines", introduced_oldest="0.10.0")
    (fault,) = known().faults
    (row,) = fault.rows
    assert (fault.url, fault.title, fault.condition) == (issue.url, "It hangs", "zero_stage == 3")
    assert (str(row.introduced and row.introduced.version), str(row.oldest), str(row.end)) == (
        "0.12.0", "0.10.0", "0.15.1",
    )  # fmt: skip


def test_severity_is_that_of_the_worst_symptom_that_people_or_readers_gave() -> None:
    hang, wrong = make_node("hang"), make_node("wrong-result")
    issue = make_issue()
    make_range(issue)
    make_label(issue, make_node("hang-start", parent=hang))
    make_label(issue, wrong, make_source("rule", kind=Source.Kind.RULE))
    assert [fault.severity for fault in known().faults] == [Severity.HANG]
    make_label(issue, make_node("non-finite", parent=wrong))
    assert [fault.severity for fault in known().faults] == [Severity.SILENT]


def test_pull_requests_and_deleted_issues_are_none() -> None:
    make_range(make_issue(kind="pull_request"))
    make_range(make_issue(deleted_at=timezone.now()))
    make_issue(affects_when="any")
    assert [fault.rows for fault in known().faults] == [()]


def test_it_is_read_in_few_queries_and_again_when_a_range_comes(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for _ in range(3):
        make_range(make_issue())
    with django_assert_num_queries(5):
        assert len(known().faults) == 3
    with django_assert_num_queries(1):
        known()
    make_range(make_issue())
    assert len(known().faults) == 4
    cache.clear()
    with django_assert_num_queries(5):
        known()


def test_packages_without_a_history_are_named() -> None:
    make_range(make_issue())
    make_range(make_issue(), package="vllm")
    History.objects.create(
        repository=make_repository(), read_at=timezone.now(), refs_digest="", newest_on=dt.date(2026, 1, 1), commits=1
    )
    assert known().without_history == {"vllm"}
