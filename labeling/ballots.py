"""What a filled-in ballot says, and whether it is whole: every axis answered from the codebook, by the rules. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

MOST_NOTE = 10_000
MOST_EVIDENCE = 50


@dataclass(frozen=True)
class BallotAxis:
    """An axis with the codes that may be chosen."""

    code: str
    name: str
    several: bool
    codes: frozenset[str]


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
    """The answer on one axis: codes, or that the report does not tell."""

    codes: tuple[str, ...] = ()
    is_undecidable: bool = False


@dataclass(frozen=True)
class Passage:
    """A passage that an answer rests on: places in the title or the body of the frozen text."""

    part: str
    start: int
    end: int
    axis: str = ""


@dataclass(frozen=True)
class Ballot:
    """What somebody filled in."""

    choices: Mapping[str, Choice]
    confidence: int
    note: str = ""
    evidence: Sequence[Passage] = ()
    rule_reasons: Mapping[str, str] = field(default_factory=dict)


def ballot_of(content: Mapping[str, Any]) -> Ballot:
    """The ballot that a draft's content makes; what cannot be read is left out, as if it were not filled in."""
    choices = {code: _choice(one) for code, one in _mapping(content.get("choices")).items()}
    confidence = content.get("confidence")
    return Ballot(
        choices={code: choice for code, choice in choices.items() if choice != Choice()},
        confidence=confidence if isinstance(confidence, int) else 0,
        note=_text(content.get("note")),
        evidence=[one for one in map(_passage, _list(content.get("evidence"))) if one],
        rule_reasons={key: _text(one) for key, one in _mapping(content.get("rule_reasons")).items()},
    )


def content_of(ballot: Ballot) -> dict[str, Any]:
    """What a draft holds of a ballot; `ballot_of` reads it back."""
    return {
        "choices": {
            code: {"codes": list(choice.codes), "is_undecidable": choice.is_undecidable}
            for code, choice in ballot.choices.items()
        },
        "confidence": ballot.confidence,
        "note": ballot.note,
        "evidence": [asdict(one) for one in ballot.evidence],
        "rule_reasons": dict(ballot.rule_reasons),
    }


def faults(ballot: Ballot, axes: Sequence[BallotAxis], rules: Sequence[BallotRule]) -> dict[str, str]:
    """What is missing or wrong: place (`axis:CODE`, `rule:ID`, `confidence`, `note`, `evidence`) -> what to do."""
    known = {axis.code for axis in axes}
    found = {f"axis:{code}": "This project does not ask this." for code in ballot.choices if code not in known}
    for axis in axes:
        if fault := _axis_fault(ballot.choices.get(axis.code, Choice()), axis):
            found[f"axis:{axis.code}"] = fault
    for rule in broken(ballot, rules):
        if not ballot.rule_reasons.get(rule.id, "").strip():
            found[f"rule:{rule.id}"] = f"{rule.reason} If it is so all the same, say why."
    if ballot.confidence not in (1, 2, 3):
        found["confidence"] = "Say how sure you are."
    if len(ballot.note) > MOST_NOTE:
        found["note"] = f"The note may have {MOST_NOTE:,} characters; this one has {len(ballot.note):,}."
    if len(ballot.evidence) > MOST_EVIDENCE:
        found["evidence"] = f"At most {MOST_EVIDENCE} passages may be attached."
    return found


def say_the_same(one: Ballot, other: Ballot) -> bool:
    """Would both ballots, which are whole, be kept as the same vote?"""
    return _kept(one) == _kept(other)


def _kept(ballot: Ballot) -> tuple[Any, ...]:
    choices = {code: (frozenset(choice.codes), choice.is_undecidable) for code, choice in ballot.choices.items()}
    passages = (replace(one, axis=one.axis if one.axis in choices else "") for one in ballot.evidence)
    reasons = {rule: reason.strip() for rule, reason in ballot.rule_reasons.items() if reason.strip()}
    return choices, ballot.confidence, ballot.note.strip(), Counter(passages), reasons


def broken(ballot: Ballot, rules: Sequence[BallotRule]) -> list[BallotRule]:
    """The rules that the answers go against, whether or not a reason is given."""
    chosen = {(axis, code) for axis, choice in ballot.choices.items() for code in choice.codes}
    return [rule for rule in rules if rule.when in chosen and bool(chosen & rule.others) is (rule.kind == "excludes")]


def _axis_fault(choice: Choice, axis: BallotAxis) -> str:
    if choice.is_undecidable and choice.codes:
        return f"{axis.name}: either choose, or say that the report does not tell."
    if unknown := [code for code in choice.codes if code not in axis.codes]:
        return f"{axis.name}: “{unknown[0]}” is not in this round's codebook."
    if len(set(choice.codes)) != len(choice.codes):
        return f"{axis.name}: the same answer is there twice."
    if len(choice.codes) > 1 and not axis.several:
        return f"{axis.name}: only one answer is possible."
    if not choice.codes and not choice.is_undecidable:
        return f"{axis.name}: choose an answer, or say that the report does not tell."
    return ""


def _choice(value: Any) -> Choice:
    fields = _mapping(value)
    codes = tuple(code for code in _list(fields.get("codes")) if isinstance(code, str))
    return Choice(codes, fields.get("is_undecidable") is True)


def _passage(value: Any) -> Passage | None:
    fields = _mapping(value)
    start, end = fields.get("start"), fields.get("end")
    if not isinstance(start, int) or not isinstance(end, int):
        return None
    return Passage(_text(fields.get("part")), start, end, _text(fields.get("axis")))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
