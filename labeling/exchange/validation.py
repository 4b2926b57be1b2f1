"""A file held against the project: which votes it would give, and which lines cannot be taken, with the reason."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kb.models import Issue
from labeling.ballots import MOST_EVIDENCE, Passage
from labeling.exchange.parse import read
from labeling.exchange.rows import Answered, Rejected
from labeling.exchange.texts import Text, fitting, texts_of
from labeling.exchange.values import Options, UnreadableError
from labeling.models import MOST_VOTES, Codebook, NodeVersion
from labeling.passages import Marked
from labeling.selectors.codebooks import AxisNodes, axes_of

AT_ONCE = 5_000
TEXTS_AT_ONCE = 500
STILL_COUNTS = "It is left out; the answer counts."
LONGEST_NAME = 100


@dataclass(frozen=True)
class PlannedVote:
    """One person's vote on one issue: axis code -> versions, or nothing where the report does not tell."""

    annotator: str
    answers: Mapping[str, Sequence[NodeVersion]]
    confidence: int | None
    evidence: Sequence[Passage] = ()


@dataclass(frozen=True)
class Plan:
    """What a file would give: issue id -> votes, in the file's order; who voted how often; what is rejected.

    `texts`: issue id -> hash of the frozen text that its votes are about, where the file tells which.
    """

    votes: Mapping[int, Sequence[PlannedVote]]
    people: Mapping[str, int]
    rejected: Sequence[Rejected]
    read: int
    texts: Mapping[int, str] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """How many votes."""
        return sum(map(len, self.votes.values()))

    @property
    def most(self) -> int:
        """The most votes that one issue would have."""
        return max(map(len, self.votes.values()), default=0)


@dataclass
class _Draft:
    answers: dict[str, Sequence[NodeVersion]] = field(default_factory=dict)
    confidence: int | None = None
    marked: list[tuple[int, str, Marked]] = field(default_factory=list)
    has_whole: bool = False
    evidence: Sequence[Passage] = ()


def check(*, content: bytes, format_: str, options: Options, codebook: Codebook) -> Plan:
    """The plan of a file. Raises UnreadableError where it is no file of this format."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableError("The file is not in UTF-8. Save it so, and try again.") from error
    found = list(read(io.StringIO(text, newline=""), format_, options))
    issues = _issues({one.issue for one in found if isinstance(one, Answered)})
    words = _Words(axes_of(codebook=codebook))
    drafts: dict[int, dict[str, _Draft]] = {}
    rejected: list[Rejected] = []
    for one in found:
        reason = one.reason if isinstance(one, Rejected) else _take(one, issues, words, drafts)
        if reason:
            rejected.append(Rejected(one.line, reason))
    votes, texts, unfit = _with_evidence(drafts, _named(found, issues))
    rejected = sorted([*rejected, *unfit], key=lambda one: one.line)
    people: dict[str, int] = {}
    for some in votes.values():
        for vote in some:
            people[vote.annotator] = people.get(vote.annotator, 0) + 1
    return Plan(votes, dict(sorted(people.items())), rejected, sum(isinstance(one, Answered) for one in found), texts)


def _take(one: Answered, issues: Mapping[str, int], words: "_Words", drafts: dict[int, dict[str, _Draft]]) -> str:
    """Put an answer into its vote; else the reason why not."""
    issue = issues.get(_address(one.issue))
    if issue is None:
        return f"“{one.issue}” is no issue of this knowledge base." if one.issue else "The issue's address is missing."
    if not one.annotator or len(one.annotator) > LONGEST_NAME:
        return "The annotator is missing." if not one.annotator else "The annotator's name is too long."
    axis = words.axis(one.axis)
    if axis is None:
        return f"“{one.axis}” is no question of this project."
    versions, reason = words.versions(axis, one)
    if reason:
        return reason
    votes = drafts.get(issue, {})
    if one.annotator not in votes and len(votes) >= MOST_VOTES:
        return f"An issue has at most {MOST_VOTES} votes."
    draft = drafts.setdefault(issue, {}).setdefault(one.annotator, _Draft(confidence=one.confidence))
    if axis.axis.code in draft.answers:
        return f"{one.annotator} has an answer to this question on this issue already, on an earlier line."
    draft.answers[axis.axis.code] = versions
    # What the whole vote rests on stands with each of its answers.
    draft.marked += [
        (one.line, one.text_hash, replace(marked, axis=axis.axis.code if marked.axis else ""))
        for marked in one.evidence
        if marked.axis or not draft.has_whole
    ]
    draft.has_whole = True
    return ""


def _named(found: Iterable[Answered | Rejected], issues: Mapping[str, int]) -> dict[int, str]:
    """Issue id -> the hash of its text, as the file's first line about it tells."""
    named: dict[int, str] = {}
    for one in found:
        if isinstance(one, Answered) and one.text_hash and (issue := issues.get(_address(one.issue))):
            named.setdefault(issue, one.text_hash)
    return named


