"""Reads the ballot from the posted labeling form; `labeling.ballots` checks whether it is complete."""

from dataclasses import replace

from django.http import QueryDict

from labeling.ballots import AXIS, RULE, TEXT, Ballot, Choice, Passage
from labeling.web.forms import number_from

MOST_LISTED = 500


def ballot_in(data: QueryDict) -> Ballot:
    """The ballot as filled in; what cannot be read is left out."""
    choices: dict[str, Choice] = {}
    rule_reasons = {}
    for name in data:
        if name.startswith(AXIS):
            axis, values = name.removeprefix(AXIS), data.getlist(name)
            codes = tuple(code for code in values if code)
            choices[axis] = replace(choices.get(axis, Choice()), codes=codes, is_undecidable="" in values)
        elif name.startswith(TEXT):
            axis, text = name.removeprefix(TEXT), text_in(data, name).replace("\0", "").strip()
            if text:
                choices[axis] = replace(choices.get(axis, Choice()), text=text)
        elif name.startswith(RULE):
            reason = text_in(data, name).strip()
            if reason:
                rule_reasons[name.removeprefix(RULE)] = reason
    passages = [_passage(value) for value in data.getlist("evidence")[:MOST_LISTED]]
    return Ballot(
        choices=choices,
        confidence=number_from(data.get("confidence", ""), 0),
        note=text_in(data, "note"),
        evidence=[passage for passage in passages if passage],
        rule_reasons=rule_reasons,
    )


def text_in(data: QueryDict, name: str) -> str:
    """A text of the form, with line breaks as scripts send them."""
    return str(data.get(name, "")).replace("\r\n", "\n")


def _passage(value: str) -> Passage | None:
    part, start, end, axis = (*value.split(":"), "", "", "", "")[:4]
    if not (start.isdecimal() and end.isdecimal() and start.isascii() and end.isascii() and len(start + end) < 20):
        return None
    return Passage(part, int(start), int(end), axis)
