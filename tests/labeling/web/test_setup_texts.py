"""Pages of the guidelines and of the codebook."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from labeling.models import Codebook, CodebookNode, CrossRule, Guideline, Member, NodeVersion, ProjectNode, Role, Round
from labeling.selectors.codebook_history import steps
from labeling.services.codebooks import write_guideline
from labeling.services.rounds import prepare_round
from tests.kb.web.reading import read
from tests.labeling.factories import make_member, make_project

pytestmark = pytest.mark.django_db
BrowserOf = Callable[[Member], Client]


def address(member: Member, name: str, *rest: int) -> str:
    return reverse(f"labeling:{name}", args=[member.project.slug, *rest])


@pytest.fixture
def lead() -> Member:
    return make_project()


class TestGuidelines:
    def test_markdown_is_shown_safely_below_the_pages_own_heading(self, browser_of: BrowserOf, lead: Member) -> None:
        write_guideline(lead=lead, text="# Read\n\n**All** of it <script>x</script>\n\n| a | b |\n|---|---|\n| 1 | 2 |")
        response = browser_of(lead).get(address(lead, "guidelines"))
        html = response.content.decode()
        assert "<h2>Read</h2>" in html
        assert "<strong>All</strong>" in html
        assert "<td>1</td>" in html
        assert "<script>x" not in html
        assert not read(response).inline

    def test_a_preview_keeps_nothing_and_loses_nothing(self, browser_of: BrowserOf, lead: Member) -> None:
        browser = browser_of(lead)
        values = {"text": "# Look\n\nclosely", "change": "", "based_on": 0}
        page = read(browser.post(address(lead, "write-guidelines"), values | {"preview": "1"}))
        assert "Preview: nothing is kept yet" in page.words
        assert page.inputs["text"].splitlines() == ["# Look", "", "closely"]
        assert not Guideline.objects.exists()
        browser.post(address(lead, "write-guidelines"), values)
        assert Guideline.objects.get().text == "# Look\n\nclosely"

    def test_the_next_version_says_what_is_new(self, browser_of: BrowserOf, lead: Member) -> None:
        write_guideline(lead=lead, text="Read the thread.")
        browser = browser_of(lead)
        values = {"text": "Read the fix.", "change": "", "based_on": 1}
        page = read(browser.post(address(lead, "write-guidelines"), values))
        assert "Say what changed" in page.words
        assert page.inputs["text"] == "Read the fix."
        browser.post(address(lead, "write-guidelines"), values | {"change": "The fix counts."})
        shown = read(browser.get(address(lead, "guidelines"))).words
        assert "New in this version: The fix counts." in shown
        assert "Read the fix." in shown

    def test_two_who_write_at_once_do_not_overwrite_each_other(self, browser_of: BrowserOf, lead: Member) -> None:
        write_guideline(lead=lead, text="One.")
        write_guideline(lead=lead, text="Two.", change="Another.")
        values = {"text": "Mine.", "change": "My own.", "based_on": 1}
        page = read(browser_of(lead).post(address(lead, "write-guidelines"), values))
        assert "Version 2 was saved in the meantime" in page.words
        assert page.inputs["text"] == "Mine."
        assert Guideline.objects.count() == 2

    def test_versions_can_be_compared_and_rounds_found(self, browser_of: BrowserOf, lead: Member) -> None:
        write_guideline(lead=lead, text="Same\nOld")
        prepare_round(lead=lead, kind=Round.Kind.PILOT, name="Pilot")
        write_guideline(lead=lead, text="Same\nNew", change="Second.")
        write_guideline(lead=lead, text="Same\nNewest", change="Third.")
        browser = browser_of(lead)
        shown = read(browser.get(address(lead, "guideline-changes", 3), {"since": 1})).words
        assert "Removed: Old" in shown
        assert "Added: Newest" in shown
        assert "Round 1: Pilot" in read(browser.get(address(lead, "guideline-history"))).words
        annotator = make_member(lead.project)
        assert "Pilot" not in read(browser_of(annotator).get(address(lead, "guideline-history"))).words
        for path in (address(lead, "guideline-changes", 9), address(lead, "guideline", 9)):
            assert browser.get(path).status_code == 404

    def test_an_earlier_version_says_that_there_is_a_newer_one(self, browser_of: BrowserOf, lead: Member) -> None:
        write_guideline(lead=lead, text="One.")
        write_guideline(lead=lead, text="Two.", change="Another.")
        assert "There is a newer version" in read(browser_of(lead).get(address(lead, "guideline", 1))).words


class TestCodebook:
    def test_shows_axes_and_definitions(self, browser_of: BrowserOf, lead: Member) -> None:
        shown = read(browser_of(lead).get(address(lead, "codebook"), {"open": "all"})).words
        assert "What hang means." in shown
        assert "One answer." in shown

    def test_nodes_stand_below_their_parents(self, browser_of: BrowserOf, lead: Member) -> None:
        hang, crash = (ProjectNode.objects.get(axis__project=lead.project, code=code) for code in ("hang", "crash"))
        codebook = Codebook.objects.create(project=lead.project, number=2, change="Crashes are hangs now.")
        version = NodeVersion.objects.create(
            node=crash, axis=crash.axis, number=2, parent=hang, name="Crash", definition="Below.", position=1
        )
        for entry in CodebookNode.objects.filter(codebook__number=1, codebook__project=lead.project):
            if entry.node != crash:
                CodebookNode.objects.create(codebook=codebook, node=entry.node, version=entry.version)
        CodebookNode.objects.create(codebook=codebook, node=crash, version=version)
        html = browser_of(lead).get(address(lead, "codebook")).content.decode()
        assert html.count('<ul class="entries">') == 3
        newest, first = steps(project_id=lead.project_id)
        assert [(before.definition, after.definition) for before, after in newest.changed] == [
            ("What crash means.", "Below.")
        ]
        assert (list(newest.added), list(newest.gone), first.nodes) == ([], [], 4)
        assert "Crashes are hangs now." in read(browser_of(lead).get(address(lead, "codebook-history"))).words
        old = read(browser_of(lead).get(address(lead, "codebook-version", 1))).words
        assert "There is a newer version" in old


class TestRules:
    def test_a_lead_adds_and_retires_a_rule(self, browser_of: BrowserOf, lead: Member) -> None:
        node = {one.code: one for one in ProjectNode.objects.filter(axis__project=lead.project)}
        browser = browser_of(lead)
        values = {
            "when": node["hang"].pk, "kind": "requires", "others": [node["bug"].pk], "reason": "A hang is a bug."
        }  # fmt: skip
        browser.post(address(lead, "rules"), values)
        rule = CrossRule.objects.get()
        assert (rule.when, list(rule.others.all())) == (node["hang"], [node["bug"]])
        assert "Symptom: Hang needs one of Issue type: Bug" in read(browser.get(address(lead, "rules"))).words
        browser.post(address(lead, "retire-rule", rule.pk))
        assert "Retired rules (1)" in read(browser.get(address(lead, "rules"))).words

    def test_a_rule_goes_across_axes(self, browser_of: BrowserOf, lead: Member) -> None:
        node = {one.code: one for one in ProjectNode.objects.filter(axis__project=lead.project)}
        values = {"when": node["hang"].pk, "kind": "excludes", "others": [node["crash"].pk], "reason": "Never."}
        page = read(browser_of(lead).post(address(lead, "rules"), values))
        assert "across axes" in page.words
        assert page.inputs["reason"] == "Never."
        assert not CrossRule.objects.exists()

    def test_others_read_rules_and_add_none(self, browser_of: BrowserOf, lead: Member) -> None:
        for role in (Role.ANNOTATOR, Role.OBSERVER):
            browser = browser_of(make_member(lead.project, role))
            assert "Add a rule" not in read(browser.get(address(lead, "rules"))).words
            assert browser.post(address(lead, "rules"), {}).status_code == 403
