"""Publishing: what the knowledge base says afterwards, again and again."""

import pytest

from kb.models import Label, Node, Provenance, SearchChange, Source
from labeling.ballots import Choice
from labeling.models import Decision, Item, Job, Member, ProjectAxis, Publication, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors.publication import preview
from labeling.services.decisions import accept, adjudicate, reopen
from labeling.services.publication_requests import ask_for_publication, ask_to_withdraw
from labeling.services.rounds import close_round, fill_round, open_round
from labeling.services.settling import give_opinion, say
from tests.labeling.factories import cast, make_member, make_project, make_round
from tests.labeling.results.builders import (
    annotators,
    begin_to_publish,
    do,
    issues_of,
    lead_of,
    published,
    settled_round,
    voted_round,
)
from tests.support.factories import make_issue, make_label, make_source

pytestmark = pytest.mark.django_db
HANG, CRASH = ("hang",), ("crash",)


def snapshot() -> list[tuple[object, ...]]:
    labels = Label.objects.order_by("pk").values_list("pk", "issue", "node", "source", "reason")
    return [*labels, *Provenance.objects.order_by("pk").values_list()]


def test_decided_answers_become_labels_of_the_projects_own_source() -> None:
    round_ = settled_round(((HANG, HANG), (CRASH, CRASH)))
    job = do(lead_of(round_), Job.Kind.PUBLISH)
    first, second = issues_of(round_)
    assert (published(first), published(second)) == ({"hang", "bug"}, {"crash", "bug"})
    assert job.state == Job.State.DONE
    assert job.result == {"issues": 2, "added": 4, "reworded": 0, "removed": 0, "left_out": 0}
    source = Source.objects.get(kind=Source.Kind.CONSENSUS)
    assert source.name == round_.project.name
    assert source.confidence == Source.Confidence.LOW
    assert "4 answers, each from 2 independent blind votes." in source.trust_note
    assert "Confidence: 0 high, 0 medium, 4 low." in source.trust_note


def test_what_nobody_decided_is_not_published() -> None:
    round_ = settled_round(((HANG, CRASH),))
    do(lead_of(round_), Job.Kind.PUBLISH)
    assert published(issues_of(round_)[0]) == {"bug"}
    assert preview(project_id=round_.project_id).undecided == 1


def test_publishing_twice_changes_no_row() -> None:
    round_ = settled_round(((HANG, HANG), (HANG, CRASH)))
    do(lead_of(round_), Job.Kind.PUBLISH)
    before = snapshot()
    job = do(lead_of(round_), Job.Kind.PUBLISH)
    assert snapshot() == before
    assert (job.result["added"], job.result["removed"]) == (0, 0)


def test_nothing_decided_is_refused_with_the_reason() -> None:
    round_ = voted_round()
    with pytest.raises(RefusedError, match="Nothing is decided yet"):
        ask_for_publication(lead=lead_of(round_))
    assert not Publication.objects.exists()


def test_a_reopened_decision_is_taken_away_and_other_sources_stay() -> None:
    round_ = settled_round(((HANG, HANG), (HANG, HANG)))
    lead, (first, second) = lead_of(round_), issues_of(round_)
    do(lead, Job.Kind.PUBLISH)
    curated = make_label(first, Node.objects.get(code="hang"), make_source())
    for decision in Decision.objects.filter(item__issue=first):
        reopen(member=lead, decision=decision, reason="The maintainer answered.")
    assert preview(project_id=round_.project_id).removed == 2
    do(lead, Job.Kind.PUBLISH)
    assert published(first) == set()
    assert published(second) == {"hang", "bug"}
    assert not Provenance.objects.filter(issue=first).exists()
    assert Label.objects.get(pk=curated.pk).node.code == "hang"


