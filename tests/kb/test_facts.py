"""The facts that charts count follow labels, issues, fixes and sources, whoever changes them."""

import datetime as dt
import random
from collections import defaultdict
from typing import Any

import pytest

from kb.filters.conditions import AXIS_KEYS
from kb.models import HOUSE, Fix, Issue, IssueFacts, Label, Node, Source
from tests.support.factories import (
    make_axis,
    make_fix,
    make_framework,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)

pytestmark = pytest.mark.django_db
KEYS = {axis: key for key, axis in AXIS_KEYS.items()}
OPENED = dt.datetime(2024, 3, 1, 23, 30, tzinfo=dt.UTC)


def facts(issue: Issue, holder: int = HOUSE) -> IssueFacts:
    return IssueFacts.objects.get(issue_id=issue.pk, holder=holder)


def text(*nodes: int) -> str:
    """Answers as facts hold them."""
    return " ".join(sorted(map(str, nodes)))


def told_anew() -> dict[tuple[int, int], dict[str, Any]]:
    """What the rows must say, told from labels, issues and fixes themselves."""
    answers: dict[tuple[int, int], dict[str, set[int]]] = defaultdict(lambda: {key: set() for key in AXIS_KEYS})
    for label in Label.objects.by_people().select_related("axis__scheme"):
        holders = [label.source_id, HOUSE] if label.axis.scheme.is_house else [label.source_id]
        for holder in holders:
            if label.axis.code in KEYS:
                answers[holder, label.issue_id][KEYS[label.axis.code]].add(label.node_id)
    issues = {issue.pk: issue for issue in Issue.objects.select_related("repository").prefetch_related("fixes")}
    return {place: _of(issues[place[1]]) | _written(given) for place, given in answers.items()}


def _written(given: dict[str, set[int]]) -> dict[str, Any]:
    return {key: text(*nodes) for key, nodes in given.items()}


def _of(issue: Issue) -> dict[str, Any]:
    fixes = list(issue.fixes.all())
    lines = [fix.lines_changed for fix in fixes if fix.lines_changed is not None]
    files = [fix.files_changed for fix in fixes if fix.files_changed is not None]
    small = [fix.is_small for fix in fixes if fix.is_small is not None]
    return {
        "framework_id": issue.repository.framework_id,
        "is_pull": issue.kind == "pull_request",
        "is_open": {"open": True, "closed": False}.get(issue.state),
        "opened_on": issue.opened_at.date() if issue.opened_at else None,
        "hours_open": issue.open_duration // dt.timedelta(hours=1) if issue.open_duration else None,
        "comments": issue.comment_count,
        "hard": issue.is_hard,
        "lines": min(lines, default=None),
        "files": min(files, default=None),
        "small_fix": any(small) if small else None,
        "has_fix": bool(fixes),
    }


def held() -> dict[tuple[int, int], dict[str, Any]]:
    names = [field.name for field in IssueFacts._meta.concrete_fields if field.name not in ("holder", "issue_id")]
    return {
        (row.holder, row.issue_id): {name: getattr(row, name) for name in names} for row in IssueFacts.objects.all()
    }


def test_an_issue_that_nobody_labelled_has_none() -> None:
    make_issue()
    make_label(make_issue(), make_node(), make_source("rule", kind="rule"))
    assert not IssueFacts.objects.exists()


def test_the_house_holds_what_all_people_say_and_each_source_what_it_says_alone() -> None:
    hang, crash = make_node("hang"), make_node("crash")
    issue, other = make_issue(), make_source("round-1", kind="consensus")
    make_label(issue, hang)
    make_label(issue, crash, other)
    assert facts(issue).symptom == text(hang.pk, crash.pk)
    assert facts(issue, make_source().pk).symptom == text(hang.pk)
    assert facts(issue, other.pk).symptom == text(crash.pk)


def test_a_studys_categories_are_held_by_the_study_alone() -> None:
    study = make_study()
    node = make_node("S1", axis=make_axis(scheme="a-study", study=study))
    issue, source = make_issue(), make_source("a-study", kind="study", study=study)
    make_label(issue, node, source)
    assert facts(issue, source.pk).symptom == text(node.pk)
    assert not IssueFacts.objects.filter(holder=HOUSE).exists()


