"""Which measured figures stand in which table, and what others published below ours."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kb.charts.figures import decimal, percent, percent_range
from kb.core.intervals import Interval
from kb.core.quality.figures import OF_LOGS, OURS, Figure, Subject, measured
from kb.core.quality.published import About, rows_about
from kb.core.quality.wording import MeasureWords, wording

LINES = ("hit_1", "hit_5", "f1", "f1_events", "precision", "recall")
NODES = ("node_top_1", "node_top_3", "node_top_5", "node_top_8")
CIRCUMSTANCES = ("verdict", "stage", "iteration", "symptom", "cause_top_1", "cause_top_3")
LEVELS = ("below_error_share", "level_error", "level_warning", "level_info", "level_debug", "level_none")
RANKING = ("ndcg_10", "mrr_10", "success_1")
CLOSENESS = ("nothing_close_right", "nothing_close_wrong", "called_close")
AXES = ("issue_type", "symptom", "root_cause", "fix_pattern", "stage", "component", "hardware", "theme")
LOGS = ("held_out", "open", "judged", "real", "synthetic")
ASKED = (
    "unseen", "unseen_known", "no_result_helps", "other_fields", "fitted_questions", "practitioners", "error_lines",
    "tracebacks", "words", "descriptions",
)  # fmt: skip
BASELINES = ("nvidia_rules", "first_error", "last_error", "rare_template", "new_template")


@dataclass(frozen=True)
class Layout:
    """A table: the figures of these measures, for each row's cases and method; the study's rows that follow ours."""

    of: Subject
    slug: str
    title: str
    measures: Sequence[str]
    rows: Sequence[tuple[str, str]]
    about: About | None = None
    note: str = ""


LAYOUTS = (
    Layout(
        "diagnosis", "lines", "Failure lines, on held-out logs", LINES,
        [("held_out", by) for by in (OURS, *BASELINES)], "lines",
        "A baseline that only ranks lines is taken by its first five. The study's rows are of its own data.",
    ),
    Layout(
        "diagnosis", "lines-by-logs", "The same by logs", LINES, [(among, OURS) for among in LOGS],
        note="What was tuned on shows between held-out logs and the others.",
    ),
    Layout(
        "diagnosis", "nodes", "The faulty node", NODES,
        [
            *((among, OURS) for among in ("held_out", "real", "several_nodes")),
            ("several_nodes", "nvidia_rules"), ("several_nodes", "isolation_forest"),
        ],
        "nodes",
        "Our logs name eight nodes at most, and many name only one, where nothing can go wrong; the study's jobs had "
        "hundreds of accelerators. The rows of logs that name several nodes hold made-up logs and ones that were tuned "
        "on.",
    ),
    Layout(
        "diagnosis", "ranks", "The faulty rank", ("rank_top_1", "rank_top_3"),
        [
            *((among, OURS) for among in LOGS), ("held_out", "nvidia_rules"), ("real", "nvidia_rules"),
            ("dumps", OURS), ("dumps", "pytorch_analyser"),
        ],
    ),
    Layout("diagnosis", "circumstances", "What else is told", CIRCUMSTANCES, [(among, OURS) for among in LOGS]),
    Layout(
        "diagnosis", "alarms", "False alarms", ("false_alarm", "cancelled_alarm"), [(among, OURS) for among in LOGS],
    ),
    Layout(
        "diagnosis", "levels", "At which level failures are logged", (*LEVELS, "job_without_error"),
        [(among, OF_LOGS) for among in ("real", "held_out", "open", "judged")], "levels",
        "Distinct lines. A traceback's lines have no level, which the study's table does not know.",
    ),
    Layout(
        "known_issues", "known-issues", "Known issues",
        ("own_line_first_three", "without_line_first_three", "same_error_as_another", "offered_for_nothing"),
        [("records", OURS), ("unrelated", OURS)],
    ),
    Layout(
        "search", "ranking", "Order of results", RANKING,
        [(among, by) for among in ("held_out", "tuning", "all") for by in (OURS, "tantivy", "fts5")],
    ),
    Layout(
        "search", "closeness", "What is called close", CLOSENESS,
        [(among, OURS) for among in ("held_out", "tuning", "this_field", "other_fields")],
    ),
    Layout(
        "questions", "questions", "What becomes of them",
        ("answered", "answered_or_helped", "misled", "nothing_close_right", "called_close"),
        [(among, OURS) for among in ASKED],
    ),
    Layout(
        "labels", "labels", "Agreement of two readers", ("same_answer", "alpha", "alpha_masi", "alpha_top"),
        [(axis, OURS) for axis in AXES],
    ),
    Layout(
        "suggestions", "suggestions", "Suggestions", ("right", "suggested"),
        [(axis, OURS) for axis in ("issue_type", "symptom", "stage", "component")],
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """A figure as it is written; all empty where it was not measured."""

    column: str
    value: str = ""
    interval: str = ""
    n: int | None = None


@dataclass(frozen=True)
class Row:
    """A method on some cases; `study`: who published it."""

    method: str
    among: str
    cells: tuple[Cell, ...]
    study: str = ""


@dataclass(frozen=True)
class Table:
    """A table of figures."""

    slug: str
    title: str
    note: str
    columns: tuple[MeasureWords, ...]
    rows: tuple[Row, ...]


def tables(of: Subject) -> tuple[Table, ...]:
    """The tables of one subject."""
    return tuple(_table(layout) for layout in LAYOUTS if layout.of == of)


def _table(layout: Layout) -> Table:
    columns = tuple(wording().measures[name] for name in layout.measures)
    rows = (*_ours(layout), *(_others(layout, layout.about) if layout.about else ()))
    return Table(layout.slug, layout.title, layout.note, columns, rows)


def _ours(layout: Layout) -> Iterator[Row]:
    words, found = wording(), measured(layout.of)
    for among, by in layout.rows:
        figures = [found.find(name, among=among, by=by) for name in layout.measures]
        if any(figures):
            cells = (_cell(name, figure) for name, figure in zip(layout.measures, figures, strict=True))
            yield Row(words.methods[by], words.sets[among], tuple(cells))


def _others(layout: Layout, about: About) -> Iterator[Row]:
    for published, row in rows_about(about):
        cells = (_published(name, row.figures.get(name)) for name in layout.measures)
        yield Row(row.by, f"of the study’s {published.n[about]} jobs", tuple(cells), published.study)


def _cell(name: str, figure: Figure | None) -> Cell:
    column = wording().measures[name].title
    if figure is None:
        return Cell(column)
    return Cell(column, as_written(figure), interval_of(figure), figure.n)


def _published(name: str, value: float | None) -> Cell:
    words = wording().measures[name]
    if value is None:
        return Cell(words.title)
    return Cell(words.title, f"{100 * value:.1f} %" if words.written_as == "share" else f"{value:.3f}")


def as_written(figure: Figure) -> str:
    """Its value, as a percentage or a number."""
    is_share = wording().measures[figure.name].written_as == "share"
    return percent(figure.value) if is_share else decimal(figure.value)


def interval_of(figure: Figure) -> str:
    """Its interval in the same form; empty where there is none."""
    if figure.low is None or figure.high is None:
        return ""
    if wording().measures[figure.name].written_as == "share":
        return percent_range(Interval(figure.low, figure.high))
    return f"{decimal(figure.low)}–{decimal(figure.high)}"
