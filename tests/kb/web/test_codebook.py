"""The codebook page: the whole tree, searchable, with counts that the search agrees with."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from kb.models import Kind, Node
from kb.selectors.codebook import issue_counts, mentions, scheme_tree
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_source, make_study

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12


@pytest.fixture
def hangs() -> dict[str, Node]:
    """Hang with two children, the first with a child of its own; and crash."""
    hang = make_node("hang", aliases=["stuck", "deadlock"], position=0)
    collective = make_node("hang-collective", parent=hang, definition="A collective never ends.", position=1)
    start = make_node("hang-start", parent=hang, aliases=["rendezvous timeout"], position=2)
    deep = make_node("hang-barrier", parent=collective, position=3)
    return {n.code: n for n in (hang, collective, start, deep, make_node("crash", position=4))}


def page(client: Client, query: str = "") -> str:
    response = client.get(reverse("codebook") + query)
    assert response.status_code == 200
    return response.content.decode()


class TestTree:
    def test_shows_every_category_with_its_definition(self, client: Client, hangs: dict[str, Node]) -> None:
        html = page(client)
        for node in hangs.values():
            assert node.get_absolute_url() in html
            assert node.definition in html

    @pytest.mark.usefixtures("hangs")
    def test_has_a_jump_link_to_every_axis(self, client: Client) -> None:
        make_node("misuse", axis=make_axis("root_cause"))
        html = page(client)
        for axis in ("symptom", "root_cause"):
            assert f'href="#{axis}"' in html
            assert f'id="{axis}"' in html

    def test_says_how_to_choose_on_an_axis(self, client: Client) -> None:
        axis = make_axis("component")
        axis.rules = ["Name the part <at> fault."]
        axis.save()
        make_node("tokenizer", axis=axis)
        assert "<li>Name the part &lt;at&gt; fault.</li>" in page(client)

    def test_marks_what_is_specific_to_distributed_systems(self, client: Client) -> None:
        make_node("allocation", axis=make_axis("root_cause"), specific_to_distributed=True)
        assert "distributed only" in page(client)

    @pytest.mark.usefixtures("hangs")
    def test_leaves_out_merged_categories_and_marks_retired_ones(self, client: Client) -> None:
        gone = make_node("gone", status=Node.Status.MERGED, merged_into=Node.objects.get(code="crash"))
        old = make_node("old", status=Node.Status.RETIRED)
        html = page(client)
        assert gone.get_absolute_url() not in html
        assert old.get_absolute_url() in html
        assert "retired" in html

    def test_shows_text_as_text(self, client: Client) -> None:
        make_node("odd", name="<script>alert(1)</script>", definition="<b>bold</b>", aliases=["<i>odd</i>"])
        html = page(client, "?q=odd")
        assert "<script>alert" not in html
        assert "<b>bold" not in html
        assert "&lt;b&gt;bold" in html


class TestCounts:
    def test_an_issue_counts_once_for_a_category_however_many_labels_lead_there(self, hangs: dict[str, Node]) -> None:
        issue = make_issue()
        for code in ("hang", "hang-start", "hang-barrier"):
            make_label(issue, hangs[code])
        make_label(issue, hangs["hang-start"], make_source("second"))
        counts = issue_counts(scheme=hangs["hang"].axis.scheme)
        assert {code: counts.get(node.pk, 0) for code, node in hangs.items()} == {
            "hang": 1, "hang-collective": 1, "hang-start": 1, "hang-barrier": 1, "crash": 0,
        }  # fmt: skip

    def test_pull_requests_do_not_count(self, hangs: dict[str, Node]) -> None:
        make_label(make_issue(kind=Kind.PULL_REQUEST), hangs["hang"])
        scheme = hangs["hang"].axis.scheme
        assert issue_counts(scheme=scheme) == {}
        assert issue_counts(scheme=scheme, all_kinds=True) == {hangs["hang"].pk: 1}

    @pytest.mark.usefixtures("starter")
    def test_are_what_the_search_finds(self, client: Client) -> None:
        html = client.get(reverse("codebook")).context["axes"]
        branches = [branch for axis in html for branch in axis["branches"] if branch.issues]
        assert len(branches) > 20
        for branch in branches[::5]:
            found = client.get(branch.issues_url).context["result"].total
            assert found == branch.issues, branch.issues_url


class TestSearch:
    @pytest.mark.parametrize("words", ["DEADLOCK", "stuck dead", "rendezvous", "never collective"])
    @pytest.mark.usefixtures("hangs")
    def test_finds_categories_that_hold_all_words(self, client: Client, words: str) -> None:
        html = page(client, f"?q={words}")
        assert "mention" in html
        assert "/codebook/house/symptom/crash" not in html

    @pytest.mark.usefixtures("hangs")
    def test_opens_the_branch_that_leads_to_a_match(self) -> None:
        scheme = Node.objects.get(code="hang").axis.scheme
        (symptom,) = scheme_tree(scheme=scheme, words="barrier")
        (hang,) = symptom.roots
        assert (hang.matches, hang.leads_to_match) == (False, True)
        assert [child.node.code for child in hang.children] == ["hang-collective"]

    @pytest.mark.usefixtures("hangs")
    def test_a_match_keeps_its_finer_categories(self) -> None:
        scheme = Node.objects.get(code="hang").axis.scheme
        (symptom,) = scheme_tree(scheme=scheme, words="stuck")
        assert [child.node.code for child in symptom.roots[0].children] == ["hang-collective", "hang-start"]
        assert symptom.matches == 1

    def test_a_word_matches_from_its_beginning(self) -> None:
        node = make_node("drift", definition="The interface changed.")
        assert mentions(node, "chang")
        assert not mentions(node, "hang")

    @pytest.mark.usefixtures("hangs")
    def test_marks_the_words_and_names_the_synonym_that_matched(self, client: Client) -> None:
        html = page(client, "?q=rendezvous")
        assert "Also called: <mark>rendezvous</mark> timeout" in html

    @pytest.mark.usefixtures("hangs")
    def test_leaves_the_box_for_issues_empty(self, client: Client) -> None:
        box = page(client, "?q=rendezvous").split('id="site-q"')[1].split("</textarea>")[0]
        assert "rendezvous" not in box

    @pytest.mark.parametrize("words", ["no-such-word", "[", "(((", "\\", "%00", "a" * 5000, "%F0%9F%92%A5"])
    @pytest.mark.usefixtures("hangs")
    def test_finding_nothing_says_so_and_offers_a_way_on(self, client: Client, words: str) -> None:
        html = page(client, f"?q={words}")
        assert "No category mentions" in html or "Open all" in html

    @pytest.mark.usefixtures("hangs")
    def test_everything_can_be_opened_without_javascript(self, client: Client) -> None:
        assert "<details open>" not in page(client)
        assert page(client, "?open=all").count("<details open>") == 2


class TestSchemes:
    def test_a_studys_categories_are_shown_on_request(self, client: Client) -> None:
        make_node("hang")
        study = make_study("p9", code="P9", title="A study of hangs")
        make_node("P9.S1", axis=make_axis(scheme="p9", study=study), published_count=7, published_trust="primary")
        html = page(client, "?scheme=p9")
        assert "A study of hangs" in html
        assert "/codebook/p9/symptom/P9.S1" in html
        assert "/codebook/house/symptom/hang" not in html
        assert "/api/v1/nodes/?scheme=p9" in html

    @pytest.mark.usefixtures("hangs")
    def test_an_unknown_scheme_is_refused_with_those_there_are(self, client: Client) -> None:
        response = client.get(reverse("codebook") + "?scheme=nope")
        assert response.status_code == 400
        assert "“nope” is not a scheme here. Known are: house." in response.content.decode()

    @pytest.mark.usefixtures("hangs")
    def test_the_version_and_the_last_change_are_stated(self, client: Client) -> None:
        html = page(client)
        assert "Version 1." in html
        assert "Last changed" in html


@pytest.mark.usefixtures("starter")
@pytest.mark.parametrize("query", ["", "?q=hang", "?open=all", "?scheme=p5-llm-challenges"])
def test_takes_few_queries(client: Client, query: str) -> None:
    with CaptureQueriesContext(connection) as queries:
        page(client, query)
    assert len(queries) <= MOST_QUERIES
