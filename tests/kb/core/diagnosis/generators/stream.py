"""A very big log for the benchmark: blocks made once, in which time and iteration move on, and a failure at the end."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random

from tests.kb.core.diagnosis.generators import acts
from tests.kb.core.diagnosis.generators.cluster import Cluster, built
from tests.kb.core.diagnosis.generators.play import EARLY
from tests.kb.core.diagnosis.generators.plays import PLAYS
from tests.kb.core.diagnosis.generators.script import Script
from tests.kb.core.diagnosis.generators.spec import Spec
from tests.kb.core.diagnosis.generators.styles import Style, style_of
from tests.kb.core.diagnosis.generators.writing import in_order

# A block is an hour of a hundred iterations, written for an hour and for numbers that occur nowhere else.
BLOCKS, STEPS, PACE = 8, 100, 34.0
HOUR = datetime(2077, 11, 23, 23, 0)
FORMS = ("%Y-%m-%d %H:", "%Y-%m-%dT%H:", "%m/%d/%Y %H:", "%m-%d %H:", "%m%d %H:")
STEP = b"5550777"


def stream(spec: Spec, size_bytes: int) -> Iterator[bytes]:
    """At least so many bytes in whole lines. All ranks report; what a style writes to several files comes as one."""
    rng = Random(f"stream/{spec.key}")  # noqa: S311 - made-up logs, no secrets
    cluster = built(spec, rng)
    style = replace(style_of(spec), reporters="all", bar=False)
    opening = Script(spec, cluster, style, rng)
    acts.opening(opening)
    head = _bytes(opening)
    yield head
    blocks: list[bytes] = []
    done, hour = len(head), 0
    while done < size_bytes:
        hour += 1
        if len(blocks) < BLOCKS:
            blocks.append(_block(spec, cluster, style, rng))
        block = _moved(blocks[hour % len(blocks)], cluster.start + timedelta(hours=hour), hour)
        done += len(block)
        yield block
    yield _end(spec, cluster, style, rng, hour + 1)


def _block(spec: Spec, cluster: Cluster, style: Style, rng: Random) -> bytes:
    """An hour of a run that goes well."""
    first = int(STEP) * STEPS
    later = replace(spec, iterations=first + STEPS)
    s = Script(later, replace(cluster, start=HOUR + timedelta(minutes=1)), style, rng)
    s.pace, s.step, s.save_every, s.ready = PACE, first, STEPS // 4, True
    acts.iterate(s, first + STEPS - 1)
    return _bytes(s)


def _moved(block: bytes, hour: datetime, number: int) -> bytes:
    """The same block at another hour and with other iterations."""
    for form in FORMS:
        block = block.replace(HOUR.strftime(form).encode(), hour.strftime(form).encode())
    return block.replace(STEP, b"%d" % number)


def _end(spec: Spec, cluster: Cluster, style: Style, rng: Random, hour: int) -> bytes:
    """The failure, after a few more iterations; one that happens at a start comes with a start."""
    play = PLAYS[spec.kind][spec.variant]
    first = hour * STEPS
    start = (cluster.start + timedelta(hours=hour)).replace(minute=0)
    s = Script(replace(spec, iterations=first + 12), replace(cluster, start=start), style, rng)
    s.pace = PACE
    if getattr(play, "stage", "train") not in EARLY:
        s.step, s.stop_at, s.save_every, s.resumed = first, first + 8, 4, True
    play(s)
    return _bytes(s)


def _bytes(s: Script) -> bytes:
    return b"".join(f"{line.text}\n".encode() for line in in_order(s))
