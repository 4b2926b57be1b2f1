"""Charts: the numbers of their pages, for the same search words and filters."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict

from django.http import Http404, QueryDict
from django.urls import reverse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from kb.api import parameters as declared
from kb.api.base import ReadView
from kb.api.examples import JsonObject
from kb.api.problems import InvalidParametersError
from kb.api.serializers.charts import ChartDetailSerializer, ChartSerializer, ChartsSerializer
from kb.charts.catalogue import BY_SLUG, CHARTS
from kb.charts.chart import Chart, Drawn, choices
from kb.charts.drawings import draw
from kb.charts.evidence import gather
from kb.filters.issues import IssueFilter


def option_parameters(charts: Sequence[Chart]) -> tuple[OpenApiParameter, ...]:
    """The options of these charts, each with every value that it has in any of them."""
    labels: dict[str, str] = {}
    values: dict[str, list[str]] = {}
    for chart in charts:
        for option in chart.options:
            labels.setdefault(option.name, option.label)
            known = values.setdefault(option.name, [])
            known += [choice.value for choice in option.choices if choice.value not in known]
    return tuple(
        OpenApiParameter(
            name,
            {"type": "string", "enum": values[name]},
            description=f"{label}: an option of some charts, whose `options` name its values.",
        )
        for name, label in labels.items()
    )


class ChartsView(ReadView):
    """Every chart there is."""

    serializer_class = ChartsSerializer
    example_name = "charts"

    @extend_schema(
        operation_id="charts_list",
        summary="List charts",
        description="All charts and their options.",
        tags=["charts"],
    )
    def get(self, request: Request) -> Response:
        """All charts in the order of their pages."""
        return Response(ChartsSerializer({"charts": CHARTS}, context={"request": request}).data)


class ChartView(ReadView):
    """One chart with its numbers."""

    serializer_class = ChartDetailSerializer
    example_name = "chart"

    def parameters(self) -> Iterable[OpenApiParameter]:
        """Search words, filters and chart options."""
        yield OpenApiParameter("slug", str, declared.PATH, description="Slug of the chart, such as `symptom-cause`.")
        yield declared.Q
        yield declared.MATCH
        yield from declared.parameters_of(IssueFilter)
        yield from option_parameters(CHARTS)
        yield declared.IF_NONE_MATCH

    @extend_schema(
        summary="One chart",
        description=(
            "The numbers of a chart for any words and filters: an issue counts once, no matter who labelled it. "
            "`source` counts what that source alone says; without it, every answer in the house codebook is counted. "
            "What rules suggest never is. Shares come with Wilson's interval at 95 %."
        ),
        tags=["charts"],
    )
    def get(self, request: Request, slug: str) -> Response:
        """The chart with its present numbers. Raises `InvalidParametersError`."""
        if slug not in BY_SLUG:
            raise Http404
        chart = BY_SLUG[slug]
        evidence = gather(request.query_params)
        errors = {**evidence.errors, **_option_errors(chart, request.query_params)}
        if errors:
            raise InvalidParametersError(errors)
        chosen = choices(chart, request.query_params)
        drawn = draw(chart, evidence, chosen)
        return Response(
            {
                **ChartSerializer(chart, context={"request": request}).data,
                "chosen": chosen,
                "counted": asdict(drawn.counted),
                "sources": [{"name": name, "issues": issues} for name, issues in drawn.sources],
                "notes": drawn.notes,
                "records": _records(drawn, request),
            }
        )


def _option_errors(chart: Chart, params: QueryDict) -> dict[str, list[str]]:
    """Errors by parameter: options that the chart lacks, or values that they do not have."""
    options = {option.name: [choice.value for choice in option.choices] for option in chart.options}
    errors = {}
    for name in (parameter.name for parameter in option_parameters(CHARTS)):
        value = params.get(name)
        if value is None:
            continue
        if name not in options:
            known = ", ".join(options) or "none"
            errors[name] = [f"The chart {chart.slug} has no such option. It has: {known}."]
        elif value not in options[name]:
            errors[name] = [f"“{value[:60]}” is not known here. Choose one of: {', '.join(options[name])}."]
    return errors


def _records(drawn: Drawn, request: Request) -> list[JsonObject]:
    """The chart's numbers, each with the address of its issues instead of their query."""
    records: list[JsonObject] = []
    for record in drawn.records:
        row = {key: value for key, value in record.items() if key != "query"}
        query = record.get("query")
        url = request.build_absolute_uri(f"{reverse('search')}?{query}") if query else None
        records.append(row | {"issues_url": url})
    return records
