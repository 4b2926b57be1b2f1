"""Rounds in words: what each setting means, and how a sample was drawn, so that anybody can draw it again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from kb.charts.figures import percent, percent_range
from labeling.models import Member, Reader, Round
from labeling.samples import limits
from labeling.selectors.screening import Screened

KINDS = {
    Round.Kind.SCREENING: "Filters out unrelated issues, by the answers that exclude.",
    Round.Kind.PILOT: "A small sample to test guidelines and codebook until agreement is good enough.",
    Round.Kind.MAIN: "The sample that the results come from.",
    Round.Kind.RECHECK: "Issues that a change of the codebook touches, labelled again by the same people.",
}
RULES = {
    Round.Rule.MAJORITY: "Answers with more than half of the votes stand; the rest is settled.",
    Round.Rule.UNANIMOUS: "Only unanimous answers stand; everything else is settled.",
    Round.Rule.THIRD_EXPERT: "Unanimous answers stand; where votes differ, an adjudicator who did not vote decides.",
    Round.Rule.DISCUSSION: "Annotators discuss what they disagree on; then the majority of the newest answers stands.",
}
# What the rules mean for a screening.
EXCLUDES = {
    Round.Rule.MAJORITY: "An issue is excluded by more than half of its votes.",
    Round.Rule.UNANIMOUS: "An issue is excluded only if every vote on it excludes it.",
    Round.Rule.THIRD_EXPERT: "An issue is excluded only if every vote on it excludes it.",
    Round.Rule.DISCUSSION: "After a discussion, an issue is excluded by more than half of its newest answers.",
}
RELEASES = {
    Round.Release.ROUND: "Annotators see one another's votes when the round closes.",
    Round.Release.ISSUE: "Annotators see one another's votes on an issue as soon as it has all of them.",
}
TEXT_ONLY = "An issue's title and text."
TEXT_AND_COMMENTS = "An issue's title, text and comments."


@dataclass(frozen=True)
class Fact:
    """A setting and what it is."""

    name: str
    text: str


@dataclass(frozen=True)
class ShareRow:
    """What a screening excluded of a framework's issues; `share` with its interval."""

    name: str
    excluded: int
    of: int
    share: str


class Sample(TypedDict, total=False):
    """How a round's issues were drawn, from its `sample`; `strata`: framework -> how many of how many were drawn."""

    kind: str
    drawn: int
    population: int
    strata: dict[str, tuple[int, int]]
    fresh: bool
    round: int
    kept: int
    excluded: int


def settings(
    round_: Round, annotators: Sequence[Member], excluding: Sequence[str], assisting: Reader | None = None
) -> list[Fact]:
    """A round's settings, each in a sentence."""
    names = ", ".join(member.called for member in annotators)
    seniors = f" {round_.seniors_wanted} of them from seniors." if round_.seniors_wanted else ""
    rules = EXCLUDES if round_.kind == Round.Kind.SCREENING else RULES
    shown = TEXT_AND_COMMENTS if round_.shows_comments else TEXT_ONLY
    facts = [Fact("Purpose", KINDS[Round.Kind(round_.kind)])]
    if excluding:
        facts.append(Fact("Excludes", f"A vote excludes an issue by one of: {'; '.join(excluding)}."))
    facts += [
        Fact("Votes", f"{round_.votes_wanted} by different people on every issue.{seniors}"),
        Fact("Who labels", names or "All annotators of the project."),
        Fact("Rule", rules[Round.Rule(round_.rule)]),
        *_discussion(round_),
        Fact("Blindness", RELEASES[Round.Release(round_.release)]),
        Fact("Shown", shown),
        *_suggestions(assisting),
        Fact("Order", _order(round_)),
        *_repeats(round_),
        Fact(
            "Reservations",
            f"An issue stays reserved for {_duration(round_.hold_minutes)}. One person holds up to "
            f"{round_.places_held} at the same time.",
        ),
    ]
    if round_.gate_round and round_.gate_at_least is not None:
        measure = Round.Measure(round_.gate_measure).label
        bar = f"Opens when “{round_.gate_round.called}” reaches at least {round_.gate_at_least:g} on every axis"
        facts.append(Fact("Gate", f"{bar}. Measure: {measure}."))
    return facts


def _suggestions(reader: Reader | None) -> list[Fact]:
    if reader is None:
        return []
    text = f"{reader.assist_percent} % of the ballots, drawn by the seed {reader.assist_seed}, show what "
    return [Fact("Suggestions", f"{text}{reader.called} answers. Only the others count for agreement.")]


