"""Puts the labeling page together: the frozen issue on one side, the ballot as it is filled in on the other."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString

from kb.models import Fix
from labeling.ballots import Ballot, BallotRule, Choice, as_value, broken
from labeling.models import Confidence, Item, Member
from labeling.selectors import own_work as own
from labeling.selectors import pace
from labeling.selectors.codebooks import ballot_rules
from labeling.web.work.axes import AxisMarkup, axes_markup, confidence_letter
from labeling.web.work.frozen import frozen

SHOWN_QUOTE = 300


@dataclass(frozen=True)
class Filled:
    """A ballot as far as it is filled in; `faults` and `refused` say what was wrong with it a moment ago.

    `bases`: hashes of what it goes on from, as `save_draft` wants them; `kept`: what the server keeps, where that is
    something else, and `kept_hash` its hash; `is_outdated`: the two were changed apart, and the person chooses.
    """

    ballot: Ballot
    bases: Sequence[str] = ()
    kept: Sequence[tuple[str, str]] = ()
    kept_hash: str = ""
    is_outdated: bool = False
    faults: Mapping[str, str] = field(default_factory=dict)
    refused: str = ""
    quotation: str = ""
    quotation_axis: str = ""
    active_seconds: int = 0


@dataclass(frozen=True)
class ShownAxis:
    """An axis with the answer that is ticked."""

    markup: AxisMarkup
    html: SafeString
    chosen: Sequence[str]
    fault: str


@dataclass(frozen=True)
class ShownPassage:
    """A passage with its words; `value` is how the form carries it."""

    value: str
    quote: str
    part: str
    axis: str


@dataclass(frozen=True)
class ShownRule:
    """A rule across axes, with the reason that is given for going against it."""

    id: str
    text: str
    given: str
    is_broken: bool
    fault: str


@dataclass(frozen=True)
class FrozenFix:
    """A fix as it was when the issue was frozen; `components/size.html` shows its size."""

    url: str
    short_name: str
    kind: str
    merged_on: dt.date | None
    additions: int | None
    deletions: int | None
    files_changed: int | None

    @property
    def lines_changed(self) -> int | None:
        """Added and deleted lines together, where both are known."""
        return None if self.additions is None or self.deletions is None else self.additions + self.deletions


def labeling_page(
    request: HttpRequest, member: Member, item: Item, reserved_until: dt.datetime | None, filled: Filled
) -> HttpResponse:
    """The page where an issue is labelled."""
    round_ = item.round
    axes = axes_markup(round_.codebook_id)
    rules = ballot_rules(project_id=round_.project_id)
    context = {
        "member": member,
        "project": member.project,
        "here": "work",
        "round": round_,
        "item": item,
        "reserved_until": reserved_until,
        "filled": filled,
        "ballot": filled.ballot,
        "axes": [_axis(axis, filled) for axis in axes],
        "answered": sum(axis.code in filled.ballot.choices for axis in axes),
        "confidences": Confidence.choices,
        "confidence_letter": confidence_letter(axes),
        "passages": _passages(item, filled.ballot, {axis.code: axis.name for axis in axes}),
        "rules": _rules(filled, rules),
        "rules_for_scripts": [_for_scripts(rule) for rule in rules],
        "pace": pace.pace(member=member, round_=round_),
        "last_vote": own.last_vote(member=member, round_=round_),
    }
    return render(request, "labeling/work/label.html", context | _issue(item))


def _issue(item: Item) -> dict[str, Any]:
    content = item.snapshot.content
    return {
        "content": content,
        "text": frozen(item.snapshot),
        "short_hash": item.snapshot.text_hash[:12],
        "opened_at": _moment(content.get("opened_at")),
        "closed_at": _moment(content.get("closed_at")),
        "fixes": [_fix(one) for one in content.get("fixes", ())],
    }


def _axis(axis: AxisMarkup, filled: Filled) -> ShownAxis:
    choice = filled.ballot.choices.get(axis.code, Choice())
    return ShownAxis(axis, axis.ticked(choice), axis.chosen(choice), filled.faults.get(f"axis:{axis.code}", ""))


def _passages(item: Item, ballot: Ballot, names: Mapping[str, str]) -> list[ShownPassage]:
    return [
        ShownPassage(
            as_value(one), _quote(item, one.part, one.start, one.end), one.part, names.get(one.axis, "")
        )
        for one in ballot.evidence
    ]  # fmt: skip


def _quote(item: Item, part: str, start: int, end: int) -> str:
    quote = str(item.snapshot.content.get(part) or "")[start:end]
    return quote if len(quote) <= SHOWN_QUOTE else f"{quote[:SHOWN_QUOTE]}…"


def _rules(filled: Filled, rules: Sequence[BallotRule]) -> list[ShownRule]:
    against = {rule.id for rule in broken(filled.ballot, rules)}
    return [
        ShownRule(
            rule.id, rule.reason, filled.ballot.rule_reasons.get(rule.id, ""), rule.id in against,
            filled.faults.get(f"rule:{rule.id}", ""),
        )
        for rule in rules
    ]  # fmt: skip


def _for_scripts(rule: BallotRule) -> dict[str, Any]:
    return {"id": rule.id, "when": rule.when, "kind": rule.kind, "others": sorted(rule.others)}


def _fix(values: Mapping[str, Any]) -> FrozenFix:
    merged = values.get("merged_on")
    return FrozenFix(
        url=values["url"],
        short_name=Fix.name_of(values["url"], values["kind"]),
        kind=Fix.Kind(values["kind"]).label.lower(),
        merged_on=dt.date.fromisoformat(merged) if merged else None,
        additions=values.get("additions"),
        deletions=values.get("deletions"),
        files_changed=values.get("files_changed"),
    )


def _moment(value: str | None) -> dt.datetime | None:
    return dt.datetime.fromisoformat(value) if value else None
