"""Levels that JSON loggers write as numbers, put into words: pino and bunyan, journald, Python's, OpenTelemetry's.

Lines are taken as equal where all but their digits is, so a level has to be a word before they are compared.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

# Of two loggers that write the same key with another scale, the one that is common in JSON is believed.
BUNYAN = {"10": "trace", "20": "debug", "30": "info", "40": "warn", "50": "error", "60": "fatal"}
PYTHON = {"10": "debug", "20": "info", "30": "warning", "40": "error", "50": "critical"}
SYSLOG = dict(
    zip("01234567", ("fatal", "fatal", "critical", "error", "warning", "notice", "info", "debug"), strict=True)
)
OTEL = {str(number + 1): tuple(BUNYAN.values())[number // 4] for number in range(24)}
# A text in the same record shows that the number is a level.
BESIDE_A_TEXT = r"(?=[^\n]{0,4000}?\"(?:msg|message)\\*\")"
# The keys, what must follow in the record, and the words by number. Quotes within a text have a backslash before them.
KEYS: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("level", BESIDE_A_TEXT, BUNYAN),
    ("levelno", "", PYTHON),
    ("PRIORITY", "", SYSLOG),
    ("SeverityNumber", "", OTEL),
    ("severityNumber", "", OTEL),
    ("severity_number", "", OTEL),
)
VALUE = r"(?P<quote>\\*\") ?: ?(?P<open>\\*\"|)(?P<number>\d+)(?P=open)(?=[ ,}])"


class Scale(NamedTuple):
    """A key that has levels in numbers, in its records, and the words for them."""

    pattern: re.Pattern[str]
    words: Mapping[str, str]


# Each begins with the letters of its key, which are found fast.
SCALES = tuple(Scale(re.compile(rf"{key}(?<=\"{key}){VALUE}{after}"), words) for key, after, words in KEYS)


def scales_in(text: str) -> tuple[Scale, ...]:
    """The scales of the levels that the text has in numbers."""
    return tuple(scale for scale in SCALES if scale.pattern.search(text))


def in_words(text: str, scales: Sequence[Scale]) -> str:
    """The text, the levels of these scales in words."""
    for scale in scales:
        text = scale.pattern.sub(partial(_worded, scale.words), text)
    return text


def _worded(words: Mapping[str, str], match: re.Match[str]) -> str:
    word, quote = words.get(match["number"]), match["quote"]
    return match[0] if word is None else f"level{quote}:{quote}{word}{quote}"
