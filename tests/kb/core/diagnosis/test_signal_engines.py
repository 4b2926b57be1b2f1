"""What the catalogue of signals stands on: two engines, also under hostile text, and the checks of its files."""

import re
import time
from functools import lru_cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from kb.core.diagnosis.signals import engines
from kb.core.diagnosis.signals.catalogue import catalogue, read_family
from kb.core.diagnosis.signals.engines import Engine, Plain, Re2, best_engine
from kb.core.diagnosis.signals.format import Signal, signals_of
from kb.core.diagnosis.signals.literals import required_words
from kb.core.diagnosis.signals.matching import LONGEST, Matcher, one_line
from kb.core.diagnosis.signals.rules import NOTHING, healthy_lines
from tests.kb.core.diagnosis.test_signals import EXAMPLES, MISSES, SIGNALS, codes


@lru_cache(maxsize=1)
def plain() -> Matcher:
    return Matcher(SIGNALS, Plain())


@lru_cache(maxsize=1)
def re2() -> Matcher:
    return Matcher(SIGNALS, Re2())


def a_signal(**values: object) -> dict[str, object]:
    return {
        "code": "disk-on-fire",
        "role": "root",
        "weight": 4,
        "pattern": "disk is on fire",
        "means": "The disk burns.",
        "check": ["Look at the disk."],
        "source": "https://docs.kernel.org/disk",
        "examples": ["error: disk is on fire"],
        "misses": ["disk is warm"],
    } | values


def signals_from(folder: Path, *given_signals: dict[str, object], family: str = "fires") -> tuple[Signal, ...]:
    path = folder / "fires.yaml"
    values = {"family": family, "title": "Fires", "signals": list(given_signals)}
    path.write_text(yaml.safe_dump(values), encoding="utf-8")
    return signals_of(read_family(path))


# The two engines


def test_both_engines_agree_on_every_line_of_the_files() -> None:
    lines = [line for _, line in EXAMPLES + MISSES] + [*healthy_lines(), *NOTHING]
    assert [line for line in lines if codes(plain().match(line)) != codes(re2().match(line))] == []


WORDS = sorted({word for s in SIGNALS for word in re.findall(r"[A-Za-z_]{2,}|\d+|[^\w\s]", " ".join(s.examples))})
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=14).map(" ".join)
PARTS = st.sampled_from([line for _, line in EXAMPLES])


@settings(max_examples=150, deadline=None)
@given(TEXTS)
def test_both_engines_agree_on_made_up_text(text: str) -> None:
    assert codes(plain().match(text)) == codes(re2().match(text))


@settings(max_examples=150, deadline=None)
@given(PARTS, PARTS, st.integers(0, 60), st.integers(0, 60))
def test_both_engines_agree_on_pieces_of_real_lines(one: str, other: str, end: int, start: int) -> None:
    text = one[:end] + other[start:]
    assert codes(plain().match(text)) == codes(re2().match(text))


@settings(max_examples=150, deadline=None)
@given(PARTS)
def test_a_required_word_is_in_every_line_that_matches(line: str) -> None:
    for signal in catalogue().match(line):
        words = required_words(signal.pattern)
        assert not words or any(word in one_line(line).lower() for word in words)


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (r"disk full", ("disk full",)),
        (r"disk (?:is )?full", ("disk ",)),
        (r"(?:disk|tape) full", (" full",)),
        (r"(?:disk|drum) \w+", ("disk", "drum")),
        (r"(?:disk(?: is| was)|drum) \w+", ("disk", "drum")),
        (r"(?:disk)? (?:drum)+", ("drum",)),
        (r"(?:disk|\d) \w+", ()),
        (r"(?i:Disk) \w", ("disk",)),
        (r"(?P<what>disk|drum)[ )|]\w", ("disk", "drum")),
        (r"disk full|quota used", ("disk full", "quota used")),
        (r"(?i)Disk FULL", ("disk full",)),
        (r"\d+ \w+|disk full", ()),
        (r"errors?", ("error",)),
        (r"colou+r", ("colou",)),
        (r"a.b\.c d", ("b.c d",)),
        (r"[abc]{3}", ()),
    ],
)
def test_words_are_read_off_a_pattern(pattern: str, words: tuple[str, ...]) -> None:
    assert required_words(pattern) == words


def test_without_re2_the_standard_library_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(engines, "import_module", missing)
    assert isinstance(best_engine(), Plain)


@pytest.mark.parametrize("engine", [Plain(), Re2()], ids=["plain", "re2"])
def test_an_engine_that_has_nothing_to_search_finds_nothing(engine: Engine) -> None:
    assert Matcher((), engine).match("disk is on fire") == ()


@pytest.mark.parametrize("engine", [Plain(), Re2()], ids=["plain", "re2"])
def test_a_wrong_pattern_is_named(engine: Engine) -> None:
    with pytest.raises(ValueError, match="disk is"):
        engine.test("disk is (on fire")


@pytest.mark.parametrize("engine", [Plain(), Re2()], ids=["plain", "re2"])
def test_colours_and_control_characters_hide_nothing(engine: Engine, tmp_path: Path) -> None:
    matcher = Matcher(signals_from(tmp_path, a_signal()), engine)
    assert codes(matcher.match("\x1b[1;31mdisk is\x1b[m on\tfire")) == ["disk-on-fire"]
    assert matcher.match("disk is on \ud800 fire") == ()


@pytest.mark.parametrize("engine", [Plain(), Re2()], ids=["plain", "re2"])
def test_unless_takes_a_match_back(engine: Engine, tmp_path: Path) -> None:
    matcher = Matcher(signals_from(tmp_path, a_signal(unless="drill")), engine)
    assert codes(matcher.match("disk is on fire")) == ["disk-on-fire"]
    assert matcher.match("disk is on fire, a drill") == ()


# Text that wants to keep the search busy


HOSTILE = [
    "a" * 9000,
    "error: " * 1500,
    "Error(" * 1500,
    "loss" * 2000,
    " " * 9000,
    "_" * 9000,
    "x.y" * 3000,
    "::" * 4000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:6])
def test_only_the_beginning_of_a_long_line_is_read(text: str) -> None:
    assert len(one_line(text)) == LONGEST
    assert re2().match(text) == re2().match(text[:LONGEST])


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:6])
def test_hostile_text_takes_no_longer_than_its_length_allows(text: str) -> None:
    started = time.perf_counter()
    codes(plain().match(text))
    codes(re2().match(text))
    # Backtracking without bounds would take minutes.
    assert time.perf_counter() - started < 10


# The rules of a file


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"role": "villain"}, "role"),
        ({"weight": 6}, "weight"),
        ({"weight": 0}, "weight"),
        ({"pattern": " "}, "pattern"),
        ({"check": []}, "check"),
        ({"examples": []}, "examples"),
        ({"source": "a book"}, "source"),
        ({"code": "Disk on fire"}, "code"),
        ({"run_symptom": "sad"}, "run_symptom"),
        ({"scope": "planet"}, "scope"),
        ({"colour": "red"}, "colour"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_mistake_in_a_file_is_named(values: dict[str, object], message: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match=message):
        signals_from(tmp_path, a_signal(**values))


def test_a_file_of_another_name_than_its_family_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"fires\.yaml: holds the family floods"):
        signals_from(tmp_path, a_signal(), family="floods")


def test_a_code_that_two_files_use_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signals_from(tmp_path, a_signal(), a_signal())
    monkeypatch.setattr("kb.core.diagnosis.signals.catalogue.FOLDER", tmp_path)
    with pytest.raises(ValueError, match="signal used twice: disk-on-fire"):
        catalogue.__wrapped__()