def _with_evidence(
    drafts: Mapping[int, Mapping[str, _Draft]], named: Mapping[int, str]
) -> tuple[dict[int, list[PlannedVote]], dict[int, str], list[Rejected]]:
    """The votes with those passages that are in the text as it was frozen; issue -> that text's hash; what is not."""
    votes: dict[int, list[PlannedVote]] = {}
    texts: dict[int, str] = {}
    unfit: list[Rejected] = []
    about = [pk for pk, some in drafts.items() if pk in named or any(one.marked for one in some.values())]
    for start in range(0, len(about), TEXTS_AT_ONCE):
        for pk, text in texts_of(issues=about[start : start + TEXTS_AT_ONCE], named=named).items():
            texts[pk] = text.text_hash
            for draft in drafts[pk].values():
                draft.evidence, faults = _placed(draft, text)
                unfit += faults
    for pk, some in drafts.items():
        votes[pk] = [PlannedVote(name, one.answers, one.confidence, one.evidence) for name, one in some.items()]
    return votes, texts, unfit


def _placed(draft: _Draft, text: Text) -> tuple[list[Passage], list[Rejected]]:
    """The draft's passages that are in the text, and the others with their lines."""
    found: list[Passage] = []
    faults: dict[Rejected, None] = {}
    for line, told, marked in draft.marked:
        place = fitting(marked=marked, told=told, text=text)
        if isinstance(place, str):
            faults[Rejected(line, f"{place} {STILL_COUNTS}")] = None
        elif len(found) == MOST_EVIDENCE:
            faults[Rejected(line, f"A vote has at most {MOST_EVIDENCE} passages. {STILL_COUNTS}")] = None
        else:
            found.append(place)
    return found, list(faults)


class _Words:
    """What may be said: axes by code or name, nodes by code, name or alias where that is one node's alone."""

    def __init__(self, axes: Iterable[AxisNodes]) -> None:
        """Learn the words of a codebook."""
        self._axes: dict[str, AxisNodes] = {}
        self._nodes: dict[str, dict[str, NodeVersion | None]] = {}
        for one in axes:
            self._axes[one.axis.name.casefold()] = self._axes[one.axis.code.casefold()] = one
            self._nodes[one.axis.code] = _by_word(one.versions)

    def axis(self, word: str) -> AxisNodes | None:
        """The axis of this code or name."""
        return self._axes.get(word.strip().casefold())

    def versions(self, axis: AxisNodes, one: Answered) -> tuple[Sequence[NodeVersion], str]:
        """The versions that an answer names, or why it cannot be taken."""
        known = self._nodes[axis.axis.code]
        found: list[NodeVersion] = []
        for word in one.codes:
            version = known.get(word.casefold())
            if version is None:
                why = "means several categories" if word.casefold() in known else "is not in the codebook"
                return (), f"{axis.axis.name}: “{word[:80]}” {why}."
            if version not in found:
                found.append(version)
        if not found and not one.is_undecidable:
            return (), f"{axis.axis.name}: there is no answer."
        if len(found) > 1 and not axis.axis.several:
            return (), f"{axis.axis.name}: only one answer is possible, and there are {len(found)}."
        return found, ""


def _by_word(versions: Sequence[NodeVersion]) -> dict[str, NodeVersion | None]:
    """Word -> version; nothing where a word is several versions'. Codes come before names, names before aliases."""
    found: dict[str, NodeVersion | None] = {}
    for words in (
        [(version, [version.node.code]) for version in versions],
        [(version, [version.name]) for version in versions],
        [(version, version.aliases) for version in versions],
    ):
        fresh: dict[str, NodeVersion | None] = {}
        for version, some in words:
            for word in {one.casefold() for one in some}:
                fresh[word] = None if word in fresh else version
        found = fresh | found
    return found


def _address(text: str) -> str:
    return text.strip().rstrip("/")


def _issues(addresses: Iterable[str]) -> dict[str, int]:
    """Address -> issue, of those that are known and no pull requests."""
    wanted = sorted({_address(one) for one in addresses if one})
    found: dict[str, int] = {}
    for start in range(0, len(wanted), AT_ONCE):
        rows = Issue.objects.filter(url__in=wanted[start : start + AT_ONCE]).true_issues()
        found |= dict(rows.values_list("url", "pk"))
    return found
