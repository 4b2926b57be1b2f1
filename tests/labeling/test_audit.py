"""The audit log: every act of a lead leaves a line with who and when, in the act's transaction, and no line changes."""

import csv
import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError, IntegrityError, transaction
from django.http import StreamingHttpResponse
from django.test import Client
from django.urls import reverse

from labeling.models import AuditEntry, Decision, Job, Member, Pass, Role, Round
from labeling.refusals import RefusedError
from labeling.rights import Right
from labeling.services import audit, jobs
from labeling.services.assignment import pass_item
from labeling.services.codebooks import write_guideline
from labeling.services.decisions import accept, reopen_acceptance
from labeling.services.discussions import end_discussion, resume_discussion
from labeling.services.dropping import put_back
from labeling.services.flags import answer_flag
from labeling.services.members import change_roles, remove_member
from labeling.services.oversight import give_rights, resume_project, suspend_project
from labeling.services.people import invite, leave, revoke
from labeling.services.preparation import discard_round, move_deadline
from labeling.services.projects import archive_project, unarchive_project
from labeling.services.publication_requests import ask_for_publication, refuse_publication, take_request_back
from labeling.services.round_people import replace_annotator
from labeling.services.rounds import change_votes_wanted, close_round, open_round
from labeling.tasks import run_job
from tests.kb.web.reading import read
from tests.labeling.factories import make_member, make_open_round, make_project, make_round, make_user, take
from tests.labeling.results.builders import begin_to_publish, make_curator
from tests.labeling.test_settling import Conflict, lead_of

pytestmark = pytest.mark.django_db
Kind = AuditEntry.Kind


def kinds(member: Member) -> list[str]:
    """What is recorded of the member's own acts, the oldest first."""
    return list(AuditEntry.objects.filter(member=member).order_by("pk").values_list("kind", flat=True))


class TestActs:
    def test_inviting_changing_and_removing_people(self) -> None:
        lead = make_project()
        member = make_member(lead.project)
        change_roles(lead=lead, member=member, roles=[Role.OBSERVER], is_senior=False)
        remove_member(lead=lead, member=member)
        invitation, _ = invite(lead=lead, roles=[Role.LEAD])
        revoke(lead=lead, invitation=invitation)
        assert kinds(lead) == [Kind.INVITED, Kind.ROLES, Kind.REMOVED, Kind.INVITED, Kind.REVOKED]
        assert kinds(member) == [Kind.JOINED]
        roles = AuditEntry.objects.get(kind=Kind.ROLES)
        assert (roles.about, roles.detail) == (member, "observer")

    def test_leaving_is_told_from_being_removed(self) -> None:
        member = make_member(make_project().project)
        leave(member=member)
        assert kinds(member) == [Kind.JOINED, Kind.LEFT]

    def test_a_rounds_life(self) -> None:
        lead = make_project()
        for _ in range(2):
            make_member(lead.project)
        write_guideline(lead=lead, text="Read all of it.")
        round_ = make_round(lead, is_open=False, votes_wanted=2)
        open_round(lead=lead, round_=round_)
        change_votes_wanted(lead=lead, round_=round_, wanted=1)
        move_deadline(lead=lead, round_=round_, deadline=dt.date(2090, 1, 2))
        close_round(lead=lead, round_=round_)
        discard_round(lead=lead, round_=make_round(lead, is_open=False))
        rows = AuditEntry.objects.exclude(round_number=None).order_by("pk")
        assert list(rows.values_list("kind", "round_number", "detail")) == [
            (Kind.OPENED, 1, ""),
            (Kind.VOTES, 1, "from 2 to 1"),
            (Kind.DEADLINE, 1, "2090-01-02"),
            (Kind.CLOSED, 1, ""),
            (Kind.DISCARDED, 2, ""),
        ]

    def test_accepting_and_undoing_it(self) -> None:
        conflict = Conflict()
        accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
        acceptance = conflict.round.acceptances.get()
        reopen_acceptance(lead=conflict.lead, acceptance=acceptance, reason="Too early.")
        assert kinds(conflict.lead)[-2:] == [Kind.ACCEPTED, Kind.REOPENED]

    def test_publishing_and_the_archive(self) -> None:
        conflict = Conflict()
        accept(lead=conflict.lead, round_=conflict.round, how=Decision.How.UNANIMOUS)
        ask_for_publication(lead=conflict.lead)
        take_request_back(lead=conflict.lead)
        refuse_publication(by=make_curator(), request=ask_for_publication(lead=conflict.lead), reason="Too early.")
        run_job(begin_to_publish(conflict.lead).pk)
        run_job(jobs.begin(lead=conflict.lead, kind=Job.Kind.WITHDRAW).pk)
        archive_project(lead=conflict.lead)
        unarchive_project(lead=conflict.lead)
        asked = [Kind.PUBLISH, Kind.TAKEN_BACK, Kind.PUBLISH, Kind.PUBLISH]
        assert kinds(conflict.lead)[-7:] == [*asked, Kind.WITHDRAW, Kind.ARCHIVED, Kind.UNARCHIVED]
        by_staff = AuditEntry.objects.exclude(staff=None).order_by("pk").values_list("kind", flat=True)
        assert list(by_staff) == [Kind.REFUSED, Kind.GRANTED, Kind.PUBLISHED]

    def test_people_issues_and_flags_of_an_open_round(self) -> None:
        round_, (first, second) = make_open_round(issues=2)
        lead, third = lead_of(round_), make_member(round_.project)
        replace_annotator(lead=lead, round_=round_, person=second, by=third)
        flagged = take(first, round_).item
        flag = pass_item(member=first, item=flagged, kind=Pass.Kind.FLAG, reason="It is two reports.")
        answer_flag(lead=lead, flag=flag, answer="True.", outcome=Pass.Outcome.DROPPED, drop_reason="Two reports.")
        put_back(lead=lead, item=flagged)
        rows = AuditEntry.objects.filter(member=lead, about=None).order_by("pk")
        acts = [Kind.OPENED, Kind.DROPPED, Kind.ANSWERED, Kind.RESTORED]
        assert [(row.kind, row.detail) for row in rows if row.kind in acts] == [
            (Kind.OPENED, ""), *((kind, f"issue {flagged.position}") for kind in acts[1:])
        ]  # fmt: skip
        people = AuditEntry.objects.get(kind=Kind.ANNOTATORS)
        assert (people.about, people.detail) == (second, f"replaced by {third.pseudonym}")

    def test_the_end_of_a_discussion(self) -> None:
        conflict = Conflict(rule=Round.Rule.DISCUSSION)
        end_discussion(lead=conflict.lead, item=conflict.item, axis=conflict.symptom)
        resume_discussion(lead=conflict.lead, item=conflict.item, axis=conflict.symptom)
        assert kinds(conflict.lead)[-2:] == [Kind.ENDED, Kind.CONTINUED]

    def test_what_the_sites_staff_do(self) -> None:
        lead, staff = make_project(), make_user()
        give_rights(user=staff, rights=[Right.OVERSEE])
        staff = User.objects.get(pk=staff.pk)
        suspend_project(by=staff, project=lead.project, reason="A complaint.")
        resume_project(by=staff, project=lead.project, reason="It is settled.")
        rows = AuditEntry.objects.filter(staff=staff).order_by("pk")
        assert list(rows.values_list("kind", flat=True)) == [Kind.SUSPENDED, Kind.RESUMED]


