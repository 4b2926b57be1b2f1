"""The demo project: made once from the starter records, and the only project that can be removed."""

import io

import pytest
from django.apps import apps
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.test import Client

from kb.models import Label, Source
from labeling.demo import ACCOUNTS, FIRST, LEAD, SECOND, SLUG
from labeling.demo.create import DISSENT, LEFT, LONGEST, PILOT, SHORTEST, curated_choices, demo_ballot, seconds_at_work
from labeling.demo.delete import remove_demo
from labeling.models import Decision, Item, Job, Member, Project, Round, Vote
from labeling.refusals import RefusedError
from labeling.selectors.agreement import gate_misses
from labeling.selectors.codebooks import axes_of
from labeling.selectors.pace import pace
from labeling.services import jobs
from labeling.services.assignment import next_slot
from labeling.services.decisions import accept
from labeling.services.publication_requests import ask_to_withdraw, publish_demo
from labeling.services.rounds import close_round, open_round
from labeling.services.voting import submit
from labeling.tasks import WORK
from tests.kb.web.people import log_in
from tests.labeling.factories import make_project
from tests.labeling.permissions.world import act, make_world

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("starter")]
PASSWORD = "three demo accounts"


@pytest.fixture
def demo(starter: None) -> Project:
    call_command("demo_project", password=PASSWORD, stdout=io.StringIO())
    return Project.objects.get(slug=SLUG)


def member(name: str) -> Member:
    return Member.objects.get(project__slug=SLUG, user__username=name)


def pilot_of(demo: Project) -> Round:
    return Round.objects.get(project=demo, kind=Round.Kind.PILOT)


def rows() -> dict[str, int]:
    """How many rows each of labeling's tables has."""
    models = apps.get_app_config("labeling").get_models(include_auto_created=True)
    return {model.__name__: model._base_manager.count() for model in models}


def test_the_demo_has_votes_of_two_and_something_left_for_a_third(demo: Project) -> None:
    assert demo.is_demo
    assert Vote.objects.filter(member=member(FIRST)).count() == PILOT
    assert Vote.objects.filter(member=member(SECOND)).count() == PILOT - LEFT
    assert next_slot(member=member(FIRST), round_=pilot_of(demo)) is None
    slot = next_slot(member=member(SECOND), round_=pilot_of(demo))
    assert slot is not None
    assert slot.item.position == PILOT - LEFT + 1


def test_its_accounts_log_in_with_the_passwords_that_were_told() -> None:
    out = io.StringIO()
    call_command("demo_project", stdout=out)
    for name in ACCOUNTS:
        (line,) = (line for line in out.getvalue().splitlines() if line.split()[:1] == [name])
        assert log_in(Client(), name, line.split()[1]).status_code == 302


def test_the_whole_way_can_be_tried(demo: Project) -> None:
    pilot, second = pilot_of(demo), member(SECOND)
    axes = axes_of(codebook=pilot.codebook)
    while slot := next_slot(member=second, round_=pilot):
        item = Item.objects.select_related("round", "snapshot").get(pk=slot.item_id)
        submit(member=second, item=item, ballot=demo_ballot(item, curated_choices(item, axes)))
    assert close_round(lead=member(LEAD), round_=pilot) == 0
    decided = accept(lead=member(LEAD), round_=pilot, how=Decision.How.UNANIMOUS)
    assert decided == len(axes) * PILOT - len(DISSENT)
    main = Round.objects.get(project=demo, kind=Round.Kind.MAIN)
    assert gate_misses(round_=main) == []
    assert open_round(lead=member(LEAD), round_=main).state == Round.State.OPEN


def test_its_votes_took_the_time_that_reading_takes_and_the_same_each_time(demo: Project) -> None:
    votes = Vote.objects.select_related("member__user", "item__snapshot")
    for vote in votes:
        assert vote.active_seconds == seconds_at_work(vote.member.user.username, vote.item.snapshot.content["url"])
        assert SHORTEST <= vote.active_seconds <= LONGEST
    assert len({vote.active_seconds for vote in votes}) > 5
    median = pace(member=member(SECOND), round_=pilot_of(demo)).median_seconds
    assert median is not None
    assert SHORTEST < median < LONGEST


@pytest.mark.usefixtures("demo")
def test_it_is_not_made_twice() -> None:
    with pytest.raises(CommandError, match="there already"):
        call_command("demo_project", stdout=io.StringIO())


