"""All signals of all families, read once, and matched against the text of a line."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias, cast

from kb.core.diagnosis.signals import literals
from kb.core.diagnosis.signals.format import FamilyFile, Signal, signals_of
from kb.core.diagnosis.signals.matching import Matcher
from kb.core.kept import Json, kept
from kb.core.yaml_files import read_yaml

FOLDER = Path(__file__).with_name("families")
# Lines that only the checks read.
UNSEEN = {"examples", "misses"}
VERSION_DIGITS = 7
# The files' values, and the words that each pattern requires.
_Read: TypeAlias = tuple[list[Json], Mapping[str, literals.Words]]


@dataclass(frozen=True)
class Catalogue:
    """Every known signal, in the order of the files and within them, and the files' families."""

    version: int
    families: tuple[FamilyFile, ...]
    signals: tuple[Signal, ...]
    by_code: Mapping[str, Signal]
    matcher: Matcher

    def match(self, text: str) -> tuple[Signal, ...]:
        """The signals that the line's own text (behind its prefix) gives, the most telling first."""
        return self.matcher.match(text)


@lru_cache(maxsize=1)
def catalogue() -> Catalogue:
    """The catalogue, read at the first call. Raises `pydantic.ValidationError` or `ValueError` if a file is wrong."""
    paths = sorted(FOLDER.glob("*.yaml"))
    # A file that was tampered with is found out below.
    contents, words = cast("_Read", kept("signals", [*paths, Path(literals.__file__)], lambda: list(_read(paths))))
    families = tuple(map(_family, paths, contents))
    signals = tuple(chain.from_iterable(map(signals_of, families)))
    by_code = {signal.code: signal for signal in signals}
    if len(by_code) < len(signals):
        counts = Counter(signal.code for signal in signals)
        twice = sorted(code for code, count in counts.items() if count > 1)
        raise ValueError(f"signal used twice: {', '.join(twice)}")
    return Catalogue(version_of(signals), families, signals, MappingProxyType(by_code), Matcher(signals, words=words))


def _read(paths: Sequence[Path]) -> _Read:
    """What takes long to make of the files."""
    contents = [read_yaml(path) for path in paths]
    signals = chain.from_iterable(family.signals for family in map(_family, paths, contents))
    patterns = [signal.pattern for signal in signals]
    return contents, {pattern: literals.required_words(pattern) for pattern in patterns}


def version_of(signals: Sequence[Signal]) -> int:
    """A number made from all of the signals that an answer may show: diagnoses remember by which one they were made.

    Nobody has to raise it, so no changed signal goes unnoticed. It tells catalogues apart, not which is newer.
    """
    content = json.dumps([signal.model_dump(exclude=UNSEEN) for signal in signals], sort_keys=True)
    return int(hashlib.sha256(content.encode()).hexdigest()[:VERSION_DIGITS], 16)


def read_family(path: Path) -> FamilyFile:
    """One file. Raises `ValueError` where the file's name is not its family's."""
    return _family(path, read_yaml(path))


def _family(path: Path, content: object) -> FamilyFile:
    family = FamilyFile.model_validate(content)
    if family.family != path.stem:
        raise ValueError(f"{path.name}: holds the family {family.family}")
    return family
