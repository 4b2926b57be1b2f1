"""Takes an issue's or a paste's text apart: prose, logs, the lines that tell what went wrong.

Forms' check lists, images, and dumps of the environment say nothing about the fault and are left out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from ahocorasick_rs import BytesAhoCorasick

MAX_BODY = 65_536
MAX_PROSE = 6_000
# Characters of a telling line: more than a bare "error:", and at the most.
MIN_LINE, MAX_LINE = 7, 400
MOST_LINES, ENOUGH_STRONG, MOST_WEAK = 12, 3, 6
ENOUGH_MARKS = 3
# Characters between two marks of one dump: a topology table or a list of CPU flaws fits in.
NEAR = 3_000

FENCE = "```"
CHECKS = "- [", "* ["
CHECK = re.compile(r"[-*] \[[ xX]?\].*")
# What may be between brackets has a limit: else a text of nothing but opening ones takes the square of its length.
TAG = re.compile(
    r"<(?i:/?(?:details|summary|br|p|div|kbd|sub|sup|b|i|h\d|img|table|tr|td|th)\b[^>]{0,500}>)",
)
IMAGE = re.compile(r"!\[[^\]]{0,200}\]\([^)]{0,500}\)")
LINK = re.compile(r"\[([^\]]{0,200})\]\([^)]{0,500}\)")
# Signs for bold, code and headings say nothing to a reader of plain text. That a heading's sign begins a word is
# asked behind it: then the search for it is a search for a plain sign, which is fast.
HEADING = re.compile(r"#(?<!\S#)#{0,5}\s+")
COMMENT_START, COMMENT_END = "<!--", "-->"
NO_RESPONSE = re.compile(r"_(?<![^\n]_)No response_\s*$", re.MULTILINE)
# Each at the beginning of a line. A pattern that begins with a plain sign is looked for much faster.
DUMP_MARK = re.compile(
    r"\n(?:PyTorch version|Is debug build|CUDA used to build|\[pip3?\]|\[conda\]|Legend:|Versions of relevant"
    r"|GPU Topology|CPU:|Architecture:|Libc version|Python platform|Vulnerability |Model name:|OS:|GCC version"
    r"|NVIDIA Topology|CUDA available|CUDA_HOME|PyTorch:|flashinfer:|transformers:|uvicorn:|numpy:)"
)
# A line with one of these names an error; one with the first of the last pair only where the second comes later.
STRONG_PARTS = (
    *(kind + sign for kind in ("Error", "Exception", "Interrupt", "Exit") for sign in ":("), "CUDA error",
    "GGML_ASSERT", "undefined symbol", "Segmentation fault", "fatal error:", ": error:", "what():", "Assertion",
)  # fmt: skip
ASSERTION, FAILED = STRONG_PARTS.index("Assertion"), b"failed"
# In small letters: a line with one of the first ones complains, and one where the others stand as words of their own.
WEAK_PARTS = (
    "nccl warn", "failed", "core dumped", "out of memory", "undefined reference", "no module named", "not found",
    "not supported", "not implemented", "unsupported", "invalid", "mismatch", "timeout", "time out", "timedout",
    "timed out", "abort", "panic", "cannot ", "can't ",
)  # fmt: skip
FIRST_WORD = len(WEAK_PARTS)
WEAK_WORDS = ("error", "fatal", "critical", "traceback", "assert")
COMPLAINT = re.compile(rb"\b(?:error|fatal|critical|traceback|assert(?:ion)?)\b")
# All plain strings are found in one pass over the text.
_strong = BytesAhoCorasick([part.encode() for part in STRONG_PARTS])
_weak = BytesAhoCorasick([part.encode() for part in WEAK_PARTS + WEAK_WORDS])
# A few lines that complain are enough, and the first ones mostly stand in the beginning of a text.
WINDOW = 4_000
DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Sections:
    """What a report says in words, what it shows as logs or code, and the telling lines of both."""

    prose: str
    log: str
    telling: tuple[str, ...]


def split(body: str) -> Sections:
    """Take a report's Markdown apart."""
    text = without_dumps(body[:MAX_BODY].replace("\r\n", "\n").replace("\x00", ""))
    written, log = _fenced_off(text)
    prose = _plain(written).strip()
    # Unfenced logs run on for pages: what is beyond a person's first words counts as log.
    return Sections(prose[:MAX_PROSE], f"{prose[MAX_PROSE:]}\n{log}".strip(), telling_lines(f"{prose}\n{log}"))


def _fenced_off(text: str) -> tuple[str, str]:
    """What stands outside of fences, and what inside; the last fence may stay open."""
    outside, inside = [], []
    end = 0
    while (start := text.find(FENCE, end)) >= 0:
        outside.append(text[end:start])
        line = text.find("\n", start)
        if line < 0:
            end = len(text)
            break
        close = text.find(FENCE, line + 1)
        inside.append(text[line + 1 : close] if close >= 0 else text[line + 1 :])
        end = close + len(FENCE) if close >= 0 else len(text)
    return "\n".join([*outside, text[end:]]), "\n".join(inside)


