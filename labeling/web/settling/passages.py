"""A frozen text with the annotators' passages marked in it: by colour, and by letter for who does not see colours."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from labeling.models import Evidence
from labeling.selectors.dossier import Voter

COLOURS = 6


@dataclass(frozen=True)
class Passage:
    """A passage with its label: the voter's letter and a number of their own."""

    evidence: Evidence
    voter: Voter
    label: str

    @property
    def colour(self) -> int:
        """Which of the colours its marks have."""
        return self.voter.place % COLOURS


def labelled(evidence: Sequence[tuple[Evidence, Voter]]) -> list[Passage]:
    """The passages, numbered by voter in the order of the text, the title first."""
    numbers: Counter[int] = Counter()
    passages = []
    for row, voter in sorted(evidence, key=lambda pair: (pair[0].part != "title", pair[0].start, pair[0].end)):
        numbers[voter.place] += 1
        passages.append(Passage(row, voter, f"{voter.letter}{numbers[voter.place]}"))
    return passages


def marked(text: str, passages: Sequence[Passage]) -> SafeString:
    """The text with these passages marked, which may overlap."""
    bounds = {0, len(text)}
    for passage in passages:
        bounds |= {min(passage.evidence.start, len(text)), min(passage.evidence.end, len(text))}
    pieces = [(_piece(text[start:end], start, passages),) for start, end in pairwise(sorted(bounds))]
    return format_html_join("", "{}", pieces)


def _piece(text: str, start: int, passages: Sequence[Passage]) -> SafeString:
    """A run of text that is wholly inside or outside of each passage."""
    around = [passage for passage in passages if passage.evidence.start <= start < passage.evidence.end]
    if not around:
        return format_html("{}", text)
    starting = [passage.label for passage in around if passage.evidence.start == start]
    labels = format_html_join(
        "", '<sup class="passage-label" id="passage-{}"><span class="visually-hidden">Passage </span>{}</sup>',
        [(label, label) for label in starting],
    )  # fmt: skip
    shared = " is-shared" if len({passage.voter.place for passage in around}) > 1 else ""
    return format_html('<mark class="passage colour-{}{}">{}{}</mark>', around[0].colour, shared, labels, text)
