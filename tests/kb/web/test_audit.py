"""The pages of the label audit: a published set, a round for those who may see its votes, files, and nothing."""

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from django.http import HttpResponseBase
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from ingest.selectors.panels import ImportedPanels
from kb.audit import Line, Table, audit
from kb.audit.panels import NONE
from kb.exports.audit import audit_lines
from kb.exports.tables import csv_lines
from kb.models import Issue, Kind
from labeling.models import Decision, Item, Member, NodeVersion, ProjectAxis, Role, Round
from labeling.selectors.panels import RoundPanels
from labeling.services.rounds import close_round
from tests.ingest.small import HEADER, ISSUE, make_small_study, run_small
from tests.kb.web.reading import read
from tests.labeling.factories import cast, make_member, make_open_round

pytestmark = pytest.mark.django_db
LIST, PAGE = "/explore/audit/", "/explore/audit/small-labels"


@pytest.fixture
def small_set(tmp_path: Path) -> Path:
    """40 rows; the third annotator dissents in every fourth."""
    make_small_study()
    rows = [f"{ISSUE}{n},A.1,A.1,{'B.1' if n % 4 == 0 else 'A.1'},A.1,Hang" for n in range(1, 41)]
    file = tmp_path / "small.csv"
    file.write_text("\n".join([HEADER, *rows]), encoding="utf-8")
    run_small([file])
    return file


def text_of(response: HttpResponseBase) -> str:
    return " ".join(read(response).text.split())


def lead_of(round_: Round) -> Member:
    return Member.objects.filter(project=round_.project, roles__contains=[Role.LEAD]).earliest("pk")


def test_without_sets_it_leads_on_and_tells_only_staff_how_they_come(client: Client) -> None:
    body = client.get(LIST).content.decode()
    assert "No label set is imported yet." in body
    assert 'href="/studies/"' in body
    assert "manage.py" not in body
    assert client.get("/explore/audit/no-such-set").status_code == 404


