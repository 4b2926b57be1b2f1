"""Which common faults' playbooks a text asks for: by what people call the fault, or by a line that tools print then.

Phrases are compared by the words that search uses. What the playbooks say is in `kb.core.fault_playbooks`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from kb.core.fault_playbooks import FaultPlaybook, fault_playbooks
from kb.core.search.normalise import words
from kb.core.search.plan import STOP_WORDS

MOST = 3
# A line is longer than what people type, and one of its words may vary.
LINE_SHARE, LEAST_LINE_WORDS = 0.8, 3
MOST_CHARACTERS = 4_000


@dataclass(frozen=True)
class _Phrase:
    """One way to ask for a playbook, as words; `is_line` where tools print it."""

    playbook: FaultPlaybook
    words: frozenset[str]
    is_line: bool = False

    def share(self, asked: frozenset[str]) -> float:
        """How much of the phrase is asked, where that is enough; else 0."""
        share = len(self.words & asked) / len(self.words)
        return share if share >= (LINE_SHARE if self.is_line else 1) else 0.0


def asked_playbooks(text: str, most: int = MOST) -> list[FaultPlaybook]:
    """The playbooks that the text asks for, the best first: those with the most words of one phrase."""
    asked = _telling(text[:MOST_CHARACTERS])
    ranks: dict[str, tuple[float, FaultPlaybook]] = {}
    near = (phrase for phrase in _phrases() if not phrase.words.isdisjoint(asked))
    for phrase in near:
        rank = phrase.share(asked) * len(phrase.words)
        if rank > ranks.get(phrase.playbook.slug, (0.0, phrase.playbook))[0]:
            ranks[phrase.playbook.slug] = (rank, phrase.playbook)
    best = sorted(ranks.values(), key=lambda entry: (-entry[0], entry[1].name))
    return [playbook for _rank, playbook in best[:most]]


def playbooks_of_lines(lines: Iterable[str]) -> list[FaultPlaybook]:
    """The playbooks for lines that failed in a log: what people type is not looked for in them."""
    found: dict[str, FaultPlaybook] = {}
    for line in lines:
        printed = _telling(line[:MOST_CHARACTERS])
        for phrase in _phrases():
            if phrase.is_line and phrase.share(printed):
                found.setdefault(phrase.playbook.slug, phrase.playbook)
    return list(found.values())


@cache
def _phrases() -> tuple[_Phrase, ...]:
    return tuple(_each_phrase())


def _each_phrase() -> Iterator[_Phrase]:
    for playbook in fault_playbooks():
        for text in (playbook.name, *playbook.asked):
            yield _Phrase(playbook, _telling(text))
        for line in playbook.lines:
            telling = _telling(line)
            if len(telling) >= LEAST_LINE_WORDS:
                yield _Phrase(playbook, telling, is_line=True)


def _telling(text: str) -> frozenset[str]:
    return frozenset(words(text)) - STOP_WORDS
