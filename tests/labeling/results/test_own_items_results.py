"""What comes of a project's own items: screening, rechecks, files of votes, releases; and nothing in public."""

import csv
import io

import pytest
from django.test import Client

from kb.models import Issue, Label
from labeling.exchange import export as exporting
from labeling.exchange import intake
from labeling.exchange.item_intake import keep_file, take_file_in
from labeling.exchange.serialize import WRITERS
from labeling.exchange.values import Options
from labeling.models import (
    AuditEntry,
    Decision,
    Item,
    Job,
    Member,
    OwnItem,
    ProjectAxis,
    ProjectNode,
    Proposal,
    PublicationRequest,
    Release,
    Round,
    Slot,
    VoteImport,
)
from labeling.refusals import RefusedError
from labeling.releases import archive
from labeling.releases import build as making
from labeling.selectors.impact import impact, touched_issues
from labeling.selectors.panels import RoundPanels
from labeling.selectors.publication import preview
from labeling.selectors.screening import screened
from labeling.services.codebook_changes import prepare_recheck
from labeling.services.decisions import accept
from labeling.services.preparation import Plan, plan_round
from labeling.services.proposals import propose, put_to_vote, vote_on
from labeling.services.publication_requests import ask_for_publication
from labeling.services.rounds import close_round, open_round, prepare_round
from labeling.services.sampling import fill_from_list, fill_from_own, fill_from_screening
from labeling.wordings import Wording
from tests.labeling.factories import cast_on, make_project
from tests.labeling.results.builders import annotators, work
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
FILE = b"id,title,text,address\n1,First,It hangs.,\n2,Second,It crashes.,https://example.org/2\n"
HANG, CRASH = ("hang",), ("crash",)


@pytest.fixture
def lead() -> Member:
    """Leads a project with two items of its own."""
    lead = make_project()
    take_file_in(lead=lead, file=keep_file(lead=lead, content=FILE, filename="items.csv")[0])
    return lead


def voted(lead: Member, *, mixed: bool = False) -> Round:
    """A closed main round over the own items, and one issue where mixed: both agree on the first, not on the second."""
    people = annotators(lead, 2)
    round_ = prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main", votes_wanted=2)
    issue = f"\n{make_issue(title='It hangs', body='For ever.').url}" if mixed else ""
    fill_from_list(lead=lead, round_=round_, text=f"1\n2{issue}")
    open_round(lead=lead, round_=round_)
    for item in Item.objects.filter(round=round_):
        cast_on(people[0], item, symptom=HANG)
        cast_on(people[1], item, symptom=CRASH if item.position == 2 else HANG)
    close_round(lead=lead, round_=round_)
    round_.refresh_from_db()
    return round_


def files_of_release(lead: Member) -> dict[str, bytes]:
    job = work(making.ask(lead=lead, title="Own", authors=["Doe, Jo"], licence="CC-BY-4.0", note=""))
    assert job.state == Job.State.DONE, job.message
    return archive.unpack(bytes(Release.objects.get().archive))


