"""Cause links follow labels: whatever changes, following gives what counting from nothing gives."""

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kb.models import CauseLink, CauseLinkChange, CauseLinkEvidence, GoneCauseLink, Issue, Kind, Label, Node
from kb.services.cause_link_check import check_cause_links
from kb.services.cause_links import (
    NoteChangedError,
    follow_labels,
    note_cause_link,
    note_version,
    rebuild_cause_links,
)
from kb.services.nodes import merge_node
from kb.tasks import follow_labels as follow_task
from tests.kb.link_counts import both, noted, recounted, stored
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_repository, make_source

pytestmark = pytest.mark.django_db


class World:
    """A small codebook of three levels, three sources, a few issues, and everything that may happen to them."""

    def __init__(self) -> None:
        symptoms, causes, repository = make_axis(), make_axis("root_cause"), make_repository()
        self.nodes: list[Node] = []
        for axis in (symptoms, causes):
            top = make_node(f"{axis.code}-top", axis=axis)
            middle = make_node(f"{axis.code}-middle", axis=axis, parent=top)
            leaf = make_node(f"{axis.code}-leaf", axis=axis, parent=middle)
            self.nodes += [top, middle, leaf, make_node(f"{axis.code}-other", axis=axis)]
        self.nodes.append(make_node("stage", axis=make_axis("stage")))
        self.sources = [make_source(), make_source("round", kind="consensus"), make_source("rule", kind="rule")]
        self.issues = [make_issue(i, repository=repository) for i in range(1, 6)]

    def do(self, what: str, one: int, other: int, third: int) -> None:
        getattr(self, what)(one, other, third)

    def put(self, one: int, other: int, third: int) -> None:
        issue, node, source = self.issues[one % 5], self.nodes[other % 9], self.sources[third % 3]
        Label.objects.get_or_create(issue=issue, node=node, source=source, defaults={"axis_id": node.axis_id})

    def take(self, one: int, other: int, third: int) -> None:
        labels = Label.objects.filter(issue=self.issues[one % 5], source=self.sources[third % 3]).order_by("pk")
        Label.objects.filter(pk__in=[label.pk for label in labels[: other % 3 + 1]]).delete()

    def move_label(self, one: int, other: int, _: int) -> None:
        label = Label.objects.order_by("pk")[one % 7 : one % 7 + 1].first()
        siblings = [node for node in self.nodes if label and node.axis_id == label.axis_id]
        if label:
            node = siblings[other % len(siblings)]
            taken = Label.objects.filter(issue=label.issue_id, node=node, source=label.source_id)
            if not taken.exists():
                Label.objects.filter(pk=label.pk).update(node=node)

    def move_node(self, one: int, other: int, third: int) -> None:
        group = self.nodes[:4] if third % 2 else self.nodes[4:8]
        node, parent = group[one % 4], [*group, None][other % 5]
        try:
            with transaction.atomic():
                Node.objects.filter(pk=node.pk).update(parent=parent)
        except DatabaseError as error:
            assert "cycle or deeper" in str(error)  # noqa: PT017 the codebook refuses some moves

    def turn(self, one: int, other: int, third: int) -> None:
        kind = (Kind.PULL_REQUEST, Kind.ISSUE, Kind.UNKNOWN)[other % 3]
        Issue.objects.filter(pk__in=[self.issues[one % 5].pk, self.issues[third % 5].pk]).update(kind=kind)

    def drop(self, one: int, other: int, _: int) -> None:
        self.issues[one % 5].delete()
        self.issues[one % 5] = make_issue(repository=self.issues[other % 5].repository)

    def follow(self, *_: int) -> None:
        follow_labels()
        assert stored() == recounted()


DEEDS = st.sampled_from(["put"] * 6 + ["take", "move_label", "move_node", "turn", "drop", "follow", "follow"])
NUMBERS = st.integers(0, 60)


