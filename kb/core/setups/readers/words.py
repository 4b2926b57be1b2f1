"""A set-up in somebody's own words: "deepspeed 0.14.2, torch 2.3, ZeRO-3 with LoRA on 8x H100".

Versions of known packages count in any text, where no other source tells one. Facts count only where a short text holds
nothing else: longer ones compare, rule out and tell stories.
"""

import re

from kb.core.setups.facts import Place, Value
from kb.core.setups.known_names import gpu_named
from kb.core.setups.readers.draft import Draft, Rank
from kb.core.setups.readers.labels import labels

SHORT, MOST = 400, 20_000
NEGATION = re.compile(
    r"\b(?:not?|without|instead|never|except|unless|fine|works?|worked|vs|than|requires?|needs?|least|later|newer|older"
    r"|upgrad\w{0,4}|downgrad\w{0,4}|since|until|before|after|from)\b|n't\b",
    re.IGNORECASE,
)
FACTS: tuple[tuple[re.Pattern[str], str, Value | None], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), fact, value)
    for pattern, fact, value in (
        (r"\bzero[- ]?(?:stage[- ]?|dp[- ]?)?([0-3])\b", "zero_stage", None),
        (r"\bstage[- ]([0-3])\b", "zero_stage", None),
        (r"\bq?lora\b", "lora", True),
        (r"\bqlora\b", "quantization", "nf4"),
        (r"\bfsdp[- ]?(?:v|version )?([12])\b", "fsdp_version", None),
        (r"\bbf16\b|\bbfloat16\b", "precision", "bf16"),
        (r"\bfp16\b|\bfloat16\b", "precision", "fp16"),
        (r"\bfp8\b", "precision", "fp8"),
        (r"\bdpo\b", "task", "dpo"),
        (r"\bgrpo\b", "task", "grpo"),
        (r"\bsft\b", "task", "sft"),
        (r"\bppo\b", "task", "ppo"),
        (r"\bpython ?(3\.\d{1,2}(?:\.\d{1,2})?)\b", "python", None),
        (r"\bcuda(?: version)?[ =:]{1,3}(\d{1,2}\.\d)\b", "cuda", None),
        (r"\bdriver(?: version)?[ =:]{1,3}(\d{3}(?:\.\d{1,3}){0,2})\b", "driver", None),
        (r"\bwsl2?\b", "os", "wsl"),
        (r"\bubuntu\b|\blinux\b", "os", "linux"),
        (r"\bwindows\b", "os", "windows"),
        (r"\bmac ?os\b", "os", "macos"),
    )
)


# A word and a version after it, at the start of a text or behind a blank, bracket or quote.
STATED = re.compile(
    r"(?<![\w./@-])([A-Za-z][\w-]{1,30}(?: (?:core|engine|hub|transformers|lightning))?)(?: version)?"
    r"\s?(?:==|=|:|@|\()?\s?"
    r"v?(\d{1,3}\.\d{1,3}(?:\.\w{1,20}){0,4}(?:\+\w{1,20})?)(?![\w/])",
    re.IGNORECASE,
)


def read_words(text: str, name: str, offset: int, draft: Draft, *, is_alone: bool) -> bool:
    """Read what a text says in words; whether it says anything."""
    told: set[str] = set()
    for match in STATED.finditer(text[:MOST]):
        package = _package(match[1])
        if package is None or package in draft.packages.keys() - told or NEGATION.search(_line(text, match.start())):
            continue
        place = Place(name, offset + text.count("\n", 0, match.start()))
        draft.add_package(package, match[2], place, Rank.TOLD)
        told.add(package)
    is_read = bool(told)
    if is_alone and len(text) <= SHORT and not NEGATION.search(text):
        is_read |= _read_facts(text, name, offset, draft)
    if is_read:
        draft.add_source(name, "words")
    return is_read


def _line(text: str, position: int) -> str:
    start = text.rfind("\n", 0, position) + 1
    end = text.find("\n", position)
    return text[max(start, position - 200) : min(end if end >= 0 else len(text), position + 200)]


def _package(word: str) -> str | None:
    """The package that a word names, with a word before it or alone."""
    for label in (word.lower(), word.lower().partition(" ")[0]):
        for spelling in (label, label.replace("_", "-"), label.replace("-", "_")):
            if spelling in labels().packages:
                return labels().packages[spelling]
    return None


def _read_facts(text: str, name: str, offset: int, draft: Draft) -> bool:
    is_read = False
    for pattern, fact, value in FACTS:
        for match in list(pattern.finditer(text))[:4]:
            place = Place(name, offset + text.count("\n", 0, match.start()))
            stated: Value = value if value is not None else match[1]
            draft.add_fact(fact, int(stated) if fact in ("zero_stage", "fsdp_version") else stated, place, Rank.TOLD)
            is_read = True
    gpu = gpu_named(text)
    if gpu is not None:
        draft.add_fact("gpu", gpu, Place(name, offset), Rank.TOLD)
        is_read = True
    return is_read
