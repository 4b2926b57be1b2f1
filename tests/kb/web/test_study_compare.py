"""Comparing two studies: shares, reasons, files, empty states, and a bounded number of statements."""

import csv
from io import StringIO

import pytest
from django.core.cache import cache
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from kb.charts.own_records import shared_with
from kb.models import Crosswalk, Node, PublishedCell, PublishedTable, Study
from tests.support.factories import make_axis, make_issue, make_label, make_node, make_source, make_study

pytestmark = pytest.mark.django_db
MOST_QUERIES = 14
BOTH = "/studies/compare?a=one&b=two"


@pytest.fixture(autouse=True)
def forget() -> None:
    cache.clear()


def make_counted(slug: str, counts: dict[str, tuple[int, str]], *, total: int = 100, **table: object) -> Study:
    """A study with symptoms: name → its count, and `house code relation`."""
    study = make_study(slug, code=slug.upper())
    axis = make_axis("symptom", scheme=slug, study=study)
    fields = {"unit": "reports", "trust": "primary", "place": "Table 1", "not_recounted_reason": "No data."} | table
    row = PublishedTable.objects.create(
        study=study, slug="symptoms", title=f"Symptoms of {slug}", rows_by="symptom", total=total,
        row_keys=[f"{slug}.{name}" for name in counts], **fields,
    )  # fmt: skip
    for name, (count, relation) in counts.items():
        node = make_node(f"{slug}.{name}", axis=axis, name=f"{name} of {slug}")
        to, kind = relation.split()
        Crosswalk.objects.create(from_node=node, to_node=Node.objects.house().get(code=to), relation=kind)
        PublishedCell.objects.create(table=row, row=node.code, count=count)
    return study


@pytest.fixture
def house() -> None:
    memory = make_node("memory")
    for code in ("hang", "crash", "slow"):
        make_node(code)
    make_node("oom", parent=memory)


@pytest.fixture
def pair(house: None) -> tuple[Study, Study]:
    one = make_counted("one", {"hang": (50, "hang exact"), "crash": (20, "crash close"), "oom": (9, "memory close")})
    two = make_counted("two", {"hang": (10, "hang exact"), "dead": (20, "crash exact"), "oom": (5, "oom exact")})
    return one, two


