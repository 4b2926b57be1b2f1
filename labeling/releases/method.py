"""A release's `METHOD.md`: the method in words with its numbers, for a paper's section on labeling."""

from collections import Counter
from collections.abc import Mapping

from django.db.models import Count
from django.utils import timezone

from kb.charts.figures import percent_range
from labeling.agreement import AxisReport
from labeling.models import AxisKind, Decision, Item, Pass, PublicationRequest, Role, Round, StaffAction
from labeling.releases import coding, discussions, exposure, quality, readers
from labeling.releases.codebook import changes
from labeling.releases.state import RoundState, State
from labeling.samples import Sample, limits
from labeling.selectors.codebooks import AxisNodes, axes_of
from labeling.selectors.screening import BY_MAJORITY, all_screened

HOW = {
    Decision.How.UNANIMOUS: "by unanimous votes",
    Decision.How.MAJORITY: "by the majority of the votes",
    Decision.How.DISCUSSION: "by the majority after a discussion",
    Decision.How.ADJUDICATION: "by an adjudicator",
}
KINDS = {
    Round.Kind.SCREENING: "a screening round",
    Round.Kind.PILOT: "a pilot round",
    Round.Kind.MAIN: "a main round",
    Round.Kind.RECHECK: "a recheck after a change of the codebook",
}
RULES = {
    Round.Rule.MAJORITY: "the majority decided",
    Round.Rule.UNANIMOUS: "only unanimous votes decided",
    Round.Rule.THIRD_EXPERT: "a third expert settled disagreements",
    Round.Rule.DISCUSSION: "disagreements were discussed, and then the majority decided",
}


def files(state: State) -> dict[str, bytes]:
    """File name -> content."""
    axes: list[str] = []
    names: dict[str, str] = {}
    for each in axes_of(codebook=state.codebook):
        names[each.axis.code] = each.axis.name
        axes.append(f"{each.axis.name} ({_answers(each)})")
    parts = [
        "# How this was labelled",
        f"**Question.** {state.project.question}",
        f"**Codebook.** Version {state.codebook.number}: {', '.join(axes)}.",
        *(_round(each, names) for each in state.rounds),
        _independence(state),
        exposure.paragraph(state),
        readers.paragraph(state),
        coding.paragraph(state),
        _evidence(state),
        discussions.paragraph(state),
        quality.paragraph(state),
        _outcome(state),
        _changes(state),
        _publication(state),
        "**Agreement.** Computed from the votes as they were cast. Percent agreement is the mean over issues of the "
        "share of equal pairs (Gwet 2014). Fleiss' kappa: Fleiss 1971. Cohen's kappa: Cohen 1960, its mean over pairs: "
        "Light 1971. Krippendorff's alpha: Krippendorff 2011; for several answers with the MASI distance (Passonneau "
        "2006), for scales with the ordinal and for numbers with the interval distance, both without the votes that "
        "the report does not say. AC1: Gwet 2008. All values, intervals and matrices are in `agreement/`.",
    ]
    text = "\n\n".join(filter(None, parts)) + "\n"
    return {"METHOD.md": text.encode()}


def _answers(nodes: AxisNodes) -> str:
    """What may be answered on an axis."""
    number = len(nodes.versions)
    words = {
        AxisKind.ONE: f"{number} categories, one per issue",
        AxisKind.SEVERAL: f"{number} categories, several per issue",
        AxisKind.SCALE: f"a scale of {number} steps",
        AxisKind.NUMBER: "a number",
        AxisKind.TEXT: "in words",
        AxisKind.CODES: "open codes",
    }
    own = "" if nodes.axis.axis_id else ", the project's own question"
    return words[AxisKind(nodes.axis.kind)] + own


def _texts(state: RoundState) -> list[str]:
    """How many votes answer each question in words, which has no coefficient."""
    return [
        f"{share.name} was answered in words by {share.answered:,} of {share.votes:,} votes; texts have no coefficient."
        for share in state.texts
    ]


