"""Facet groups as they are shown, and the addresses that add a choice or take it away."""

from urllib.parse import parse_qs

import pytest
from django.http import QueryDict

from kb.search.groups import GROUP_LABELS, SINGLE_CHOICE, FacetGroup, Toggle, facet_groups
from kb.search.request import read
from tests.support.factories import make_axis, make_node, make_repository

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _codes() -> None:
    hang = make_node("hang", name="Hang")
    make_node("hang-start", name="Hang at start", parent=hang)
    make_node("crash", name="Crash")
    make_node("race", axis=make_axis("root_cause"))
    make_repository("vllm-project/vllm", "vllm")
    make_repository()


def toggled(query: str, key: str, value: str) -> dict[str, list[str]]:
    """The parameters behind a click."""
    url = Toggle(read(QueryDict(query)), key).url(value)
    assert url.startswith("?")
    return parse_qs(url[1:])


class TestToggle:
    def test_adds_a_choice_and_keeps_everything_else_but_the_page(self) -> None:
        found = toggled("q=loss&framework=vllm&sort=newest&page=3&cursor=x", "symptom", "hang")
        assert found == {"q": ["loss"], "framework": ["vllm"], "sort": ["newest"], "symptom": ["hang"]}

    def test_adds_to_the_choices_of_a_group(self) -> None:
        assert toggled("symptom=hang", "symptom", "crash") == {"symptom": ["hang,crash"]}

    @pytest.mark.parametrize("key", SINGLE_CHOICE)
    def test_replaces_the_choice_where_only_one_makes_sense(self, key: str) -> None:
        first, second = {"state": ("open", "closed"), "year": ("2023", "2024"), "trust": ("curated", "rule")}.get(
            key, ("true", "false")
        )
        assert toggled(f"{key}={first}", key, second) == {key: [second]}

    @pytest.mark.parametrize("query", ["symptom=hang,crash", "symptom=Hang,crash", "q=symptom:hang&symptom=crash"])
    def test_takes_a_choice_away_however_and_wherever_it_was_written(self, query: str) -> None:
        assert toggled(query, "symptom", "hang") == {"symptom": ["crash"]}

    def test_leaves_an_exclusion_alone(self) -> None:
        assert toggled("symptom=-hang", "symptom", "crash") == {"symptom": ["-hang,crash"]}

    @pytest.mark.parametrize("text", ["a&b=c", 'say "x" +1%', "显存", "<b>"])
    def test_the_text_survives_the_address(self, text: str) -> None:
        query = QueryDict(mutable=True)
        query["q"] = text
        assert toggled(query.urlencode(), "state", "open") == {"q": [text], "state": ["open"]}

    @pytest.mark.parametrize(("key", "value"), [("symptom", "hang"), ("framework", "vllm"), ("state", "open")])
    @pytest.mark.parametrize("query", ["", "q=loss", "q=loss&cause=race"])
    def test_twice_comes_back(self, query: str, key: str, value: str) -> None:
        once = Toggle(read(QueryDict(query)), key).url(value)
        assert Toggle(read(QueryDict(once[1:])), key).url(value) == f"?{query}"


class TestGroups:
    COUNTS = {
        "symptom": {"crash": 5, "hang": 3, "hang-start": 2},
        "year": {"2021": 9, "2023": 1, "2022": 4},
        "framework": {"deepspeed": 1, "vllm": 8},
        "theme": {},
    }

    def groups(self, query: str = "") -> dict[str, FacetGroup]:
        return {group.key: group for group in facet_groups(read(QueryDict(query)), self.COUNTS)}

    def test_come_in_their_order_and_without_empty_ones(self) -> None:
        assert list(self.groups()) == [key for key in GROUP_LABELS if self.COUNTS.get(key)]

    def test_the_most_frequent_comes_first_but_years_go_back_in_time(self) -> None:
        assert [value.value for value in self.groups()["framework"].values] == ["vllm", "deepspeed"]
        assert [value.value for value in self.groups()["year"].values] == ["2023", "2022", "2021"]

    def test_a_tree_keeps_what_is_below_under_it(self) -> None:
        shown = [(value.value, value.depth) for value in self.groups()["symptom"].values]
        assert shown == [("crash", 0), ("hang", 0), ("hang-start", 1)]

    def test_a_choice_that_finds_nothing_is_shown_so_that_it_can_be_taken_away(self) -> None:
        (race,) = self.groups("cause=race")["cause"].values
        assert (race.count, race.selected, race.toggle_url) == (0, True, "?")
        assert self.groups("cause=race")["cause"].selected == (race,)

    def test_values_have_their_names(self) -> None:
        assert [value.label for value in self.groups()["framework"].values] == ["Vllm", "Deepspeed"]
        assert [value.label for value in self.groups()["symptom"].values] == ["Crash", "Hang", "Hang at start"]
