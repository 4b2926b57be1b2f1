"""Projects with open coding for tests: annotators who wrote codes, and the board of a closed round."""

from collections.abc import Sequence

from labeling.ballots import Ballot, Choice
from labeling.boards import BoardNode
from labeling.models import Item, Member, Round
from labeling.selectors.coding import board_of, coding_axis
from labeling.services.coding import CODES, SUMMARY, add_node
from labeling.services.rounds import close_round
from labeling.services.voting import submit
from tests.labeling.factories import make_member, make_round, take_on
from tests.labeling.own_questions import found

# For each issue what the first and the second annotator wrote.
WRITTEN = (
    ("rank mismatch | two ranks disagree", "Rank  mismatch\nhang"),
    ("ranks mismatch\nwrong dtype", "dtype is wrong | fp16 into fp32"),
    ("hang", "?"),
)


def coded(text: str, summary: str = "It waits for ever.") -> Ballot:
    """A whole ballot with these codes; `?`: the report does not say."""
    codes = Choice(is_undecidable=True) if text == "?" else Choice(text=text)
    return Ballot({CODES.code: codes, SUMMARY.code: Choice(text=summary)}, confidence=3)


def coding_round(written: Sequence[tuple[str, str]] = WRITTEN, *, is_closed: bool = True) -> tuple[Member, Round]:
    """The lead of a project in which two annotators coded these issues, and the round."""
    lead = found(CODES, SUMMARY)
    people = [make_member(lead.project) for _ in range(2)]
    round_ = make_round(lead, issues=len(written), votes_wanted=2, name="Coding")
    for item, texts in zip(Item.objects.filter(round=round_).order_by("position"), written, strict=True):
        for member, text in zip(people, texts, strict=True):
            take_on(member, item)
            submit(member=member, item=item, ballot=coded(text, f"Summary of {text[:9]}"))
    if is_closed:
        close_round(lead=lead, round_=round_)
    return lead, round_


def board(lead: Member) -> dict[str, tuple[str, str, str]]:
    """The board: key -> (what it is called otherwise, merged into, node)."""
    axis = coding_axis(project_id=lead.project_id)
    assert axis
    return {key: (one.name, one.into, one.node) for key, one in board_of(axis=axis).codes.items()}


def make_nodes(lead: Member) -> None:
    """Two defined nodes with every code of `WRITTEN` but one in them."""
    add_node(
        lead=lead, node=BoardNode("Ranks", "Ranks differ.", "Rank 3 waits."),
        keys=["rank mismatch", "ranks mismatch", "hang"],
    )  # fmt: skip
    add_node(lead=lead, node=BoardNode("Types", "A dtype is wrong."), keys=["wrong dtype"])
