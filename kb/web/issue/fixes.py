"""A fix on an issue's page: where its day and size are from, and who says otherwise."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.dateformat import format as formatted

from kb.models import ClosingReference, Fix

Facts = Mapping[str, dt.date | int | None]


@dataclass(frozen=True)
class ShownFix:
    """A fix; `commit` is short, and empty where no history was read. `otherwise`: what others say, a sentence each."""

    fix: Fix
    commit: str
    otherwise: tuple[str, ...]


def shown_fixes(fixes: Sequence[Fix], references: Sequence[ClosingReference]) -> list[ShownFix]:
    """The fixes, each with what the record and its host say against its history."""
    by_url = {reference.url: reference for reference in references}
    return [ShownFix(fix, fix.commit[:7], _otherwise(fix, by_url.get(fix.url))) for fix in fixes]


def _otherwise(fix: Fix, reference: ClosingReference | None) -> tuple[str, ...]:
    if not fix.commit:
        return ()
    said = {"Stated": _differing(fix, fix.stated_facts)}
    if reference is not None:
        said["Its host says"] = _differing(fix, _facts(reference))
    # What the host said before the history was read is kept as stated.
    sentences = {words: who for who, words in said.items() if words}
    return tuple(f"{who}: {words}." for words, who in sentences.items())


def _facts(reference: ClosingReference) -> Facts:
    return {
        "merged_on": reference.merged_at.astimezone(dt.UTC).date() if reference.merged_at else None,
        "additions": reference.additions,
        "deletions": reference.deletions,
        "files_changed": reference.files_changed,
    }


def _differing(fix: Fix, facts: Facts) -> str:
    """Those facts that are known and differ from the fix's, in words; empty if none do."""
    parts: list[str] = []
    merged = facts["merged_on"]
    if isinstance(merged, dt.date) and merged != fix.merged_on:
        parts.append(f"merged {formatted(merged, 'j M Y')}")
    signs = {"additions": "+{}", "deletions": "−{}", "files_changed": "{} files"}
    for name, sign in signs.items():
        value = facts[name]
        if value is not None and value != getattr(fix, name):
            parts.append(sign.format(value))
    return ", ".join(parts)
