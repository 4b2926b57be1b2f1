"""What a curated record must not say, beyond its form: each fault with its place. Pure.

The rules read a file's values as they stand, so that they find their faults in a file that has others, too.
"""

import datetime as dt
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import pydantic

from kb.codebook.format import AXIS_CODES
from kb.core.frameworks import framework_of
from kb.core.redaction.findings import Kind
from kb.core.redaction.hosts import machines
from kb.core.redaction.paths import people_and_folders
from kb.core.secrets import find as find_secrets
from kb.core.yaml_faults import Fault, Place, faults_of, named, suggestion
from kb.starter.claims import unfounded
from kb.starter.consistency import contradictions, telling_words
from kb.starter.format import ISSUE_URL, NOT_STATED, Record, RecordLabels
from kb.starter.narrowing import condition_faults

Values = Mapping[str, Any]
Rules = Callable[[Values], Iterable[Fault]]
# Keys with addresses, codes or versions: no texts of ours. A version of four numbers looks like an IP address.
NO_TEXTS = frozenset({"url", "framework", "node", "related", "same_as", "affects", "affects_when"})
DAY = re.compile(r"\d{4}-\d\d-\d\d")
# Folders are not among them: /workspace/csrc is nobody's.
PRIVATE = {
    Kind.USER: "a user's name: remove it, or write /home/user",
    Kind.IP: "an IP address: remove it, or, if it is a version, write v before it",
    Kind.HOST: "the name of a machine: remove it",
    Kind.POD: "the name of a Kubernetes pod: remove it",
    Kind.JOB: "the number of a job: remove it",
}


def no_more_rules(_: Values) -> Iterator[Fault]:
    """No faults."""
    return iter(())


def read_values(values: object, *, frameworks: Collection[str], more: Rules) -> tuple[Record | None, list[Fault]]:
    """The record if its form is right, and all faults. `frameworks`: the slugs that are known; `more`: other rules."""
    record: Record | None = None
    faults: list[Fault] = []
    try:
        record = Record.model_validate(values)
    except pydantic.ValidationError as error:
        faults += faults_of(error, Record)
    if isinstance(values, Mapping):
        faults += broken_rules(values, frameworks=frameworks)
        faults += _claims(values, record)
        faults += more(values)
    if record:
        faults += [Fault(("affects_when",), reason) for reason in condition_faults(record)]
    return record, faults


def broken_rules(values: Values, *, frameworks: Collection[str]) -> Iterator[Fault]:
    """Every rule that the record breaks. `frameworks`: the slugs that are known."""
    yield from _framework(values, frameworks)
    yield from _signatures(values)
    yield from _no_line(values)
    yield from _other_reports(values)
    yield from _dates(values)
    for place, text in _texts(values, ()):
        yield from private(place, text)


def unknown_codes(values: Values, known: Collection[tuple[str, str]]) -> Iterator[Fault]:
    """The labels that are not among the known ones, each an (axis, code)."""
    labels = values.get("labels")
    for axis in AXIS_CODES:
        answers = labels.get(axis) if isinstance(labels, Mapping) else None
        for number, answer in enumerate(answers if isinstance(answers, list) else ()):
            code = answer.get("node") if isinstance(answer, Mapping) else None
            if isinstance(code, str) and code and (axis, code) not in known:
                reason = f"{axis}: '{code}' is not an active node of the house codebook{_hint(axis, code, known)}"
                yield Fault(("labels", axis, number), reason)


def _hint(axis: str, code: str, known: Collection[tuple[str, str]]) -> str:
    """Where the unknown code belongs, or which one it is most like."""
    others = [other for other, known_code in known if known_code == code]
    if others:
        return f" on this axis: it is a {others[0]}"
    return suggestion(code, [known_code for other, known_code in known if other == axis])


def labels_at_odds(values: Values, parents: Mapping[tuple[str, str], str | None]) -> Iterator[Fault]:
    """Contradictions between labels, if their form is right. `parents`: the parent's code of each (axis, code)."""
    try:
        labels = RecordLabels.model_validate(values.get("labels"))
    except pydantic.ValidationError:
        return
    for reason in contradictions(labels, parents, is_resolved=values.get("resolution") != NOT_STATED):
        yield Fault(("labels", reason.partition(":")[0]), reason)


def future_dates(values: Values, today: dt.date) -> Iterator[Fault]:
    """Dates after today."""
    for place, day in _days(values, ()):
        if day > today:
            yield Fault(place, f"{named(place)} is in the future: {day}, and today is {today}")


def _framework(values: Values, known: Collection[str]) -> Iterator[Fault]:
    url, slug = values.get("url"), values.get("framework")
    if not isinstance(slug, str) or not slug:
        return
    owner = framework_of(url) if isinstance(url, str) and ISSUE_URL.match(url) else ""
    if owner and slug != owner:
        yield Fault(("framework",), f"framework is '{slug}', but the repository belongs to '{owner}': write {owner}")
    elif not owner and slug not in known:
        listed = "kb/core/frameworks.yaml"
        yield Fault(("framework",), f"framework '{slug}' is not in {listed}{suggestion(slug, known)}")


