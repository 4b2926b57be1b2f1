"""Checks of all files of signals that need no database: each file's form, each signal's rules, and all side by side."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from kb.core.diagnosis.signals.catalogue import FOLDER
from kb.core.diagnosis.signals.format import FamilyFile, Signal, SignalFile, signals_of
from kb.core.diagnosis.signals.matching import Matcher
from kb.core.diagnosis.signals.rules import SILENT, Entry, Fault, faults
from kb.core.yaml_faults import Rejection, faults_of, line_of, problems_of
from kb.core.yaml_files import read_yaml

MOST_LINES = 300
# What Ray makes of a line that several workers write.
REPEATED = " [repeated 3x across cluster] (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable)"
DIFFERENCE = {"code": "give another, or add to that signal", "means": "say what differs"}
SENTENCE_END = re.compile(r"(?<=[.!?]) ")


@dataclass(frozen=True)
class SignalReport:
    """How many signals each file has, and what is wrong with the files."""

    signals: Mapping[Path, int]
    problems: tuple[Rejection, ...]


@dataclass(frozen=True)
class PlacedEntry:
    """An entry, where it stands."""

    path: Path
    number: int
    entry: Entry

    def place(self, key: str) -> str:
        """The file and line of the key, for a fault elsewhere."""
        return f"{self.path.name}:{line_of(self.path, ('signals', self.number, key))}"

    def rejection(self, fault: Fault) -> Rejection:
        """The fault with its file, line and signal."""
        loc, reason = fault
        key = f"{loc[0]}: " if loc else ""
        line = line_of(self.path, ("signals", self.number, *loc))
        return Rejection(self.path, line, f"{self.entry.text('code') or 'a signal without a code'}: {key}{reason}")


def check_signals(known: Collection[tuple[str, str]], folder: Path = FOLDER) -> SignalReport:
    """Check every file of the folder; `known` are the active nodes of the house codebook, each an (axis, code)."""
    codes = {
        key: [code for axis, code in known if axis == asked]
        for key, asked in (("symptom", "symptom"), ("causes", "root_cause"))
    }
    entries: list[PlacedEntry] = []
    signals: dict[tuple[Path, int], Signal] = {}
    problems: list[Rejection] = []
    for path in sorted(folder.glob("*.yaml")):
        try:
            values = read_yaml(path)
        except (UnicodeDecodeError, yaml.YAMLError, OSError) as error:
            problems += [Rejection(path, *problem) for problem in problems_of(error, path, FamilyFile)]
            continue
        problems += _too_long(path)
        placed = _entries(path, values)
        entries += placed
        problems += _faults_of_form(path, values, placed)
        for one in placed:
            found = list(faults(one.entry, codes))
            problems += map(one.rejection, found)
            # A wrong pattern cannot be searched for.
            if not {"pattern", "unless"} & {loc[0] for loc, _ in found}:
                signals.update(((path, one.number), signal) for signal in _signal(one))
    problems += _shared(entries)
    problems += _outdone(entries, signals)
    problems.sort(key=lambda problem: (problem.path, problem.line))
    return SignalReport(Counter(placed.path for placed in entries), tuple(problems))


def _entries(path: Path, values: Any) -> list[PlacedEntry]:
    signals = values.get("signals") if isinstance(values, dict) else None
    if not isinstance(signals, list):
        return []
    return [PlacedEntry(path, i, Entry(one)) for i, one in enumerate(signals) if isinstance(one, dict)]


def _signal(placed: PlacedEntry) -> Iterator[Signal]:
    """The signal, if its form is right."""
    try:
        signal = SignalFile.model_validate(placed.entry.values)
    except ValidationError:
        return
    yield from signals_of(FamilyFile(family=placed.path.stem, title="-", signals=(signal,)))


def _faults_of_form(path: Path, values: Any, entries: list[PlacedEntry]) -> Iterator[Rejection]:
    by_number = {placed.number: placed for placed in entries}
    try:
        family = FamilyFile.model_validate(values)
    except ValidationError as error:
        for place, reason in faults_of(error, FamilyFile):
            signal = ""
            match place:
                case ("signals", int(number), *_) if number in by_number:
                    signal = f"{by_number[number].entry.text('code') or 'a signal without a code'}: "
            yield Rejection(path, line_of(path, place), f"{signal}{reason.removeprefix('signals.')}")
    else:
        if family.family != path.stem:
            reason = f"family: is '{family.family}', the file's name is not. Name both alike"
            yield Rejection(path, line_of(path, ("family",)), reason)


def _too_long(path: Path) -> Iterator[Rejection]:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > MOST_LINES:
        reason = f"{lines} lines are too many to read: at most {MOST_LINES}, begin another family"
        yield Rejection(path, MOST_LINES, reason)


def _shared(entries: list[PlacedEntry]) -> Iterator[Rejection]:
    """Codes and sentences that signals share, told at each of them: any of their files may be the one at hand."""
    holders: dict[tuple[str, str], list[PlacedEntry]] = {}
    for placed in entries:
        holders.setdefault(("code", placed.entry.text("code")), []).append(placed)
        for sentence in set(SENTENCE_END.split(placed.entry.text("means"))):
            holders.setdefault(("means", sentence), []).append(placed)
    for (key, text), sharing in holders.items():
        for placed in sharing if text else ():
            others = [other.place(key) for other in sharing if other is not placed]
            if others:
                yield placed.rejection(((key,), f"{text!r} is in {', '.join(others)} too: {DIFFERENCE[key]}"))


def _outdone(entries: list[PlacedEntry], signals: dict[tuple[Path, int], Signal]) -> Iterator[Rejection]:
    """Examples that noise or advice takes over, told at both, among all signals of a right form."""
    matcher = Matcher(list(signals.values()))
    by_code = {placed.entry.text("code"): placed for placed in entries}
    for placed in entries:
        signal = signals.get((placed.path, placed.number))
        if signal is None or signal.role in SILENT:
            continue
        for i, line in enumerate(signal.examples):
            silent, text = _silencing(matcher, line)
            for one in silent:
                reason = f"{text!r} is silenced by {one}: exclude it there by `unless`"
                yield placed.rejection((("examples", i), reason))
                reason = f"silences {text!r}, an example of {signal.code}: exclude it by `unless`"
                yield by_code[one].rejection((("pattern",), reason))


def _silencing(matcher: Matcher, line: str) -> tuple[list[str], str]:
    """Codes of what silences the line as it is or repeated, and the line in the form that is silenced."""
    for text in (line, line + REPEATED):
        silent = [one.code for one in matcher.match(text) if one.role in SILENT]
        if silent:
            return silent, text
    return [], line
