"""Checks a file against the project: the votes that it would give, and the rejected lines, with the reason."""

import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from labeling.ballots import MOST_EVIDENCE, Ballot, Choice, Passage, faults
from labeling.exchange.parse import read
from labeling.exchange.rows import AnswerRow, Rejected
from labeling.exchange.texts import Text, fit_passage, texts_of
from labeling.exchange.values import Options, UnreadableError
from labeling.models import MOST_VOTES, Codebook, NodeVersion, Round
from labeling.passages import Marked
from labeling.selectors.codebooks import AxisNodes, axes_of, ballot_axes
from labeling.selectors.subjects import Subject, subject_of, subjects

AT_ONCE = 5_000
TEXTS_AT_ONCE = 500
STILL_COUNTS = "It is skipped; the answer counts."
LONGEST_NAME = 100


@dataclass(frozen=True)
class PlannedAnswer:
    """An answer: versions, a text (which may be a number), or neither where the report does not say."""

    versions: Sequence[NodeVersion] = ()
    text: str = ""


@dataclass(frozen=True)
class PlannedVote:
    """One person's vote on one issue: axis code -> the answer."""

    annotator: str
    answers: Mapping[str, PlannedAnswer]
    confidence: int | None
    evidence: Sequence[Passage] = ()


@dataclass(frozen=True)
class Plan:
    """What a file would give: issue id -> votes, in the file's order; annotator -> number of votes; rejected lines.

    `read`: the number of answers in the file. `texts`: issue id -> hash of the frozen text that its evidence is in.
    """

    votes: Mapping[Subject, Sequence[PlannedVote]]
    people: Mapping[str, int]
    rejected: Sequence[Rejected]
    read: int
    texts: Mapping[Subject, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The number of votes."""
        return sum(map(len, self.votes.values()))

    @property
    def most(self) -> int:
        """The highest number of votes on one issue."""
        return max(map(len, self.votes.values()), default=0)


@dataclass
class _Draft:
    """A vote while its lines are read; `passages` have their line and the hash of their text."""

    answers: dict[str, PlannedAnswer] = field(default_factory=dict)
    confidence: int | None = None
    passages: list[tuple[int, str, Marked]] = field(default_factory=list)
    evidence: list[Passage] = field(default_factory=list)


def check(*, content: bytes, format_: str, options: Options, codebook: Codebook, within: Round | None = None) -> Plan:
    """The plan of a file, `within` a round: on its issues. Raises UnreadableError where it is of another format."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("The file is not UTF-8. Save it as UTF-8 and try again.") from error
    rows = list(read(io.StringIO(text, newline=""), format_, options))
    answers = [row for row in rows if isinstance(row, AnswerRow)]
    addresses = {_address(answer.issue) for answer in answers if answer.issue}
    issues = subjects(project_id=codebook.project_id, names=sorted(addresses))
    inside = set(map(subject_of, within.items.only("issue", "own"))) if within else set(issues.values())
    words = _Words(axes_of(codebook=codebook))
    drafts: dict[Subject, dict[str, _Draft]] = {}
    rejected: list[Rejected] = []
    for row in rows:
        if isinstance(row, Rejected):
            reason = row.reason
        elif _address(row.issue) in issues and issues[_address(row.issue)] not in inside:
            reason = "This issue is not in the round."
        else:
            reason = _add_answer(row, issues, words, drafts)
        if reason:
            rejected.append(Rejected(row.line, reason))
    # The file's first line about an issue names its text.
    named: dict[Subject, str] = {}
    for answer in answers:
        issue = issues.get(_address(answer.issue))
        if issue is not None and answer.text_hash:
            named.setdefault(issue, answer.text_hash)
    texts, faults = _add_evidence(drafts, named)
    votes: dict[Subject, list[PlannedVote]] = {}
    people: Counter[str] = Counter()
    for pk, by_annotator in drafts.items():
        people.update(by_annotator.keys())
        votes[pk] = [
            PlannedVote(name, draft.answers, draft.confidence, draft.evidence) for name, draft in by_annotator.items()
        ]
    rejected = sorted([*rejected, *faults], key=lambda row: row.line)
    return Plan(votes, dict(sorted(people.items())), rejected, len(answers), texts)


def _add_answer(
    answer: AnswerRow, issues: Mapping[str, Subject], words: "_Words", drafts: dict[Subject, dict[str, _Draft]]
) -> str:
    """Add an answer to its vote; returns the reason where it is rejected, else nothing."""
    issue = issues.get(_address(answer.issue))
    if issue is None:
        return (
            f"“{answer.issue}” is neither an issue of this knowledge base nor an item of this project."
            if answer.issue
            else "The issue's address is missing."
        )
    if not 0 < len(answer.annotator) <= LONGEST_NAME:
        return "The annotator's name is too long." if answer.annotator else "The annotator is missing."
    axis = words.axis(answer.axis)
    if axis is None:
        return f"“{answer.axis}” is not a question of this project."
    planned, reason = words.answer(axis, answer)
    if reason:
        return reason
    votes = drafts.get(issue, {})
    if answer.annotator not in votes and len(votes) >= MOST_VOTES:
        return f"An issue has at most {MOST_VOTES} votes."
    draft = drafts.setdefault(issue, {}).setdefault(answer.annotator, _Draft(confidence=answer.confidence))
    code = axis.axis.code
    if code in draft.answers:
        return f"{answer.annotator} has an answer to this question on this issue already, on an earlier line."
    # Each answer of a vote carries the evidence of the whole vote: it is taken from the first.
    is_first = not draft.answers
    draft.answers[code] = planned
    for passage in answer.evidence:
        if passage.axis:
            draft.passages.append((answer.line, answer.text_hash, replace(passage, axis=code)))
        elif is_first:
            draft.passages.append((answer.line, answer.text_hash, passage))
    return ""


def _add_evidence(
    drafts: Mapping[Subject, Mapping[str, _Draft]], named: Mapping[Subject, str]
) -> tuple[dict[Subject, str], list[Rejected]]:
    """Give each draft its passages within the frozen text; returns issue -> that text's hash, and the other passages.

    `named`: issue -> the hash of the text that the file names.
    """
    hashes: dict[Subject, str] = {}
    faults: list[Rejected] = []
    issues = []
    for pk, by_annotator in drafts.items():
        if pk in named or any(draft.passages for draft in by_annotator.values()):
            issues.append(pk)
    for start in range(0, len(issues), TEXTS_AT_ONCE):
        for pk, text in texts_of(issues=issues[start : start + TEXTS_AT_ONCE], named=named).items():
            hashes[pk] = text.text_hash
            for draft in drafts[pk].values():
                faults += _fit_evidence(draft, text)
    return hashes, faults


def _fit_evidence(draft: _Draft, text: Text) -> list[Rejected]:
    """Give the draft its passages within the text; returns the others, each line and reason once."""
    faults: dict[Rejected, None] = {}
    for line, text_hash, marked in draft.passages:
        passage = fit_passage(marked=marked, told=text_hash, text=text)
        if isinstance(passage, str):
            faults[Rejected(line, f"{passage} {STILL_COUNTS}")] = None
        elif len(draft.evidence) == MOST_EVIDENCE:
            faults[Rejected(line, f"A vote has at most {MOST_EVIDENCE} passages. {STILL_COUNTS}")] = None
        else:
            draft.evidence.append(passage)
    return list(faults)


class _Words:
    """The words of a codebook: axes by code or name, nodes by code, name or alias."""

    def __init__(self, axes: Iterable[AxisNodes]) -> None:
        self._axes: dict[str, AxisNodes] = {}
        self._nodes: dict[str, dict[str, NodeVersion | None]] = {}
        for each in axes:
            self._axes[each.axis.name.casefold()] = self._axes[each.axis.code.casefold()] = each
            self._nodes[each.axis.code] = _by_word(each.versions)

    def axis(self, word: str) -> AxisNodes | None:
        """The axis of this code or name."""
        return self._axes.get(word.strip().casefold())

    def answer(self, axis: AxisNodes, answer: AnswerRow) -> tuple[PlannedAnswer, str]:
        """The answer to this question, or the reason why it is rejected."""
        if axis.axis.has_nodes:
            versions, reason = self.versions(axis, answer)
            return PlannedAnswer(versions), reason
        text = "" if answer.is_undecidable else answer.text
        if not text and not answer.is_undecidable:
            return PlannedAnswer(), f"{axis.axis.name}: there is no answer."
        choice = Choice((), answer.is_undecidable, text)
        faults_found = faults(Ballot({axis.axis.code: choice}, confidence=3), ballot_axes([axis]), ())
        return PlannedAnswer((), text), " ".join(faults_found.values())

    def versions(self, axis: AxisNodes, answer: AnswerRow) -> tuple[Sequence[NodeVersion], str]:
        """The versions that an answer names, or the reason why it is rejected."""
        by_word = self._nodes[axis.axis.code]
        versions: list[NodeVersion] = []
        for word in answer.codes:
            version = by_word.get(word.casefold())
            if version is None:
                why = "means several categories" if word.casefold() in by_word else "is not in the codebook"
                return (), f"{axis.axis.name}: “{word[:80]}” {why}."
            if version not in versions:
                versions.append(version)
        if not versions and not answer.is_undecidable:
            return (), f"{axis.axis.name}: there is no answer."
        if len(versions) > 1 and not axis.axis.several:
            return (), f"{axis.axis.name}: only one answer is possible, and there are {len(versions)}."
        return versions, ""


def _by_word(versions: Sequence[NodeVersion]) -> dict[str, NodeVersion | None]:
    """Word -> version, or None for an ambiguous word; codes win over names, names over aliases."""
    by_code: dict[str, NodeVersion | None] = {}
    by_name: dict[str, NodeVersion | None] = {}
    by_alias: dict[str, NodeVersion | None] = {}
    for version in versions:
        for words, by_word in (
            ([version.node.code], by_code), ([version.name], by_name), (version.aliases, by_alias)
        ):  # fmt: skip
            for word in {word.casefold() for word in words}:
                by_word[word] = None if word in by_word else version
    return by_alias | by_name | by_code


def _address(text: str) -> str:
    return text.strip().rstrip("/")
