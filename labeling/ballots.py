"""What a filled-in ballot says, and whether it is whole: every axis answered from the codebook, by the rules. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal
from urllib.parse import quote

MOST_NOTE = 10_000
MOST_EVIDENCE = 50
# How a form names its fields. `static/js/work-copies.js` knows them, too, and what of a field counts.
AXIS, RULE = "axis-", "rule-"
BLANK = " \t\n\r\f\v"
KEPT_BY_BROWSERS = "!*'()"


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


def pairs_of(ballot: Ballot) -> list[tuple[str, str]]:
    """The ballot as names and values of a form; what is not filled in has none."""
    pairs = [(AXIS + axis, code) for axis, choice in ballot.choices.items() for code in choice.codes]
    pairs += [(AXIS + axis, "") for axis, choice in ballot.choices.items() if choice.is_undecidable]
    if ballot.confidence:
        pairs.append(("confidence", str(ballot.confidence)))
    pairs += [("evidence", as_value(one)) for one in ballot.evidence]
    texts = [("note", ballot.note), *((RULE + rule, reason) for rule, reason in ballot.rule_reasons.items())]
    return pairs + [(name, text) for name, text in texts if text.strip(BLANK)]


def as_value(passage: Passage) -> str:
    """A passage as a form carries it."""
    return f"{passage.part}:{passage.start}:{passage.end}:{passage.axis}"


def hash_of(ballot: Ballot) -> str:
    """What two ballots have in common exactly if the same is filled in: FNV-1a of 64 bits, over sorted pairs.

    The labeling page works it out, too, and without waiting: browsers offer SHA-256 only to code that can wait.
    """
    words = "&".join(sorted(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs_of(ballot)))
    found = 0xCBF29CE484222325
    for byte in words.encode():
        found = (found ^ byte) * 0x100000001B3 % 2**64
    return f"{found:016x}"


def _quoted(text: str) -> str:
    return quote(text.strip(BLANK), safe=KEPT_BY_BROWSERS)


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


def as_kept(ballot: Ballot) -> Ballot:
    """A whole ballot as its vote keeps it: a passage of an axis that is not asked is one of the whole vote."""
    passages = (replace(one, axis=one.axis if one.axis in ballot.choices else "") for one in ballot.evidence)
    return replace(ballot, evidence=tuple(passages))


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
