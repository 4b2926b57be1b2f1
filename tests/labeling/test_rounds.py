"""Rounds: what they freeze, and what has to be there before they open."""

from typing import Any

import pytest
from django.db import DatabaseError, transaction

from kb.models import Issue, Kind, Node
from labeling.models import Codebook, Item, NodeVersion, Role, Round, Snapshot
from labeling.refusals import RefusedError
from labeling.selectors.codebooks import axes_of
from labeling.services.codebooks import adopt_axes, write_guideline
from labeling.services.people import found_project
from labeling.services.rounds import fill_round, open_round, prepare_round
from labeling.services.snapshots import text_hash
from tests.labeling.factories import make_axes, make_founder, make_member, make_project, make_round
from tests.support.factories import make_fix, make_issue

pytestmark = pytest.mark.django_db


def test_a_codebook_is_frozen_in_the_order_of_the_house() -> None:
    lead = make_project()
    axes = axes_of(codebook=Codebook.objects.get(project=lead.project))
    assert [one.axis.code for one in axes] == ["symptom", "issue_type"]
    assert sorted(version.node.code for version in axes[0].versions) == ["crash", "hang"]
    Node.objects.filter(code="hang").update(definition="Something else by now.")
    assert NodeVersion.objects.get(node__code="hang", axis__project=lead.project).definition == "What hang means."


def test_a_second_codebook_comes_by_vote_only() -> None:
    lead = make_project()
    with pytest.raises(RefusedError, match="proposals"):
        adopt_axes(lead=lead, axes=make_axes())


def test_a_round_needs_a_codebook() -> None:
    lead = found_project(user=make_founder(), slug="empty", name="Empty", question="?")
    with pytest.raises(RefusedError, match="needs a codebook"):
        prepare_round(lead=lead, kind=Round.Kind.PILOT, name="Pilot")


def test_a_new_guideline_says_what_is_new_and_a_round_keeps_its_own() -> None:
    lead = make_project()
    first = write_guideline(lead=lead, text="Read the whole thread.")
    round_ = prepare_round(lead=lead, kind=Round.Kind.PILOT, name="Pilot")
    with pytest.raises(RefusedError, match="what changed"):
        write_guideline(lead=lead, text="Read the fix as well.")
    assert write_guideline(lead=lead, text="Read the fix as well.", change="The fix counts.").number == 2
    round_.refresh_from_db()
    assert round_.guideline == first


def test_everybody_sees_the_text_as_it_was_frozen() -> None:
    lead = make_project()
    issue = make_issue(title="It hangs", body="Rank 3 waits.", summary="Our own words", resolution="A fix")
    issue.fixes.add(make_fix(7))
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")
    fill_round(lead=lead, round_=round_, urls=[issue.url], sample={"kind": "urls"})
    Issue.objects.filter(pk=issue.pk).update(body="Edited later.")
    snapshot = Item.objects.get(round=round_).snapshot
    assert snapshot.content["body"] == "Rank 3 waits."
    assert [fix["url"] for fix in snapshot.content["fixes"]] == ["https://github.com/deepspeedai/DeepSpeed/pull/7"]
    assert snapshot.text_hash == text_hash(snapshot.content)
    # What the knowledge base says of the answer is no business of annotators.
    assert "Our own words" not in str(snapshot.content)
    assert "A fix" not in str(snapshot.content)
    with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
        Snapshot.objects.update(text_hash="0")


def unmirrored() -> Issue:
    return make_issue(title="", heading="Rank 3 waits for ever", summary="It hangs.", recognise=["No output."])


def test_an_issue_whose_thread_is_not_mirrored_is_not_frozen() -> None:
    lead = make_project()
    round_ = prepare_round(lead=lead, kind=Round.Kind.PILOT, name="Pilot")
    with pytest.raises(RefusedError, match="threads of 1 of these issues are not mirrored"):
        fill_round(lead=lead, round_=round_, urls=[unmirrored().url], sample={"kind": "urls"})
    assert not Snapshot.objects.exists()


def test_in_a_demo_our_description_is_frozen_in_its_place_and_marked() -> None:
    lead = make_project(is_demo=True)
    round_ = prepare_round(lead=lead, kind=Round.Kind.PILOT, name="Pilot")
    fill_round(lead=lead, round_=round_, urls=[unmirrored().url], sample={"kind": "urls"})
    content = Snapshot.objects.get().content
    assert (content["title"], content["body"]) == ("Rank 3 waits for ever", "It hangs.\n\nNo output.")
    assert content["in_our_words"]


def test_an_unchanged_issue_keeps_its_snapshot_and_a_changed_one_gets_another() -> None:
    lead = make_project()
    issue = make_issue(body="As it was.")
    rounds = [prepare_round(lead=lead, kind=Round.Kind.MAIN, name=name) for name in ("One", "Two", "Three")]
    for round_ in rounds[:2]:
        fill_round(lead=lead, round_=round_, urls=[issue.url], sample={})
    Issue.objects.filter(pk=issue.pk).update(body="As it is.")
    fill_round(lead=lead, round_=rounds[2], urls=[issue.url], sample={})
    one, two, three = (Item.objects.get(round=round_).snapshot_id for round_ in rounds)
    assert one == two != three


def test_unknown_addresses_and_pull_requests_are_named() -> None:
    lead = make_project()
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")
    request = make_issue(kind=Kind.PULL_REQUEST)
    with pytest.raises(RefusedError, match=request.url):
        fill_round(lead=lead, round_=round_, urls=[make_issue(title="It hangs").url, request.url], sample={})
    assert not round_.items.exists()


@pytest.mark.parametrize(
    ("settings", "says"),
    [({"votes_wanted": 3}, "the round has 2"), ({"votes_wanted": 2, "seniors_wanted": 1}, "the round has 0")],
)
def test_a_round_opens_only_with_enough_people(settings: dict[str, Any], says: str) -> None:
    lead = make_project()
    for _ in range(2):
        make_member(lead.project)
    round_ = make_round(lead, is_open=False, **settings)
    with pytest.raises(RefusedError, match=says):
        open_round(lead=lead, round_=round_)


def test_an_open_round_keeps_its_sample() -> None:
    lead = make_project()
    make_member(lead.project)
    round_ = make_round(lead, votes_wanted=1)
    with pytest.raises(RefusedError, match="open for votes"):
        fill_round(lead=lead, round_=round_, urls=[make_issue(title="It hangs").url], sample={})


def test_another_projects_lead_has_no_say() -> None:
    lead, other = make_project(), make_project()
    round_ = make_round(lead, is_open=False)
    with pytest.raises(RefusedError, match="no longer exists in this project"):
        open_round(lead=other, round_=round_)
    annotator = make_member(lead.project, Role.ANNOTATOR)
    with pytest.raises(RefusedError, match="Only somebody who is lead"):
        open_round(lead=annotator, round_=round_)
