"""Masks for what changes from run to run in a line: numbers, addresses, paths, ids."""

import re

NUMBER = "0"
MASKS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), mask)
    for pattern, mask in (
        # Ray counts those that it leaves out.
        (r" \[repeated \d+x across cluster\].*", ""),
        (r"\b(?:https?|s3|gs|hdfs|file)://[^\s'\"<>)]+", "<url>"),
        # Of a path, its name says what it is; the folders before it, called like ids or not, where it was this time.
        (r"(?<![\w<.])(?:[A-Za-z]:)?(?:[/\\][\w.+@~=-]+)+[/\\]", "<dir>/"),
        (r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b", "<id>"),
        (r"\b0x[0-9a-fA-F]+\b", "<address>"),
        (r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b", "<id>"),
        (r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+|<\d+>)?\b", "<ip>"),
        (r"\b(?:[0-9a-fA-F]{2,4}:){2,7}[0-9a-fA-F]{1,4}(?:\.\d)?\b", "<address>"),
        (r"[-+]?\b\d+(?:[.,:]\d+)*(?:[eE][-+]?\d+)?", NUMBER),
        (r"\d+", NUMBER),
    )
)
RUN = re.compile("[0-9]+")
# A number that says what happened is not masked: an exit code, a signal, an Xid, an error number.
CODE = re.compile(
    r"\b(?:exit ?(?:code|status)|exitcode|signal|Xid(?: \([^)]{1,40}\))?|err(?:no|or code)|status(?: code)?|rc)\b"
    r"\s?[:=(]? ?(-?\d{1,4})\b",
    re.IGNORECASE,
)
# Digits that are not to be masked are private characters meanwhile.
PRIVATE = {ord(digit): 0xE000 + int(digit) for digit in "0123456789"}
PUBLIC = {private: digit for digit, private in PRIVATE.items()}
BLANKS = re.compile(r"\s{2,}")
# Only so much of a line tells its kind.
TELLING = 400


def masked(text: str) -> str:
    """The text with what changes from run to run replaced; runs of blanks become one."""
    text = CODE.sub(lambda code: code[0].translate(PRIVATE), text[:TELLING])
    for pattern, mask in MASKS:
        text = pattern.sub(mask, text)
    return BLANKS.sub(" ", text).strip().translate(PUBLIC)


def codes_of(text: str) -> tuple[str, ...]:
    """The numbers of this line that say what happened."""
    return tuple(CODE.findall(text[:TELLING]))


def collapsed(text: str) -> str:
    """The text with every run of digits made one `0`: the cheap mask that all lines go through."""
    return RUN.sub(NUMBER, text)
