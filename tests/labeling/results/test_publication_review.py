"""Publishing is a review: what is asked for, accepted, refused and withdrawn, and what is public afterwards."""

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from kb.models import Label, Provenance
from labeling.models import (
    AcceptedAnswer,
    Decision,
    Item,
    Job,
    Member,
    PublicationRequest,
    Release,
    Role,
    Round,
    StaffAction,
)
from labeling.refusals import RefusedError
from labeling.rights import Right
from labeling.services import oversight
from labeling.services.decisions import accept, reopen
from labeling.services.publication_requests import (
    accept_publication,
    ask_for_publication,
    refuse_publication,
    take_request_back,
)
from tests.labeling.factories import make_member, make_project
from tests.labeling.results.builders import (
    accept_all,
    begin_to_publish,
    do,
    issues_of,
    lead_of,
    make_curator,
    published,
    settled_round,
    voted_round,
    work,
)
from tests.labeling.results.test_releases import files_of, make

pytestmark = pytest.mark.django_db
HANG, CRASH = ("hang",), ("crash",)
State = PublicationRequest.State


def two_issues() -> tuple[Member, Round]:
    """A round with a hang and a crash, both bugs."""
    round_ = settled_round(((HANG, HANG), (CRASH, CRASH)))
    return lead_of(round_), round_


def all_published(round_: Round) -> list[set[str]]:
    return [published(issue) for issue in issues_of(round_)]


def reopened(lead: Member, round_: Round, axis: str = "symptom", position: int = 1) -> None:
    """One decision of the round is taken back."""
    item = Item.objects.get(round=round_, position=position)
    decision = Decision.objects.get(item=item, axis__code=axis, reopened_at=None)
    reopen(member=lead, decision=decision, reason="The maintainer answered.")


def withdrawn(lead: Member, *scope: str, reason: str = "Too broad.") -> Job:
    """A curator withdraws a part."""
    job = oversight.withdraw_publication(by=make_curator(), project=lead.project, reason=reason, scope=scope)
    return work(job)


class TestAsking:
    def test_makes_nothing_public(self) -> None:
        lead, round_ = two_issues()
        ask_for_publication(lead=lead)
        assert not Job.objects.exists()
        assert all_published(round_) == [set(), set()]

    def test_only_one_request_waits(self) -> None:
        lead, _ = two_issues()
        ask_for_publication(lead=lead)
        with pytest.raises(RefusedError, match="already waits"):
            ask_for_publication(lead=lead)

    def test_the_database_holds_that_too(self) -> None:
        lead, _ = two_issues()
        ask_for_publication(lead=lead)
        with pytest.raises(IntegrityError, match="one_waiting"):
            PublicationRequest.objects.create(project=lead.project, member=lead, digest="0" * 64)

    def test_a_request_is_taken_back_and_made_anew(self) -> None:
        lead, _ = two_issues()
        asked = ask_for_publication(lead=lead)
        take_request_back(lead=lead)
        asked.refresh_from_db()
        assert (asked.state, asked.decided_by) == (State.WITHDRAWN, lead.user)
        assert ask_for_publication(lead=lead).state == State.WAITING

    def test_what_is_no_question_is_refused(self) -> None:
        lead, _ = two_issues()
        with pytest.raises(RefusedError, match="Choose among"):
            ask_for_publication(lead=lead, scope=["weather"])

    def test_what_was_asked_for_never_changes(self) -> None:
        lead, _ = two_issues()
        asked = ask_for_publication(lead=lead)
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            PublicationRequest.objects.filter(pk=asked.pk).update(pilots=True)