def test_the_day_of_opening_is_that_of_universal_time_and_hours_are_those_that_passed() -> None:
    issue = make_issue(opened_at=OPENED, closed_at=OPENED + dt.timedelta(hours=49, minutes=40), state="closed")
    make_label(issue, make_node())
    assert (facts(issue).opened_on, facts(issue).hours_open) == (dt.date(2024, 3, 1), 49)


def test_it_goes_with_its_issue() -> None:
    issue = make_issue()
    make_label(issue, make_node())
    issue.delete()
    assert not IssueFacts.objects.exists()


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_in_whatever_order_they_are_what_would_be_told_anew(seed: int) -> None:
    world = World(random.Random(seed))  # noqa: S311
    for step in range(60):
        world.change()
        if step % 10 == 9:
            assert held() == told_anew()


class World:
    """A few issues, nodes and sources, and random changes of everything that facts are made of."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        study = make_study()
        house = [make_node(f"{axis}-{i}", axis=make_axis(axis)) for axis in AXIS_KEYS.values() for i in range(3)]
        theirs = [make_node(f"S{i}", axis=make_axis(scheme="a-study", study=study)) for i in range(3)]
        self.nodes = {"house": house, "study": theirs}
        self.sources = [
            make_source(),
            make_source("round-1", kind="consensus"),
            make_source("a-study", kind="study", study=study),
            make_source("rule", kind="rule"),
        ]
        self.repositories = [make_repository(), make_repository("vllm-project/vllm", "vllm")]
        for _ in range(6):
            make_issue(repository=chance.choice(self.repositories))

    def change(self) -> None:
        self.chance.choices(
            [self.label, self.unlabel, self.move, self.mirror, self.fix, self.resize, self.adopt, self.remove],
            weights=[10, 3, 3, 5, 3, 3, 1, 1],
        )[0]()

    def _issue(self) -> Issue:
        return self.chance.choice(list(Issue.objects.order_by("pk")) or [make_issue()])

    def _node(self, source: Source) -> Node:
        return self.chance.choice(self.nodes["study" if source.kind == Source.Kind.STUDY else "house"])

    def label(self) -> None:
        source = self.chance.choice(self.sources)
        labels = {(self._issue().pk, self._node(source)) for _ in range(3)}
        Label.objects.bulk_create(
            [Label(issue_id=pk, node=node, axis=node.axis, source=source) for pk, node in sorted(labels, key=str)],
            ignore_conflicts=True,
        )

    def unlabel(self) -> None:
        Label.objects.filter(issue=self._issue(), source=self.chance.choice(self.sources)).delete()

    def move(self) -> None:
        labels = list(Label.objects.select_related("source").order_by("pk"))
        if labels:
            label = self.chance.choice(labels)
            node = self._node(label.source)
            taken = Label.objects.filter(issue=label.issue, source=label.source, node=node)
            if not taken.exists():
                Label.objects.filter(pk=label.pk).update(node=node, axis=node.axis)

    def mirror(self) -> None:
        opened = OPENED + dt.timedelta(days=self.chance.randint(0, 900)) if self.chance.random() < 0.8 else None
        closed = (
            opened + dt.timedelta(hours=self.chance.randint(0, 9000)) if opened and self.chance.random() < 0.6 else None
        )
        Issue.objects.filter(pk=self._issue().pk).update(
            kind=self.chance.choice(["issue", "pull_request", "unknown"]),
            state="closed" if closed else self.chance.choice(["open", "closed", "unknown"]),
            opened_at=opened,
            closed_at=closed,
            comment_count=self.chance.choice([None, 0, 7]),
            repository=self.chance.choice(self.repositories),
        )

    def fix(self) -> None:
        issue = self._issue()
        if self.chance.random() < 0.3:
            issue.fixes.clear()
        else:
            issue.fixes.add(make_fix(additions=self.chance.choice([None, 3, 40]), deletions=2, files_changed=1))

    def resize(self) -> None:
        Fix.objects.update(additions=self.chance.choice([None, 1, 9, 500]), files_changed=self.chance.choice([None, 4]))

    def adopt(self) -> None:
        repository = self.chance.choice(self.repositories)
        repository.framework = make_framework(self.chance.choice(["deepspeed", "vllm", "sglang"]))
        repository.save()

    def remove(self) -> None:
        self._issue().delete()
