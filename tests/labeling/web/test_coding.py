"""Open coding in the browser: begun, the board, history and undo, issues by node, the codebook, files, the ballot."""

import json
from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from labeling.models import CodingAct, CodingNode, Item, Member, ProjectAxis, Vote
from labeling.refusals import RefusedError
from labeling.services.coding_codebook import make_codebook
from labeling.services.voting import take_back
from tests.kb.web.reading import read
from tests.labeling.factories import make_member, make_project
from tests.labeling.open_coding import board, coding_round, make_nodes

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


def address(lead: Member, name: str = "coding", *more: object) -> str:
    return reverse(f"labeling:{name}", args=[lead.project.slug, *more])


def send(browser: Client, lead: Member, **fields: object) -> str:
    return read(browser.post(address(lead, "coding-codes"), fields, follow=True)).words


def test_a_project_without_it_offers_leads_to_begin(browser_of: BrowserOf) -> None:
    lead = make_project()
    browser = browser_of(lead)
    assert "does not ask for open codes" in read(browser.get(address(lead))).words
    browser.post(address(lead, "begin-coding"))
    assert ProjectAxis.objects.filter(project=lead.project, kind="codes").count() == 1
    assert "There are no codes yet" in read(browser.get(address(lead))).words


def test_the_board_shows_who_wrote_what_where_and_puts_those_alike_together(browser_of: BrowserOf) -> None:
    lead, _ = coding_round()
    page = browser_of(lead).get(address(lead))
    words = read(page).words
    assert "5 codes from closed rounds, written 7 times" in words
    assert "two ranks disagree" in words
    assert "Summary of rank mism" in words
    assert [len(group) for group in page.context["board"].groups] == [1, 2, 2]
    assert page.context["board"].growth == [(3, 5)]


def test_leads_merge_cluster_rename_and_split_there(browser_of: BrowserOf) -> None:
    lead, _ = coding_round()
    browser = browser_of(lead)
    alike = ["rank mismatch", "ranks mismatch"]
    assert "Merged." in send(browser, lead, do="merge", code=alike, name="Ranks disagree")
    assert "Give it a definition" in send(browser, lead, do="node", code=["rank mismatch"], name="Ranks")
    assert "there now" in send(browser, lead, do="put", code=["hang"], node="ranks")
    assert "Renamed" in send(browser, lead, do="rename", code=["hang"], name="Hangs")
    assert board(lead)["hang"] == ("Hangs", "", "ranks")
    assert "Split again" in send(browser, lead, do="split", code=["ranks mismatch"])
    assert board(lead)["ranks mismatch"] == ("", "", "ranks")
    assert "Select at least two" in send(browser, lead, do="merge", code=["hang"])
    assert "Choose what to do" in send(browser, lead, do="burn")


def test_a_node_gets_its_words_and_place_on_its_page(browser_of: BrowserOf) -> None:
    lead, _ = coding_round()
    make_nodes(lead)
    browser, at = browser_of(lead), address(lead, "coding-node", "types")
    assert browser.get(at).context["form"].initial["definition"] == "A dtype is wrong."
    browser.post(at, {"name": "Wrong types", "definition": "A dtype.", "example": "fp16", "do": "save"})
    browser.post(at, {"do": "up"})
    assert list(CodingNode.objects.order_by("position").values_list("name", "example")) == [
        ("Wrong types", "fp16"), ("Ranks", "Rank 3 waits."),
    ]  # fmt: skip
    assert browser.post(at, {"name": "Ranks"}).status_code == 422
    browser.post(at, {"do": "remove"})
    assert browser.get(at).status_code == 404


def test_the_history_undoes(browser_of: BrowserOf) -> None:
    lead, _ = coding_round()
    make_nodes(lead)
    browser = browser_of(lead)
    act = CodingAct.objects.earliest("pk")
    browser.post(address(lead, "coding-undo", act.pk))
    assert list(CodingNode.objects.values_list("code", flat=True)) == ["types"]
    words = read(browser.get(address(lead, "coding-history"))).words
    assert "Undone: node made" in words
    assert "undone already" in read(browser.post(address(lead, "coding-undo", act.pk), follow=True)).words


def test_issues_by_node_says_that_it_is_computed_after_merging(browser_of: BrowserOf) -> None:
    lead, _ = coding_round()
    make_nodes(lead)
    page = browser_of(lead).get(address(lead, "coding-mapped"))
    words = read(page).words
    assert "not that of blind labels" in words
    mapped = page.context["mapped"]
    assert [[nodes for _, nodes in issue.answers] for issue in mapped.issues] == [
        ["Ranks", "Ranks"],
        ["Ranks, Types", ""],
        ["Ranks", "The report does not say"],
    ]
    assert mapped.left_out == 1
    assert page.context["coefficients"][0].name == "Percent agreement"


def test_the_codebook_is_made_and_says_what_it_was_made_of(browser_of: BrowserOf) -> None:
    lead, _ = coding_round()
    make_nodes(lead)
    browser = browser_of(lead)
    page = browser.get(address(lead, "coding-codebook"))
    assert page.context["form"].fields["ends"].initial == ["open-codes", "fault-summary"]
    form = {"name": "Fault", "question": "What is it?", "kind": "one", "ends": ["open-codes"]}
    words = read(browser.post(address(lead, "coding-codebook"), form, follow=True)).words
    assert "The open codes that it was made of" in words
    assert "hang, rank mismatch, ranks mismatch" in words
    assert browser.post(address(lead, "coding-codebook"), form).status_code == 422


def test_files_hold_every_code_as_typed(browser_of: BrowserOf) -> None:
    lead, round_ = coding_round()
    browser = browser_of(make_member(lead.project))
    lines = browser.get(address(lead, "coding-csv")).getvalue().decode().splitlines()
    assert lines[0] == "round,issue,annotator,code,memo,merged_into,node"
    assert len(lines) == 8
    rows = [json.loads(line) for line in browser.get(address(lead, "coding-jsonl")).getvalue().decode().splitlines()]
    assert rows[0]["issue"] == Item.objects.get(round=round_, position=1).snapshot.content["url"]
    assert {row["code"] for row in rows} >= {"Rank mismatch", "rank mismatch"}


def test_annotators_read_the_board_and_change_nothing(browser_of: BrowserOf) -> None:
    lead, round_ = coding_round()
    make_nodes(lead)
    browser = browser_of(round_.project.members.exclude(pk=lead.pk)[0])
    html = browser.get(address(lead)).content.decode()
    assert "Ranks differ." in html
    assert "coding-form" not in html
    assert browser.post(address(lead, "coding-codes"), {"do": "merge"}).status_code == 403


def test_the_ballot_offers_own_codes_and_those_of_closed_rounds_alone(browser_of: BrowserOf) -> None:
    lead, round_ = coding_round([("tokenone", "tokentwo"), ("tokenthree", "tokenfour")], is_closed=False)
    ada = round_.project.members.exclude(pk=lead.pk).earliest("pk")
    take_back(member=ada, vote=Vote.objects.get(member=ada, item__position=2))
    at = address(lead, "label", round_.number, 2)
    html = browser_of(ada).get(at).content.decode()
    assert '<option value="tokenone">' in html
    assert "tokentwo" not in html
    assert "tokenfour" not in html


def test_making_a_codebook_twice_needs_another_name() -> None:
    lead, _ = coding_round()
    make_nodes(lead)
    make_codebook(lead=lead, code="fault", name="Fault", question="", kind="one")
    with pytest.raises(RefusedError, match="already"):
        make_codebook(lead=lead, code="fault", name="Fault", question="", kind="one")
