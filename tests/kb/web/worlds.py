"""A small random world of labelled issues, for whatever counts them."""

import datetime as dt
import random

from kb.filters.conditions import AXIS_KEYS
from kb.models import FACTS, Issue, Label, Node, Source
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_node,
    make_repository,
    make_source,
    make_study,
)

REPOSITORIES = (("deepspeedai/DeepSpeed", "deepspeed"), ("vllm-project/vllm", "vllm"), ("pytorch/pytorch", "pytorch"))
STUDY = "a-study"


def build(chance: random.Random, issues: int = 40) -> None:
    """Issues of three frameworks, labelled by a curator, a round of labeling, a study and rules."""
    nodes = {key: _tree(key, axis) for key, axis in AXIS_KEYS.items()}
    study = make_study(STUDY)
    theirs = [
        make_node(f"{axis}-{i}", axis=make_axis(axis, scheme=STUDY, study=study))
        for axis in ("symptom", "root_cause")
        for i in range(2)
    ]
    curated, consensus = make_source(), make_source("round-1", kind=Source.Kind.CONSENSUS)
    rules, studied = make_source("rule", kind=Source.Kind.RULE), make_source(STUDY, kind=Source.Kind.STUDY, study=study)
    labels: list[Label] = []
    # A source of chance of its own, so that the rest of the world does not depend on it.
    told = random.Random(1)  # noqa: S311
    for _ in range(issues):
        issue = _issue(chance)
        for source in chance.choice([(curated,), (consensus,), (curated, consensus), (rules,), ()]):
            labels += _labels(chance, issue, [node for key in AXIS_KEYS for node in nodes[key]], source)
        if any(label.issue == issue and label.source in (curated, consensus) for label in labels):
            _tell_circumstances(told, issue)
        if chance.random() < 0.4:
            labels += _labels(chance, issue, theirs, studied)
    # One by one, they take most of the time.
    Label.objects.bulk_create(labels)


def _tree(key: str, axis: str) -> list[Node]:
    """Two groups, one of them with two categories below it, and one category below one of these."""
    top = make_node(f"{key}-a", axis=make_axis(axis), position=0, specific_to_distributed=True)
    below = make_node(f"{key}-a1", axis=top.axis, parent=top, position=1)
    return [
        top,
        below,
        make_node(f"{key}-a1x", axis=top.axis, parent=below, position=2),
        make_node(f"{key}-a2", axis=top.axis, parent=top, position=3),
        make_node(f"{key}-b", axis=top.axis, position=4),
    ]


def _issue(chance: random.Random) -> Issue:
    opened = dt.datetime(chance.randint(2022, 2025), chance.randint(1, 12), chance.randint(1, 28), tzinfo=dt.UTC)
    state = chance.choice(["open", "closed", "unknown"])
    issue = make_issue(
        repository=make_repository(*chance.choice(REPOSITORIES)),
        title=f"It {chance.choice(['hangs', 'crashes'])} with {chance.choice(['tensor', 'pipeline'])} parallelism",
        kind=chance.choices(["issue", "pull_request", "unknown"], [8, 1, 1])[0],
        state=state,
        opened_at=opened if chance.random() < 0.9 else None,
        closed_at=opened + dt.timedelta(hours=chance.randint(0, 2000)) if state == "closed" else None,
        comment_count=chance.choice([None, 0, 3, 12, 40]),
        summary=chance.choice(["", "It stops."]),
    )
    if chance.random() < 0.5:
        sizes = {"additions": chance.choice([None, 1, 9, 80]), "deletions": 2, "files_changed": chance.choice([1, 5])}
        issue.fixes.add(make_fix(**sizes))
    return issue


def _tell_circumstances(chance: random.Random, issue: Issue) -> None:
    """As records tell them, which are labelled all."""
    for fact in FACTS:
        setattr(issue, fact.key, chance.choice(["", *fact.words.values]))
    issue.save(update_fields=[fact.key for fact in FACTS])


def _labels(chance: random.Random, issue: Issue, nodes: list[Node], source: Source) -> list[Label]:
    chosen = [node for node in nodes if chance.random() < 0.25]
    return [Label(issue=issue, node=node, axis=node.axis, source=source) for node in chosen]


FILTERS = (
    "",
    "framework=deepspeed",
    "framework=-vllm",
    "year=2023..2024",
    "year=-2023",
    "state=open,closed",
    "small_fix=true",
    "has_fix=false",
    "kind=pull_request",
    "kind=issue,unknown",
    "trust=consensus",
    "curated=true",
    "comments=>=3",
    "lines=<=10",
    "files=1",
    "symptom=symptom-a",
    "symptom=symptom-a1,symptom-b",
    "symptom=-symptom-b",
    "cause=cause-a1x&symptom=symptom-b",
    "component=component-a,-component-a2",
    "node=house/symptom-a,house/symptom-b",
    "source=curated",
    "source=round-1&symptom=symptom-a",
    "source=curated,round-1",
    "source=-round-1",
    f"source={STUDY}",
    f"source={STUDY}&node={STUDY}/symptom-0",
    f"node={STUDY}/root_cause-1",
    "q=hangs",
    "q=tensor+framework:deepspeed+-symptom:symptom-b",
    "q=crashes&symptom=symptom-a",
    "q=is:open+fix:fix-a",
    "q=quaternion",
)
