"""Blindness as a property of the whole site: what one annotator writes is nowhere to be read before its time.

Two proofs. Tokens: what the other annotator and the adjudicator wrote is marked, everything readable is read as
others, and no mark may be found. Sameness: everything that the annotator can read is the same, byte by byte, whether
or not the other one has voted, so that no count, order, colour or choice of a node tells of it either.
"""

from collections.abc import Iterator, Mapping

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from config.accounts.tokens import make_token
from labeling.api.scopes import Scope
from labeling.ballots import Choice
from labeling.models import Member
from labeling.services.gold import give_gold
from labeling.services.rounds import close_round
from tests.labeling.assisting import take_arm
from tests.labeling.permissions.crawling import OF_MEMBERS, normal, read_all
from tests.labeling.permissions.world import (
    AFTER_RELEASE,
    CODING,
    MODEL_NOTE,
    OPEN,
    OWN_TEXT,
    POST,
    ROLLING,
    Actor,
    Token,
    World,
    act,
    make_world,
)

pytestmark = pytest.mark.django_db
# What an assisted ballot says on a page and to a program, and what a model's reader says of itself.
SUGGESTED = ("Suggested by Model", "data-suggested", '"suggestion":{', MODEL_NOTE)
ALL = (*(token.value for token in Token), *SUGGESTED)
# What a lead who does not vote, and an observer, may see of a blind round; drafts are nobody else's, ever.
NEVER_OTHERS = (Token.DRAFT.value, Token.PROPOSAL.value, Token.BALLOT.value)


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[World]:
    """The project before the other annotator does anything in the open rounds."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def first_readings() -> dict[Actor, dict[str, bytes]]:
    """What somebody reads in that project, kept for whoever reads the same again."""
    return {}


def browser_of(member: Member, *, is_staff: bool = False) -> Client:
    """The member's browser; `is_staff`: they look after the site too, with every right."""
    if is_staff:
        member.user.is_staff = member.user.is_superuser = True
        member.user.save()
    client = Client()
    client.force_login(member.user)
    return client


def program_of(member: Member) -> Client:
    """The member's program, with a token for everything that there is one for."""
    _, secret = make_token(user=member.user, name="Script", scopes=list(Scope), days=7)
    return Client(headers={"authorization": f"Bearer {secret}"})


def found_in(pages: Mapping[str, bytes], tokens: tuple[str, ...]) -> list[str]:
    """Where a token stands."""
    return [f"{token} at {path}" for path, body in pages.items() for token in tokens if token.encode() in body]