class TestAccepting:
    def test_publishes_what_was_asked_for_and_no_more(self) -> None:
        lead, round_ = two_issues()
        work(begin_to_publish(lead, scope=["symptom"]))
        assert all_published(round_) == [{"hang"}, {"crash"}]

    def test_in_part_publishes_the_part(self) -> None:
        lead, round_ = two_issues()
        asked = ask_for_publication(lead=lead)
        work(accept_all(asked, scope=["symptom/hang", "issue_type"]))
        assert all_published(round_) == [{"hang", "bug"}, {"bug"}]
        asked.refresh_from_db()
        assert (asked.accepted_scope, asked.answers.count()) == (["issue_type", "symptom/hang"], 3)
        assert asked.published_at is not None

    def test_never_goes_beyond_what_was_asked_for(self) -> None:
        lead, _ = two_issues()
        asked = ask_for_publication(lead=lead, scope=["symptom/hang"])
        with pytest.raises(RefusedError, match="Nothing in this request"):
            accept_all(asked, scope=["issue_type"])

    def test_a_later_part_leaves_the_earlier_one_alone(self) -> None:
        lead, round_ = two_issues()
        work(begin_to_publish(lead, scope=["symptom"]))
        reopened(lead, round_)
        work(begin_to_publish(lead, scope=["issue_type"]))
        assert all_published(round_) == [{"hang", "bug"}, {"crash", "bug"}]
        assert Provenance.objects.count() == 4

    def test_a_set_of_categories_is_within_a_part_only_as_a_whole(self) -> None:
        lead = make_project()
        lead.project.axes.filter(code="symptom").update(several=True)
        round_ = settled_round(((HANG + CRASH, HANG + CRASH),), lead=lead)
        work(accept_all(ask_for_publication(lead=lead), scope=["symptom/hang", "issue_type"]))
        assert all_published(round_) == [{"bug"}]

    def test_what_changed_since_the_curator_looked_is_not_accepted_unseen(self) -> None:
        lead, round_ = two_issues()
        asked = ask_for_publication(lead=lead)
        reopened(lead, round_)
        with pytest.raises(RefusedError, match="changed since you opened this page"):
            accept_publication(by=make_curator(), request=asked, digest=asked.digest)
        asked.refresh_from_db()
        assert asked.state == State.WAITING

    def test_what_is_reopened_after_it_is_left_out(self) -> None:
        lead, round_ = two_issues()
        job = begin_to_publish(lead)
        reopened(lead, round_)
        assert work(job).result["left_out"] == 1
        assert all_published(round_) == [{"bug"}, {"crash", "bug"}]

    def test_what_is_decided_after_it_waits_for_the_next_request(self) -> None:
        round_ = settled_round(((HANG, HANG),))
        lead = lead_of(round_)
        job = begin_to_publish(lead)
        reopened(lead, round_)
        accept(lead=lead, round_=round_, how=Decision.How.MAJORITY)
        assert work(job).result["left_out"] == 1
        assert all_published(round_) == [{"bug"}]
        do(lead, Job.Kind.PUBLISH)
        assert all_published(round_) == [{"hang", "bug"}]

    def test_an_earlier_request_is_not_published_after_a_later_one(self) -> None:
        lead, _ = two_issues()
        earlier = begin_to_publish(lead)
        Job.objects.filter(pk=earlier.pk).update(state=Job.State.FAILED, finished_at=timezone.now())
        work(begin_to_publish(lead))
        Job.objects.filter(pk=earlier.pk).update(state=Job.State.WAITING, finished_at=None)
        assert "not what a curator accepted last" in work(earlier).message

    def test_a_decided_request_is_decided(self) -> None:
        lead, _ = two_issues()
        asked = ask_for_publication(lead=lead)
        accept_all(asked)
        with pytest.raises(RefusedError, match="already been decided"):
            refuse_publication(by=make_curator(), request=asked, reason="No.")
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            PublicationRequest.objects.filter(pk=asked.pk).update(state="waiting", decided_by=None, decided_at=None)

    def test_what_was_accepted_never_changes(self) -> None:
        lead, _ = two_issues()
        accept_all(ask_for_publication(lead=lead))
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            AcceptedAnswer.objects.update(nodes=[])


class TestTwoPeople:
    @pytest.fixture
    def curating_lead(self) -> Member:
        lead, _ = two_issues()
        oversight.give_rights(user=lead.user, rights=[Right.PUBLISH, Right.OVERSEE])
        lead.user = User.objects.get(pk=lead.user_id)
        return lead

    def test_a_lead_who_is_a_curator_does_not_accept_their_own(self, curating_lead: Member) -> None:
        asked = ask_for_publication(lead=curating_lead)
        with pytest.raises(RefusedError, match="publishing takes two people"):
            accept_all(asked, by=curating_lead.user)

    def test_nor_does_anybody_else_of_the_project(self) -> None:
        lead, _ = two_issues()
        other = make_member(lead.project, Role.OBSERVER)
        oversight.give_rights(user=other.user, rights=[Right.OVERSEE])
        with pytest.raises(RefusedError, match="publishing takes two people"):
            accept_all(ask_for_publication(lead=lead), by=User.objects.get(pk=other.user_id))

    def test_the_database_holds_that_too(self, curating_lead: Member) -> None:
        asked = ask_for_publication(lead=curating_lead)
        asked.state, asked.decided_by, asked.decided_at = State.ACCEPTED, curating_lead.user, timezone.now()
        with pytest.raises(IntegrityError, match="their own project"), transaction.atomic():
            asked.save()

    def test_they_do_not_allow_again_what_another_withdrew(self, curating_lead: Member) -> None:
        do(curating_lead, Job.Kind.PUBLISH)
        withdrawn(curating_lead)
        with pytest.raises(RefusedError, match="publishing takes two people"):
            oversight.allow_publication(by=curating_lead.user, project=curating_lead.project, reason="Mine.")

    def test_a_demo_goes_at_once(self) -> None:
        lead = make_project(is_demo=True)
        round_ = settled_round(lead=lead)
        do(lead, Job.Kind.PUBLISH)
        assert all_published(round_) == [{"hang", "bug"}]
        assert PublicationRequest.objects.get().decided_by == lead.user


