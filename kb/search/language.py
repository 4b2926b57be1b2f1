"""Reads what a person typed into the search box. Pure: text in, a frozen value out, never an exception.

`words`, `"phrases"`, `-exclusions` and filters (`key:value`, `-key:a,b`, `is:open`, `has:fix`) are known; quotes make
anything text. How values are written is `kb.filters.values`; which values there are is decided by the filters.

What was pasted must not be mistaken for an operator:

- A text of several lines, or of more than `LONG` characters, is a paste: all of it is text.
- A line that begins like a command or a log (a prompt, a path, `NAME=value`, `python `, a time, `[rank0]`), or that
  names an error (`RuntimeError: `), is text but for filters with a known key, which people add to what they pasted.
- With a `--flag` in it, nothing is an exclusion, and a filter's key must be known.
- Elsewhere, `-word` is an exclusion after a blank or at the beginning, unless it looks like a flag: one letter
  (`-m`, `-j8`), a `=` in it, or at most three letters with a number behind it (`-tp 2`, `-np 4`).
- An unknown key is a mistake and never silently text, unless it does not look like a filter: less than two letters
  before the colon, or a blank, a digit, a slash or a colon behind it (`cuda:0`, `std::vector`, `RuntimeError: x`).
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from kb.core.addresses import BadAddressError, parse_issue_address
from kb.filters.lookup import Lookup, Named, either
from kb.filters.values import Value, join_values, shown, split_values

MAX_CHARACTERS = 100_000
LONG = 500

# What people write for a key of their habit.
KEY_ALIASES = {"repo": "repository", "created": "opened", "root_cause": "cause", "fix_pattern": "fix"}
# What stands behind `is:` and `has:`.
SHORTHANDS = {
    "is": {
        "open": ("state", "open"),
        "closed": ("state", "closed"),
        "curated": ("curated", "true"),
        "hard": ("hard", "true"),
        "resolved": ("resolved", "true"),
        "pr": ("kind", "pull_request"),
        "issue": ("kind", "issue"),
    },
    "has": {
        "fix": ("has_fix", "true"),
        "resolution": ("resolved", "true"),
        "small_fix": ("small_fix", "true"),
    },
}

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
    r"|.*?\b(?:[A-Z]\w*)?(?:Error|Exception|Warning|Interrupt):\s",
)
EXCLUSION = re.compile(r"-(?![A-Za-z]\d{0,2}$)[^\W\d_][^\s=]*")
SHORT_FLAG = re.compile(r"-[A-Za-z]{1,3}")
NUMBER = re.compile(r"\d")
NO_FILTER = re.compile(r"[\d/\\:]")
ADDRESS = re.compile(r"(?:https?://|(?:www\.)?(?:github|gitee)\.com/)\S+", re.IGNORECASE)
# Behind the number sign: a number, or a code of Gitee's, such as I71V26.
SHORT_NAME = re.compile(r"(?:([\w.-]+)/)?([A-Za-z][\w.-]*)#(\d{1,10}|[Ii](?=\w*\d)[0-9A-Za-z]{1,18})", re.ASCII)


@dataclass(frozen=True)
class Reference:
    """An exact issue that was asked for: parts that were not given are None."""

    ref: str
    name: str
    owner: str | None = None
    host: str | None = None


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
    """A piece of the text: its place, what kind it is, and the filters that it makes."""

    start: int
    end: int
    kind: str
    text: str = ""
    filters: tuple[BoxFilter, ...] = ()


def parse(raw: str, keys: Collection[str] = ()) -> Query:
    """Parse any text; `keys` are the filters' keys (without any, no filter is read). Over-long text is cut."""
    text, was_cut = _clean(raw)
    if "\n" in text or len(text) > LONG:
        notices = _filters_in_paste(text, keys)
        return Query(text, words=text, notices=notices, is_paste=True, was_cut=was_cut)
    tokens = list(_tokens(text, keys))
    return Query(
        text=text,
        words=" ".join(_of(tokens, "word")),
        phrases=_of(tokens, "phrase"),
        exclusions=_of(tokens, "exclusion"),
        filters=tuple(one for token in tokens for one in token.filters),
        mistakes=_of(tokens, "mistake"),
        notices=_of(tokens, "notice"),
        reference=_reference(text),
        was_cut=was_cut,
    )


def without_filter(raw: str, keys: Collection[str], key: str = "", value: Value | None = None) -> str:
    """The box's text without one value of a filter; without the filter; or, when no key is given, without any."""
    text, _ = _clean(raw)
    if "\n" in text or len(text) > LONG:
        return text
    parts = []
    done = 0
    for token in _tokens(text, keys):
        gone = [one for one in token.filters if key in ("", one.key) and value in (None, one.value)]
        if gone:
            parts += [text[done : token.start], _rewritten(token, gone)]
            done = token.end
    return " ".join("".join([*parts, text[done:]]).split())


def _rewritten(token: _Token, gone: Sequence[BoxFilter]) -> str:
    """A filter's token without some of its values."""
    kept = [one for one in token.filters if one not in gone]
    name, _, values = token.text.removeprefix("-").partition(":")
    if not kept:
        return ""
    if name.lower() not in SHORTHANDS:
        return f"{name}:{join_values(one.value for one in kept)}"
    pieces = [piece for piece in split_values(values) if _shorthand(name.lower(), piece.text) in _targets(kept)]
    minus = "-" if token.text.startswith("-") else ""
    return f"{minus}{name}:{join_values(pieces)}"


def _targets(filters: Sequence[BoxFilter]) -> set[tuple[str, str]]:
    return {(one.key, one.value.text) for one in filters}


