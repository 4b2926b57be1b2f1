"""What was found once, looked for everywhere: as it was written, and as its siblings are (gpu-a18, gpu-a17). Pure."""

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
        self._is_old = False

    def add_node(self, name: str) -> None:
        """Remember a node's name."""
        first = name.partition(".")[0]
        if first.lower() in GENERIC or is_stand_in(first) or len(first) < SHORTEST[Kind.NODE]:
            return
        self._nodes.add(first.lower())
        self.add(first, Kind.NODE)

    def add(self, text: str, kind: Kind, word: str = "") -> None:
        """Remember this, unless it is too short or too common to be looked for bare."""
        if kind in (Kind.HOST, Kind.POD):
            text = text.partition(".")[0] if any(not one.isalpha() for one in text.partition(".")[0]) else text
        if len(text) < SHORTEST.get(kind, 1 << 30) or text in self._known or is_stand_in(text):
            return
        if kind is not Kind.SECRET and (text.lower() in COMMON or text.lower() in NOBODY or text.lower() in GENERIC):
            return
        self._known[text] = (kind, word)
        self._is_old = True
        if kind in (Kind.NODE, Kind.HOST) and DIGITS.search(text) and len(self._shapes) < MOST_SHAPES:
            shape = r"\d{1,9}".join(re.escape(part) for part in DIGITS.split(text))
            if STEM.search(text) and not RANKED.fullmatch(text):
                self._shapes.setdefault(shape, kind)

    def is_node(self, name: str) -> bool:
        """Is it one of the diagnosis's nodes, or one of the same shape?"""
        first = name.partition(".")[0].lower()
        return first in self._nodes

    def find(self, text: str) -> Iterator[tuple[Found, str]]:
        """Where something that is known stands, as a word of its own."""
        if self._is_old:
            self._prepare()
        if self._matcher is not None:
            for number, start, end in self._matcher.find_matches_as_indexes(text):
                kind, word = self._known[self._names[number]]
                if kind is Kind.SECRET or _is_alone(text, start, end):
                    yield Found(start, end, kind), word
        if self._shape is not None:
            for found in self._shape.finditer(text):
                if not is_stand_in(found[0]):
                    yield Found(*found.span(), self._kind_of(found[0])), ""

    def _kind_of(self, name: str) -> Kind:
        return self._shapes.get(r"\d{1,9}".join(map(re.escape, DIGITS.split(name))), Kind.HOST)

    def _prepare(self) -> None:
        self._names = list(self._known)
        self._matcher = AhoCorasick(self._names, matchkind=MatchKind.LeftmostLongest)
        if self._shapes:
            self._shape = re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(self._shapes)})(?![A-Za-z0-9])")
        self._is_old = False


def _is_alone(text: str, start: int, end: int) -> bool:
    """Is it a whole word? A dash or an underscore ends one."""
    return not (text[start - 1 : start].isalnum() if start else False) and not text[end : end + 1].isalnum()
