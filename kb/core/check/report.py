"""The answer about a draft of a report: what is there, what is missing and how to get it. Page and API show the same.

What a report needs and how a draft is read is in `kb.core.reports`. Nothing is stored.
"""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from pydantic import Field

from kb.core.check.texts import NamedText, NotCheckedError, TooMuchError
from kb.core.reports.completeness import Completeness, Item, completeness, form_template, markdown_template
from kb.core.reports.format import report_facts
from kb.core.reports.reading import DraftTooLongError

EMPTY = "There is nothing to check. Paste the text of your report."


class ReportFactData(TypedDict):
    """Something that a report of this symptom needs, or that helps, and where it stands in the draft."""

    code: Annotated[str, Field(description="Code of the fact.")]
    name: Annotated[str, Field(description="What it is.")]
    needed: Annotated[bool, Field(description="Whether a report of this symptom needs it; else it helps.")]
    found: Annotated[bool, Field(description="Whether it stands in the draft.")]
    evidence: Annotated[str, Field(description="What was read of it, secrets masked; empty where it was not found.")]
    line: Annotated[int | None, Field(description="Line of the draft, from 1; null where it follows from several.")]
    why: Annotated[str, Field(description="Why it is asked.")]
    get: Annotated[str, Field(description="The command that gets it, or how to.")]


class ReportCheckData(TypedDict):
    """What a draft of a report has and lacks."""

    symptom: Annotated[str, Field(description="The symptom that it was checked for.")]
    symptom_name: Annotated[str, Field(description="Its name.")]
    told_by: Annotated[str, Field(description="The line or word that tells the symptom; empty where it was given.")]
    is_guess: Annotated[bool, Field(description="Whether nothing told the symptom: then those of a crash are asked.")]
    needed: Annotated[int, Field(description="How many facts a report of it needs.")]
    missing: Annotated[int, Field(description="How many of these were not found.")]
    facts: Annotated[list[ReportFactData], Field(description="The needed ones first, the most telling before others.")]
    template_markdown: Annotated[str, Field(description="Text of an issue template for this symptom.")]
    template_form: Annotated[str, Field(description="The same as a form of GitHub's, in YAML.")]


def check_report(texts: Sequence[NamedText], symptom: str = "") -> ReportCheckData:
    """What the texts of one draft have and lack. Raises `NotCheckedError`."""
    draft = "\n".join(text for _, text in texts)
    if not draft.strip():
        raise NotCheckedError(EMPTY)
    try:
        return report_data(completeness(draft, symptom))
    except DraftTooLongError as error:
        raise TooMuchError(str(error)) from error


def report_data(found: Completeness) -> ReportCheckData:
    """The answer as data."""
    return {
        "symptom": found.symptom,
        "symptom_name": report_facts().symptoms[found.symptom].name,
        "told_by": found.told_by,
        "is_guess": found.is_guess,
        "needed": found.needed,
        "missing": len(found.missing),
        "facts": [_fact(item) for item in found.items],
        "template_markdown": markdown_template(found.symptom),
        "template_form": form_template(found.symptom),
    }


def _fact(item: Item) -> ReportFactData:
    evidence = item.evidence
    return {
        "code": item.code,
        "name": item.fact.name,
        "needed": item.is_needed,
        "found": evidence is not None,
        "evidence": evidence.text if evidence else "",
        "line": evidence.line if evidence else None,
        "why": item.fact.why,
        "get": item.fact.get,
    }
