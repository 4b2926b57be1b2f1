"""Reads what a person typed into the search box: text in, a frozen value out, never an exception.

`words`, `"phrases"`, `-exclusions` and filters (`key:value`, `-key:a,b`, `is:open`, `has:fix`) are known; quotes make
anything text. How values are written is `kb.core.search.filter_values`; who asks says which filters there are (`Keys`).

What was pasted must not be mistaken for an operator:

- A text of several lines, or of more than `LONG` characters, is a paste: all of it is text.
- A line that begins like a command or a log (prompt, path, `NAME=value`, `python `, time, `INFO:`, `[rank0]`), or that
  names an error (`RuntimeError: `), is text but for filters with a known key, which people add to what they pasted.
- With a `--flag` in it, nothing is an exclusion, and a filter's key must be known.
- Elsewhere, `-word` is an exclusion after a blank or at the beginning, unless it looks like a flag: one letter
  (`-m`, `-j8`), a `=` in it, or at most three letters with a number behind it (`-tp 2`, `-np 4`).
- An unknown key is a mistake and never silently text, unless it does not look like a filter: less than two letters
  before the colon, or a blank, a digit, a slash or a colon behind it (`cuda:0`, `std::vector`, `RuntimeError: x`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb.core.addresses import BadAddressError, parse_issue_address
from kb.core.public_ids import public_id_of
from kb.core.search.filter_values import Value, join_values, shown, split_values
from kb.core.search.keys import NO_KEYS, Keys
from kb.core.search.lookup import Lookup, Named, either

MAX_CHARACTERS = 100_000
LONG = 500

# What people write for a key of their habit.
KEY_ALIASES = {"repo": "repository", "created": "opened", "root_cause": "cause", "fix_pattern": "fix"}

TOKEN = re.compile(
    r'(?P<minus>-)?"(?P<phrase>[^"]*)"'
    r'|(?P<no>-)?(?P<key>[A-Za-z][A-Za-z_]+):(?P<value>(?:"[^"]*"|[^\s"])+(?!\S)|\S*)'
    r"|(?P<word>\S+)"
)
HAS_LETTER = re.compile(r"\w")
FLAG = re.compile(r"(?<!\S)--[A-Za-z]")
LINE = re.compile(
    r"[$%>#]\s|>>>|/|\.{1,2}/|~/|[A-Za-z]:\\|\[(?:rank|\d|[WEIF]\s)|\d{4}-\d\d-\d\d[\sT]|\d\d:\d\d:\d\d"
    r"|[A-Z_][A-Z0-9_]*=\S|(?:python3?|pip3?|torchrun|mpirun|srun|sudo|bash|sh)\s|Traceback|File \""
    r"|(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL):"
    r"|.*?\b(?:[A-Z]\w*)?(?:Error|Exception|Warning|Interrupt):\s",
)
EXCLUSION = re.compile(r"-(?![A-Za-z]\d{0,2}$)[^\W\d_][^\s=]*")
SHORT_FLAG = re.compile(r"-[A-Za-z]{1,3}")
NUMBER = re.compile(r"\d")
NO_FILTER = re.compile(r"[\d/\\:]")
ADDRESS = re.compile(r"(?:https?://|(?:www\.)?(?:github|gitee)\.com/)\S+", re.IGNORECASE)
# Behind the number sign: a number, or a code of Gitee's, such as I71V26.
SHORT_NAME = re.compile(r"(?:([\w.-]+)/)?([A-Za-z][\w.-]*)#(\d{1,10}|[Ii](?=\w*\d)[0-9A-Za-z]{1,18})", re.ASCII)
# The path of a page here, and of one on a host, with or without what stands before it.
OWN_PAGE = re.compile(r"(?:https?://[^\s/]+)?/?issues/((?:github|gitee)\.com)/([\w.-]+)/([\w.-]+)/(\w{1,19})", re.ASCII)
FAULT_PAGE = re.compile(r"(?:https?://[^\s/]+)?/?issues/(FB-[0-9A-F]+)/?", re.ASCII | re.IGNORECASE)
HOST_PATH = re.compile(r"/?([\w.-]+)/([\w.-]+)/(?:issues|pull|pulls)/(\w{1,19})", re.ASCII)
# People copy a name with what stands around it in a sentence or in Markdown; quotes make it text.
AROUND_NAME = " <>()[]'`.,;"


@dataclass(frozen=True)
class Reference:
    """An exact issue that was asked for: parts that were not given are None. A public id says all by itself."""

    ref: str
    name: str
    owner: str | None = None
    host: str | None = None
    public_id: str | None = None


@dataclass(frozen=True)
class BoxFilter:
    """One value of a filter in the box, as it was typed; the key is the filter's own."""

    key: str
    value: Value


