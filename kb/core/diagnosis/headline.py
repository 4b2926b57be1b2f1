"""The verdict in a few words: what the failing line's signal says, else the failing line itself. Nothing is judged."""

from typing import NamedTuple

from kb.core.diagnosis.analysis.verdict import SENTENCES
from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.report import FAILURE
from kb.core.diagnosis.schema import DiagnosedLine, DiagnosisData
from kb.core.diagnosis.signals.catalogue import catalogue

LONGEST = 160
ENDS_A_SENTENCE = ". "


class Headline(NamedTuple):
    """The verdict in `words`, without a full stop, and the `explanation` that follows it; may be empty."""

    words: str
    explanation: str


def failing_line(data: DiagnosisData) -> DiagnosedLine | None:
    """The line that says best what failed or ended the run; None where no line says it."""
    return next((line for line in data["lines"] if line["indicated"]), None)


def headline(data: DiagnosisData) -> Headline:
    """The verdict in a few words.

    A sentence that would do for any failure, or for any exception of a name, tells less than the line itself.
    """
    sentence, line = data["sentence"], failing_line(data)
    if data["verdict"] == FAILURE and line is not None:
        signal = catalogue().by_code.get(line["signal"] or "")
        own_words = error_text(line["text"])
        if own_words and sentence == SENTENCES[FAILURE]:
            return Headline(own_words, "")
        if own_words and signal is not None and signal.general and sentence == signal.means:
            return Headline(own_words, sentence)
    words, _, explanation = sentence.partition(ENDS_A_SENTENCE)
    return Headline(words.rstrip("."), explanation)


def error_text(text: str) -> str:
    """What a line says behind its prefix, cut where it is very long."""
    body = " ".join(parse_prefix(text.strip()).text.split())
    return body if len(body) <= LONGEST else body[: LONGEST - 1].rstrip() + "…"
