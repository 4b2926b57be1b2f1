"""The survey's results and the published orders as records and as a JSON document."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from kb.exports import Document, Json
from kb.exports.tables import Record
from kb.priorities.agreement import FEWEST_RATERS, Agreement
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


def priority_records(
    themes: Themes, results: SurveyResults, published: Published, audience: Audience
) -> Iterator[Record]:
    """A record for each theme: the survey's numbers for the audience, and where published orders put the theme."""
    for group, members in themes.items():
        result = results.groups[audience, group]
        agreement = _agreement_numbers(result.agreement)
        by_code = {row.code: row for row in result.themes}
        for theme in members:
            row = by_code.get(theme.code)
            positions = {}
            for order in published.orders:
                position = order.position_words(theme.code) if order.group == group else ""
                positions[f"published:{order.slug}"] = position
            yield {
                "group": group,
                "theme": theme.code,
                "name": theme.name,
                "role": audience.role or "all",
                "experience": audience.experience or "all",
                "raters": result.raters,
                **_theme_numbers(row),
                **agreement,
                "note": "" if row else TOO_FEW,
                **positions,
            }


def priorities_document(themes: Themes, results: SurveyResults, published: Published, audience: Audience) -> Document:
    """Results of the audience, published orders, and how the two go together."""
    groups = {}
    for group, members in themes.items():
        names = {theme.code: theme.name for theme in members}
        groups[group] = {"themes": names, **_result(results.groups[audience, group])}
    orders = []
    for order in published.orders:
        compared = results.comparisons[order.slug]
        tau = _rounded_numbers(asdict(compared)) if compared else None
        orders.append({**order.model_dump(mode="json"), "survey_tau_b": tau})
    return {
        "audience": {"role": audience.role or None, "experience": audience.experience or None},
        "answers": results.answers,
        "excluded_answers": results.excluded,
        "fewest_raters": FEWEST_RATERS,
        "treatment": TREATMENT,
        "groups": groups,
        "published": {
            "study": published.study,
            "sample": published.sample,
            "orders": orders,
            "additions": [addition.model_dump(mode="json") for addition in published.additions],
        },
    }


def _result(result: GroupResult) -> dict[str, Json]:
    if result.agreement is None:
        return {"raters": result.raters, "note": TOO_FEW, "agreement": None, "mean_ranks": None}
    ranks = []
    for row in result.themes:
        ranks.append({"theme": row.code, "placed_by": row.placed_by, **_rounded_numbers(asdict(row.rank))})
    return {"raters": result.raters, "agreement": _rounded_numbers(asdict(result.agreement)), "mean_ranks": ranks}


def _rounded_numbers(values: Record) -> Record:
    return {name: round(value, DIGITS) if isinstance(value, float) else value for name, value in values.items()}


def _theme_numbers(row: ThemeResult | None) -> Record:
    if row is None:
        return dict.fromkeys(("placed_by", "mean_rank", "mean_rank_low", "mean_rank_high"))
    rank = row.rank
    numbers = {"mean_rank": rank.mean, "mean_rank_low": rank.low, "mean_rank_high": rank.high}
    return {"placed_by": row.placed_by, **_rounded_numbers(numbers)}


def _agreement_numbers(agreement: Agreement | None) -> Record:
    if agreement is None:
        return dict.fromkeys(("kendall_w", "kendall_w_low", "kendall_w_high", "chance"))
    numbers = {"kendall_w": agreement.w, "kendall_w_low": agreement.low, "kendall_w_high": agreement.high}
    return _rounded_numbers(numbers | {"chance": agreement.chance})
