"""The card of an issue: what a row of results shows of it without asking the database."""

import datetime as dt
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

# Behind a full stop, unless it stands in a name or a version, or behind an abbreviation.
SENTENCE_END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)[.!?][\")’”]?(?=\s+[A-Z`\"“(])|[。！？]")


@dataclass(frozen=True)
class CardNode:
    """A category with the address of its page."""

    code: str
    name: str
    url: str


@dataclass(frozen=True)
class CardFix:
    """A fix; `lines` and `small` are None where its size is not known."""

    url: str
    name: str
    lines: int | None
    small: bool | None
    merged_on: dt.date | None


@dataclass(frozen=True)
class CardSource:
    """A source that holds a label on the issue; `study` is the study's short code, or empty."""

    slug: str
    name: str
    kind: str
    study: str
    confidence: str


@dataclass(frozen=True)
class CardAnswer:
    """The record that answers a report: the address of its page, its short name, title and fix line."""

    page: str
    name: str
    title: str
    fix_line: str


@dataclass(frozen=True)
class Card:
    """An issue at a glance.

    `public_id` is empty where nobody described it; `url` is the host's address, `page` ours, `name` the short one
    (`DeepSpeed#860`), `start` our summary or the beginning of the report, `text` what passages are cut from.
    `fix_line` says what to do now, `certainty` how sure cause and fix are; `answered_by` is the record that answers
    the report. `resolution` and `workaround` are the first sentences of ours, `fixed_version` the first release
    with the fix. `fix` is the one to show, beside `more_fixes` others. `suggested` are symptoms that rules suggest
    where nobody has named any.
    """

    id: int
    public_id: str
    url: str
    page: str
    name: str
    title: str
    framework: str
    framework_name: str
    repository: str
    kind: str
    state: str
    opened_at: dt.datetime | None
    closed_at: dt.datetime | None
    comments: int | None
    curated: bool
    resolved: bool
    start: str
    fix_line: str
    certainty: str
    answered_by: CardAnswer | None
    resolution: str
    workaround: str
    fixed_version: str
    symptoms: tuple[CardNode, ...]
    causes: tuple[CardNode, ...]
    patterns: tuple[CardNode, ...]
    fix: CardFix | None
    more_fixes: int
    suggested: tuple[CardNode, ...]
    sources: tuple[CardSource, ...]
    text: str


def to_json(card: Card) -> str:
    """One line of JSON."""
    return orjson.dumps(card).decode()


# The issues that are described are among the results of many searches. A card and its text take some 4 kB.
@lru_cache(4_096)
def from_json(text: str | bytes) -> Card:
    """The card that `to_json` wrote."""
    values: dict[str, Any] = orjson.loads(text)
    for key in ("symptoms", "causes", "patterns", "suggested"):
        values[key] = tuple(CardNode(**node) for node in values[key])
    values["sources"] = tuple(CardSource(**source) for source in values["sources"])
    values["fix"] = _fix(values["fix"]) if values["fix"] else None
    values["answered_by"] = CardAnswer(**values["answered_by"]) if values["answered_by"] else None
    for key in ("opened_at", "closed_at"):
        values[key] = dt.datetime.fromisoformat(values[key]) if values[key] else None
    return Card(**values)


def _fix(values: dict[str, Any]) -> CardFix:
    merged = values.pop("merged_on")
    return CardFix(**values, merged_on=dt.date.fromisoformat(merged) if merged else None)


def cut(text: str, most: int) -> str:
    """The text's beginning on one line, cut between words; an ellipsis says that more follows."""
    # Mostly there is little to leave out between words, and little more than is kept suffices.
    line = " ".join(text[: most + most // 8].split())
    if len(line) <= most:
        line = " ".join(text[: 2 * most].split())
        if len(line) <= most and len(text) <= 2 * most:
            return line
    return f"{line[:most].rpartition(' ')[0] or line[:most]} …"


def first_sentences(text: str, most: int) -> str:
    """As many whole sentences from the text's beginning as fit; of a longer first one, its beginning."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    ends = [match.end() for match in SENTENCE_END.finditer(line, 0, most + 1)]
    return line[: ends[-1]].rstrip() if ends else cut(line, most)