class TestMethod:
    def test_a_release_says_what_was_published_and_by_whom_it_was_accepted_without_a_name(self) -> None:
        lead, _ = two_issues()
        curator = make_curator()
        work(accept_all(ask_for_publication(lead=lead, scope=["symptom"]), by=curator))
        make(lead)
        text = files_of(Release.objects.get())["METHOD.md"].decode()
        today = timezone.localdate()
        assert f"accepted by a curator of the site, who was not in the project: 2 answers (symptom) on {today}." in text
        assert curator.username not in text

    def test_a_release_of_what_was_never_published_says_nothing_of_it(self) -> None:
        lead, _ = two_issues()
        make(lead)
        assert "**Publication.**" not in files_of(Release.objects.get())["METHOD.md"].decode()


class TestRefusing:
    def test_needs_a_reason_and_lets_the_project_ask_again(self) -> None:
        lead, round_ = two_issues()
        asked = ask_for_publication(lead=lead)
        with pytest.raises(RefusedError, match="Say why"):
            refuse_publication(by=make_curator(), request=asked, reason=" ")
        refuse_publication(by=make_curator(), request=asked, reason="Two votes are few.")
        asked.refresh_from_db()
        assert (asked.state, asked.reason) == (State.REFUSED, "Two votes are few.")
        assert all_published(round_) == [set(), set()]
        assert ask_for_publication(lead=lead).state == State.WAITING


class TestWithdrawing:
    def test_in_part_takes_the_part_and_leaves_the_rest(self) -> None:
        lead, round_ = two_issues()
        do(lead, Job.Kind.PUBLISH)
        assert withdrawn(lead, "symptom/hang").result == {"issues": 1, "removed": 1}
        assert all_published(round_) == [{"bug"}, {"crash", "bug"}]
        assert Provenance.objects.count() == 3

    def test_survives_publishing_again(self) -> None:
        lead, round_ = two_issues()
        do(lead, Job.Kind.PUBLISH)
        withdrawn(lead, "symptom/hang")
        do(lead, Job.Kind.PUBLISH)
        assert all_published(round_) == [{"bug"}, {"crash", "bug"}]

    def test_the_lead_who_asks_for_it_again_is_told_why(self) -> None:
        lead, _ = two_issues()
        do(lead, Job.Kind.PUBLISH)
        withdrawn(lead, "symptom", reason="Hang and crash overlap.")
        with pytest.raises(RefusedError, match=r"Their reason: Hang and crash overlap\."):
            ask_for_publication(lead=lead, scope=["symptom"])

    def test_holds_for_what_is_decided_later(self) -> None:
        lead, _ = two_issues()
        do(lead, Job.Kind.PUBLISH)
        withdrawn(lead, "symptom/hang")
        later = voted_round(((HANG, HANG),), lead=lead)
        accept(lead=lead, round_=later, how=Decision.How.MAJORITY)
        do(lead, Job.Kind.PUBLISH)
        assert all_published(later) == [{"bug"}]

    def test_holds_for_an_accepted_request_that_is_not_published_yet(self) -> None:
        lead, round_ = two_issues()
        do(lead, Job.Kind.PUBLISH)
        job = begin_to_publish(lead)
        withdrawn(lead, "symptom/hang")
        assert work(job).result["left_out"] == 1
        assert all_published(round_) == [{"bug"}, {"crash", "bug"}]

    def test_is_over_once_a_curator_allows_it_and_it_is_published_again(self) -> None:
        lead, round_ = two_issues()
        do(lead, Job.Kind.PUBLISH)
        withdrawn(lead, "symptom")
        oversight.allow_publication(
            by=make_curator(), project=lead.project, reason="Clear now.", scope=["symptom/hang"]
        )
        do(lead, Job.Kind.PUBLISH)
        assert all_published(round_) == [{"hang", "bug"}, {"bug"}]

    def test_keeps_who_when_why_and_what(self) -> None:
        lead, _ = two_issues()
        do(lead, Job.Kind.PUBLISH)
        withdrawn(lead, "symptom/hang")
        action = StaffAction.objects.get()
        assert (action.kind, action.scope, action.reason) == ("withdraw", ["symptom/hang"], "Too broad.")

    def test_a_project_is_suspended_as_a_whole(self) -> None:
        with pytest.raises(IntegrityError, match="scope_of_publication"), transaction.atomic():
            StaffAction.objects.create(
                project=make_project().project, kind="suspend", scope=["symptom"], reason="No.", by=make_curator()
            )

    def test_labels_of_others_stay(self) -> None:
        first, _ = two_issues()
        second, round_ = two_issues()
        for lead in (first, second):
            do(lead, Job.Kind.PUBLISH)
        withdrawn(first)
        assert all_published(round_) == [{"hang", "bug"}, {"crash", "bug"}]
        assert Label.objects.count() == 4
