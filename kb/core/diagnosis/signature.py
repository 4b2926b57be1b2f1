"""What failed first, as a short text that is the same in every run with this failure. Looking it up is not done here.

Left out of it: ranks, nodes, addresses, folders, line numbers, versions, sizes, times and ids of jobs. Kept: the signal
that knows the line, the exception's name, and numbers that say what happened, such as exit codes, Xids and errno.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.core.diagnosis.parsing.headers import headed
from kb.core.diagnosis.parsing.masking import masked
from kb.core.diagnosis.report import FAILURE, Diagnosis, Line

# Raise it when the same failure gets another key: what staff confirmed is found by version and key.
VERSION = 1
MOST_TEXT, KEY_DIGITS = 200, 32
EXCEPTION = re.compile(r"\b(?:[A-Za-z_]\w{0,80}\.){0,8}([A-Z]\w{0,80}(?:Error|Exception|Interrupt|Exit|Failure))\b")
# Behind the masks that all lines have: what still changes between runs of one failure.
FURTHER = tuple(
    (re.compile(pattern), kept)
    for pattern, kept in (
        (r"<dir>/|(?<![\w<])(?:[\w.+@~=-]{1,100}/){1,40}(?=[\w.+@~=-])", ""),
        (r"\b0 ?(?:[KMGTP]i?B|[kmgtp]i?b|[Bb]ytes|B)\b", "0 B"),
        (r"\b0 ?(?:ms|us|ns|s|sec|secs|seconds|milliseconds|minutes|min|hours)\b", "0 s"),
        (r"\bv0\b", "0"),
        (r"\b0(?:(?:, ?| ?\| ?| )0\b)+", "0"),
    )
)
SHOWN_BY_STEPS = frozenset({"hang", "numerical", "slowdown"})
# A word, so that a folder of this name is still one.
NODE = "NODE"


@dataclass(frozen=True)
class Signature:
    """`key`: the same for the same failure, within one `version`. `text`: what it was made from, for people."""

    version: int
    key: str
    text: str


def signature(diagnosis: Diagnosis) -> Signature | None:
    """The signature of what failed first; None where nothing failed or no line tells what."""
    first = [line for line in diagnosis.lines if line.indicated and _tells(line, diagnosis.symptom)]
    if diagnosis.verdict != FAILURE or not first:
        return None
    names = [node.name for node in diagnosis.nodes]
    said = lasting(first[0].text, names)
    code, exception = first[0].signal or "", _exception(first[0])
    if not (code or said):
        return None
    made_of = "\n".join((str(VERSION), code, exception, said))
    key = hashlib.sha256(made_of.encode("utf-8", "replace")).hexdigest()[:KEY_DIGITS]
    return Signature(VERSION, key, _shown(code, exception, said))


def _tells(line: Line, symptom: str | None) -> bool:
    """Does the line itself say what failed? A step's line shows when a run stopped or went wrong, in any such run."""
    return line.signal is not None or symptom not in SHOWN_BY_STEPS


def lasting(text: str, nodes: Sequence[str] = ()) -> str:
    """What a line says behind its heads, without what changes from run to run. `nodes`: names to leave out."""
    line = text.strip()
    said = line[headed(line).body :]
    for name in sorted(nodes, key=len, reverse=True):
        if name:
            said = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", NODE, said)
    said = masked(EXCEPTION.sub(r"\1", said))
    for pattern, kept in FURTHER:
        said = pattern.sub(kept, said)
    return said[:MOST_TEXT].strip()


def _exception(line: Line) -> str:
    """The exception that the line names, without its module, which moves between versions."""
    named = EXCEPTION.search(line.text)
    return named[1] if named else ""


def _shown(code: str, exception: str, said: str) -> str:
    parts = [code, exception if exception not in said else "", said]
    return ": ".join(part for part in parts if part)
