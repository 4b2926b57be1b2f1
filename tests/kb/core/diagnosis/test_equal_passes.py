"""However a log is cut into blocks, and whichever lines are only counted, what is kept of it is the same."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.core.diagnosis.analysis.verdict import diagnose
from kb.core.diagnosis.scanning.lines import Lines
from kb.core.diagnosis.scanning.records import Scan
from kb.core.diagnosis.scanning.scanner import Scanner
from tests.kb.core.diagnosis.generators import KINDS, Spec, generate
from tests.kb.core.diagnosis.generators.spec import styles_of
from tests.kb.core.diagnosis.scans import facts

PREFIXES = (
    "", "[rank{a}]: ", "[rank{a}]: 2026-03-0{d} 10:{m}:{s},{b} - trainer - INFO - ", "node{a}: ", "  ", "{a}: ",
    "I0821 01:{m}:{s}.785632  {b} loop.py:{c}] ", "(Worker pid={b}, ip=10.0.{d}.{a}) ", "10:{m}:{s} ", "[default{a}]:",
    '{{"ts": "2026-03-0{d}T10:{m}:{s}Z", "level": "info", "rank": {a}, "msg": "', "2026-03-0{d} 10:{m}:{s} ",
    "gpu-{a}:{b}:{c} [{d}] ", "[1,{a}]<stderr>: ", "[pod/train-{a}/main] 2026-03-0{d}T10:{m}:{s}.{b}Z ", "é{a} ",
)  # fmt: skip
BODIES = (
    "step {b} begin | mem {c}.{a} GB", "iteration {b:8}/ 900 | time per iteration (ms): {c}.{a} | lm loss: 2.{d}",
    "prefetched {b} in {c} ms",
    "step {b} loss 2.{d} took {c}.{a} ms", "{b}/900 [00:{d}<01:00, .{c}s/it] step {a} loss=nan",
    "iter {b} loss: -{d}.0e{a} dt {c}s", "step {b} loss 1.{d} took 1.2.{a} ms, step_time: nan",
    "{{'loss': 2.{d}, 'grad_norm': nan, 'epoch': 0.{b}}}", " {a}%|█▌ | {b}/900 [03:00<16:11, {c}.7s/it]",
    "Loading shards: {a}%|█▌ | {b}/900 [03:00<16:11, {c}.7s/it]", "Epoch [1/{a}], loss 0.{d}{c}, lr 1e-05",
    'INFO: 10.0.0.{d}:{b} - "POST /v1/completions HTTP/1.1" 200 OK', "Avg generation throughput: {c}.{a} tokens/s",
    "Traceback (most recent call last):", '  File "a.py", line {c}', "KeyError: 'a{b}'",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {a} GiB", "exit code {a}", "", " ", "{b}",
    "saving checkpoint at step {b}", "rank {a} of 64 up on node{d}", "NCCL INFO Channel {a} : {b} -> {c}", "a word",
    "step {b}99999999999{c}", "a warning: retrying in {a} s", "Worker {a} is ready", "{a}{b} {c}|{d}", "größe {b}",
)  # fmt: skip
NUMBERS = st.sampled_from((0, 1, 7, 12, 63, 100, 4095, 99_999, 123_456_789))


def cut(block: str) -> Lines:
    return Lines(block.encode("utf-8", "surrogatepass"))


def scan(text: str, cuts: list[int]) -> Scan:
    """The pass over the text, cut before these lines."""
    lines = text.split("\n")
    edges = sorted({0, len(lines), *(cut % len(lines) for cut in cuts)})
    scanner = Scanner()
    scanner.open("job.log")
    for start, end in pairwise(edges):
        scanner.block(cut("\n".join(lines[start:end])))
    return scanner.done()


@st.composite
def logs(draw: st.DrawFn) -> str:
    """Lines of a few kinds that come again and again with other numbers."""
    lines: list[str] = []
    kinds = draw(st.lists(st.tuples(st.sampled_from(PREFIXES), st.sampled_from(BODIES)), min_size=1, max_size=5))
    for _ in range(draw(st.integers(1, 12))):
        head, body = draw(st.sampled_from(kinds))
        first, by, rank, count = draw(NUMBERS), draw(st.integers(0, 3)), draw(NUMBERS), draw(st.integers(1, 30))
        for place in range(count):
            told = {"a": rank + place * by, "b": first + place, "c": place * 37, "d": 1 + place % 3}
            lines.append(f"{head}{body}".format(**told, m=f"{place * by % 60:02}", s=f"{place % 60:02}"))
    return "\n".join(lines)


@settings(max_examples=200, deadline=None)
@given(logs(), st.lists(st.integers(0, 10_000), max_size=4))
def test_what_is_kept_is_the_same_as_of_every_line_by_itself(text: str, cuts: list[int]) -> None:
    alone = facts(scan(text, list(range(text.count("\n") + 1))))
    assert facts(scan(text, [])) == alone
    assert facts(scan(text, cuts)) == alone


@pytest.mark.parametrize("kind", KINDS)
def test_runs_of_every_kind_are_diagnosed_the_same(kind: str) -> None:
    styles = styles_of(kind)
    job = generate(Spec(kind, styles[KINDS.index(kind) % len(styles)]))
    found = []
    for size in (1, 1 << 30):
        scanner = Scanner()
        for name, data in job.files.items():
            lines = data.decode().removesuffix("\n").split("\n")
            scanner.open(name)
            for at in range(0, len(lines), size):
                scanner.block(cut("\n".join(lines[at : at + size])))
        found.append(scanner.done())
    assert facts(found[0]) == facts(found[1])
    assert diagnose(found[0]) == diagnose(found[1])
