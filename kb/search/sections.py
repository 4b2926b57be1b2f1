"""Takes an issue's or a paste's text apart: prose, logs, the lines that tell what went wrong. Pure.

Forms' check lists, images, and dumps of the environment say nothing about the fault and are left out.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

MAX_PROSE, MAX_LOG = 6_000, 20_000
MAX_LINE = 400
MOST_LINES, ENOUGH_STRONG, MOST_WEAK = 12, 3, 6
SHORT_SECTION = 300
ENOUGH_MARKS = 3

FENCE = re.compile(r"```[^\n]*\n?(.*?)(?:```|\Z)", re.DOTALL)
HEADING = re.compile(r"^#{1,6}[ \t]+(.*?)[ \t]*$", re.MULTILINE)
CHECK = re.compile(r"^\s*[-*] \[[ xX]?\].*$", re.MULTILINE)
MARKUP = re.compile(
    r"<!--.*?-->|</?(?:details|summary|br|p|div|kbd|sub|sup|b|i|h\d|img|table|tr|td|th)\b[^>]*>|!\[[^\]]*\]\([^)]*\)",
    re.DOTALL | re.IGNORECASE,
)
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
NO_RESPONSE = re.compile(r"^_No response_\s*$", re.MULTILINE)
ABOUT_MACHINE = re.compile(
    r"environment|checklist|before submitting|prerequisites|git commit|name and version|first bad commit"
    r"|related resources|operating system|system info|hardware",
    re.IGNORECASE,
)
DUMP_MARK = re.compile(
    r"^(?:PyTorch version|Is debug build|CUDA used to build|\[pip3?\]|\[conda\]|Legend:|Versions of relevant"
    r"|GPU Topology|CPU:|Architecture:|Libc version|Python platform|Vulnerability |Model name:|OS:|GCC version"
    r"|NVIDIA Topology|CUDA available|CUDA_HOME|PyTorch:|flashinfer:|transformers:|uvicorn:|numpy:)",
    re.MULTILINE,
)
STRONG = re.compile(
    r"\b[A-Za-z_]*(?:Error|Exception|Interrupt|Exit)\b(?::|\()|CUDA error|GGML_ASSERT|Assertion.*failed"
    r"|undefined symbol|Segmentation fault|fatal error:|: error:|what\(\):"
)
WEAK = re.compile(
    r"\b(?:ERROR|FATAL|CRITICAL|Traceback|assert(?:ion)?)\b|\berror\b|NCCL WARN|failed|core dumped|out of memory"
    r"|undefined reference|No module named|cannot |can't |not (?:found|supported|implemented)|unsupported|invalid"
    r"|mismatch|timed? ?out|abort|panic",
    re.IGNORECASE,
)
DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Sections:
    """What a report says in words, what it shows as logs or code, and the telling lines of both."""

    prose: str
    log: str
    telling: tuple[str, ...]


def split(body: str) -> Sections:
    """Take a report's Markdown apart."""
    prose: list[str] = []
    log: list[str] = []
    for heading, text in _by_heading(body.replace("\r\n", "\n").replace("\x00", "")):
        about_machine = bool(ABOUT_MACHINE.search(heading))
        blocks = FENCE.findall(text)
        words = NO_RESPONSE.sub("", LINK.sub(r"\1 ", MARKUP.sub(" ", CHECK.sub("", FENCE.sub("\n", text))))).strip()
        if words and not (about_machine and len(words) > SHORT_SECTION) and not _is_dump(words):
            prose.append(words)
        if not about_machine:
            log += [block for block in blocks if not _is_dump(block)]
    said, shown = "\n".join(prose)[:MAX_PROSE], "\n".join(log)[:MAX_LOG]
    return Sections(said, shown, telling_lines(f"{said}\n{shown}"))


def _by_heading(body: str) -> list[tuple[str, str]]:
    """(heading, text below it); a hash sign inside a code block is no heading."""
    masked = FENCE.sub(lambda block: block.group(0).replace("#", " "), body)
    heads = list(HEADING.finditer(masked))
    starts = [("", 0), *((head.group(1), head.end()) for head in heads)]
    ends = [*(head.start() for head in heads), len(body)]
    return [(heading, body[start:end]) for (heading, start), end in zip(starts, ends, strict=True)]


def _is_dump(text: str) -> bool:
    return len(DUMP_MARK.findall(text)) >= ENOUGH_MARKS


def telling_lines(text: str) -> tuple[str, ...]:
    """The lines that say what went wrong, each once: errors by name, else whatever complains."""
    lines = [line for line in map(str.strip, text.split("\n")) if len(line) > len("error:")]
    strong = _once(line for line in lines if STRONG.search(line))
    if len(strong) >= ENOUGH_STRONG:
        return tuple(strong[-MOST_LINES:])
    weak = _once(line for line in lines if len(line) <= MAX_LINE and WEAK.search(line))
    return tuple(_once([*strong, *weak[:MOST_WEAK]]))


def _once(lines: Iterable[str]) -> list[str]:
    """Each line once, whatever numbers it holds, in order."""
    found: dict[str, str] = {}
    for line in lines:
        found.setdefault(DIGITS.sub("0", line[-160:]), line[:MAX_LINE])
    return list(found.values())