def _plain(text: str) -> str:
    """Prose without Markdown's own signs; each pattern is only looked for where a part of it stands."""
    for sign in CHECKS:
        if sign in text:
            text = _without_checks(text, sign)
    if COMMENT_START in text:
        text = _without_comments(text)
    if "<" in text:
        text = TAG.sub(" ", text)
    if "![" in text:
        text = IMAGE.sub(" ", text)
    if "](" in text:
        text = LINK.sub(r"\1 ", text)
    return NO_RESPONSE.sub("", text) if "_No response_" in text else text


def without_signs(prose: str) -> str:
    """Prose as it reads without Markdown's signs for bold, code and headings."""
    bare = prose.replace("**", "").replace("`", "")
    return HEADING.sub("", bare) if "#" in bare else bare


def _without_checks(text: str, sign: str) -> str:
    """The text without the lines that begin with a check box after this sign."""
    parts, end = [], 0
    place = text.find(sign)
    while place >= 0:
        start = text.rfind("\n", 0, place) + 1
        check = CHECK.match(text, place)
        if check and (start == place or text[start:place].isspace()):
            parts.append(text[end:start])
            end = check.end()
        place = text.find(sign, check.end() if check else place + 1)
    return "".join([*parts, text[end:]])


def _without_comments(text: str) -> str:
    """The text without HTML comments; one that is never closed is text."""
    parts, end = [], 0
    while (start := text.find(COMMENT_START, end)) >= 0:
        close = text.find(COMMENT_END, start + len(COMMENT_START))
        if close < 0:
            break
        parts.append(text[end:start])
        end = close + len(COMMENT_END)
    return " ".join([*parts, text[end:]])


def without_dumps(text: str) -> str:
    """The text without printed-out environments; people paste their error right behind one, so only its lines go."""
    # Put in front, the line break that begins the first line makes each mark's place in `text` that of its own break.
    marks = [mark.start() for mark in DUMP_MARK.finditer(f"\n{text}")]
    if len(marks) < ENOUGH_MARKS:
        return text
    dumps: list[list[int]] = []
    for mark in marks:
        if dumps and mark - dumps[-1][-1] <= NEAR:
            dumps[-1].append(mark)
        else:
            dumps.append([mark])
    parts: list[str] = []
    end = 0
    for dump in dumps:
        first, last = dump[0], dump[-1]
        if len(dump) >= ENOUGH_MARKS and first >= end:
            parts.append(text[end:first])
            end = text.find("\n", last)
            end = len(text) if end < 0 else end
    return "".join([*parts, text[end:]])


def telling_lines(text: str) -> tuple[str, ...]:
    """The lines that say what went wrong, each once: errors by name, else whatever complains."""
    # One byte for most signs: searched much faster than a text with a single emoji in it.
    raw = text.encode("utf-8", "surrogatepass")
    strong = list(_once(_strong_lines(raw)))
    if len(strong) >= ENOUGH_STRONG:
        return tuple(strong[-MOST_LINES:])
    return tuple(_once([*strong, *islice(_once(_weak_lines(raw)), MOST_WEAK)]))


def names_error(line: str) -> bool:
    """Does the line name an error, more than complain?"""
    return next(_strong_lines(line.encode("utf-8", "surrogatepass")), None) is not None


def _strong_lines(raw: bytes) -> Iterator[str]:
    """The lines that name an error, in order."""
    end = -1
    for part, at, _ in _strong.find_matches_as_indexes(raw):
        if at > end:
            start, last = _line_at(raw, at)
            if part != ASSERTION or raw.find(FAILED, at, last) >= 0:
                end = last
                line = _read(raw, start, end)
                if len(line) >= MIN_LINE:
                    yield line


def _weak_lines(raw: bytes) -> Iterator[str]:
    """The lines that complain, in order; no more of the text is looked at than is asked for."""
    start = 0
    while start < len(raw):
        end = raw.find(b"\n", start + WINDOW)
        window = raw[start:end] if end >= 0 else raw[start:]
        small = window.lower()
        last = -1
        for part, at, _ in _weak.find_matches_as_indexes(small):
            if at > last and (part < FIRST_WORD or COMPLAINT.match(small, at)):
                first, last = _line_at(small, at)
                line = _read(window, first, last)
                if MIN_LINE <= len(line) <= MAX_LINE:
                    yield line
        start = end if end >= 0 else len(raw)


def _line_at(raw: bytes, at: int) -> tuple[int, int]:
    """Where the line around this place begins and ends."""
    end = raw.find(b"\n", at)
    return raw.rfind(b"\n", 0, at) + 1, end if end >= 0 else len(raw)


def _read(raw: bytes, start: int, end: int) -> str:
    return raw[start:end].decode("utf-8", "surrogatepass").strip()


def _once(lines: Iterable[str]) -> Iterator[str]:
    """Each line once, whatever numbers it holds, in order."""
    seen = set()
    for line in lines:
        key = DIGITS.sub("0", line[-160:])
        if key not in seen:
            seen.add(key)
            yield line[:MAX_LINE]