@settings(max_examples=25, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(st.tuples(DEEDS, NUMBERS, NUMBERS, NUMBERS), min_size=15, max_size=45))
def test_following_whatever_happens_gives_what_counting_from_nothing_gives(
    deeds: list[tuple[str, int, int, int]],
) -> None:
    with transaction.atomic():
        world = World()
        for deed in deeds:
            world.do(*deed)
        follow_labels()
        assert stored() == recounted()
        assert check_cause_links().is_clean
        assert rebuild_cause_links() == 0
        assert not CauseLinkChange.objects.exists()
        transaction.set_rollback(True)


@pytest.fixture
def pair() -> tuple[Node, Node]:
    return make_node("hang"), make_node("race", axis=make_axis("root_cause"))


class TestWhatIsNoted:
    def test_a_statement_names_an_issue_of_a_source_once(self, pair: tuple[Node, Node]) -> None:
        issue, source = make_issue(), make_source()
        Label.objects.bulk_create(Label(issue=issue, node=n, axis=n.axis, source=source) for n in pair)
        assert noted() == [(source.pk, issue.pk)]

    def test_rewording_other_axes_and_rules_name_nobody(self, pair: tuple[Node, Node]) -> None:
        issue = make_issue()
        label = make_label(issue, pair[0])
        CauseLinkChange.objects.all().delete()
        Label.objects.filter(pk=label.pk).update(reason="Better said.")
        make_label(issue, make_node("startup", axis=make_axis("stage")))
        both(pair, make_source("rule", kind="rule"))
        Node.objects.filter(pk=pair[0].pk).update(name="Hangs")
        Issue.objects.filter(pk=issue.pk).update(title="Another title", kind=Kind.UNKNOWN)
        assert noted() == []

    def test_counting_from_nothing_leaves_nothing_to_follow(self, pair: tuple[Node, Node]) -> None:
        other = make_source("round", kind="consensus")
        both(pair)
        issue = both(pair, other)
        rebuild_cause_links(source=make_source())
        assert noted() == [(other.pk, issue.pk)] * 2
        rebuild_cause_links()
        assert noted() == []

    def test_what_changes_nothing_of_the_links_writes_none(self, pair: tuple[Node, Node]) -> None:
        both(pair)
        follow_labels()
        make_label(make_issue(), pair[0])
        assert follow_labels() == 0
        assert noted() == []

    def test_a_source_without_an_issue_is_counted_from_nothing(self, pair: tuple[Node, Node]) -> None:
        both(pair)
        follow_labels()
        CauseLinkEvidence.objects.all().delete()
        CauseLink.objects.update(issues=7, symptom_issues=9, cause_issues=9)
        both(pair)
        CauseLinkChange.objects.create(source_id=make_source().pk, issue_id=None)
        follow_labels()
        assert stored() == recounted()
        assert check_cause_links().is_clean


