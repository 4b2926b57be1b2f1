"""The upgrade advisor: its form, the page between two versions, and every state that it can be in."""

import datetime as dt

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import Change, History, Issue
from tests.kb.check.faults import FREEZE, ZERO_3, make_fault
from tests.kb.web.reading import read
from tests.support.factories import (
    make_change,
    make_fix,
    make_history,
    make_issue,
    make_label,
    make_node,
    make_range,
    make_repository,
)
from tests.support.made_up import BASE62, drawn

pytestmark = pytest.mark.django_db
PAGE = "/upgrade/deepspeed/0.14.2...0.15.4"
# While nothing is kept of the faults yet, and later.
MOST_AT_FIRST, MOST_QUERIES = 14, 10


def words(client: Client, path: str = PAGE, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, path
    return " ".join(response.content.decode().split())


def made(heading: str, **bounds: str) -> Issue:
    issue = make_issue(heading=heading, summary="It stops.")
    make_range(issue, **bounds)
    return issue


@pytest.fixture
def world() -> None:
    """Releases of DeepSpeed, a fault for each course, and fixes of its history."""
    make_history("0.14.0", "0.14.2", "0.15.0", "0.15.4", "0.16.0")
    hang, crash = make_node("hang"), make_node("crash")
    fixed = made(
        "Waits in all_gather", introduced="0.14.0", fixed="0.15.0", fixed_evidence="https://github.com/x/y/pull/7"
    )
    make_label(fixed, make_node("hang-collective", parent=hang))
    make_label(fixed, crash)
    make_label(made("Fails at start", introduced="0.15.0"), crash)
    made("First reported in 0.15.4", introduced="0.15.4", introduced_by="reported")
    still = made("Never ends", fixed="0.16.0")
    Issue.objects.filter(pk=still.pk).update(affects_when="zero_stage == 3")
    made("Always there", introduced="0.14.0", introduced_by="lines", fixed="0.16.0")
    made("Came and went", introduced="0.15.0", fixed="0.15.4")
    made("Long gone", fixed="0.14.0")
    make_change(title="Fix <b>the wait</b>", missing=[[None, "0.15.0"]], first_releases=["0.15.0"], closes=[fixed.url])
    make_change(title="Fix later", missing=[[None, "0.16.0"]], first_releases=["0.16.0"])
    make_change(title="Fix and take back", missing=[["0.15.0", None]], first_releases=["0.14.0"], reverted_by="c" * 40)


@pytest.mark.usefixtures("world")
class TestBetween:
    def test_each_fault_is_in_the_list_of_its_course(self, client: Client) -> None:
        response = client.get(PAGE)
        titles = {part.kind: [line.fault.title for line in part.lines] for part in response.context["lists"]}
        assert titles == {
            "fixed": ["Waits in all_gather"],
            "new": ["Fails at start", "First reported in 0.15.4"],
            "open": ["Always there"],
            "maybe": ["Never ends"],
        }
        assert response.context["upgrade"].passed == 1

    def test_the_numbers_stand_above_with_each_bound_its_proof_and_condition(self, client: Client) -> None:
        html = words(client)
        for text in (
            "1 fault fixed, 2 first seen, 1 still open, 1 maybe.",
            'fixed in <a href="/releases/deepspeed/0.15.0/">0.15.0</a>, <a href="https://github.com/x/y/pull/7"',
            "from git",
            'introduced in <a href="/releases/deepspeed/0.14.0/">0.14.0</a>',
            'first reported on <a href="/releases/deepspeed/0.15.4/">0.15.4</a>',
            "first affected version unknown",
            "<summary>1 fault</summary>",
            "lines stand since",
            "only with ZeRO stage 3",
            "no fixed version known",
            "1 more came after 0.14.2 and was fixed before 0.15.4: neither version has it.",
        ):
            assert text in html, text

    def test_the_worst_symptom_gives_the_family(self, client: Client) -> None:
        counts = {
            count.code: (count.fixed, count.new, count.open, count.maybe)
            for count in client.get(PAGE).context["upgrade"].symptoms
        }
        assert counts == {"hang": (1, 0, 0, 0), "crash": (0, 1, 0, 0), "": (0, 1, 1, 1)}

    def test_fixes_of_the_history_bear_their_own_titles_and_lead_to_the_host(self, client: Client) -> None:
        html = words(client)
        assert '<q class="fix-title">Fix &lt;b&gt;the wait&lt;/b&gt;</q>' in html
        assert "Fix later" not in html
        assert "in the project's own words" in html
        context = client.get(PAGE).context
        assert [fix.issues[0].heading for fix in context["fixes"]] == ["Waits in all_gather"]

    def test_facts_that_came_with_the_project_are_told_from_a_history_read_here(self, client: Client) -> None:
        assert "Linked fixes of described faults" not in words(client)
        History.objects.update(refs_digest=f"{History.FROM_FILE}1")
        Change.objects.update(title="")
        issue = made("Loses a message", fixed="0.15.0")
        change = make_change(title="", missing=[[None, "0.15.0"]], first_releases=["0.15.0"])
        issue.fixes.add(make_fix(change.pull_number, description="Sends it again."))
        html = words(client)
        assert "Linked fixes of described faults" in html
        assert f"#{change.pull_number}</a> Sends it again." in html
        assert f'closes <a href="{issue.get_absolute_url()}"' in html
        assert "<q" not in html

    def test_a_fix_that_was_taken_back_is_lost(self, client: Client) -> None:
        html = words(client)
        assert "Fixes that 0.15.4 no longer has" in html
        assert f"https://github.com/deepspeedai/DeepSpeed/commit/{'c' * 40}" in html
        assert "no longer has" not in words(client, "/upgrade/deepspeed/0.15.0...0.15.4")

    def test_a_downgrade_is_shown_as_the_way_back(self, client: Client) -> None:
        response = client.get("/upgrade/deepspeed/0.15.4...0.14.2")
        assert response.context["upgrade"].start < response.context["upgrade"].target
        html = response.content.decode()
        assert "This is a downgrade" in html
        assert f'<link rel="canonical" href="http://testserver{PAGE}">' in html

    def test_the_same_version_leads_to_its_release(self, client: Client) -> None:
        html = words(client, "/upgrade/deepspeed/0.15.4...0.15.4")
        assert "Both versions are the same" in html
        assert 'href="/releases/deepspeed/0.15.4/"' in html

    @pytest.mark.parametrize(
        "path",
        [
            "/upgrade/DeepSpeed/v0.14.2...0.15.4",
            "/upgrade/deepspeed/0.14.2+cu124...0.15.4",
            "/upgrade/deepspeedai/DeepSpeed/0.14.2...0.15.4",
        ],
    )
    def test_other_spellings_lead_to_the_one_address(self, client: Client, path: str) -> None:
        response = client.get(path, follow=True)
        assert response.redirect_chain[-1][0] == PAGE

    def test_a_version_that_is_no_release_is_placed_by_its_number(self, client: Client) -> None:
        html = words(client, "/upgrade/deepspeed/0.14.7...0.15.4")
        assert "0.14.7 is not among the releases of deepspeed that we read" in html
        assert 'href="/releases/deepspeed/0.14.2/"' in html

    def test_nothing_known_in_between_is_no_promise(self, client: Client) -> None:
        Issue.objects.all().delete()
        assert "not a proof" in words(client, "/upgrade/deepspeed/0.16.0...0.17.0")

    def test_many_faults_are_folded_and_many_fixes_have_pages(self, client: Client) -> None:
        for number in range(12):
            made(f"Fault {number}", introduced="0.14.0", fixed="0.15.0")
        for number in range(60):
            make_change(
                title=f"Fix {number}",
                missing=[[None, "0.15.0"]],
                first_releases=["0.15.0"],
                merged_at=dt.datetime(2024, 1, 1, number % 24, tzinfo=dt.UTC),
            )
        html = words(client)
        assert "<summary>3 more</summary>" in html
        assert "<details >" in html
        assert len(client.get(PAGE, {"page": "2"}).context["fixes"]) == 11
        assert "<details open>" in words(client, f"{PAGE}?page=2")

    def test_it_takes_few_statements(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(20):
            issue = made(f"Fault {number}", introduced="0.14.0", fixed="0.15.0")
            make_change(missing=[[None, "0.15.0"]], first_releases=["0.15.0"], closes=[issue.url])
        for most in (MOST_AT_FIRST, MOST_QUERIES):
            with django_assert_max_num_queries(most):
                client.get(PAGE)

    def test_no_secret_in_a_title_is_shown(self, client: Client) -> None:
        secret = "ghp_" + drawn(BASE62, 36)
        make_change(title=f"Fix {secret}", missing=[[None, "0.15.0"]], first_releases=["0.15.0"])
        html = words(client)
        assert secret not in html
        assert "removed]" in html


@pytest.mark.usefixtures("world")
class TestSetUp:
    @pytest.mark.parametrize(
        ("setup", "maybe", "excluded"),
        [
            ('{"zero_optimization": {"stage": 2}, "train_batch_size": 8}', [], 1),
            ('{"zero_optimization": {"stage": 3}, "train_batch_size": 8}', ["Never ends"], 0),
            ("deepspeed==0.14.2\ntorch==2.4.0\n", ["Never ends"], 0),
        ],
    )
    def test_only_what_its_condition_rules_out_is_excluded(
        self, client: Client, setup: str, maybe: list[str], excluded: int
    ) -> None:
        context = client.post(PAGE, {"setup": setup}).context
        assert [line.fault.title for line in context["upgrade"].maybe] == maybe
        assert context["upgrade"].excluded == excluded
        assert len(context["upgrade"].fixed) == 1

    def test_what_was_sent_stays_in_the_box_and_nowhere_else(self, client: Client) -> None:
        response = client.post(PAGE, {"setup": "deepspeed==0.14.2 # <b>mine</b>\n"})
        assert "# &lt;b&gt;mine&lt;/b&gt;" in response.content.decode()
        assert response["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
        assert "mine" not in words(client)

    @pytest.mark.parametrize("setup", ["", "  \n", "x" * 1_000_001])
    def test_what_cannot_be_read_is_refused_beside_the_whole_list(self, client: Client, setup: str) -> None:
        response = client.post(PAGE, {"setup": setup})
        assert response.status_code == 400
        assert response.context["refusal"]
        assert len(response.context["upgrade"].maybe) == 1


class TestFromACheck:
    def test_a_finding_leads_to_all_that_its_fixed_version_changes(self, client: Client) -> None:
        fault = make_fault()
        checked = read(client.post("/check/", {"text": f"{FREEZE}\n\n{ZERO_3}"}))
        (path,) = [link for link in checked.links if link.startswith("/upgrade/deepspeed/")]
        assert path == "/upgrade/deepspeed/0.14.2...0.15.1"
        assert [line.fault.page for line in client.get(path).context["upgrade"].fixed] == [fault.get_absolute_url()]

    @pytest.mark.parametrize("installed", ["deepspeed>=0.14", "deepspeed", "deepspeed==0.16.0"])
    def test_without_one_installed_version_below_the_fix_nothing_is_compared(
        self, client: Client, installed: str
    ) -> None:
        make_fault()
        checked = read(client.post("/check/", {"text": f"{installed}\n\n{ZERO_3}"}))
        assert not any(link.startswith("/upgrade/deepspeed/") for link in checked.links)


class TestWithoutHistory:
    def test_what_records_state_is_shown_and_the_rest_is_admitted(self, client: Client) -> None:
        issue = make_issue(heading="Loses requests", repository=make_repository("vllm-project/vllm", "vllm"))
        make_range(issue, "vllm", fixed="0.6.3", fixed_by="stated")
        html = words(client, "/upgrade/vllm/0.6.2...0.7.0")
        assert "No history of vllm was read: you see only what records state" in html
        assert "1 fault fixed" in html
        assert "stated in the thread" in html
        assert "All fixes in the history" not in html


class TestForm:
    @pytest.mark.usefixtures("world")
    def test_it_leads_to_the_upgrade_and_without_a_target_to_the_newest(self, client: Client) -> None:
        given = {"package": "DeepSpeed", "from": "0.14.2", "to": "0.15.4"}
        assert client.get("/upgrade/", given)["Location"] == PAGE
        assert client.get("/upgrade/", given | {"to": ""})["Location"] == "/upgrade/deepspeed/0.14.2...0.16.0"

    @pytest.mark.usefixtures("world")
    def test_a_package_alone_offers_its_versions(self, client: Client) -> None:
        html = words(client, "/upgrade/?package=deepspeed")
        assert '<option value="0.16.0"></option>' in html

    @pytest.mark.usefixtures("world")
    @pytest.mark.parametrize(
        ("path", "text"),
        [
            ("/upgrade/nothing-here/1.0...2.0", "Nothing is known of “nothing-here”"),
            ("/upgrade/deepspeed/latest...0.15.4", "“latest” is no version"),
            ("/upgrade/?package=deepspeed&from=abc", "“abc” is no version"),
        ],
    )
    def test_a_mistake_is_named_beside_the_form(self, client: Client, path: str, text: str) -> None:
        html = words(client, path, status=404)
        assert text in html
        assert 'name="from"' in html

    def test_an_empty_site_says_where_versions_come_from(self, client: Client) -> None:
        assert "load_starter" in words(client, "/upgrade/")
