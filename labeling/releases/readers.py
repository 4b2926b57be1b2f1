"""Models in a release: their answers as a table, and METHOD.md's paragraph about them and the ballots they assisted."""

from collections.abc import Mapping

from labeling.agreement.influence import Difference
from labeling.models import Reader, ReaderAnswer
from labeling.releases.dictionary import ABOUT_READERS
from labeling.releases.state import State
from labeling.releases.tables import BETWEEN, csv_bytes
from labeling.selectors.axes import axis_names
from labeling.selectors.influence import DECISION, Influence, Report, whole_report


def files(state: State) -> dict[str, bytes]:
    """File name -> content; nothing where no model was read."""
    rounds = {each.round.pk: each for each in state.rounds}
    answers = ReaderAnswer.objects.filter(reader__round__in=rounds, item__dropped_at=None)
    rows = []
    for answer in answers.select_related("reader", "axis"):
        each, reader = rounds[answer.reader.round_id], answer.reader
        rows.append(
            (
                each.round.number, reader.called, reader.assist_percent is not None, each.items[answer.item_id].url,
                answer.axis.code, BETWEEN.join(sorted(answer.codes)), answer.text, answer.is_undecidable,
            )
        )  # fmt: skip
    return {"data/readers.csv": csv_bytes(tuple(ABOUT_READERS), sorted(rows))} if rows else {}


def paragraph(state: State) -> str:
    """Which models were read, beside the decisions, and what suggestions did; empty where no model was read."""
    names = axis_names(project_id=state.project.pk)
    sentences = []
    for each in state.rounds:
        readers = Reader.objects.filter(round=each.round, taken_at__isnull=False).defer("content")
        if readers:
            report = whole_report(round_=each.round)
            sentences += [_reader(reader) for reader in readers]
            sentences += [*_beside(report, names), *_assisted(report.influence, names)]
    if not sentences:
        return ""
    return " ".join(
        ("**Models.** Models are readers, not people: their answers are in `data/readers.csv`.", *sentences)
    )


def _reader(reader: Reader) -> str:
    details = [f"answered on {reader.answered_on}" if reader.answered_on else "", reader.note]
    if reader.cost:
        details.append(f"cost {reader.cost}")
    about = "; ".join(filter(None, details))
    return f"Round {reader.round.number}: {reader.called}{f' ({about})' if about else ''}."


def _beside(report: Report, names: Mapping[str, str]) -> list[str]:
    sentences = []
    for reader in report.readers:
        for row in reader.rows:
            percent, alpha = row.agreed.percent.value, row.agreed.alpha.value
            if row.other == DECISION and percent is not None:
                beyond = f", alpha {alpha:.3f}" if alpha is not None else ""
                sentences.append(
                    f"{reader.reader} equals {percent:.1%} of the decisions on {names[row.axis]} (n = "
                    f"{row.agreed.units:,}{beyond})."
                )
    return sentences


def _assisted(influence: Influence | None, names: Mapping[str, str]) -> list[str]:
    if influence is None:
        return []
    reader = influence.reader
    sentences = [
        f"Of its ballots, {reader.assist_percent} % were to show what {reader.called} answers, on every issue as near "
        f"to that share as could be, drawn by the seed `{reader.assist_seed}`; {influence.assisted_votes:,} of "
        f"{influence.votes:,} votes were cast on such ballots. They count for decisions; agreement is that of the "
        "others."
    ]
    for axis in influence.axes:
        sentences += _followed(axis.followed, f"the suggestion on {names[axis.axis]}")
    return sentences


def _followed(difference: Difference, what: str) -> list[str]:
    if difference.assisted is None or difference.blind is None or difference.by_issue is None:
        return []
    return [
        f"{difference.assisted:.1%} of {difference.assisted_votes:,} assisted and {difference.blind:.1%} of "
        f"{difference.blind_votes:,} blind votes equal {what} (95 % interval of the difference, issues resampled: "
        f"{difference.by_issue.low:+.1%} to {difference.by_issue.high:+.1%})."
    ]
