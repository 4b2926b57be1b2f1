"""Which facts a report of a symptom needs, and which of them a draft has. Also the same as text for a host's form."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

from kb.core.reports.format import ReportFact, report_facts
from kb.core.reports.reading import Evidence, found_facts, lines_of, told_symptom

# What is asked of a report whose symptom nobody knows.
ANY_SYMPTOM = "crash"


@dataclass(frozen=True)
class Item:
    """A fact that a report needs, or that helps, with where it stands in the draft; None where it does not."""

    code: str
    fact: ReportFact
    is_needed: bool
    evidence: Evidence | None


@dataclass(frozen=True)
class Completeness:
    """What a draft has and lacks. `told_by`: the line or word that tells the symptom where nobody named it."""

    symptom: str
    told_by: str
    is_guess: bool
    items: tuple[Item, ...]

    @property
    def missing(self) -> tuple[Item, ...]:
        """Needed facts that are not there."""
        return tuple(item for item in self.items if item.is_needed and item.evidence is None)

    @property
    def present(self) -> tuple[Item, ...]:
        """All facts that are there."""
        return tuple(item for item in self.items if item.evidence is not None)

    @property
    def helpful(self) -> tuple[Item, ...]:
        """What is not there, is not needed, and would help."""
        return tuple(item for item in self.items if not item.is_needed and item.evidence is None)

    @property
    def needed(self) -> int:
        """How many facts a report of this symptom needs."""
        return sum(item.is_needed for item in self.items)


def completeness(draft: str, symptom: str = "") -> Completeness:
    """What the draft has and lacks as a report of this symptom, or else of the one that it tells itself.

    `symptom`: a symptom of the house codebook, or the code of an entry. Raises `DraftTooLongError`.
    """
    lines = lines_of(draft)
    entry = report_facts().entry_of(symptom)
    told, told_by = (entry, "") if entry else told_symptom(lines)
    found: Mapping[str, Evidence] = found_facts(lines) if any(line.strip() for line in lines) else {}
    is_guess = not told
    code = told or ANY_SYMPTOM
    return Completeness(code, told_by, is_guess, tuple(_items(code, found)))


def _items(symptom: str, found: Mapping[str, Evidence]) -> Iterator[Item]:
    facts, entry = report_facts().facts, report_facts().symptoms[symptom]
    for code in entry.needs:
        yield Item(code, facts[code], is_needed=True, evidence=found.get(code))
    for code in entry.helps:
        yield Item(code, facts[code], is_needed=False, evidence=found.get(code))


def markdown_template(symptom: str) -> str:
    """The text of an issue template: a heading for each fact, with how to get it in a comment."""
    facts, entry = report_facts().facts, report_facts().symptoms[symptom]
    parts = []
    for code in (*entry.needs, *entry.helps):
        fact = facts[code]
        optional = "" if code in entry.needs else " (where you know it)"
        parts.append(f"### {fact.name}{optional}\n\n<!-- {fact.why} Get it: {fact.get} -->\n")
    return "\n".join(parts)


def form_template(symptom: str) -> str:
    """The YAML of a form of GitHub's: a field for each fact, those that are needed required."""
    facts, entry = report_facts().facts, report_facts().symptoms[symptom]
    body = [_field(code, facts[code], is_needed=code in entry.needs) for code in (*entry.needs, *entry.helps)]
    form = {"name": entry.name, "description": f"Report: {entry.name.lower()}", "labels": ["bug"], "body": body}
    text: str = yaml.safe_dump(form, sort_keys=False, allow_unicode=True, width=110)
    return text


def _field(code: str, fact: ReportFact, *, is_needed: bool) -> dict[str, object]:
    return {
        "type": "textarea",
        "id": code,
        "attributes": {"label": fact.name, "description": f"{fact.why} Get it: `{fact.get}`"},
        "validations": {"required": is_needed},
    }