class TestNotes:
    def test_a_note_stays_goes_with_its_link_and_comes_back_with_it(self, pair: tuple[Node, Node]) -> None:
        issues = [both(pair), both(pair)]
        follow_labels()
        link = CauseLink.objects.get()
        note_cause_link(link=link, note="Check the stream order first.")
        Label.objects.filter(issue=issues[0]).delete()
        follow_labels()
        assert CauseLink.objects.get().note == "Check the stream order first."
        Label.objects.all().delete()
        follow_labels()
        assert not CauseLink.objects.exists()
        assert GoneCauseLink.objects.get().note == "Check the stream order first."
        both(pair)
        follow_labels()
        back = CauseLink.objects.get()
        assert (back.pk, back.note) == (link.pk, "Check the stream order first.")
        assert not GoneCauseLink.objects.exists()
        events = apps.get_model("kb", "CauseLinkNoteEvent")._default_manager.filter(pgh_obj=link.pk)
        assert list(events.order_by("pgh_id").values_list("pgh_label", flat=True)) == ["insert", "update", "insert"]

    def test_it_survives_counting_from_nothing(self, pair: tuple[Node, Node]) -> None:
        issue = both(pair)
        rebuild_cause_links()
        note_cause_link(link=CauseLink.objects.get(), note="Look at the streams.")
        Issue.objects.filter(pk=issue.pk).update(kind=Kind.PULL_REQUEST)
        rebuild_cause_links()
        Issue.objects.filter(pk=issue.pk).update(kind=Kind.ISSUE)
        rebuild_cause_links()
        assert CauseLink.objects.get().note == "Look at the streams."

    def test_of_a_link_without_a_note_nothing_is_kept(self, pair: tuple[Node, Node]) -> None:
        both(pair)
        follow_labels()
        Label.objects.all().delete()
        follow_labels()
        assert not GoneCauseLink.objects.exists()

    def test_what_somebody_else_wrote_meanwhile_is_not_written_over(self, pair: tuple[Node, Node]) -> None:
        both(pair)
        follow_labels()
        link = CauseLink.objects.get()
        seen = note_version(link=link)
        note_cause_link(link=link, note="Theirs.", seen=seen)
        with pytest.raises(NoteChangedError, match="Somebody else"):
            note_cause_link(link=link, note="Mine.", seen=seen)
        Label.objects.all().delete()
        follow_labels()
        with pytest.raises(NoteChangedError, match="has gone"):
            note_cause_link(link=link, note="Mine.")
        assert GoneCauseLink.objects.get().note == "Theirs."


class TestCallers:
    def test_merging_a_node_moves_its_links_at_once(self, pair: tuple[Node, Node]) -> None:
        other = make_node("freeze")
        both((other, pair[1]))
        follow_labels()
        merge_node(node=other, into=pair[0])
        assert set(stored()) == {(make_source().pk, pair[0].pk, pair[1].pk)}

    def test_the_task_follows(self, pair: tuple[Node, Node]) -> None:
        both(pair)
        follow_task()
        assert stored() == recounted() != {}

    def test_a_source_that_went_leaves_nothing(self, pair: tuple[Node, Node]) -> None:
        source = make_source("short", kind="consensus")
        both(pair, source)
        follow_labels()
        Label.objects.all().delete()
        source.delete()
        follow_labels()
        assert not CauseLinkEvidence.objects.exists()
        assert noted() == []


class TestCommand:
    def test_it_counts_from_nothing_and_then_finds_nothing_to_say(
        self, pair: tuple[Node, Node], capsys: pytest.CaptureFixture[str]
    ) -> None:
        both(pair)
        call_command("rebuild_cause_links")
        call_command("rebuild_cause_links", "--check")
        said = capsys.readouterr().out
        assert "1 cause links changed." in said
        assert "equals a full recount" in said

    def test_the_check_says_what_differs_and_changes_nothing(self, pair: tuple[Node, Node]) -> None:
        both(pair)
        call_command("rebuild_cause_links")
        CauseLink.objects.update(symptom_issues=3)
        both(pair)
        with pytest.raises(CommandError) as refused:
            call_command("rebuild_cause_links", "--check")
        said = str(refused.value)
        assert "curated: hang → race: stored 1 of 3 (cause 1, all 1), 2 of 2 (cause 2, all 2) now" in said
        assert "1 cause links differ, 1 issues are counted differently" in said
        assert "2 label changes wait" in said
        assert CauseLink.objects.get().symptom_issues == 3

    def test_one_source_is_counted_and_rules_only_by_name(self, pair: tuple[Node, Node]) -> None:
        rules = make_source("rule", kind="rule")
        both(pair, rules)
        both(pair)
        call_command("rebuild_cause_links", "--source", "rule")
        assert [source for source, _, _ in stored()] == [rules.pk]
        call_command("rebuild_cause_links", "--source", "rule", "--check")
        with pytest.raises(CommandError, match="Known: curated, rule"):
            call_command("rebuild_cause_links", "--source", "nobody")
