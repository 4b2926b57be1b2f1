"""Turns text into search words, alike for documents and queries.

Identifiers, paths and flags fall apart into their parts and are kept whole beside them; spellings of the same
notation are folded; what differs from run to run (addresses, times, hashes) is dropped.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import chain

import Stemmer  # type: ignore[import-not-found]  # a compiled module without stubs

MAX_RUN = 80
MAX_DIGITS = 6
# Kept in memory, about 200 bytes each.
MOST_CHUNKS = 200_000

ANSI = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")
URL = re.compile(rb"https?://\S+")
# What begins with a digit and holds blanks or colons. That the first digit begins a word is asked behind it: then
# the search for it is a search for a digit, which is fast. So it is with the "z" and the digit below.
TIME = re.compile(
    rb"\d(?<!\w\d)(?:"
    rb"\d?:\d\d:\d\d(?:[.,]\d+)?\b"
    rb"|\d{3}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?"
    rb"|\d-\d{2}(?= \d\d:\d\d))"
)
# Addresses in memory, ids and hashes: each lies within one run of characters.
HASH = re.compile(
    r"\b0x[0-9a-fA-F]{5,}\b"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b"
)
SHORTEST_HASH = len("0x") + 5
# Where TIME finds something, one of these does behind the first digits, and BITS_PART in the text in small letters
# where BITS does: patterns that begin with a plain sign are looked for much faster.
TIME_PARTS = re.compile(rb":(?=\d\d:\d\d)"), re.compile(rb"-(?=\d\d(?:-\d\d| \d\d:\d\d))")
MOST_FIRST_DIGITS = 4
BITS_PART = re.compile(rb"bit(?:(?<=\dbit)|(?<=\d[\s-]bit))")
ZERO_PART = re.compile(rb"zero")
ZERO = re.compile(rb"[zZ](?<!\w[zZ])[eE][rR][oO][\s_-]*(?:[sS][tT][aA][gG][eE][\s_-]*)?([0-3])\b")
BITS = re.compile(rb"(\d(?<!\w\d)\d?)[\s-]?[bB][iI][tT][sS]?\b")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
PLAIN_RUN = r"[A-Za-z0-9][A-Za-z0-9_]*(?:[.+-][A-Za-z0-9_]+)*"
ASCII_RUN = re.compile(PLAIN_RUN)
RUN = re.compile(PLAIN_RUN + r"|[\u3400-\u9fff\uf900-\ufaff]+|[\u3040-\u30ff\uac00-\ud7af]+|[^\W\d_]+")
# In UTF-8, every sign of ASCII that is in no run becomes a blank: a chunk between blanks is understood by itself.
GAPS = bytes(sign if sign > 127 or chr(sign).isalnum() or chr(sign) in "_.+-" else ord(" ") for sign in range(256))
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
VERSION = re.compile(r"v?\d+(?:\.\d+)+(?:[.-]?(?:post|rc|dev|a|b)\d+)?", re.IGNORECASE)
SEPARATOR = re.compile(r"[._+-]")

# Forms that the stemmer does not lead back to the word people search for.
IRREGULAR = {
    "hung": "hang", "froze": "freez", "frozen": "freez", "broke": "break", "broken": "break", "ran": "run",
    "lost": "lose", "wrote": "write", "written": "write", "built": "build", "sent": "send", "fell": "fall",
    "took": "take", "threw": "throw", "thrown": "throw", "kept": "keep", "gave": "give", "given": "give",
    "went": "go", "got": "get", "slower": "slow", "slowest": "slow", "faster": "fast", "dies": "die",
    "died": "die", "dying": "die", "dead": "die",
}  # fmt: skip

_english = Stemmer.Stemmer("english")


@lru_cache(200_000)
def stem(word: str) -> str:
    """The stem of a lower-case English word."""
    return IRREGULAR.get(word) or str(_english.stemWord(word))


def words(text: str) -> list[str]:
    """The search words of any text, in its order; a compound comes before its parts."""
    return " ".join(map(_words_of_chunk, _chunks(text))).split()


def joined_words(text: str, most: int) -> str:
    """The first search words of any text, at most so many, with blanks between: sooner done than by joining words."""
    joined = " ".join(filter(None, map(_words_of_chunk, _chunks(text))))
    return " ".join(joined.split(" ", most)[:most]) if joined.count(" ") >= most else joined


def runs(text: str) -> list[tuple[str, ...]]:
    """The search words of any text by the runs of characters that they come from: `all_reduce` is one run."""
    return list(filter(None, map(run_words, written(text))))


def written(text: str) -> list[str]:
    """The runs of characters that may make words, as they are written; times and web addresses are left out."""
    return _runs_in(_without_noise(text).decode("utf-8", "surrogatepass"))


def _chunks(text: str) -> list[bytes]:
    return _without_noise(text).translate(GAPS).split()


def _without_noise(text: str) -> bytes:
    """The text in UTF-8, without times and web addresses, the spellings of one notation made one."""
    # Every search for a plain string here saves a slower one for a pattern.
    raw = text.encode("utf-8", "surrogatepass")
    if b"\x1b" in raw:
        raw = ANSI.sub(b" ", raw)
    if b"http" in raw:
        raw = URL.sub(b" ", raw)
    times = sorted(_starts(TIME_PARTS[0], raw) + _starts(TIME_PARTS[1], raw))
    if times:
        raw = _rewritten(raw, times, MOST_FIRST_DIGITS, TIME, lambda _: b" ")
    small = raw.lower()
    if b"zero" in small:
        raw = _rewritten(raw, _starts(ZERO_PART, small), 0, ZERO, lambda match: b"zero" + match[1])
        small = raw.lower()
    if b"bit" in small:
        raw = _rewritten(raw, _starts(BITS_PART, small), MOST_FIRST_DIGITS, BITS, lambda match: match[1] + b"bit")
    return raw


def _starts(pattern: re.Pattern[bytes], raw: bytes) -> list[int]:
    return [match.start() for match in pattern.finditer(raw)]


def _rewritten(
    raw: bytes, places: list[int], before: int, pattern: re.Pattern[bytes], rewrite: Callable[[re.Match[bytes]], bytes]
) -> bytes:
    """The text with each match rewritten that begins at a place or up to `before` signs ahead of it.

    Matching at a few places takes much less than looking for the pattern everywhere.
    """
    parts: list[bytes] = []
    end = 0
    for place in places:
        for start in range(max(end, place - before), place + 1):
            if match := pattern.match(raw, start):
                parts += raw[end:start], rewrite(match)
                end = match.end()
                break
    return b"".join([*parts, raw[end:]])


def _runs_in(text: str) -> list[str]:
    runs = (ASCII_RUN if text.isascii() else RUN).findall(text)
    return [run[:MAX_RUN] for run in runs] if max(map(len, runs), default=0) > MAX_RUN else runs


@lru_cache(200_000)
def run_words(run: str) -> tuple[str, ...]:
    """The words of one run of characters without blanks; none of what differs from one occasion to the next."""
    if len(run) >= SHORTEST_HASH and (rest := HASH.sub(" ", run)) != run:
        return tuple(words(rest))
    if CJK.match(run):
        return tuple(run[i : i + 2] for i in range(len(run) - 1)) or (run,)
    if run.isdigit():
        return (run,) if len(run) <= MAX_DIGITS else ()
    if VERSION.fullmatch(run):
        return (run.lower().lstrip("v"),)
    words_of_run: list[str] = []
    for dotted in run.split("."):
        parts: list[str] = []
        for piece in SEPARATOR.split(dotted):
            parts += [part.lower() for part in CAMEL.split(piece) if part]
        if len(parts) > 1:
            words_of_run.append(stem("".join(parts)))
        words_of_run += [stem(part) for part in parts if not part.isdigit() or len(part) <= MAX_DIGITS]
    return tuple(words_of_run)


class _Chunks(dict[bytes, str]):
    """The words of every chunk that was met, joined: looking them up is all that most words of a text cost.

    One string for each chunk, not a tuple of words: what lies scattered in memory takes longest to reach.
    """

    def __missing__(self, chunk: bytes) -> str:
        joined = " ".join(chain.from_iterable(map(run_words, _runs_in(chunk.decode("utf-8", "surrogatepass")))))
        # What is long hardly comes again.
        if len(chunk) <= MAX_RUN:
            if len(self) >= MOST_CHUNKS:
                self.clear()
            self[chunk] = joined
        return joined


_words_of_chunk = _Chunks().__getitem__
