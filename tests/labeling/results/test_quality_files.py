"""Gold answers and repeats in a release: their tables, what describes them, and the paragraph of the method."""

import csv
import io
import json

import pytest

from labeling.ballots import Choice
from labeling.models import Decision, Item, Member, ProjectAxis, Release, Repeat, Round, Vote
from labeling.selectors.pseudonyms import pseudonyms
from labeling.services.decisions import accept
from labeling.services.gold import give_gold
from labeling.services.repeats import skip_repeat, submit_repeat
from labeling.services.rounds import close_round, open_round
from tests.labeling.factories import cast_on, make_ballot, make_member, make_project, make_round
from tests.labeling.results.builders import settled_round
from tests.labeling.results.test_releases import VOTES, files_of, make

pytestmark = pytest.mark.django_db


def checked_round() -> Round:
    """A settled round: gold answers to two issues, one given before it opened; of two repeats one was skipped."""
    lead = make_project()
    ada, bob = make_member(lead.project), make_member(lead.project)
    round_ = make_round(lead, issues=3, repeats=2, is_open=False)
    items = list(Item.objects.filter(round=round_).select_related("round").order_by("position"))
    gild(lead, items[0], "hang")
    round_ = open_round(lead=lead, round_=round_)
    gild(lead, items[1], "crash")
    for item in items:
        for member in (ada, bob):
            cast_on(member, item)
    for item in items[:2]:
        Repeat.objects.create(vote=Vote.objects.get(item=item, member=ada), due_after=21)
    submit_repeat(member=ada, item=items[0], ballot=make_ballot(symptom=("crash", "hang")))
    skip_repeat(member=ada, item=items[1], reason="I know it by heart.")
    close_round(lead=lead, round_=round_)
    round_.refresh_from_db()
    accept(lead=lead, round_=round_, how=Decision.How.UNANIMOUS)
    return round_


def gild(lead: Member, item: Item, symptom: str) -> None:
    axis = ProjectAxis.objects.get(project=lead.project, code="symptom")
    give_gold(member=lead, item=item, answers={axis: Choice((symptom,))}, reason="Both authors agree.")


def released(round_: Round) -> dict[str, bytes]:
    """The files of a release that is made now."""
    job = make(Member.objects.filter(project=round_.project).earliest("pk"))
    assert not job.message
    return files_of(Release.objects.get())


def rows(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))


def test_the_tables_name_issues_by_address_and_people_by_pseudonym() -> None:
    round_ = checked_round()
    files = released(round_)
    gold = rows(files, "quality/gold.csv")
    assert {(row["nodes"], row["before_opening"], row["reason"]) for row in gold} == {
        ("hang", "True", "Both authors agree."), ("crash", "False", "Both authors agree."),
    }  # fmt: skip
    names = pseudonyms(project_id=round_.project_id)
    assert {row["given_by"] for row in gold} <= set(names.values())
    again = rows(files, "quality/repeats.csv")
    assert [(row["axis"], row["nodes"], row["due_after"]) for row in again] == [
        ("issue_type", "bug", "21"), ("symptom", "crash|hang", "21"),
    ]  # fmt: skip
    results = rows(files, "quality/results.csv")
    everybody = [row for row in results if row["annotator"] == "all"]
    assert [(row["check"], row["axis"], row["compared"], row["same"], row["skipped"]) for row in everybody] == [
        ("gold", "symptom", "4", "2", ""),
        ("repeat", "symptom", "1", "0", "1"),
        ("repeat", "issue_type", "1", "1", "1"),
    ]  # fmt: skip


def test_second_answers_are_in_no_other_file() -> None:
    votes = rows(released(checked_round()), "votes/votes.csv")
    assert len(votes) == 12
    assert not [row for row in votes if "crash" in row["nodes"]]


def test_they_are_described_to_people_and_programs() -> None:
    files = released(checked_round())
    package = json.loads(files["datapackage.json"])
    tables = {
        each["path"]: each for each in package["resources"] if each["path"].startswith("quality/") and "schema" in each
    }
    assert set(tables) == {"quality/gold.csv", "quality/repeats.csv", "quality/results.csv"}
    for table in tables.values():
        assert all(field["description"] for field in table["schema"]["fields"])
    assert "quality/gold.csv" in files["README.md"].decode()
    assert "## `quality/results.csv`" in files["DATA.md"].decode()
    method = files["METHOD.md"].decode()
    assert "the right answers to 2 issues were given by people who did not label it, 1 of them before" in method
    assert "drawn by the round's seed; of these, 1 answered and 1 skipped" in method


def test_a_release_without_them_has_none_of_it() -> None:
    files = released(settled_round(VOTES))
    assert not [name for name in files if name.startswith("quality/")]
    assert "quality/" not in files["DATA.md"].decode() + files["METHOD.md"].decode()
