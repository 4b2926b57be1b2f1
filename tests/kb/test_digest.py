"""The digest that facets read follows labels, fixes and the tree, whoever changes them."""

import pytest

from kb.models import Issue, IssueDigest, Label, Node
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_source, make_study

pytestmark = pytest.mark.django_db


def digest(issue: Issue) -> IssueDigest:
    return IssueDigest.objects.get(issue=issue)


def test_an_issue_without_labels_and_fixes_has_none() -> None:
    make_issue()
    assert not IssueDigest.objects.exists()


def test_it_holds_the_nodes_of_peoples_labels_and_all_above_them_and_the_kinds_of_all_sources() -> None:
    hang = make_node("hang")
    start = make_node("hang-start", parent=hang)
    issue = make_issue()
    make_label(issue, start)
    make_label(issue, make_node("crash"), make_source("rule", kind="rule"))
    assert set(digest(issue).node_ids) == {hang.pk, start.pk}
    assert set(digest(issue).source_kinds) == {"curated", "rule"}


def test_categories_of_studies_count_for_the_source_only() -> None:
    issue = make_issue()
    make_label(issue, make_node("S1", axis=make_axis(scheme="a-study", study=make_study())))
    assert (digest(issue).node_ids, digest(issue).source_kinds) == ([], ["curated"])


def test_it_follows_a_label_that_goes_or_moves() -> None:
    hang, crash = make_node("hang"), make_node("crash")
    one, two = make_issue(), make_issue()
    label = make_label(one, hang)
    Label.objects.filter(pk=label.pk).update(node=crash)
    assert digest(one).node_ids == [crash.pk]
    Label.objects.filter(pk=label.pk).update(issue=two)
    assert (digest(one).node_ids, digest(two).node_ids) == ([], [crash.pk])
    label.delete()
    assert digest(two).node_ids == []


def test_it_follows_fixes_and_their_sizes() -> None:
    issue, fix = make_issue(), make_fix()
    issue.fixes.add(fix)
    assert (digest(issue).has_fix, digest(issue).small_fix) == (True, None)
    fix.additions = fix.deletions = 1
    fix.save()
    assert digest(issue).small_fix is True
    issue.fixes.clear()
    assert (digest(issue).has_fix, digest(issue).small_fix) == (False, None)


def test_it_follows_a_node_that_gets_another_parent() -> None:
    top, other = make_node("memory"), make_node("crash")
    node = make_node("oom", parent=top)
    issue = make_issue()
    make_label(issue, node)
    Node.objects.filter(pk=node.pk).update(parent=other)
    assert set(digest(issue).node_ids) == {node.pk, other.pk}


def test_it_goes_with_its_issue() -> None:
    issue = make_issue()
    make_label(issue, make_node())
    issue.delete()
    assert not IssueDigest.objects.exists()