@dataclass(frozen=True)
class Query:
    """What the box's text asks for.

    `text` is the whole of it, as the box shows it again; `words` is the free text in it. `mistakes` and `notices`
    are sentences for the person who typed.
    """

    text: str
    words: str = ""
    phrases: tuple[str, ...] = ()
    exclusions: tuple[str, ...] = ()
    filters: tuple[BoxFilter, ...] = ()
    mistakes: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    reference: Reference | None = None
    is_paste: bool = False
    was_cut: bool = False

    @property
    def is_empty(self) -> bool:
        """Does the query ask for nothing in particular?"""
        return not self.words and not self.phrases


@dataclass(frozen=True)
class _Token:
    """A piece of the text: what kind it is, the filters that it makes, and its place."""

    kind: str
    text: str = ""
    filters: tuple[BoxFilter, ...] = ()
    start: int = 0
    end: int = 0


def parse(raw: str, keys: Keys = NO_KEYS) -> Query:
    """Parse any text; Without `keys`, no filter is read. Over-long text is cut."""
    text, was_cut = _clean(raw)
    if _is_paste(text):
        notices = _filters_in_paste(text, keys)
        return Query(text, words=text, notices=notices, is_paste=True, was_cut=was_cut)
    texts: dict[str, list[str]] = {}
    filters: list[BoxFilter] = []
    for token in _tokens(text, keys):
        texts.setdefault(token.kind, []).append(token.text)
        filters += token.filters
    return Query(
        text=text,
        words=" ".join(texts.get("word", ())),
        phrases=tuple(texts.get("phrase", ())),
        exclusions=tuple(texts.get("exclusion", ())),
        filters=tuple(filters),
        mistakes=tuple(texts.get("mistake", ())),
        notices=tuple(texts.get("notice", ())),
        reference=_reference(text),
        was_cut=was_cut,
    )


def without_filter(raw: str, keys: Keys, key: str = "", value: Value | None = None) -> str:
    """The box's text without one value of a filter; without the filter; or, when no key is given, without any."""
    text, _ = _clean(raw)
    if _is_paste(text):
        return text
    parts = []
    end = 0
    for token in _tokens(text, keys):
        removed = [term for term in token.filters if key in ("", term.key) and value in (None, term.value)]
        if removed:
            parts += [text[end : token.start], _rewritten(token, removed, keys)]
            end = token.end
    return " ".join("".join([*parts, text[end:]]).split())


def _rewritten(token: _Token, removed: Sequence[BoxFilter], keys: Keys) -> str:
    """A filter's token without some of its values."""
    left = [term for term in token.filters if term not in removed]
    if not left:
        return ""
    name, _, typed = token.text.removeprefix("-").partition(":")
    word = name.lower()
    if word not in keys.shorthands:
        return f"{name}:{join_values(term.value for term in left)}"
    targets = {(term.key, term.value.text) for term in left}
    values = [value for value in split_values(typed) if _shorthand(keys, word, value.text) in targets]
    minus = "-" if token.text.startswith("-") else ""
    return f"{minus}{name}:{join_values(values)}"


def _is_paste(text: str) -> bool:
    return "\n" in text or len(text) > LONG


