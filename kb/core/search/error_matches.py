"""Known issues for the error lines of a log, a paste or a draft: the same error, or the same kind of it.

Issues come from three searches: by the signals that their own lines give, by the words of each error line, and by all
of them together. Then each is compared with the lines themselves, paths and numbers masked, words weighed by how few
issues have them. What only shares words with the lines is not offered. How a log is judged is `kb.core.diagnosis`;
where issues are kept is said by `KnownIssues`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import chain
from typing import Protocol

from kb.core.diagnosis.signature import lasting
from kb.core.frameworks import slugs_without_packages
from kb.core.search.backend import Backend
from kb.core.search.cards import Card, from_json
from kb.core.search.error_lines import ErrorLine, IssueTexts, StoredTexts
from kb.core.search.error_setups import LogSetup
from kb.core.search.error_signals import signals_of_lines
from kb.core.search.keys import SIGNAL
from kb.core.search.line_weights import LEAST_WEIGHT, LineWeights, is_same_line, line_words, without_numbers
from kb.core.search.normalise import words
from kb.core.search.speech import Speech
from kb.core.search.values import Condition, Request, TextQuery, Wanted
from kb.core.secrets import mask, without_our_words
from kb.core.setups.facts import Setup
from kb.core.setups.known_faults import KnownFault

# So many error lines are asked, so much of each, and so many issues are compared for each of them.
MOST_LINES, MOST_CHARACTERS = 5, 600
MOST_WORDS, PER_LINE, PER_SIGNAL = 24, 20, 60
# An issue that quotes no line has the same error if nearly all of a line's weight stands in its texts.
NEARLY_ALL, ALL_BUT_SURE = 0.9, 1.5
# An issue is of the same kind if its texts have so much of a line's weight, and so much in all.
ALIKE, LEAST_SHARED = 0.62, 1.0
# Less is enough within the framework that the log names, for the same symptom or cause or where a signal knows lines of
# both. Of practitioners' errors, no issue with less than that helped.
ALIKE_IN_PLACE, LEAST_SHARED_IN_PLACE = 0.5, 0.6
# What a run's steps show is put in other words than an issue's.
ALIKE_DESCRIBED = 0.5
MOST_QUOTED = 100
# If more issues than this have a common line, it tells none of them from the others.
MOST_OF_COMMON = 3


class Relation(StrEnum):
    """How an issue is related to what failed; the values are public."""

    CONFIRMED = "confirmed"
    SAME_ERROR = "same_error"
    SAME_KIND = "same_kind"


@dataclass(frozen=True)
class ErrorQuery:
    """What failed: error lines, the most telling first, and what stands around them.

    `described`: what a run's steps show, in words: no issue has such lines. `context`: frames and other lines near
    them; `versions`: slugs of the frameworks that the log names, with the version where it tells it; `setup`: all that
    the log tells of its run; `codes`: symptom and causes in the house codebook. `only_quoted`: issues that have none of
    the lines are not asked for.
    """

    lines: tuple[str, ...]
    described: str = ""
    context: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    setup: Setup = field(default_factory=Setup)
    codes: frozenset[str] = frozenset()
    only_quoted: bool = False


@dataclass(frozen=True)
class ErrorMatch:
    """An issue like what failed. `score`: how near, from 0 to 1.

    `quoted`: the line of it that failed here; `is_common`: many faults end with such a line; `is_face`: the fault is
    not known by it, but it is also seen with it.
    """

    card: Card
    relation: Relation
    score: float
    why: str
    resolution: str
    quoted: str
    is_common: bool
    is_face: bool = False


class KnownIssues(Protocol):
    """What a comparison asks of the issues that are known, wherever they are kept."""

    @property
    def engine(self) -> Backend | None:
        """The index of them; None where there is none now."""

    def speech(self) -> Speech:
        """What names frameworks."""

    def faults(self) -> Mapping[str, KnownFault]:
        """Those whose versions or conditions are known, by their address."""

    def texts(self, ids: Collection[int]) -> Mapping[int, StoredTexts]:
        """What is kept of some of them; one that is no more is left out."""


def error_matches(query: ErrorQuery, limit: int, known: KnownIssues) -> list[ErrorMatch]:
    """The issues that are like what failed, the nearest first; none where nothing is near."""
    lines = tuple(dict.fromkeys(filter(None, map(_asked, query.lines))))[:MOST_LINES]
    engine = known.engine
    if not (lines or query.described) or engine is None:
        return []
    comparison = _Comparison(query, lines, known, engine)
    if query.only_quoted and not comparison.can_be_quoted(is_framework=bool(query.versions)):
        return []
    cards = comparison.candidates()
    stored = known.texts(cards)
    compared = [comparison.match(card, stored[pk]) for pk, card in cards.items() if pk in stored]
    matches = _told_apart(_folded([match for match in compared if match is not None]))
    if query.only_quoted and sum(match.is_face for match in matches) > MOST_OF_COMMON:
        matches = [match for match in matches if not match.is_face]
    return sorted(matches, key=_nearness, reverse=True)[:limit]


def _folded(matches: Sequence[ErrorMatch]) -> list[ErrorMatch]:
    """The matches without reports that a record among them answers: the record is as near as the nearest of them."""
    by_page = {match.card.page: match for match in matches}
    for match in matches:
        answer = match.card.answered_by
        if answer and (record := by_page.get(answer.page)):
            del by_page[match.card.page]
            as_near = replace(match, card=record.card, resolution=record.resolution)
            by_page[answer.page] = max(record, as_near, key=_nearness)
    return list(by_page.values())


def _nearness(match: ErrorMatch) -> tuple[bool, float]:
    return match.relation is Relation.SAME_ERROR, match.score


def _told_apart(matches: Sequence[ErrorMatch]) -> list[ErrorMatch]:
    """The same matches; a line that many issues have tells of none that it is the same error."""
    if sum(match.is_common for match in matches) <= MOST_OF_COMMON:
        return list(matches)
    return [
        replace(match, relation=Relation.SAME_KIND, why=match.why.replace("Same error", "Same line, as many have it"))
        if match.is_common
        else match
        for match in matches
    ]


def _asked(line: str) -> str:
    """The line as it is searched for: issues are indexed without secrets."""
    return without_our_words(mask(line[:MOST_CHARACTERS]).text).strip()


def _weights(texts: Iterable[str], engine: Backend) -> LineWeights:
    """The weights of these texts' words, by how many issues have them; without its numbers a word weighs the same."""
    frequencies = dict(engine.frequencies(sorted({word for text in texts for word in words(text)})))
    for word, count in list(frequencies.items()):
        lasting_word = without_numbers(word)
        frequencies[lasting_word] = max(count, frequencies.get(lasting_word, 0))
    return LineWeights(frequencies, engine.size())


