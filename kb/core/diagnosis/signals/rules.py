"""Rules of one signal that the form of its file cannot express; each fault with its place and what to do.

They read the entry as it was written, so that all its faults are told at once, whatever else is wrong with it.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from kb.core.diagnosis.signals.commands import WORDS, unknown_placeholders
from kb.core.diagnosis.signals.contradictions import contradictions
from kb.core.diagnosis.signals.engines import Engine, Plain, Test, best_engine
from kb.core.diagnosis.signals.matching import Sieve, one_line
from kb.core.yaml_faults import suggestion

# Where in the entry, and what to correct.
Fault: TypeAlias = tuple[tuple[int | str, ...], str]
# Codes of the house codebook by the key of an entry that names them.
Known: TypeAlias = Mapping[str, Collection[str]]

SILENT = ("noise", "advice")
TELLING = ("root", "either", "cascade", "confirmation")
MOST_QUIET_WEIGHT, MOST_COUNT, MOST_TEXT = 2, 60, 260
HEALTHY_LINES = Path(__file__).with_name("healthy.txt")
NOTHING = ("", " ", "\t", "-", "=" * 80, "0", "\x1b[0m", "\x00")
BEYOND_RE2 = re.compile(r"\(\?(?:[=!>]|<[=!])|\\[1-9]|\(\?P=")
COUNTED = re.compile(r"[.\w\])]\{\d*,?(\d+)\}")
NARROW = "name words that only such lines have"


@dataclass(frozen=True)
class Entry:
    """One signal as its file has it, right or wrong."""

    values: Mapping[str, Any]

    def text(self, key: str) -> str:
        """The text at the key; empty where there is none."""
        value = self.values.get(key)
        return value if isinstance(value, str) else ""

    def texts(self, key: str) -> list[tuple[int, str]]:
        """The texts of the list at the key, with their numbers."""
        value = self.values.get(key)
        return [(i, one) for i, one in enumerate(value) if isinstance(one, str)] if isinstance(value, list) else []


def faults(entry: Entry, known: Known) -> Iterator[Fault]:
    """All that is wrong with the entry by itself."""
    yield from _faults_of_codes(entry, known)
    yield from _faults_of_role(entry)
    yield from _faults_of_texts(entry)
    for key, reason in contradictions(entry.values):
        yield (key,), reason
    wrong_patterns = [*_faults_of_pattern(entry, "pattern"), *_faults_of_pattern(entry, "unless")]
    yield from wrong_patterns
    if not wrong_patterns and entry.text("pattern"):
        yield from _faults_of_examples(entry)
        yield from _faults_of_other_lines(entry)


@cache
def healthy_lines() -> tuple[str, ...]:
    """Lines of runs that went well."""
    return tuple(HEALTHY_LINES.read_text(encoding="utf-8").splitlines())


@cache
def _engines() -> tuple[Engine, ...]:
    """Those that must agree: the one in use, and the one that stands in for it."""
    return best_engine(), Plain()


def _tests(pattern: str) -> list[Test]:
    return [engine.test(pattern) for engine in _engines()]


def _faults_of_codes(entry: Entry, known: Known) -> Iterator[Fault]:
    book = "of the house codebook, kb/codebook/house.yaml"
    symptom = entry.text("symptom")
    if symptom and symptom not in known["symptom"]:
        yield ("symptom",), f"'{symptom}' is no active symptom {book}{suggestion(symptom, known['symptom'])}"
    causes = [cause for _, cause in entry.texts("causes")]
    for i, cause in enumerate(causes):
        if cause not in known["causes"]:
            yield ("causes", i), f"'{cause}' is no active root cause {book}{suggestion(cause, known['causes'])}"
        elif cause in causes[:i]:
            yield ("causes", i), f"'{cause}' is named twice: remove one"


def _faults_of_role(entry: Entry) -> Iterator[Fault]:
    role, weight, run_symptom = entry.text("role"), entry.values.get("weight"), entry.text("run_symptom")
    if role == "root" and not entry.texts("misses"):
        yield ("role",), "a root shows, as `misses`, a similar line that it must not match"
    if role in SILENT:
        for key in ("symptom", "causes"):
            if entry.values.get(key):
                yield (key,), f"{role} names neither symptom nor causes: remove it"
    if role in (*SILENT, "teardown") and isinstance(weight, int) and weight > MOST_QUIET_WEIGHT:
        yield ("weight",), f"{role} weighs at most {MOST_QUIET_WEIGHT}"
    if role == "cancel" and run_symptom != "cancelled":
        yield ("role",), "a cancel has `run_symptom: cancelled`"
    if role != "cancel" and run_symptom == "cancelled":
        yield ("run_symptom",), "only a signal with `role: cancel` cancels the run"
    for key in ("symptom", "run_symptom"):
        if role in TELLING and not entry.text(key):
            yield ("role",), f"`{key}` is missing: a {role} says what the failure looks like"


def _faults_of_texts(entry: Entry) -> Iterator[Fault]:
    texts: list[tuple[tuple[int | str, ...], str]] = [(("means",), entry.text("means"))]
    texts += [(("check", i), text) for i, text in entry.texts("check")]
    for loc, text in texts:
        if text and not text.rstrip().endswith((".", "?")):
            yield loc, "write a whole sentence, which ends in a full stop or a question mark"
        if text.count("`") % 2:
            yield loc, "a command stands between two backticks: one is missing"
        for placeholder in unknown_placeholders(text):
            yield loc, f"nothing is filled in for {{{placeholder}}}: it is one of {', '.join(WORDS)}"
        if len(text) > MOST_TEXT:
            yield loc, f"{len(text)} characters are too many for a reader in a hurry: at most {MOST_TEXT}"


def _faults_of_pattern(entry: Entry, key: str) -> Iterator[Fault]:
    pattern = entry.text(key)
    if not pattern:
        return
    beyond = BEYOND_RE2.search(pattern)
    if beyond:
        yield (
            (key,),
            f"RE2 has no `{beyond[0]}`: no look-around, no back references. Say with `unless` what excludes it",
        )
        return
    try:
        tests = _tests(pattern)
    except ValueError as error:
        yield (key,), str(error)
        return
    if pattern.startswith(".*"):
        yield (key,), "a search needs no leading .*: remove it"
    if any(int(count) > MOST_COUNT for count in COUNTED.findall(pattern)):
        yield (key,), f"a count above {MOST_COUNT} makes RE2 slow: use a smaller one or *"
    empty = [line for line in NOTHING if any(test(one_line(line)) for test in tests)]
    if empty:
        result = "no line would ever give the signal" if key == "unless" else "every line would give the signal"
        yield (key,), f"matches {empty[0]!r}, which says nothing, so nearly {result}: {NARROW}"


class _Search:
    """What the entry's patterns make of a line, by each engine."""

    def __init__(self, entry: Entry) -> None:
        self._tests = _tests(entry.text("pattern"))
        self._vetoes = _tests(entry.text("unless")) if entry.text("unless") else []
        self._sieve = Sieve([entry.text("pattern")], _engines()[0])

    def found(self, line: str) -> list[bool]:
        return [test(one_line(line)) for test in self._tests]

    def is_vetoed(self, line: str) -> bool:
        return any(test(one_line(line)) for test in self._vetoes)

    def is_reached(self, line: str) -> bool:
        return bool(self._sieve.search(one_line(line)))

    def gives(self, line: str) -> bool:
        return any(self.found(line)) and not self.is_vetoed(line)