class TestPromises:
    def test_a_refused_act_leaves_no_line(self) -> None:
        round_, _ = make_open_round()
        before = AuditEntry.objects.count()
        with pytest.raises(RefusedError):
            change_votes_wanted(lead=lead_of(round_), round_=round_, wanted=0)
        assert AuditEntry.objects.count() == before

    def test_an_act_that_is_undone_takes_its_line_along(self) -> None:
        round_, _ = make_open_round()
        with transaction.atomic():
            close_round(lead=lead_of(round_), round_=round_)
            transaction.set_rollback(True)
        assert Round.objects.get(pk=round_.pk).state == Round.State.OPEN
        assert not AuditEntry.objects.filter(kind=Kind.CLOSED).exists()

    @pytest.mark.django_db(transaction=True)
    def test_no_line_is_written_outside_of_a_transaction(self) -> None:
        lead = make_project()
        with pytest.raises(RuntimeError, match="one transaction"):
            audit.record(by=lead, kind=Kind.CLOSED)

    def test_postgres_lets_no_line_be_changed_or_deleted(self) -> None:
        make_open_round()
        with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
            AuditEntry.objects.update(detail="nothing")
        with pytest.raises(DatabaseError, match="Cannot update or delete"), transaction.atomic():
            AuditEntry.objects.all().delete()

    def test_postgres_wants_to_know_who_did_it(self) -> None:
        lead = make_project()
        with pytest.raises(IntegrityError, match="auditentry_done_by_one"), transaction.atomic():
            AuditEntry.objects.create(project=lead.project, kind=Kind.CLOSED)


class TestPage:
    def test_a_lead_filters_by_kind_and_person(self, client: Client) -> None:
        round_, (first, _) = make_open_round()
        lead = lead_of(round_)
        change_roles(lead=lead, member=first, roles=[Role.ANNOTATOR], is_senior=True)
        client.force_login(lead.user)
        address = reverse("labeling:log", args=[round_.project.slug])
        assert "Round 1, Main" in read(client.get(address, {"kind": "opened"})).words
        by_person = client.get(address, {"person": first.pk}).context["lines"]
        assert {line.entry.kind for line in by_person} == {Kind.JOINED, Kind.ROLES}
        assert client.get(address, {"kind": "nothing"}).status_code == 400

    def test_it_is_downloaded_as_filtered(self, client: Client) -> None:
        round_, _ = make_open_round()
        lead = lead_of(round_)
        address = reverse("labeling:log", args=[round_.project.slug])
        client.force_login(lead.user)
        response = client.get(address, {"kind": "opened", "format": "csv"})
        assert isinstance(response, StreamingHttpResponse)
        (row,) = csv.DictReader(response.getvalue().decode().splitlines())
        assert (row["what"], row["who"], row["round"], row["round name"]) == ("Round opened", lead.called, "1", "Main")

    def test_staff_see_any_projects(self, client: Client) -> None:
        round_, _ = make_open_round()
        staff = make_user()
        give_rights(user=staff, rights=[Right.OVERSEE])
        client.force_login(staff)
        page = read(client.get(reverse("labeling:oversight-log", args=[round_.project.slug])))
        assert "Round opened" in page.words