def _round(state: RoundState, names: Mapping[str, str]) -> str:
    round_ = state.round
    voters = len({answer.member for answer in state.answers})
    sentences = [
        f"**Round {round_.number}, “{round_.called}”.** It was {KINDS[Round.Kind(round_.kind)]} over "
        f"{len(state.items):,} issues by codebook version {round_.codebook.number}.",
        _sample(round_),
        *limits(round_.sample),
    ]
    if round_.shows_comments:
        sentences.append("Annotators also read each issue's comments.")
    wanted = "1 vote" if round_.votes_wanted == 1 else f"{round_.votes_wanted} votes"
    annotators = "1 annotator" if voters == 1 else f"{voters} annotators"
    sentences.append(f"Each issue was to get {wanted}; {annotators} gave {len(state.confidence):,} in all.")
    if round_.seniors_wanted:
        sentences.append(f"{round_.seniors_wanted} of the votes on each issue had to be a senior's.")
    if round_.gate_round is not None and round_.gate_at_least is not None:
        sentences.append(
            f"It was opened only after round {round_.gate_round.number} had reached "
            f"{round_.get_gate_measure_display()} of at least {round_.gate_at_least:g} on every question."
        )
    if round_.kind == Round.Kind.SCREENING:
        sentences += _screening(round_)
    else:
        sentences.append(f"By the round's rule, {RULES[Round.Rule(round_.rule)]}.")
    passes = Counter(Pass.objects.filter(item__round=round_).order_by().values_list("kind", flat=True))
    if passes:
        skipped, flagged = passes[Pass.Kind.SKIP], passes[Pass.Kind.FLAG]
        sentences.append(f"Annotators skipped {skipped:,} times and flagged {flagged:,} times.")
    sentences += [*_order(round_), *_dropped(round_)]
    sentences += [_agreement(report, names.get(report.axis, report.axis)) for report in state.reports]
    sentences += _texts(state)
    return " ".join(sentences)


def _screening(round_: Round) -> list[str]:
    """By what rule issues were excluded, and how many of each framework."""
    by = "more than half of the votes" if round_.rule in BY_MAJORITY else "every vote"
    newest = ", as they stood after a discussion" if round_.rule == Round.Rule.DISCUSSION else ""
    shares = [
        f"{share.name} {share.excluded:,} of {share.of:,} ({percent_range(share.interval)})"
        for share in all_screened(round_=round_).by_framework
    ]
    return [
        f"An issue was excluded where {by} on it{newest} gave one of the answers that exclude.",
        f"Excluded by framework, with Wilson's 95 % interval of the share: {'; '.join(shares)}.",
    ]


def _order(round_: Round) -> list[str]:
    """In which order each annotator got the issues, so that anybody can compute it; empty for imported votes."""
    if round_.is_from_file:
        return []
    if not round_.order_seed:
        return ["Annotators got the issues in the order of the sample."]
    return [
        f"Each annotator got the issues in an order of their own (seed `{round_.order_seed}`): sorted by the SHA-256 "
        "of seed, line break, annotator as in `votes/`, line break, and the issue's address; what had all its "
        "votes by then was left out, and issues kept for somebody or for seniors came first."
    ]


def _dropped(round_: Round) -> list[str]:
    """How many issues were dropped while the round was open, and why; empty where none was."""
    items = Item.objects.filter(round=round_, dropped_at__isnull=False)
    reasons = Counter(items.order_by("position").values_list("drop_reason", flat=True))
    if not reasons:
        return []
    number = sum(reasons.values())
    listed = ", ".join(f"“{reason}” ({count:,})" for reason, count in reasons.items())
    subject = "1 issue was" if number == 1 else f"{number:,} issues were"
    return [f"{subject} dropped while it was open: {listed}. Votes on what was dropped count for nothing."]


def _sample(round_: Round) -> str:
    sample: Sample = round_.sample
    kind, seed = sample.get("kind"), sample.get("seed")
    query = f" matching `{sample['query']}`" if sample.get("query") else ""
    if kind in ("random", "stratified"):
        drawn = f"(seed `{seed}`): {sample['drawn']:,} of {sample['population']:,}{query}."
        if kind == "random":
            return f"They were drawn at random {drawn}"
        return f"They were drawn at random within each framework, in proportion to its issues {drawn}"
    if kind == "best":
        return f"They were the first results of a search{query}."
    if kind == "own":
        how = f"drawn at random (seed `{seed}`): {sample['drawn']:,} of" if seed else f"all {sample['drawn']:,} of"
        return f"They were {how} the {sample['population']:,} items of the project's own that could be taken."
    if round_.is_from_file:
        return "The votes were cast elsewhere and imported from a file."
    if kind == "recheck":
        return "They were the issues that a change of the codebook could touch."
    return "They were given as a list."


