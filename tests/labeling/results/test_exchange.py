"""Votes out and in again: nothing lost on the way, everything refused with its reason, the same file once."""

import json
from typing import Any

import pytest

from labeling.ballots import Choice
from labeling.exchange import export as exporting
from labeling.exchange import intake as importing
from labeling.exchange.serialize import WRITERS
from labeling.exchange.values import Options
from labeling.models import Answer, Item, Job, Member, Round, Slot, Vote, VoteImport
from labeling.refusals import RefusedError
from labeling.selectors.votes import all_axis_votes
from labeling.services import jobs
from labeling.services.rounds import close_round
from labeling.tasks import WORK
from tests.labeling.factories import cast, make_open_round, make_project
from tests.labeling.results.builders import annotators, lead_of, voted_round
from tests.support.factories import make_issue

pytestmark = pytest.mark.django_db
HANG, CRASH = ("hang",), ("crash",)
VOTES = ((HANG, CRASH), (("hang", "crash"), HANG))


def exported(round_: Round, format_: str, member: Member | None = None) -> str:
    return "".join(exporting.export(member=member or lead_of(round_), rounds=[round_], format_=format_))


def keep(lead: Member, text: str, format_: str = "long_csv", **options: Any) -> VoteImport:
    found, _ = importing.keep_file(
        lead=lead, content=text.encode(), filename="votes", format_=format_, name="Outside", options=Options(**options)
    )
    return found


def take_in(lead: Member, found: VoteImport, people: dict[str, int | None] | None = None) -> Round:
    job = importing.ask(lead=lead, found=found, people=people if people is not None else found.people)
    jobs.run(job_id=job.pk, work=WORK[Job.Kind.IMPORT])
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.message
    return Round.objects.get(vote_import=found)


def said(round_: Round) -> list[tuple[str, int, str, tuple[str, ...], bool]]:
    urls = dict(Item.objects.filter(round=round_).values_list("pk", "issue__url"))
    return sorted(
        (urls[one.item], one.member, one.axis, tuple(sorted(one.choice.codes)), one.choice.is_undecidable)
        for one in all_axis_votes(round_=round_)
    )


def reason_of(found: VoteImport) -> str:
    (only,) = found.report["reasons"]
    return str(only[1])


@pytest.mark.parametrize("format_", WRITERS)
def test_what_goes_out_comes_in_again(format_: str) -> None:
    round_ = voted_round(VOTES)
    found = keep(lead_of(round_), exported(round_, format_), format_)
    assert found.report["rejected"] == 0, found.report
    # Known by their pseudonyms.
    assert set(found.people.values()) == {one.pk for one in annotators(lead_of(round_), 2)}
    assert said(take_in(lead_of(round_), found)) == said(round_)


@pytest.mark.parametrize("format_", WRITERS)
def test_that_the_report_does_not_tell_survives(format_: str) -> None:
    round_, (member, other) = make_open_round(annotators=2)
    untold = {"symptom": Choice(is_undecidable=True), "issue_type": Choice(("bug",))}
    for one in (member, other):
        cast(one, round_, choices=untold)
    close_round(lead=lead_of(round_), round_=round_)
    made = take_in(lead_of(round_), keep(lead_of(round_), exported(round_, format_), format_))
    assert said(made) == said(round_)
    assert Answer.objects.filter(vote__item__round=made, is_undecidable=True).count() == 2


def test_an_imported_round_is_closed_released_and_marked() -> None:
    round_ = voted_round(VOTES)
    made = take_in(lead_of(round_), keep(lead_of(round_), exported(round_, "long_csv")))
    assert (made.state, made.number, made.sample["kind"]) == (Round.State.CLOSED, 2, "import")
    assert not Item.objects.filter(round=made, released_at=None).exists()
    assert made.vote_import.finished_at is not None
    assert not Slot.objects.filter(item__round=made, vote=None).exists()


def test_strangers_become_placeholders_who_have_left_and_cannot_log_in() -> None:
    lead = make_project()
    url = make_issue().url
    text = f"issue,annotator,axis,nodes\n{url},Ann Lee,symptom,hang\n{url},Ben,symptom,Crash\n"
    made = take_in(lead, keep(lead, text))
    people = Member.objects.filter(votes__item__round=made).select_related("user").distinct()
    assert {one.user.first_name for one in people} == {"Ann Lee", "Ben"}
    assert not any(one.is_active or one.user.is_active or one.user.has_usable_password() for one in people)


