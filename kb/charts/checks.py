"""What a chart of `kb/charts/catalogue.py` still lacks, for `manage.py check`: each message names the chart."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import Field, fields, is_dataclass
from typing import Any

from django.core.checks import CheckMessage, Error

from kb.charts.catalogue import CHARTS
from kb.charts.chart import Chart
from kb.charts.crossed import CrossedChart
from kb.filters.issues import IssueFilter

WHERE = "kb/charts/catalogue.py"
SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
USES = {
    "slug": "It is the chart's name in addresses.",
    "title": "It heads the chart's page.",
    "lead": "It is the question that the chart answers.",
    "method": "It says how the numbers are computed.",
}


def faults(charts: Sequence[Chart] = CHARTS) -> list[CheckMessage]:
    """The faults of every chart, each with its slug or its place in the catalogue."""
    messages: list[CheckMessage] = []
    slugs = Counter(getattr(chart, "slug", "") for chart in charts)
    for number, chart in enumerate(charts, start=1):
        texts = list(_faults_of_values(chart) or _faults_of_texts(chart, slugs) or _faults_of_options(chart))
        name = getattr(chart, "slug", "") or f"chart {number}"
        messages += [Error(f"{WHERE}, `{name}`: {text}", id="kb.E002") for text in texts]
    return messages


def _faults_of_values(chart: Chart) -> list[str]:
    """What is no chart, or was given values of a wrong type."""
    if isinstance(chart, type):
        return [f"{chart.__name__} is a class. Write {chart.__name__}()."]
    lacking = [
        name for name in (*USES, "options", "draw") if not hasattr(type(chart), name) and not hasattr(chart, name)
    ]
    if lacking:
        return [f"{type(chart).__name__} has no `{lacking[0]}`. See `Chart` in kb/charts/chart.py."]
    faults = []
    declared: Sequence[Field[Any]] = fields(chart) if is_dataclass(chart) else ()
    for field in declared:
        value = getattr(chart, field.name)
        if isinstance(field.type, type) and not isinstance(value, field.type):
            faults.append(f"`{field.name}` is a {type(value).__name__}. Give a {field.type.__name__}.")
    if isinstance(chart, CrossedChart) and chart.row == chart.column:
        faults.append("`row` and `column` are the same question. Give two.")
    return faults


def _faults_of_texts(chart: Chart, slugs: Counter[str]) -> list[str]:
    faults = [f"`{name}` is empty. {use}" for name, use in USES.items() if not str(getattr(chart, name)).strip()]
    if chart.slug and not SLUG.fullmatch(chart.slug):
        faults.append("`slug` has small letters and digits only, with hyphens between.")
    if slugs[chart.slug] > 1:
        faults.append("another chart has this `slug`, too. Give one of them another.")
    return faults


def _faults_of_options(chart: Chart) -> Iterator[str]:
    for option in chart.options:
        if not option.choices:
            yield f"option `{option.name}` has no choices. Give at least one; the first is the default."
        if option.name in IssueFilter.base_filters:
            yield f"option `{option.name}` is a filter's key, too. Give it another name."
