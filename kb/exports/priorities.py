"""The survey's results and the published orders as CSV and JSON. Pure: results in, rows and dictionaries out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from kb.exports.cells import Cell
from kb.priorities.agreement import FEWEST_RATERS
from kb.priorities.published import Published
from kb.priorities.survey import Audience, GroupResult, SurveyResults
from kb.selectors.priorities import Theme

HEAD = (
    "group", "theme", "name", "role", "experience", "raters", "placed_by", "mean_rank", "mean_rank_low",
    "mean_rank_high", "kendall_w", "kendall_w_low", "kendall_w_high", "chance", "note",
)  # fmt: skip
DIGITS = 4
TOO_FEW = f"fewer than {FEWEST_RATERS} people: too few to say"
TREATMENT = (
    "Themes that somebody did not rank share the mean of the ranks left. Kendall's W is corrected for ties; its "
    "interval is found by leaving out one person at a time, that of mean ranks is Student's, both at 95 %. People who "
    "are user and developer count among either."
)
Themes = Mapping[str, Sequence[Theme]]


def head_of(published: Published) -> tuple[str, ...]:
    """The columns: the survey's, then one for each published order."""
    return (*HEAD, *(f"published:{order.slug}" for order in published.orders))


def rows_of(
    themes: Themes, results: SurveyResults, published: Published, audience: Audience
) -> Iterator[tuple[Cell, ...]]:
    """A row for each theme: the survey's numbers for the audience, and where published orders put the theme."""
    for group, members in themes.items():
        result = results.groups[audience, group]
        found = {row.code: row for row in result.themes}
        for theme in members:
            row = found.get(theme.code)
            numbers = (
                (row.placed_by, *map(_rounded, (row.rank.mean, row.rank.low, row.rank.high))) if row else (None,) * 4
            )
            agreed = result.agreement
            shared = (agreed.w, agreed.low, agreed.high, agreed.chance) if agreed else (None,) * 4
            places = (order.position_words(theme.code) if order.group == group else "" for order in published.orders)
            who = (audience.role or "all", audience.experience or "all", result.raters)
            note = "" if row else TOO_FEW
            yield group, theme.code, theme.name, *who, *numbers, *map(_rounded, shared), note, *places


def document(themes: Themes, results: SurveyResults, published: Published, audience: Audience) -> dict[str, Any]:
    """Everything as one JSON document: results of the audience, published orders, and how the two go together."""
    return {
        "audience": {"role": audience.role or None, "experience": audience.experience or None},
        "answers": results.answers,
        "excluded_answers": results.excluded,
        "fewest_raters": FEWEST_RATERS,
        "treatment": TREATMENT,
        "groups": {
            group: {
                "themes": {theme.code: theme.name for theme in members},
                **_result(results.groups[audience, group]),
            }
            for group, members in themes.items()
        },
        "published": {"study": published.study, "sample": published.sample, "orders": _orders(published, results)},
    }


def _result(result: GroupResult) -> dict[str, Any]:
    if result.agreement is None:
        return {"raters": result.raters, "note": TOO_FEW, "agreement": None, "mean_ranks": None}
    ranks = [{"theme": row.code, "placed_by": row.placed_by, **_numbers(asdict(row.rank))} for row in result.themes]
    return {"raters": result.raters, "agreement": _numbers(asdict(result.agreement)), "mean_ranks": ranks}


def _orders(published: Published, results: SurveyResults) -> list[dict[str, Any]]:
    found = []
    for order in published.orders:
        compared = results.comparisons[order.slug]
        tau = _numbers(asdict(compared)) if compared else None
        found.append({**order.model_dump(mode="json"), "survey_tau_b": tau})
    return found


def _numbers(values: dict[str, Any]) -> dict[str, Any]:
    return {name: _rounded(value) for name, value in values.items()}


def _rounded(value: Any) -> Any:
    return round(value, DIGITS) if isinstance(value, float) else value
