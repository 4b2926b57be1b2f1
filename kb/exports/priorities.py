"""The survey's results and the published orders as CSV and JSON. Results in, records out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from kb.priorities.agreement import FEWEST_RATERS
from kb.priorities.published import Published
from kb.priorities.survey import Audience, GroupResult, SurveyResults, ThemeResult
from kb.selectors.priorities import Theme

DIGITS = 4
TOO_FEW = f"fewer than {FEWEST_RATERS} people: too few to say"
TREATMENT = (
    "Themes that somebody did not rank share the mean of the ranks left. Kendall's W is corrected for ties; its "
    "interval is found by leaving out one person at a time, that of mean ranks is Student's, both at 95 %. People who "
    "are user and developer count among either."
)
Themes = Mapping[str, Sequence[Theme]]


def rows_of(
    themes: Themes, results: SurveyResults, published: Published, audience: Audience
) -> Iterator[dict[str, Any]]:
    """A record for each theme: the survey's numbers for the audience, and where published orders put the theme."""
    for group, members in themes.items():
        result = results.groups[audience, group]
        found = {row.code: row for row in result.themes}
        for theme in members:
            yield {
                "group": group,
                "theme": theme.code,
                "name": theme.name,
                "role": audience.role or "all",
                "experience": audience.experience or "all",
                "raters": result.raters,
                **_numbers(_theme_numbers(found.get(theme.code))),
                **_numbers(_shared_numbers(result)),
                "note": "" if theme.code in found else TOO_FEW,
                **{
                    f"published:{order.slug}": order.position_words(theme.code) if order.group == group else ""
                    for order in published.orders
                },
            }


def _theme_numbers(row: ThemeResult | None) -> dict[str, Any]:
    return {
        "placed_by": row and row.placed_by,
        "mean_rank": row and row.rank.mean,
        "mean_rank_low": row and row.rank.low,
        "mean_rank_high": row and row.rank.high,
    }


def _shared_numbers(result: GroupResult) -> dict[str, Any]:
    found = result.agreement
    return {
        "kendall_w": found and found.w,
        "kendall_w_low": found and found.low,
        "kendall_w_high": found and found.high,
        "chance": found and found.chance,
    }


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