def _clean(raw: str) -> tuple[str, bool]:
    """The text without what cannot be shown, on one line unless it has several, and whether it was cut."""
    text = raw.encode("utf-8", "ignore").decode("utf-8").replace("\x00", " ").strip()
    cut = text[:MAX_CHARACTERS].strip()
    lines = [line.rstrip() for line in cut.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    if len(lines) == 1:
        return " ".join(cut.split()), len(text) > MAX_CHARACTERS
    return "\n".join(lines), len(text) > MAX_CHARACTERS


def _tokens(text: str, keys: Keys) -> Iterator[_Token]:
    """The pieces of one line, in order."""
    is_line = bool(LINE.match(text))
    has_flags = is_line or bool(FLAG.search(text))
    matches = list(TOKEN.finditer(text))
    for place, match in enumerate(matches):
        token = None
        if match["key"] and keys.names:
            token = _filter(match, keys, is_strict=not has_flags)
        elif match["phrase"] is not None and not is_line:
            token = _Token("exclusion" if match["minus"] else "phrase", match["phrase"].strip())
        if token is None and not has_flags:
            following = matches[place + 1][0] if place + 1 < len(matches) else ""
            token = _exclusion(match[0], following)
        if token is None:
            token = _Token("word", match[0] if is_line else match[0].replace('"', ""))
        if token.filters or HAS_LETTER.search(token.text):
            yield replace(token, start=match.start(), end=match.end())


def _exclusion(typed: str, following: str) -> _Token | None:
    """An exclusion, unless it looks like a flag."""
    if not EXCLUSION.fullmatch(typed) or (SHORT_FLAG.fullmatch(typed) and NUMBER.match(following)):
        return None
    return _Token("exclusion", typed[1:].replace('"', ""))


def _filter(match: re.Match[str], keys: Keys, *, is_strict: bool) -> _Token | None:
    """A filter, a mistake, or nothing when it is text. `is_strict`: is an unknown key a mistake?"""
    name = match["key"].lower()
    key = KEY_ALIASES.get(name, name)
    typed = match["value"]
    if key not in keys.names and key not in keys.shorthands:
        if is_strict and typed and not NO_FILTER.match(typed):
            return _Token("mistake", _unknown_key(match[0], name, keys))
        return None
    values = split_values(typed)
    if not values:
        is_last = match.end() == len(match.string)
        return _Token("notice", f"{shown(match[0])} has no value yet and was left out.") if is_last else None
    if match["no"]:
        values = tuple(replace(value, unwanted=True) for value in values)
    if key in keys.shorthands:
        return _shorthands(match[0], key, values, keys)
    return _Token("filter", match[0], tuple(BoxFilter(key, value) for value in values))


def _shorthands(typed: str, word: str, values: Sequence[Value], keys: Keys) -> _Token:
    """What `is:` or `has:` asks for."""
    filters = []
    for value in values:
        target = _shorthand(keys, word, value.text)
        if target is None:
            known = ", ".join(f"{word}:{name}" for name in keys.shorthands[word])
            problem = f"{shown(f'{word}:{value.text}')} is not known. Known are: {known}. Quotes make it text."
            return _Token("mistake", problem)
        key, text = target
        filters.append(BoxFilter(key, Value(text, value.unwanted)))
    if len({term.key for term in filters}) > 1:
        return _Token("mistake", f"{shown(typed)} asks several questions at once: write each with its own {word}:.")
    return _Token("filter", typed, tuple(filters))


def _shorthand(keys: Keys, word: str, value: str) -> tuple[str, str] | None:
    return keys.shorthands[word].get(value.lower().replace("-", "_"))


def _unknown_key(typed: str, name: str, keys: Keys) -> str:
    known = Lookup(Named(key, key) for key in (*keys.names, *keys.shorthands, *KEY_ALIASES))
    near = either([shown(f"{key.value}:") for key in known.nearest(name)])
    hint = f"Nearest: {near}." if near else f"Filters are, among others: {', '.join(list(keys.names)[:6])}."
    quoted = typed[:60].replace('"', "")
    return f'{shown(name + ":")} is not a filter. {hint} To search for it as text, put it in quotes: "{quoted}".'


def _filters_in_paste(text: str, keys: Keys) -> tuple[str, ...]:
    """A note for one who wrote a filter into a paste, where it does not count."""
    last = text[-LONG:].rpartition("\n")[2].split()[-1:]
    match = TOKEN.fullmatch(last[0]) if last else None
    if not match or not match["key"] or match["key"].lower() not in {*keys.names, *keys.shorthands, *KEY_ALIASES}:
        return ()
    return (f"This is a long text, so all of it was searched as text, {shown(match[0])} too.",)


def _reference(text: str) -> Reference | None:
    """The issue that the whole text names."""
    text = text.strip(AROUND_NAME)
    if public_id := public_id_of(FAULT_PAGE.sub(r"\1", text)):
        return Reference(ref=public_id, name="", public_id=public_id)
    if own := OWN_PAGE.fullmatch(text):
        return Reference(ref=own[4], name=own[3], owner=own[2], host=own[1])
    if ADDRESS.fullmatch(text):
        return _addressed(text)
    if path := HOST_PATH.fullmatch(text):
        return Reference(ref=path[3], name=path[2], owner=path[1])
    short = SHORT_NAME.fullmatch(text)
    return Reference(ref=short[3], name=short[2], owner=short[1]) if short else None


def _addressed(text: str) -> Reference | None:
    try:
        address = parse_issue_address(text if "://" in text else f"https://{text}")
    except BadAddressError:
        return None
    owner, name = address.repository.full_name.split("/")
    return Reference(ref=address.ref, name=name, owner=owner, host=address.repository.host)