def words(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def verdicts(client: Client, path: str = BOTH) -> dict[str, tuple[str, str]]:
    rows = client.get(f"{path}&format=json").json()["rows"]
    return {row["category"]: (row["verdict"], row["why"]) for row in rows}


@pytest.mark.usefixtures("pair")
class TestPage:
    def test_shows_shares_with_n_interval_difference_and_verdict(self, client: Client) -> None:
        html = words(client, BOTH)
        for text in (
            "50 of 100",
            "40–60 %",
            "+40.0",
            "differ",
            "Newcombe",
            "hang of one",
            "Symptoms of two",
            "primary",
        ):
            assert text in html

    def test_says_why_not(self, client: Client) -> None:
        found = verdicts(client)
        assert found["hang"] == ("differ", "")
        assert found["crash"] == ("too few to tell", "")
        assert found["memory"] == ("cannot be compared", "the second study has only parts of it: oom of two")
        assert found["oom"] == ("cannot be compared", "the first study has no category that is related to it")

    def test_says_what_the_interval_allows_and_never_that_shares_are_equal(self, client: Client) -> None:
        rows = client.get(f"{BOTH}&format=json").json()["rows"]
        allowed = {row["category"]: row["allows"] for row in rows}
        assert allowed["hang"] == "The first is higher by 27.8 to 50.6 points."
        assert allowed["crash"].endswith("they need not be equal.")
        assert "agree" not in words(client, BOTH)

    def test_turned_round_the_differences_turn_too(self, client: Client) -> None:
        rows, turned = (
            {row["category"]: row for row in client.get(f"{path}&format=json").json()["rows"]}
            for path in (BOTH, "/studies/compare?a=two&b=one")
        )
        assert rows["hang"]["difference"] == pytest.approx(0.4)
        assert turned["hang"]["difference_low"] == pytest.approx(-rows["hang"]["difference_high"])

    def test_asks_little(self, client: Client, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
        with django_assert_max_num_queries(MOST_QUERIES):
            client.get(BOTH)

    def test_the_question_is_in_the_address(self, client: Client) -> None:
        assert client.get(f"{BOTH}&axis=symptom").status_code == 200
        assert client.get(f"{BOTH}&axis=stage").status_code == 400


class TestHindrances:
    @pytest.mark.parametrize(
        ("table", "said"),
        [({"unit": "instances"}, "different units"), ({"part_of": "one stage"}, "different denominators")],
    )
    @pytest.mark.usefixtures("house")
    def test_other_units_and_denominators_stop_all(self, client: Client, table: dict[str, str], said: str) -> None:
        make_counted("one", {"hang": (50, "hang exact")})
        make_counted("two", {"hang": (40, "hang exact")}, **table)  # type: ignore[arg-type]
        assert said in verdicts(client)["hang"][1]
        assert f"Nothing can be compared: {said}" in words(client, BOTH)

    def test_samples_that_may_overlap_are_said_to(self, client: Client, pair: tuple[Study, Study]) -> None:
        assert "Whether the samples share issues is not known" in words(client, BOTH)
        pair[0].overlaps.add(pair[1])
        assert "how many is not known" in words(client, BOTH)

    @pytest.mark.usefixtures("house")
    def test_a_percentage_without_a_count_is_computed_and_marked(self, client: Client) -> None:
        make_counted("one", {"hang": (50, "hang exact")})
        make_counted("two", {"hang": (0, "hang exact")}, total=428)
        PublishedCell.objects.filter(row="two.hang").update(count=None, percent=57.5)
        html = words(client, BOTH)
        assert "246 of 428, count computed from the percentage" in html

    @pytest.mark.usefixtures("house")
    def test_a_study_without_counts_is_told(self, client: Client) -> None:
        make_counted("one", {"hang": (50, "hang exact")})
        make_counted("two", {"hang": (0, "hang exact")})
        PublishedTable.objects.filter(study__slug="two").delete()
        assert verdicts(client)["hang"][1] == "no count of it is known of the second study: hang of two"
        assert "It published no counts" in words(client, BOTH)


@pytest.fixture
def records(pair: tuple[Study, Study]) -> None:
    """40 described issues, 10 of which hang and 30 of which run out of memory, and one that is not described."""
    hang, oom = Node.objects.house().get(code="hang"), Node.objects.house().get(code="oom")
    for number in range(40):
        make_label(make_issue(summary="It stops."), hang if number < 10 else oom)
    make_label(make_issue(), hang)


@pytest.mark.usefixtures("records")
class TestOwnRecords:
    PATH = "/studies/compare?a=one&b=records"

    def test_stand_beside_a_study_with_links_to_the_issues(self, client: Client) -> None:
        html = words(client, self.PATH)
        assert '<a href="/issues/?curated=true&symptom=hang">10 of 40</a>' in html.replace("&amp;", "&")
        assert "Described issues whose symptom is known, n = 40" in html

    def test_count_what_is_below_a_category(self, client: Client) -> None:
        rows = {row["category"]: row for row in client.get(f"{self.PATH}&format=json").json()["rows"]}
        assert (rows["memory"]["b_cases"], rows["memory"]["b_of"]) == (30, 40)

    def test_only_categories_of_the_study_are_listed(self, client: Client) -> None:
        assert "slow" not in verdicts(client, self.PATH)

    def test_may_stand_first(self, client: Client) -> None:
        assert verdicts(client, "/studies/compare?a=records&b=one")["hang"][0] == "differ"

    def test_are_not_compared_with_themselves(self, client: Client) -> None:
        assert client.get("/studies/compare?a=records&b=records").status_code == 400

    def test_those_that_a_study_labels_too_are_counted(self, pair: tuple[Study, Study]) -> None:
        node, source = Node.objects.get(code="one.hang"), make_source("one", kind="study", study=pair[0])
        for summary in ("It stops.", "It stops, too.", ""):
            make_label(make_issue(summary=summary), node, source)
        assert shared_with(study=pair[0]) == 2


class TestFiles:
    @pytest.mark.usefixtures("pair")
    def test_csv_quotes_what_looks_like_a_formula(self, client: Client) -> None:
        Node.objects.filter(code="one.hang").update(name="=1+1")
        rows = list(csv.DictReader(StringIO(client.get(f"{BOTH}&format=csv").content.decode())))
        hang = next(row for row in rows if row["category"] == "hang")
        assert hang["a_categories"] == "'=1+1"
        assert float(hang["difference"]) == pytest.approx(0.4)

    def test_the_overlap_is_unknown_where_no_data_set_is_imported(
        self, client: Client, pair: tuple[Study, Study]
    ) -> None:
        for study in pair:
            node = Node.objects.filter(axis__scheme__study=study).first()
            assert node
            make_label(make_issue(), node, make_source(study.slug, kind="study", study=study))
        assert client.get(f"{BOTH}&format=json").json()["shared_issues"] is None


class TestStates:
    def test_nothing_is_loaded(self, client: Client) -> None:
        assert "load_codebook" in words(client, "/studies/compare")

    @pytest.mark.usefixtures("pair")
    def test_nothing_or_one_is_chosen(self, client: Client) -> None:
        for path in ("/studies/compare", "/studies/compare?a=one", "/studies/compare?a=one&b="):
            assert "Choose one" in words(client, path)

    @pytest.mark.usefixtures("pair")
    def test_a_study_beside_itself_or_an_unknown_one_is_refused(self, client: Client) -> None:
        assert client.get("/studies/compare?a=one&b=one").status_code == 400
        assert client.get("/studies/compare?a=one&b=nope").status_code == 400

    @pytest.mark.usefixtures("pair")
    def test_studies_without_a_common_question_say_so(self, client: Client) -> None:
        make_study("three", code="THREE")
        assert "no question in common" in words(client, "/studies/compare?a=one&b=three")
        assert client.get("/studies/compare?a=one&b=three&format=json").json()["rows"] == []


@pytest.mark.usefixtures("codebook")
def test_every_pair_of_shipped_studies_has_a_page(client: Client) -> None:
    slugs = list(Study.objects.order_by("code").values_list("slug", flat=True))
    for number, one in enumerate(slugs):
        for other in slugs[number + 1 :]:
            response = client.get(f"/studies/compare?a={one}&b={other}")
            assert response.status_code == 200, (one, other)