@pytest.mark.usefixtures("small_set")
class TestAPublishedSet:
    def test_the_list_has_its_size_and_verdicts(self, client: Client) -> None:
        body = text_of(client.get(LIST))
        assert "Small labels" in body
        assert "40" in body
        assert "fine" in body
        assert "Votes not audited" not in body

    def test_the_page_has_every_check_with_what_it_does_not_prove(self, client: Client) -> None:
        response = client.get(PAGE)
        body = response.content.decode()
        assert body.count("Does not prove") == 11
        assert "25.0 %" in body
        assert "14.2–40.2 %, 10 of 40" in body
        assert "Made up." in text_of(response)

    def test_an_axis_without_votes_says_so(self, client: Client) -> None:
        assert "without its annotators" in client.get(PAGE, {"axis": "symptom"}).content.decode()
        assert client.get(PAGE, {"axis": "colour"}).status_code == 400

    def test_few_statements_and_fewer_when_kept(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        with django_assert_max_num_queries(10):
            client.get(PAGE)
        with django_assert_max_num_queries(6):
            client.get(PAGE)
        with django_assert_max_num_queries(6):
            client.get(LIST)

    def test_what_is_learned_of_issues_is_seen_at_once(self, client: Client) -> None:
        assert "of unknown kind" in text_of(client.get(PAGE))
        Issue.objects.update(kind=Kind.PULL_REQUEST)
        assert "Every item is a pull request" in text_of(client.get(PAGE))

    def test_votes_that_come_anew_are_seen_at_once(self, client: Client, small_set: Path) -> None:
        client.get(PAGE)
        small_set.write_text(small_set.read_text(encoding="utf-8").replace("B.1", "A.1"), encoding="utf-8")
        run_small([small_set])
        assert "25.0 %" not in client.get(PAGE).content.decode()

    def test_csv_and_json_have_the_same_numbers(self, client: Client) -> None:
        rows = list(csv.DictReader(io.StringIO(client.get(PAGE, {"format": "csv"}).content.decode())))
        values = json.loads(client.get(PAGE, {"format": "json"}).content)
        third = next(row for row in rows if row["line"] == "Annotator 3" and row["table"] == "Dissent by column")
        assert (third["cases"], third["of"], third["share"]) == ("10", "40", "0.25")
        found = values["findings"][0]["tables"][0]["lines"][2]["cells"][0]
        assert (found["cases"], found["of"]) == (10, 40)
        assert found["low"] == pytest.approx(0.1419, abs=1e-4)
        assert (values["set"]["slug"], values["axis"]) == ("small-labels", "theme")
        assert {row["check"] for row in rows} == {one["check"] for one in values["findings"]}

    def test_no_cell_of_the_file_is_a_formula(self) -> None:
        panel = ImportedPanels().read_panel(reader=None, slug="small-labels", axis="theme")
        lines = tuple(Line(name, ("=1+1",)) for name in ("=SUM(A1)", "+a", "-a", "@x", "plain"))
        one = replace(audit(panel)[0], tables=(Table("t", "f", ("c",), lines),))
        written = "".join(csv_lines(audit_lines((one,))))
        cells = [cell for row in csv.reader(io.StringIO(written)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
        assert "'=SUM(A1)" in cells


class TestARound:
    @pytest.fixture
    def round_(self) -> Round:
        round_, (first, second) = make_open_round(votes_wanted=2, issues=3)
        for _ in range(3):
            cast(first, round_, symptom=("hang", "crash"))
            cast(second, round_)
        return round_

    def test_nobody_sees_an_open_one_not_even_its_lead(self, client: Client, round_: Round) -> None:
        lead = lead_of(round_)
        client.force_login(lead.user)
        assert round_.project.name not in client.get(LIST).content.decode()
        assert client.get(f"{LIST}round-{round_.project.slug}-1").status_code == 404

    def test_its_people_see_a_closed_one(self, client: Client, round_: Round) -> None:
        close_round(lead=lead_of(round_), round_=round_)
        annotator = Member.objects.filter(project=round_.project, roles__contains=[Role.ANNOTATOR]).latest("pk")
        for member in (lead_of(round_), annotator):
            client.force_login(member.user)
            assert f"round-{round_.project.slug}-1" in client.get(LIST).content.decode()
            response = client.get(f"{LIST}round-{round_.project.slug}-1", {"axis": "symptom"})
            body = text_of(response)
            assert "3 items · 2 annotators · Symptom" in body
            assert "no-store" in response["Cache-Control"]
            assert all(one.pseudonym not in body for one in round_.project.members.all())

    def test_its_panel_has_the_blind_votes_and_what_is_decided(self, round_: Round) -> None:
        lead, slug = lead_of(round_), f"round-{round_.project.slug}-1"
        with pytest.raises(Round.DoesNotExist):
            RoundPanels().read_panel(reader=lead.user_id, slug=slug, axis="symptom")
        close_round(lead=lead, round_=round_)
        adjudicator = make_member(round_.project, Role.ADJUDICATOR)
        item = Item.objects.filter(round=round_).earliest("position")
        hang = NodeVersion.objects.get(node__axis__project=round_.project, node__code="hang")
        axis = ProjectAxis.objects.get(project=round_.project, code="symptom")
        decision = Decision.objects.create(
            item=item, axis=axis, how="adjudication", votes=2, support=1, adjudicator=adjudicator, cause="overlap",
            reason="One of them.",
        )  # fmt: skip
        decision.versions.add(hang)
        panel = RoundPanels().read_panel(reader=lead.user_id, slug=slug, axis="symptom")
        said = [[panel.answers[vote] for vote in row] for row in panel.votes.tolist()]
        assert said == [["crash + hang", "hang"]] * 3
        assert [panel.answers[final] if final != NONE else None for final in panel.finals.tolist()] == [
            "hang", None, None,
        ]  # fmt: skip

    def test_strangers_adjudicators_and_who_left_do_not(self, client: Client, round_: Round) -> None:
        page = f"{LIST}round-{round_.project.slug}-1"
        adjudicator = make_member(round_.project, Role.ADJUDICATOR)
        gone = make_member(round_.project, Role.OBSERVER)
        close_round(lead=lead_of(round_), round_=round_)
        Member.objects.filter(pk=gone.pk).update(left_at=round_.created_at)
        stranger = make_open_round()[1][0]
        assert client.get(page).status_code == 404
        for member in (adjudicator, gone, stranger):
            client.force_login(member.user)
            assert client.get(page).status_code == 404
            assert round_.project.name not in client.get(LIST).content.decode()

    def test_many_rounds_take_no_more_statements(
        self, client: Client, round_: Round, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        lead = lead_of(round_)
        close_round(lead=lead, round_=round_)
        client.force_login(lead.user)
        client.get(LIST)
        with django_assert_max_num_queries(12):
            client.get(LIST)
