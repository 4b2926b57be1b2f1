"""The search page: its results, and what it says about them."""

import re

import pytest
from django.test import Client

from kb.models import Issue, Kind
from tests.kb.web.reading import visit
from tests.support.engines import PutIssuesIn
from tests.support.factories import (
    make_axis,
    make_fix,
    make_issue,
    make_label,
    make_node,
    make_repository,
    make_source,
    make_study,
)

pytestmark = pytest.mark.django_db


@pytest.mark.usefixtures("hangs")
class TestRows:
    def test_show_symptom_cause_fix_and_the_fix_itself(self, client: Client) -> None:
        page = visit(client, "/issues/?q=zero3")
        assert "Training hangs in ZeRO-3" in page.words
        for text in ("Hang", "Race", "Add a guard", "deepspeedai/DeepSpeed#4", "small", "closed", "curated"):
            assert text in page.words
        assert "https://github.com/deepspeedai/DeepSpeed/pull/4" in page.links

    def test_say_that_nobody_has_described_it_and_print_no_empty_facts(self, client: Client) -> None:
        page = visit(client, "/issues/?q=banner")
        assert "not described yet" in page.words
        assert "not stated" not in page.words.partition("Feed of new issues")[0]

    @pytest.mark.parametrize(
        ("fields", "fix", "shown"),
        [
            (
                {"resolution": "It waits now. More is in the thread.", "fixed_version": "0.14.0"},
                {"merged_on": "2024-06-01"},
                "Upgrade to Deepspeed 0.14.0 or later. deepspeedai/DeepSpeed#7",
            ),
            (
                {"resolution": "The buffer is `pinned`."},
                {"merged_on": "2024-06-01"},
                "Fix merged 1 Jun 2024: deepspeedai/DeepSpeed#7 The buffer is pinned .",
            ),
            ({"workaround": "Use stage 2."}, {"merged_on": None}, "Fix: deepspeedai/DeepSpeed#7"),
            ({"resolution": "Set the size by hand."}, None, "No change linked: Set the size by hand."),
            ({"workaround": "Use stage 2."}, None, "No fix known; workaround: Use stage 2."),
            ({}, None, "no fix known"),
            ({"summary": "", "heading": ""}, None, "not described yet"),
        ],
    )
    def test_show_what_fixed_it_or_what_to_do_until_then(
        self, client: Client, fields: dict[str, str], fix: dict[str, str | None] | None, shown: str
    ) -> None:
        issue = make_issue(6, title="A gizmo", summary="It stops.", heading="A gizmo stops")
        Issue.objects.update(**fields)
        if fix:
            issue.fixes.add(make_fix(7, **fix))
        assert shown in visit(client, "/issues/?q=gizmo").words

    def test_mark_the_words_that_were_found(self, client: Client) -> None:
        html = client.get("/issues/?q=hanging").content.decode()
        assert "<mark>hangs</mark> after the banner" in html

    def test_link_the_original(self, client: Client) -> None:
        page = visit(client, "/issues/?q=banner")
        assert "DeepSpeed#2" in page.links["https://github.com/deepspeedai/DeepSpeed/issues/2"]

    def test_mark_who_holds_the_labels(self, client: Client) -> None:
        study = make_study("p9", code="P9")
        source = make_source("p9", kind="study", confidence="low", study=study)
        make_label(make_issue(5, title="A gizmo"), make_node("x", axis=make_axis(scheme="p9", study=study)), source)
        assert "P9 , confidence low" in visit(client, "/issues/?q=gizmo").words