def same(path: str, before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bool:
    """Is the page as it was? A secret for a second factor is drawn anew each time."""
    return path == "/account/2fa/app/on/" or normal(before.get(path, b"")) == normal(after.get(path, b""))


@pytest.mark.parametrize("actor", [Actor.ANNOTATOR, Actor.ADJUDICATOR, Actor.VOTING_LEAD])
def test_who_is_blind_reads_the_same_and_no_token_whether_or_not_the_other_voted_and_an_issue_has_gold_answers(
    world: World, first_readings: dict[Actor, dict[str, bytes]], actor: Actor
) -> None:
    client = browser_of(world.people[actor])
    within = ("/",) if actor is Actor.ANNOTATOR else OF_MEMBERS
    before = first_readings[actor] = read_all(client, world, within=within)
    act(world)
    # A lead's log says that gold answers were given.
    if actor is not Actor.VOTING_LEAD:
        right = {world.axis(): Choice(("crash",))}
        give_gold(member=world.people[Actor.LEAD], item=world.item(OPEN, 5), answers=right, reason=Token.GOLD.value)
    after = read_all(client, world, within=within)
    assert found_in(after, ALL) == []
    assert [path for path in {**before, **after} if not same(path, before, after)] == []
    # Nobody who is in no project may read what was said in one; what has no member's own pages is the same for all.
    public = {path: body for path, body in after.items() if not path.startswith(OF_MEMBERS)}
    assert found_in(public, (POST, OWN_TEXT)) == []
    assert bool(public) == (within == ("/",))
    assert any(path.startswith(f"/labeling/{world.slug}/") and body[:3] == b"200" for path, body in after.items())
    if actor is Actor.ADJUDICATOR:
        # They have not given their first opinion where this was said.
        assert found_in(after, (POST,)) == []
    # A token shows no more than the session.
    api = ("/api/v1/labeling",)
    by_session = {path: body for path, body in after.items() if path.startswith(api)}
    by_token = read_all(program_of(world.people[actor]), world, by_session, within=api)
    assert found_in(by_token, ALL) == []
    assert [path for path in {**by_session, **by_token} if not same(path, by_session, by_token)] == []
    assert any(path.endswith("/votes/") and body[:3] == b"200" for path, body in by_token.items())


def test_an_annotator_who_looks_after_the_site_finds_no_token_in_its_admin(world: World) -> None:
    act(world)
    pages = read_all(browser_of(world.people[Actor.ANNOTATOR], is_staff=True), world, within=(*OF_MEMBERS, "/admin"))
    assert pages["/admin/"][:3] == b"200"
    assert found_in(pages, ALL) == []


def test_a_token_shows_no_page_of_members(world: World) -> None:
    pages = ("/labeling", "/account")
    by_token = read_all(program_of(world.people[Actor.ANNOTATOR]), world, within=pages)
    by_nobody = read_all(Client(), world, within=pages)
    assert [path for path in {**by_token, **by_nobody} if not same(path, by_token, by_nobody)] == []


# Somebody of another project is told at every address what a former member is: `test_matrix`.
@pytest.mark.parametrize("actor", [Actor.STRANGER, Actor.FORMER])
def test_who_is_not_in_the_project_finds_no_token(world: World, actor: Actor) -> None:
    act(world)
    client = Client() if actor is Actor.STRANGER else browser_of(world.people[actor])
    assert found_in(read_all(client, world, within=OF_MEMBERS), (*ALL, POST, OWN_TEXT)) == []


def test_a_suggestion_is_shown_on_the_assisted_ballot_alone_and_the_reader_to_a_lead_who_does_not_vote(
    world: World,
) -> None:
    assisted = take_arm(world.other, world.item(OPEN, 8), is_assisted=True)
    path = f"/labeling/{world.slug}/rounds/{OPEN}/issues/8/label"
    assert b"Suggested by Model" in browser_of(world.other).get(path).content
    place = {"project": world.slug, "number": OPEN, "position": 8}
    taken = program_of(world.other).post(reverse("api-labeling-take", kwargs=place))
    assert b'"suggestion":{' in taken.content
    assert assisted.is_assisted
    blind = world.people[Actor.ANNOTATOR]
    take_arm(blind, world.item(OPEN, 8), is_assisted=False)
    assert found_in({path: browser_of(blind).get(path).content}, SUGGESTED) == []
    api = program_of(blind).post(reverse("api-labeling-take", kwargs=place))
    assert b'"suggestion":null' in api.content
    pages = read_all(browser_of(world.people[Actor.LEAD]), world, within=(f"/labeling/{world.slug}/rounds/",))
    assert found_in(pages, (MODEL_NOTE,))


@pytest.mark.parametrize("actor", [Actor.LEAD, Actor.OBSERVER])
def test_who_sees_votes_sees_no_draft_no_unfinished_proposal_and_no_ballot(world: World, actor: Actor) -> None:
    act(world)
    pages = read_all(browser_of(world.people[actor]), world, within=OF_MEMBERS)
    assert found_in(pages, NEVER_OTHERS) == []
    assert found_in(pages, (Token.NOTE.value,)), "no vote is seen here: then the sweep proves nothing"


class TestTheSweepItself:
    """It can fail: once the rounds are released, what was hidden is found, and pages differ."""

    def test_finds_the_tokens_after_the_release(
        self, world: World, first_readings: dict[Actor, dict[str, bytes]]
    ) -> None:
        client = browser_of(world.people[Actor.ANNOTATOR])
        before = first_readings.get(Actor.ANNOTATOR) or read_all(client, world, within=OF_MEMBERS)
        act(world)
        for number in (OPEN, ROLLING, CODING):
            close_round(lead=world.people[Actor.LEAD], round_=world.rounds[number])
        after = read_all(client, world, within=OF_MEMBERS)
        assert [token for token in AFTER_RELEASE if not found_in(after, (token.value,))] == []
        assert found_in(after, NEVER_OTHERS) == []
        assert not all(same(path, before, after) for path in after)
