"""Reads the labeling form: what was posted, as a ballot. Whether it is whole is for `labeling.ballots` to say."""

from django.http import QueryDict

from labeling.ballots import AXIS, RULE, Ballot, Choice, Passage

MOST_LISTED = 500


def ballot_in(data: QueryDict) -> Ballot:
    """What is filled in; what cannot be read is left out."""
    reasons = {key.removeprefix(RULE): text_in(data, key).strip() for key in data if key.startswith(RULE)}
    return Ballot(
        choices={key.removeprefix(AXIS): _choice(data.getlist(key)) for key in data if key.startswith(AXIS)},
        confidence=number_in(data, "confidence"),
        note=text_in(data, "note"),
        evidence=[one for value in data.getlist("evidence")[:MOST_LISTED] if (one := _passage(value))],
        rule_reasons={key: reason for key, reason in reasons.items() if reason},
    )


def text_in(data: QueryDict, name: str) -> str:
    """A text of the form, with the line breaks that scripts send too."""
    return str(data.get(name, "")).replace("\r\n", "\n")


def number_in(data: QueryDict, name: str) -> int:
    """A whole number of the form, 0 where there is none."""
    value = data.get(name, "")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0


def _choice(values: list[str]) -> Choice:
    return Choice(tuple(value for value in values if value), is_undecidable="" in values)


def _passage(value: str) -> Passage | None:
    part, start, end, axis = (*value.split(":"), "", "", "", "")[:4]
    if not (start.isdecimal() and end.isdecimal() and start.isascii() and end.isascii() and len(start + end) < 20):
        return None
    return Passage(part, int(start), int(end), axis)
