"""Passages out and in again: the same places in the same text, in every format, and none that is not in the text."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.models import Issue
from labeling.ballots import MOST_EVIDENCE, Passage
from labeling.exchange import export as exporting
from labeling.exchange.parse import read
from labeling.exchange.rows import AnswerRow, Document, Rejected
from labeling.exchange.serialize import WRITERS
from labeling.exchange.texts import Text, fit_passage
from labeling.exchange.values import Options
from labeling.models import Evidence, Item, Member, Round, Vote
from labeling.passages import Marked
from labeling.services.rounds import close_round
from labeling.services.snapshots import contents_of, take_snapshots, text_hash
from tests.labeling.factories import cast, issue_of, make_open_round, make_project
from tests.labeling.results.builders import lead_of
from tests.labeling.results.test_exchange import exported, keep, take_in
from tests.support.factories import make_issue

AXES = ("symptom", "issue_type")
TEXT = "Rank 3 waits 🧵 for ever: `NCCL | timeout`, see *log*.\n\nThen nothing."
PLACES = [
    Passage("body", 0, 6, "symptom"),
    Passage("body", 13, 18, "symptom"),
    Passage("title", 0, 2, "issue_type"),
    Passage("body", 25, 42),
]


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """An issue's text with the votes of two people, each with passages of their answers and of the whole vote."""
    words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=30)
    title, text = draw(words), draw(words)
    answers = []
    for annotator in ("Ann", "Ben, Lee"):
        whole = draw(marked(title, text, ""))
        answers += [
            AnswerRow(
                "https://example.org/1", annotator, axis, ("hang",), confidence=2, round=1, codebook=1,
                received_on="2026-01-01", evidence=(*draw(marked(title, text, axis)), *whole), text_hash="f00",
            )
            for axis in AXES
        ]  # fmt: skip
    return Document("https://example.org/1", title, text, "f00", 1, 1, answers)


def marked(title: str, text: str, axis: str) -> st.SearchStrategy[list[Marked]]:
    parts = {"title": title, "body": text}

    def at(part: str) -> st.SearchStrategy[Marked]:
        places = st.lists(st.integers(0, len(parts[part])), min_size=2, max_size=2, unique=True).map(sorted)
        return places.map(lambda pair: Marked(part, pair[0], pair[1], axis))

    return st.lists(st.sampled_from(sorted(parts)).flatmap(at), max_size=3)


def passages(rows: Sequence[AnswerRow], text: Text) -> dict[tuple[str, str], list[Passage]]:
    """(annotator, question) -> the places that its passages come to."""
    found: dict[tuple[str, str], list[Passage]] = {}
    for one in rows:
        fits = [fit_passage(marked=passage, told=one.text_hash, text=text) for passage in one.evidence]
        assert all(isinstance(passage, Passage) for passage in fits), fits
        found[one.annotator, one.axis] = sorted(
            (passage for passage in fits if isinstance(passage, Passage)),
            key=lambda passage: (passage.axis, passage.part, passage.start, passage.end),
        )
    return found


@pytest.mark.parametrize("format_", WRITERS)
@given(document=documents())
def test_any_passages_survive_any_format(format_: str, document: Document) -> None:
    write, _, _ = WRITERS[format_]
    lines = "".join(write([document], ["Ann", "Ben, Lee"])).splitlines(keepends=True)
    rows = list(read(lines, format_, Options()))
    assert not [one for one in rows if isinstance(one, Rejected)]
    came = [one for one in rows if isinstance(one, AnswerRow)]
    text = Text("f00", document.title, document.text)
    assert passages(came, text) == passages(document.answers, text)


def marked_round(people: int = 2) -> tuple[Round, list[Member]]:
    """A closed round of one issue on which the first person has marked passages."""
    round_, members = make_open_round(annotators=people)
    Issue.objects.update(body=TEXT)
    refreeze(round_)
    cast(members[0], round_, evidence=PLACES)
    for member in members[1:]:
        cast(member, round_, symptom=("crash",))
    close_round(lead=lead_of(round_), round_=round_)
    return round_, members


def refreeze(round_: Round) -> None:
    """The round's issue with its text as it is now."""
    issues = Issue.objects.select_related("repository").prefetch_related("fixes")
    snapshots = take_snapshots(issues=issues)
    for item in Item.objects.filter(round=round_):
        Item.objects.filter(pk=item.pk).update(snapshot=snapshots[issue_of(item).pk])


def kept(round_: Round) -> set[tuple[Any, ...]]:
    rows = Evidence.objects.filter(vote__item__round=round_)
    return set(rows.values_list("vote__member", "axis__code", "part", "start", "end", "quote"))


def reasons(found: Any) -> list[str]:
    return [reason for _, reason in found.report["reasons"]]


@pytest.mark.django_db
@pytest.mark.parametrize("format_", WRITERS)
def test_passages_go_out_and_come_in_again(format_: str) -> None:
    round_, (first, _) = marked_round()
    found = keep(lead_of(round_), exported(round_, format_), format_)
    assert found.report["rejected"] == 0, found.report
    made = take_in(lead_of(round_), found)
    assert kept(made) == kept(round_)
    assert (first.pk, "symptom", "body", 13, 18, "🧵 for") in kept(made)
    assert len(kept(made)) == len(PLACES)


