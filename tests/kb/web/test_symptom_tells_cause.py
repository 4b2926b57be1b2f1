"""How far a symptom tells its cause, as a chart: the numbers by hand, and what each leads to."""

import pytest
from django.http import QueryDict

from kb.charts.catalogue import BY_SLUG
from kb.charts.chart import Drawn
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from kb.models import Node
from tests.support.factories import make_axis, make_issue, make_label, make_node

pytestmark = pytest.mark.django_db


def label(number: int, *nodes: Node) -> None:
    for _ in range(number):
        issue = make_issue(summary="It stops.")
        for node in nodes:
            make_label(issue, node)


def drawn_of(query: str = "") -> Drawn:
    return draw(BY_SLUG["symptom-tells-cause"], gather(QueryDict(query)), {})


@pytest.fixture(autouse=True)
def world() -> None:
    """12 crashes of configurations and 3 of races, 10 hangs of races, and 4 hangs of unknown cause."""
    hang, crash = make_node("hang", position=0), make_node("crash", position=1)
    race, setting = (make_node(code, axis=make_axis("root_cause")) for code in ("race", "setting"))
    label(12, crash, make_node("bad-flag", axis=setting.axis, parent=setting))
    label(3, crash, race)
    label(10, make_node("hang-collective", parent=hang), race)
    label(4, hang)


def test_each_group_is_told_by_its_others_beside_the_commonest() -> None:
    together, hang, crash = drawn_of().records
    assert (together["issues"], together["told_first"], together["told_by_commonest"]) == (25, 22, 13)
    assert (hang["issues"], hang["told_first"], hang["share"]) == (10, 10, 1.0)
    assert (crash["issues"], crash["told_first"]) == (15, 12)


def test_only_issues_with_symptom_and_cause_are_counted() -> None:
    counted = drawn_of().counted
    assert (counted.issues, counted.all_issues) == (25, 29)


def test_the_finding_is_said_in_one_line() -> None:
    assert drawn_of().sentence.startswith("The symptom tells the group of causes first in 88 % (95 % interval 70–96 %)")


def test_filters_choose_the_issues() -> None:
    (together, _hang) = drawn_of("symptom=hang").records
    assert together["issues"] == 10
