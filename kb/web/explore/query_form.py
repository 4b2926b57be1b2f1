"""What a page of charts shows of its address: the form that narrows it, its filters as chips, its options as links."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, TypedDict

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse

from kb.charts.chart import Chart, Option
from kb.charts.evidence import Evidence
from kb.core.search.filter_values import join_values
from kb.core.search.lookup import Named
from kb.models import Source
from kb.search import FilterTerm, words_alone
from kb.search.names import names
from kb.web.explore import Context

# The filters that a chart's form offers; every other one is understood in its box.
OFFERED = (("framework", "Framework"), ("component", "Component"), ("stage", "Stage"))
FIXED = (("true", "With a known fix"), ("false", "No known fix"))
TRUSTED = tuple((kind.value, kind.label) for kind in Source.Kind if kind != Source.Kind.RULE)
# Of more values of a filter one chip says how many there are.
MOST_CHIPS = 4
MEASURES = ("count", "share", "lift")

# Options of charts with their values.
Options = Mapping[str, str]


@dataclass(frozen=True)
class Select:
    """A choice in the form; `value` is what the address holds, which may be more than one of them."""

    name: str
    label: str
    value: str
    choices: tuple[tuple[str, str], ...]

    @property
    def is_other(self) -> bool:
        """Whether the address holds something that is none of the choices."""
        return bool(self.value) and self.value not in {value for value, _ in self.choices}


@dataclass(frozen=True)
class Chip:
    """A chosen filter and the address without it."""

    label: str
    name: str
    without: str


class SwitchChoice(NamedTuple):
    """A choice as an address that keeps everything else."""

    name: str
    url: str
    selected: bool


class Switch(NamedTuple):
    """What can be chosen, with its choices (`components/switch.html`)."""

    label: str
    choices: Sequence[SwitchChoice]


class FormContext(TypedDict):
    """What templates need for the form."""

    evidence: Evidence
    errors: list[str]
    selects: tuple[Select, ...]
    provenance: tuple[Select, ...]
    chips: tuple[Chip, ...]
    clear: str
    issues_url: str


def form_context(evidence: Evidence, options: Options) -> FormContext:
    """The form of these words, filters and options."""
    return {
        "evidence": evidence,
        "errors": errors_of(evidence),
        "selects": _selects(evidence.params),
        "provenance": _provenance(evidence.params),
        "chips": _chips(evidence, options),
        "clear": address(QueryDict(), options),
        "issues_url": issues_url(evidence),
    }


def render_counted(request: HttpRequest, template: str, evidence: Evidence, context: Context) -> HttpResponse:
    """The page, with status 400 where the address has wrong values."""
    return render(request, template, context, status=400 if evidence.errors else 200)


def issues_url(evidence: Evidence) -> str:
    """The search for the same words and filters."""
    return f"{reverse('search')}?{evidence.params.urlencode(safe='/,')}"


def errors_of(evidence: Evidence) -> list[str]:
    """The messages about wrong values."""
    return list(chain.from_iterable(evidence.errors.values()))


def _selects(params: QueryDict) -> tuple[Select, ...]:
    known = names().stored
    selects = []
    for key, label in OFFERED:
        values = known[key].values if key in known else ()
        selects.append(Select(key, label, params.get(key, ""), _named(values)))
    selects.append(Select("has_fix", "Fix", params.get("has_fix", ""), FIXED))
    return tuple(selects)


def _provenance(params: QueryDict) -> tuple[Select, ...]:
    """Whose labels are counted."""
    sources = [named for named in names().stored["source"].values if named.value != Source.Kind.RULE]
    return (
        Select("trust", "Labels from", params.get("trust", ""), TRUSTED),
        Select("source", "Only one source", params.get("source", ""), _named(sources)),
    )


def _named(values: Iterable[Named]) -> tuple[tuple[str, str], ...]:
    return tuple((named.value, named.name) for named in values if named.offered)


def _chips(evidence: Evidence, options: Options) -> tuple[Chip, ...]:
    """One for the words and for each value, but a single one for many values of a filter."""
    asked = evidence.asked
    fields = asked.form.base_filters
    by_key: defaultdict[str, list[FilterTerm]] = defaultdict(list)
    for term in asked.terms:
        if term.key in fields:
            by_key[term.key].append(term)
    chips = []
    words = words_alone(asked.query)
    if words:
        wordless = evidence.params.copy()
        wordless.pop("q")
        for key, terms in by_key.items():
            wordless[key] = join_values(term.value for term in terms)
        chips.append(Chip("Words", words, address(wordless, options)))
    for key, terms in by_key.items():
        label = str(fields[key].label)
        if len(terms) > MOST_CHIPS:
            chips.append(Chip(label, f"any of {len(terms)}", address(asked.without_terms(terms), options)))
            continue
        for term in terms:
            name = f"not {term.name}" if term.value.unwanted else term.name
            chips.append(Chip(label, name, address(asked.without_terms([term]), options)))
    return tuple(chips)


def address(params: QueryDict, options: Options) -> str:
    """A query of words and filters with a chart's options."""
    changed = params.copy()
    for name, value in options.items():
        changed[name] = value
    return f"?{changed.urlencode(safe='/,')}"


def given_options(chart: Chart, params: QueryDict) -> dict[str, str]:
    """The options for which the address has a known value; the others have their defaults."""
    options = {}
    for option in chart.options:
        value = params.get(option.name)
        if value is not None and option.chosen(value).value == value:
            options[option.name] = value
    return options


def switches(chart: Chart, evidence: Evidence, chosen: Options, options: Options) -> tuple[Switch, ...]:
    """Each option of the chart with its choices."""
    return tuple(switch(option, evidence, chosen[option.name], options) for option in chart.options)


def switch(option: Option, evidence: Evidence, chosen: str, options: Options) -> Switch:
    """An option with its choices; measures stand in the same order on every chart."""
    ordered = list(option.choices)
    if option.name == "measure":
        ordered.sort(key=lambda choice: MEASURES.index(choice.value))
    choices = []
    for choice in ordered:
        url = address(evidence.params, {**options, option.name: choice.value})
        choices.append(SwitchChoice(choice.label, url, choice.value == chosen))
    return Switch(option.label, choices)
