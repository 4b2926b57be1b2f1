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
        "symptom-cause",
        "Symptom × root cause",
        "Which root causes stand behind what a person sees?",
        SYMPTOM,
        CAUSE,
    ),
    FlowChart(),
    CrossedChart("cause-fix", "Root cause × fix pattern", "What was changed to fix which root cause?", CAUSE, FIX),
    CrossedChart(
        "framework-symptom",
        "Framework × symptom",
        "What do people see in which framework? Shares compare frameworks of different size.",
        FRAMEWORK,
        SYMPTOM,
        Measure.SHARE,
    ),
    CrossedChart("component-cause", "Component × root cause", "What goes wrong in which component?", COMPONENT, CAUSE),
    CrossedChart("stage-symptom", "Stage × symptom", "What do people see at which stage of a run?", STAGE, SYMPTOM),
    CrossedChart(
        "theme-framework",
        "Theme × framework",
        "What are issues of each framework about? The themes are those of study P5.",
        THEME,
        FRAMEWORK,
    ),
    CrossedChart(
        "year-type", "Year × issue type", "Do people report other things than they did?", YEAR, TYPE, Measure.SHARE
    ),
    *EFFORT,
    OverTime(),
    Stages(),
    DistributedShare(),
    States(),
    HotSpots(),
)
BY_SLUG = {chart.slug: chart for chart in CHARTS}