@pytest.mark.django_db
@pytest.mark.parametrize("format_", WRITERS)
def test_an_issue_that_changed_is_taken_in_with_the_text_that_was_labelled(format_: str) -> None:
    round_, _ = marked_round()
    text = exported(round_, format_)
    Issue.objects.update(body="Now it says something else.")
    made = take_in(lead_of(round_), keep(lead_of(round_), text, format_))
    assert kept(made) == kept(round_)
    assert Item.objects.get(round=made).snapshot_id == Item.objects.get(round=round_).snapshot_id


@pytest.mark.django_db
@pytest.mark.parametrize("format_", [one for one in WRITERS if one not in ("doccano", "label_studio")])
def test_no_words_leave_but_with_the_text_itself(format_: str) -> None:
    round_, _ = marked_round()
    text = exported(round_, format_)
    assert "🧵" not in text
    assert "NCCL" not in text
    assert Item.objects.select_related("snapshot").get(round=round_).snapshot.text_hash in text


@pytest.mark.django_db
@pytest.mark.parametrize("format_", WRITERS)
def test_others_passages_are_blind_in_files_too(format_: str) -> None:
    round_, (member, other) = make_open_round(annotators=2)
    cast(member, round_, evidence=[Passage("body", 0, 4, "symptom")])
    cast(other, round_, evidence=[Passage("body", 5, 11, "symptom")])
    (document,) = exporting.documents(member=member, rounds=[round_])
    assert {(one.start, one.end) for answer in document.answers for one in answer.evidence} == {(0, 4)}
    text = exported(round_, format_, member)
    assert "5-11" not in text
    assert '"start": 5' not in text


@pytest.mark.django_db
def test_places_in_a_text_that_is_not_here_are_left_out_with_the_reason() -> None:
    round_, _ = marked_round()
    told = Item.objects.select_related("snapshot").get(round=round_).snapshot.text_hash
    text = exported(round_, "long_csv").replace(told, "0" * 64)
    found = keep(lead_of(round_), text)
    assert all("another text of this issue" in one and "the answer counts" in one for one in reasons(found))
    assert found.report["rejected"] == 2  # once for each answer, not for each passage
    made = take_in(lead_of(round_), found)
    assert not kept(made)
    assert Vote.objects.filter(item__round=made).count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("body:0-9999", "is not in the text"),
        ("body:6-6", "is not in the text"),
        ("body:6-2", "is not in the text"),
        ("the first line", "not positions such as"),
        ("footer:0-2", "not positions such as"),
    ],
)
def test_places_that_are_none_are_left_out(cell: str, reason: str) -> None:
    lead = make_project()
    issue = make_issue(body=TEXT)
    told = text_hash(contents_of(issues=Issue.objects.select_related("repository"))[issue.pk])
    header = "issue,annotator,axis,nodes,evidence,text_hash\n"
    found = keep(lead, f"{header}{issue.url},ann,symptom,hang,{cell},{told}\n")
    assert reason in reasons(found)[0]
    assert found.report["votes"] == 1


@pytest.mark.django_db
def test_spans_of_another_label_studio_are_taken_where_their_words_stand() -> None:
    lead = make_project()
    issue = make_issue(body=TEXT)

    def span(start: int, end: int, words: str, label: str = "symptom") -> dict[str, Any]:
        value = {"start": start, "end": end, "text": words, "labels": [label]}
        return {"from_name": "why", "to_name": "text", "type": "labels", "value": value}

    chosen = {"from_name": "symptom", "to_name": "text", "type": "choices", "value": {"choices": ["hang"]}}
    result = [chosen, span(0, 6, "Rank 3"), span(0, 4, "Nope"), span(0, 6, "Rank 3", "colour")]
    task = {"data": {"url": issue.url, "text": TEXT}, "annotations": [{"completed_by": 7, "result": result}]}
    found = keep(lead, json.dumps([task]), "label_studio")
    assert len(reasons(found)) == 2
    assert {one.quote for one in Evidence.objects.filter(vote__item__round=take_in(lead, found))} == {"Rank 3"}


@pytest.mark.django_db
def test_a_vote_takes_no_more_passages_than_the_page_would() -> None:
    lead = make_project()
    issue = make_issue(body=TEXT)
    told = text_hash(contents_of(issues=Issue.objects.select_related("repository"))[issue.pk])
    places = [{"axis": "symptom", "part": "body", "start": 0, "end": 1 + place % 9} for place in range(60)]
    line = {"issue": issue.url, "annotator": "ann", "axis": "symptom", "nodes": ["hang"], "evidence": places}
    found = keep(lead, json.dumps(line | {"text_hash": told}), "long_jsonl")
    assert f"at most {MOST_EVIDENCE} passages" in reasons(found)[0]
    assert Evidence.objects.filter(vote__item__round=take_in(lead, found)).count() == MOST_EVIDENCE
