"""Gives what was found its stand-in: the same thing gets the same one in every text of a diagnosis. Pure.

What is found in one text is looked for in all, since a name that says what it is in one line stands bare in another.
What a round hides may lay bare more (a password's end that looks like a host), so rounds follow until nothing changes:
hiding twice therefore hides nothing more.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kb.core.redaction.findings import STAND_IN, Found, Kind, is_stand_in
from kb.core.redaction.hosts import machines
from kb.core.redaction.literals import Literals
from kb.core.redaction.paths import people_and_folders
from kb.core.secrets import Kind as Hidden
from kb.core.secrets import find

MOST_ROUNDS = 8
RANKS = {kind: rank for rank, kind in enumerate(Kind)}
REMOVED = re.compile(rf"\[(?:{'|'.join(re.escape(kind) for kind in Hidden)}) removed\]")
# Addresses of the house's own pages and of what it links to: nobody's secret, and no use when changed.
OUR_LINKS = frozenset({"url", "source_url", "fix_url"})
OURS = re.compile(r"/(?:issues|codebook|playbooks|explore|studies)/\S*|https://(?:github|gitee)\.com/\S*")
IP = re.compile(r"[\d.]+|[0-9A-Fa-f]*:[0-9A-Fa-f:]*")


class Piece(NamedTuple):
    """A stretch of redacted text; `hidden`: it stands for something."""

    text: str
    hidden: bool


@dataclass(frozen=True)
class Redacted:
    """A diagnosis without what is private. `found`: how many places of each kind; `stand_ins`: the names given."""

    data: dict[str, Any]
    found: Mapping[Kind, int]
    stand_ins: frozenset[str] = field(default_factory=frozenset)

    def pieces(self, text: str) -> list[Piece]:
        """The text, cut where something is hidden."""
        return cut(text, self.stand_ins)


class Redactor:
    """Hides what is private in any number of texts. `nodes`: names that are known to be nodes; `keep`: kinds to show.

    Texts are learnt from before they are redacted; what is redacted without having been learnt from is learnt from
    first. Secrets are never kept.
    """

    def __init__(self, *, nodes: Iterable[str] = (), keep: Collection[Kind] = ()) -> None:
        self._keep = frozenset(kind for kind in keep if kind.may_be_kept)
        self._literals = Literals()
        self._given: dict[tuple[Kind, str], str] = {}
        self._names: set[str] = set()
        self._numbers: Counter[Kind] = Counter()
        self._reserved: set[str] = set()
        self.found: Counter[Kind] = Counter()
        for name in nodes:
            if not IP.fullmatch(name):
                self._literals.add_node(name)

    @property
    def stand_ins(self) -> frozenset[str]:
        """The names that were given so far."""
        return frozenset(self._names)

    def learn(self, texts: Iterable[str]) -> None:
        """Remember what these texts hold, to find it in others."""
        for text in texts:
            self._reserved.update(found[0] for found in STAND_IN.finditer(text) if found[0] not in self._names)
            for one, word in self._seen(text):
                self._literals.add(text[one.start : one.end], one.kind, word)

    def redact(self, text: str) -> str:
        """The text with stand-ins."""
        for _ in range(MOST_ROUNDS):
            self.learn([text])
            hidden = self.hide(text)
            if hidden == text:
                break
            text = hidden
        return text

    def hide(self, text: str) -> str:
        """One round, with what was learnt before."""
        parts: list[str] = []
        end = 0
        for start, stop, kind, word in self._apart(text):
            original = text[start:stop]
            stand_in = word or self._stand_in(kind, original)
            self.found[kind] += 1
            parts += (text[end:start], stand_in, "\n" * original.count("\n"))
            end = stop
        return "".join((*parts, text[end:])) if parts else text

    def _seen(self, text: str) -> Iterator[tuple[Found, str]]:
        """What this text tells by itself, secrets with the word for them."""
        for span in find(text):
            kind = Kind.EMAIL if span.kind is Hidden.EMAIL else Kind.SECRET
            yield Found(span.start, span.end, kind), f"[{span.kind} removed]"
        for one in (*machines(text), *people_and_folders(text)):
            yield one, ""

    def _apart(self, text: str) -> list[tuple[int, int, Kind, str]]:
        """What to hide, in order; what overlaps becomes one, of the kind that comes first."""
        seen = [(one.start, one.end, self._kind(one.kind, text[one.start : one.end]), word)
                for one, word in (*self._seen(text), *self._literals.find(text))]  # fmt: skip
        mails = [(start, end) for start, end, kind, _ in seen if kind is Kind.EMAIL and kind in self._keep]
        merged: list[tuple[int, int, Kind, str]] = []
        for start, end, kind, word in sorted(seen, key=lambda one: (one[0], -one[1], RANKS[one[2]])):
            if kind in self._keep or (kind is not Kind.SECRET and any(a <= start and end <= b for a, b in mails)):
                continue
            if merged and start < merged[-1][1]:
                last = merged[-1]
                first, text_of = min((last[2:], (kind, word)), key=lambda one: RANKS[one[0]])
                merged[-1] = (last[0], max(last[1], end), first, text_of)
            else:
                merged.append((start, end, kind, word))
        return merged

    def _kind(self, kind: Kind, text: str) -> Kind:
        return Kind.NODE if kind is Kind.HOST and self._literals.is_node(text) else kind

    def _stand_in(self, kind: Kind, text: str) -> str:
        """The name for this; a new one if it has none."""
        key = (kind, _key(kind, text))
        if key not in self._given:
            while True:
                self._numbers[kind] += 1
                name = f"{kind}-{self._numbers[kind]}"
                if name not in self._reserved:
                    break
            self._given[key] = name
            self._names.add(name)
        return self._given[key]


def _key(kind: Kind, text: str) -> str:
    """What makes two writings the same thing: a host's first word, where that is a name of its own."""
    if kind in (Kind.HOST, Kind.NODE, Kind.POD):
        first = text.lower().partition(".")[0]
        return first if any(not one.isalpha() for one in first) or kind is not Kind.HOST else text.lower()
    return text.lower() if kind in (Kind.IP, Kind.USER) else text


