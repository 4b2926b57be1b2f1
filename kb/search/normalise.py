"""Turns text into search words, alike for documents and queries. Pure: text in, words out.

Identifiers, paths and flags fall apart into their parts and are kept whole beside them; spellings of the same
notation are folded; what differs from run to run (addresses, times, hashes) is dropped.
"""

import re
from functools import lru_cache

import Stemmer  # type: ignore[import-not-found]  # a compiled module without stubs

MAX_RUN = 80
MAX_DIGITS = 6

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NOISE = re.compile(
    r"https?://\S+"
    r"|\b0x[0-9a-fA-F]{5,}\b"
    r"|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,}\b"
    r"|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?Z?)?"
    r"|\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b"
    r"|\b\d{2}-\d{2}(?= \d\d:\d\d)"
)
ZERO = re.compile(r"\bzero[\s_-]*(?:stage[\s_-]*)?([0-3])\b", re.IGNORECASE)
BITS = re.compile(r"\b(\d{1,2})[\s-]?bits?\b", re.IGNORECASE)
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
RUN = re.compile(
    r"[A-Za-z0-9][A-Za-z0-9_]*(?:[.+-][A-Za-z0-9_]+)*"
    r"|[\u3400-\u9fff\uf900-\ufaff]+|[\u3040-\u30ff\uac00-\ud7af]+|[^\W\d_]+"
)
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
    return [word for run in runs(text) for word in run]


def runs(text: str) -> list[tuple[str, ...]]:
    """The search words of any text by the runs of characters that they come from: `all_reduce` is one run."""
    return [run_words(run) for run in written(text)]


def written(text: str) -> list[str]:
    """The runs of characters that make words, as they are written, without what differs from run to run."""
    text = NOISE.sub(" ", ANSI.sub(" ", text))
    text = BITS.sub(r"\1bit", ZERO.sub(r"zero\1", text))
    return [run[:MAX_RUN] for run in RUN.findall(text)]


@lru_cache(200_000)
def run_words(run: str) -> tuple[str, ...]:
    """The words of one run of characters without blanks."""
    if CJK.match(run):
        return (run,) if len(run) == 1 else tuple(run[i : i + 2] for i in range(len(run) - 1))
    if run.isdigit():
        return (run,) if len(run) <= MAX_DIGITS else ()
    if VERSION.fullmatch(run):
        return (run.lower().lstrip("v"),)
    found: list[str] = []
    for dotted in run.split("."):
        parts = [part.lower() for piece in SEPARATOR.split(dotted) for part in CAMEL.split(piece) if part]
        if len(parts) > 1:
            found.append("".join(parts))
        found += [stem(part) for part in parts if not part.isdigit() or len(part) <= MAX_DIGITS]
    return tuple(found)