def _signatures(values: Values) -> Iterator[Fault]:
    seen = _entries(values, "also_seen")
    for number, signature in enumerate(_entries(values, "recognise")):
        if isinstance(signature, str) and signature.strip() and not telling_words(signature):
            reason = f"recognise: '{signature}' fits any program: choose a line with a name or words of this fault"
            yield Fault(("recognise", number), reason)
        elif signature in seen:
            yield Fault(("also_seen", seen.index(signature)), f"also_seen: '{signature}' is under recognise already")


def _no_line(values: Values) -> Iterator[Fault]:
    """A record that says what to do has a line to recognise the fault by, or says why there is none."""
    has_lines, reason = bool(_entries(values, "recognise")), values.get("no_line")
    if values.get("fix_line") and not has_lines and not reason:
        yield Fault(
            ("recognise",) if "recognise" in values else ("fix_line",),
            "recognise is empty: add the line that the tool prints, or no_line with the reason why none tells it",
        )
    elif has_lines and reason:
        yield Fault(("no_line",), "no_line says why recognise is empty, and it is not: remove one of the two")


def _other_reports(values: Values) -> Iterator[Fault]:
    """Every other report stands once in a record: either it has the same fault, or a neighbouring one."""
    seen = {str(values.get("url")).lower(): "is this record itself"}
    for key in ("same_as", "neighbours"):
        for number, entry in enumerate(_entries(values, key)):
            url = entry.get("url") if isinstance(entry, Mapping) else entry
            if not isinstance(url, str):
                continue
            if url.lower() in seen:
                yield Fault((key, number), f"{key}: {url} {seen[url.lower()]}: remove it")
            seen.setdefault(url.lower(), f"stands under {key} already")


def _claims(values: Values, record: Record | None) -> Iterator[Fault]:
    """Each claim rests on a link or is called inferred, a fix on a link that says what it supports."""
    if _entries(values, "fixes") and not _entries(values, "evidence"):
        reason = (
            "evidence is empty beside a fix: add the fix as a line, {url: ..., supports: resolution, by: fix}, "
            "or the comment that names it"
        )
        yield Fault(("evidence",) if "evidence" in values else ("fixes",), reason)
    elif record:
        for key, reason in unfounded(record):
            yield Fault((key,), reason)


def _dates(values: Values) -> Iterator[Fault]:
    """Dates in their order; nothing that was read happened after the reading."""
    days = dict(_days(values, ()))
    opened, closed, read = days.get(("opened",)), days.get(("closed",)), days.get(("read", "date"))
    if opened and closed and closed < opened:
        yield Fault(("closed",), f"closed is before opened: {closed}, and opened is {opened}")
    if values.get("state") == "open" and closed:
        yield Fault(("closed",), "an open issue has no closing date: remove closed, or write state: closed")
    for place, day in days.items():
        if read and day > read and place[0] != "checked":
            yield Fault(place, f"{named(place)} is after read.date: {day}, and the thread was read on {read}")


def private(place: Place, text: str) -> Iterator[Fault]:
    """People, machines and secrets in one of our texts."""
    secrets = find_secrets(text)
    for secret in secrets:
        yield Fault(place, f"{named(place)} contains a secret or a personal address ({secret.kind}): leave it out")
    for finding in sorted({*machines(text), *people_and_folders(text)}):
        what, word = PRIVATE.get(finding.kind), text[finding.start : finding.end]
        is_told = any(secret.start <= finding.start < secret.end for secret in secrets)
        if what and not is_told and not (finding.kind is Kind.IP and _is_version(text, finding.start, word)):
            yield Fault(place, f"{named(place)} has '{word}', {what}")


def _is_version(text: str, start: int, word: str) -> bool:
    """Whether four numbers with dots are a version: marked as one, or without a number of two digits."""
    if text[start + len(word) :][:1].isalnum():
        return True
    before = text[:start].rstrip(" '\"`:").lower()
    is_marked = before.endswith(("=", "version", "versions", "release")) or text[start - 1 : start] in ("v", "-")
    return is_marked or all(len(part) == 1 for part in word.split("."))


def _entries(values: Values, key: str) -> list[Any]:
    entries = values.get(key)
    return entries if isinstance(entries, list) else []


def _texts(value: Any, place: Place) -> Iterator[tuple[Place, str]]:
    """Our own texts below a place."""
    if isinstance(value, str):
        yield place, value
    for part, inner in _inside(value):
        if part not in NO_TEXTS:
            yield from _texts(inner, (*place, part))


def _days(value: Any, place: Place) -> Iterator[tuple[Place, dt.date]]:
    """All dates below a place."""
    if isinstance(value, dt.datetime):
        yield place, value.date()
    elif isinstance(value, dt.date):
        yield place, value
    elif isinstance(value, str) and DAY.fullmatch(value):
        with suppress(ValueError):
            yield place, dt.date.fromisoformat(value)
    for part, inner in _inside(value):
        yield from _days(inner, (*place, part))


def _inside(value: Any) -> Iterator[tuple[int | str, Any]]:
    if isinstance(value, Mapping):
        yield from ((str(key), inner) for key, inner in value.items())
    elif isinstance(value, list):
        yield from enumerate(value)
