"""Takes in gold answers from a file in the shape of exported votes: a line for each answer.

Who is named as annotator does not count: the answers are those of the member who sends the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from labeling.ballots import Choice
from labeling.exchange.rows import Rejected
from labeling.exchange.validation import PlannedAnswer, check
from labeling.exchange.values import Options, UnreadableError
from labeling.models import Item, Member, ProjectAxis, Round, VoteImport
from labeling.refusals import RefusedError
from labeling.selectors.subjects import about, subject_of
from labeling.services.gold import give_many, mix_in, require_giver

FORMATS = (VoteImport.Format.LONG_CSV, VoteImport.Format.LONG_JSONL)
MOST_BYTES = 4_000_000
MOST_ISSUES = 2_000
GIVER = "gold"


@dataclass(frozen=True)
class TakenIn:
    """How many issues got gold answers, how many of them were added to the round, and what was rejected.

    A rejection without a line, 0, is about an issue as a whole.
    """

    issues: int
    added: int
    rejected: Sequence[Rejected]


@transaction.atomic
def take_in_gold(
    *, member: Member, round_: Round, content: bytes, format_: str, reason: str, adds: bool = False
) -> TakenIn:
    """Give the issues of a file their gold answers; `adds`: those that are not in the draft round are mixed in.

    Raises RefusedError for a file that cannot be read at all.
    """
    round_ = require_giver(member, round_)
    if not 0 < len(content) <= MOST_BYTES:
        raise RefusedError(f"A file has between 1 byte and {MOST_BYTES // 1_000_000} MB.")
    try:
        plan = check(content=content, format_=format_, options=Options(annotator=GIVER), codebook=round_.codebook)
    except UnreadableError as error:
        raise RefusedError(str(error)) from error
    if len(plan.votes) > MOST_ISSUES:
        raise RefusedError(f"A file has gold answers to at most {MOST_ISSUES:,} issues. Send it in parts.")
    added = mix_in(lead=member, round_=round_, subjects=plan.votes) if adds and plan.votes else 0
    items = {subject_of(item): item for item in Item.objects.filter(about(plan.votes), round=round_)}
    axes = {axis.code: axis for axis in ProjectAxis.objects.filter(project=round_.project_id)}
    answers = {}
    for issue, (vote,) in plan.votes.items():
        if issue in items:
            answers[items[issue]] = {axes[code]: _choice(answer) for code, answer in vote.answers.items()}
    refused = give_many(member=member, round_=round_, answers=answers, reason=reason)
    rejected = [*plan.rejected]
    if missing := len(plan.votes) - len(items):
        rejected.append(Rejected(0, f"{missing:,} of the issues are not in this round."))
    rejected += [Rejected(0, f"Issue {item.position}: {why}") for item, why in refused.items()]
    return TakenIn(len(answers) - len(refused), added, rejected)


def _choice(answer: PlannedAnswer) -> Choice:
    codes = tuple(version.node.code for version in answer.versions)
    return Choice(codes, is_undecidable=not (codes or answer.text), text=answer.text)
