"""Notices: each event is told once, to whom it concerns and as they chose; mails hold no more than names."""

import datetime as dt
from collections.abc import Collection

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.db import DatabaseError, transaction
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from labeling.models import Invitation, Member, Notice, Pass, ProjectAxis, ProjectNode, Proposal, Role, Round
from labeling.refusals import RefusedError
from labeling.selectors.invitations import invitations_to
from labeling.selectors.notices import Wish, unread_count
from labeling.services.assignment import pass_item
from labeling.services.members import change_roles
from labeling.services.notices import choose, tell, tell_what_is_due
from labeling.services.people import MOST_ADDRESSED_A_DAY, answer_invitation, invite, leave, leave_for_good, revoke
from labeling.services.preparation import move_deadline
from labeling.services.projects import archive_project
from labeling.services.proposals import propose, put_to_vote
from labeling.services.rounds import close_round
from labeling.tasks import mail_invitations, mail_notices
from labeling.wordings import Wording
from tests.kb.web.people import make_user
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_member, make_open_round, make_project, make_round, take
from tests.labeling.test_settling import Conflict, lead_of

pytestmark = pytest.mark.django_db
Kind = Notice.Kind


def told(kind: Notice.Kind) -> Collection[Member]:
    """Who was told of such an event."""
    return {notice.member for notice in Notice.objects.filter(kind=kind)}


@pytest.fixture
def mails(settings: Settings) -> list[mail.EmailMessage]:
    """What is sent, on a site that sends mail."""
    settings.SENDS_MAIL, settings.SITE_URL = True, "https://faultbook.example"
    return mail.outbox


def with_mail(member: Member) -> Member:
    member.user.email = f"{member.user.username}@example.org"
    member.user.save()
    return member


class TestEvents:
    def test_a_lead_learns_that_somebody_took_up_their_invitation(self) -> None:
        lead = make_project()
        make_member(lead.project)
        assert told(Kind.JOINED) == {lead}

    def test_annotators_learn_that_their_round_is_open(self) -> None:
        lead = make_project()
        first, second = make_member(lead.project), make_member(lead.project)
        make_member(lead.project, Role.OBSERVER)
        make_round(lead)
        assert told(Kind.OPENED) == {first, second}

    def test_leads_learn_of_a_flag_unless_they_are_blind(self) -> None:
        round_, (first, second) = make_open_round()
        lead = lead_of(round_)
        change_roles(lead=lead, member=second, roles=[Role.LEAD, Role.ANNOTATOR], is_senior=False)
        item = take(first, round_).item
        pass_item(member=first, item=item, kind=Pass.Kind.FLAG, reason="It is two reports.")
        assert told(Kind.FLAG) == {lead}

    def test_nobody_learns_of_a_skip(self) -> None:
        round_, (first, _) = make_open_round()
        pass_item(member=first, item=take(first, round_).item, kind=Pass.Kind.SKIP, reason="It is mine.")
        assert told(Kind.FLAG) == set()

    def test_voters_learn_of_a_ballot_on_the_codebook(self) -> None:
        round_, (first, second) = make_open_round()
        axis = ProjectAxis.objects.get(project=round_.project, code="symptom")
        node = ProjectNode.objects.get(axis=axis, code="hang")
        proposal = propose(
            author=first, axis=axis, kind=Proposal.Kind.RENAME, nodes=[node], reason="Clearer.",
            wording=[Wording("hang", "Hang or deadlock", "Nothing goes on.")],
        )  # fmt: skip
        put_to_vote(member=first, proposal=proposal)
        assert told(Kind.BALLOT) == {second}

    def test_who_has_issues_left_learns_of_a_near_deadline_once(self) -> None:
        round_, (first, second) = make_open_round()
        cast(first, round_)
        today = dt.date.today()
        move_deadline(lead=lead_of(round_), round_=round_, deadline=today + dt.timedelta(days=2))
        tell_what_is_due()
        tell_what_is_due()
        assert [notice.member for notice in Notice.objects.filter(kind=Kind.DEADLINE)] == [second]

    def test_voters_learn_that_a_discussion_waits(self) -> None:
        conflict = Conflict(rule=Round.Rule.DISCUSSION)
        tell_what_is_due()
        assert told(Kind.DISCUSSION) == {conflict.first, conflict.second}

    def test_an_adjudicated_round_tells_annotators_of_no_discussion(self) -> None:
        Conflict(rule=Round.Rule.THIRD_EXPERT)
        tell_what_is_due()
        assert told(Kind.DISCUSSION) == set()