def _order(round_: Round) -> str:
    if not round_.order_seed:
        return "Everybody gets the issues in the order of the sample."
    return f"Everybody gets the issues in an order of their own, shuffled by the seed {round_.order_seed}."


def _repeats(round_: Round) -> list[Fact]:
    if not round_.repeats:
        return []
    others = "1 other vote" if round_.repeats_after == 1 else f"{round_.repeats_after:,} other votes"
    return [
        Fact("Repeats", f"Everybody meets {_issues(round_.repeats)} of their own again, each after {others} at least.")
    ]


def _discussion(round_: Round) -> list[Fact]:
    if round_.rule != Round.Rule.DISCUSSION:
        return []
    text = "It counts as held once every voter has written a post of substance, or chosen to stay or change."
    days = round_.discussion_days
    if days:
        text += f" It is due {days} day{'' if days == 1 else 's'} after an issue's release; then the rule applies."
    return [Fact("Discussion", text)]


def share_rows(result: Screened | None) -> list[ShareRow]:
    """The result of a screening by framework; empty before there is one."""
    rows = []
    for each in result.by_framework if result else ():
        share = f"{percent(each.excluded / each.of)} ({percent_range(each.interval)})"
        rows.append(ShareRow(each.name, each.excluded, each.of, share))
    return rows


def afterwards(round_: Round) -> list[str]:
    """What follows once everything is labelled, in sentences."""
    return [RELEASES[Round.Release(round_.release)], RULES[Round.Rule(round_.rule)]]


def sample(round_: Round, *, is_told: bool = True) -> list[str]:
    """How the round's issues were chosen, in sentences; empty while it has none. `is_told`: may the reader know it?"""
    if not is_told:
        return ["How they were drawn is told once the round is closed."]
    texts = _drawn(round_)
    if number := round_.sample.get("gold", 0):
        texts.append(f"With known answers, mixed in: {_issues(number)}. The order of all of them was shuffled then.")
    return texts


def _drawn(round_: Round) -> list[str]:
    how: Sample = round_.sample
    match how.get("kind"):
        case "screened":
            return [
                f"What the screening round {how['round']} kept: {_issues(how['kept'])}. "
                f"It excluded {_issues(how['excluded'])}.",
                *limits(round_.sample),
            ]
        case "urls":
            return ["A list of addresses or ids, in the order given."]
        case "recheck":
            return ["The issues that a change of the codebook touches.", *limits(round_.sample)]
        case "best":
            texts = [f"The first {how['drawn']:,} results of a search, in the search's order."]
        case "random" | "own":
            texts = [_at_random(round_.sample)]
        case "stratified":
            strata = how.get("strata", {})
            shares = "; ".join(f"{name} {drawn:,} of {size:,}" for name, (drawn, size) in strata.items())
            total = f"{how['drawn']:,} of {_issues(how['population'])}"
            texts = [f"{total}, at random with each framework's share: {shares}."]
        case _:
            return []
    if how.get("fresh"):
        texts.append("Issues of the project's other rounds were excluded.")
    texts += limits(round_.sample)
    if how["kind"] != "best" and round_.sample.get("seed"):
        first = "the first ones of each framework" if how["kind"] == "stratified" else "the first ones"
        texts.append(
            "To draw it again: take the addresses of all these issues, and sort them by the SHA-256 of the seed, a "
            f"line break, and the address; {first} are the sample."
        )
    return texts


def _at_random(how: Mapping[str, Any]) -> str:
    """How many of how many were drawn at random; own items without a seed are all of them."""
    if how["kind"] == "random":
        return f"{how['drawn']:,} of {_issues(how['population'])}, drawn at random without replacement."
    if not how.get("seed"):
        return f"All {how['drawn']:,} of the project's own items that could be taken."
    return f"{how['drawn']:,} of {how['population']:,} own items, drawn at random without replacement."


def _issues(number: int) -> str:
    return f"{number:,} issue{'' if number == 1 else 's'}"


def _duration(minutes: int) -> str:
    """In the largest unit that gives a whole number."""
    number, unit = minutes, "minute"
    if minutes % (24 * 60) == 0:
        number, unit = minutes // (24 * 60), "day"
    elif minutes % 60 == 0:
        number, unit = minutes // 60, "hour"
    return f"{number} {unit}{'s' if number != 1 else ''}"
