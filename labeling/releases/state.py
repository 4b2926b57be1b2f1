"""The state that a release freezes: the closed rounds, their blind votes, and the decisions in force.

Members have pseudonyms (`selectors.pseudonyms`). No vote has a timestamp.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from labeling.agreement import AxisReport, VoteTable
from labeling.models import Codebook, Evidence, GoldAnswer, Item, Project, Repeat, Round, Vote
from labeling.passages import Marked
from labeling.refusals import RefusedError
from labeling.selectors import findings, results
from labeling.selectors.findings import Held
from labeling.selectors.pseudonyms import pseudonyms
from labeling.selectors.quality import Checks, checks
from labeling.selectors.results import TextShare
from labeling.selectors.subjects import about, url_of_item
from labeling.selectors.votes import AxisVote, answers_of, blind_arm
from labeling.services.pseudonyms import make_key

AT_ONCE = 1_000


@dataclass(frozen=True)
class Place:
    """An item: its issue's address, and the hash of the frozen text."""

    url: str
    name: str
    text_hash: str


@dataclass(frozen=True)
class RoundState:
    """A closed round: items by id without dropped ones, answers by issue, axis and pseudonym, and its agreement.

    Confidences, seconds of work and the offsets of the evidence are by (item, member); `assisted` are those whose
    ballots showed suggestions, which agreement leaves out. `tables`: axis code -> the table of its votes; answers in
    words are in none.
    """

    round: Round
    items: Mapping[int, Place]
    answers: Sequence[AxisVote]
    confidence: Mapping[tuple[int, int], int]
    seconds: Mapping[tuple[int, int], int]
    assisted: frozenset[tuple[int, int]]
    evidence: Mapping[tuple[int, int], Sequence[Marked]]
    reports: tuple[AxisReport, ...]
    tables: Mapping[str, VoteTable]
    texts: Sequence[TextShare]
    gold: Sequence[GoldAnswer]
    repeats: Sequence[Repeat]
    checks: Checks


@dataclass(frozen=True)
class State:
    """Everything in a release. `held`: issue address -> its decisions in force; `people`: member id -> pseudonym."""

    project: Project
    codebook: Codebook
    rounds: tuple[RoundState, ...]
    held: Mapping[str, Sequence[Held]]
    people: Mapping[int, str]
    undecided: int

    @property
    def votes(self) -> int:
        """The number of votes."""
        return sum(len(each.confidence) for each in self.rounds)

    @property
    def votes_in_words(self) -> str:
        """The number of votes in words, those from a file apart."""
        imported = sum(len(each.confidence) for each in self.rounds if each.round.is_from_file)
        blind = self.votes - imported
        parts = []
        if blind:
            parts.append(f"{blind:,} blind votes")
        if imported:
            parts.append(f"{imported:,} votes from a file")
        return " and ".join(parts)


def read(*, project: Project) -> State:
    """The project's state now. Raises RefusedError while no round is closed."""
    codebook = Codebook.objects.filter(project=project).order_by("-number").first()
    rounds = Round.objects.filter(project=project, state=Round.State.CLOSED).order_by("number")
    closed = list(rounds.select_related("codebook", "guideline", "gate_round"))
    if codebook is None or not closed:
        raise RefusedError("No round is closed yet, so there is nothing to release.")
    make_key(project=project)
    people = pseudonyms(project_id=project.pk)
    return State(
        project=project,
        codebook=codebook,
        rounds=tuple(_round_state(round_, people) for round_ in closed),
        held=_held(project),
        people=people,
        undecided=findings.undecided(project_id=project.pk),
    )


def _round_state(round_: Round, people: Mapping[int, str]) -> RoundState:
    votes = Vote.objects.filter(item__round=round_, item__released_at__isnull=False)
    items = Item.objects.filter(round=round_, dropped_at=None).select_related("issue__repository", "own", "snapshot")
    items = items.defer(
        "issue__body", "issue__search_vector", "issue__label_terms", "own__body", "snapshot__content"
    )  # fmt: skip
    places = {item.pk: Place(item.subject.url, item.subject.short_name, item.snapshot.text_hash) for item in items}

    def in_release(answer: AxisVote) -> tuple[str, str, str]:
        return places[answer.item].url, answer.axis, people[answer.member]

    names = replace(results.names_of(codebook=round_.codebook), people=people)
    vote_set = results.vote_set(blind_arm(votes), project_id=round_.project_id)
    gold = GoldAnswer.objects.filter(item__round=round_, item__dropped_at=None)
    repeats = Repeat.objects.filter(vote__item__round=round_, vote__item__dropped_at=None)
    cast = list(votes.order_by().values_list("item", "member", "confidence", "active_seconds"))
    return RoundState(
        round=round_,
        items=places,
        answers=sorted(answers_of(votes=votes), key=in_release),
        confidence={(item, member): level for item, member, level, _ in cast},
        seconds={(item, member): seconds for item, member, _, seconds in cast},
        assisted=frozenset(votes.order_by().filter(slot__is_assisted=True).values_list("item", "member")),
        evidence=_evidence(votes),
        reports=results.measured(vote_set, names).reports if vote_set.number else (),
        tables=results.tables(vote_set, names) if vote_set.number else {},
        texts=results.text_shares(votes=vote_set),
        gold=list(gold.select_related("axis").prefetch_related("versions__node")),
        repeats=list(repeats.select_related("vote")),
        checks=checks(
            votes=votes,
            gold=gold,
            repeats=repeats.exclude(submitted_at=None, skipped_at=None),
            project_id=round_.project_id,
        ),
    )


def _evidence(votes: QuerySet[Vote]) -> dict[tuple[int, int], list[Marked]]:
    """(item, member) -> the vote's passages, by their offsets; the words belong to their authors."""
    rows = Evidence.objects.filter(vote__in=votes).order_by("axis__position", "part", "start", "end")
    columns = ("vote__item", "vote__member", "axis__code", "part", "start", "end")
    passages: dict[tuple[int, int], list[Marked]] = {}
    for item, member, axis, part, start, end in rows.values_list(*columns):
        passages.setdefault((item, member), []).append(Marked(part, start, end, axis or ""))
    return passages


def _held(project: Project) -> dict[str, Sequence[Held]]:
    """Address of an issue or own item -> its decisions in force, in the order of the addresses."""
    decisions = findings.decisions_in_force(project_id=project.pk)
    subjects = findings.decided(project_id=project.pk)
    by_url: dict[str, Sequence[Held]] = {}
    for start in range(0, len(subjects), AT_ONCE):
        items = Item.objects.filter(about(subjects[start : start + AT_ONCE]), round__project=project)
        rows = items.values_list("issue", "own", url_of_item())
        urls = {("issue", issue) if issue else ("own", own): url for issue, own, url in rows}
        batch = findings.held_of(project_id=project.pk, decisions=decisions.filter(item__in=items))
        by_url |= {urls[subject]: held for subject, held in batch.items()}
    return dict(sorted(by_url.items()))