def test_the_newest_rounds_decision_speaks_for_an_issue() -> None:
    round_ = settled_round(((HANG, HANG),))
    lead, (issue,) = lead_of(round_), issues_of(round_)
    later = make_round(lead, issues=1, is_open=False, votes_wanted=2)
    fill_round(lead=lead, round_=later, urls=[issue.url], sample={"kind": "urls"})
    later = open_round(lead=lead, round_=later)
    for member in annotators(lead, 2):
        cast(member, later, symptom=CRASH)
    close_round(lead=lead, round_=later)
    do(lead, Job.Kind.PUBLISH)
    assert published(issue) == {"hang", "bug"}
    accept(lead=lead, round_=later, how=Decision.How.MAJORITY)
    do(lead, Job.Kind.PUBLISH)
    assert published(issue) == {"crash", "bug"}


def test_withdrawing_takes_everything_back_and_publishing_again_restores_it() -> None:
    round_ = settled_round()
    lead, (issue,) = lead_of(round_), issues_of(round_)
    do(lead, Job.Kind.PUBLISH)
    source = Source.objects.get(kind=Source.Kind.CONSENSUS)
    job = do(lead, Job.Kind.WITHDRAW)
    assert job.result == {"issues": 1, "removed": 2}
    assert published(issue) == set()
    assert not Provenance.objects.exists()
    do(lead, Job.Kind.PUBLISH)
    assert published(issue) == {"hang", "bug"}
    assert Label.objects.filter(issue=issue).values_list("source", flat=True).distinct().get() == source.pk


def test_the_chain_tells_votes_discussion_and_the_adjudicators_reason() -> None:
    round_ = voted_round(((HANG, CRASH, HANG),), rule="third_expert")
    lead = lead_of(round_)
    item = Item.objects.select_related("round").get(round=round_)
    axis = ProjectAxis.objects.get(project=round_.project, code="symptom")
    one, other, *_ = annotators(lead, 3)
    say(member=one, item=item, axis=axis, text="It never comes back.")
    say(member=other, item=item, axis=axis, text="It dies in the end.")
    Member.objects.filter(pk=one.pk).update(shows_name=True)
    judge = make_member(lead.project, Role.ADJUDICATOR)
    give_opinion(adjudicator=judge, item=item, axis=axis, choice=Choice(HANG))
    adjudicate(
        adjudicator=judge, item=item, axis=axis, choice=Choice(HANG), cause=Decision.Cause.REPORT,
        reason="The log ends in a wait.",
    )  # fmt: skip
    do(lead, Job.Kind.PUBLISH)
    found = Provenance.objects.get(axis__code="symptom")
    assert (found.votes, found.support, found.posts, found.how) == (3, 2, 2, "adjudication")
    assert found.answers == [["Hang", 2], ["Crash", 1]]
    assert found.agreement == pytest.approx(1 / 3)
    assert (found.cause, found.reason) == ("The report is ambiguous", "The log ends in a wait.")
    assert found.people == [one.user.username]
    assert "settled by an adjudicator: The log ends in a wait." in Label.objects.get(node__code="hang").reason


def test_an_answer_that_the_report_does_not_tell_is_kept_without_a_label() -> None:
    lead = make_project()
    round_ = make_round(lead, votes_wanted=2) if annotators(lead, 2) else None
    assert round_ is not None
    untold = {"symptom": Choice(is_undecidable=True), "issue_type": Choice(("bug",))}
    for member in annotators(lead, 2):
        cast(member, round_, choices=untold)
    close_round(lead=lead, round_=round_)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    do(lead, Job.Kind.PUBLISH)
    found = Provenance.objects.get(axis__code="symptom")
    assert found.is_undecidable
    assert found.answers == [["The report does not say", 2]]
    assert published(issues_of(round_)[0]) == {"bug"}


def test_publishing_and_withdrawing_wait_for_each_other() -> None:
    lead = lead_of(settled_round())
    begin_to_publish(lead)
    with pytest.raises(RefusedError, match="Publishing is already running"):
        ask_to_withdraw(lead=lead)


def test_the_search_index_hears_of_it() -> None:
    round_ = settled_round()
    SearchChange.objects.all().delete()
    do(lead_of(round_), Job.Kind.PUBLISH)
    assert SearchChange.objects.filter(issue_id=issues_of(round_)[0].pk).exists()


