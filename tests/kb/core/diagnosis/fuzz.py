"""Damaged and recombined logs, from a seed: lines of public logs cut, glued, repeated, packed, and bytes changed."""

import gzip
import io
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.core.diagnosis.pipeline import InputFile, as_data, diagnosed, read
from kb.core.diagnosis.reading.intake import UnreadableInputError
from tests.kb.core.diagnosis.evaluation.corpus import OPEN, read_corpus

MOST_LINES = 14
ODD = (b"\0", b"\r", b"\xff", b"\x1b[31m", b"\xe4\xb8", b"{", b'"', b"\\", b"\xf0\x9f", b"\t", b"]", b"(", b"%|")
Damage = Callable[[random.Random, bytes], bytes]


@dataclass(frozen=True)
class Case:
    """A damaged log, how many seconds its diagnosis took, and its verdict or why it was refused."""

    log: bytes
    seconds: float
    answer: str


def cut(draw: random.Random, log: bytes) -> bytes:
    """It ends in the middle of something."""
    return log[: draw.randrange(len(log) + 1)]


def change(draw: random.Random, log: bytes) -> bytes:
    """A few bytes are others."""
    changed = bytearray(log)
    for _ in range(draw.randrange(1, 6)):
        place = draw.randrange(len(changed) + 1)
        changed[place : place + draw.randrange(3)] = draw.choice(ODD)
    return bytes(changed)


def repeat(draw: random.Random, log: bytes) -> bytes:
    """A piece of it comes again and again."""
    start = draw.randrange(len(log) + 1)
    piece = log[start : start + draw.randrange(1, 40)]
    return log[:start] + piece * draw.randrange(2, 60) + log[start:]


def glue(draw: random.Random, log: bytes) -> bytes:
    """Line ends are missing, or others."""
    return log.replace(b"\n", draw.choice((b"", b"\r", b"\r\n", b"\0")), draw.randrange(1, 8))


def encode(draw: random.Random, log: bytes) -> bytes:
    """It is in another encoding, or packed, whole or broken off."""
    text = log.decode("utf-8", "replace")
    packed = draw.choice((text.encode("utf-16"), text.encode("utf-16-le"), gzip.compress(log, 1)))
    return packed if draw.random() < 0.7 else cut(draw, packed)


DAMAGES: tuple[Damage, ...] = (cut, change, repeat, glue, encode)


def damaged_logs(seed: int, count: int) -> Iterator[bytes]:
    """So many logs of a few lines each; the same ones for the same seed."""
    draw = random.Random(seed)  # noqa: S311 nothing is kept secret by it
    lines: list[bytes] = []
    for truth in read_corpus(OPEN):
        for name in truth.files:
            lines += Path(name).read_bytes().splitlines(keepends=True)
    for _ in range(count):
        first, wanted = draw.randrange(len(lines)), draw.randrange(1, MOST_LINES)
        taken = lines[first : first + wanted] if draw.random() < 0.5 else draw.choices(lines, k=wanted)
        log = b"".join(taken)
        for damage in draw.choices(DAMAGES, k=draw.randrange(1, 4)):
            log = damage(draw, log)
        yield log


def diagnosed_cases(seed: int, count: int) -> Iterator[Case]:
    """Each damaged log with its seconds. What is no log at all is refused in words."""
    for log in damaged_logs(seed, count):
        began = time.process_time()
        try:
            answer: str = as_data(diagnosed(read([InputFile("job.log", io.BytesIO(log))])))["verdict"]
        except UnreadableInputError as refusal:
            answer = str(refusal)
        yield Case(log, time.process_time() - began, answer)
