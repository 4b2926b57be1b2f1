"""Effort: what is left out, counted as hard, named and shown; its numbers are checked in `test_effort_numbers`."""

import datetime as dt
import re

import pytest
from django.test import Client

from kb.charts.catalogue import EFFORT
from tests.kb.web.test_charts import figure_of, page, words
from tests.kb.web.test_effort_numbers import PATH, SLUGS, drawn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node

pytestmark = pytest.mark.django_db
OPENED = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)


class TestFewIssues:
    def test_leave_out_what_is_not_known_and_where_labels_are_asked_for_what_nobody_labelled(self) -> None:
        hang, other = make_node("hang"), make_node("crash")
        for comments, label in ((4, hang), (None, hang), (9, None), (0, other)):
            issue = make_issue(comment_count=comments)
            if label:
                make_label(issue, label)
        chart = drawn(EFFORT[0], what="comments", by="framework")
        (record,) = chart.records
        assert (record["known"], record["unknown"], record["median"]) == (3, 1, 4)
        assert (chart.counted.issues, chart.counted.all_issues) == (3, 4)
        assert chart.counted.condition == "whose number of comments is known"
        assert "2 of these 3 issues are labelled, 1 only mirrored." in chart.notes[0]
        assert record["query"] == "framework=deepspeed&comments=0.."
        by_symptom = drawn(EFFORT[0], what="comments", by="symptom")
        assert {record["symptom"]: (record["known"], record["unknown"]) for record in by_symptom.records} == {
            "hang": (1, 1), "crash": (1, 0),
        }  # fmt: skip
        assert by_symptom.counted.condition == "whose symptom and number of comments are both known"

    def test_hard_is_only_what_is_known_to_be_so(self) -> None:
        node = make_node("hang")
        month = dt.timedelta(days=30)
        for time, comments in ((month, 10), (month + dt.timedelta(minutes=1), 10), (month * 2, 9), (None, 50)):
            closed = OPENED + time if time is not None else None
            state = "closed" if closed else "open"
            make_label(make_issue(opened_at=OPENED, closed_at=closed, state=state, comment_count=comments), node)
        make_label(make_issue(opened_at=OPENED, closed_at=OPENED + month * 2, state="closed"), node)
        chart = drawn(EFFORT[3])
        (record,) = chart.records
        assert chart.counted.condition == "whose symptom, time open and number of comments are all known"
        assert (record["issues"], record["known"]) == (1, 3)

    def test_small_fixes_are_named_by_what_most_of_them_do(self) -> None:
        symptom, axis = make_node("hang"), make_axis("fix_pattern")
        patterns = {name: make_node(name, axis=axis) for name in ("guard", "rewrite")}
        for name, lines in (("guard", 3), ("guard", 8), ("rewrite", 10), ("rewrite", 11)):
            issue = make_issue()
            make_label(issue, symptom)
            make_label(issue, patterns[name])
            issue.fixes.add(make_fix(additions=lines, deletions=0, files_changed=1))
        chart = drawn(EFFORT[2])
        assert [(row["fix"], row["issues"], row["known"]) for row in chart.records] == [
            ("guard", 2, 2),
            ("rewrite", 1, 2),
        ]
        assert "3 of 4 are small fixes, 75 % (95 % interval 30–95 %)" in chart.notes[0]
        assert "Guard (2 of 3); Rewrite (1 of 3)" in chart.notes[1]


class TestFigures:
    def test_show_names_as_text(self, client: Client) -> None:
        evil = "</script><script>alert(1)</script><b>x"
        hang, race = make_node("hang", name=evil), make_node("race", axis=make_axis("root_cause"), name=evil)
        for _ in range(5):
            issue = make_issue(comment_count=3)
            make_label(issue, hang)
            make_label(issue, race)
        html = client.get(f"{PATH}?what=comments&by=symptom").content.decode()
        assert "<script>alert" not in html
        figure = figure_of(page(client, "effort", "?what=comments"), "effort")
        assert "&lt;b&gt;x" in figure["data"][-1]["hovertext"][0]


class TestPage:
    @pytest.mark.usefixtures("starter")
    def test_sets_what_was_published_beside_ours_with_its_trust(self, client: Client) -> None:
        text = words(client.get(PATH))
        # The records state no size: it is from the shipped histories.
        assert re.search(r"Fixes of at most 10 changed lines 48% primary \d+ % \(\d+ of \d{3}, ", text)
        assert "6%" not in text, "that number was never seen in a source to rely on"

    def test_without_anything_it_says_so(self, client: Client) -> None:
        response = client.get(PATH)
        assert words(response).count("nothing to draw") == len(SLUGS)
        assert "plotly.min.js" not in response.content.decode()

    def test_what_is_wrong_is_said_and_nothing_is_counted(self, client: Client) -> None:
        response = client.get(f"{PATH}?state=opne")
        assert response.status_code == 400
        assert "Nothing was counted" in words(response)