class TestInvitations:
    """An invitation can be addressed to one person, by an address or a user name, before they are a member."""

    def test_it_waits_for_the_account_with_the_confirmed_address_who_joins_or_declines(self) -> None:
        lead, ada, eve = make_project(), make_user("ada"), make_user("eve", verified=False)
        first, _ = invite(lead=lead, roles=[Role.ANNOTATOR], addressee=" Ada@example.org")
        invite(lead=lead, roles=[Role.ANNOTATOR], addressee="eve@example.org")
        assert [one.pk for one in invitations_to(user=ada)] == [first.pk]
        assert not invitations_to(user=eve)
        with pytest.raises(RefusedError, match="no longer waits for you"):
            answer_invitation(user=eve, pk=first.pk, accepts=True)
        member = answer_invitation(user=ada, pk=first.pk, accepts=True)
        assert member is not None
        assert member.roles == [Role.ANNOTATOR]
        second, _ = invite(lead=lead, roles=[Role.OBSERVER], addressee="EVE")
        answer_invitation(user=eve, pk=second.pk, accepts=False)
        assert not invitations_to(user=eve)
        assert not Invitation.objects.filter(addressee__in=["ada@example.org", "eve"]).exists()

    def test_nobody_takes_it_by_calling_themselves_like_an_address(self) -> None:
        invite(lead=make_project(), roles=[Role.ANNOTATOR], addressee="ada@example.org")
        assert not invitations_to(user=User.objects.create_user("ada@example.org"))

    def test_it_is_for_one_person_and_few_are_made_a_day(self) -> None:
        lead = make_project()
        with pytest.raises(RefusedError, match="for one person"):
            invite(lead=lead, roles=[Role.ANNOTATOR], addressee="ada", uses=2)
        for _ in range(MOST_ADDRESSED_A_DAY):
            invite(lead=lead, roles=[Role.ANNOTATOR], addressee="ada")
        with pytest.raises(RefusedError, match="which is the most"):
            invite(lead=lead, roles=[Role.ANNOTATOR], addressee="ada")

    def test_it_is_mailed_once_without_its_link_unless_unwanted(self, mails: list[mail.EmailMessage]) -> None:
        lead, ada = make_project(), make_user("ada")
        make_user("bea")
        choose(user=ada, wishes=[Wish(Kind.INVITED, on_site=True, by_mail=False)])
        tokens = [invite(lead=lead, roles=[Role.ANNOTATOR], addressee=to)[1] for to in ("ada", "Bea", "c@example.org")]
        for _ in range(2):
            mail_invitations()
        assert sorted(sent.to for sent in mails) == [["bea@example.org"], ["c@example.org"]]
        assert not [token for token in tokens for sent in mails if token in str(sent.body)]

    def test_whom_it_was_for_is_forgotten_with_it(self) -> None:
        lead = make_project()
        open_, _ = invite(lead=lead, roles=[Role.ANNOTATOR], addressee="ada")
        over, _ = invite(lead=lead, roles=[Role.ANNOTATOR], addressee="bea")
        revoke(lead=lead, invitation=over)
        mail_invitations()
        assert dict(Invitation.objects.filter(pk__in=[open_.pk, over.pk]).values_list("pk", "addressee")) == {
            open_.pk: "ada",
            over.pk: "",
        }

    def test_who_deletes_their_account_is_forgotten_in_archived_projects_too(self) -> None:
        lead = make_project()
        invite(lead=lead, roles=[Role.ANNOTATOR], addressee="ada@example.org")
        archive_project(lead=lead)
        leave_for_good(user=make_user("ada"))
        assert not Invitation.objects.exclude(addressee="").exists()

    def test_the_person_answers_it_among_their_projects(self, client: Client) -> None:
        lead, ada = make_project(), make_user("ada")
        invitation, _ = invite(lead=lead, roles=[Role.ANNOTATOR], addressee="ada")
        client.force_login(ada)
        page = client.get(reverse("labeling:projects"))
        assert "You are invited" in read(page).words
        joined = client.post(reverse("labeling:invitation", args=[invitation.pk]), {"join": "yes"})
        assert joined["Location"] == reverse("labeling:project", args=[lead.project.slug])


