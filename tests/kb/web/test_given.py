"""Given a symptom: every number is what its link finds; whatever is not known is said."""

import csv
import io
import random
import re
from typing import TYPE_CHECKING, Any

import pytest
from django.http import QueryDict
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.charts.cards import Given, given
from kb.charts.evidence import gather
from kb.charts.symptoms import offered
from kb.models import Issue
from tests.kb.web import worlds
from tests.kb.web.reading import visit
from tests.kb.web.test_charts import found_by, words
from tests.support.engines import PutIssuesIn
from tests.support.factories import make_axis, make_fix, make_issue, make_label, make_node, make_source, make_study

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

pytestmark = pytest.mark.django_db
MOST_QUERIES = 12
SYMPTOMS = (
    "symptom=symptom-a",
    "symptom=symptom-a1,symptom-b",
    "symptom=symptom-a2,-symptom-b",
    "node=house/symptom-a,house/symptom-b",
    "q=hangs+symptom:symptom-a",
)


def page(client: Client, query: str = "", status: int = 200) -> "Response":
    response = client.get(f"/explore/given/{query}")
    assert response.status_code == status
    return response


def made(filters: str, level: int = 1) -> Given:
    evidence = gather(QueryDict(filters))
    found = given(evidence, level)
    assert found, filters
    return found


def numbers(found: Given) -> list[tuple[str, int]]:
    """Queries with the number of issues that stands beside each."""
    likely = [(one.query, one.share) for cause in found.causes for one in (*cause.fixes, *cause.stages)]
    likely += [(one.query, one.share) for one in found.fixes]
    return [(query, share.issues) for query, share in (*((one.query, one.share) for one in found.causes), *likely)]


@pytest.fixture
def hangs() -> list[Issue]:
    """Three issues that hang: two because of a race, one for no known reason; and one that crashes."""
    hang, crash = make_node("hang", name="Hang"), make_node("crash", name="Crash")
    race, typo = (make_node(code, axis=make_axis("root_cause"), name=code.title()) for code in ("race", "typo"))
    guard, train = make_node("guard", axis=make_axis("fix_pattern")), make_node("train", axis=make_axis("stage"))
    issues = [make_issue(title=f"Report {i}") for i in range(4)]
    for issue, nodes in zip(issues, ((hang, race, guard, train), (hang, race), (hang,), (crash, typo)), strict=True):
        for node in nodes:
            make_label(issue, node)
    issues[0].fixes.add(make_fix(additions=3, deletions=1, files_changed=1))
    return issues


class TestEveryNumber:
    @pytest.mark.parametrize("seed", [0])
    def test_is_what_its_link_finds_whatever_the_filters(self, seed: int, search_index: PutIssuesIn) -> None:
        chance = random.Random(seed)  # noqa: S311
        worlds.build(chance)
        search_index()
        checked = 0
        others = [one for one in worlds.FILTERS if "symptom" not in one and "q=" not in one and "node" not in one]
        for filters in (f"{symptom}&{other}" for symptom in SYMPTOMS for other in chance.sample(others, 6)):
            if worlds.STUDY in filters:
                continue
            counted = numbers(made(filters, chance.choice((1, 2))))
            for query, issues in chance.sample(counted, min(4, len(counted))):
                checked += 1
                assert found_by(query) == issues, (filters, query)
        assert checked > 60

    def test_of_a_study_is_what_its_link_finds(self, search_index: PutIssuesIn) -> None:
        worlds.build(random.Random(3))  # noqa: S311
        search_index()
        counted = numbers(made(f"source={worlds.STUDY}&node={worlds.STUDY}/symptom-0"))
        assert counted
        assert all(found_by(query) == issues for query, issues in counted)

    def test_of_the_choice_is_what_its_link_finds(self, search_index: PutIssuesIn) -> None:
        worlds.build(random.Random(4))  # noqa: S311
        search_index()
        for filters in ("", "framework=vllm", "symptom=-symptom-b", f"source={worlds.STUDY}", "q=hangs"):
            symptoms, _ = offered(gather(QueryDict(filters)))
            assert symptoms
            for one in symptoms:
                assert found_by(one.query) == one.heading.issues, (filters, one)

    def test_known_and_unknown_causes_add_up_to_the_issues_with_the_symptom(self) -> None:
        worlds.build(random.Random(5))  # noqa: S311
        for level in (1, 2):
            found = made("symptom=symptom-a", level)
            assert found.counted.issues + found.coarse + found.unknown == found.counted.all_issues
            evidence = gather(QueryDict("symptom=symptom-a"))
            assert dict(found.sources).keys() <= {"curated", "round-1"}
            assert evidence.is_house

    @pytest.mark.usefixtures("hangs")
    def test_of_the_base_counts_whatever_the_symptom_under_the_same_filters(self) -> None:
        (race,) = made("symptom=hang").causes
        assert (race.share.issues, race.share.of, race.base.issues, race.base.of) == (2, 2, 2, 3)
        assert race.lift
        assert race.lift.ratio == pytest.approx(1.5)
        (race,) = made("symptom=hang&q=cause:race").causes
        assert (race.base.issues, race.base.of) == (2, 2)

    @pytest.mark.usefixtures("hangs")
    def test_counts_an_issue_once_whoever_labelled_it(self) -> None:
        issue, other = Issue.objects.get(title="Report 0"), make_source("round-1", kind="consensus")
        for label in list(issue.labels.all()):
            make_label(issue, label.node, other)
        for source in ("", "&source=curated,round-1", "&source=curated"):
            assert [one.share.issues for one in made(f"symptom=hang{source}").causes] == [2]


