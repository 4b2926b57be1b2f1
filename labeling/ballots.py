"""Ballots: their content in drafts and forms, and their faults by the codebook and its cross rules. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Literal, NotRequired, TypedDict
from urllib.parse import quote

from labeling import codes as open_codes

MOST_NOTE = 10_000
MOST_EVIDENCE = 50
MOST_TEXT = 10_000
# As many digits as the database keeps of a number.
NUMBER = re.compile(r"[+-]?\d{1,9}(\.\d{1,6})?", re.ASCII)
# What stands for "the report does not say" in files, and so is no text.
NOT_TOLD = "?"
# How a form names its fields. `static/js/work-copies.js` knows them, too, and what of a field counts.
AXIS, RULE, TEXT = "axis-", "rule-", "text-"
BLANK = " \t\n\r\f\v"
KEPT_BY_BROWSERS = "!*'()"


@dataclass(frozen=True)
class BallotAxis:
    """An axis with the codes that may be chosen, or what else its answers are."""

    code: str
    name: str
    several: bool
    codes: frozenset[str]
    answers: Literal["nodes", "number", "text", "codes"] = "nodes"


@dataclass(frozen=True)
class BallotRule:
    """If `when` is chosen on its axis, `others` on theirs is needed, or excluded. Nodes are pairs (axis, code)."""

    id: str
    when: tuple[str, str]
    kind: Literal["requires", "excludes"]
    others: frozenset[tuple[str, str]]
    reason: str


@dataclass(frozen=True)
class Choice:
    """The answer on one axis: codes, a text (which may be a number), or that the report does not say."""

    codes: tuple[str, ...] = ()
    is_undecidable: bool = False
    text: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """What the answer names: codes, or a text by itself; empty where the report does not say."""
        return (self.text,) if self.text else self.codes


@dataclass(frozen=True)
class Passage:
    """A passage that an answer rests on: places in the title or the body of the frozen text."""

    part: str
    start: int
    end: int
    axis: str = ""


class ChoiceContent(TypedDict):
    """A `Choice` as a draft holds it."""

    codes: list[str]
    is_undecidable: bool
    text: NotRequired[str]


class PassageContent(TypedDict):
    """A `Passage` as JSON."""

    part: str
    start: int
    end: int
    axis: str


class DraftContent(TypedDict):
    """A `Ballot` as a draft holds it, by axis code and by the id of a cross rule."""

    choices: dict[str, ChoiceContent]
    confidence: int
    note: str
    evidence: list[PassageContent]
    rule_reasons: dict[str, str]


@dataclass(frozen=True)
class Ballot:
    """A ballot as filled in: choices by axis code, reasons by the id of the cross rule that they go against."""

    choices: Mapping[str, Choice]
    confidence: int
    note: str = ""
    evidence: Sequence[Passage] = ()
    rule_reasons: Mapping[str, str] = field(default_factory=dict)


def ballot_of(content: Mapping[str, Any]) -> Ballot:
    """The ballot in a draft's content, which a browser sent; what is malformed counts as not filled in."""
    choices = {}
    for axis, value in _mapping(content.get("choices")).items():
        fields = _mapping(value)
        codes = tuple(code for code in _list(fields.get("codes")) if isinstance(code, str))
        choice = Choice(codes, fields.get("is_undecidable") is True, _text(fields.get("text")))
        if choice != Choice():
            choices[axis] = choice
    evidence = []
    for value in _list(content.get("evidence")):
        fields = _mapping(value)
        start, end = fields.get("start"), fields.get("end")
        if isinstance(start, int) and isinstance(end, int):
            evidence.append(Passage(_text(fields.get("part")), start, end, _text(fields.get("axis"))))
    confidence = content.get("confidence")
    return Ballot(
        choices=choices,
        confidence=confidence if isinstance(confidence, int) else 0,
        note=_text(content.get("note")),
        evidence=evidence,
        rule_reasons={rule: _text(reason) for rule, reason in _mapping(content.get("rule_reasons")).items()},
    )


def content_of(ballot: Ballot) -> DraftContent:
    """What a draft holds of a ballot; `ballot_of` reads it back."""
    return DraftContent(
        choices={axis: choice_content(choice) for axis, choice in ballot.choices.items()},
        confidence=ballot.confidence,
        note=ballot.note,
        evidence=[PassageContent(part=e.part, start=e.start, end=e.end, axis=e.axis) for e in ballot.evidence],
        rule_reasons=dict(ballot.rule_reasons),
    )


def choice_content(choice: Choice) -> ChoiceContent:
    """A choice as JSON."""
    content = ChoiceContent(codes=list(choice.codes), is_undecidable=choice.is_undecidable)
    if choice.text:
        content["text"] = choice.text
    return content


def number_in(text: str) -> Decimal | None:
    """The number that a text is; None where it is none, or has more digits than are kept."""
    return Decimal(text.strip()) if NUMBER.fullmatch(text.strip()) else None


def number_text(number: Decimal) -> str:
    """A number in the one way that files and comparisons write it: `3.5`, never `3.50`."""
    # Adding zero takes the sign from a nothing.
    return f"{number.normalize() + 0:f}"


