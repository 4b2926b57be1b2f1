"""What Postgres itself refuses, and what it derives."""

import datetime as dt

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from kb.models import Crosswalk, Issue, Label, Node, Playbook, Repository, RepositoryAlias
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
UTC = dt.UTC


def refuse(kind: type[Exception] = IntegrityError, match: str = "") -> "pytest.RaisesExc[Exception]":
    """The database says no."""
    return pytest.raises(kind, match=match)


class TestRepositories:
    def test_a_name_is_unique_per_host_whatever_its_case(self) -> None:
        first = make_repository("deepspeedai/DeepSpeed")
        with refuse(match="repository_host_name_unique"):
            Repository.objects.create(framework=first.framework, host=first.host, full_name="DeepSpeedAI/deepspeed")

    def test_a_name_needs_owner_and_name(self) -> None:
        first = make_repository()
        with refuse(match="repository_name_form"):
            Repository.objects.create(framework=first.framework, host=first.host, full_name="DeepSpeed")

    def test_an_alias_cannot_be_another_repositorys_current_name(self) -> None:
        first, second = make_repository("a/one"), make_repository("a/two")
        with refuse(match="current name"):
            RepositoryAlias.objects.create(repository=first, host=second.host, full_name="A/Two")

    def test_a_new_name_cannot_be_another_repositorys_old_name(self) -> None:
        first = make_repository("a/one")
        RepositoryAlias.objects.create(repository=first, host=first.host, full_name="a/old")
        with refuse(match="old name"):
            make_repository("a/OLD")


class TestIssues:
    def test_an_address_stands_for_one_issue(self) -> None:
        issue = make_issue(1)
        with refuse(match="url"):
            make_issue(2, url=issue.url)

    def test_it_cannot_close_before_it_opens(self) -> None:
        with refuse(match="issue_closed_not_before_opened"):
            make_issue(opened_at=dt.datetime(2024, 2, 1, tzinfo=UTC), closed_at=dt.datetime(2024, 1, 1, tzinfo=UTC))

    def test_an_open_issue_has_no_closing_date(self) -> None:
        with refuse(match="issue_open_has_no_closing_date"):
            make_issue(state="open", closed_at=dt.datetime(2024, 1, 1, tzinfo=UTC))

    @pytest.mark.parametrize(
        ("days", "comments", "hard"), [(31, 10, True), (30, 10, False), (31, 9, False), (400, None, None)]
    )
    def test_hard_means_open_over_30_days_with_10_comments(
        self, days: int, comments: int | None, hard: bool | None
    ) -> None:
        opened = dt.datetime(2024, 1, 1, tzinfo=UTC)
        issue = make_issue(opened_at=opened, closed_at=opened + dt.timedelta(days=days), comment_count=comments)
        issue.refresh_from_db()
        assert issue.is_hard is hard
        assert issue.open_duration == dt.timedelta(days=days)

    def test_a_page_address_names_host_repository_and_number(self) -> None:
        assert make_issue(5030).get_absolute_url() == "/issues/github.com/deepspeedai/DeepSpeed/5030"

    def test_the_search_vector_follows_the_text(self) -> None:
        issue = make_issue(title="Training stalls", summary="ZeRO-3 waits in all_gather.")
        issue.refresh_from_db()
        assert "zero3" in issue.search_vector
        Issue.objects.filter(pk=issue.pk).update(summary="")
        issue.refresh_from_db()
        assert "zero3" not in issue.search_vector


class TestFixes:
    @pytest.mark.parametrize(
        ("additions", "deletions", "small"), [(5, 5, True), (10, 0, True), (10, 1, False), (None, 1, None)]
    )
    def test_small_means_at_most_ten_changed_lines(
        self, additions: int | None, deletions: int | None, small: bool | None
    ) -> None:
        fix = make_fix(additions=additions, deletions=deletions)
        fix.refresh_from_db()
        assert fix.is_small is small
        assert fix.lines_changed == (None if additions is None or deletions is None else additions + deletions)

    def test_lines_are_never_negative(self) -> None:
        with refuse(match="additions"):
            make_fix(additions=-1)

    def test_short_names_are_those_that_people_use(self) -> None:
        assert make_fix(12).short_name == "deepspeedai/DeepSpeed#12"
        commit = make_fix(url="https://github.com/a/b/commit/0123456789abcdef", kind="commit")
        assert commit.short_name == "a/b@0123456"