class TestReasons:
    def test_mark_folded_words_as_they_were_written(self, client: Client) -> None:
        make_issue(9, title="A", body="A run with ZeRO-3 stops, and stage_3 does too.")
        html = client.get("/issues/?q=zero+stage+3+stops").content.decode()
        assert "with <mark>ZeRO-3</mark> <mark>stops</mark>" in html

    @pytest.mark.usefixtures("hangs")
    def test_say_which_words_stand_in_the_title_and_which_elsewhere(self, client: Client) -> None:
        words = visit(client, "/issues/?q=banner+first+step").words
        assert "all 3 words in the title: first, step in the text: banner" in words

    @pytest.mark.usefixtures("hangs")
    def test_count_words_only_where_there_are_several(self, client: Client) -> None:
        assert "Why: both words in the title:" in visit(client, "/issues/?q=first+step").words
        assert "Why: in the text: banner" in visit(client, "/issues/?q=banner").words

    @pytest.mark.usefixtures("hangs")
    def test_say_that_words_may_be_missing(self, client: Client, search_index: PutIssuesIn) -> None:
        make_issue(7, title="A spare banner of its own")
        search_index()
        assert "at least 2 of 3 words in the title: server, load" in visit(client, "/issues/?q=server+load+spare").words

    def test_name_the_other_word_for_the_same(self, client: Client, search_index: PutIssuesIn) -> None:
        make_issue(1, title="Training gets stuck at the barrier")
        make_issue(2, title="Training hangs at the start")
        search_index()
        assert (
            "in the title: barrier, training “stuck” for hang"
            in visit(client, "/issues/?q=barrier+training+hang").words
        )

    def test_of_a_compound_that_is_there_in_part_only_the_part_is_named_and_it_does_not_count(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        make_issue(1, title="The batch size changes the loss")
        make_issue(2, title="With a tensor-parallel-size of 2 the loss is another one")
        search_index()
        words = visit(client, "/issues/?q=tensor-parallel-size+loss").words
        assert "at least 1 of 2 words in the title: size, loss" in words
        assert "both words in the title: tensor-parallel-size, loss" in words

    def test_a_chinese_word_of_which_one_half_is_there_is_not_in_the_title(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        make_issue(1, title="显存利用率")
        search_index()
        assert "Why: in the title: 显存 " in visit(client, "/issues/?q=显存碎片").words

    def test_name_the_label_where_the_text_has_no_such_word(self, client: Client, search_index: PutIssuesIn) -> None:
        issue, *_ = [make_issue(number, title=f"Three of {number} ranks wait") for number in range(1, 5)]
        make_label(issue, make_node("hang", name="Standstill"))
        search_index()
        assert "“Standstill” for 卡死" in visit(client, "/issues/?q=卡死").words


class TestTwins:
    def test_reports_with_one_title_in_one_framework_are_one_result(self, client: Client) -> None:
        vllm = make_repository("vllm-project/vllm", "vllm")
        for number in (1, 2):
            make_issue(number, title="[Bug] Server hangs under load")
        make_issue(3, repository=vllm, title="[Bug] Server hangs under load")
        html = client.get("/issues/?q=server+hangs").content.decode()
        assert html.count('class="result-title"') == 2
        page = visit(client, "/issues/?q=server+hangs")
        assert "Also reported as DeepSpeed#1" in page.words
        assert "/issues/github.com/deepspeedai/DeepSpeed/1" in page.links
        assert "3 issues with both words" in page.words

    def test_short_titles_are_alike_by_chance(self, client: Client) -> None:
        for number in (1, 2):
            make_issue(number, title="Server hangs")
        assert "Also reported" not in visit(client, "/issues/?q=server").words


class TestTotals:
    @pytest.mark.usefixtures("hangs")
    def test_say_that_all_words_were_found(self, client: Client) -> None:
        assert "1 issue with both words" in visit(client, "/issues/?q=server+load").words
        assert "1 issue with this word" in visit(client, "/issues/?q=load").words
        assert "1 issue with the phrase" in visit(client, "/issues/?q=%22under+load%22").words

    @pytest.mark.usefixtures("hangs")
    def test_say_how_many_words_were_found(self, client: Client, search_index: PutIssuesIn) -> None:
        make_issue(7, title="A banana", body="in the warehouse")
        search_index()
        words = visit(client, "/issues/?q=server+load+banana").words
        assert "1 issue with at least 2 of your 3 words" in words
        assert "2 issues with either of your words" in visit(client, "/issues/?q=server+banana").words

    def test_say_that_another_word_for_the_same_counts(self, client: Client, search_index: PutIssuesIn) -> None:
        make_node("hang", name="Hang", aliases=["stuck"])
        make_issue(1, title="The loader is stuck at the banner")
        make_issue(2, title="The loader hangs at the banner")
        for n in range(3, 15):
            make_issue(n, title=f"Wrong output {n}")
        search_index()
        assert "2 issues with both words, or synonyms" in visit(client, "/issues/?q=hang+banner").words
        assert "for the same" not in visit(client, "/issues/?q=loader+banner").words

    @pytest.mark.usefixtures("hangs")
    def test_do_not_count_words_that_no_issue_has(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        assert "1 issue with both words" in visit(client, "/issues/?q=server+load").words
        assert "1 issue with all the other words" in visit(client, "/issues/?q=server+load+xylophone").words
        assert "1 issue with the other word" in visit(client, "/issues/?q=load+xylophone").words

    @pytest.mark.usefixtures("hangs")
    def test_do_not_call_a_stop_word_unknown_without_an_index(self, client: Client) -> None:
        assert "No issue has" not in visit(client, "/issues/?q=load+in+the+server").words

    @pytest.mark.usefixtures("hangs")
    def test_leave_pull_requests_out_unless_asked(self, client: Client) -> None:
        make_issue(8, title="Server hangs no more", kind=Kind.PULL_REQUEST)
        assert "1 issue with this word" in visit(client, "/issues/?q=server").words
        assert "pull request" in visit(client, "/issues/?q=server&kind=pull_request").words

    @pytest.mark.usefixtures("starter")
    def test_every_facet_count_is_what_its_link_shows(self, client: Client) -> None:
        html = client.get("/issues/?q=hang").content.decode()
        values = re.findall(r'id="first-[^"]+" href="([^"]+)"><span.*?class="count">([\d,]+)<', html)
        assert len(values) > 20
        for url, count in values[::6]:
            shown = visit(client, "/issues/" + url.replace("&amp;", "&")).words
            assert re.search(rf"\b{count} issues? with this word", shown), url


@pytest.mark.usefixtures("starter")
class TestWhatIsClose:
    """With the index, which alone knows how often words occur and what they weigh."""

    def test_a_misspelt_word_is_mended_and_named(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        page = visit(client, "/issues/?q=dedlock+in+ZeRO-3")
        assert re.search(r"Showing results for deadlocks? \(nothing has “dedlock”\)", page.words)
        assert "search index is not ready" not in page.words

    def test_words_that_nothing_has_are_named_as_they_were_typed(
        self, client: Client, search_index: PutIssuesIn
    ) -> None:
        search_index()
        assert "No issue has “Xyzzyplugh”." in visit(client, "/issues/?q=hang+Xyzzyplugh").words

    def test_nothing_close_is_said_so(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        page = visit(client, "/issues/?q=recipe+for+sourdough+bread+with+rye+and+fresh+memory+of+summer")
        assert "Nothing close was found. These share some words." in page.words
        assert "Paste an error or a log instead" in page.links["#q"]

    def test_what_is_close_is_not_doubted(self, client: Client, search_index: PutIssuesIn) -> None:
        search_index()
        assert "Nothing close" not in visit(client, "/issues/?q=Mixtral+under+ZeRO-3+hangs").words

    def test_without_the_index_the_simpler_search_says_so(self, client: Client) -> None:
        assert "search index is not ready" in visit(client, "/issues/?q=hang").words

    @pytest.mark.usefixtures("search_in_postgres")
    def test_a_chosen_simpler_search_is_no_stand_in(self, client: Client) -> None:
        assert "search index is not ready" not in visit(client, "/issues/?q=hang").words