def _faults_of_examples(entry: Entry) -> Iterator[Fault]:
    search = _Search(entry)
    for i, line in entry.texts("examples"):
        found = search.found(line)
        if not any(found):
            yield ("examples", i), f"the pattern does not match {line!r}: correct the line or the pattern"
        elif not all(found):
            yield ("examples", i), f"RE2 and Python's re disagree on {line!r}: write the pattern in a plainer way"
        elif search.is_vetoed(line):
            yield ("examples", i), f"`unless` takes {line!r} back: narrow it"
        elif not search.is_reached(line):
            yield (
                ("examples", i),
                (
                    f"the search for words that the pattern requires does not reach {line!r}: write the pattern in a "
                    "plainer way, or correct kb/core/diagnosis/signals/literals.py"
                ),
            )


def _faults_of_other_lines(entry: Entry) -> Iterator[Fault]:
    search = _Search(entry)
    for i, line in entry.texts("misses"):
        if search.gives(line):
            yield ("misses", i), f"the pattern matches {line!r}: narrow it, or exclude the line by `unless`"
    if entry.text("role") not in SILENT:
        for number, line in enumerate(healthy_lines(), start=1):
            if search.gives(line):
                yield ("pattern",), f"matches {line[:80]!r} of a healthy run, {HEALTHY_LINES.name}:{number}: {NARROW}"
