"""Turns the box's words into what an engine looks for and what ranking weighs, given how often words occur.

Words that stand in nearly every issue are left out where others remain; a paste is first cut down to its telling
lines and its rarest words; a word that occurs nowhere is replaced by the nearest one that does (`repair`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

from kb.core.search.chinese import parts
from kb.core.search.language import Query
from kb.core.search.lexicon import NODE_SIGN, PhraseBook, other_words
from kb.core.search.normalise import run_words, words, written
from kb.core.search.ranking import Need, make_need
from kb.core.search.repair import Dictionary, Repair, repair
from kb.core.search.sections import split
from kb.core.search.values import TextQuery, Wanted

# Carry no meaning of their own; "not" and "no" do: error messages turn on them.
STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do", "doe", "doing",
    "for", "from", "had", "has", "have", "how", "i", "if", "in", "into", "is", "it", "just", "me", "my", "of", "on",
    "or", "our", "so", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "too",
    "was", "we", "were", "what", "when", "where", "which", "while", "who", "whi", "will", "with", "would", "you",
    "your", "after", "befor", "ani", "some", "onli", "same", "veri", "even", "still", "get", "give", "make", "use",
    "via", "am",
    # What is left of "don't" and the like, and of a polite question.
    "s", "t", "don", "doesn", "didn", "isn", "wasn", "won", "ve", "re", "ll", "couldn", "wouldn", "shouldn", "hasn",
    "haven", "aren", "should", "may", "might", "help", "anyon", "someon", "know", "want", "also", "though",
    "although",
})  # fmt: skip
# A word in more than this share of all issues tells them apart too little to be looked for.
TOO_COMMON = 0.4
# What another word for the same adds to an engine's score.
SYNONYM_WEIGHT = 0.2
# What a label adds that a word names in everyday speech; a phrase names it more surely.
NODE_WEIGHT, NODE_OF_PHRASE_WEIGHT = 0.1, 0.3
MOST_WANTED = 40
# An engine reads every place of every word that it looks for, in some forty nanoseconds each (measured).
MOST_POSTINGS = 300_000
FEWEST_WANTED = 2
MOST_PASTE_CHARACTERS = 8_000
# So many of the things that are looked for must be there: all of two, two of up to six, then this share.
LEAST_SHARE = 0.3


@dataclass(frozen=True)
class Plan:
    """What to ask of an engine and how to rank its answer.

    `least`: the numbers of wanted things to try, in turn, until something is found; `repairs`: words that were
    taken for others; `unknown`: words that occur nowhere.
    """

    text: TextQuery
    need: Need
    least: tuple[int, ...] = (1,)
    repairs: tuple[Repair, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Vocabulary:
    """How often words occur, as one engine counts; without `size`, nothing is known about that.

    `aliases`: word -> the words of the categories in the codebook that it is another name of; `spoken`: word -> what
    stands for the same in everyday speech.
    """

    frequencies: Mapping[str, int] = field(default_factory=dict)
    size: int = 0
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spoken: Mapping[str, Iterable[str]] = field(default_factory=dict)

    def weight(self, word: str) -> float:
        """Inverse document frequency (Robertson and Zaragoza 2009, equation 3.1, as Lucene smooths it)."""
        if not self.size:
            return 1.0
        frequency = self._frequency(word)
        return math.log(1 + (self.size - frequency + 0.5) / (frequency + 0.5))

    def knows(self, word: str) -> bool:
        """Does any issue hold the word, or what stands for the same?"""
        return not self.size or self._frequency(word) > 0

    def _frequency(self, word: str) -> int:
        """In how many issues the word stands; where in none, the most frequent of what stands for the same.

        So it is for a Chinese word too: most issues are English, and it is not their rarity that makes it telling.
        """
        frequency = self.frequencies.get(word, 0)
        if frequency and word.isascii():
            return frequency
        return max((frequency, *(self.frequencies.get(other, 0) for other in self.spoken.get(word, ()))))

    def others(self, word: str) -> tuple[str, ...]:
        """Other words for the same, of everyday speech and of the codebook."""
        return (*self.spoken.get(word, ()), *self.aliases.get(word, ()))

    def weight_of_other(self, other: str) -> float:
        """What another word for the same, or the name of a node, adds to an engine's score."""
        if not other.startswith(NODE_SIGN):
            return SYNONYM_WEIGHT
        return NODE_OF_PHRASE_WEIGHT if other in self._of_phrases else NODE_WEIGHT

    @cached_property
    def _of_phrases(self) -> frozenset[str]:
        """What several words of the question stand for together."""
        counts = Counter(chain.from_iterable(self.spoken.values()))
        return frozenset(other for other, count in counts.items() if count > 1)

    def is_common(self, word: str) -> bool:
        """Does the word tell issues apart too little?"""
        return word in STOP_WORDS or self.frequencies.get(word, 0) > TOO_COMMON * self.size > 0


def typed_runs(query: Query) -> list[str]:
    """The runs of characters in the free text that may make words, as they were typed."""
    return list(chain.from_iterable(map(parts, written(telling_text(query)))))


