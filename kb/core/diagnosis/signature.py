"""A fingerprint of what failed first: a short text and key that are the same in every run with this failure.

Left out of it: ranks, nodes, addresses, folders, line numbers, versions, sizes, times and ids of jobs. Kept: the signal
that knows the line, the exception's name, and numbers that say what happened, such as exit codes, Xids and errno.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.core.diagnosis.parsing.masking import masked
from kb.core.diagnosis.parsing.prefixes import parse_prefix
from kb.core.diagnosis.report import FAILURE, Diagnosis

# Raise it when the same failure gets another key: what staff confirmed is found by version and key.
VERSION = 1
MOST_TEXT, KEY_DIGITS = 200, 32
EXCEPTION = re.compile(r"\b(?:[A-Za-z_]\w{0,80}\.){0,8}([A-Z]\w{0,80}(?:Error|Exception|Interrupt|Exit|Failure))\b")
# Behind the masks that all lines have: what still changes between runs of one failure.
FURTHER = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
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
    """`key`: equal for equal failures, within one `version`. `text`: what it was made from, for people."""

    version: int
    key: str
    text: str


def signature(diagnosis: Diagnosis) -> Signature | None:
    """The signature of what failed first; None where nothing failed or no line tells what."""
    # A step's line shows when a run stopped or went wrong, and is the same in any such run: a signal must say what.
    needs_signal = diagnosis.symptom in SHOWN_BY_STEPS
    first = [line for line in diagnosis.lines if line.indicated and (line.signal is not None or not needs_signal)]
    if diagnosis.verdict != FAILURE or not first:
        return None
    text = lasting(first[0].text, [node.name for node in diagnosis.nodes])
    code = first[0].signal or ""
    if not (code or text):
        return None
    # The exception without its module, which moves between versions.
    named = EXCEPTION.search(first[0].text)
    exception = named[1] if named else ""
    digest = hashlib.sha256("\n".join((str(VERSION), code, exception, text)).encode("utf-8", "replace"))
    shown = (code, "" if exception in text else exception, text)
    return Signature(VERSION, digest.hexdigest()[:KEY_DIGITS], ": ".join(filter(None, shown)))


def lasting(text: str, nodes: Sequence[str] = ()) -> str:
    """What a line says behind its prefix, without what changes from run to run. `nodes`: names to leave out."""
    line = text.strip()
    body = parse_prefix(line).text
    for name in sorted(nodes, key=len, reverse=True):
        if name:
            body = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", NODE, body)
    body = masked(EXCEPTION.sub(r"\1", body))
    for pattern, replacement in FURTHER:
        body = pattern.sub(replacement, body)
    return body[:MOST_TEXT].strip()
