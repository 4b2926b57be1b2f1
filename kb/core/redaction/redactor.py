"""Replaces what was found by stand-ins: the same thing gets the same one in every text of a diagnosis.

What is found in one text is looked for in all, since a name that says what it is in one line stands bare in another.
What a round hides may lay bare more (a password's end that looks like a host), so rounds follow until nothing changes:
hiding twice therefore hides nothing more.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kb.core.redaction.findings import STAND_IN, Kind, is_stand_in
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
    """A stretch of redacted text; `hidden`: it is a stand-in."""

    text: str
    hidden: bool


class Hit(NamedTuple):
    """Something to hide: where it stands, and, for secrets, the word that replaces it."""

    start: int
    end: int
    kind: Kind
    word: str


@dataclass(frozen=True)
class Redacted:
    """A diagnosis without what is private. `found`: how many places of each kind; `stand_ins`: the names given."""

    data: dict[str, Any]
    found: Mapping[Kind, int]
    stand_ins: frozenset[str] = field(default_factory=frozenset)

    def pieces(self, text: str) -> list[Piece]:
        """The text, cut at its stand-ins."""
        return cut(text, self.stand_ins)


class Redactor:
    """Hides what is private in any number of texts. `nodes`: names that are known to be nodes; `keep`: kinds to show.

    Names are learnt from all texts before any is redacted; `redact` learns from a single text by itself. Secrets are
    never kept.
    """

    def __init__(self, *, nodes: Iterable[str] = (), keep: Collection[Kind] = ()) -> None:
        self._keep = frozenset(kind for kind in keep if kind.may_be_kept)
        self._literals = Literals()
        self._stand_ins: dict[tuple[Kind, str], str] = {}
        self._names: set[str] = set()
        self._numbers: Counter[Kind] = Counter()
        self._reserved: set[str] = set()
        # What each stand-in was given for first; secrets have none.
        self.originals: dict[str, str] = {}
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
            self._reserved.update(match[0] for match in STAND_IN.finditer(text) if match[0] not in self._names)
            for hit in _hits(text):
                self._literals.add(text[hit.start : hit.end], hit.kind, hit.word)

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
        for hit in self._merged(text):
            original = text[hit.start : hit.end]
            stand_in = hit.word or self._stand_in(hit.kind, original)
            self.found[hit.kind] += 1
            parts += (text[end : hit.start], stand_in, "\n" * original.count("\n"))
            end = hit.end
        return "".join((*parts, text[end:])) if parts else text

    def _merged(self, text: str) -> list[Hit]:
        """What to hide, in order; what overlaps becomes one, of the kind that comes first."""
        hits = _hits(text)
        hits += [Hit(*finding, word) for finding, word in self._literals.find(text)]
        for number, hit in enumerate(hits):
            if hit.kind is Kind.HOST and self._literals.is_node(text[hit.start : hit.end]):
                hits[number] = hit._replace(kind=Kind.NODE)
        hits.sort(key=lambda hit: (hit.start, -hit.end, RANKS[hit.kind]))
        kept_mails = [hit for hit in hits if hit.kind is Kind.EMAIL and hit.kind in self._keep]
        merged: list[Hit] = []
        for hit in hits:
            is_in_mail = any(mail.start <= hit.start and hit.end <= mail.end for mail in kept_mails)
            if hit.kind in self._keep or (is_in_mail and hit.kind is not Kind.SECRET):
                continue
            if merged and hit.start < merged[-1].end:
                last = merged[-1]
                first = min(last, hit, key=lambda hit: RANKS[hit.kind])
                merged[-1] = Hit(last.start, max(last.end, hit.end), first.kind, first.word)
            else:
                merged.append(hit)
        return merged

    def _stand_in(self, kind: Kind, text: str) -> str:
        """The name for this; a new one if it has none."""
        key = (kind, _key(kind, text))
        if key not in self._stand_ins:
            name = ""
            while not name or name in self._reserved:
                self._numbers[kind] += 1
                name = f"{kind}-{self._numbers[kind]}"
            self._stand_ins[key] = name
            self._names.add(name)
            self.originals[name] = text
        return self._stand_ins[key]


def _hits(text: str) -> list[Hit]:
    """What this text tells by itself, secrets with the word for them."""
    hits: list[Hit] = []
    for span in find(text):
        kind = Kind.EMAIL if span.kind is Hidden.EMAIL else Kind.SECRET
        hits.append(Hit(span.start, span.end, kind, f"[{span.kind} removed]"))
    hits += [Hit(*finding, "") for finding in (*machines(text), *people_and_folders(text))]
    return hits


def _key(kind: Kind, text: str) -> str:
    """Equal for two spellings of one thing: a host's first label, where that is a name of its own."""
    if kind in (Kind.HOST, Kind.NODE, Kind.POD):
        first = text.lower().partition(".")[0]
        return text.lower() if kind is Kind.HOST and (first.isalpha() or not first) else first
    return text.lower() if kind in (Kind.IP, Kind.USER) else text


def redact(data: Mapping[str, Any], *, keep: Collection[Kind] = ()) -> Redacted:
    """The diagnosis's data (docs/diagnosing.md) without what is private; numbers and the order of everything stay."""
    redactor = Redactor(nodes=_nodes(data), keep=keep)
    result: dict[str, Any] = dict(data)
    for _ in range(MOST_ROUNDS):
        redactor.learn(_texts(result))
        hidden = _hidden(result, redactor)
        if hidden == result:
            break
        result = hidden
    return Redacted(result, dict(redactor.found), redactor.stand_ins)


def cut(text: str, stand_ins: Collection[str]) -> list[Piece]:
    """The text, cut where one of these stand-ins or the word for a secret stands."""
    pieces: list[Piece] = []
    end = 0
    for match in sorted((*STAND_IN.finditer(text), *REMOVED.finditer(text)), key=re.Match.start):
        if match[0] in stand_ins or match[0].startswith("["):
            pieces += (Piece(text[end : match.start()], hidden=False), Piece(match[0], hidden=True))
            end = match.end()
    return [piece for piece in (*pieces, Piece(text[end:], hidden=False)) if piece.text]


def _nodes(data: Mapping[str, Any]) -> Iterator[str]:
    """Names that the diagnosis itself calls nodes."""
    timeline = data.get("timeline")
    rows = timeline.get("rows", ()) if isinstance(timeline, Mapping) else ()
    machines_of = [row for row in rows if isinstance(row, Mapping) and row.get("kind") == "node"]
    for node in (*(data.get("nodes") or ()), *machines_of):
        name = node.get("name") if isinstance(node, Mapping) else None
        if isinstance(name, str) and not is_stand_in(name):
            yield name


def _texts(value: object) -> Iterator[str]:
    """All texts in a JSON value, keys among them."""
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


def _hidden(value: Any, redactor: Redactor) -> Any:
    """The same JSON value with all its texts hidden."""
    if isinstance(value, str):
        return redactor.hide(value)
    if isinstance(value, list | tuple):
        return [_hidden(inner, redactor) for inner in value]
    if not isinstance(value, Mapping):
        return value
    hidden: dict[str, Any] = {}
    for key, inner in value.items():
        hidden[redactor.hide(key)] = inner if _is_our_link(key, inner) else _hidden(inner, redactor)
    return hidden


def _is_our_link(key: object, value: object) -> bool:
    return key in OUR_LINKS and isinstance(value, str) and OURS.fullmatch(value) is not None
