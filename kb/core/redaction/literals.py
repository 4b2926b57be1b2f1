"""Finds what was found once wherever it stands: as it was written, and as its siblings are (gpu-a18, gpu-a17)."""

import re
from collections.abc import Iterator

from ahocorasick_rs import AhoCorasick, MatchKind

from kb.core.redaction.findings import Found, Kind, is_stand_in, words
from kb.core.redaction.hosts import GENERIC, RANKED
from kb.core.redaction.paths import NOBODY

SHORTEST = {Kind.SECRET: 6, Kind.USER: 3, Kind.HOST: 4, Kind.NODE: 2, Kind.POD: 6, Kind.JOB: 5, Kind.EMAIL: 6}
# Words of logs: where one of them is somebody's name, it is hidden only where it surely is that.
COMMON = words(
    "train training trainer data model models test tests eval main python torch log logs error build dev prod work job "
    "jobs run runs ray git llm ml gpu cuda nccl slurm exp experiments checkpoint checkpoints output config info "
    "warning "
    "the and for not from with file line step loss rank process server client time memory device"
)
MOST_SHAPES = 200
DIGITS = re.compile(r"\d+")
STEM = re.compile(r"[A-Za-z]{2}")


class Literals:
    """Names and secrets that are known, each with its kind and, for secrets, the word that stands for it."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[Kind, str]] = {}
        self._nodes: set[str] = set()
        self._shapes: dict[str, Kind] = {}
        self._names: list[str] = []
        self._matcher: AhoCorasick | None = None
        self._shape: re.Pattern[str] | None = None
        self._is_stale = False

    def add_node(self, name: str) -> None:
        """Remember a node's name."""
        first = name.partition(".")[0]
        if first.lower() in GENERIC or is_stand_in(first) or len(first) < SHORTEST[Kind.NODE]:
            return
        self._nodes.add(first.lower())
        self.add(first, Kind.NODE)

    def add(self, text: str, kind: Kind, word: str = "") -> None:
        """Remember this, unless it is too short or too common to be looked for bare."""
        first = text.partition(".")[0]
        if kind in (Kind.HOST, Kind.POD) and first and not first.isalpha():
            text = first
        if kind not in SHORTEST or len(text) < SHORTEST[kind] or text in self._known or is_stand_in(text):
            return
        lower = text.lower()
        if kind is not Kind.SECRET and (lower in COMMON or lower in NOBODY or lower in GENERIC):
            return
        self._known[text] = (kind, word)
        self._is_stale = True
        has_shape = DIGITS.search(text) and STEM.search(text) and not RANKED.fullmatch(text)
        if kind in (Kind.NODE, Kind.HOST) and has_shape and len(self._shapes) < MOST_SHAPES:
            self._shapes.setdefault(_shape(text), kind)

    def is_node(self, name: str) -> bool:
        """Whether it is one of the diagnosis's nodes."""
        return name.partition(".")[0].lower() in self._nodes

    def find(self, text: str) -> Iterator[tuple[Found, str]]:
        """Where something that is known stands, as a word of its own."""
        if self._is_stale:
            self._names = list(self._known)
            self._matcher = AhoCorasick(self._names, matchkind=MatchKind.LeftmostLongest)
            if self._shapes:
                self._shape = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(self._shapes)})(?![A-Za-z0-9])")
            self._is_stale = False
        if self._matcher is not None:
            for number, start, end in self._matcher.find_matches_as_indexes(text):
                kind, word = self._known[self._names[number]]
                # A dash or an underscore ends a word.
                is_word = not text[max(start - 1, 0) : start].isalnum() and not text[end : end + 1].isalnum()
                if kind is Kind.SECRET or is_word:
                    yield Found(start, end, kind), word
        if self._shape is not None:
            for match in self._shape.finditer(text):
                if not is_stand_in(match[0]):
                    yield Found(*match.span(), self._shapes.get(_shape(match[0]), Kind.HOST)), ""


def _shape(name: str) -> str:
    """A pattern of names that differ from this one in their numbers only."""
    return r"\d{1,9}".join(map(re.escape, DIGITS.split(name)))
