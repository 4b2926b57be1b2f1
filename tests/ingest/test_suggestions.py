"""Writing suggestions: labels of the source `rule` that follow the texts, the codebook and the rules."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import DjangoAssertNumQueries

from ingest.models import SuggestionMark
from ingest.services import suggestions
from ingest.services.suggestions import due_issues, suggest_labels
from ingest.suggest import read_rules
from ingest.suggest.measured import trust_note
from kb.models import Issue, Label, Node, Source
from kb.services.labels import LabelChanges
from kb.services.nodes import retire_node
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_repository

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def nodes(db: None) -> dict[str, Node]:
    """A few nodes of the house codebook."""
    kinds = make_axis("issue_type")
    found = [make_node(code, axis=kinds) for code in ("bug", "requirement", "question")]
    crash = make_node("crash")
    found += [crash, make_node("hang"), make_node("native-crash", parent=crash)]
    found += [make_node("peft", axis=make_axis("component")), make_node("train", axis=make_axis("stage"))]
    return {node.code: node for node in found}


def held(issue: Issue) -> dict[str, str]:
    """The suggested codes with their reasons."""
    return dict(issue.labels.filter(source__slug="rule").values_list("node__code", "reason"))


def suggest(*issues: Issue, **options: Any) -> LabelChanges:
    return suggest_labels(issue_ids=[issue.pk for issue in issues], **options)


class TestWriting:
    def test_labels_carry_source_and_reason(self) -> None:
        issue = make_issue(title="[Bug]: training with LoRA hangs")
        assert suggest(issue) == LabelChanges(added=4, reworded=0, removed=0)
        assert set(held(issue)) == {"bug", "hang", "peft", "train"}
        assert held(issue)["hang"] == "The title says “hangs”."

    def test_the_source_says_how_often_rules_are_right(self) -> None:
        suggest(make_issue(title="It hangs"))
        source = Source.objects.get(slug="rule")
        assert (source.kind, source.confidence, source.trust_note) == ("rule", "low", trust_note())

    def test_other_sources_labels_stay(self, nodes: dict[str, Node]) -> None:
        issue = make_issue(title="It hangs")
        make_label(issue, nodes["hang"], reason="Ours.")
        suggest(issue)
        Issue.objects.filter(pk=issue.pk).update(title="It is green")
        suggest(issue)
        assert list(issue.labels.values_list("source__slug", "reason")) == [("curated", "Ours.")]

    @pytest.mark.parametrize("kind", ["pull_request", "unknown"])
    def test_what_may_be_a_pull_request_gets_none(self, kind: str) -> None:
        issue = make_issue(title="[Bug]: it hangs", kind=kind)
        assert suggest(issue) == LabelChanges(0, 0, 0)

    def test_an_issue_that_turns_out_to_be_a_pull_request_loses_them(self) -> None:
        issue = make_issue(title="[Bug]: it hangs")
        suggest(issue)
        Issue.objects.filter(pk=issue.pk).update(kind="pull_request")
        assert suggest(issue).removed == 2
        assert held(issue) == {}

    def test_an_issue_that_is_no_more_is_passed_over(self) -> None:
        assert suggest_labels(issue_ids=[4_000_000]) == LabelChanges(0, 0, 0)

    def test_more_issues_than_one_part_holds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(suggestions, "CHUNK", 2)
        issues = [make_issue(title="It hangs") for _ in range(5)]
        assert suggest(*issues).added == 5 * len(held(issues[0])) > 0

    def test_many_issues_take_as_many_statements_as_one(
        self, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        suggest(make_issue(title="It hangs"))
        issues = [make_issue(title="It hangs and crashes") for _ in range(60)]
        with django_assert_max_num_queries(14):
            assert suggest(*issues).added > 60


class TestFollowing:
    @pytest.fixture
    def issue(self) -> Issue:
        issue = make_issue(title="It hangs", body="Nothing.", host_labels=["stale"])
        suggest(issue)
        return issue

    def test_what_is_as_it_was_is_not_read_again(self, issue: Issue) -> None:
        Label.objects.filter(issue=issue).delete()
        assert suggest(issue) == LabelChanges(0, 0, 0)
        assert suggest(issue, again=True).added > 0

    @pytest.mark.parametrize(
        ("field", "value"),
        [("title", "It gets stuck"), ("body", "Something."), ("host_labels", ["bug"]), ("kind", "unknown")],
    )
    def test_what_changed_is_due(self, issue: Issue, field: str, value: Any) -> None:
        assert due_issues() == []
        Issue.objects.filter(pk=issue.pk).update(**{field: value})
        assert due_issues() == [issue.pk]
        suggest(issue)
        assert due_issues() == []

    def test_a_change_that_no_rule_reads_is_none(self, issue: Issue) -> None:
        Issue.objects.filter(pk=issue.pk).update(comment_count=7, state="closed")
        assert due_issues() == []

    def test_labels_follow_the_text(self, issue: Issue) -> None:
        Issue.objects.filter(pk=issue.pk).update(title="It gets stuck")
        assert suggest(issue).reworded == 2
        assert held(issue)["hang"] == "The title says “gets stuck”."
        Issue.objects.filter(pk=issue.pk).update(title="It crashes")
        changes = suggest(issue)
        assert (changes.added, changes.removed) == (1, 1)
        assert "crash" in held(issue)

    def test_a_new_alias_makes_everything_due(self, issue: Issue, nodes: dict[str, Node]) -> None:
        Node.objects.filter(pk=nodes["hang"].pk).update(aliases=["standstill"])
        assert due_issues() == [issue.pk]

    def test_a_node_out_of_use_is_suggested_no_more(self, issue: Issue, nodes: dict[str, Node]) -> None:
        retire_node(node=nodes["hang"])
        assert "hang" not in held(issue)
        suggest(issue)
        assert "hang" not in held(issue)

    def test_new_rules_make_everything_due(self, issue: Issue, monkeypatch: pytest.MonkeyPatch) -> None:
        rules = read_rules()
        monkeypatch.setattr(suggestions, "read_rules", lambda: rules.model_copy(update={"version": "other"}))
        suggestions._compiled.cache_clear()
        assert due_issues() == [issue.pk]
        suggestions._compiled.cache_clear()

    def test_what_changes_while_it_is_read_is_due_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        issue = make_issue(title="It hangs")
        read = suggestions._read

        def read_and_change(*args: Any, **options: Any) -> list[suggestions.ReadIssue]:
            found = read(*args, **options)
            Issue.objects.filter(pk=issue.pk).update(title="It is green")
            return found

        monkeypatch.setattr(suggestions, "_read", read_and_change)
        assert suggest(issue) == LabelChanges(0, 0, 0)
        assert due_issues() == [issue.pk]
        assert not SuggestionMark.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_two_writers_of_the_same_issues_give_what_one_would_have_given() -> None:
    issues = [make_issue(title="It hangs and crashes") for _ in range(30)]
    failed: list[BaseException] = []

    def write() -> None:
        try:
            for _ in range(3):
                suggest(*issues, again=True)
        except BaseException as error:  # noqa: BLE001 told in the end
            failed.append(error)
        finally:
            connection.close()

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failed == []
    assert Label.objects.filter(source__slug="rule").count() == len(held(issues[0])) * len(issues)


class TestCommand:
    @pytest.fixture
    def said(self, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
        def call(*arguments: str) -> str:
            call_command("suggest_labels", *arguments)
            return capsys.readouterr().out

        return call

    def test_suggests_for_everything_that_is_due(self, said: Callable[..., str]) -> None:
        make_issue(title="It hangs")
        assert "1 issues read" in said()
        assert "0 issues read" in said()
        assert "1 issues read" in said("--all")

    def test_keeps_to_one_repository_by_any_of_its_names(self, said: Callable[..., str]) -> None:
        make_issue(title="It hangs")
        other = make_repository("vllm-project/vllm", "vllm")
        other.aliases.create(host="github.com", full_name="old/vllm")
        make_issue(title="It hangs", repository=other)
        assert "1 issues read" in said("--repo", "OLD/vLLM")
        assert "1 issues read" in said()

    def test_an_unknown_repository_is_refused_in_plain_words(self) -> None:
        with pytest.raises(CommandError, match="No repository is called nobody/nothing"):
            call_command("suggest_labels", repo="nobody/nothing")

    def test_rules_whose_category_is_not_in_use_are_named(self, said: Callable[..., str]) -> None:
        assert "The rule symptom/title-oom-gpu suggests nothing" in said()
