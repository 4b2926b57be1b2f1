"""Pages of readers: upload with its dry run, the setting, and the report of what suggestions did."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from labeling.models import Decision, Member, Reader, ReaderAnswer, Role, Vote
from labeling.selectors.influence import report
from labeling.services.decisions import accept
from labeling.services.rounds import close_round
from tests.labeling.assisting import cast_in, csv_of, items_of, keep, make_assisted_round
from tests.labeling.factories import make_member, make_project, make_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def lead() -> Member:
    """The lead of a project with four annotators."""
    lead = make_project()
    for _ in range(4):
        make_member(lead.project)
    return lead


@pytest.fixture
def browser(lead: Member) -> Client:
    client = Client()
    client.force_login(lead.user)
    return client


def test_a_lead_checks_a_file_stores_it_and_lets_it_assist(lead: Member, browser: Client) -> None:
    round_ = make_round(lead, issues=2, is_open=False)
    path = f"/labeling/{lead.project.slug}/rounds/{round_.number}/readers/"
    content = csv_of(round_, {1: "hang", 2: "melts"})
    file = SimpleUploadedFile("answers.csv", content)
    fields = {"name": "Qwen", "version": "3", "format_": "long_csv", "note": "sha256:ab12", "file": file}
    page = browser.post(path, fields, follow=True)
    assert "Line 3: Symptom: “melts” is not in the codebook." in page.content.decode()
    reader = Reader.objects.get()
    rejected = browser.get(f"{path}{reader.pk}/rejected.csv").content.decode()
    assert len(list(io.StringIO(rejected))) == 2
    page = browser.post(f"{path}{reader.pk}/take/", follow=True)
    assert "The answers of Qwen 3 are stored." in page.content.decode()
    assert ReaderAnswer.objects.count() == 1
    browser.post(f"{path}assist/", {"reader": reader.pk, "percent": "40"})
    reader.refresh_from_db()
    assert reader.assist_percent == 40
    page = browser.get(f"/labeling/{lead.project.slug}/rounds/{round_.number}/")
    assert f"40 % of the ballots, drawn by the seed {reader.assist_seed}, show what Qwen 3 answers" in (
        page.content.decode()
    )
    browser.post(f"{path}assist/", {"reader": "", "percent": "50"})
    reader.refresh_from_db()
    assert reader.assist_percent is None
    browser.post(f"{path}{reader.pk}/remove/")
    assert not Reader.objects.exists()


def test_a_file_that_cannot_be_read_is_refused_in_the_form(lead: Member, browser: Client) -> None:
    round_ = make_round(lead, is_open=False)
    path = f"/labeling/{lead.project.slug}/rounds/{round_.number}/readers/"
    file = SimpleUploadedFile("answers.csv", b"who,what\n")
    page = browser.post(path, {"name": "Qwen", "format_": "long_csv", "file": file})
    assert page.status_code == 422
    assert "must name the columns issue, axis and nodes" in page.content.decode()


def test_the_report_says_how_often_votes_equal_the_suggestion_and_how_long_they_take(
    lead: Member, browser: Client
) -> None:
    people = list(Member.objects.filter(project=lead.project, roles=[Role.ANNOTATOR]).order_by("pk"))
    round_, reader = make_assisted_round(lead, issues=6, votes_wanted=4)
    for item in items_of(round_):
        # Three of four say that it hangs; the model says that it crashes.
        for place, member in enumerate(people):
            sways = place == 0 and item.position <= 4
            cast_in(member, item, is_assisted=place < 2, symptom="crash" if sways else "hang")
    close_round(lead=lead, round_=round_)
    round_.refresh_from_db()
    accept(lead=lead, round_=round_, how=Decision.How.MAJORITY)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    found = report(member=lead, round_=round_)
    assert found is not None
    assert found.influence is not None
    (symptom,) = [axis for axis in found.influence.axes if axis.axis == "symptom"]
    assert (found.influence.votes, found.influence.assisted_votes) == (24, 12)
    assert (symptom.followed.assisted, symptom.followed.blind) == (4 / 12, 0)
    assert (symptom.misled.assisted, symptom.misled.assisted_votes) == (4 / 12, 12)
    # By hand: in the assisted arm 2 of 6 pairs are equal, in the blind arm all.
    assert symptom.assisted.percent.value == pytest.approx(2 / 6)
    assert symptom.blind.percent.value == 1
    assert symptom.together.percent.value == pytest.approx((4 * 3 / 6 + 2 * 1) / 6)
    (beside,) = found.readers
    decided = [row for row in beside.rows if row.other == "the decisions"]
    assert [row.agreed.percent.value for row in decided] == [0]
    # Those who voted only on assisted ballots are not compared with the model that assisted them.
    assert {row.other for row in beside.rows} == {"the decisions", *(one.pseudonym for one in people[2:])}
    page = browser.get(f"/labeling/{lead.project.slug}/rounds/{round_.number}/influence/").content.decode()
    assert "a model, not a person" in page
    assert "33.3 %" in page
    # Nobody's time was measured.
    assert "Too few: below 5 votes" in page
    agreement = browser.get(f"/labeling/{lead.project.slug}/rounds/{round_.number}/agreement/").content.decode()
    assert "12 assisted votes left out" in agreement
    assert reader.assist_seed in page


def test_before_the_round_closes_nothing_is_told(lead: Member, browser: Client) -> None:
    round_ = make_round(lead)
    keep(lead, round_, csv_of(round_, {1: "hang"}))
    assert not Vote.objects.exists()
    page = browser.get(f"/labeling/{lead.project.slug}/rounds/{round_.number}/influence/").content.decode()
    assert "Nothing can be shown yet." in page


def test_a_lead_who_may_vote_is_told_why_nothing_is_there(lead: Member) -> None:
    round_ = make_round(lead)
    keep(lead, round_, csv_of(round_, {1: "hang"}))
    client = Client()
    client.force_login(make_member(lead.project, Role.LEAD, Role.ANNOTATOR).user)
    page = client.get(f"/labeling/{lead.project.slug}/rounds/{round_.number}/readers/").content.decode()
    assert "Hidden until the round closes." in page
    assert "Model 1" not in page
