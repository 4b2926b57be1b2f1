"""What a page of charts shows of its address: the form that narrows it, and its filters as chips."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest, QueryDict

from kb.charts.chart import Chart, Choice, Option
from kb.charts.evidence import Evidence
from kb.filters.lookup import Named
from kb.models import Source
from kb.search import Asked, Said
from kb.search.names import names

# The filters that a chart's form offers; every other one is understood in its box.
OFFERED = (("framework", "Framework"), ("component", "Component"), ("stage", "Stage"))
TRUSTED = tuple((kind.value, kind.label) for kind in Source.Kind if kind != Source.Kind.RULE)


@dataclass(frozen=True)
class Select:
    """A choice in the form; `value` is what the address holds, which may be more than one of them."""

    name: str
    label: str
    value: str
    choices: tuple[tuple[str, str], ...]

    @property
    def is_other(self) -> bool:
        """Does the address hold something that is none of the choices?"""
        return bool(self.value) and self.value not in {value for value, _ in self.choices}


@dataclass(frozen=True)
class Chip:
    """A chosen filter and the address without it."""

    label: str
    name: str
    without: str


@dataclass(frozen=True)
class Switch:
    """An option with its choices as addresses that keep everything else."""

    label: str
    choices: tuple[tuple[Choice, str, bool], ...]


def selects(params: QueryDict) -> tuple[Select, ...]:
    """The form's choices."""
    known = names().stored
    offered = [
        Select(key, label, params.get(key, ""), _named(known[key].values if key in known else ()))
        for key, label in OFFERED
    ]
    sources = [named for named in known["source"].values if named.value != Source.Kind.RULE]
    return (
        *offered,
        Select("trust", "Labels from", params.get("trust", ""), TRUSTED),
        Select("source", "Only what one source says", params.get("source", ""), _named(sources)),
    )


def _named(values: Iterable[Named]) -> tuple[tuple[str, str], ...]:
    return tuple((one.value, one.name) for one in values if one.offered)


def chips(evidence: Evidence, options: dict[str, str]) -> tuple[Chip, ...]:
    """The chosen filters, each with the address that no longer has it."""
    asked = evidence.asked
    labels = {key: str(one.label) for key, one in asked.form.base_filters.items()}
    return tuple(
        Chip(labels[one.key], f"not {one.name}" if one.value.unwanted else one.name, _address(asked, one, options))
        for one in asked.said
        if one.key in labels
    )


def _address(asked: Asked, said: Said, options: dict[str, str]) -> str:
    params = asked.without_said([said])
    return address(params, options)


def address(params: QueryDict, options: dict[str, str]) -> str:
    """A query of words and filters with a chart's options."""
    changed = params.copy()
    for name, value in options.items():
        changed[name] = value
    return f"?{changed.urlencode(safe='/,')}"


def asked_options(chart: Chart, request: HttpRequest) -> dict[str, str]:
    """The options that the address names rightly; the others go without saying."""
    return {
        option.name: request.GET[option.name]
        for option in chart.options
        if request.GET.get(option.name) in {choice.value for choice in option.choices}
    }


def switches(chart: Chart, evidence: Evidence, chosen: dict[str, str], options: dict[str, str]) -> tuple[Switch, ...]:
    """Each option of the chart with its choices."""
    return tuple(Switch(one.label, _choices(one, evidence, chosen[one.name], options)) for one in chart.options)


def _choices(
    option: Option, evidence: Evidence, chosen: str, options: dict[str, str]
) -> tuple[tuple[Choice, str, bool], ...]:
    ordered = sorted(option.choices, key=lambda choice: _place(choice.value))
    return tuple(
        (choice, address(evidence.params, options | {option.name: choice.value}), choice.value == chosen)
        for choice in ordered
    )


def _place(value: str) -> int:
    known = ("count", "share", "lift")
    return known.index(value) if value in known else len(known)
