"""A chart is one entry of the catalogue: what it lacks is told by `manage.py check`."""

from dataclasses import dataclass
from typing import Any, cast

import pytest

from kb.charts.catalogue import CHARTS
from kb.charts.chart import Chart, Option
from kb.charts.checks import faults
from kb.charts.crossed import CrossedChart
from kb.charts.dimensions import FIX, STAGE
from kb.charts.states import States

TEXTS: dict[str, Any] = {"slug": "stage-fix", "title": "Stage × fix", "lead": "What was changed when?"}


def faults_of(*charts: object) -> list[str]:
    """What is wrong with these charts."""
    return [fault.msg for fault in faults(cast("list[Chart]", charts))]


def crossed(**changes: Any) -> CrossedChart:
    return CrossedChart(**({"row": STAGE, "column": FIX} | TEXTS | changes))


@dataclass(frozen=True)
class WithoutDraw:
    slug: str = "stage-fix"
    title: str = "Title"
    lead: str = "Lead"
    method: str = "Method"
    options: tuple[Option, ...] = ()


def test_the_charts_that_there_are_lack_nothing() -> None:
    assert faults_of(*CHARTS, crossed()) == []


@pytest.mark.parametrize(
    ("chart", "told"),
    [
        (crossed(title=""), "`title` is empty. It heads the chart's page."),
        (crossed(lead="  "), "`lead` is empty"),
        (crossed(slug="stage fix"), "`slug` has small letters"),
        (crossed(slug="Stage-Fix"), "`slug` has small letters"),
        (crossed(slug=""), "chart 2`: `slug` is empty"),
        (crossed(slug="state"), "another chart has this `slug`"),
        (crossed(column=STAGE), "are the same question"),
        (crossed(column="fix"), "`column` is a str. Give a Dimension."),
        (crossed(measure="share"), "`measure` is a str. Give a Measure."),
        (crossed(title=None), "`title` is a NoneType. Give a str."),
        (States, "States is a class. Write States()."),
        (States(slug="walk", options=(Option("symptom", "Symptom", ()),)), "option `symptom` has no choices"),
        (States(slug="walk", options=(Option("symptom", "Symptom", ()),)), "option `symptom` is a filter's key"),
        (WithoutDraw(), "WithoutDraw has no `draw`"),
    ],
)
def test_what_one_lacks_is_told_with_its_place(chart: object, told: str) -> None:
    messages = faults_of(States(), chart)
    assert any(told in message for message in messages), messages
    assert all(message.startswith("kb/charts/catalogue.py, `") for message in messages)