def test_it_takes_over_nobodys_account() -> None:
    User.objects.create_user(FIRST)
    with pytest.raises(CommandError, match="account “demo-ada” already"):
        call_command("demo_project", stdout=io.StringIO())
    assert not Project.objects.exists()


def test_without_the_starter_it_says_what_to_do() -> None:
    Label.objects.all().delete()
    with pytest.raises(CommandError, match="load_starter"):
        call_command("demo_project", stdout=io.StringIO())


def test_it_goes_as_a_whole_with_votes_and_decisions() -> None:
    before = rows()
    call_command("demo_project", password=PASSWORD, stdout=io.StringIO())
    close_round(lead=member(LEAD), round_=pilot_of(Project.objects.get(slug=SLUG)))
    accept(lead=member(LEAD), round_=pilot_of(Project.objects.get(slug=SLUG)), how=Decision.How.UNANIMOUS)
    assert Decision.objects.exists()
    out = io.StringIO()
    call_command("demo_project", remove=True, stdout=out)
    assert "is gone" in out.getvalue()
    assert rows() == before
    assert not User.objects.filter(username__in=ACCOUNTS).exists()
    call_command("demo_project", stdout=io.StringIO())


def test_what_it_published_is_withdrawn_first_and_leaves_nothing_behind(demo: Project) -> None:
    sources = set(Source.objects.values_list("slug", flat=True))
    close_round(lead=member(LEAD), round_=pilot_of(demo))
    accept(lead=member(LEAD), round_=pilot_of(demo), how=Decision.How.UNANIMOUS)
    do(Job.Kind.PUBLISH)
    assert Label.objects.filter(source__slug="labeling-demo").exists()
    with pytest.raises(CommandError, match="withdraw the publication first"):
        call_command("demo_project", remove=True, stdout=io.StringIO())
    do(Job.Kind.WITHDRAW)
    call_command("demo_project", remove=True, stdout=io.StringIO())
    assert set(Source.objects.values_list("slug", flat=True)) == sources


def do(kind: Job.Kind) -> None:
    """Let a job be done that the demo's lead asks for."""
    lead = member(LEAD)
    job = publish_demo(lead=lead, pilots=True) if kind == Job.Kind.PUBLISH else ask_to_withdraw(lead=lead)
    jobs.run(job_id=job.pk, work=WORK[kind])
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.message


class TestARealProjectStays:
    @pytest.mark.usefixtures("demo")
    def test_beside_a_demo_that_goes(self) -> None:
        world = make_world()
        act(world)
        kept = set(Vote.objects.filter(item__round__project__slug=world.slug).values_list("receipt", "submitted_at"))
        decisions = Decision.objects.filter(item__round__project__slug=world.slug).count()
        remove_demo()
        assert set(Vote.objects.values_list("receipt", "submitted_at")) == kept
        assert Decision.objects.count() == decisions > 0

    def test_even_under_the_demos_name(self) -> None:
        lead = make_project(slug=SLUG)
        with pytest.raises(RefusedError, match="is a real one"):
            remove_demo()
        assert Project.objects.filter(pk=lead.project_id).exists()

    def test_since_postgres_lets_it_be_called_a_demo_no_more(self) -> None:
        lead = make_project()
        with pytest.raises(DatabaseError, match="Cannot update"), transaction.atomic():
            Project.objects.filter(pk=lead.project_id).update(is_demo=True)

    def test_since_postgres_does_not_delete_it(self) -> None:
        project = Project.objects.create(slug="x", name="X", question="?", created_by=User.objects.create_user("x"))
        with pytest.raises(DatabaseError, match="Cannot delete"), transaction.atomic():
            project.delete()

    @pytest.mark.usefixtures("demo")
    def test_and_its_guards_are_back_after_a_removal(self) -> None:
        world = make_world()
        remove_demo()
        with pytest.raises(DatabaseError, match="Cannot delete"), transaction.atomic():
            Decision.objects.filter(item__round__project__slug=world.slug).delete()


@pytest.mark.usefixtures("demo")
def test_an_account_that_got_into_another_project_is_closed_instead() -> None:
    make_project(user=User.objects.get(username=FIRST))
    remove_demo()
    account = User.objects.get(username__in=ACCOUNTS)
    assert account.username == FIRST
    assert not account.is_active
    assert not account.has_usable_password()