def words_to_count(query: Query, known: Vocabulary) -> tuple[str, ...]:
    """The normalised words whose frequencies `make_plan` needs."""
    own = list(chain.from_iterable(map(run_words, typed_runs(query))))
    known = replace(known, spoken=other_words(own))
    counted = dict.fromkeys(own)
    for word in tuple(counted):
        counted.update(dict.fromkeys(known.others(word)))
    return tuple(counted)


def telling_text(query: Query) -> str:
    """The free text; of a paste, first the lines that tell what went wrong."""
    if not query.is_paste:
        return query.words
    return "\n".join((*split(query.words).telling, query.words))[:MOST_PASTE_CHARACTERS]


def telling_words(query: Query) -> frozenset[str]:
    """The normalised words of the lines of a paste that tell what went wrong; none of what was typed."""
    lines = split(query.words).telling if query.is_paste else ()
    return frozenset(chain.from_iterable(map(words, lines)))


def make_plan(query: Query, known: Vocabulary, dictionary: Dictionary, frameworks: PhraseBook) -> Plan:
    """Plan the search for what the box's text asks."""
    typed = typed_runs(query)
    known = replace(known, spoken=other_words(list(chain.from_iterable(map(run_words, typed)))))
    repairs = {} if query.is_paste else repair(typed, known.knows, dictionary)
    repaired = {replacement.word: replacement.frequency for replacement in repairs.values()}
    used = [(repairs[run].word,) if run in repairs else run_words(run) for run in typed]
    sequence = list(chain.from_iterable(used))
    if repairs:
        known = replace(known, frequencies={**known.frequencies, **repaired}, spoken=other_words(sequence))
    telling = _telling(used, known)
    wanted = _wanted(telling, known)
    weights = {word: known.weight(word) for word in chain.from_iterable(telling)}
    phrases = [tuple(words(phrase)) for phrase in query.phrases]
    exclusions = [tuple(words(phrase)) for phrase in query.exclusions]
    text = TextQuery(
        wanted=wanted,
        least=1,
        phrases=tuple(phrase for phrase in phrases if phrase),
        unwanted=tuple(phrase for phrase in exclusions if phrase),
    )
    unknown = tuple(dict.fromkeys(run[0] for run in used if run and not any(map(known.knows, run))))
    return Plan(
        text=text,
        need=make_need(sequence, weights, frameworks.places(sequence), lost=sum(map(known.weight, unknown))),
        least=least_steps(len(wanted)),
        repairs=tuple(repairs.values()),
        unknown=unknown,
    )


def _telling(runs: Sequence[tuple[str, ...]], known: Vocabulary) -> list[tuple[str, ...]]:
    """The runs that are looked for, each once and without words that say nothing; of very many, the rarest."""
    occurring = [run for run in dict.fromkeys(tuple(filter(known.knows, run)) for run in runs) if run]
    # What stands nowhere is left out, but not when it was all that was asked: that finds nothing, not everything.
    filled = occurring or [run for run in dict.fromkeys(runs) if run]
    rare = dict.fromkeys(tuple(word for word in run if not known.is_common(word)) for run in filled)
    telling = [run for run in rare if run] or filled
    if len(telling) > MOST_WANTED:
        rarest = set(sorted(telling, key=lambda run: -max(map(known.weight, run)))[:MOST_WANTED])
        telling = [run for run in telling if run in rarest]
    return telling


def _wanted(telling: Sequence[tuple[str, ...]], known: Vocabulary) -> tuple[Wanted, ...]:
    """What an engine looks for, the rarest first, as far as it is paid for by what an engine can read in good time.

    Ranking weighs all telling words; in a small collection an engine looks for all of them too.
    """
    wanted: dict[tuple[str, ...], Wanted] = {}
    postings_left = MOST_POSTINGS
    for run in sorted(telling, key=lambda run: min(known.frequencies.get(word, 0) for word in run)):
        postings_left -= sum(known.frequencies.get(word, 0) for word in run)
        if postings_left < 0 and len(wanted) >= FEWEST_WANTED:
            break
        weighted = [(word, 1.0) for word in run]
        synonyms: dict[str, None] = {}
        for word in run:
            synonyms.update(dict.fromkeys(known.others(word)))
        for synonym in synonyms:
            frequency = known.frequencies.get(synonym, 0)
            is_of_use = frequency and synonym not in run and not known.is_common(synonym)
            if is_of_use and frequency <= postings_left:
                weighted.append((synonym, known.weight_of_other(synonym)))
                postings_left -= frequency
        wanted[run] = Wanted(tuple(weighted))
    return tuple(wanted[run] for run in telling if run in wanted)


def least_steps(number: int) -> tuple[int, ...]:
    """How many of so many wanted things an issue must have: the first that finds anything counts."""
    if number <= 1:
        return (1,)
    first = 2 if number <= 6 else math.ceil(LEAST_SHARE * number)
    return (first, 1)
