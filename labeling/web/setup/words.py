"""Rounds in words: what each setting means, and how a sample was drawn, so that anybody can draw it again."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from labeling.models import Member, Round

KINDS = {
    Round.Kind.SCREENING: "Sorts out what does not belong: an issue is excluded only if everybody excludes it.",
    Round.Kind.PILOT: "A small sample to try guidelines and codebook on, until agreement is good enough.",
    Round.Kind.MAIN: "The sample that the results come from.",
    Round.Kind.RECHECK: "Issues that a change of the codebook touches, labelled again by the same people.",
}
RULES = {
    Round.Rule.MAJORITY: "What more than half of the votes say stands; the rest is settled.",
    Round.Rule.UNANIMOUS: "Only what all votes say stands; everything else is settled.",
    Round.Rule.THIRD_EXPERT: "What all votes say stands; where they differ, an adjudicator who did not vote decides.",
    Round.Rule.DISCUSSION: "Annotators discuss what they disagree on; then the majority of revised votes stands.",
}
RELEASES = {
    Round.Release.ROUND: "Annotators see one another's votes when the round closes.",
    Round.Release.ISSUE: "Annotators see one another's votes on an issue as soon as it has all of them.",
}


@dataclass(frozen=True)
class Fact:
    """A setting and what it is."""

    name: str
    text: str


COMMENTS = "An issue's title and text, and what was said below it."


def settings(round_: Round, annotators: Sequence[Member], excluding: Sequence[str]) -> list[Fact]:
    """A round's settings, each in a sentence."""
    chosen = ", ".join(one.called for one in annotators) if annotators else "All annotators of the project."
    seniors = f" {round_.seniors_wanted} of them from seniors." if round_.seniors_wanted else ""
    facts = [
        Fact("What it is for", KINDS[Round.Kind(round_.kind)]),
        Fact("Votes", f"{round_.votes_wanted} by different people on every issue.{seniors}"),
        Fact("Who labels", chosen),
        Fact("Rule", RULES[Round.Rule(round_.rule)]),
        Fact("Blindness", RELEASES[Round.Release(round_.release)]),
        Fact("Shown", COMMENTS if round_.shows_comments else "An issue's title and text."),
        Fact("Reservations", f"An issue is kept for somebody for {_minutes(round_.hold_minutes)}."),
    ]
    if excluding:
        facts.insert(1, Fact("Excludes", f"A vote excludes an issue by one of: {'; '.join(excluding)}."))
    if round_.gate_round and round_.gate_at_least is not None:
        asked = f"{Round.Measure(round_.gate_measure).label} of “{round_.gate_round.called}”"
        facts.append(Fact("Gate", f"Opens when {asked} is at least {round_.gate_at_least:g} on every axis."))
    return facts


def afterwards(round_: Round) -> list[str]:
    """What comes once everything is labelled, in sentences."""
    return [RELEASES[Round.Release(round_.release)], RULES[Round.Rule(round_.rule)]]


def sample(round_: Round) -> list[str]:
    """How the round's issues were chosen, in sentences; nothing while it has none."""
    how = round_.sample
    kind = how.get("kind")
    if kind == "best":
        return [f"The first {how['drawn']:,} results of a search, in the search's order.", *_fresh(how)]
    if kind in ("random", "stratified"):
        return [*_drawn(how), *_fresh(how), _again(how)]
    if kind == "screened":
        return [
            f"What the screening round {how['round']} kept: {_issues(how['kept'])}. "
            f"It excluded {_issues(how['excluded'])}, each by everybody who voted on it."
        ]
    if kind == "urls":
        return ["A list of addresses, in its order."]
    return ["The issues that a change of the codebook touches."] if kind == "recheck" else []


def _drawn(how: dict[str, Any]) -> list[str]:
    if how["kind"] == "random":
        return [f"{how['drawn']:,} of {_issues(how['population'])}, drawn at random without replacement."]
    shares = "; ".join(f"{name} {share:,} of {size:,}" for name, (share, size) in how.get("strata", {}).items())
    return [f"{how['drawn']:,} of {_issues(how['population'])}, at random with each framework's share: {shares}."]


def _fresh(how: dict[str, Any]) -> list[str]:
    return ["Issues of the project's other rounds were left out."] if how.get("fresh") else []


def _again(how: dict[str, Any]) -> str:
    each = "the first ones of each framework" if how["kind"] == "stratified" else "the first ones"
    return (
        "To draw it again: take the addresses of all these issues, and sort them by the SHA-256 of the seed, a line "
        f"break, and the address; {each} are the sample."
    )


def _issues(number: int) -> str:
    return f"{number:,} issue{'' if number == 1 else 's'}"


def _minutes(minutes: int) -> str:
    sizes = ((24 * 60, "day"), (60, "hour"), (1, "minute"))
    size, name = next(pair for pair in sizes if minutes % pair[0] == 0)
    number = minutes // size
    return f"{number} {name}{'s' if number != 1 else ''}"