class TestPage:
    @pytest.mark.usefixtures("hangs")
    def test_says_causes_lift_fixes_stage_time_size_and_examples(self, client: Client) -> None:
        text = words(page(client, "?symptom=hang"))
        for part in (
            "Given: Hang", "n = 2 issues", "1 of 3 issues has no known cause",
            "Too few issues with a known cause to compare causes: small sample (n = 2)",
            "Guard", "Train", "unknown: none of these issues has both dates",
            "too few of known size: small sample (n = 1)", "Report 0", "Report 1", "No fix is linked",
        ):  # fmt: skip
            assert part in text, part
        assert "Report 2" not in text
        assert "95 % interval" not in text.split("How it is computed")[0]

    @pytest.mark.usefixtures("starter")
    def test_needs_few_queries_and_nothing_that_the_content_policy_forbids(
        self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        client.get("/explore/given/")
        for query in ("?symptom=hang", "?symptom=crash&level=2&framework=deepspeed&stage=train", ""):
            with django_assert_max_num_queries(MOST_QUERIES):
                page(client, query)
            assert visit(client, f"/explore/given/{query}").inline == []

    @pytest.mark.usefixtures("starter")
    def test_describes_examples_by_what_fixed_them(self, client: Client) -> None:
        cards = page(client, "?symptom=hang").context["cards"]
        examples = [issue for card in cards for issue in card.examples]
        assert examples
        assert all(issue.is_curated for issue in examples)

    @pytest.mark.usefixtures("starter")
    def test_of_a_symptom_in_the_codebook_leads_here(self, client: Client) -> None:
        links = visit(client, "/codebook/house/symptom/hang").links
        (address,) = [link for link in links if link.startswith("/explore/given/")]
        assert visit(client, address).words.count("Given: Hang") == 1

    def test_names_are_shown_as_text(self, client: Client) -> None:
        evil = "<script>alert(1)</script>"
        issue = make_issue(title=evil)
        for axis in ("symptom", "root_cause", "fix_pattern", "stage"):
            make_label(issue, make_node(f"{axis}-x", axis=make_axis(axis), name=evil))
        for query in ("", "?symptom=symptom-x"):
            assert "<script>alert" not in page(client, query).content.decode()

    @pytest.mark.usefixtures("hangs")
    def test_keeps_the_symptom_when_it_is_narrowed(self, client: Client) -> None:
        response = page(client, "?symptom=hang&level=2")
        assert response.context["options"] == {"level": "2", "symptom": "hang"}
        assert {chip.name for chip in response.context["chips"]} == {"Hang"}


class TestChoosing:
    @pytest.mark.usefixtures("hangs")
    def test_lists_every_symptom_that_issues_have_with_its_number(self, client: Client) -> None:
        make_node("slow", name="Slow")
        text = words(page(client))
        assert "Hang n = 3" in text
        assert "Crash n = 1" in text
        assert "Slow" not in text

    @pytest.mark.usefixtures("hangs")
    def test_finds_a_symptom_by_a_word_or_says_that_there_is_none(self, client: Client) -> None:
        make_label(make_issue(), make_node("stall", name="Stall", aliases=["stuck forever"]))
        found = page(client, "?find=STUCK").context["symptoms"]
        assert [one.heading.code for one in found] == ["stall"]
        assert "goes by “nothing”" in words(page(client, "?find=nothing"))

    @pytest.mark.usefixtures("hangs")
    @pytest.mark.parametrize(
        ("query", "plain"),
        [
            ("?pick=hang", "?symptom=hang"),
            ("?pick=hang&pick=crash&state=open", "?state=open&symptom=hang,crash"),
            ("?pick=hang&pick=crash&all=1", "?node=house/hang,house/crash"),
            ("?symptom=hang,crash&all=1&level=2", "?node=house/hang,house/crash&level=2"),
            ("?symptom=hang&all=1", "?symptom=hang"),
        ],
    )
    def test_several_are_said_plainly(self, client: Client, query: str, plain: str) -> None:
        response = page(client, query, status=302)
        assert response.headers["Location"] == f"/explore/given/{plain}"
        page(client, plain)

    def test_several_of_a_study_are_asked_for_together(self, client: Client) -> None:
        axis = make_axis(scheme="a-study", study=(study := make_study()))
        source = make_source("a-study", kind="study", study=study)
        issue = make_issue()
        for code in ("S1", "S2"):
            make_label(issue, make_node(code, axis=axis), source)
        response = page(client, "?pick=S1&pick=S2&source=a-study", status=302)
        assert response.headers["Location"] == "/explore/given/?source=a-study&node=a-study/S1,a-study/S2"
        assert "Given: S1 and S2" in words(page(client, response.headers["Location"].partition("given/")[2]))

    @pytest.mark.usefixtures("hangs")
    def test_any_of_them_and_all_of_them_are_told_apart(self, client: Client) -> None:
        assert "Given: Hang or Crash" in words(page(client, "?symptom=hang,crash"))
        assert made("symptom=hang,crash").counted.all_issues == 4
        assert "Given: Hang and Crash" in words(page(client, "?node=house/hang,house/crash"))
        assert made("node=house/hang,house/crash").counted.all_issues == 0


class TestWhatIsWrongOrMissing:
    @pytest.mark.usefixtures("hangs")
    @pytest.mark.parametrize(
        ("query", "says"),
        [
            ("?symptom=hagn", "hagn"),
            ("?symptom=hang&state=opne", "opne"),
            ("?symptom=hang&source=rule", "rules suggest"),
        ],
    )
    def test_is_said_and_nothing_is_counted(self, client: Client, query: str, says: str) -> None:
        make_source("rule", kind="rule")
        assert says in words(page(client, query, status=400))
        for form in ("csv", "json"):
            assert says in page(client, f"{query}&format={form}", status=400).content.decode()

    def test_without_any_label_it_says_how_to_get_some(self, client: Client) -> None:
        assert "load_starter" in words(page(client))

    @pytest.mark.usefixtures("hangs")
    def test_filters_that_leave_nothing_are_said(self, client: Client) -> None:
        assert "No labelled issue that the filters leave" in words(page(client, "?symptom=hang&state=open"))

    def test_a_symptom_without_any_known_cause_says_so(self, client: Client) -> None:
        make_label(make_issue(), make_node("hang"))
        text = words(page(client, "?symptom=hang"))
        assert "1 of 1 issues has no known cause" in text
        assert "No cause of these issues is known yet" in text

    def test_a_cause_known_only_as_a_group_is_told_apart_from_an_unknown_one(self, client: Client) -> None:
        issue, group = make_issue(), make_node("memory", axis=make_axis("root_cause"))
        make_node("leak", axis=group.axis, parent=group)
        for node in (make_node("hang"), group):
            make_label(issue, node)
        assert "For 1 more, only the group of causes is known" in words(page(client, "?symptom=hang&level=2"))
        assert made("symptom=hang", 2).unknown == 0


class TestFiles:
    @pytest.mark.usefixtures("hangs")
    def test_json_and_csv_hold_the_numbers_of_the_page_with_full_addresses(self, client: Client) -> None:
        told: dict[str, Any] = page(client, "?symptom=hang&format=json").json()
        (race,) = told["causes"]
        assert (told["counted"], told["cause_unknown"]) == ({"issues": 2, "of": 3}, 1)
        assert told["symptoms"] == [[{"code": "hang", "name": "Hang"}]]
        assert (race["cause"], race["issues"], race["of"], race["base_of"]) == ("race", 2, 2, 3)
        assert [(one["code"], one["issues"], one["of"]) for one in race["fixes"]] == [("guard", 1, 1)]
        assert race["query"] == "http://testserver/issues/?symptom=hang&cause=race"
        (row,) = csv.DictReader(io.StringIO(page(client, "?symptom=hang&format=csv").content.decode()))
        assert (row["query"], row["lift"], row["median_hours"]) == (race["query"], str(race["lift"]), "")
        assert re.search(
            r"attachment; filename=.*hang", page(client, "?symptom=hang&format=csv")["Content-Disposition"]
        )
