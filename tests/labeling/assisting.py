"""Builders for rounds with a reader that assists: its answers, and votes on either arm."""

from collections.abc import Mapping, Sequence

from labeling.exchange.readers import About, keep_file, set_assistance, take_answers
from labeling.models import Item, Member, Reader, Round, Slot, Vote
from labeling.services.assignment import _reserve
from labeling.services.rounds import open_round
from labeling.services.voting import submit
from tests.labeling.factories import make_ballot, make_round

HEADER = "issue,axis,nodes\n"


def csv_of(round_: Round, answers: Mapping[int, str], *, axis: str = "symptom") -> bytes:
    """A file of answers on one axis, by position."""
    lines = [
        f"{item.subject.url},{axis},{answers[item.position]}" for item in items_of(round_) if item.position in answers
    ]
    return (HEADER + "".join(f"{line}\n" for line in lines)).encode()


def items_of(round_: Round) -> Sequence[Item]:
    return list(round_.items.select_related("issue", "round").order_by("position"))


def keep(lead: Member, round_: Round, content: bytes, *, name: str = "Model", version: str = "1") -> Reader:
    """A reader whose answers are stored."""
    reader, _ = keep_file(
        lead=lead, round_=round_, content=content, filename="answers.csv", format_="long_csv",
        about=About(name, version),
    )  # fmt: skip
    take_answers(lead=lead, reader=reader)
    reader.refresh_from_db()
    return reader


def make_assisted_round(
    lead: Member, *, issues: int = 4, percent: int = 50, answer: str = "crash", **settings: object
) -> tuple[Round, Reader]:
    """An open round of which a model, which always says the same symptom, assists a part of the ballots."""
    round_ = make_round(lead, issues=issues, is_open=False, **settings)
    reader = keep(lead, round_, csv_of(round_, dict.fromkeys(range(1, issues + 1), answer)))
    set_assistance(lead=lead, round_=round_, reader=reader, percent=percent)
    round_ = open_round(lead=lead, round_=round_)
    reader.refresh_from_db()
    return round_, reader


def take_arm(member: Member, item: Item, *, is_assisted: bool) -> Slot:
    """A free place of this arm on this very issue, reserved as assignment does."""
    slot = Slot.objects.filter(item=item, member=None, is_assisted=is_assisted).earliest("number")
    return _reserve(slot, member, item.round)


def cast_in(member: Member, item: Item, *, is_assisted: bool, seconds: int = 0, symptom: str = "hang") -> Vote:
    """A vote on this arm of this very issue."""
    take_arm(member, item, is_assisted=is_assisted)
    return submit(member=member, item=item, ballot=make_ballot((symptom,)), active_seconds=seconds)
