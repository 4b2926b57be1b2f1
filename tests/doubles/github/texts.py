"""Titles, bodies and comments for made issues: real ones from ../shared/data/issues where present, else of words.

Real texts are used for large worlds only, where their length and their logs matter; reading them takes half a second.
"""

import functools
import gzip
import json
import random
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parents[4] / "shared" / "data" / "issues"
REAL_FROM = 500
COMMENT_LENGTHS = range(20, 900)

SUBJECTS = ["ZeRO-3", "NCCL", "the tokenizer", "the scheduler", "a fused kernel", "the data loader", "FP8", "LoRA",
            "the KV cache", "the checkpoint", "tensor parallelism", "speculative decoding"]  # fmt: skip
FAULTS = ["hangs", "runs out of memory", "returns NaN", "crashes at start", "loses a shard", "is slower than before",
          "raises KeyError", "ignores the seed", "never frees a block", "reads past the end"]  # fmt: skip
PLACES = ["on 8 GPUs", "after an hour", "with bf16", "behind a proxy", "in Docker", "since the last release",
          "with a long prompt", "when resumed", "on the second node", "with torch.compile"]  # fmt: skip
CODE = '```\nTraceback (most recent call last):\n  File "run.py", line {line}, in <module>\nRuntimeError: {fault}\n```'
MARKS = ["", "", "", " é", " 中文", " 🚀", " — ∑"]


@dataclass(frozen=True)
class Texts:
    """Pools to draw from."""

    titles: list[str]
    bodies: list[str]
    comments: list[str]


def made_sentence(rng: random.Random) -> str:
    """One sentence of words."""
    return f"{rng.choice(SUBJECTS)} {rng.choice(FAULTS)} {rng.choice(PLACES)}{rng.choice(MARKS)}"


def made_text(rng: random.Random) -> str:
    """A short body of words, at times with a trace."""
    text = ". ".join(made_sentence(rng) for _ in range(rng.randint(1, 6)))
    if rng.random() < 0.3:
        text += "\n\n" + CODE.format(line=rng.randint(1, 900), fault=rng.choice(FAULTS))
    return text


def texts_for(items: int) -> Texts:
    """The pools for a world of this many issues."""
    return real_texts() if items >= REAL_FROM and DATA.is_dir() else made_texts()


@functools.cache
def made_texts() -> Texts:
    """Pools of words."""
    rng = random.Random("words")  # noqa: S311 - the same words each time
    return Texts(
        titles=[made_sentence(rng) for _ in range(400)],
        bodies=[made_text(rng) for _ in range(400)],
        comments=[made_text(rng) for _ in range(400)],
    )


@functools.cache
def real_texts() -> Texts:
    """Pools of what people wrote; comments are passages of bodies, for none are published."""
    titles: list[str] = []
    bodies: list[str] = []
    passages: list[str] = []
    for path in sorted(DATA.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                titles.append(row["title"])
                bodies.append(row["body"] or "")
                passages += (row["body"] or "").split("\n\n")
    comments = [passage for passage in passages if len(passage) in COMMENT_LENGTHS]
    return Texts(titles, bodies, comments)


def spoilt(text: str, rng: random.Random) -> str:
    """The text with what databases refuse: a NUL, half of a surrogate pair, or both."""
    at = rng.randint(0, len(text))
    mark = rng.choice(["\0", "\ud83d", "\udc00", "\0\ud83d\0"])
    return text[:at] + mark + text[at:]