def pairs_of(ballot: Ballot) -> list[tuple[str, str]]:
    """The ballot as names and values of a form, without the fields that are not filled in."""
    pairs = []
    for axis, choice in ballot.choices.items():
        pairs += [(AXIS + axis, code) for code in choice.codes]
        if choice.is_undecidable:
            pairs.append((AXIS + axis, ""))
        if choice.text.strip(BLANK):
            pairs.append((TEXT + axis, choice.text))
    if ballot.confidence:
        pairs.append(("confidence", str(ballot.confidence)))
    pairs += [("evidence", as_value(passage)) for passage in ballot.evidence]
    if ballot.note.strip(BLANK):
        pairs.append(("note", ballot.note))
    pairs += [(RULE + rule, reason) for rule, reason in ballot.rule_reasons.items() if reason.strip(BLANK)]
    return pairs


def as_value(passage: Passage) -> str:
    """A passage as a form carries it."""
    return f"{passage.part}:{passage.start}:{passage.end}:{passage.axis}"


def hash_of(ballot: Ballot) -> str:
    """The fingerprint of what is filled in: FNV-1a of 64 bits over the sorted pairs of the form, as 16 hex digits.

    The labeling page computes it, too, in `static/js/work-copies.js`: browsers offer SHA-256 only asynchronously.
    """
    words = "&".join(sorted(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs_of(ballot)))
    fingerprint = 0xCBF29CE484222325
    for byte in words.encode():
        fingerprint = (fingerprint ^ byte) * 0x100000001B3 % 2**64
    return f"{fingerprint:016x}"


def _quoted(text: str) -> str:
    return quote(text.strip(BLANK), safe=KEPT_BY_BROWSERS)


def faults(ballot: Ballot, axes: Sequence[BallotAxis], rules: Sequence[BallotRule]) -> dict[str, str]:
    """The ballot's faults: place (`axis:CODE`, `rule:ID`, `confidence`, `note`, `evidence`) -> what to do about it."""
    codes = {axis.code for axis in axes}
    problems = {f"axis:{code}": "This project does not ask this." for code in ballot.choices if code not in codes}
    for axis in axes:
        if fault := _axis_fault(ballot.choices.get(axis.code, Choice()), axis):
            problems[f"axis:{axis.code}"] = fault
    for rule in broken(ballot, rules):
        if not ballot.rule_reasons.get(rule.id, "").strip():
            problems[f"rule:{rule.id}"] = f"{rule.reason} If your answer is right anyway, say why."
    if ballot.confidence not in (1, 2, 3):
        problems["confidence"] = "Say how sure you are."
    if len(ballot.note) > MOST_NOTE:
        problems["note"] = f"The note may have {MOST_NOTE:,} characters; this one has {len(ballot.note):,}."
    if len(ballot.evidence) > MOST_EVIDENCE:
        problems["evidence"] = f"At most {MOST_EVIDENCE} passages may be attached."
    return problems


def as_kept(ballot: Ballot) -> Ballot:
    """A complete ballot as its vote keeps it: evidence for an axis that is not asked becomes the whole vote's."""
    passages = []
    for passage in ballot.evidence:
        is_asked = passage.axis in ballot.choices
        passages.append(passage if is_asked else replace(passage, axis=""))
    return replace(ballot, evidence=tuple(passages))


def broken(ballot: Ballot, rules: Sequence[BallotRule]) -> list[BallotRule]:
    """The rules that the answers go against, whether or not a reason is given."""
    chosen: set[tuple[str, str]] = set()
    for axis, choice in ballot.choices.items():
        chosen |= {(axis, code) for code in choice.codes}
    broken_rules = []
    for rule in rules:
        has_others = bool(chosen & rule.others)
        is_wrong = has_others if rule.kind == "excludes" else not has_others
        if rule.when in chosen and is_wrong:
            broken_rules.append(rule)
    return broken_rules


def _axis_fault(choice: Choice, axis: BallotAxis) -> str:
    if axis.answers != "nodes":
        return _text_fault(choice, axis)
    if choice.text:
        return f"{axis.name}: choose from the answers; this is no question for words."
    if choice.is_undecidable and choice.codes:
        return f"{axis.name}: either choose, or say that the report does not say."
    if unknown := [code for code in choice.codes if code not in axis.codes]:
        return f"{axis.name}: “{unknown[0]}” is not in this round's codebook."
    if len(set(choice.codes)) != len(choice.codes):
        return f"{axis.name}: the same answer is there twice."
    if len(choice.codes) > 1 and not axis.several:
        return f"{axis.name}: only one answer is possible."
    if not choice.codes and not choice.is_undecidable:
        return f"{axis.name}: choose an answer, or say that the report does not say."
    return ""


def _text_fault(choice: Choice, axis: BallotAxis) -> str:
    text, is_number = choice.text.strip(), axis.answers == "number"
    if choice.codes:
        return f"{axis.name}: this question has no answers to choose from."
    if choice.is_undecidable and text:
        return f"{axis.name}: either answer, or say that the report does not say."
    if not choice.is_undecidable and not text:
        what = "enter a number" if is_number else "write an answer"
        return f"{axis.name}: {what}, or say that the report does not say."
    if text and is_number and number_in(text) is None:
        return f"{axis.name}: “{text[:40]}” is not a number such as 12 or -0.5, with at most 6 decimals."
    if len(text) > MOST_TEXT:
        return f"{axis.name}: an answer may have {MOST_TEXT:,} characters; this one has {len(text):,}."
    if text == NOT_TOLD:
        return f"{axis.name}: in words, please: a lone “?” means in files that the report does not say."
    if text and axis.answers == "codes" and (wrong := open_codes.fault(text)):
        return f"{axis.name}: {wrong}"
    return ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
