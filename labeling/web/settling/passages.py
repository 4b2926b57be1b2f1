"""A frozen text with the annotators' passages marked in it: by colour, and by letter for who does not see colours."""

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
    """The passages, numbered by voter in the order of the text."""
    count: dict[int, int] = {}
    found = []
    for one, voter in sorted(evidence, key=lambda pair: (pair[0].part != "title", pair[0].start, pair[0].end)):
        count[voter.place] = count.get(voter.place, 0) + 1
        found.append(Passage(one, voter, f"{voter.letter}{count[voter.place]}"))
    return found


def marked(text: str, passages: Sequence[Passage]) -> SafeString:
    """The text with these passages marked, where they overlap too."""
    bounds = {0, len(text)}
    for one in passages:
        bounds |= {min(one.evidence.start, len(text)), min(one.evidence.end, len(text))}
    places = sorted(bounds)
    pieces = ((_piece(text[start:end], start, passages),) for start, end in pairwise(places))
    return format_html_join("", "{}", pieces)


def _piece(text: str, start: int, passages: Sequence[Passage]) -> SafeString:
    within = [one for one in passages if one.evidence.start <= start < one.evidence.end]
    if not within:
        return format_html("{}", text)
    labels = format_html_join(
        "", '<sup class="passage-label" id="passage-{}"><span class="visually-hidden">Passage </span>{}</sup>',
        ((one.label, one.label) for one in within if one.evidence.start == start),
    )  # fmt: skip
    several = " is-shared" if len({one.voter.place for one in within}) > 1 else ""
    return format_html('<mark class="passage colour-{}{}">{}{}</mark>', within[0].colour, several, labels, text)
