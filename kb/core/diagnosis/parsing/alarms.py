"""How alarming a line sounds by itself, where no signal of the catalogue knows it: by its words alone."""

import re
from collections.abc import Collection

from kb.core.diagnosis.parsing.vocabulary import (
    FAILED_WORDS,
    GOES_ON_WORDS,
    GRAVE_WORDS,
    HARMLESS_WORDS,
    IN_VAIN_WORDS,
    Level,
)

EXCEPTION = re.compile(
    r"(?:^|\\n)(?:E\s+)?(?:Caused by: |uncaught |Exception in thread \S+ )?(?:[a-zA-Z_$][\w$]*\.)*[A-Z][\w$]*"
    r"(?:Error|Exception|Interrupt|Failure|Fault|Exit|Throwable)(?::| \(|$)"
)
GRAVE = re.compile(
    r"\b(?:fatal|panic(?:ked)?|abort(?:ed|ing)?|core dumped|segmentation fault|segfault|crash(?:ed|es)?|killed|"
    r"out of memory|unrecoverable|uncorrectable|corrupt(?:ed|ion)?|deadlock(?:ed)?|exception|traceback)\b|"
    + GRAVE_WORDS,
    re.IGNORECASE,
)
FAILED = re.compile(
    r"^(?:\W*)(?:error|fatal|err!|failed|failure)\b[\s\]):!]|\b(?:error|fatal)(?:\s?\[?\w*\]?)?:|(?:\bFAILED\b|\bFAIL:)|"
    r"\b(?:failed|failure|fails|unable to|cannot|can't|couldn't|could not|refus(?:ed|ing)|denied|rejected|"
    r"unreachable|not found|no such|missing|invalid|illegal|unexpected(?:ly)?|unsupported|undefined|"
    r"mismatch|exceeded|lost|stuck|unhealthy|dirty)\b|"
    # `timeout=10` is a setting.
    r"\btime[d-]? ?out(?:$|[^\w:='\"-]|: ?[^\d ])|" + FAILED_WORDS,
    re.IGNORECASE,
)
ERROR = re.compile(r"error|\berr\b|exitcode|exit code|non-zero|returned status", re.IGNORECASE)
HARMLESS = re.compile(
    r"\b(?:0|no|without|zero) (?:errors?|failures?|warnings?)\b|(?:errors?|failures?|failed)\s*[:=]\s*0\b|"
    r"^\s*[\w.-]+ ?\.{3,} |^\s*--?[\w-]+[= ]|^\++ |\b(?:Deprecat|Future|User)\w*Warning\b|\bwill raise an error\b|"
    r"(?:falling back|fall back|ignored|retrying|skipped|recovered|succeeded)\b|" + HARMLESS_WORDS,
    re.IGNORECASE,
)
# What might be, or might have been, is advice.
MIGHT = re.compile(
    r"\b(?:if|in case|when|whenever|unless) (?:[\w']+ ){0,4}(?:fail\w*|errors?|crash\w*)\b|"
    r"\b(?:usually|often|sometimes|possibly|probably) (?:be )?(?:due to|caused by|because)\b|"
    r"\bpossible (?:reason|cause)s?\b",
    re.IGNORECASE,
)

# A line that says what is done about its trouble, and not that it was in vain.
GOES_ON = re.compile(
    r"\b(?:(?:will )?retry(?:ing)?|(?:will )?try again|trying again|attempt \d+ ?(?:of|/) ?\d+|back(?:ing)?[- ]?off|"
    r"fall(?:ing)? ?back|buffer(?:ed|ing)|skipp(?:ed|ing)|reconnect(?:ed|ing)|recovered|next try|tries left)\b|"
    + GOES_ON_WORDS,
    re.IGNORECASE,
)
IN_VAIN = re.compile(
    r"\b(?:exceeded|exhausted|gave up|giving up|given up|failed after|after \d+ (?:retries|attempts|tries)|"
    r"no (?:more )?(?:retries|attempts|tries)|unable to recover|in vain|last attempt)\b|" + IN_VAIN_WORDS,
    re.IGNORECASE,
)


# Python's own form of a warning.
WARNS = re.compile(r"\b(?:[A-Z]\w{0,80})?Warning:(?: |$)")


def warns(text: str) -> bool:
    """Whether a line is a warning, whatever it was logged as."""
    return WARNS.search(text) is not None


def goes_on(text: str) -> bool:
    """Whether a line says of its trouble that it is being got over."""
    return GOES_ON.search(text) is not None and IN_VAIN.search(text) is None


# What a line sounds like, on the scale of the signals' weights.
NOTHING, HINT, VAGUE, GRAVELY, GENERIC, TELLING = 0.0, 1.0, 2.0, 2.5, 3.0, 3.5
BY_LEVEL = {Level.FATAL: GENERIC, Level.ERROR: 2.8, Level.WARNING: HINT}
# What is added where both the words and the level are alarming.
BOTH = 0.2
PATTERNS = {
    "harmless": HARMLESS,
    "exception": EXCEPTION,
    "might": MIGHT,
    "failed": FAILED,
    "grave": GRAVE,
    "error": ERROR,
}


def alarm(text: str, level: Level) -> float:
    """How alarming the line's own text sounds, from 0 (not at all) to 3.5 (an exception's own line)."""
    return severity([name for name, pattern in PATTERNS.items() if pattern.search(text)], level)


def severity(names: Collection[str], level: Level) -> float:
    """The same for a text that has the patterns of these names."""
    if "harmless" in names:
        return HINT if level >= Level.ERROR else NOTHING
    if "exception" in names:
        return TELLING
    if "might" in names:
        return HINT
    if "grave" in names and level == Level.UNKNOWN:
        return GRAVELY
    by_words = NOTHING
    if "grave" in names or "failed" in names:
        by_words = VAGUE
    elif "error" in names:
        by_words = HINT
    by_level = BY_LEVEL.get(level, NOTHING)
    # A warning alone is no failure, however it is worded.
    if by_words and by_level:
        return max(by_words, by_level) + (BOTH if level >= Level.ERROR else -BOTH)
    return max(by_words, by_level)
