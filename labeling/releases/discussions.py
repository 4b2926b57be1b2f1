"""What a release's `METHOD.md` says about discussions: who revised, who stayed, and how the discussions ended."""

from collections import Counter

from labeling.models import Revision, Round
from labeling.outcomes import same
from labeling.releases.state import RoundState, State
from labeling.selectors.discussions import Discussion, round_discussions
from labeling.selectors.votes import with_revisions


def paragraph(state: State) -> str:
    """The paragraph; empty where no round put discussion first."""
    sentences = [_round(each) for each in state.rounds if each.round.rule == Round.Rule.DISCUSSION]
    if not sentences:
        return ""
    text = (
        "**Discussion.** Annotators saw one another's votes after the release and discussed the answers on which they "
        "differed. A discussion counted as held once every voter had written a post of substance, stayed with an "
        "answer, or given another one; the newest answers counted."
    )
    return " ".join([text, *sentences])


def _round(state: RoundState) -> str:
    discussions = list(round_discussions(round_=state.round).by_key.values())
    ways = Counter(_end(discussion) for discussion in discussions)
    kinds = _newest_kinds(state)
    named = "1 answer" if len(discussions) == 1 else f"{len(discussions):,} answers"
    days = state.round.discussion_days
    due = f" ({days} days after the release)" if days else ""
    return (
        f"In round {state.round.number} the votes on {named} differed. After the discussion annotators "
        f"revised {kinds['revised']:,} of their votes, {kinds['taken']:,} of them to the answer of another, and "
        f"stayed with {kinds['stayed']:,}. Discussions held: {ways['held']:,}; ended by the lead: {ways['lead']:,}; "
        f"ended by their deadline{due}: {ways['deadline']:,}; still open: {ways['open']:,}."
    )


def _end(discussion: Discussion) -> str:
    if discussion.is_ended:
        return "lead"
    if not discussion.missing:
        return "held"
    return "deadline" if discussion.is_overdue else "open"


def _newest_kinds(state: RoundState) -> Counter[str]:
    """How many votes were `revised` in the end, how many of these were `taken` from another, and how many `stayed`."""
    revisions = Revision.objects.filter(item__round=state.round)
    newest = {}
    rows = revisions.order_by("created_at", "pk").values_list("item", "axis__code", "member", "kind")
    for item, axis, member, kind in rows:
        newest[item, axis, member] = kind
    counts: Counter[str] = Counter()
    after = with_revisions(votes=state.answers, revisions=revisions)
    for blind, now in zip(state.answers, after, strict=True):
        key = (blind.item, blind.axis, blind.member)
        if key not in newest:
            continue
        if same(blind.choice, now.choice):
            counts["stayed"] += 1
        else:
            counts["revised"] += 1
            counts["taken"] += newest[key] == Revision.Kind.TAKE
    return counts
