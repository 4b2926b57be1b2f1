"""The agreement report of a release: every number with what it stands on, in Markdown and HTML, with plots."""

from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt

from labeling.agreement import SAMPLES, SEED, AxisReport, Coefficient
from labeling.agreement.words import TENTATIVE, percent
from labeling.releases.plots import Bar, intervals
from labeling.releases.state import RoundState, State
from labeling.releases.tables import json_bytes

FOLDER = "agreement"
STYLE = (
    "body{font-family:sans-serif;line-height:1.5;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.25rem .5rem;text-align:left}"
    "svg{max-width:100%;height:auto}"
)


def files(state: State) -> dict[str, bytes]:
    """Name -> content: report.md, report.html, the plots, and the numbers as JSON."""
    plots = {
        f"{FOLDER}/plots/{name}.svg": drawing for one in state.rounds for name, drawing in _plots(one, state).items()
    }
    text = _markdown(state)
    return {
        f"{FOLDER}/report.md": text.encode(),
        f"{FOLDER}/report.html": _html(state, text, plots).encode(),
        f"{FOLDER}/agreement.json": json_bytes([_numbers(one) for one in state.rounds]),
        **{name: drawing.encode() for name, drawing in plots.items()},
    }


def _numbers(one: RoundState) -> dict[str, object]:
    return {
        "round": one.round.number,
        "name": one.round.called,
        "codebook": one.round.codebook.number,
        "axes": {report.axis: [_values(each) for each in report.coefficients] for report in one.reports},
    }


def _values(one: Coefficient) -> dict[str, object]:
    interval = one.interval
    return {
        "key": one.key, "name": one.name, "value": _six(one.value), "reason": one.reason,
        "low": _six(interval.low) if interval else None, "high": _six(interval.high) if interval else None,
        "issues": one.units, "votes": one.votes, "missing": one.missing,
    }  # fmt: skip


def _six(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _markdown(state: State) -> str:
    parts = [
        f"# Agreement in {state.project.name}",
        "Votes as they were cast: what was revised or decided after they were shown changes nothing here. "
        f"Intervals: issues drawn again with replacement, {SAMPLES:,} times with seed {SEED}, the middle 95 %. "
        "The matrices that the numbers were computed from are in `matrices/`.",
    ]
    for one in state.rounds:
        parts.append(f"## Round {one.round.number}: {one.round.called}")
        if not one.reports:
            parts.append("Nobody voted.")
        for report in one.reports:
            parts.extend(_axis(one, report))
    return "\n\n".join(parts) + "\n"


def _axis(one: RoundState, report: AxisReport) -> Iterable[str]:
    yield f"### {report.axis}"
    yield f"{report.units:,} issues, {report.votes:,} votes, {len(report.annotators)} annotators."
    yield _table(
        ("Coefficient", "Value", "95 % interval", "Issues", "Votes", "Empty cells"),
        [
            (each.name, _value(each), _interval(each), f"{each.units:,}", f"{each.votes:,}", f"{each.missing:,}")
            for each in report.coefficients
        ],
    )
    if report.paradox:
        yield report.paradox
    yield f"![Coefficients](plots/{_plot_name(one, report, 'coefficients')}.svg)"
    yield f"![Categories](plots/{_plot_name(one, report, 'categories')}.svg)"
    if report.weak:
        yield f"Weak categories (α below {TENTATIVE}):"
        yield "\n".join(f"- {weak.words}" for weak in report.weak)
    yield _table(
        ("Pair", "Cohen's κ", "95 % interval", "Issues"),
        [
            (f"{pair.first}, {pair.second}", _value(pair.kappa), _interval(pair.kappa), f"{pair.kappa.units:,}")
            for pair in report.pairs
        ],
    )
    yield _table(
        ("Annotator", "Differs from most others", "Comparable votes"),
        [
            (who.annotator, percent(who.rate) if who.rate is not None else who.reason, f"{who.compared:,}")
            for who in report.dissent
        ],
    )


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _value(one: Coefficient) -> str:
    return one.reason if one.value is None else f"{one.value:.3f}"


def _interval(one: Coefficient) -> str:
    if one.interval is None or one.interval.low is None or one.interval.high is None:
        return one.interval.reason if one.interval else ""
    return f"{one.interval.low:.3f} to {one.interval.high:.3f}"


def _plots(one: RoundState, state: State) -> dict[str, str]:
    found = {}
    for report in one.reports:
        where = f"{state.project.name}, round {one.round.number}, {report.axis}"
        coefficients = [_bar(each.name, each) for each in report.coefficients]
        nodes = [_bar(node.code, node.alpha) for node in report.nodes]
        found[_plot_name(one, report, "coefficients")] = intervals(f"Agreement: {where}", coefficients)
        found[_plot_name(one, report, "categories")] = intervals(
            f"Krippendorff's alpha by category: {where}", nodes, marks=[TENTATIVE]
        )
    return found


def _plot_name(one: RoundState, report: AxisReport, what: str) -> str:
    return f"round-{one.round.number}-{report.axis}-{what}"


def _bar(name: str, one: Coefficient) -> Bar:
    bounds = one.interval
    return Bar(name, one.value, bounds.low if bounds else None, bounds.high if bounds else None, one.reason)


def _html(state: State, text: str, plots: dict[str, str]) -> str:
    """The same report as one page that needs no other file: plots stand inside."""
    body = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
    for name, drawing in plots.items():
        short = name.removeprefix(f"{FOLDER}/")
        for what in ("Coefficients", "Categories"):
            body = body.replace(f'<img src="{short}" alt="{what}" />', drawing)
    title = _escaped(f"Agreement in {state.project.name}")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