def rows_of(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_a_release_names_them_by_address_or_id_and_holds_no_text(lead: Member) -> None:
    round_ = voted(lead, mixed=True)
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    files = files_of_release(lead)
    issue = Issue.objects.get(items__round=round_)
    assert {row["issue"] for row in rows_of(files["votes/votes.csv"])} == {
        "item:1", "https://example.org/2", issue.url,
    }  # fmt: skip
    decided = [(row["issue"], row["axis"], row["nodes"]) for row in rows_of(files["data/labels.csv"])]
    assert ("item:1", "symptom", "hang") in decided
    assert ("https://example.org/2", "symptom") not in [row[:2] for row in decided]
    assert not [name for name, content in files.items() if b"It crashes." in content]
    assert "Items of the project's own: 2." in files["METHOD.md"].decode()


@pytest.mark.parametrize("format_", WRITERS)
def test_votes_on_them_go_out_and_come_in_again(lead: Member, format_: str) -> None:
    round_ = voted(lead)
    text = "".join(exporting.export(member=lead, rounds=[round_], format_=format_))
    assert "item:1" in text
    file, _ = intake.keep_file(
        lead=lead, content=text.encode(), filename="votes", format_=format_, name="Again", options=Options()
    )
    assert (file.report["rejected"], file.report["votes"]) == (0, 4)
    job = work(intake.ask(lead=lead, found=file, people=file.people))
    assert job.state == Job.State.DONE, job.message
    again = Round.objects.get(vote_import=VoteImport.objects.get())
    assert set(again.items.values_list("own__key", flat=True)) == {"1", "2"}


def test_votes_on_another_projects_items_are_rejected(lead: Member) -> None:
    text = "".join(exporting.export(member=lead, rounds=[voted(lead)], format_="long_csv"))
    file, _ = intake.keep_file(
        lead=make_project(), content=text.encode(), filename="votes", format_="long_csv", name="", options=Options()
    )
    assert (file.report["votes"], file.report["rejected"]) == (0, 8)


def test_a_screening_keeps_them_for_the_next_round(lead: Member) -> None:
    people = annotators(lead, 2)
    question = ProjectNode.objects.get(axis__project=lead.project, code="question")
    plan = Plan(kind=Round.Kind.SCREENING, name="Screening", votes_wanted=2, excluding=[question])
    round_ = plan_round(lead=lead, plan=plan)
    fill_from_own(lead=lead, round_=round_, size=None)
    open_round(lead=lead, round_=round_)
    for item in Item.objects.filter(round=round_):
        for member in people:
            cast_on(member, item, kind="question" if item.position == 1 else "bug")
    close_round(lead=lead, round_=round_)
    round_.refresh_from_db()
    result = screened(member=lead, round_=round_)
    assert result is not None
    assert [(share.name, share.excluded, share.of) for share in result.by_framework] == [("Own items", 1, 2)]
    fill_from_screening(
        lead=lead, round_=(main := prepare_round(lead=lead, kind=Round.Kind.MAIN, name="Main")), screening=round_
    )
    assert [item.subject.short_name for item in Item.objects.filter(round=main)] == ["2"]


def test_a_change_of_the_codebook_has_them_labelled_again_by_the_same_people(lead: Member) -> None:
    round_ = voted(lead)
    people = annotators(lead, 2)
    axis = ProjectAxis.objects.get(project=lead.project, code="symptom")
    crash = ProjectNode.objects.get(axis=axis, code="crash")
    parts = [Wording(code, code.title(), "It is.") for code in ("crash-start", "crash-later")]
    proposal = propose(
        author=people[0], axis=axis, kind=Proposal.Kind.SPLIT, nodes=[crash], wording=parts, reason="Two."
    )
    assert impact(member=people[0], proposal=proposal).issues == 1
    assert [item.subject.short_name for item in touched_issues(member=people[0], proposal=proposal)] == ["2"]
    put_to_vote(member=people[0], proposal=proposal)
    for member in people:
        proposal = vote_on(member=member, proposal=proposal, agrees=True)
    recheck = prepare_recheck(lead=lead, proposal=proposal)
    open_round(lead=lead, round_=recheck)
    assert [item.own.key for item in recheck.items.all() if item.own] == ["2"]
    assert set(Slot.objects.filter(item__round=recheck).values_list("only_for", flat=True)) == {
        member.pk for member in people
    }
    assert round_.items.count() == 2


def test_the_audit_reads_a_round_of_them(lead: Member) -> None:
    round_ = voted(lead, mixed=True)
    keeper = RoundPanels()
    (found,) = keeper.list_sets(reader=lead.user_id)
    panel = keeper.read_panel(reader=lead.user_id, slug=found.slug, axis="symptom")
    assert panel.size == round_.items.count() == 3
    assert "Own items" in panel.group_names


class TestNothingInPublic:
    def test_a_request_for_publication_leaves_them_out_and_says_so(self, lead: Member, client: Client) -> None:
        round_ = voted(lead, mixed=True)
        accept(lead=lead, round_=round_, how=Decision.How.MAJORITY)
        issue = Issue.objects.get(items__round=round_)
        shown = preview(project_id=lead.project_id)
        assert (shown.own, shown.issues, {row.issue for row in shown.rows}) == (2, 1, {issue.pk})
        client.force_login(lead.user)
        page = client.get(f"/labeling/{lead.project.slug}/publish/").content.decode()
        assert "2 decided items of the project's own are left out" in page
        ask_for_publication(lead=lead)
        decisions = Decision.objects.filter(pk__in=PublicationRequest.objects.get().decisions)
        assert {decision.item.issue for decision in decisions} == {issue}

    def test_a_project_of_nothing_else_cannot_ask(self, lead: Member, client: Client) -> None:
        accept(lead=lead, round_=voted(lead), how=Decision.How.UNANIMOUS)
        client.force_login(lead.user)
        page = client.get(f"/labeling/{lead.project.slug}/publish/").content.decode()
        assert "They are never published" in page
        assert "Ask for publication" not in page
        with pytest.raises(RefusedError, match="never published"):
            ask_for_publication(lead=lead)
        assert not Label.objects.exists()

    def test_they_are_no_issues_and_no_public_page_knows_them(self, lead: Member, client: Client) -> None:
        voted(lead)
        assert not Issue.objects.exists()
        for path in ("/", "/search/?q=Second", "/api/v1/issues/?q=Second", f"/labeling/{lead.project.slug}/items/"):
            assert b"example.org/2" not in client.get(path).content

    def test_members_of_other_projects_see_none_of_them(self, lead: Member, client: Client) -> None:
        other = make_project()
        client.force_login(other.user)
        for page in ("items/", "items/items.csv", "rounds/"):
            assert client.get(f"/labeling/{lead.project.slug}/{page}").status_code == 404
            assert b"First" not in client.get(f"/labeling/{other.project.slug}/{page}").getvalue()


def test_what_leads_do_with_them_is_on_record(lead: Member) -> None:
    assert OwnItem.objects.count() == 2
    assert AuditEntry.objects.filter(kind=AuditEntry.Kind.ITEMS, member=lead).count() == 1