class TestOnce:
    def test_an_event_is_told_once(self) -> None:
        round_, (first, _) = make_open_round()
        for _ in range(2):
            tell(members=[first], kind=Kind.OPENED, event=str(round_.pk), round_=round_)
        assert Notice.objects.filter(member=first, kind=Kind.OPENED).count() == 1

    def test_postgres_lets_nobody_change_what_was_told(self) -> None:
        make_open_round()
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            Notice.objects.update(kind=Kind.RELEASE)


class TestMail:
    def test_a_digest_names_projects_and_rounds_and_is_sent_once(self, mails: list[mail.EmailMessage]) -> None:
        round_, (first, _) = make_open_round()
        with_mail(first)
        mail_notices()
        mail_notices()
        (digest,) = mails
        assert digest.to == [first.user.email]
        text = str(digest.body)
        assert round_.project.name in text
        assert "https://faultbook.example" + reverse("labeling:next", args=[round_.project.slug, 1]) in text

    def test_it_quotes_neither_reports_nor_answers_nor_reasons(self, mails: list[mail.EmailMessage]) -> None:
        conflict = Conflict(rule=Round.Rule.DISCUSSION)
        for member in (conflict.first, conflict.second, conflict.lead):
            with_mail(member)
        tell_what_is_due()
        mail_notices()
        assert len(mails) == 3
        for digest in mails:
            for secret in ("It hangs 0", "Rank 3", "hang", "crash", "see rank 3", conflict.second.user.username):
                assert secret.lower() not in f"{digest.subject} {digest.body}".replace("Main", "").lower()

    def test_a_site_without_mail_sends_none_and_says_so(
        self, settings: Settings, caplog: pytest.LogCaptureFixture
    ) -> None:
        settings.SENDS_MAIL = False
        _, (first, _) = make_open_round()
        with_mail(first)
        mail_notices()
        assert (mail.outbox, Notice.objects.exclude(mailed_at=None).count()) == ([], 0)
        assert "EMAIL_URL is not set" in caplog.text

    def test_what_could_not_be_sent_waits_for_the_next_digest(self, settings: Settings) -> None:
        settings.SENDS_MAIL = True
        # A port that nothing listens on.
        settings.EMAIL_BACKEND, settings.EMAIL_HOST, settings.EMAIL_PORT = (
            "django.core.mail.backends.smtp.EmailBackend", "127.0.0.1", 1,
        )  # fmt: skip
        _, (first, _) = make_open_round()
        with_mail(first)
        mail_notices()
        assert not Notice.objects.exclude(mailed_at=None).exists()

    def test_a_kind_can_be_switched_off_by_mail_alone(self, mails: list[mail.EmailMessage]) -> None:
        _, (first, _) = make_open_round()
        with_mail(first)
        choose(user=first.user, wishes=[Wish(Kind.OPENED, on_site=True, by_mail=False)])
        mail_notices()
        assert mails == []
        assert unread_count(user_id=first.user_id) == 1

    def test_who_left_is_told_nothing_more(self, mails: list[mail.EmailMessage]) -> None:
        round_, (first, _) = make_open_round()
        with_mail(first)
        leave(member=first)
        close_round(lead=lead_of(round_), round_=round_)
        mail_notices()
        assert (mails, unread_count(user_id=first.user_id)) == ([], 0)


class TestPages:
    def test_the_head_counts_and_the_list_is_marked_as_read(self, client: Client) -> None:
        round_, (first, _) = make_open_round()
        client.force_login(first.user)
        assert "1 new" in read(client.get(reverse("labeling:project", args=[round_.project.slug]))).words
        page = read(client.get(reverse("labeling:notices")))
        assert "Main is open: you can label." in page.words
        client.post(reverse("labeling:notices-read"))
        assert unread_count(user_id=first.user_id) == 0

    def test_choices_are_kept(self, client: Client) -> None:
        _, (first, _) = make_open_round()
        client.force_login(first.user)
        client.post(reverse("labeling:notices-choose"), {"site": ["release"], "mail": ["opened"]})
        assert "No notices." in read(client.get(reverse("labeling:notices"))).words

    def test_nobody_sees_anothers(self, client: Client) -> None:
        make_open_round()
        stranger = make_project()
        client.force_login(stranger.user)
        assert "No notices." in read(client.get(reverse("labeling:notices"))).words
