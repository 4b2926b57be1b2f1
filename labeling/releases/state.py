"""What a release freezes: the rounds that are closed, their blind votes, and the decisions in force.

People are called by pseudonyms made from a secret of the project: they stay the same from release to release, and tell
neither who it is nor who joined first. No vote has a time.
"""

import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from django.db.models import QuerySet

from labeling.agreement import AxisReport
from labeling.models import Codebook, Evidence, Item, Member, Project, ReleaseKey, Round, Vote
from labeling.passages import Marked
from labeling.refusals import RefusedError
from labeling.selectors import findings, results
from labeling.selectors.findings import Held
from labeling.selectors.votes import AxisVote, answers_of

KEY_BYTES = 32
PSEUDONYM_CHARACTERS = 8
AT_ONCE = 1_000


@dataclass(frozen=True)
class Place:
    """An item: its issue's address, and the hash of the text that everybody saw."""

    url: str
    name: str
    text_hash: str


@dataclass(frozen=True)
class RoundState:
    """A closed round: its items by id, its answers in an order that tells nothing, and its agreement.

    Confidences and the places of the evidence are by (item, member).
    """

    round: Round
    items: Mapping[int, Place]
    answers: Sequence[AxisVote]
    confidence: Mapping[tuple[int, int], int]
    evidence: Mapping[tuple[int, int], Sequence[Marked]]
    reports: tuple[AxisReport, ...]
    tables: Mapping[str, object]


@dataclass(frozen=True)
class State:
    """Everything that a release is made of. `held`: issue address -> what is held of it."""

    project: Project
    codebook: Codebook
    rounds: tuple[RoundState, ...]
    held: Mapping[str, Sequence[Held]]
    people: Mapping[int, str]
    undecided: int

    @property
    def votes(self) -> int:
        """How many votes there are."""
        return sum(len(one.confidence) for one in self.rounds)

    @property
    def votes_in_words(self) -> str:
        """How many votes there are, those from a file apart."""
        imported = sum(len(one.confidence) for one in self.rounds if one.round.is_from_file)
        blind = self.votes - imported
        parts = (f"{blind:,} blind votes" if blind else "", f"{imported:,} votes from a file" if imported else "")
        return " and ".join(filter(None, parts))


def read(*, project: Project) -> State:
    """The project's state now. Raises RefusedError while no round is closed."""
    codebook = Codebook.objects.filter(project=project).order_by("-number").first()
    rounds = Round.objects.filter(project=project, state=Round.State.CLOSED).order_by("number")
    closed = list(rounds.select_related("codebook", "guideline", "gate_round"))
    if codebook is None or not closed:
        raise RefusedError("No round is closed yet, so there is nothing to release.")
    people = pseudonyms(project=project)
    return State(
        project=project,
        codebook=codebook,
        rounds=tuple(_round_state(one, people) for one in closed),
        held=_held(project),
        people=people,
        undecided=findings.undecided(project_id=project.pk),
    )


def pseudonyms(*, project: Project) -> dict[int, str]:
    """Member id -> what they are called in every release of the project."""
    made = {"key": secrets.token_hex(KEY_BYTES)}
    key = bytes.fromhex(ReleaseKey.objects.get_or_create(project=project, defaults=made)[0].key)
    found: dict[int, str] = {}
    for pk in Member.objects.filter(project=project).order_by("pk").values_list("pk", flat=True):
        digest = hmac.new(key, str(pk).encode(), hashlib.sha256).hexdigest()
        # Two of the same beginning are as good as impossible; longer ones would tell them apart.
        length = PSEUDONYM_CHARACTERS
        while (name := f"person-{digest[:length]}") in found.values():
            length += 1
        found[pk] = name
    return found


def _round_state(round_: Round, people: Mapping[int, str]) -> RoundState:
    votes = Vote.objects.filter(item__round=round_, item__released_at__isnull=False)
    items = Item.objects.filter(round=round_).select_related("issue__repository", "snapshot")
    items = items.defer("issue__body", "issue__search_vector", "issue__label_terms", "snapshot__content")
    places = {one.pk: Place(one.issue.url, one.issue.short_name, one.snapshot.text_hash) for one in items}
    answers = sorted(answers_of(votes=votes), key=lambda one: (places[one.item].url, one.axis, people[one.member]))
    names = replace(results.names_of(codebook=round_.codebook), people=people)
    seen = results.vote_set(votes, project_id=round_.project_id)
    confidence = votes.order_by().values_list("item", "member", "confidence")
    return RoundState(
        round=round_,
        items=places,
        answers=answers,
        confidence={(item, member): sure for item, member, sure in confidence},
        evidence=_evidence(votes),
        reports=results.measured(seen, names).reports if seen.number else (),
        tables=results.tables(seen, names) if seen.number else {},
    )


def _evidence(votes: QuerySet[Vote]) -> dict[tuple[int, int], list[Marked]]:
    """(item, member) -> where the passages are that a vote rests on; the words are somebody else's, and stay here."""
    rows = Evidence.objects.filter(vote__in=votes).order_by("axis__position", "part", "start", "end")
    names = ("vote__item", "vote__member", "axis__code", "part", "start", "end")
    found: dict[tuple[int, int], list[Marked]] = {}
    for item, member, axis, part, start, end in rows.values_list(*names):
        found.setdefault((item, member), []).append(Marked(part, start, end, axis or ""))
    return found


def _held(project: Project) -> dict[str, Sequence[Held]]:
    ids = findings.decided_issues(project_id=project.pk)
    found: dict[str, Sequence[Held]] = {}
    for start in range(0, len(ids), AT_ONCE):
        some = ids[start : start + AT_ONCE]
        urls = dict(Item.objects.filter(round__project=project, issue__in=some).values_list("issue", "issue__url"))
        held = findings.held(project_id=project.pk, issue_ids=some)
        found |= {urls[pk]: rows for pk, rows in held.items()}
    return dict(sorted(found.items()))
