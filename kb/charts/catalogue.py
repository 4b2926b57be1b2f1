"""Every chart there is, by the question that it answers and by its name in addresses."""

from dataclasses import dataclass

from kb.charts.chart import Chart
from kb.charts.circumstances import CircumstancesChart
from kb.charts.crossed import CrossedChart
from kb.charts.dimensions import CAUSE, COMPONENT, FIX, FRAMEWORK, STAGE, SYMPTOM, THEME, TYPE, YEAR
from kb.charts.distributed import DistributedShare
from kb.charts.effort import EffortChart
from kb.charts.effort_shares import HARD, SMALL_FIXES
from kb.charts.effort_spread import SpreadChart
from kb.charts.flow import FlowChart
from kb.charts.heat_map import Measure
from kb.charts.hot_spots import HotSpots
from kb.charts.over_time import OverTime
from kb.charts.ranking import Ranking
from kb.charts.states import States
from kb.charts.symptom_tells_cause import SymptomTellsCause


@dataclass(frozen=True)
class Group:
    """Charts that answer the same kind of question."""

    question: str
    charts: tuple[Chart, ...]


WHAT = Group(
    "What goes wrong?",
    (
        Ranking(slug="symptoms", title="Symptoms", lead="What do people see go wrong?", dimension=SYMPTOM),
        CrossedChart(
            slug="framework-symptom",
            title="Framework × symptom",
            lead="What do people see in which framework? Shares compare frameworks of different size.",
            row=FRAMEWORK,
            column=SYMPTOM,
            measure=Measure.SHARE,
        ),
        CrossedChart(
            slug="stage-symptom",
            title="Stage × symptom",
            lead="What do people see at which stage of a run?",
            row=STAGE,
            column=SYMPTOM,
        ),
        CrossedChart(
            slug="theme-framework",
            title="Theme × framework",
            lead="What are issues of each framework about? The themes are those of study P5.",
            row=THEME,
            column=FRAMEWORK,
        ),
    ),
)
WHY = Group(
    "Why?",
    (
        Ranking(slug="root-causes", title="Root causes", lead="What causes faults?", dimension=CAUSE),
        CrossedChart(
            slug="symptom-cause",
            title="Symptom × root cause",
            lead="Which root causes lead to which symptom?",
            row=SYMPTOM,
            column=CAUSE,
        ),
        SymptomTellsCause(),
        FlowChart(),
        DistributedShare(),
    ),
)
WHERE = Group(
    "Where?",
    (
        Ranking(slug="components", title="Components", lead="Which components do issues affect?", dimension=COMPONENT),
        Ranking(
            slug="frameworks",
            title="Frameworks",
            lead="Which frameworks do the labelled issues come from?",
            dimension=FRAMEWORK,
        ),
        Ranking(
            slug="stages",
            title="Stages",
            lead="At which stage of a run do faults show?",
            dimension=STAGE,
            in_order=True,
        ),
        CrossedChart(
            slug="component-cause",
            title="Component × root cause",
            lead="What goes wrong in which component?",
            row=COMPONENT,
            column=CAUSE,
        ),
    ),
)
WHEN = Group(
    "When?",
    (
        OverTime(),
        CrossedChart(
            slug="year-type",
            title="Year × issue type",
            lead="Do people report other things than they did?",
            row=YEAR,
            column=TYPE,
            measure=Measure.SHARE,
        ),
        HotSpots(),
    ),
)
FIXES = Group(
    "What fixes it?",
    (
        Ranking(slug="fix-patterns", title="Fix patterns", lead="How are faults fixed?", dimension=FIX),
        CrossedChart(
            slug="cause-fix",
            title="Root cause × fix pattern",
            lead="What was changed to fix which root cause?",
            row=CAUSE,
            column=FIX,
        ),
        States(),
    ),
)
HOW = Group("How are faults handled?", (CircumstancesChart(),))
EFFORT: tuple[Chart, ...] = (EffortChart(), SpreadChart(), SMALL_FIXES, HARD)

GROUPS = (WHAT, WHY, WHERE, WHEN, FIXES, HOW, Group("How much effort?", EFFORT))
CHARTS: tuple[Chart, ...] = tuple(chart for group in GROUPS for chart in group.charts)
BY_SLUG = {chart.slug: chart for chart in CHARTS}
