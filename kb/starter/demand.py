"""The faults that people ask about: `demand.yaml`, one line each; how it is checked, sorted and added to. Pure.

Whether a fault has its record follows from the records; what visitors searched for in vain is not here.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import pydantic
import yaml
from pydantic import Field, StringConstraints

from kb.core.yaml_faults import Fault, Rejection, faults_of, line_of, problems_of, suggestion
from kb.core.yaml_files import Strict, read_yaml
from kb.starter.rules import private

DEMAND = Path(__file__).with_name("demand.yaml")
HEAD = """\
# The faults that most people ask about, sorted by framework, then by how many threads ask (`seen`).
# `./manage.py sort_demand FILES` adds the entries of other files and sorts; the format: `demand.py` beside this file.
"""
MOST_THREADS = 4
BARE_URL = re.compile(r"https://[\w./%~#-]+")
BARE_CODE = re.compile(r"[a-z][a-z0-9-]*")
YAMLS_OWN = frozenset({"null", "true", "false", "yes", "no", "on", "off"})

Kind = Literal["setup", "memory", "hang", "wrong-result", "crash", "performance", "behaviour"]
Url = Annotated[str, StringConstraints(pattern=r"^https://\S+$", max_length=300)]


class Demand(Strict):
    """One fault that people ask about."""

    asked: Annotated[str, StringConstraints(strip_whitespace=True, min_length=8, max_length=160)] = Field(
        description="What people ask, in our words."
    )
    line: Annotated[str, StringConstraints(strip_whitespace=True, max_length=240)] = Field(
        default="", description="The error line as the tool prints it; empty where nothing is printed."
    )
    framework: str
    kind: Kind
    seen: int = Field(ge=1, description="How many separate threads a look-up showed.")
    threads: tuple[Url, ...] = Field(min_length=1, max_length=MOST_THREADS)
    record: Url | None = Field(default=None, description="The record that answers it; without one it is wanted.")

    @property
    def order(self) -> tuple[str, int, str]:
        """By framework, the most asked first."""
        return self.framework, -self.seen, self.asked.casefold()

    @property
    def keys(self) -> frozenset[str]:
        """Two entries that share one of these ask for the same fault."""
        texts = (self.asked, self.line)
        return frozenset({*self.threads, *(f"{self.framework}: {text.casefold()}" for text in texts if text)})

    def is_answered(self, answered: Collection[str]) -> bool:
        """Whether it has a record. `answered`: the threads that records answer."""
        return self.record is not None or any(thread in answered for thread in self.threads)


class DemandFile(NamedTuple):
    """The readable entries of a file, and all its errors."""

    entries: tuple[Demand, ...]
    problems: tuple[Rejection, ...]


def read_demand(path: Path = DEMAND) -> DemandFile:
    """The entries of a file, each by itself, so that one mistake hides no other."""
    try:
        values = read_yaml(path)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        problems = (Rejection(path, *problem) for problem in problems_of(error, path, Demand))
        return DemandFile((), tuple(problems))
    if values is None:
        values = []
    if not isinstance(values, list):
        return DemandFile((), (Rejection(path, 1, "the file must be a list: start each entry with '- '"),))
    entries, faults = [], []
    for number, value in enumerate(values):
        try:
            entries.append(Demand.model_validate(value))
        except pydantic.ValidationError as error:
            for place, reason in faults_of(error, Demand):
                faults.append(Fault((number, *place), re.sub(r"^the file\b", "the entry", reason)))
    return DemandFile(tuple(entries), _rejections(path, faults))


def check_demand(
    path: Path, *, frameworks: Collection[str], records: Collection[str], answered: Mapping[str, str]
) -> DemandFile:
    """The entries, and the mistakes in a file: form, order, doubles, unknown frameworks and records.

    `records`: the addresses of all records; `answered`: by each thread that a record answers, the record's address.
    """
    file = read_demand(path)
    if file.problems:
        return file
    faults = list(_broken_rules(file.entries, frameworks, records, answered))
    return DemandFile(file.entries, _rejections(path, faults))


def _broken_rules(
    entries: Sequence[Demand], frameworks: Collection[str], records: Collection[str], answered: Mapping[str, str]
) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for number, entry in enumerate(entries):
        if entry.framework not in frameworks:
            reason = f"framework '{entry.framework}' is not in kb/core/frameworks.yaml"
            yield Fault((number, "framework"), f"{reason}{suggestion(entry.framework, frameworks)}")
        if entry.record and entry.record not in records:
            own = answered.get(entry.record)
            hint = (
                f"write the record that answers it: {own}" if own else "correct it, or leave it out while it is wanted"
            )
            yield Fault((number, "record"), f"no record has the address {entry.record}: {hint}")
        if entry.seen < len(entry.threads):
            yield Fault((number, "seen"), f"seen is {entry.seen}, and {len(entry.threads)} threads are named")
        for key in sorted(entry.keys):
            other = first.setdefault(key, number)
            if other != number:
                reason = f"'{key}' stands in entry {other + 1}, too: merge both (./manage.py sort_demand)"
                yield Fault((number,), reason)
        for name, text in (("asked", entry.asked), ("line", entry.line)):
            yield from private((number, name), text)
        if number and entry.order < entries[number - 1].order:
            yield Fault((number,), "is not in order: sort the file with ./manage.py sort_demand")


def merged(entries: Iterable[Demand]) -> list[Demand]:
    """The entries in order; those for the same fault are one. The one with more threads lends its words."""
    groups: list[tuple[frozenset[str], Demand]] = []
    for entry in entries:
        same = [group for group in groups if not group[0].isdisjoint(entry.keys)]
        keys, whole = entry.keys, entry
        for group in same:
            keys, whole = keys | group[0], _both(group[1], whole)
            groups.remove(group)
        groups.append((keys, whole))
    return sorted((entry for _, entry in groups), key=lambda entry: entry.order)


def _both(first: Demand, second: Demand) -> Demand:
    main, other = (second, first) if second.seen > first.seen else (first, second)
    threads = tuple(dict.fromkeys((*main.threads, *other.threads)))[:MOST_THREADS]
    more = {"line": main.line or other.line, "record": main.record or other.record, "threads": threads}
    return main.model_copy(update={**more, "seen": max(main.seen, len(threads))})


def demand_table(entries: Sequence[Demand], answered: Collection[str], most: int = 20) -> Iterator[str]:
    """How many faults are wanted of each framework and kind, and the `most` wanted, as lines of text."""
    wanted = [entry for entry in entries if not entry.is_answered(answered)]
    yield f"{len(entries)} faults that people ask about: {len(entries) - len(wanted)} answered, {len(wanted)} wanted"
    for name in ("framework", "kind"):
        every, open_ones = (Counter(str(getattr(entry, name)) for entry in some) for some in (entries, wanted))
        yield f"\n{name:24} {'all':>5} {'wanted':>7}"
        yield from (f"{value:24} {count:5} {open_ones[value]:7}" for value, count in every.most_common())
    if wanted:
        yield "\nMost wanted, by the threads that ask"
    for entry in sorted(wanted, key=lambda entry: (-entry.seen, entry.order))[:most]:
        yield f"{entry.seen:3}  {entry.framework}: {entry.asked}  {entry.threads[0]}"


def as_text(entries: Iterable[Demand]) -> str:
    """The file with these entries."""
    return HEAD + "".join(f"- {as_line(entry)}\n" for entry in entries)


def as_line(entry: Demand) -> str:
    """The entry in YAML, on one line."""
    parts = [
        f"asked: {json.dumps(entry.asked, ensure_ascii=False)}",
        f"line: {json.dumps(entry.line, ensure_ascii=False)}",
    ]
    parts += [f"framework: {_bare(entry.framework)}", f"kind: {entry.kind}", f"seen: {entry.seen}"]
    parts.append(f"threads: [{', '.join(map(_bare, entry.threads))}]")
    if entry.record:
        parts.append(f"record: {_bare(entry.record)}")
    return f"{{{', '.join(parts)}}}"


def _bare(text: str) -> str:
    """The text without quotes where YAML needs none."""
    is_bare = BARE_URL.fullmatch(text) or (BARE_CODE.fullmatch(text) and text not in YAMLS_OWN)
    return text if is_bare else json.dumps(text, ensure_ascii=False)


def _rejections(path: Path, faults: Iterable[Fault]) -> tuple[Rejection, ...]:
    rejections = (Rejection(path, line_of(path, fault.place), fault.reason) for fault in faults)
    return tuple(sorted(rejections, key=lambda rejection: rejection.line))