def _agreement(report: AxisReport, name: str) -> str:
    wanted = ("fleiss", "fleiss_varying", report.alpha_key, "ac1")
    values: list[str] = []
    for coefficient in report.coefficients:
        # For varying numbers of votes only where the plain one, which comes first, is undefined.
        is_redundant = coefficient.key == "fleiss_varying" and bool(values)
        if coefficient.key not in wanted or coefficient.value is None or is_redundant:
            continue
        bounds, interval = "", coefficient.interval
        if interval and interval.low is not None and interval.high is not None:
            bounds = f" (95 % interval {interval.low:.3f} to {interval.high:.3f})"
        values.append(f"{coefficient.name} {coefficient.value:.3f}{bounds}")
    if not values:
        reasons = [coefficient.reason for coefficient in report.coefficients if coefficient.reason]
        reason = reasons[0] if reasons else "too few votes."
        return f"Agreement on {name} is undefined: {reason}"
    return f"Agreement on {name}, {report.units:,} issues: {'; '.join(values)}."


def _independence(state: State) -> str:
    imported = [each.round for each in state.rounds if each.round.is_from_file]
    if len(imported) == len(state.rounds):
        return ""
    text = (
        "**Independence.** Nobody who voted or adjudicated could see another's vote, note or count on an issue before "
        "it was released. Everybody saw the same frozen text of an issue; its hash is in `data/rounds.json`. "
        "Adjudicators had not voted on the issue and wrote a first opinion down before they saw the votes."
    )
    return text + (" How imported rounds were run is not known." if imported else "")


def _evidence(state: State) -> str:
    number = votes = 0
    for each in state.rounds:
        votes += len(each.evidence)
        number += sum(map(len, each.evidence.values()))
    if not votes:
        return ""
    passages = "1 passage" if number == 1 else f"{number:,} passages"
    return (
        f"**Evidence.** Annotators marked {passages} of the reports on which their answers rest, on {votes:,} of "
        f"{state.votes:,} votes. `votes/` gives their places in the frozen text, whose SHA-256 is given beside them; "
        "the words are the reports' authors' and are not in this release."
    )


def _outcome(state: State) -> str:
    decisions = [held.decision for issue in state.held.values() for held in issue]
    sentences = []
    if decisions:
        counts = Counter(decision.how for decision in decisions)
        ways = ", ".join(f"{counts[how]:,} {words}" for how, words in HOW.items() if counts[how])
        sentences.append(f"**Outcome.** {len(decisions):,} answers on {len(state.held):,} issues are decided: {ways}.")
    if state.undecided:
        sentences.append(f"{state.undecided:,} wait for a decision and are left out.")
    causes = Counter(decision.get_cause_display() for decision in decisions if decision.cause)
    if causes:
        named = ", ".join(f"{name.lower()} ({number:,})" for name, number in causes.most_common())
        sentences.append(f"What made annotators differ, in the adjudicators' eyes: {named}.")
    screening = [each.round.pk for each in state.rounds if each.round.kind == Round.Kind.SCREENING]
    if screening:
        number = Item.objects.filter(round__in=screening).count()
        sentences.append(f"Screening rounds looked at {number:,} issues; their outcomes are not labels.")
    return " ".join(sentences)


def _changes(state: State) -> str:
    decided = changes(state.project.pk)
    if not decided:
        return ""
    accepted = []
    for change in decided:
        if change["state"] == "accepted":
            votes = f"{change['for']} for, {change['against']} against, {change['decided_on']}"
            accepted.append(f"{change['kind']} on {change['axis']} ({votes})")
    listed = ": " + "; ".join(accepted) if accepted else ""
    entitled = f"{Role.ANNOTATOR.label.lower()}s and {Role.ADJUDICATOR.label.lower()}s"
    return (
        f"**Changes of the codebook.** {len(decided)} were put to a blind vote of all {entitled}, and "
        f"{len(accepted)} accepted{listed}. Votes keep the wording by which they were cast."
    )


def _publication(state: State) -> str:
    """What curators let into the knowledge base, and when; they are called by what they do, not by name."""
    requests = PublicationRequest.objects.filter(project=state.project, state=PublicationRequest.State.ACCEPTED)
    rows = requests.exclude(published_at=None).annotate(number=Count("answers")).order_by("published_at", "pk")
    if not rows:
        return ""
    by = (
        "the project itself, as a demo"
        if state.project.is_demo
        else "a curator of the site, who was not in the project"
    )
    published = [
        f"{row.number:,} answers ({', '.join(row.accepted_scope or row.scope) or 'all questions'}"
        f"{', pilot rounds included' if row.pilots else ''}) on {timezone.localdate(row.published_at)}"
        for row in rows
    ]
    withdrawn = StaffAction.objects.filter(project=state.project, kind=StaffAction.Kind.WITHDRAW).count()
    later = f" Staff withdrew some of it {withdrawn:,} times." if withdrawn else ""
    return f"**Publication.** Into Faultbook's knowledge base, accepted by {by}: {'; '.join(published)}.{later}"
