"""The pages of releases: the list of packages, a package with its chart, and one release."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.models import Issue
from tests.support.factories import make_change, make_history, make_issue, make_range, make_repository

pytestmark = pytest.mark.django_db
PACKAGE, RELEASE = "/releases/deepspeed/", "/releases/deepspeed/0.15.0/"
MOST_QUERIES = 12


def words(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, path
    return " ".join(response.content.decode().split())


def made(heading: str, package: str = "deepspeed", **bounds: str) -> Issue:
    issue = make_issue(heading=heading, summary="It stops.")
    make_range(issue, package, **bounds)
    return issue


@pytest.fixture
def world() -> None:
    make_history("0.14.2", "0.15.0rc1", "0.15.0", "0.15.4")
    for number in range(5):
        made(f"Fixed here {number}", introduced="0.14.2", fixed="0.15.0")
    made("New here", introduced="0.15.0", introduced_by="lines", introduced_oldest="0.14.2")
    made("Still here", introduced="0.14.2", fixed="0.15.4")
    made("May be here", fixed="0.15.4")
    make_change(title="Fix the wait", missing=[[None, "0.15.0"]], first_releases=["0.15.0"])


@pytest.mark.usefixtures("world")
class TestRelease:
    def test_it_says_what_is_fixed_new_and_open(self, client: Client) -> None:
        lists = {part.kind: [line.fault.title for line in part.lines] for part in client.get(RELEASE).context["lists"]}
        assert lists == {
            "fixed": [f"Fixed here {number}" for number in range(5)],
            "new": ["New here"],
            "open": ["Still here"],
            "maybe": ["May be here"],
        }

    def test_it_has_its_day_tag_commit_neighbours_and_fixes(self, client: Client) -> None:
        html = words(client, RELEASE)
        for text in (
            '<time datetime="2024-03-01">1 March 2024</time>',
            "https://github.com/deepspeedai/DeepSpeed/tree/v0.15.0",
            f"https://github.com/deepspeedai/DeepSpeed/commit/{2:040x}",
            'rel="prev" href="/releases/deepspeed/0.14.2/"',
            'rel="next" href="/releases/deepspeed/0.15.4/"',
            'href="/upgrade/deepspeed/0.14.2...0.15.0"',
            'href="/upgrade/deepspeed/0.15.0...0.15.4"',
            "Fix the wait",
            "lines stand since",
        ):
            assert text in html, text

    def test_other_spellings_lead_to_the_one_address(self, client: Client) -> None:
        assert client.get("/releases/DeepSpeed/v0.15.0/")["Location"] == RELEASE

    def test_a_version_that_is_no_release_says_so(self, client: Client) -> None:
        assert "0.15.1 is not among the releases" in words(client, "/releases/deepspeed/0.15.1/")

    @pytest.mark.parametrize("path", ["/releases/nothing-here/1.0/", "/releases/deepspeed/1.x.y/", "/releases/x/"])
    def test_what_is_not_known_is_not_found(self, client: Client, path: str) -> None:
        assert client.get(path).status_code == 404

    def test_it_takes_few_statements(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        for number in range(20):
            made(f"More {number}", introduced="0.14.2", fixed="0.15.0")
        for path in (RELEASE, PACKAGE, "/releases/"):
            with django_assert_max_num_queries(MOST_QUERIES):
                client.get(path)


@pytest.mark.usefixtures("world")
class TestPackage:
    def test_the_chart_counts_what_is_certainly_there_and_what_may_be(self, client: Client) -> None:
        records = client.get(f"{PACKAGE}?format=json").json()["records"]
        assert [(line["release"], line["other"], line["may"]) for line in records] == [
            ("0.14.2", 6, 2), ("0.15.0", 1, 2), ("0.15.4", 0, 1),
        ]  # fmt: skip

    def test_the_picture_says_its_n_its_source_and_its_caveat(self, client: Client) -> None:
        html = words(client, PACKAGE)
        for text in (
            "n = 6 of 8 described faults with versions",
            "git history read 2 January 2026",
            "Do not read a short bar as a good release",
            "deepspeed 0.14.2 has 6 known faults, the newest release 0.15.4 has 0.",
            'data-base="/releases/deepspeed/"',
        ):
            assert text in html, text

    def test_its_table_is_a_file(self, client: Client) -> None:
        lines = client.get(f"{PACKAGE}?format=csv").content.decode().splitlines()
        assert lines[1].startswith("0.14.2,2024-01-01,")

    def test_every_release_is_listed_the_newest_first(self, client: Client) -> None:
        assert [release.version for release in client.get(PACKAGE).context["releases"]] == [
            "0.15.4", "0.15.0", "0.15.0rc1", "0.14.2",
        ]  # fmt: skip

    def test_without_a_history_the_versions_that_records_name_are_listed(self, client: Client) -> None:
        issue = make_issue(heading="Loses requests", repository=make_repository("vllm-project/vllm", "vllm"))
        make_range(issue, "vllm", introduced="0.6.2", introduced_by="stated", fixed="0.6.3")
        html = words(client, "/releases/vllm/")
        assert "No history of vllm was read" in html
        assert html.index("/releases/vllm/0.6.3/") < html.index("/releases/vllm/0.6.2/")


class TestPackages:
    @pytest.mark.usefixtures("world")
    def test_each_has_its_numbers_and_how_far_its_history_was_read(self, client: Client) -> None:
        made("Waits for a peer", "nvidia/nccl", fixed="2.20.3")
        counts = {row.name: (row.faults, row.releases) for row in client.get("/releases/").context["packages"]}
        assert counts == {"deepspeed": (8, 3), "nvidia/nccl": (1, 0)}
        html = words(client, "/releases/")
        assert "read on 2 Jan 2026, up to 1 Jan 2026" in html
        assert "not read: only what records state" in html
        assert client.get("/releases/nvidia/nccl/2.20.3/").status_code == 200

    def test_an_empty_site_says_where_they_come_from(self, client: Client) -> None:
        assert "load_starter" in words(client, "/releases/")


class TestWaysToIt:
    @pytest.mark.parametrize(
        ("fixed", "link"),
        [
            ("0.15.0", '<a href="/releases/deepspeed/0.15.0/">0.15.0</a>'),
            ("torch 2.6.0", '<a href="/releases/torch/2.6.0/">torch 2.6.0</a>'),
            ("the next <i>nightly</i>", "the next &lt;i&gt;nightly&lt;/i&gt;"),
        ],
    )
    def test_an_issues_fixed_version_leads_to_its_release(self, client: Client, fixed: str, link: str) -> None:
        issue = make_issue(heading="It waits", summary="It stops.", fixed_version=fixed)
        html = words(client, issue.get_absolute_url())
        assert f"first released in <strong>{link}</strong>" in html
        assert f"fixed in {link}" in html

    @pytest.mark.parametrize("path", ["/", "/explore/"])
    def test_pages_lead_to_the_advisor_and_the_releases(self, client: Client, path: str) -> None:
        html = words(client, path)
        assert 'href="/upgrade/"' in html
        assert 'href="/releases/"' in html
