"""Every chart there is, by its name in addresses."""

from kb.charts.chart import Chart
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
from kb.charts.stages import Stages
from kb.charts.states import States

EFFORT: tuple[Chart, ...] = (EffortChart(), SpreadChart(), SMALL_FIXES, HARD)
CHARTS: tuple[Chart, ...] = (
    CrossedChart(
        slug="symptom-cause",
        title="Symptom × root cause",
        lead="Which root causes stand behind what a person sees?",
        row=SYMPTOM,
        column=CAUSE,
    ),
    FlowChart(),
    CrossedChart(
        slug="cause-fix",
        title="Root cause × fix pattern",
        lead="What was changed to fix which root cause?",
        row=CAUSE,
        column=FIX,
    ),
    CrossedChart(
        slug="framework-symptom",
        title="Framework × symptom",
        lead="What do people see in which framework? Shares compare frameworks of different size.",
        row=FRAMEWORK,
        column=SYMPTOM,
        measure=Measure.SHARE,
    ),
    CrossedChart(
        slug="component-cause",
        title="Component × root cause",
        lead="What goes wrong in which component?",
        row=COMPONENT,
        column=CAUSE,
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
    CrossedChart(
        slug="year-type",
        title="Year × issue type",
        lead="Do people report other things than they did?",
        row=YEAR,
        column=TYPE,
        measure=Measure.SHARE,
    ),
    *EFFORT,
    OverTime(),
    Stages(),
    DistributedShare(),
    States(),
    HotSpots(),
)
BY_SLUG = {chart.slug: chart for chart in CHARTS}
