"""What filters understand: read once, found by every name, and near names for what is not there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import DjangoAssertNumQueries

from kb.core.search.lookup import Lookup, Named, either
from kb.search.names import SECONDS, names
from kb.search.request import KEYS
from tests.support.factories import make_axis, make_node, make_repository

FRAMEWORKS = Lookup(
    [Named("deepspeed", "DeepSpeed"), Named("megatron-lm", "Megatron-LM"), Named("colossal-ai", "Colossal-AI")]
)


class TestLookup:
    @given(st.text(max_size=2_000))
    def test_takes_any_text(self, text: str) -> None:
        FRAMEWORKS.find(text)
        FRAMEWORKS.nearest(text)

    @pytest.mark.parametrize("said", ["Megatron-LM", "megatron lm", "MEGATRON_LM", " megatron-lm "])
    def test_does_not_tell_spellings_apart(self, said: str) -> None:
        assert FRAMEWORKS.find(said) == "megatron-lm"

    @pytest.mark.parametrize(
        ("said", "near"), [("deepsped", "deepspeed"), ("megatron", "megatron-lm"), ("colosal", "colossal-ai")]
    )
    def test_knows_what_was_nearly_said(self, said: str, near: str) -> None:
        assert FRAMEWORKS.find(said) is None
        assert FRAMEWORKS.nearest(said)[0].value == near

    def test_a_code_wins_over_a_name_and_a_name_over_an_alias(self) -> None:
        values = [Named("a", "one", ("two",)), Named("one", "two"), Named("two", "three", ("three",))]
        lookup = Lookup(values)
        assert [lookup.find(said) for said in ("one", "two", "three")] == ["one", "two", "two"]

    def test_a_name_that_two_values_share_names_neither_and_suggests_both(self) -> None:
        lookup = Lookup([Named("a/x", "Hang"), Named("b/y", "Hang")])
        assert lookup.find("hang") is None
        assert {named.value for named in lookup.nearest("hang")} == {"a/x", "b/y"}

    def test_what_is_not_offered_is_understood_and_never_suggested(self) -> None:
        lookup = Lookup([Named("old", "Old", offered=False)])
        assert lookup.find("old") == "old"
        assert lookup.nearest("old") == ()

    def test_lists_read_like_sentences(self) -> None:
        assert [either("abc"[:n]) for n in range(4)] == ["", "a", "a or b", "a, b or c"]


@pytest.mark.django_db
class TestNames:
    def test_are_read_in_one_statement_and_kept(self, django_assert_num_queries: DjangoAssertNumQueries) -> None:
        make_node("hang")
        with django_assert_num_queries(1):
            assert names() is names()
        assert SECONDS == 60

    def test_know_every_key_and_the_fixed_values(self) -> None:
        assert [key.key for key in names().keys] == [*KEYS, "is", "has"]
        assert names().of("state")
        assert names().of("is")
        assert names().of("lines") is None

    def test_a_repository_goes_by_its_old_names_and_alone_by_its_last_part(self) -> None:
        make_repository().aliases.create(host="github.com", full_name="microsoft/DeepSpeed")
        for owner in ("one", "two"):
            make_repository(f"{owner}/thing")
        lookup = names().stored["repository"]
        assert lookup.find("Microsoft/deepspeed") == lookup.find("deepspeed") == "deepspeedai/DeepSpeed"
        assert lookup.find("thing") is None

    def test_a_merged_node_leads_to_what_it_became(self) -> None:
        now = make_node("hang", aliases=["stuck"])
        make_node("freeze", name="Freezes", aliases=["frozen"], status="merged", merged_into=now)
        lookup = names().stored["symptom"]
        assert {lookup.find(said) for said in ("hang", "stuck", "freeze", "Freezes", "frozen")} == {"hang"}

    def test_a_category_is_known_by_scheme_and_code_whatever_its_scheme(self) -> None:
        make_node("hang")
        make_node("S1", axis=make_axis(scheme="a-study"), name="Stuck")
        lookup = names().stored["node"]
        assert [named.value for named in lookup.values] == ["a-study/S1", "house/hang"]
        assert lookup.find("s1") == lookup.find("stuck") == "a-study/S1"

    @pytest.mark.usefixtures("starter")
    def test_every_code_and_name_of_the_house_finds_its_node(self) -> None:
        for key in ("symptom", "cause", "fix", "stage", "component", "type", "theme"):
            lookup = names().stored[key]
            assert lookup.values
            assert all(lookup.find(named.value) == named.value for named in lookup.values)
            assert [named.name for named in lookup.values if lookup.find(named.name) is None] == []