class TestNodes:
    def test_a_parent_is_on_the_same_axis(self) -> None:
        cause = make_node("api-misuse", axis=make_axis("root_cause"))
        with refuse(match="node_parent_is_on_axis"), transaction.atomic():
            make_node("hang", parent=cause)
            connection.cursor().execute("SET CONSTRAINTS ALL IMMEDIATE")

    def test_the_tree_has_no_cycle(self) -> None:
        top = make_node("hang")
        below = make_node("hang-start", parent=top)
        with refuse(DatabaseError, match="cycle"):
            Node.objects.filter(pk=top.pk).update(parent=below)

    def test_the_tree_is_at_most_three_deep(self) -> None:
        third = make_node("c", parent=make_node("b", parent=make_node("a")))
        with refuse(DatabaseError, match="deeper"):
            make_node("d", parent=third)

    def test_a_node_is_never_deleted(self) -> None:
        node = make_node()
        with refuse(DatabaseError, match="delete"):
            node.delete()

    def test_a_merged_node_names_its_successor(self) -> None:
        with refuse(match="node_merged_has_target"):
            make_node(status="merged")

    def test_a_labelled_node_cannot_be_retired(self) -> None:
        node = make_node()
        make_label(make_issue(), node)
        with refuse(DatabaseError, match="move them first"):
            Node.objects.filter(pk=node.pk).update(status="retired")

    def test_a_published_number_needs_a_trust_mark(self) -> None:
        with refuse(match="node_number_has_trust"):
            make_node(published_count=3)

    def test_history_says_what_changed(self) -> None:
        node = make_node()
        node.definition = "Neither progress nor exit."
        node.save()
        assert [event.definition for event in events_of(node).order_by("pgh_id")] == [
            "What hang means.",
            "Neither progress nor exit.",
        ]


class TestLabels:
    def test_the_node_answers_the_labels_axis(self) -> None:
        with refuse(match="label_node_is_on_axis"), transaction.atomic():
            Label.objects.create(
                issue=make_issue(), node=make_node("hang"), axis=make_axis("root_cause"), source=make_source()
            )
            connection.cursor().execute("SET CONSTRAINTS ALL IMMEDIATE")

    def test_a_retired_node_takes_no_label(self) -> None:
        node = make_node(status="retired")
        with refuse(DatabaseError, match="retired"):
            make_label(make_issue(), node)

    def test_a_label_cannot_move_to_a_retired_node(self) -> None:
        label = make_label(make_issue(), make_node())
        with refuse(DatabaseError, match="retired"):
            Label.objects.filter(pk=label.pk).update(node=make_node("old", status="retired"))

    def test_one_source_says_a_thing_once(self) -> None:
        issue, node = make_issue(), make_node()
        make_label(issue, node)
        with refuse(match="label_issue_node_source_unique"):
            make_label(issue, node)


class TestCrosswalksAndPlaybooks:
    def test_a_node_does_not_map_to_itself(self) -> None:
        node = make_node()
        with refuse(match="crosswalk_not_to_itself"):
            Crosswalk.objects.create(from_node=node, to_node=node, relation="exact")

    def test_a_playbook_belongs_to_a_fix_pattern(self) -> None:
        with refuse(DatabaseError, match="fix pattern"):
            Playbook.objects.create(node=make_node("hang"), applies_when="Always.", steps=["Do."])

    def test_a_study_source_names_its_study(self) -> None:
        with refuse(match="source_study_kind_has_study"):
            make_source("nameless", kind="study")
