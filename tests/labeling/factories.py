"""Projects, people and open rounds for tests: each builder says only what matters."""

import itertools
from collections.abc import Collection, Sequence
from typing import Any

from django.contrib.auth.models import User

from kb.models import Axis, Issue
from labeling.ballots import Ballot, Choice
from labeling.models import Item, Member, Project, Role, Round, Slot, Vote
from labeling.rights import Right
from labeling.services.assignment import kept_until, next_slot
from labeling.services.codebooks import adopt_axes
from labeling.services.oversight import give_rights
from labeling.services.people import found_project, invite, join
from labeling.services.rounds import fill_round, open_round, prepare_round
from labeling.services.voting import submit
from tests.support.factories import make_axis, make_issue, make_node

_serial = itertools.count(1)
LEADS_RIGHTS = (Right.FOUND, Right.INVITE, Right.PUBLISH)


def make_user(name: str = "") -> User:
    """A person with an account."""
    return User.objects.create_user(name or f"person-{next(_serial)}")


def make_founder(name: str = "") -> User:
    """A person whom staff allow what leads need."""
    user = make_user(name)
    give_rights(user=user, rights=LEADS_RIGHTS)
    return user


def make_axes() -> list[Axis]:
    """Two axes of the house codebook: symptom (several answers) and type (one), with two nodes each."""
    symptom, kind = make_axis("symptom"), make_axis("issue_type")
    Axis.objects.filter(pk=kind.pk).update(several=False)
    kind.refresh_from_db()
    for axis, codes in ((symptom, ("hang", "crash")), (kind, ("bug", "question"))):
        if not axis.nodes.exists():
            for code in codes:
                make_node(code, axis=axis)
    return [symptom, kind]


def make_project(*, rights: Collection[Right] = LEADS_RIGHTS, **fields: Any) -> Member:
    """A project with a codebook; its lead, who has these rights for the site, is returned."""
    slug = f"project-{next(_serial)}"
    defaults: dict[str, Any] = {
        "user": make_user(), "slug": slug, "name": slug.title(), "question": "What goes wrong?",
    }  # fmt: skip
    values = defaults | fields
    give_rights(user=values["user"], rights=[Right.FOUND])
    lead = found_project(**values)
    give_rights(user=lead.user, rights=rights)
    lead.user = User.objects.get(pk=lead.user_id)  # An account remembers the rights that it was asked for.
    adopt_axes(lead=lead, axes=make_axes())
    return lead


def make_member(project: Project, *roles: Role, is_senior: bool = False) -> Member:
    """Somebody who took an invitation up; an annotator unless told otherwise."""
    lead = Member.objects.filter(project=project, roles__contains=[Role.LEAD]).earliest("pk")
    _, token = invite(lead=lead, roles=roles or [Role.ANNOTATOR], is_senior=is_senior)
    return join(user=make_user(), token=token)


def make_round(lead: Member, *, issues: int = 1, is_open: bool = True, **settings: Any) -> Round:
    """A main round over new issues, which everybody gets in the order of the sample."""
    usual: dict[str, Any] = {"kind": Round.Kind.MAIN, "name": "Main", "order_seed": ""}
    round_ = prepare_round(lead=lead, **usual | settings)
    urls = [make_issue(title=f"It hangs {place}", body="Rank 3 waits for ever.").url for place in range(issues)]
    fill_round(lead=lead, round_=round_, urls=urls, sample={"kind": "urls"})
    return open_round(lead=lead, round_=round_) if is_open else round_


def make_open_round(*, annotators: int = 2, issues: int = 1, **settings: Any) -> tuple[Round, list[Member]]:
    """An open round of a new project with so many annotators."""
    lead = make_project()
    people = [make_member(lead.project) for _ in range(annotators)]
    return make_round(lead, issues=issues, **settings), people


def make_ballot(symptom: Sequence[str] = ("hang",), kind: str = "bug", **fields: Any) -> Ballot:
    """A ballot that is whole."""
    choices = {"symptom": Choice(tuple(symptom)), "issue_type": Choice((kind,))}
    values: dict[str, Any] = {"choices": choices, "confidence": 3}
    return Ballot(**values | fields)


def take_on(member: Member, item: Item) -> Slot:
    """A place of the member on this very issue, whichever they would get next."""
    slot = Slot.objects.filter(item=item, member=member).first()
    slot = slot or Slot.objects.filter(item=item, member=None).earliest("number")
    Slot.objects.filter(pk=slot.pk).update(member=member, reserved_until=kept_until(item.round))
    slot.refresh_from_db()
    return slot


def cast_on(member: Member, item: Item, **fields: Any) -> Vote:
    """The member's vote on this very issue."""
    take_on(member, item)
    return submit(member=member, item=item, ballot=make_ballot(**fields))


def take(member: Member, round_: Round) -> Slot:
    """The member's next place, which there must be."""
    slot = next_slot(member=member, round_=round_)
    assert slot is not None
    return slot


def cast(member: Member, round_: Round, **fields: Any) -> Vote:
    """The member's vote on their next item."""
    item = Item.objects.get(pk=take(member, round_).item_id)
    return submit(member=member, item=item, ballot=make_ballot(**fields))


def issue_of(item: Item) -> Issue:
    """The issue of an item that is no own item."""
    assert item.issue is not None
    return item.issue
