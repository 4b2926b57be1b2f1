"""What rules suggest, as people see it: apart from labels, marked, explained, and with how often rules are right."""

import pytest
from django.test import Client

from kb.models import Issue, Source
from kb.services.sources import ensure_rule_source
from tests.kb.web.reading import visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_issue, make_label, make_node

pytestmark = pytest.mark.django_db
NOTE = "Right in 52 of 60 that were read."


@pytest.fixture
def rules() -> Source:
    return ensure_rule_source(name="Faultbook's rules", trust_note=NOTE)


@pytest.fixture
def issue(rules: Source) -> Issue:
    issue = make_issue(title="Training hangs", body="It stops.")
    make_label(issue, make_node("hang", name="Hang"), rules, reason="The title says “hangs”.")
    return issue


class TestIssuePage:
    def test_suggestions_stand_in_a_section_of_their_own(self, client: Client, issue: Issue) -> None:
        said = visit(client, issue.get_absolute_url()).words.partition("Suggested by rules")[2]
        assert "Nobody has checked it" in said
        assert "suggested: Hang The title says “hangs”." in said
        assert NOTE in said

    def test_they_are_no_labels_and_no_chain(self, client: Client, issue: Issue) -> None:
        html = client.get(issue.get_absolute_url()).content.decode()
        assert "No label of the house codebook yet." in html
        assert 'class="chain"' not in html

    def test_a_question_that_somebody_answered_has_no_suggestion(self, client: Client, issue: Issue) -> None:
        make_label(issue, make_node("crash", name="Crash"))
        assert "suggested-heading" not in client.get(issue.get_absolute_url()).content.decode()

    def test_an_issue_without_any_has_no_section(self, client: Client) -> None:
        assert "suggested-heading" not in client.get(make_issue().get_absolute_url()).content.decode()


class TestSearchPage:
    @pytest.mark.usefixtures("issue")
    def test_a_row_marks_what_is_suggested(self, client: Client, put_issues_in: PutIssuesIn) -> None:
        put_issues_in()
        html = client.get("/issues/").content.decode()
        assert "tag-suggested" in html
        assert "held-rule" in html

    @pytest.mark.usefixtures("issue")
    def test_who_looks_at_suggestions_is_led_to_what_they_say(self, client: Client, put_issues_in: PutIssuesIn) -> None:
        put_issues_in()
        html = client.get("/issues/?trust=rule").content.decode()
        assert 'href="?source=rule"' in html
        assert "count what rules suggest instead" in html
        assert "count what rules suggest instead" not in client.get("/issues/?source=rule").content.decode()


class TestAboutPage:
    @pytest.mark.usefixtures("issue")
    def test_the_holders_have_the_rules_with_their_note(self, client: Client) -> None:
        html = client.get("/about/").content.decode()
        assert NOTE in html


class TestApi:
    def test_labels_and_suggestions_are_two_keys(self, client: Client, issue: Issue) -> None:
        make_label(issue, make_node("train", axis=make_axis("stage"), name="Training"))
        shown = client.get(f"/api/v1/issues/{issue.pk}/").json()
        assert shown["labels"]["symptom"] == []
        assert [one["code"] for one in shown["labels"]["stage"]] == ["train"]
        (one,) = shown["suggestions"]["symptom"]
        assert (one["code"], one["source"]["kind"], one["reason"]) == ("hang", "rule", "The title says “hangs”.")
        assert shown["suggestions"]["stage"] == []