def test_two_names_cannot_be_one_member() -> None:
    lead = make_project()
    url = make_issue().url
    found = keep(lead, f"issue,annotator,axis,nodes\n{url},a,symptom,hang\n{url},b,symptom,hang\n")
    with pytest.raises(RefusedError, match="one annotator of the file only"):
        importing.ask(lead=lead, found=found, people={"a": lead.pk, "b": lead.pk})


def test_the_same_file_is_taken_in_once() -> None:
    round_ = voted_round(VOTES)
    lead, text = lead_of(round_), exported(round_, "long_csv")
    take_in(lead, keep(lead, text))
    before = list(Vote.objects.order_by("pk").values_list("pk", "receipt"))
    again, is_new = importing.keep_file(
        lead=lead, content=text.encode(), filename="copy", format_="long_csv", name="Copy", options=Options()
    )
    assert not is_new
    with pytest.raises(RefusedError, match="imported already"):
        importing.ask(lead=lead, found=again, people={})
    assert list(Vote.objects.order_by("pk").values_list("pk", "receipt")) == before


def test_the_work_done_twice_gives_the_same_rows() -> None:
    round_ = voted_round(VOTES)
    lead = lead_of(round_)
    found = keep(lead, exported(round_, "long_csv"))
    take_in(lead, found)
    rows = [list(model.objects.order_by("pk").values_list("pk", flat=True)) for model in (Item, Slot, Vote, Answer)]
    importing.take_in(Job.objects.select_related("project").latest("pk"))
    again = [list(model.objects.order_by("pk").values_list("pk", flat=True)) for model in (Item, Slot, Vote, Answer)]
    assert again == rows


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("https://example.org/1,ann,symptom,hang", "is neither an issue of this knowledge base nor"),
        (",ann,symptom,hang", "The issue's address is missing."),
        ("{url},,symptom,hang", "The annotator is missing."),
        ("{url},ann,colour,red", "“colour” is not a question of this project."),
        ("{url},ann,symptom,fire", "Symptom: “fire” is not in the codebook."),
        ("{url},ann,issue_type,bug|question", "only one answer is possible, and there are 2"),
        ("{url},ann,symptom,", "Symptom: there is no answer."),
        ("{url},ben,symptom,crash", "on an earlier line"),
    ],
)
def test_a_line_that_cannot_be_taken_has_its_reason_and_number(line: str, reason: str) -> None:
    lead = make_project()
    url = make_issue().url
    text = f"issue,annotator,axis,nodes\n{url},ben,symptom,hang\n{line.format(url=url)}\n"
    found = keep(lead, text)
    assert found.report["reasons"][0][0] == 3
    assert reason in reason_of(found)
    assert found.report["votes"] == 1


def test_a_dry_run_writes_no_vote() -> None:
    lead = make_project()
    keep(lead, f"issue,annotator,axis,nodes\n{make_issue().url},ben,symptom,hang\n")
    assert not Vote.objects.exists()
    assert not Round.objects.exists()


def test_files_that_cannot_be_read_are_refused() -> None:
    lead = make_project()
    with pytest.raises(RefusedError, match="UTF-8"):
        importing.keep_file(
            lead=lead, content=b"\xff\xfe", filename="x", format_="long_csv", name="", options=Options()
        )
    with pytest.raises(RefusedError, match="between 1 byte"):
        keep(lead, "")


def test_a_blind_annotator_exports_their_own_votes_only() -> None:
    round_, (member, other) = make_open_round(annotators=2)
    cast(member, round_, symptom=HANG)
    cast(other, round_, symptom=CRASH)
    for format_ in WRITERS:
        text = exported(round_, format_, member)
        assert "hang" in text
        assert "crash" not in text
        assert other.pseudonym not in text


def test_exports_give_days_not_moments_and_keep_every_vote() -> None:
    round_ = voted_round(VOTES)
    lines = exported(round_, "long_jsonl").splitlines()
    assert len(lines) == 8
    vote = Vote.objects.earliest("pk")
    assert {json.loads(line)["received_on"] for line in lines} == {vote.submitted_at.date().isoformat()}
    assert all(vote.submitted_at.isoformat()[:16] not in line for line in lines)