def redact(data: Mapping[str, Any], *, keep: Collection[Kind] = ()) -> Redacted:
    """The diagnosis's data (docs/diagnosing.md) without what is private; numbers and the order of everything stay."""
    redactor = Redactor(nodes=_nodes(data), keep=keep)
    result: dict[str, Any] = dict(data)
    for _ in range(MOST_ROUNDS):
        redactor.learn(_texts(result))
        hidden = _mapped(result, redactor)
        if hidden == result:
            break
        result = hidden
    return Redacted(result, dict(redactor.found), redactor.stand_ins)


def cut(text: str, stand_ins: Collection[str]) -> list[Piece]:
    """The text, cut where one of these stand-ins or the word for a secret stands."""
    pieces: list[Piece] = []
    end = 0
    marks = sorted((*STAND_IN.finditer(text), *REMOVED.finditer(text)), key=lambda found: found.start())
    for found in marks:
        if found[0] in stand_ins or found[0].startswith("["):
            pieces += (Piece(text[end : found.start()], hidden=False), Piece(found[0], hidden=True))
            end = found.end()
    return [piece for piece in (*pieces, Piece(text[end:], hidden=False)) if piece.text]


def _nodes(data: Mapping[str, Any]) -> Iterator[str]:
    """Names that the diagnosis itself calls nodes."""
    timeline = data.get("timeline")
    rows = timeline.get("rows", ()) if isinstance(timeline, Mapping) else ()
    machines_of = [row for row in rows if isinstance(row, Mapping) and row.get("kind") == "node"]
    for one in (*(data.get("nodes") or ()), *machines_of):
        name = one.get("name") if isinstance(one, Mapping) else None
        if isinstance(name, str) and not is_stand_in(name):
            yield name


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            if not _is_our_link(key, inner):
                yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)


def _mapped(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.hide(value)
    if isinstance(value, Mapping):
        return {
            redactor.hide(key): inner if _is_our_link(key, inner) else _mapped(inner, redactor)
            for key, inner in value.items()
        }
    return [_mapped(inner, redactor) for inner in value] if isinstance(value, list | tuple) else value


def _is_our_link(key: Any, value: Any) -> bool:
    return key in OUR_LINKS and isinstance(value, str) and OURS.fullmatch(value) is not None