def test_the_preview_counts_what_publishing_then_does() -> None:
    round_ = settled_round(((HANG, HANG), (CRASH, CRASH)))
    shown = preview(project_id=round_.project_id)
    job = do(lead_of(round_), Job.Kind.PUBLISH)
    assert (shown.added, shown.removed) == (job.result["added"], job.result["removed"]) == (4, 0)
    after = preview(project_id=round_.project_id)
    assert (after.added, after.kept, after.is_current) == (0, 4, True)


def test_a_demo_project_says_that_it_is_one() -> None:
    round_ = settled_round(lead=make_project(is_demo=True))
    do(lead_of(round_), Job.Kind.PUBLISH)
    source = Source.objects.get(kind=Source.Kind.CONSENSUS)
    assert source.confidence == Source.Confidence.LOW
    assert source.trust_note.startswith("Made as a demo.")


def test_pilots_are_published_only_when_asked_for_and_are_marked() -> None:
    round_ = settled_round(kind=Round.Kind.PILOT)
    lead, (issue,) = lead_of(round_), issues_of(round_)
    assert (preview(project_id=lead.project_id).issues, preview(project_id=lead.project_id).pilots) == (0, 1)
    with pytest.raises(RefusedError, match="Nothing is decided yet"):
        ask_for_publication(lead=lead)
    do(lead, Job.Kind.PUBLISH, pilots=True)
    assert published(issue) == {"hang", "bug"}
    assert set(Provenance.objects.values_list("is_pilot", flat=True)) == {True}
    assert set(Label.objects.values_list("reason", flat=True)) == {"Pilot round: all 2 independent votes."}
    assert Source.objects.get(kind=Source.Kind.CONSENSUS).name == f"{lead.project.name} (pilot)"
    do(lead, Job.Kind.PUBLISH)
    assert published(issue) == set()


def test_answers_are_as_sure_as_their_round_agrees_on_their_axis_and_category() -> None:
    agreed = tuple(((HANG, HANG), (CRASH, CRASH))[place % 2] for place in range(30))
    sure = settled_round(agreed)
    do(lead_of(sure), Job.Kind.PUBLISH)
    symptoms = Provenance.objects.filter(axis__code="symptom")
    assert set(symptoms.values_list("confidence", flat=True)) == {"high"}
    # Everybody answered "bug" everywhere: agreement beyond chance cannot be told.
    assert set(Provenance.objects.filter(axis__code="issue_type").values_list("confidence", flat=True)) == {"low"}
    source = Source.objects.get(kind=Source.Kind.CONSENSUS)
    assert "Confidence: 30 high, 0 medium, 30 low." in source.trust_note
    assert source.confidence == Source.Confidence.LOW


def test_issues_with_one_vote_make_nothing_surer() -> None:
    lead = make_project()
    one, other = annotators(lead, 2)
    round_ = make_round(lead, issues=34, votes_wanted=2)
    for place in range(34):
        cast(one, round_, symptom=(HANG, CRASH)[place % 2])
    for symptom in (HANG, CRASH):
        cast(other, round_, symptom=symptom)
    close_round(lead=lead, round_=round_)
    accept(lead=lead, round_=round_, how=Decision.How.MAJORITY)
    do(lead, Job.Kind.PUBLISH)
    symptoms = Provenance.objects.filter(axis__code="symptom", votes=2, support=2)
    assert list(symptoms.values_list("confidence", flat=True)) == ["low", "low"]


def test_a_round_with_kappa_one_half_gives_no_answer_of_high_confidence() -> None:
    half = ((HANG, HANG), (CRASH, CRASH), (HANG, CRASH), (HANG, HANG), (CRASH, CRASH), (CRASH, HANG))
    round_ = settled_round(half * 4)
    do(lead_of(round_), Job.Kind.PUBLISH)
    assert set(Provenance.objects.values_list("confidence", flat=True)) == {"low"}


def test_issues_of_others_are_none_of_its_business() -> None:
    round_ = settled_round()
    bystander = make_issue()
    make_label(bystander, Node.objects.get(code="hang"), make_source())
    do(lead_of(round_), Job.Kind.PUBLISH)
    do(lead_of(round_), Job.Kind.WITHDRAW)
    assert Label.objects.filter(issue=bystander).count() == 1
