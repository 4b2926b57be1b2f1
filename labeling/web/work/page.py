"""Puts the labeling page together: the frozen issue on one side, the ballot as it is filled in on the other."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.safestring import SafeString

from kb.models import Fix
from labeling.ballots import Ballot, Choice, as_value, ballot_of, broken
from labeling.models import Confidence, Item, Member, Slot
from labeling.selectors.codebooks import ballot_rules
from labeling.selectors.coding import coding_axis, own_codes
from labeling.selectors.flags import answers_to
from labeling.selectors.own_work import last_vote
from labeling.selectors.pace import pace
from labeling.selectors.readers import suggestion_on
from labeling.services.snapshots import FixContent
from labeling.web.access import page_context
from labeling.web.work.axes import AxisMarkup, axes_markup, confidence_letter
from labeling.web.work.frozen import frozen

SHOWN_QUOTE = 300


@dataclass(frozen=True)
class Filled:
    """A ballot as far as it is filled in; `faults` and `refused`: why it was not accepted a moment ago.

    `bases`: hashes of the drafts that it continues, as `save_draft` expects them; `kept` and `kept_hash`: the server's
    draft, where it differs; `is_outdated`: both were changed independently, and the person chooses.
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
    """An axis with the answer that is ticked; `suggested`: what an assisted ballot suggests, `names` in words.

    `offered`: codes to complete what is typed, where it takes codes.
    """

    markup: AxisMarkup
    html: SafeString
    chosen: Sequence[str]
    fault: str
    suggested: Choice
    names: Sequence[str]
    offered: Sequence[str]


@dataclass(frozen=True)
class ShownPassage:
    """A passage with its words; `value` is how the form carries it."""

    value: str
    quote: str
    part: str
    axis: str


@dataclass(frozen=True)
class ShownRule:
    """A rule across axes; `given`: the reason for going against it."""

    id: str
    text: str
    given: str
    is_broken: bool
    fault: str


@dataclass(frozen=True)
class Addresses:
    """Where a ballot is sent: as a vote, as a draft, its time alone, a quotation to find, and that it is skipped."""

    submit: str
    draft: str
    time: str
    quotation: str
    skip: str


def addresses_of(item: Item, *, again: bool = False) -> Addresses:
    """The addresses of the ballot on an item, or of its repeat."""
    names = ("again", "again-draft", "again-time", "quotation", "again-pass")
    if not again:
        names = ("label", "draft", "time", "quotation", "pass")
    args = [item.round.project.slug, item.round.number, item.position]
    return Addresses(*(reverse(f"labeling:{name}", args=args) for name in names))


class ScriptRule(TypedDict):
    """A rule across axes as JSON for the page's scripts."""

    id: str
    when: tuple[str, str]
    kind: str
    others: list[tuple[str, str]]


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
        if self.additions is None or self.deletions is None:
            return None
        return self.additions + self.deletions


def labeling_page(
    request: HttpRequest, member: Member, item: Item, slot: Slot | None, filled: Filled,
    *, again_until: dt.datetime | None = None,
) -> HttpResponse:  # fmt: skip
    """The page where an issue is labelled; `again_until`: for the second time until then, which looks the same."""
    round_, content = item.round, item.snapshot.content
    suggestion = suggestion_on(member=member, slot=slot)
    suggested = ballot_of({"choices": suggestion.content}).choices if suggestion else {}
    axes = axes_markup(round_.codebook_id)
    offered = _offered(member) if any(axis.takes_codes for axis in axes) else []
    rules, script_rules = _rules(filled, round_.project_id)
    context = page_context(member, "work") | {
        # What the knowledge base says of the issue would sway the vote.
        "hides_search": True,
        "round": round_,
        "item": item,
        "content": content,
        "text": frozen(item.snapshot),
        "short_hash": item.snapshot.text_hash[:12],
        "opened_at": _timestamp(content.get("opened_at")),
        "closed_at": _timestamp(content.get("closed_at")),
        "fixes": [_fix(fix) for fix in content.get("fixes", ())],
        "reserved_until": slot.reserved_until if slot else again_until,
        "suggestion": suggestion,
        "addresses": addresses_of(item, again=again_until is not None),
        "filled": filled,
        "ballot": filled.ballot,
        "axes": [_axis(axis, filled, suggested.get(axis.code, Choice()), offered) for axis in axes],
        "answered": len([axis for axis in axes if axis.code in filled.ballot.choices]),
        "confidences": Confidence.choices,
        "confidence_letter": confidence_letter(axes),
        "passages": _passages(item, filled.ballot, {axis.code: axis.name for axis in axes}),
        "rules": rules,
        "rules_for_scripts": script_rules,
        "pace": pace(member=member, round_=round_),
        "flag_answers": answers_to(member=member, item=item),
        "last_vote": last_vote(member=member, round_=round_),
    }
    return render(request, "labeling/work/label.html", context)


def _axis(axis: AxisMarkup, filled: Filled, suggested: Choice, offered: Sequence[str]) -> ShownAxis:
    choice = filled.ballot.choices.get(axis.code, Choice())
    return ShownAxis(
        markup=axis, html=axis.ticked(choice), chosen=axis.chosen(choice),
        fault=filled.faults.get(f"axis:{axis.code}", ""), suggested=suggested, names=axis.chosen(suggested),
        offered=offered if axis.takes_codes else (),
    )  # fmt: skip


def _offered(member: Member) -> list[str]:
    axis = coding_axis(project_id=member.project_id)
    return own_codes(member=member, axis=axis) if axis else []


def _passages(item: Item, ballot: Ballot, axis_names: Mapping[str, str]) -> list[ShownPassage]:
    shown = []
    for passage in ballot.evidence:
        quote = str(item.snapshot.content.get(passage.part) or "")[passage.start : passage.end]
        if len(quote) > SHOWN_QUOTE:
            quote = f"{quote[:SHOWN_QUOTE]}…"
        shown.append(ShownPassage(as_value(passage), quote, passage.part, axis_names.get(passage.axis, "")))
    return shown


def _rules(filled: Filled, project_id: int) -> tuple[list[ShownRule], list[ScriptRule]]:
    rules = ballot_rules(project_id=project_id)
    broken_ids = {rule.id for rule in broken(filled.ballot, rules)}
    shown, for_scripts = [], []
    for rule in rules:
        reason = filled.ballot.rule_reasons.get(rule.id, "")
        fault = filled.faults.get(f"rule:{rule.id}", "")
        shown.append(ShownRule(rule.id, rule.reason, reason, rule.id in broken_ids, fault))
        for_scripts.append(ScriptRule(id=rule.id, when=rule.when, kind=rule.kind, others=sorted(rule.others)))
    return shown, for_scripts


def _fix(fix: FixContent) -> FrozenFix:
    merged_on = fix.get("merged_on")
    return FrozenFix(
        url=fix["url"],
        short_name=Fix.name_of(fix["url"], fix["kind"]),
        kind=Fix.Kind(fix["kind"]).label.lower(),
        merged_on=dt.date.fromisoformat(merged_on) if merged_on else None,
        additions=fix.get("additions"),
        deletions=fix.get("deletions"),
        files_changed=fix.get("files_changed"),
    )


def _timestamp(value: str | None) -> dt.datetime | None:
    return dt.datetime.fromisoformat(value) if value else None
