"""A release's agreement report in Markdown, HTML and JSON, with plots."""

from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt

from labeling.agreement import SAMPLES, SEED, AxisReport, Coefficient
from labeling.agreement.words import TENTATIVE, percent
from labeling.releases.plots import Bar, intervals
from labeling.releases.state import RoundState, State
from labeling.releases.tables import JsonObject, json_bytes

FOLDER = "agreement"
STYLE = (
    "body{font-family:sans-serif;line-height:1.5;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse}th,td{border:1px solid #bbb;padding:.25rem .5rem;text-align:left}"
    "svg{max-width:100%;height:auto}"
)


def files(state: State) -> dict[str, bytes]:
    """File name -> content: report.md, report.html, the plots, and the numbers as JSON."""
    plots, numbers = {}, []
    for each in state.rounds:
        plots.update(_plots(each, state))
        axes = {report.axis: [_numbers(row) for row in report.coefficients] for report in each.reports}
        round_ = each.round
        numbers.append(
            {"round": round_.number, "name": round_.called, "codebook": round_.codebook.number, "axes": axes}
        )
    text = _markdown(state)
    return {
        f"{FOLDER}/report.md": text.encode(),
        f"{FOLDER}/report.html": _html(state, text, plots).encode(),
        f"{FOLDER}/agreement.json": json_bytes(numbers),
        **{f"{FOLDER}/{name}": plot.encode() for name, plot in plots.items()},
    }


def _numbers(coefficient: Coefficient) -> JsonObject:
    low, high = _bounds(coefficient)
    return {
        "key": coefficient.key, "name": coefficient.name, "value": _rounded(coefficient.value),
        "reason": coefficient.reason, "low": _rounded(low), "high": _rounded(high), "issues": coefficient.units,
        "votes": coefficient.votes, "missing": coefficient.missing,
    }  # fmt: skip


def _bounds(coefficient: Coefficient) -> tuple[float | None, float | None]:
    interval = coefficient.interval
    return (interval.low, interval.high) if interval else (None, None)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _markdown(state: State) -> str:
    parts = [
        f"# Agreement in {state.project.name}",
        "Votes as cast: revisions and decisions made after votes were revealed are not included. "
        f"Intervals: bootstrap over issues, {SAMPLES:,} times with seed {SEED}, the middle 95 %. "
        "The matrices that the numbers were computed from are in `matrices/`.",
    ]
    for each in state.rounds:
        parts.append(f"## Round {each.round.number}: {each.round.called}")
        if not each.answers:
            parts.append("Nobody voted.")
        for share in each.texts:
            parts.append(f"### {share.axis}")
            parts.append(f"{share.answered:,} of {share.votes:,} votes answer it, in words: texts have no coefficient.")
        for report in each.reports:
            parts.extend(_axis(each.round.number, report))
    return "\n\n".join(parts) + "\n"


def _axis(number: int, report: AxisReport) -> Iterable[str]:
    yield f"### {report.axis}"
    yield f"{report.units:,} issues, {report.votes:,} votes, {len(report.annotators)} annotators."
    rows: list[Sequence[str]] = [("Coefficient", "Value", "95 % interval", "Issues", "Votes", "Empty cells")]
    for each in report.coefficients:
        rows.append((each.name, *_value(each), f"{each.units:,}", f"{each.votes:,}", f"{each.missing:,}"))
    yield _table(rows)
    if report.paradox:
        yield report.paradox
    yield f"![Coefficients]({_plot_name(number, report, 'coefficients')})"
    if report.nodes:
        yield f"![Categories]({_plot_name(number, report, 'categories')})"
    if report.weak:
        yield f"Weak categories (α below {TENTATIVE}):"
        yield "\n".join(f"- {weak.words}" for weak in report.weak)
    if report.pairs:
        rows = [("Pair", "Cohen's κ", "95 % interval", "Issues")]
        for pair in report.pairs:
            rows.append((f"{pair.first}, {pair.second}", *_value(pair.kappa), f"{pair.kappa.units:,}"))
        yield _table(rows)
    rows = [("Annotator", "Differs from most others", "Comparable votes")]
    for profile in report.dissent:
        rate = profile.reason if profile.rate is None else percent(profile.rate)
        rows.append((profile.annotator, rate, f"{profile.compared:,}"))
    yield _table(rows)


def _table(rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, with the first row as its head."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    lines.insert(1, "| " + " | ".join(["---"] * len(rows[0])) + " |")
    return "\n".join(lines)


def _value(coefficient: Coefficient) -> tuple[str, str]:
    """A coefficient's value and interval, or the reasons why they are missing."""
    value = coefficient.reason if coefficient.value is None else f"{coefficient.value:.3f}"
    low, high = _bounds(coefficient)
    if low is not None and high is not None:
        return value, f"{low:.3f} to {high:.3f}"
    return value, coefficient.interval.reason if coefficient.interval else ""


def _plots(state: RoundState, release: State) -> dict[str, str]:
    """File name in the folder -> plot."""
    number, plots = state.round.number, {}
    for report in state.reports:
        where = f"{release.project.name}, round {number}, {report.axis}"
        coefficients = [_bar(coefficient.name, coefficient) for coefficient in report.coefficients]
        nodes = [_bar(node.code, node.alpha) for node in report.nodes]
        plots[_plot_name(number, report, "coefficients")] = intervals(f"Agreement: {where}", coefficients)
        if not nodes:
            continue
        plots[_plot_name(number, report, "categories")] = intervals(
            f"Krippendorff's alpha by category: {where}", nodes, marks=[TENTATIVE]
        )
    return plots


def _plot_name(number: int, report: AxisReport, content: str) -> str:
    return f"plots/round-{number}-{report.axis}-{content}.svg"


def _bar(name: str, coefficient: Coefficient) -> Bar:
    return Bar(name, coefficient.value, *_bounds(coefficient), coefficient.reason)


def _html(state: State, text: str, plots: dict[str, str]) -> str:
    """The report as one page that needs no other file, with the plots inside."""
    body = str(MarkdownIt("commonmark", {"html": False}).enable("table").render(text))
    for name, plot in plots.items():
        for alt in ("Coefficients", "Categories"):
            body = body.replace(f'<img src="{name}" alt="{alt}" />', plot)
    project = state.project.name.replace("&", "&amp;").replace("<", "&lt;")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Agreement in {project}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