def _clean(raw: str) -> tuple[str, bool]:
    """The text without what cannot be shown, on one line unless it has several, and whether it was cut."""
    text = raw.encode("utf-8", "ignore").decode("utf-8").replace("\x00", " ").strip()
    cut = text[:MAX_CHARACTERS].strip()
    lines = [line.rstrip() for line in cut.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return "\n".join(lines) if len(lines) > 1 else " ".join(cut.split()), len(text) > MAX_CHARACTERS


def _of(tokens: Sequence[_Token], kind: str) -> tuple[str, ...]:
    return tuple(token.text for token in tokens if token.kind == kind)


def _tokens(text: str, keys: Collection[str]) -> Iterator[_Token]:
    """The pieces of one line, in order."""
    is_line = bool(LINE.match(text))
    has_flags = is_line or bool(FLAG.search(text))
    matches = list(TOKEN.finditer(text))
    for place, match in enumerate(matches):
        token = None
        if match["key"] and keys:
            token = _filter(match, keys, is_strict=not has_flags)
        elif match["phrase"] is not None and not is_line:
            token = _Token(0, 0, "exclusion" if match["minus"] else "phrase", match["phrase"].strip())
        if token is None and not has_flags:
            following = matches[place + 1][0] if place + 1 < len(matches) else ""
            token = _exclusion(match[0], following)
        token = token or _Token(0, 0, "word", match[0].replace('"', "") if not is_line else match[0])
        if token.filters or HAS_LETTER.search(token.text):
            yield replace(token, start=match.start(), end=match.end())


def _exclusion(typed: str, following: str) -> _Token | None:
    """An exclusion, unless it looks like a flag."""
    if not EXCLUSION.fullmatch(typed) or (SHORT_FLAG.fullmatch(typed) and NUMBER.match(following)):
        return None
    return _Token(0, 0, "exclusion", typed[1:].replace('"', ""))


def _filter(match: re.Match[str], keys: Collection[str], *, is_strict: bool) -> _Token | None:
    """A filter, a mistake, or nothing when it is text. `is_strict`: is an unknown key a mistake?"""
    said = match["key"].lower()
    key = KEY_ALIASES.get(said, said)
    typed = match["value"]
    if key not in keys and key not in SHORTHANDS:
        looks_like_one = typed and not NO_FILTER.match(typed)
        return _mistake(_unknown_key(match[0], said, keys)) if is_strict and looks_like_one else None
    values = split_values(typed)
    if not values:
        is_last = match.end() == len(match.string)
        return _Token(0, 0, "notice", f"{shown(match[0])} has no value yet and was left out.") if is_last else None
    if match["no"]:
        values = tuple(replace(value, unwanted=True) for value in values)
    if key in SHORTHANDS:
        return _shorthands(match[0], key, values)
    return _Token(0, 0, "filter", match[0], tuple(BoxFilter(key, value) for value in values))


def _shorthands(typed: str, word: str, values: Sequence[Value]) -> _Token:
    """What `is:` or `has:` asks for."""
    found = [(_shorthand(word, value.text), value) for value in values]
    for target, value in found:
        if target is None:
            known = ", ".join(f"{word}:{name}" for name in SHORTHANDS[word])
            return _mistake(f"{shown(f'{word}:{value.text}')} is not known. Known are: {known}. Quotes make it text.")
    filters = tuple(BoxFilter(target[0], Value(target[1], value.unwanted)) for target, value in found if target)
    if len({one.key for one in filters}) > 1:
        return _mistake(f"{shown(typed)} asks several questions at once: write each with its own {word}:.")
    return _Token(0, 0, "filter", typed, filters)


def _shorthand(word: str, value: str) -> tuple[str, str] | None:
    return SHORTHANDS[word].get(value.lower().replace("-", "_"))


def _unknown_key(typed: str, said: str, keys: Collection[str]) -> str:
    names = [*keys, *SHORTHANDS, *KEY_ALIASES]
    near = either([shown(f"{named.value}:") for named in Lookup(Named(name, name) for name in names).nearest(said)])
    hint = f"Nearest: {near}." if near else f"Filters are, among others: {', '.join(list(keys)[:6])}."
    return f"{shown(said + ':')} is not a filter. {hint} To search for it as text, put it in quotes: " + (
        f'"{typed[:60].replace(chr(34), "")}".'
    )


def _mistake(text: str) -> _Token:
    return _Token(0, 0, "mistake", text)


def _filters_in_paste(text: str, keys: Collection[str]) -> tuple[str, ...]:
    """A note for one who wrote a filter into a paste, where it does not count."""
    last = text[-LONG:].rpartition("\n")[2].split()[-1:]
    match = TOKEN.fullmatch(last[0]) if last else None
    if not match or not match["key"] or match["key"].lower() not in {*keys, *SHORTHANDS, *KEY_ALIASES}:
        return ()
    return (f"This is a long text, so all of it was searched as text, {shown(match[0])} too.",)


def _reference(text: str) -> Reference | None:
    """The issue that the whole text names."""
    if ADDRESS.fullmatch(text):
        return _address(text if "://" in text else f"https://{text}")
    if short := SHORT_NAME.fullmatch(text):
        owner, name, ref = short.groups()
        return Reference(ref=ref, name=name, owner=owner)
    return None


def _address(text: str) -> Reference | None:
    try:
        address = parse_issue_address(text)
    except BadAddressError:
        return None
    owner, name = address.repository.full_name.split("/")
    return Reference(ref=address.ref, name=name, owner=owner, host=address.repository.host)
