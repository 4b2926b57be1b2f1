"""Charts: the same numbers as on their pages, for the same words and filters."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadView
from kb.api.examples import example
from kb.api.problems import InvalidParametersError
from kb.api.serializers.charts import ChartDetailSerializer, ChartsSerializer
from kb.charts.catalogue import BY_SLUG, CHARTS
from kb.charts.chart import Chart, Choice, Drawn, Option, choices
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from kb.filters.issues import IssueFilter


def option_parameters(charts: Sequence[Chart]) -> tuple[OpenApiParameter, ...]:
    """Every option of these charts, with all the values that any of them knows."""
    options: dict[str, list[Option]] = {}
    for chart in charts:
        for option in chart.options:
            options.setdefault(option.name, []).append(option)
    return tuple(
        OpenApiParameter(
            name,
            {"type": "string", "enum": list(dict.fromkeys(one.value for option in found for one in option.choices))},
            description=f"{found[0].label}: an option of some charts, whose `options` name its values.",
        )
        for name, found in options.items()
    )


class ChartsView(ReadView):
    """Every chart there is."""

    serializer_class = ChartsSerializer

    def examples(self) -> Iterable[OpenApiExample]:
        """A real answer."""
        return (example("charts", self.serializer_class.keys()),)

    @extend_schema(
        operation_id="charts_list",
        summary="List charts",
        description="What can be counted, and in which ways it can be looked at.",
        tags=["charts"],
    )
    def get(self, request: Request) -> Response:
        """All charts, in the order of their pages."""
        return Response({"charts": [described(chart, request) for chart in CHARTS]})


class ChartView(ReadView):
    """One chart with its numbers."""

    serializer_class = ChartDetailSerializer

    def parameters(self) -> Iterable[OpenApiParameter]:
        """Words, filters and the options of charts."""
        yield OpenApiParameter("slug", str, declared.PATH, description="Slug of the chart, such as `symptom-cause`.")
        yield declared.Q
        yield declared.MATCH
        yield from declared.parameters_of(IssueFilter)
        yield from option_parameters(CHARTS)
        yield declared.IF_NONE_MATCH

    def examples(self) -> Iterable[OpenApiExample]:
        """A real answer, its records cut to the first."""
        return (example("chart", self.serializer_class.keys()),)

    @extend_schema(
        summary="One chart",
        description=(
            "The numbers of a chart for any words and filters: an issue counts once, whoever labelled it. `source` "
            "counts what that source alone says; without it, every answer in the house codebook is counted. "
            "What rules suggest never is. Shares come with Wilson's interval at 95 %."
        ),
        tags=["charts"],
    )
    def get(self, request: Request, slug: str) -> Response:
        """The chart as it stands. Raises `InvalidParametersError`."""
        if slug not in BY_SLUG:
            raise Http404
        chart = BY_SLUG[slug]
        evidence = gather(request.query_params)
        if errors := {**evidence.errors, **_wrong_options(chart, request.query_params)}:
            raise InvalidParametersError(errors)
        chosen = choices(chart, request.query_params)
        return Response(_detail(chart, draw(chart, evidence, chosen), chosen, request))


def _wrong_options(chart: Chart, asked: Mapping[str, str]) -> dict[str, list[str]]:
    """Options that this chart lacks, or values that they do not have."""
    own = {option.name: [choice.value for choice in option.choices] for option in chart.options}
    wrong = {}
    for one in option_parameters(CHARTS):
        if one.name in asked and one.name not in own:
            wrong[one.name] = [f"The chart {chart.slug} has no such option. It has: {', '.join(own) or 'none'}."]
        elif one.name in asked and asked[one.name] not in own[one.name]:
            wrong[one.name] = [
                f"“{asked[one.name][:60]}” is not known here. Choose one of: {', '.join(own[one.name])}."
            ]
    return wrong


def described(chart: Chart, request: Request) -> dict[str, Any]:
    """What a chart is."""
    return {
        "slug": chart.slug,
        "title": chart.title,
        "lead": chart.lead,
        "method": chart.method,
        "options": [
            {"parameter": one.name, "name": one.label, "choices": [_choice(choice) for choice in one.choices]}
            for one in chart.options
        ],
        "page": request.build_absolute_uri(reverse("chart", args=(chart.slug,))),
    }


def _choice(choice: Choice) -> dict[str, str]:
    return {"value": choice.value, "name": choice.label, "explained": choice.explained}


def _detail(chart: Chart, drawn: Drawn, chosen: Mapping[str, str], request: Request) -> dict[str, Any]:
    return {
        **described(chart, request),
        "chosen": chosen,
        "counted": vars(drawn.counted),
        "sources": [{"name": name, "issues": issues} for name, issues in drawn.sources],
        "notes": list(drawn.notes),
        "records": [_record(record, request) for record in drawn.records],
    }


def _record(record: Mapping[str, Any], request: Request) -> dict[str, Any]:
    told = dict(record)
    query = told.pop("query", "")
    url = request.build_absolute_uri(f"{reverse('search')}?{query}") if query else None
    return {**told, "issues_url": url}
