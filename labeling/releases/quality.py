"""A release's gold answers, repeats and what they show: tables under `quality/`, and a paragraph of `METHOD.md`.

A release without either has none of these files.
"""

from collections.abc import Iterable, Mapping, Sequence

from kb.core.intervals import bounds
from labeling.agreement import Coefficient
from labeling.ballots import Choice, number_in
from labeling.models import GoldAnswer
from labeling.releases.state import RoundState, State
from labeling.releases.tables import BETWEEN, csv_bytes
from labeling.selectors.quality import AxisCheck, Checks, PersonCheck, repeat_choices
from labeling.selectors.votes import choice_of

ANSWER = ("nodes", "number", "report_does_not_tell")
GOLD_COLUMNS = ("round", "issue", "axis", *ANSWER, "reason", "given_by", "before_opening")
REPEAT_COLUMNS = ("round", "issue", "annotator", "axis", *ANSWER, "text", "due_after", "seconds")
RESULT_COLUMNS = (
    "round", "annotator", "check", "axis", "compared", "same", "share", "share_low", "share_high", "distance", "alpha",
    "alpha_low", "alpha_high", "kappa", "kappa_low", "kappa_high", "seconds_first", "seconds_again", "skipped",
)  # fmt: skip
EVERYBODY = "all"
Row = tuple[object, ...]


def files(state: State) -> dict[str, bytes]:
    """File name -> content; nothing where no closed round has gold answers or repeats."""
    gold: list[Row] = []
    repeats: list[Row] = []
    results: list[Row] = []
    for each in state.rounds:
        gold += _gold_rows(each, state.people)
        repeats += _repeat_rows(each, state.people)
        results += result_rows(each.round.number, each.checks, state.people)
    contents = {}
    if gold:
        contents["quality/gold.csv"] = csv_bytes(GOLD_COLUMNS, gold)
    if repeats:
        contents["quality/repeats.csv"] = csv_bytes(REPEAT_COLUMNS, repeats)
    if results:
        contents["quality/results.csv"] = csv_bytes(RESULT_COLUMNS, results)
    return contents


def paragraph(state: State) -> str:
    """The paragraph; empty where there are neither gold answers nor repeats."""
    sentences = []
    for each in state.rounds:
        found = each.checks.everybody
        number = len({answer.item_id for answer in each.gold})
        if number:
            early = len({answer.item_id for answer in each.gold if _is_early(each, answer)})
            mixed = each.round.sample.get("gold", 0)
            added = f" {mixed:,} of them were added to the sample for that." if mixed else ""
            sentences.append(
                f"Round {each.round.number}: the right answers to {number:,} issues were given by people who did not "
                f"label it, {early:,} of them before it opened.{added}{_shares(found.gold if found else ())}"
            )
        if each.round.repeats:
            repeated, skipped = (found.repeated, len(found.skipped)) if found else (0, 0)
            sentences.append(
                f"Round {each.round.number}: each annotator was to meet {each.round.repeats:,} of their own issues "
                f"again, each after at least {each.round.repeats_after:,} other votes, drawn by the round's seed; "
                f"of these, {repeated:,} answered and {skipped:,} skipped.{_shares(found.repeats if found else ())}"
            )
    if not sentences:
        return ""
    text = (
        "**Gold answers and repeats.** To annotators these issues looked like any other. Votes on issues with gold "
        "answers count like all votes; repeats are no votes and are in no other number. `quality/` has both, and each "
        "annotator's results with Wilson's intervals."
    )
    return " ".join([text, *sentences])


def result_rows(number: int, found: Checks, names: Mapping[int, str]) -> list[Row]:
    """A row for each annotator, check and axis, and for all together; `names` by member id."""
    if found.everybody is None:
        return []
    rows: list[Row] = []
    for person in sorted(found.people, key=lambda each: names[each.member]):
        rows += _person_rows(number, names[person.member], person)
    return rows + _person_rows(number, EVERYBODY, found.everybody)


def _person_rows(number: int, name: str, person: PersonCheck) -> list[Row]:
    rows = [(number, name, "gold", *_values(check), None, None, None) for check in person.gold]
    after = (_rounded(person.first_seconds), _rounded(person.second_seconds), len(person.skipped))
    if not person.repeats and person.skipped:
        rows.append((number, name, "repeat", "", 0, 0, *[None] * 10, *after))
    return [*rows, *((number, name, "repeat", *_values(check), *after) for check in person.repeats)]


def _values(check: AxisCheck) -> Row:
    share = check.same / check.number if check.interval else None
    low, high = bounds(check.interval)
    return (
        check.axis, check.number, check.same, _rounded(share), _rounded(low), _rounded(high),
        _rounded(check.distance), *_coefficient(check.alpha), *_coefficient(check.kappa),
    )  # fmt: skip


def _coefficient(coefficient: Coefficient | None) -> tuple[float | None, float | None, float | None]:
    if coefficient is None or coefficient.value is None:
        return None, None, None
    interval = coefficient.interval
    low, high = (interval.low, interval.high) if interval else (None, None)
    return _rounded(coefficient.value), _rounded(low), _rounded(high)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _shares(found: Sequence[AxisCheck]) -> str:
    shares = [f"{check.axis} {check.same:,} of {check.number:,}" for check in found]
    return f" Equal answers: {'; '.join(shares)}." if shares else ""


def _gold_rows(state: RoundState, people: Mapping[int, str]) -> Iterable[Row]:
    rows = []
    for answer in state.gold:
        url, axis = state.items[answer.item_id].url, answer.axis.code
        choice = _answer(choice_of(answer))
        rows.append(
            (
                state.round.number,
                url,
                axis,
                *choice,
                answer.reason,
                people[answer.given_by_id],
                _is_early(state, answer),
            )
        )
    return sorted(rows, key=lambda row: (str(row[1]), str(row[2])))


def _repeat_rows(state: RoundState, people: Mapping[int, str]) -> Iterable[Row]:
    rows = []
    for repeat in state.repeats:
        if repeat.submitted_at is None:
            continue
        url, name = state.items[repeat.vote.item_id].url, people[repeat.vote.member_id]
        for axis, choice in repeat_choices(repeat).items():
            words = "" if choice.text and _answer(choice)[1] is not None else choice.text
            row = (state.round.number, url, name, axis, *_answer(choice), words, repeat.due_after)
            rows.append((*row, repeat.active_seconds))
    return sorted(rows, key=lambda row: (str(row[1]), str(row[3]), str(row[2])))


def _answer(choice: Choice) -> tuple[str, float | None, bool]:
    number = number_in(choice.text)
    return BETWEEN.join(sorted(choice.codes)), None if number is None else float(number), choice.is_undecidable


def _is_early(state: RoundState, answer: GoldAnswer) -> bool:
    """Whether the answer was given before anybody could vote."""
    return state.round.opened_at is not None and answer.created_at < state.round.opened_at
