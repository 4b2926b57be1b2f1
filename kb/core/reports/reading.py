"""What stands in a draft of a report: facts by the readers of set-ups and by signs in its lines, and its symptom."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from kb.core.diagnosis.signals.catalogue import catalogue
from kb.core.reports.format import ReportFact, report_facts
from kb.core.secrets import mask
from kb.core.setups.facts import Fact, Place, Setup
from kb.core.setups.reading import read_setup

# What hosts take as the text of an issue, and as many lines as are read at once.
MOST_CHARACTERS, MOST_LINES = 65_536, 5_000
# So much of a line is looked at, and shown.
LINE_CHARACTERS, SHOWN_CHARACTERS, SHOWN_PACKAGES = 400, 120, 4
FENCE = re.compile(r"\s*(```|~~~)")
TICK = re.compile(r"\s*[-*+]\s+\[[ xX]?\s?\]")
HEADING = re.compile(r"\s{0,3}#{1,6}\s")
# A command in the middle of a sentence stands between backticks.
INLINE = re.compile(r"(?<!`)`([^`\n]{8,400})`(?!`)")
DRAFT, MOST_INLINE = "draft", 20
COMMENT = re.compile(r"<!--.*?(-->|\Z)", re.DOTALL)


class DraftTooLongError(ValueError):
    """More than an issue can hold; its text says how much is taken."""


@dataclass(frozen=True)
class Evidence:
    """Where a fact stands: what was read, and the number of its line, None where it follows from several."""

    text: str
    line: int | None


def lines_of(draft: str) -> list[str]:
    """The draft's lines, with nothing left of comments, headings and boxes to tick: a form's own words are no facts.

    Raises `DraftTooLongError`.
    """
    if len(draft) > MOST_CHARACTERS:
        raise DraftTooLongError(f"More than {MOST_CHARACTERS:,} characters. An issue takes no more: attach long logs.")
    text = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), mask(draft).text)
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        raise DraftTooLongError(f"More than {MOST_LINES:,} lines. Attach long logs, and paste what fails first.")
    is_code = False
    for number, line in enumerate(lines):
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code and (HEADING.match(line) or TICK.match(line)):
            lines[number] = ""
    return lines


def found_facts(lines: Sequence[str]) -> dict[str, Evidence]:
    """The facts that stand in these lines, by code."""
    setup = read_setup([(DRAFT, "\n".join(lines)), *_inline_code(lines)])
    found = {}
    for code, fact in report_facts().facts.items():
        evidence = next(_read(fact, setup, lines), None) or _signed(code, lines)
        if evidence is not None:
            found[code] = evidence
    return found


def _inline_code(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Code within sentences, each named by itself."""
    spans = [span for line in lines for span in INLINE.findall(line[:LINE_CHARACTERS]) if " " in span]
    return [(span, span) for span in dict.fromkeys(spans)][:MOST_INLINE]


def _read(fact: ReportFact, setup: Setup, lines: Sequence[str]) -> Iterator[Evidence]:
    """What the readers of set-ups found of it."""
    for name in fact.reads:
        if name == "packages" and (names := _versioned(setup)):
            yield _packages(names)
        elif name == "command" and setup.has_command:
            yield _at(_place_of(setup.flags) or _source(setup), lines, "A command was read.")
        elif name == "script" and setup.has_script:
            yield Evidence("A script was read.", None)
        elif name == "settings" and setup.settings:
            yield _at(_place_of(setup.settings), lines, "Settings were read.")
        elif name in setup.facts and not setup.facts[name].is_default:
            known = setup.facts[name]
            yield _at(known.place, lines, f"{name}: {known.value}")


def _versioned(setup: Setup) -> list[str]:
    """The packages of which a version is told; a name alone is none."""
    return sorted(name for name, package in setup.packages.items() if package.allowed and package.allowed.exact)


def _packages(names: Sequence[str]) -> Evidence:
    more = f" and {len(names) - SHOWN_PACKAGES} more" if len(names) > SHOWN_PACKAGES else ""
    return Evidence(f"{', '.join(names[:SHOWN_PACKAGES])}{more}", None)


def _place_of(facts: Mapping[str, Fact]) -> Place | None:
    return next((fact.place for fact in facts.values() if fact.place.line is not None), None)


def _source(setup: Setup) -> Place | None:
    return next((Place(source.name) for source in setup.sources if source.form), None)


def _at(place: Place | None, lines: Sequence[str], otherwise: str) -> Evidence:
    """The line at a place, or else these words."""
    if place is not None and place.file != DRAFT:
        return Evidence(shown(place.file), None)
    if place is None or place.line is None or not 0 < place.line <= len(lines):
        return Evidence(otherwise, None)
    return Evidence(shown(lines[place.line - 1]) or otherwise, place.line)


def shown(line: str) -> str:
    """A line as it is shown again."""
    text = " ".join(line.split())
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[: SHOWN_CHARACTERS - 1]}…"


def _signed(code: str, lines: Sequence[str]) -> Evidence | None:
    """The first line with a sign of the fact."""
    pattern = _patterns().get(code)
    if pattern is None:
        return None
    for number, line in enumerate(lines, start=1):
        if line and pattern.search(line[:LINE_CHARACTERS]):
            return Evidence(shown(line), number)
    return None


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Of facts with signs."""
    patterns: dict[str, re.Pattern[str]] = {}
    for code, fact in report_facts().facts.items():
        if fact.signs:
            patterns[code] = re.compile("|".join(f"(?:{sign})" for sign in fact.signs), re.IGNORECASE)
    return patterns


def told_symptom(lines: Sequence[str]) -> tuple[str, str]:
    """The entry that the draft itself tells, with the line or word that does; both empty where nothing does."""
    other = ("", "")
    for line in filter(None, lines):
        for signal in catalogue().match(line[:LINE_CHARACTERS].strip()):
            entry = report_facts().entry_of(signal.symptom or "")
            if entry and not signal.general:
                if signal.role == "root":
                    return entry, shown(line)
                other = other if other[0] else (entry, shown(line))
    return other if other[0] else _in_words(lines)


def _in_words(lines: Sequence[str]) -> tuple[str, str]:
    """The entry with the longest word of its own that stands first: words of several parts tell more."""
    text = " ".join(lines)[:MOST_CHARACTERS].casefold()
    best = (-1, 0, "", "")
    for code, entry in report_facts().symptoms.items():
        for word in entry.words:
            match = re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", text)
            if match:
                best = max(best, (word.count(" "), -match.start(), code, word))
    return best[2], best[3]