class _Comparison:
    """Compares issues with what failed."""

    def __init__(self, query: ErrorQuery, lines: Sequence[str], known: KnownIssues, engine: Backend) -> None:
        self._engine = engine
        self._query, self._texts, self._signals = query, lines, signals_of_lines(lines)
        self._log_setup = LogSetup(query.versions, query.setup, known.faults)
        self._weights = _weights([*map(lasting, lines), *lines, query.described, *query.context], self._engine)
        self._lines = [ErrorLine.of(line, self._weights) for line in lines]
        if query.described:
            described = frozenset(words(query.described))
            self._lines.append(ErrorLine(described, self._weights.sum(described), is_described=True))
        self._lines = [line for line in self._lines if line.weight]
        self._named = frozenset(known.speech().frameworks.places(words("\n".join(lines))))
        self._around = frozenset(word for text in query.context for word in words(text))
        self._around_weight = self._weights.sum(self._around) or 1.0

    def candidates(self) -> dict[int, Card]:
        """The cards of issues worth a comparison, by id."""
        requests = [
            Request(conditions=(Condition(SIGNAL, wanted=(signal,)),), limit=PER_SIGNAL, with_total=False)
            for signal in self._signals
        ]
        compared = frozenset(chain.from_iterable(line.words for line in self._lines))
        # The index holds words with their numbers, which lines are compared without.
        written = words("\n".join(self._texts))
        every_word = compared.union(word for word in written if without_numbers(word) in compared)
        for several in dict.fromkeys((*(line.words for line in self._lines), every_word)):
            rarest = sorted(several, key=lambda word: (-self._weights.of(word), word))[:MOST_WORDS]
            wanted = tuple(Wanted(((word, 1.0),)) for word in rarest if self._weights.of(word) > 0)
            if wanted:
                requests.append(Request(TextQuery(wanted), limit=PER_LINE, with_total=False))
        candidates = chain.from_iterable(self._engine.find(request).candidates for request in requests)
        return {candidate.id: from_json(candidate.card) for candidate in candidates}

    def match(self, card: Card, issue: StoredTexts) -> ErrorMatch | None:
        """How an issue is related to what failed; None where it is not."""
        codes = self._query.codes
        texts = IssueTexts(card, issue, tuple(node for node in (*card.symptoms, *card.causes) if node.code in codes))
        is_framework = card.framework in self._query.versions
        quoted, is_common = self._quoted(texts.lines, is_framework=is_framework)
        face = "" if quoted else self._quoted(texts.issue.also_seen, is_framework=is_framework)[0]
        if self._query.only_quoted and not (quoted or face):
            return None
        shares = [(self._shared(line, texts.words) / line.weight, line) for line in self._lines]
        share, nearest = max(shares, key=lambda entry: entry[0], default=(0.0, None))
        if quoted:
            relation, why = Relation.SAME_ERROR, f"Same error: “{quoted}”"
        elif face:
            relation, why = Relation.SAME_KIND, f"Also seen with this fault: “{face}”"
        elif nearest is None:
            return None
        elif self._is_whole(share, nearest, is_framework=is_framework):
            relation, why = Relation.SAME_ERROR, "Same error: nearly all rare words of the line are in its text"
        elif self._is_alike(share, nearest, texts, card.framework):
            relation, why = Relation.SAME_KIND, f"Same kind: {100 * share:.0f} % of the line's rare words, by weight"
        else:
            return None
        reasons = [why]
        version_mark, version_words = self._log_setup.on_version(card)
        kind_mark, kind_words = self._log_setup.on_condition(card)
        if is_framework:
            reasons.append(f"of {card.framework_name}, which the log names{version_words}")
        if texts.nodes:
            reasons.append(f"same symptom, {texts.nodes[0].name}")
        if kind_words:
            reasons.append(kind_words)
        around = self._weights.sum(self._around & texts.words) / self._around_weight
        marks = (0.15 * is_framework, version_mark, kind_mark, 0.1 * self._has_signal(texts), 0.1 * bool(texts.nodes))
        title = self._shared(nearest, frozenset(words(card.title))) / nearest.weight if nearest else 0.0
        score = max(min(0.45 * share + 0.15 * title + 0.1 * around + sum(marks), 1.0), 0.0)
        reason = f"{'; '.join(reasons)}."
        line = quoted or face
        return ErrorMatch(card, relation, score, reason, issue.resolution, line, is_common, is_face=bool(face))

    def can_be_quoted(self, *, is_framework: bool) -> list[ErrorLine]:
        """The lines that an issue can have as the same error; `is_framework`: the log names the issue's framework."""
        return [line for line in self._lines if line.may_be_same(is_framework=is_framework)]

    def _quoted(self, issue_lines: Iterable[str], *, is_framework: bool) -> tuple[str, bool]:
        """The issue's line that one of these has, or nearly so, and whether that is a common one; empty: none has."""
        lines = self.can_be_quoted(is_framework=is_framework)
        for own in issue_lines if lines else ():
            known = line_words(without_our_words(own))
            weight = self._weights.sum(known)
            for line in lines if weight >= LEAST_WEIGHT else ():
                shared = self._weights.sum(line.whole & known)
                if is_same_line(shared, weight):
                    return own[:MOST_QUOTED], line.is_common
        return "", False

    def _is_whole(self, share: float, line: ErrorLine, *, is_framework: bool) -> bool:
        """Does an issue that quotes no line of the failure still tell all of it?"""
        is_all = share >= NEARLY_ALL and share * line.weight >= ALL_BUT_SURE
        return is_all and line.may_be_same(is_framework=is_framework)

    def _is_alike(self, share: float, line: ErrorLine, texts: IssueTexts, framework: str) -> bool:
        """Is an issue of the same kind? In a log that names frameworks, issues of others are not.

        By words alone, issues of others are not of the kind of a line that names a framework either.
        """
        is_framework = framework in self._query.versions
        if self._query.versions and not is_framework and framework not in slugs_without_packages():
            return False
        if line.is_described:
            return bool(texts.nodes) and share >= ALIKE_DESCRIBED
        if self._has_signal(texts):
            return share >= (ALIKE_IN_PLACE if is_framework else ALIKE)
        if is_framework and texts.nodes:
            return share >= ALIKE_IN_PLACE and share * line.weight >= LEAST_SHARED_IN_PLACE
        if self._named and framework not in self._named:
            return False
        return not line.is_common and share >= ALIKE and share * line.weight >= LEAST_SHARED

    def _has_signal(self, texts: IssueTexts) -> bool:
        return not texts.signals.isdisjoint(self._signals)

    def _shared(self, line: ErrorLine, text: Collection[str]) -> float:
        return self._weights.sum(line.words.intersection(text))
