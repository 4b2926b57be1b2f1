"""Logs as they are sent to a server: unpacked, with stand-ins for what says whose they are; dumps are not sent.

Names in the answer are put back, so that the node it suspects has the name that its owner knows.
"""

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kb.core.diagnosis.pipeline import InputFile
from kb.core.diagnosis.reading.blocks import blocks
from kb.core.diagnosis.reading.intake import Intake, Limits, UnreadableInputError
from kb.core.diagnosis.reading.sources import sources
from kb.core.redaction import Redactor
from kb.core.redaction.findings import STAND_IN

MIB = 1024 * 1024
# Hiding names takes seconds for each megabyte.
MOST_CHARACTERS = 16 * MIB
TOO_LONG = (
    "More than 16 MB of text are not sent. Diagnose them here, without --server, or give the last part of the log."
)


class NotSentError(Exception):
    """Nothing was sent; the message says why and what to do."""


class Hidden:
    """Texts with stand-ins, and the names to put back. Secrets are not put back."""

    def __init__(self) -> None:
        self._redactor = Redactor()

    def texts(self, files: Iterable[InputFile]) -> list[tuple[str, bytes]]:
        """The texts in these files by name, ready to be sent. Raises `NotSentError`."""
        hidden = iter(self.hide([text for named in _texts(files) for text in named]))
        return [(name, text.encode()) for name, text in zip(hidden, hidden, strict=True)]

    def hide(self, texts: Sequence[str]) -> list[str]:
        """The same texts, ready to be sent."""
        self._redactor.learn(texts)
        return [self._redactor.redact(text) for text in texts]

    def put_back(self, value: Any) -> Any:
        """The same JSON value with the names instead of their stand-ins."""
        if isinstance(value, str):
            return STAND_IN.sub(self._original, value)
        if isinstance(value, list):
            return [self.put_back(inner) for inner in value]
        if isinstance(value, dict):
            return {key: self.put_back(inner) for key, inner in value.items()}
        return value

    def summary(self) -> str:
        """How much was hidden, in a sentence."""
        found = [f"{number:,} {kind.label[0].lower()}{kind.label[1:]}" for kind, number in self._redactor.found.items()]
        return f"Hidden before sending: {', '.join(found) or 'nothing'}."

    def _original(self, match: re.Match[str]) -> str:
        return self._redactor.originals.get(match[0], match[0])


def _texts(files: Iterable[InputFile]) -> list[tuple[str, str]]:
    intake = Intake(Limits())
    read: list[tuple[str, str]] = []
    left = MOST_CHARACTERS
    for file in files:
        for source in sources(file.name, file.stream, intake):
            if source.is_dump:
                print(f"{source.path} was not sent: it is a dump, in which names cannot be hidden.", file=sys.stderr)
                continue
            parts: list[str] = []
            try:
                for block in blocks(source.path, source.stream, intake):
                    parts.append(block)
                    left -= len(block)
                    if left < 0:
                        raise NotSentError(TOO_LONG)
            except UnreadableInputError as refusal:
                print(f"{source.path} was not sent: {refusal}", file=sys.stderr)
                continue
            read.append((source.path, "\n".join(parts)))
    if not read:
        raise NotSentError("There is no text to send. Give the log itself.")
    return read


def form(fields: Mapping[str, Iterable[tuple[str, bytes]]]) -> tuple[str, bytes]:
    """Files by field as a form: its content type, and its bytes."""
    boundary = "faultbook-7c1f0d5e2b9a4863-end"
    parts: list[bytes] = []
    for field, files in fields.items():
        for name, content in files:
            shown = re.sub(r'[\x00-\x1f"\\\x7f]', "_", name.replace("/", "_"))[-200:]
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"; filename="{shown}"\r\n\r\n'
            parts += (head.encode(), content, b"\r\n")
    return f"multipart/form-data; boundary={boundary}", b"".join((*parts, f"--{boundary}--\r\n".encode()))
