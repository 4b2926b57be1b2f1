"""An answer as the knowledge base tells it: how it came about, why, and how far its source can be trusted."""

from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from kb.models import Node, Provenance, Source
from kb.services.consensus import Finding, ensure_consensus_source
from labeling.models import Decision, Project, Round
from labeling.selectors.findings import Held
from labeling.selectors.trust import RoundAgreement, level_of


def finding_of(held: Held, *, nodes: tuple[Node, ...], project: Project, agreement: RoundAgreement) -> Finding:
    """The decision as it is published: these nodes, and how it came about."""
    decision, round_ = held.decision, held.decision.item.round
    values = {
        "project": project.name,
        "round": round_.name,
        "rule": round_.get_rule_display(),
        "codebook": round_.codebook.number,
        "votes": decision.votes,
        "support": decision.support,
        "answers": [list(pair) for pair in held.answers],
        "agreement": held.agreement,
        "posts": held.posts,
        "revised": held.revised,
        "how": decision.how,
        "is_undecidable": decision.is_undecidable,
        "cause": decision.get_cause_display() if decision.cause else "",
        "reason": decision.reason,
        "decided_on": timezone.localdate(decision.created_at),
        "release": held.release,
        "people": list(held.people),
        "confidence": level_of(decision, agreement, is_demo=project.is_demo),
        "is_pilot": round_.kind == Round.Kind.PILOT,
        "is_from_file": round_.is_from_file,
    }
    return Finding(nodes=nodes, reason=_reason(decision), how=values)


def _reason(decision: Decision) -> str:
    """Why the label is there, in one sentence, which names a pilot round and votes from a file."""
    round_ = decision.item.round
    votes = "votes from a file" if round_.is_from_file else "independent votes"
    support = f"{decision.support} of {decision.votes} {votes}"
    if decision.how != Decision.How.ADJUDICATION and decision.support == decision.votes:
        text = f"all {decision.votes} {votes}."
        if decision.votes == 1:
            text = "one vote from a file." if round_.is_from_file else "one vote."
    elif decision.how == Decision.How.MAJORITY:
        text = f"{support}, and the majority for each category named."
    elif decision.how == Decision.How.DISCUSSION:
        text = f"{support}; the majority after a discussion."
    else:
        text = f"{support}; settled by an adjudicator: {decision.reason}"
    if round_.kind == Round.Kind.PILOT:
        return f"Pilot round: {text}"
    return text[:1].upper() + text[1:]


def describe_source(*, project: Project, source: Source) -> None:
    """Update the source's name, trust note, and confidence: the median of its answers' confidence."""
    levels = list(Source.Confidence.values)[::-1]
    rows = list(Provenance.objects.filter(source=source).values_list("confidence", flat=True))
    rows.sort(key=levels.index)
    confidence = rows[(len(rows) - 1) // 2] if rows else Source.Confidence.LOW
    values = {"name": _name(project, source), "confidence": confidence, "trust_note": _trust_note(project, source)}
    ensure_consensus_source(slug=source.slug, values=values)


def _name(project: Project, source: Source) -> str:
    """The project's name; with a mark for pilot rounds, which goes wherever the source is shown."""
    kinds = set(Provenance.objects.filter(source=source).order_by().values_list("is_pilot", flat=True))
    if True not in kinds:
        return project.name
    return f"{project.name} ({'pilot' if kinds == {True} else 'partly pilot'})"


def _trust_note(project: Project, source: Source) -> str:
    answers = Provenance.objects.filter(source=source)
    counts = answers.aggregate(
        number=Count("pk"),
        fewest=Min("votes", filter=Q(is_from_file=False)),
        most=Max("votes", filter=Q(is_from_file=False)),
        settled=Count("pk", filter=Q(how__in=("discussion", "adjudication"))),
        files=Count("pk", filter=Q(is_from_file=True)),
        pilots=Count("pk", filter=Q(is_pilot=True)),
        **{level: Count("pk", filter=Q(confidence=level)) for level in Source.Confidence.values},
    )
    sentences = []
    if project.is_demo:
        sentences.append("Made as a demo.")
    blind = counts["number"] - counts["files"]
    if blind:
        fewest, most = counts["fewest"], counts["most"]
        votes = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        sentences.append(f"{blind:,} answers, each from {votes} independent blind votes.")
    if counts["files"]:
        sentences.append(f"{counts['files']:,} answers from votes in a file, cast elsewhere.")
    if counts["settled"]:
        sentences.append(f"{counts['settled']:,} were settled by discussion or by an adjudicator.")
    if counts["pilots"]:
        sentences.append(f"{counts['pilots']:,} are of a pilot round.")
    if counts["number"]:
        levels = f"{counts['high']:,} high, {counts['medium']:,} medium, {counts['low']:,} low"
        sentences.append(f"Confidence: {levels}.")
    else:
        sentences.append("Nothing is published.")
    return " ".join(sentences)
