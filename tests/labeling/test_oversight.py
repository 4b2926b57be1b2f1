"""What staff do to projects: it holds, it is written down, and the people of the project read it."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from kb.models import Label, Provenance, Source
from labeling.models import CategoryRequest, Job, Member, Project, ProjectNode, Publication, Role, StaffAction
from labeling.refusals import RefusedError
from labeling.rights import Right
from labeling.services import jobs, oversight
from labeling.services.people import invite, join
from labeling.services.publication_requests import ask_for_publication, ask_to_withdraw
from tests.kb.web.reading import read
from tests.labeling.factories import make_ballot, make_open_round, make_project, make_user, take
from tests.labeling.results.builders import begin_to_publish, do, lead_of, settled_round, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> User:
    user = make_user("staff")
    oversight.give_rights(user=user, rights=[Right.OVERSEE])
    return user


def bar(staff: User, lead: Member) -> None:
    """Withdraw a publication from within the job that makes it."""
    if not StaffAction.objects.exists():
        work(oversight.withdraw_publication(by=staff, project=lead.project, reason="Invented."))


def suspend(staff: User, lead: Member) -> None:
    """Suspend a project from within one of its jobs."""
    if not Project.objects.get(pk=lead.project_id).suspended_at:
        oversight.suspend_project(by=staff, project=lead.project, reason="Invented people.")


class TestWithdrawing:
    def test_everything_published_goes_and_publishing_again_is_refused_with_the_reason(self, staff: User) -> None:
        round_ = settled_round()
        lead = lead_of(round_)
        do(lead, Job.Kind.PUBLISH)
        job = work(oversight.withdraw_publication(by=staff, project=lead.project, reason="The votes are invented."))
        assert (job.state, job.member) == (Job.State.DONE, None)
        assert not Label.objects.exists()
        assert not Provenance.objects.exists()
        assert Source.objects.get(kind=Source.Kind.CONSENSUS).trust_note == "Withdrawn by the site's staff."
        with pytest.raises(RefusedError, match=r"Their reason: The votes are invented\."):
            ask_for_publication(lead=lead)

    def test_a_publication_that_is_under_way_writes_nothing_more(self, staff: User) -> None:
        round_ = settled_round()
        lead = lead_of(round_)
        do(lead, Job.Kind.PUBLISH)
        waiting = begin_to_publish(lead)
        oversight.withdraw_publication(by=staff, project=lead.project, reason="Invented.")
        assert work(waiting).result["left_out"] == 2
        work(Job.objects.get(kind=Job.Kind.WITHDRAW))
        assert not Label.objects.exists()

    def test_a_withdrawal_that_a_lead_asked_for_becomes_the_staffs(self, staff: User) -> None:
        lead = lead_of(settled_round())
        do(lead, Job.Kind.PUBLISH)
        waiting = ask_to_withdraw(lead=lead)
        oversight.suspend_project(by=staff, project=lead.project, reason="Invented people.")
        assert oversight.withdraw_publication(by=staff, project=lead.project, reason="Invented.") == waiting
        assert work(waiting).state == Job.State.DONE
        assert not Label.objects.exists()

    def test_a_publication_at_its_end_does_not_write_over_what_staff_did(
        self, staff: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lead = lead_of(settled_round())
        do(lead, Job.Kind.PUBLISH)
        job = begin_to_publish(lead)
        monkeypatch.setattr(jobs, "report", lambda *_, **__: bar(staff, lead))
        work(job)
        assert Publication.objects.get().withdrawn_at is not None
        assert Source.objects.get(kind=Source.Kind.CONSENSUS).trust_note == "Withdrawn by the site's staff."

    def test_staff_may_allow_it_again_and_both_stay_written_down(self, staff: User) -> None:
        lead = lead_of(settled_round())
        do(lead, Job.Kind.PUBLISH)
        work(oversight.withdraw_publication(by=staff, project=lead.project, reason="Invented."))
        oversight.allow_publication(by=staff, project=lead.project, reason="They were not.")
        assert do(lead, Job.Kind.PUBLISH).result["added"] == 2
        kept = StaffAction.objects.order_by("pk").values_list("kind", "reason", "by__username")
        assert list(kept) == [("withdraw", "Invented.", "staff"), ("allow", "They were not.", "staff")]

    def test_what_was_never_published_cannot_be_withdrawn(self, staff: User) -> None:
        with pytest.raises(RefusedError, match="ever published"):
            oversight.withdraw_publication(by=staff, project=make_project().project, reason="Invented.")
        assert not StaffAction.objects.exists()

    @pytest.mark.parametrize("act", [oversight.allow_publication, oversight.resume_project])
    def test_what_is_not_so_is_not_taken_back(self, staff: User, act: Callable[..., None]) -> None:
        with pytest.raises(RefusedError):
            act(by=staff, project=make_project().project, reason="Why not.")
        assert not StaffAction.objects.exists()


class TestSuspending:
    @pytest.fixture
    def suspended(self, staff: User) -> Member:
        round_, (annotator, _) = make_open_round()
        take(annotator, round_)
        oversight.suspend_project(by=staff, project=round_.project, reason="Invented people.")
        return annotator

    def test_members_read_everything_and_why(self, suspended: Member, client: Client) -> None:
        client.force_login(suspended.user)
        page = read(client.get(reverse("labeling:project", args=[suspended.project.slug])))
        assert "Their reason: Invented people." in page.words

    def test_no_page_changes_anything(self, suspended: Member, client: Client) -> None:
        lead = Member.objects.get(project=suspended.project, roles__contains=[Role.LEAD])
        client.force_login(lead.user)
        address = reverse("labeling:settings", args=[lead.project.slug])
        response = client.post(address, {"name": "Another", "question": "Why?"}, follow=True)
        assert "nothing can be changed" in read(response).words
        lead.project.refresh_from_db()
        assert lead.project.name != "Another"

    def test_no_vote_is_cast_by_the_api(self, suspended: Member, client: Client) -> None:
        client.force_login(suspended.user)
        address = reverse("api-labeling-vote", args=[suspended.project.slug, 1, 1])
        ballot = make_ballot()
        body = {
            "choices": {code: {"codes": list(choice.codes)} for code, choice in ballot.choices.items()},
            "confidence": 3,
        }
        response = client.post(address, body, content_type="application/json")
        assert (response.status_code, "suspended" in response.content.decode()) == (409, True)

    def test_nobody_joins(self, staff: User) -> None:
        lead = make_project()
        _, token = invite(lead=lead, roles=[Role.ANNOTATOR])
        oversight.suspend_project(by=staff, project=lead.project, reason="Invented people.")
        with pytest.raises(RefusedError, match="suspended"):
            join(user=make_user(), token=token)

    def test_a_job_that_waits_does_nothing(self, staff: User) -> None:
        lead = lead_of(settled_round())
        job = begin_to_publish(lead)
        oversight.suspend_project(by=staff, project=lead.project, reason="Invented people.")
        assert work(job).state == Job.State.FAILED
        assert not Publication.objects.exists()

    def test_a_publication_that_is_under_way_stops(self, staff: User, monkeypatch: pytest.MonkeyPatch) -> None:
        lead = lead_of(settled_round())
        job = begin_to_publish(lead)
        monkeypatch.setattr(jobs, "report", lambda *_, **__: suspend(staff, lead))
        assert work(job).state == Job.State.FAILED
        assert Publication.objects.get().published_at is None

    def test_the_publication_can_be_withdrawn_all_the_same(self, staff: User) -> None:
        lead = lead_of(settled_round())
        do(lead, Job.Kind.PUBLISH)
        oversight.suspend_project(by=staff, project=lead.project, reason="Invented people.")
        work(oversight.withdraw_publication(by=staff, project=lead.project, reason="Invented people."))
        assert not Label.objects.exists()

    def test_leaving_stays_possible(self, suspended: Member, client: Client) -> None:
        client.force_login(suspended.user)
        client.post(reverse("labeling:leave", args=[suspended.project.slug]))
        suspended.refresh_from_db()
        assert not suspended.is_active

    def test_resuming_lets_it_go_on(self, staff: User, suspended: Member, client: Client) -> None:
        oversight.resume_project(by=staff, project=suspended.project, reason="Explained.")
        client.force_login(suspended.user)
        page = read(client.get(reverse("labeling:project", args=[suspended.project.slug])))
        assert "suspended" not in page.words


class TestPages:
    def test_staff_see_every_project_and_act_with_a_reason(self, staff: User, client: Client) -> None:
        lead = lead_of(settled_round())
        do(lead, Job.Kind.PUBLISH)
        client.force_login(staff)
        assert lead.project.name in read(client.get(reverse("labeling:oversight"))).words
        page = reverse("labeling:oversight-project", args=[lead.project.slug])
        words = read(client.get(page)).words
        assert "2 votes cast here, 0 from files, 2 published answers" in words
        address = reverse("labeling:oversight-suspend", args=[lead.project.slug])
        assert "Say why" in read(client.post(address, {"reason": " "}, follow=True)).words
        assert "Suspended." in read(client.post(address, {"reason": "Invented."}, follow=True)).words
        lead.project.refresh_from_db()
        assert lead.project.suspended_at is not None

    def test_refusing_a_category_needs_a_reason_that_can_be_kept(self, staff: User, client: Client) -> None:
        node = ProjectNode.objects.filter(axis__project=make_project().project).earliest("pk")
        asked = CategoryRequest.objects.create(node=node)
        client.force_login(staff)
        address = reverse("labeling:oversight-category", args=[asked.pk])
        for reason in ("", "Nul\x00", "x" * 1_001):
            assert "Say why" in read(client.post(address, {"do": "refuse", "reason": reason}, follow=True)).words

    def test_the_list_takes_the_same_number_of_statements_however_many_projects(
        self, staff: User, client: Client, django_assert_max_num_queries: Callable[..., object]
    ) -> None:
        for _ in range(5):
            make_project()
        client.force_login(staff)
        with django_assert_max_num_queries(12):  # type: ignore[attr-defined]
            client.get(reverse("labeling:oversight"))
