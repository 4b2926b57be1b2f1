"""From a stream of bytes to blocks of whole text lines, bounded in memory whatever the lines are like.

A physical line ends with a line feed, and with nothing else: line numbers are those that an editor shows.
"""

import codecs
import re
from collections.abc import Iterator

from kb.core.diagnosis.reading.intake import KIB, MIB, Intake, UnreadableInputError
from kb.core.diagnosis.reading.streams import Peekable

BLOCK = 2 * MIB
# So much of a line is looked at. What a failure says of itself stands in its first thousands.
LONGEST = 16 * KIB
# Colours and cursors, and what terminals and build servers are told in strings of their own.
ANSI = re.compile(rb"\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|[\]_P^][^\x07\x1b]{0,500}(?:\x07|\x1b\\)|[()][0-9A-B]|[=>@-Z\\-_])")
OVERWRITTEN = re.compile(r"^[^\n]*\r[^\n]*$", re.MULTILINE)
MEASURED = re.compile(r"^\s*\{\s*['\"]")
BAR = re.compile(r"\d%\||\d+%|\d+/\d+|\bit/s|\bs/it|[kMG]?B/s")
CONTAINER_LINE = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.+Z-]{9,30} (?P<stream>stdout|stderr) (?P<tag>[FP]) ")
# Control characters that logs do without. A dump or a picture is full of them.
ODD = bytes(set(range(32)) - set(b"\t\n\r\x1b\x08\x0c\0"))
MOST_ODD = 0.03
UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
BOM, STRAY = "\ufeff", "\ufffd"
NO_ASCII = bytes(range(128, 256))
# Two bytes of a line in GBK or GB 18030, by their table: signs, and the two levels of Chinese characters.
GB_PAIR = re.compile(rb"[\xa1-\xa9\xb0-\xf7][\xa1-\xfe]")
# So much of what is no ASCII must be such pairs. A character of UTF-8 that is cut off is one byte, or two.
MOST_GB, FEWEST_STRAY = 0.8, 2
# Without a mark at its beginning, UTF-16 is known by the NULs at every second place: so many there, hardly any between.
NULS, STRAY_NULS, SHORTEST = 0.1, 0.01, 8


def blocks(name: str, stream: Peekable, intake: Intake) -> Iterator[str]:
    """The text in blocks of whole lines, each without its last line feed, colours, NULs and overwritten progress bars.

    A line may be in GBK or GB 18030; other bytes that are no UTF-8 become U+FFFD. Raises `UnreadableInputError` when
    the beginning is not text.
    """
    head = stream.peek(4 * KIB)
    encoding = UTF_16.get(head[:2]) or _unmarked_utf_16(head)
    odd = len(head) - len(head.translate(None, ODD))
    # A log that was cut while it was written may begin with nothing but NULs.
    if encoding is None and odd > MOST_ODD * (len(head) - head.count(b"\0")):
        raise UnreadableInputError("It does not look like a text log. Text is read, also compressed or in archives.")
    mark = BOM
    for block in _whole_lines(name, _utf_8(stream, encoding), intake):
        yield _cleaned(block).removeprefix(mark)
        mark = ""


def _unmarked_utf_16(head: bytes) -> str | None:
    """The encoding of text that is UTF-16 without saying so; None for any other text."""
    first, second = head[::2].count(0), head[1::2].count(0)
    few, many = STRAY_NULS * len(head) / 2, NULS * len(head) / 2
    if len(head) < SHORTEST:
        return None
    if second > many and first <= few:
        return "utf-16-le"
    return "utf-16-be" if first > many and second <= few else None


def _utf_8(stream: Peekable, encoding: str | None) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)("replace") if encoding else None
    while part := stream.fill(BLOCK):
        yield decoder.decode(part).encode("utf-8", "replace") if decoder else part


def _whole_lines(name: str, parts: Iterator[bytes], intake: Intake) -> Iterator[bytes]:
    rest = b""
    for part in parts:
        intake.read += len(part)
        intake.heed()
        end = part.rfind(b"\n")
        if end < 0:
            rest = _shortened(rest + part)
        else:
            yield rest + part[:end]
            rest = _shortened(part[end + 1 :])
        if intake.is_full:
            intake.cut(name, f"Only the first {intake.limits.text // MIB} MiB of text are read.")
            break
    if rest:
        yield rest


def _shortened(line: bytes) -> bytes:
    """The beginning of a line whose end is still waited for, no more of it than is looked at."""
    if len(line) <= 2 * LONGEST:
        return line
    shown, carriage_return, unfinished = line.rpartition(b"\r")
    if carriage_return:
        *kept, last = _shown_parts(shown.decode("utf-8", "replace"))
        shown = "\r".join(["\r".join(kept)[:LONGEST], last[:LONGEST]]).encode()
    return (shown + carriage_return + unfinished)[: 8 * LONGEST]


def _cleaned(block: bytes) -> str:
    """The text without colours, NULs and overwritten progress bars. Each step is skipped where it has nothing to do."""
    if b"\x1b" in block:
        block = ANSI.sub(b"", block)
    if b"\0" in block:
        block = block.replace(b"\0", b"")
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").removesuffix(b"\r")
    if b" stdout P " in block or b" stderr P " in block:
        block = _joined(block)
    text = block.decode("utf-8", "replace")
    if STRAY in text:
        text = "\n".join(map(_decoded, block.split(b"\n")))
    if "\r" not in text:
        return text
    return OVERWRITTEN.sub(lambda line: "  ".join(_shown_parts(line[0]))[: 4 * LONGEST], text)


def _decoded(line: bytes) -> str:
    """The line's text, by UTF-8 or, where it is Chinese by its bytes, by GB 18030."""
    text = line.decode("utf-8", "replace")
    if text.count(STRAY) < FEWEST_STRAY:
        return text
    foreign = len(line) - len(line.translate(None, NO_ASCII))
    is_chinese = 2 * len(GB_PAIR.findall(line)) >= MOST_GB * foreign
    return line.decode("gb18030", "replace") if is_chinese else text


def _joined(block: bytes) -> bytes:
    """The lines made whole that a container's runtime cut into parts. Behind a first part, the others are empty."""
    lines = block.split(b"\n")
    opened: dict[bytes, int] = {}
    for number, line in enumerate(lines):
        part = CONTAINER_LINE.match(line)
        if part is None:
            continue
        first = opened.get(part["stream"])
        if first is not None:
            lines[number] = b""
            if len(lines[first]) < LONGEST:
                lines[first] += line[part.end() :]
        if part["tag"] == b"F":
            opened.pop(part["stream"], None)
        else:
            opened.setdefault(part["stream"], number)
    return b"\n".join(lines)


def _shown_parts(line: str) -> list[str]:
    """What a terminal would leave of a line that overwrites itself, and what is no progress bar of the rest.

    The bar before a step's measures stays: it alone tells which step they are of.
    """
    parts = [part for part in line.split("\r") if part.strip()]
    if not parts:
        return [""]
    kept = [part for part in parts[:-1] if not BAR.search(part)]
    if MEASURED.match(parts[-1]) and len(parts) > 1 and BAR.search(parts[-2]):
        kept.append(parts[-2].strip())
    return [*kept, parts[-1]]
