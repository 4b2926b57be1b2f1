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
from kb.core.yaml_files import Rejection, in_plain_words, line_of, read_yaml, repeated_keys, unreadable

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
            problems.append(unreadable(path, error))
            continue
        problems += repeated_keys(path)
        placed = _entries(path, values)
        entries += placed
        problems += _faults_of_form(path, values, placed)
        for one in placed:
            found = list(faults(one.entry, codes))
            problems += map(one.rejection, found)
            # A wrong pattern cannot be searched for.
            if not {"pattern", "unless"} & {loc[0] for loc, _ in found}:
                signals.update(((path, one.number), signal) for signal in _signal(one))
    problems += _repeated(entries)
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
        for place, told in in_plain_words(error, FamilyFile):
            match place:
                case ("signals", int(number), *rest) if number in by_number:
                    yield by_number[number].rejection((tuple(rest), told))
                case loc:
                    key = f"{'.'.join(map(str, loc))}: " if loc else ""
                    yield Rejection(path, line_of(path, loc), f"{key}{told}")
    else:
        if family.family != path.stem:
            reason = f"family: is '{family.family}', the file's name is not. Name both alike"
            yield Rejection(path, line_of(path, ("family",)), reason)


def _repeated(entries: list[PlacedEntry]) -> Iterator[Rejection]:
    """Codes and sentences that two signals share."""
    first_of_code: dict[str, PlacedEntry] = {}
    first_of_sentence: dict[str, PlacedEntry] = {}
    for placed in entries:
        code = placed.entry.text("code")
        first = first_of_code.setdefault(code, placed) if code else placed
        if first is not placed:
            where = f"{first.path.name}:{line_of(first.path, ('signals', first.number, 'code'))}"
            yield placed.rejection((("code",), f"is used in {where} already: give another, or add to that signal"))
        for sentence in SENTENCE_END.split(placed.entry.text("means")):
            other = first_of_sentence.setdefault(sentence, placed) if sentence else placed
            if other is not placed:
                reason = f"{sentence!r} is said of {other.entry.text('code')} too: say what differs"
                yield placed.rejection((("means",), reason))


def _outdone(entries: list[PlacedEntry], signals: dict[tuple[Path, int], Signal]) -> Iterator[Rejection]:
    """Examples that another signal takes over, among all signals of a right form."""
    matcher = Matcher(list(signals.values()))
    for placed in entries:
        signal = signals.get((placed.path, placed.number))
        if signal is None:
            continue
        for i, line in enumerate(signal.examples):
            found = matcher.match(line)
            silent = [one.code for one in found if one.role in SILENT]
            if signal in found and silent and signal.role not in SILENT:
                reason = f"{line!r} is silenced by {', '.join(silent)}: exclude it there by `unless`"
                yield placed.rejection((("examples", i), reason))
