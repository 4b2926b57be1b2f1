"""The method in words with the numbers filled in, for a paper's section on labeling."""

from collections import Counter
from collections.abc import Iterable

from labeling.agreement import AxisReport
from labeling.models import Decision, Item, Pass, Role, Round
from labeling.releases.codebook import changes
from labeling.releases.state import RoundState, State
from labeling.selectors.codebooks import axes_of

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
    """Name -> content."""
    return {"METHOD.md": _text(state).encode()}


def _text(state: State) -> str:
    parts = [
        "# How this was labelled",
        f"**Question.** {state.project.question}",
        _codebook(state),
        *(_round(one) for one in state.rounds),
        _blindness(state),
        _evidence(state),
        _settling(state),
        _changes(state),
        "**Agreement.** Computed from the votes as they were cast. Percent agreement is the mean over issues of the "
        "share of equal pairs (Gwet 2014). Fleiss' kappa: Fleiss 1971. Cohen's kappa: Cohen 1960, its mean over pairs: "
        "Light 1971. Krippendorff's alpha: Krippendorff 2011; for several answers with the MASI distance (Passonneau "
        "2006). AC1: Gwet 2008. All values, intervals and matrices are in `agreement/`.",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _codebook(state: State) -> str:
    axes = axes_of(codebook=state.codebook)
    named = ", ".join(
        f"{one.axis.name} ({len(one.versions)} categories, {'several' if one.axis.several else 'one'} per issue)"
        for one in axes
    )
    return f"**Codebook.** Version {state.codebook.number}: {named}."


def _round(one: RoundState) -> str:
    round_ = one.round
    voters = len({answer.member for answer in one.answers})
    votes = len(one.confidence)
    sentences = [
        f"**Round {round_.number}, “{round_.called}”.** It was {KINDS[Round.Kind(round_.kind)]} over "
        f"{len(one.items):,} issues by codebook version {round_.codebook.number}.",
        _sample(round_),
        "Annotators read what was said below each issue as well." if round_.shows_comments else "",
        f"Each issue was to get {round_.votes_wanted} vote{'s' if round_.votes_wanted > 1 else ''}; "
        f"{voters} annotator{'s' if voters != 1 else ''} gave {votes:,} in all.",
        f"{round_.seniors_wanted} of the votes on each issue had to be a senior's." if round_.seniors_wanted else "",
        _gate(round_),
        f"By the round's rule, {RULES[Round.Rule(round_.rule)]}.",
        _passes(round_),
        *(_agreed(report) for report in one.reports),
    ]
    return " ".join(filter(None, sentences))


def _sample(round_: Round) -> str:
    sample = round_.sample
    query = f" matching `{sample['query']}`" if sample.get("query") else ""
    drawn, population = sample.get("drawn"), sample.get("population")
    if sample.get("kind") == "random":
        return f"They were drawn at random (seed `{sample.get('seed')}`): {drawn:,} of {population:,}{query}."
    if sample.get("kind") == "stratified":
        return (
            f"They were drawn at random within each framework, in proportion to its issues "
            f"(seed `{sample.get('seed')}`): {drawn:,} of {population:,}{query}."
        )
    if sample.get("kind") == "best":
        return f"They were the first results of a search{query}."
    if round_.is_from_file:
        return "The votes were cast elsewhere and imported from a file."
    if sample.get("kind") == "recheck":
        return "They were the issues that a change of the codebook could touch."
    return "They were given as a list."


def _gate(round_: Round) -> str:
    if round_.gate_round is None or round_.gate_at_least is None:
        return ""
    return (
        f"It was opened only after round {round_.gate_round.number} had reached {round_.get_gate_measure_display()} of "
        f"at least {round_.gate_at_least:g} on every question."
    )


def _passes(round_: Round) -> str:
    kinds = Counter(Pass.objects.filter(item__round=round_).order_by().values_list("kind", flat=True))
    if not kinds:
        return ""
    return f"Annotators skipped {kinds[Pass.Kind.SKIP]:,} times and flagged {kinds[Pass.Kind.FLAG]:,} times."


def _agreed(report: AxisReport) -> str:
    wanted = ("fleiss", "fleiss_varying", "alpha_masi" if report.set_valued else "alpha_nominal", "ac1")
    found: list[str] = []
    for one in report.coefficients:
        if one.key not in wanted or one.value is None or (one.key == "fleiss_varying" and found):
            continue
        bounds = ""
        if one.interval and one.interval.low is not None and one.interval.high is not None:
            bounds = f" (95 % interval {one.interval.low:.3f} to {one.interval.high:.3f})"
        found.append(f"{one.name} {one.value:.3f}{bounds}")
    if not found:
        reason = next((one.reason for one in report.coefficients if one.reason), "too few votes.")
        return f"Agreement on {report.axis} cannot be told: {reason}"
    return f"Agreement on {report.axis}, {report.units:,} issues: {'; '.join(found)}."


def _blindness(state: State) -> str:
    imported = [one.round for one in state.rounds if one.round.is_from_file]
    if len(imported) == len(state.rounds):
        return ""
    text = (
        "**Independence.** Nobody who voted or adjudicated could see another's vote, note or count on an issue before "
        "it was released. Everybody saw the same frozen text of an issue; its hash is in `data/rounds.json`. "
        "Adjudicators had not voted on the issue and wrote a first opinion down before they saw the votes."
    )
    return text + (" How imported rounds were held is not known to this system." if imported else "")


def _evidence(state: State) -> str:
    """How many passages were marked, and on how many votes."""
    marked = [places for one in state.rounds for places in one.evidence.values()]
    if not marked:
        return ""
    passages, votes = sum(map(len, marked)), len(marked)
    return (
        f"**Evidence.** Annotators marked {passages:,} passage{'s' if passages != 1 else ''} of the reports on which "
        f"their answers rest, on {votes:,} of {state.votes:,} votes. `votes/` gives their places in the frozen text, "
        "whose SHA-256 stands beside them; the words are the reports' authors' and are not in this release."
    )


def _settling(state: State) -> str:
    held = [one.decision for some in state.held.values() for one in some]
    how = Counter(row.how for row in held)
    told = ", ".join(f"{how[kind]:,} {words}" for kind, words in HOW.items() if how[kind])
    causes = Counter(row.get_cause_display() for row in held if row.cause)
    why = ", ".join(f"{name.lower()} ({number:,})" for name, number in causes.most_common())
    sentences: Iterable[str] = (
        f"**Outcome.** {len(held):,} answers on {len(state.held):,} issues are decided: {told}." if held else "",
        f"{state.undecided:,} wait for a decision and are left out." if state.undecided else "",
        f"What made annotators differ, in the adjudicators' eyes: {why}." if why else "",
        _screened(state),
    )
    return " ".join(filter(None, sentences))


def _screened(state: State) -> str:
    screening = [one.round.pk for one in state.rounds if one.round.kind == Round.Kind.SCREENING]
    if not screening:
        return ""
    number = Item.objects.filter(round__in=screening).count()
    return f"Screening rounds looked at {number:,} issues; their outcomes are not labels."


def _changes(state: State) -> str:
    decided = changes(state.project.pk)
    if not decided:
        return ""
    accepted = [one for one in decided if one["state"] == "accepted"]
    told = "; ".join(
        f"{one['kind']} on {one['axis']} ({one['for']} for, {one['against']} against, {one['decided_on']})"
        for one in accepted
    )
    entitled = f"{Role.ANNOTATOR.label.lower()}s and {Role.ADJUDICATOR.label.lower()}s"
    return (
        f"**Changes of the codebook.** {len(decided)} were put to a blind vote of all {entitled}, and "
        f"{len(accepted)} accepted{': ' + told if told else ''}. Votes keep the wording by which they were cast."
    )
